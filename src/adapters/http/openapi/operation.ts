import type { MediaType, Reference, ResponseObject } from './responses.js';
import { type JsonSchema, id } from './schemas.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example: unknown;
}

type SecurityRequirement = Readonly<Partial<Record<keyof typeof SECURITY_SCHEMES, readonly []>>>;

/** One method of one path. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly (keyof typeof TAGS)[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly SecurityRequirement[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly description?: string;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

/** By method and path, as they stand in the routes: `GET /stream/:id/votes`. */
export type Operations = Readonly<Record<`${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`, Operation>>;

export const TAGS = {
  Streams: 'Listings, history, votes, and the webhook that says what is on air.',
  Users: 'Registration, login, password.',
  Organizations: 'Who runs the streams.',
  General: 'Whether the API is reachable, and how large the directory is.',
} as const;

export const SECURITY_SCHEMES = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `access_token` of `POST /user/login`.',
  },
  organizationToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'rdo_…',
    description: 'An API token of the organization.',
  },
  organizationApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-KEY',
    description: 'The same API token, for senders that cannot send `Authorization: Bearer`.',
  },
  organizationBasic: {
    type: 'http',
    scheme: 'basic',
    description: 'The same API token as the password; any user name.',
  },
} as const;

export const ANYBODY: readonly SecurityRequirement[] = [];
export const USER: readonly SecurityRequirement[] = [{ accessToken: [] }];
export const ANYBODY_OR_USER: readonly SecurityRequirement[] = [{}, { accessToken: [] }];
export const ORGANIZATION: readonly SecurityRequirement[] = [
  { organizationToken: [] },
  { organizationApiKey: [] },
  { organizationBasic: [] },
];

export function pathParameter(
  name: string,
  schema: JsonSchema,
  description: string,
  example: unknown,
): Parameter {
  return { name, in: 'path', required: true, description, schema, example };
}
export const streamId = pathParameter('id', id, 'The id of an active stream.', 1);

/** Header fields that many operations read. */
export const PARAMETERS = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an answer that the client has kept.',
    schema: { type: 'string' },
    example: '"X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"',
  },
} as const satisfies Readonly<Record<string, Parameter>>;
export const IF_NONE_MATCH: Reference = { $ref: '#/components/parameters/IfNoneMatch' };
