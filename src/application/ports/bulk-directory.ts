import type { Instant, OrganizationId, StreamId, StreamUuid } from '../../domain/ids.js';
import type { OrganizationProfile } from '../../domain/organization.js';
import type { StreamProfile } from '../../domain/stream.js';
import type { HttpUrl } from '../../domain/text.js';
import type { StoredOrganization, StoredStream } from './organization-repository.js';

export interface NewStream extends StreamProfile {
  readonly organization: OrganizationId;
  readonly uuid: StreamUuid;
  readonly addedAt: Instant;
}

/** A stream with the name of its organization and the time it was added. */
export interface StreamRecord extends StoredStream {
  readonly organizationName: string;
  readonly organizationImage: HttpUrl | null;
  readonly addedAt: Instant;
}

/**
 * The directory for work on all of it: many rows a call, at most 1,000, so that a directory of any size needs little
 * memory and few statements. Whoever writes does so within `OrganizationRepository.exclusively`.
 */
export interface BulkDirectory {
  /** Forgets all marks. */
  clearMarks(): Promise<void>;
  /**
   * Marks each key with the lowest row given for it, unless it has a mark. Marks are for one import only, and kept with
   * the directory since a list of any size may name an address twice.
   * @returns the mark that each key has now
   */
  mark(keys: readonly { readonly key: string; readonly row: number }[]): Promise<ReadonlyMap<string, number>>;

  /** @returns the stream of the lowest id for each `streamUrlKey` that has one */
  streamsAt(urlKeys: readonly string[]): Promise<ReadonlyMap<string, StoredStream>>;
  streamsWith(uuids: readonly StreamUuid[]): Promise<ReadonlyMap<StreamUuid, StoredStream>>;
  /** @param nameKeys as `organizationNameKey` makes them, and the keys of the answer */
  organizationsNamed(
    nameKeys: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<StoredOrganization, 'id' | 'image'>>>;

  /** In this order. Left out: those whose name is taken, also by an earlier one. @returns how many were added */
  addOrganizations(profiles: readonly OrganizationProfile[], now: Instant): Promise<number>;
  /** Only those get theirs that have none. */
  giveImages(images: ReadonlyMap<OrganizationId, HttpUrl>): Promise<void>;
  /** In this order. Left out: those whose organization is gone. @returns the UUIDs of those that were added */
  addStreams(streams: readonly NewStream[]): Promise<ReadonlySet<StreamUuid>>;
  /** @returns how many of them are there */
  renameStreams(
    streams: readonly { readonly id: StreamId; readonly name: string; readonly tags: readonly string[] }[],
  ): Promise<number>;

  /** By ascending id. @param after an id that was listed before; 0: from the start */
  listOrganizations(
    after: OrganizationId | 0,
    limit: number,
    only?: OrganizationId,
  ): Promise<readonly StoredOrganization[]>;
  /** By ascending id. @param only the streams of this organization */
  listStreams(after: StreamId | 0, limit: number, only?: OrganizationId): Promise<readonly StreamRecord[]>;
}
