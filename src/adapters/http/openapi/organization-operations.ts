import { MAX_RANDOM_ORGANIZATIONS } from '../organization-routes.js';
import {
  LISTED_ORGANIZATION,
  ORGANIZATION as EXAMPLE,
  ORGANIZATION_SUMMARY,
  STREAM,
  STREAM_CREDENTIALS,
} from './examples.js';
import { ANYBODY, IF_NONE_MATCH, ORGANIZATION, type Operations, pathParameter } from './operation.js';
import { EVERYWHERE, cacheable, refusal, shared, success } from './responses.js';
import { id, listOf, ref } from './schemas.js';

const BAD_ID = refusal(400, 'The id is none.', { id: 'id must be an integer from 1 to 2147483647.' });
const organizationId = pathParameter('id', id, 'The id of an active public organization.', 1);

export const organizationOperations: Operations = {
  'GET /organization': {
    operationId: 'listOrganizations',
    tags: ['Organizations'],
    summary: 'All active public organizations with their links and streams, by ascending id',
    security: ANYBODY,
    parameters: [IF_NONE_MATCH],
    responses: {
      ...cacheable('The organizations.', listOf(ref('ListedOrganization')), {
        example: { value: [LISTED_ORGANIZATION] },
      }),
      ...EVERYWHERE,
      ...shared('TooManyRequests'),
    },
  },
  'GET /organization/:id': {
    operationId: 'getOrganization',
    tags: ['Organizations'],
    summary: 'One organization with its links',
    security: ANYBODY,
    parameters: [organizationId, IF_NONE_MATCH],
    responses: {
      ...cacheable('The organization.', ref('Organization'), { example: { value: EXAMPLE } }),
      ...EVERYWHERE,
      ...shared('NotFound', 'TooManyRequests'),
      '400': BAD_ID,
    },
  },
  'GET /organization/name/:name': {
    operationId: 'findOrganization',
    tags: ['Organizations'],
    summary: 'One organization by its whole name, whatever its letter case',
    security: ANYBODY,
    parameters: [
      pathParameter('name', { type: 'string', minLength: 1 }, 'The name, percent-encoded.', 'radio nova'),
      IF_NONE_MATCH,
    ],
    responses: {
      ...cacheable('The organization.', ref('Organization'), { example: { value: EXAMPLE } }),
      ...EVERYWHERE,
      ...shared('NotFound', 'TooManyRequests'),
      '400': refusal(400, 'No organization can have this name.', {
        name: 'name must hold no control characters.',
      }),
    },
  },
  'GET /organization/limit/:limit': {
    operationId: 'drawOrganizations',
    tags: ['Organizations'],
    summary: 'Some organizations, drawn at random without repeats',
    security: ANYBODY,
    parameters: [
      pathParameter(
        'limit',
        { type: 'integer', minimum: 1, maximum: MAX_RANDOM_ORGANIZATIONS },
        'How many, at most.',
        10,
      ),
      IF_NONE_MATCH,
    ],
    responses: {
      ...cacheable('The organizations, without links.', listOf(ref('OrganizationSummary')), {
        example: { value: [ORGANIZATION_SUMMARY] },
      }),
      ...EVERYWHERE,
      ...shared('TooManyRequests'),
      '400': refusal(400, 'The limit is none.', {
        limit: `limit must be an integer from 1 to ${MAX_RANDOM_ORGANIZATIONS}.`,
      }),
    },
  },
  'GET /organization/:id/streams': {
    operationId: 'listStreamsOfOrganization',
    tags: ['Organizations'],
    summary: 'The active streams of one organization, by ascending id',
    security: ANYBODY,
    parameters: [organizationId, IF_NONE_MATCH],
    responses: {
      ...cacheable('The streams.', listOf(ref('Stream')), { example: { value: [STREAM] } }),
      ...EVERYWHERE,
      ...shared('NotFound', 'TooManyRequests'),
      '400': BAD_ID,
    },
  },
  'GET /organization/:id/token/streams/details': {
    operationId: 'listStreamsOfToken',
    tags: ['Organizations'],
    summary: 'The streams of the organization that the API token belongs to, with their webhook UUIDs',
    security: ORGANIZATION,
    parameters: [pathParameter('id', id, 'The id of the organization.', 1)],
    responses: {
      '200': success('The streams, active or not.', listOf(ref('StreamCredentials')), {
        example: { value: [STREAM_CREDENTIALS] },
      }),
      ...EVERYWHERE,
      ...shared('Unauthorized', 'TooManyRequests'),
      '400': BAD_ID,
      '403': refusal(403, 'The token belongs to another organization.'),
    },
  },
};
