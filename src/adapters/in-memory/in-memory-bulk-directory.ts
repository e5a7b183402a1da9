import type { BulkDirectory, NewStream, StreamRecord } from '../../application/ports/bulk-directory.js';
import type { StoredOrganization, StoredStream } from '../../application/ports/organization-repository.js';
import type { OrganizationId, StreamId, StreamUuid } from '../../domain/ids.js';
import { type OrganizationProfile, organizationNameKey } from '../../domain/organization.js';
import { streamUrlKey } from '../../domain/stream.js';
import type { HttpUrl } from '../../domain/text.js';
import type { InMemoryDatabase, StreamRow } from './in-memory-database.js';

export class InMemoryBulkDirectory implements BulkDirectory {
  readonly #marks = new Map<string, number>();

  constructor(private readonly db: InMemoryDatabase) {}

  async clearMarks(): Promise<void> {
    this.#marks.clear();
  }

  async mark(
    keys: readonly { readonly key: string; readonly row: number }[],
  ): Promise<ReadonlyMap<string, number>> {
    const marks = new Map<string, number>();
    for (const { key, row } of [...keys].sort((one, other) => one.row - other.row)) {
      const mark = this.#marks.get(key) ?? row;
      this.#marks.set(key, mark);
      marks.set(key, mark);
    }
    return marks;
  }

  async streamsAt(urlKeys: readonly string[]): Promise<ReadonlyMap<string, StoredStream>> {
    const wanted = new Set(urlKeys);
    const found = new Map<string, StoredStream>();
    for (const stream of this.db.streams.all()) {
      const key = streamUrlKey(stream.url);
      if (wanted.has(key) && !found.has(key)) found.set(key, this.#stored(stream));
    }
    return found;
  }

  async streamsWith(uuids: readonly StreamUuid[]): Promise<ReadonlyMap<StreamUuid, StoredStream>> {
    const found = new Map<StreamUuid, StoredStream>();
    for (const uuid of uuids) {
      const stream = this.db.streams.withKey(uuid);
      if (stream) found.set(uuid, this.#stored(stream));
    }
    return found;
  }

  async organizationsNamed(
    nameKeys: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<StoredOrganization, 'id' | 'image'>>> {
    const found = new Map<string, Pick<StoredOrganization, 'id' | 'image'>>();
    for (const key of nameKeys) {
      const organization = this.db.organizations.withKey(key);
      if (organization) found.set(key, { id: organization.id, image: organization.image });
    }
    return found;
  }

  async addOrganizations(profiles: readonly OrganizationProfile[]): Promise<number> {
    let added = 0;
    for (const profile of profiles) {
      if (this.db.organizations.withKey(organizationNameKey(profile.name))) continue;
      this.db.organizations.put({ ...profile, id: this.db.organizations.nextId() });
      added += 1;
    }
    return added;
  }

  async giveImages(images: ReadonlyMap<OrganizationId, HttpUrl>): Promise<void> {
    for (const [id, image] of images) {
      const organization = this.db.organizations.get(id);
      if (organization && organization.image === null) this.db.organizations.put({ ...organization, image });
    }
  }

  async addStreams(streams: readonly NewStream[]): Promise<ReadonlySet<StreamUuid>> {
    const added = new Set<StreamUuid>();
    for (const stream of streams) {
      if (!this.db.organizations.get(stream.organization)) continue;
      this.db.streams.put({ ...stream, id: this.db.streams.nextId(), highlights: [] });
      added.add(stream.uuid);
    }
    return added;
  }

  async renameStreams(
    streams: readonly { readonly id: StreamId; readonly name: string; readonly tags: readonly string[] }[],
  ): Promise<number> {
    let renamed = 0;
    for (const { id, name, tags } of streams) {
      const stream = this.db.streams.get(id);
      if (!stream) continue;
      this.db.streams.put({ ...stream, name, tags });
      renamed += 1;
    }
    return renamed;
  }

  async listOrganizations(
    after: OrganizationId | 0,
    limit: number,
    only?: OrganizationId,
  ): Promise<readonly StoredOrganization[]> {
    return byId(this.db.organizations.all())
      .filter(({ id }) => id > after && (only === undefined || id === only))
      .slice(0, limit);
  }

  async listStreams(
    after: StreamId | 0,
    limit: number,
    only?: OrganizationId,
  ): Promise<readonly StreamRecord[]> {
    return byId(this.db.streams.all())
      .filter(({ id, organization }) => id > after && (only === undefined || organization === only))
      .slice(0, limit)
      .map((stream) => this.#record(stream));
  }

  #record(stream: StreamRow): StreamRecord {
    const organization = this.db.organizations.get(stream.organization);
    if (!organization) throw new Error(`Stream ${stream.id} has no organization.`);
    const { name: organizationName, image: organizationImage } = organization;
    return { ...this.#stored(stream), addedAt: stream.addedAt, organizationName, organizationImage };
  }

  #stored(stream: StreamRow): StoredStream {
    const { id, uuid, organization, name, url, tags, isEnabled } = stream;
    return { id, uuid, organization, name, url, tags, isEnabled, isActive: this.db.isActive(stream) };
  }
}

function byId<Row extends { readonly id: number }>(rows: Row[]): Row[] {
  return rows.sort((one, other) => one.id - other.id);
}
