import { STATUS } from '../general-routes.js';
import {
  ANYBODY,
  IF_NONE_MATCH,
  type Operation,
  type Operations,
  PARAMETERS,
  SECURITY_SCHEMES,
  TAGS,
} from './operation.js';
import { organizationOperations } from './organization-operations.js';
import { EVERYWHERE, HEADERS, RESPONSES, cacheable, shared } from './responses.js';
import { SCHEMAS, ref } from './schemas.js';
import { REPORT_SCHEMAS, streamOperations } from './stream-operations.js';
import { userOperations } from './user-operations.js';

const generalOperations = (version: string): Operations => ({
  'GET /': {
    operationId: 'getHealth',
    tags: ['General'],
    summary: 'That the API is reachable, and its version',
    security: ANYBODY,
    parameters: [IF_NONE_MATCH],
    responses: {
      ...cacheable('It is.', ref('Health'), { example: { value: { message: STATUS, version } } }),
      ...EVERYWHERE,
      ...shared('TooManyRequests'),
    },
  },
  'GET /stats': {
    operationId: 'getStatistics',
    tags: ['General'],
    summary: 'How large the directory is',
    security: ANYBODY,
    parameters: [IF_NONE_MATCH],
    responses: {
      ...cacheable('The counts.', ref('Statistics'), {
        example: { value: { users: 1, organizations: 1, stations: 1 } },
      }),
      ...EVERYWHERE,
      ...shared('TooManyRequests'),
    },
  },
});

const DESCRIPTION = `A directory of internet radio streams and the organizations that run them.

Every answer is JSON; every refusal is \`{statusCode, message}\`. \`HEAD\` works wherever \`GET\` does, and answers can be read from
any origin. Unknown paths answer 404. Clients should expect fields that are not described here to come.

Each client address may send 3 requests a second, 20 in 10 seconds and 100 a minute; the stream list and the histories are exempt.
What cannot be read as HTTP, or comes too slowly, is answered 400, 408 or 417 without headers of the API.`;

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: object;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path and by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * The whole interface, as OpenAPI 3.1.
 * @param publicUrl where clients reach the API, without a final slash
 */
export function openApiDocument(publicUrl: string, version: string): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [route, operation] of Object.entries(operations(version))) {
    const [method = '', path = ''] = route.split(' ');
    const template = path.replace(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Radio Directory',
      version,
      summary: 'Listings, now playing, song history, votes.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl, description: 'This directory' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...SCHEMAS, ...REPORT_SCHEMAS },
      responses: RESPONSES,
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function operations(version: string): Operations {
  return { ...generalOperations(version), ...streamOperations, ...userOperations, ...organizationOperations };
}
