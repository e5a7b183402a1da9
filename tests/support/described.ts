import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Express, Request } from 'express';
import { type OpenApiDocument, openApiDocument } from '../../src/adapters/http/openapi/document.js';
import type { Operation } from '../../src/adapters/http/openapi/operation.js';
import type {
  Header,
  MediaType,
  Reference,
  ResponseObject,
} from '../../src/adapters/http/openapi/responses.js';
import type { JsonSchema } from '../../src/adapters/http/openapi/schemas.js';
import { atTheEndOfEachTest } from './end-of-test.js';

/** A request and its answer. */
export interface Exchange {
  readonly method: string;
  /** The pattern of the route that answered; null: none did. */
  readonly route: string | null;
  readonly params: Readonly<Record<string, string>>;
  /** Of a request with a JSON body. */
  readonly sent?: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
  readonly isLimited: boolean;
}

/** Headers that mean something only where they are described. */
const MEANINGFUL = ['retry-after', 'ratelimit', 'ratelimit-policy', 'www-authenticate', 'etag', 'allow'];
/** By status, what may be answered where no operation is: unknown paths and methods, and what no path is asked about. */
const WITHOUT_OPERATION: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  414: 'UriTooLong',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
};
/** A report is never refused for its fields, whatever they are. */
const READS_ANYTHING = 'reportNowPlaying';

/** Compares answers with what the document says of them, more strictly than clients should: no field may be more. */
export class Description {
  readonly #ajv = addFormats.default(
    new Ajv2020({ allErrors: true, allowUnionTypes: true, coerceTypes: false }),
  );
  readonly #closed = new WeakMap<JsonSchema, ValidateFunction>();
  readonly #open = new WeakMap<JsonSchema, ValidateFunction>();

  constructor(readonly document: OpenApiDocument) {}

  /** The operation that answers the method at the route pattern, if there is one. */
  operation(method: string, route: string): Operation | undefined {
    const known = method === 'HEAD' ? 'get' : method.toLowerCase();
    return this.document.paths[route.replace(/:(\w+)/g, '{$1}')]?.[known];
  }

  /** Where the exchange is not as described; empty: all is well. */
  problems(exchange: Exchange): string[] {
    const { method, route, status } = exchange;
    const operation = route === null ? undefined : this.operation(method, route);
    if (!operation && method === 'OPTIONS' && status === 204) return [];
    const described = operation
      ? operation.responses[status]
      : { $ref: `#/components/responses/${WITHOUT_OPERATION[status] ?? 'none'}` };
    const response = described && this.#resolved<ResponseObject>(described);
    if (!response) return [`status ${status} is not described`];
    return [
      ...this.#headerProblems(response, exchange),
      ...this.#bodyProblems(response, exchange),
      ...(operation && status < 300 ? this.#requestProblems(operation, exchange) : []),
    ];
  }

  #headerProblems({ headers: described = {} }: ResponseObject, exchange: Exchange): string[] {
    const { status, headers, isLimited } = exchange;
    const names = Object.keys(described).map((name) => name.toLowerCase());
    const extra = MEANINGFUL.filter((name) => headers[name] !== undefined && !names.includes(name));
    const mustBeThere = (name: string, header: Header) =>
      header.required === true ||
      name === 'X-Request-Id' ||
      (name.startsWith('RateLimit') && isLimited && (status < 400 || status === 429));
    const wrong = Object.entries(described).flatMap(([name, described]) => {
      const header = this.#resolved<Header>(described);
      if (!header) return [`header ${name} has no description`];
      const value = headers[name.toLowerCase()];
      if (value === undefined) return mustBeThere(name, header) ? [`header ${name} is missing`] : [];
      const typed = header.schema['type'] === 'integer' ? Number(value) : value;
      return this.#mismatches(`header ${name}`, header.schema, typed);
    });
    return [...extra.map((name) => `header ${name} is not described`), ...wrong];
  }

  #bodyProblems({ content }: ResponseObject, { method, status, headers, body }: Exchange): string[] {
    if (!content || method === 'HEAD') return body.length === 0 ? [] : ['there is a body'];
    const media = content['application/json'];
    if (!media || headers['content-type'] !== 'application/json; charset=utf-8')
      return [`the media type is ${String(headers['content-type'])}`];
    const value = JSON.parse(decoded(body, headers['content-encoding'])) as unknown;
    const mismatches = this.#mismatches('body', media.schema, value);
    if (status < 400 || mismatches.length > 0) return mismatches;
    const { statusCode } = value as { readonly statusCode: number };
    return statusCode === status ? [] : [`statusCode is ${statusCode} in an answer ${status}`];
  }

  /** What succeeds must be allowed. What is refused may be described as allowed: not all rules are JSON Schema. */
  #requestProblems(operation: Operation, { params, sent }: Exchange): string[] {
    const inPath = (operation.parameters ?? []).flatMap((parameter) => {
      if (!('in' in parameter) || parameter.in !== 'path') return [];
      const value = params[parameter.name];
      const typed = parameter.schema['type'] === 'integer' ? Number(value) : value;
      return this.#mismatches(`parameter ${parameter.name}`, parameter.schema, typed);
    });
    const media: MediaType | undefined = operation.requestBody?.content['application/json'];
    if (!media || sent === undefined || operation.operationId === READS_ANYTHING) return inPath;
    const body = this.#mismatches('request', media.schema, sent, false);
    return [...inPath, ...body];
  }

  #mismatches(what: string, schema: JsonSchema, value: unknown, isClosed = true): string[] {
    const compiled = isClosed ? this.#closed : this.#open;
    const validate = compiled.get(schema) ?? this.#ajv.compile(this.#inlined(schema, isClosed) as JsonSchema);
    compiled.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${what}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  /** The schema without references; closed: objects hold the described properties only. */
  #inlined(schema: unknown, isClosed: boolean): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.#inlined(item, isClosed));
    if (typeof schema !== 'object' || schema === null) return schema;
    if ('$ref' in schema) return this.#inlined(this.#resolved(schema as Reference), isClosed);
    const entries = Object.entries(schema).map(([key, value]) => [key, this.#inlined(value, isClosed)]);
    const isObject = 'properties' in schema && 'type' in schema;
    return {
      ...Object.fromEntries(entries),
      ...(isClosed && isObject ? { additionalProperties: false } : {}),
    };
  }

  #resolved<T extends object>(described: T | Reference): T | undefined {
    if (!('$ref' in described)) return described;
    const [, , kind = '', name = ''] = described.$ref.split('/');
    return this.document.components[kind]?.[name] as T | undefined;
  }
}

function decoded(body: Buffer, encoding: unknown): string {
  if (encoding === 'br') return brotliDecompressSync(body).toString();
  return (encoding === 'gzip' ? gunzipSync(body) : body).toString();
}

export const API = new Description(openApiDocument('https://directory.radio', '1.2.3-test'));

const drift: string[] = [];

/** What was not as described since the last call. */
export const takeDrift = (): string[] => drift.splice(0);

atTheEndOfEachTest(() => {
  const found = takeDrift();
  if (found.length > 0) throw new Error(`Not as the OpenAPI document says:\n${found.join('\n')}`);
});

/** The same app, all of whose answers must be as described. */
export function described(app: Express, isLimited: boolean): Express {
  return new Proxy(app, {
    apply(target, self, args: [Request, ServerResponse]) {
      watch(...args, isLimited);
      return Reflect.apply(target, self, args) as unknown;
    },
  });
}

function watch(request: Request, response: ServerResponse, isLimited: boolean): void {
  const chunks: Buffer[] = [];
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  const write = response.write.bind(response) as (...args: unknown[]) => boolean;
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  response.write = (...args: unknown[]) => {
    keep(args[0]);
    return write(...args);
  };
  response.end = (...args: unknown[]) => {
    keep(args[0]);
    const exchange = {
      method: request.method,
      ...routed(request),
      sent: sentJson(request),
      status: response.statusCode,
      headers: response.getHeaders(),
      body: request.method === 'HEAD' ? Buffer.alloc(0) : Buffer.concat(chunks),
      isLimited,
    };
    const where = `${exchange.method} ${exchange.route ?? '(no route)'} ${exchange.status}`;
    drift.push(...API.problems(exchange).map((problem) => `${where}: ${problem}`));
    return end(...args);
  };
}

function routed(request: IncomingMessage & { route?: unknown; params?: unknown }) {
  const route = request.route as { readonly path: string } | undefined;
  return { route: route?.path ?? null, params: (request.params ?? {}) as Record<string, string> };
}

function sentJson(request: Request): unknown {
  if (!Buffer.isBuffer(request.body) || !/json/i.test(request.headers['content-type'] ?? ''))
    return undefined;
  try {
    return JSON.parse(request.body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
