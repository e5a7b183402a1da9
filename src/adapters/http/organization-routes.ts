import type { ListedOrganization } from '../../application/ports/directory-read-model.js';
import { type OrganizationId, parseId } from '../../domain/ids.js';
import { organizationImage, organizationNameKey, organizationThumbnail } from '../../domain/organization.js';
import { isStorable } from '../../domain/text.js';
import type { Authentication } from './authentication.js';
import type { HttpDependencies } from './dependencies.js';
import type { Endpoints } from './endpoints.js';
import { sendError } from './error-responses.js';
import { sendPublicJson } from './public-json.js';
import type { SecurityLog } from './security-log.js';
import { streamJson, streamReferenceJson } from './stream-json.js';
import type { Throttling } from './throttling.js';
import { BadRequest, pathId, pathText } from './valid.js';

export const MAX_RANDOM_ORGANIZATIONS = 100;

export function organizationRoutes(
  endpoints: Endpoints,
  { directory, clock }: HttpDependencies,
  authentication: Authentication,
  throttling: Throttling,
  security: SecurityLog,
): void {
  endpoints.get('/organization', throttling.perAddress, async (request, response) => {
    const organizations = await directory.organizations();
    await sendPublicJson(
      request,
      response,
      organizations.map((organization) => ({
        ...linkedJson(organization),
        streams: organization.streams.map(streamReferenceJson),
      })),
    );
  });

  endpoints.get('/organization/:id', throttling.perAddress, async (request, response) => {
    const organization = await directory.organization(pathId<OrganizationId>(request));
    if (organization === null) return sendError(response, { kind: 'not-found' });
    await sendPublicJson(request, response, linkedJson(organization));
  });

  endpoints.get('/organization/name/:name', throttling.perAddress, async (request, response) => {
    const name = pathText(request, 'name');
    if (!isStorable(name) || /\p{Cc}/u.test(name))
      throw new BadRequest('name must hold no control characters.');
    const organization = await directory.organizationNamed(organizationNameKey(name));
    if (organization === null) return sendError(response, { kind: 'not-found' });
    await sendPublicJson(request, response, linkedJson(organization));
  });

  endpoints.get('/organization/limit/:limit', throttling.perAddress, async (request, response) => {
    const limit = parseId(pathText(request, 'limit'));
    if (limit === null || limit > MAX_RANDOM_ORGANIZATIONS)
      throw new BadRequest(`limit must be an integer from 1 to ${MAX_RANDOM_ORGANIZATIONS}.`);
    const organizations = await directory.randomOrganizations(limit);
    await sendPublicJson(request, response, organizations.map(organizationJson));
  });

  endpoints.get('/organization/:id/streams', throttling.perAddress, async (request, response) => {
    const streams = await directory.streamsOf(pathId<OrganizationId>(request));
    if (streams === null) return sendError(response, { kind: 'not-found' });
    const now = clock.now();
    await sendPublicJson(
      request,
      response,
      streams.map((stream) => streamJson(stream, now)),
    );
  });

  endpoints.get(
    '/organization/:id/token/streams/details',
    throttling.perAddress,
    async (request, response) => {
      const sender = await authentication.sender(request);
      if (!sender.ok) return sendError(response, sender.error);
      const organization = pathId<OrganizationId>(request);
      if (organization !== sender.value.organization) {
        security.record(request, 'access-denied', sender.value, 'another-organization');
        return sendError(response, { kind: 'forbidden' });
      }
      const streams = await directory.streamReferences(organization);
      response.json(streams.map((stream) => ({ ...streamReferenceJson(stream), streamUUID: stream.uuid })));
    },
  );
}

/** Table 2.5 without links and streams, in the order of the table. */
function organizationJson(organization: ListedOrganization) {
  return {
    id: organization.id,
    name: organization.name,
    description: organization.description,
    image: organizationImage(organization),
    thumbnail: organizationThumbnail(organization),
  };
}

function linkedJson(organization: ListedOrganization) {
  return {
    ...organizationJson(organization),
    links: organization.links.map(({ type, url }) => ({ type, url })),
  };
}
