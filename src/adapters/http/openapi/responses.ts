import { STATUS_CODES } from 'node:http';
import type { JsonSchema } from './schemas.js';
import { ref } from './schemas.js';

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}
export type Examples = Readonly<Record<string, Example>>;
export interface MediaType {
  readonly schema: JsonSchema;
  readonly examples: Examples;
}
export interface Reference {
  readonly $ref: string;
}
export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
  readonly example: unknown;
}
export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference | Header>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

/** Sent with answers; one that is `required` always. */
export const HEADERS = {
  RequestId: {
    description: 'Names the request in the log. A harmless `X-Request-Id` of the request is taken over.',
    schema: { type: 'string' },
    example: '0f6a2f3c-3b0e-4f0e-8f43-0c2f5f4f1b11',
  },
  ETag: {
    description: 'Send it back as `If-None-Match`: 304 says that nothing has changed.',
    required: true,
    schema: { type: 'string' },
    example: '"X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"',
  },
  RateLimit: {
    description:
      'For each window, how many requests are left (`r`) and after how many seconds one more is admitted (`t`).',
    schema: { type: 'string' },
    example: '"1s";r=2;t=0, "10s";r=19;t=0, "60s";r=99;t=0',
  },
  RateLimitPolicy: {
    description: 'For each window, how many requests (`q`) it admits in how many seconds (`w`).',
    schema: { type: 'string' },
    example: '"1s";q=3;w=1, "10s";q=20;w=10, "60s";q=100;w=60',
  },
  RetryAfter: {
    description: 'Seconds after which the request may be sent again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  Challenge: {
    description: 'With `error="invalid_token"` when credentials were sent that are not valid. (RFC 6750)',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer error="invalid_token"',
  },
  Allow: {
    description: 'The methods that the path knows.',
    required: true,
    schema: { type: 'string' },
    example: 'GET, HEAD, OPTIONS',
  },
} as const satisfies Readonly<Record<string, Header>>;

const header = (name: keyof typeof HEADERS): Reference => ({ $ref: `#/components/headers/${name}` });
const REQUEST_ID = { 'X-Request-Id': header('RequestId') };
const RATE_LIMIT = { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') };
const RETRY_AFTER = { 'Retry-After': header('RetryAfter') };

function answer(
  description: string,
  headers: ResponseObject['headers'],
  schema: JsonSchema,
  examples: Examples,
): ResponseObject {
  return {
    description,
    headers: { ...REQUEST_ID, ...headers },
    content: { 'application/json': { schema, examples } },
  };
}

/** A success that only its caller may see. */
export function success(description: string, schema: JsonSchema, examples: Examples): ResponseObject {
  return answer(description, RATE_LIMIT, schema, examples);
}

/** A success that anybody may keep and ask for again by its tag, and the 304 that answers this. */
export function cacheable(
  description: string,
  schema: JsonSchema,
  examples: Examples,
  { isLimited = true, isAlwaysTagged = true } = {},
): Readonly<Record<'200' | '304', ResponseObject>> {
  const { ETag } = HEADERS;
  const tag = isAlwaysTagged ? header('ETag') : { ...ETag, required: false };
  const limits = isLimited ? RATE_LIMIT : {};
  return {
    '200': answer(description, { ETag: tag, ...limits }, schema, examples),
    '304': {
      description: 'Nothing has changed since the answer that `If-None-Match` names.',
      headers: { ...REQUEST_ID, ETag: header('ETag'), ...limits },
    },
  };
}

/** A refusal. Messages by the name of their example; the status's own text when there is none. */
export function refusal(
  statusCode: number,
  description: string,
  messages: Readonly<Record<string, string>> = {},
  headers: ResponseObject['headers'] = RATE_LIMIT,
): ResponseObject {
  const given = Object.entries(messages);
  const all = given.length > 0 ? given : [['example', STATUS_CODES[statusCode] ?? ''] as const];
  const examples = all.map(([name, message]) => [name, { value: { statusCode, message } }] as const);
  return answer(description, headers, ref('Error'), Object.fromEntries(examples));
}

const THROTTLED = { example: 'ThrottlerException: Too Many Requests' };

/** Refusals that many operations share. */
export const RESPONSES = {
  BadRequest: refusal(400, 'The request itself cannot be read.', {
    host: 'The request must have one valid Host header.',
    path: 'The path is not valid percent-encoding.',
  }),
  Unauthorized: refusal(
    401,
    'Credentials are missing or not valid (any more).',
    {},
    {
      'WWW-Authenticate': header('Challenge'),
      ...RATE_LIMIT,
    },
  ),
  NotFound: refusal(404, 'Well-formed, but there is no such thing, or it is not active.'),
  MethodNotAllowed: refusal(
    405,
    'The path knows other methods only.',
    {},
    { Allow: header('Allow'), ...RATE_LIMIT },
  ),
  PayloadTooLarge: refusal(413, 'The body is larger than this operation reads.'),
  UriTooLong: refusal(414, 'The path and its query are too long.', {}, {}),
  UnsupportedMediaType: refusal(415, 'The body is not of a media type that this operation reads.'),
  TooManyRequests: refusal(429, 'A window is full. Refused requests do not lengthen the wait.', THROTTLED, {
    ...RETRY_AFTER,
    ...RATE_LIMIT,
  }),
  HeadersTooLarge: refusal(431, 'The header is too large, or has too many lines.', {}, {}),
  InternalServerError: refusal(500, 'A bug. The log has it under the id of the request.'),
  ServiceUnavailable: refusal(
    503,
    'Overloaded, or without its database. It recovers by itself.',
    {},
    {
      ...RETRY_AFTER,
      ...RATE_LIMIT,
    },
  ),
} as const satisfies Readonly<Record<string, ResponseObject>>;

export type SharedResponse = keyof typeof RESPONSES;

/** By their statuses. */
export function shared(...names: readonly SharedResponse[]): Readonly<Record<string, Reference>> {
  const entries = names.map((name) => {
    const [example] = Object.values(RESPONSES[name].content?.['application/json']?.examples ?? {});
    const { statusCode } = example?.value as { readonly statusCode: number };
    return [String(statusCode), { $ref: `#/components/responses/${name}` }] as const;
  });
  return Object.fromEntries(entries);
}

/** What every operation may answer. */
export const EVERYWHERE = shared(
  'BadRequest',
  'MethodNotAllowed',
  'UriTooLong',
  'HeadersTooLarge',
  'InternalServerError',
  'ServiceUnavailable',
);
