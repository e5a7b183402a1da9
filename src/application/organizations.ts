import type { OrganizationId, OrganizationTokenId, StreamId, StreamUuid } from '../domain/ids.js';
import {
  type InvalidFields,
  type OrganizationName,
  type ProfileFields,
  parseOrganizationProfile,
} from '../domain/organization.js';
import { type Result, err, ok } from '../domain/result.js';
import { type StreamFields, parseStreamProfile } from '../domain/stream.js';
import { characters, oneLine } from '../domain/text.js';
import { newOrganizationToken } from './now-playing.js';
import type { Clock } from './ports/clock.js';
import type {
  OrganizationNameTaken,
  OrganizationNotFound,
  OrganizationRepository,
  StoredOrganization,
  StoredStream,
  UnknownStream,
} from './ports/organization-repository.js';
import type { Secrets } from './ports/secrets.js';

export class AddOrganization {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly clock: Clock,
  ) {}

  async execute(
    fields: ProfileFields,
  ): Promise<Result<{ id: OrganizationId; name: OrganizationName }, InvalidFields | OrganizationNameTaken>> {
    const profile = parseOrganizationProfile(fields);
    if (!profile.ok) return profile;
    const added = await this.organizations.add(profile.value, this.clock.now());
    return added.ok ? ok({ id: added.value, name: profile.value.name }) : added;
  }
}

/** Only what is given; an image or thumbnail of `''` is taken away, links are replaced as a whole. */
export type ProfileChanges = { readonly [Field in keyof ProfileFields]?: ProfileFields[Field] | undefined };

export class UpdateOrganization {
  constructor(private readonly organizations: OrganizationRepository) {}

  execute(
    id: OrganizationId,
    changes: ProfileChanges,
  ): Promise<Result<StoredOrganization, InvalidFields | OrganizationNotFound | OrganizationNameTaken>> {
    return this.organizations.update(id, (before) => {
      const { image, thumbnail, ...rest } = before;
      const fields = { ...rest, image: image ?? '', thumbnail: thumbnail ?? '' };
      return parseOrganizationProfile({ ...fields, ...given(changes) });
    });
  }
}

export class AddStream {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async execute(
    organization: OrganizationId,
    fields: StreamFields,
  ): Promise<Result<{ id: StreamId; uuid: StreamUuid; name: string }, InvalidFields | OrganizationNotFound>> {
    const profile = parseStreamProfile(fields);
    if (!profile.ok) return profile;
    const uuid = this.secrets.uuid();
    const added = await this.organizations.addStream(organization, uuid, profile.value, this.clock.now());
    return added.ok ? ok({ id: added.value, uuid, name: profile.value.name }) : added;
  }
}

/** Only what is given; tags are replaced as a whole. */
export type StreamChanges = {
  readonly [Field in keyof StreamFields]?: StreamFields[Field] | undefined;
} & { readonly organization?: OrganizationId | undefined };

export class UpdateStream {
  constructor(private readonly organizations: OrganizationRepository) {}

  execute(
    id: StreamId,
    { organization, ...changes }: StreamChanges,
  ): Promise<Result<StoredStream, InvalidFields | UnknownStream | OrganizationNotFound>> {
    return this.organizations.changeStream(id, (before) => {
      const profile = parseStreamProfile({ ...before, ...given(changes) });
      if (!profile.ok) return profile;
      return ok({ ...profile.value, organization: organization ?? before.organization });
    });
  }
}

/** Without the fields that are undefined: they would hide those they are laid over. */
function given<Fields extends object>(
  fields: Fields,
): { [Field in keyof Fields]: Exclude<Fields[Field], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Field in keyof Fields]: Exclude<Fields[Field], undefined>;
  };
}

export const MAX_LABEL_LENGTH = 100;

/** Makes an API token. Its text is in this answer only: the storage keeps the hash. */
export class IssueOrganizationToken {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** @param rawLabel what its owner calls the token, at most {@link MAX_LABEL_LENGTH} characters; may be empty */
  async execute(
    organization: OrganizationId,
    rawLabel: string,
  ): Promise<Result<{ id: OrganizationTokenId; token: string }, InvalidFields | OrganizationNotFound>> {
    const label = oneLine(rawLabel).normalize('NFC');
    if (characters(label) > MAX_LABEL_LENGTH) {
      const rule = `must be at most ${MAX_LABEL_LENGTH} characters`;
      return err({ kind: 'invalid-fields', fields: [{ field: 'label', rule }] });
    }
    const token = newOrganizationToken(this.secrets);
    const hash = this.secrets.hash(token);
    const added = await this.organizations.addToken(organization, hash, label, this.clock.now());
    return added.ok ? ok({ id: added.value, token }) : added;
  }
}
