import type { StreamUuid } from '../../src/domain/ids.js';
import {
  ORGANIZATION_PROFILE,
  STREAM_PROFILE,
  STREAM_UUID,
} from '../../src/adapters/http/openapi/examples.js';
import { aStreamProfile, must } from './builders.js';
import { type ServiceOptions, httpService } from './http-service.js';
import { START } from './manual-clock.js';

/** The directory that the examples of the OpenAPI document show, with what is needed to send them. */
export async function documentedDirectory(options: ServiceOptions = {}) {
  const service = httpService(options);
  const { organizations } = service;
  const organization = await service.addOrganization({
    ...ORGANIZATION_PROFILE,
    links: [...ORGANIZATION_PROFILE.links],
  });
  const profile = aStreamProfile({ ...STREAM_PROFILE, tags: [...STREAM_PROFILE.tags] });
  must(await organizations.addStream(organization, STREAM_UUID as StreamUuid, profile, START));
  const token = await service.addToken(organization);
  return { ...service, organization, token };
}
