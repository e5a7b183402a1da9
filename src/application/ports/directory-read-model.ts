import type { Session } from '../../domain/account.js';
import type { OrganizationId, StreamId, StreamUuid } from '../../domain/ids.js';
import type { NowPlaying, Play } from '../../domain/now-playing.js';
import type { OrganizationProfile } from '../../domain/organization.js';
import type { Result } from '../../domain/result.js';
import type { Highlight, StreamProfile } from '../../domain/stream.js';
import type { SessionEnded } from './account-repository.js';

/** A stream as listed. `nowPlaying.past` is left empty here: a listing shows no history. */
export interface ListedStream extends Pick<StreamProfile, 'name' | 'url' | 'tags'> {
  readonly id: StreamId;
  readonly uuid: StreamUuid;
  readonly isActive: boolean;
  readonly organization: { readonly id: OrganizationId } & Pick<OrganizationProfile, 'name' | 'image'>;
  readonly nowPlaying: NowPlaying;
  /** In their usual order; none while the stream is not active. */
  readonly highlights: readonly Highlight[];
}

export interface ListedOrganization extends Pick<
  OrganizationProfile,
  'name' | 'description' | 'image' | 'thumbnail' | 'links'
> {
  readonly id: OrganizationId;
}

export type StreamReference = Pick<ListedStream, 'id' | 'uuid' | 'name' | 'url'>;

export interface StreamHistory {
  readonly organizationImage: string | null;
  /** With `past` newest first; every past play has the number that the storage gave it. */
  readonly nowPlaying: Omit<NowPlaying, 'past'> & {
    readonly past: readonly (Play & { readonly number: number })[];
  };
}

/** Counts of what is in the directory now. */
export interface Statistics {
  /** Activated accounts. */
  readonly users: number;
  /** Active public organizations. */
  readonly organizations: number;
  /** Active streams. */
  readonly stations: number;
}

/**
 * The directory as its readers see it; no rule inside, so routes call it directly. Where nothing else is said only active
 * streams and active public organizations exist. Streams and organizations come in ascending order of id.
 * Promises reject only when the storage itself fails.
 */
export interface DirectoryReadModel {
  streams(): Promise<readonly ListedStream[]>;
  /** null: no such organization. */
  streamsOf(organization: OrganizationId): Promise<readonly ListedStream[] | null>;
  /** The streams, active or not, of the organizations, listed or not, that the session's user is a member of. */
  streamsOfMember(session: Session): Promise<Result<readonly ListedStream[], SessionEnded>>;
  /** All streams of an organization, active or not, listed or not. */
  streamReferences(organization: OrganizationId): Promise<readonly StreamReference[]>;
  /** null: no such stream. */
  history(stream: StreamId): Promise<StreamHistory | null>;
  organizations(): Promise<
    readonly (ListedOrganization & { readonly streams: readonly StreamReference[] })[]
  >;
  organization(id: OrganizationId): Promise<ListedOrganization | null>;
  /** @param nameKey as `organizationNameKey` makes it */
  organizationNamed(nameKey: string): Promise<ListedOrganization | null>;
  /** At most `limit` different organizations, every choice and order equally likely. */
  randomOrganizations(limit: number): Promise<readonly ListedOrganization[]>;
  statistics(): Promise<Statistics>;
}
