import type { EmailAddress, Username } from '../../domain/credentials.js';
import type {
  Instant,
  OrganizationId,
  OrganizationTokenId,
  StreamId,
  StreamUuid,
  UserId,
} from '../../domain/ids.js';
import type { OrganizationProfile } from '../../domain/organization.js';
import type { TokenHash } from '../../domain/one-time-token.js';
import type { Result } from '../../domain/result.js';
import type { StreamProfile } from '../../domain/stream.js';
import type { AccountNotFound } from './account-repository.js';

export interface OrganizationNotFound {
  readonly kind: 'organization-not-found';
}
export interface OrganizationNameTaken {
  readonly kind: 'organization-name-taken';
}
/** There is no stream with this id, active or not. */
export interface UnknownStream {
  readonly kind: 'unknown-stream';
}
export interface TokenNotFound {
  readonly kind: 'token-not-found';
}
export interface MemberNotFound {
  readonly kind: 'member-not-found';
}

export interface StoredOrganization extends OrganizationProfile {
  readonly id: OrganizationId;
}

export interface StoredStream extends StreamProfile {
  readonly id: StreamId;
  readonly uuid: StreamUuid;
  readonly organization: OrganizationId;
  /** See `isActive` of the domain. */
  readonly isActive: boolean;
}

/** What an operator can change of a stream. */
export interface PlacedStream extends StreamProfile {
  readonly organization: OrganizationId;
}

export interface OrganizationToken {
  readonly id: OrganizationTokenId;
  readonly label: string;
  readonly createdAt: Instant;
}

export interface Member {
  readonly email: EmailAddress;
  readonly username: Username;
}

/** Organizations with their streams, API tokens and members, as their operators keep them: active or not. Lists ascend by id. */
export interface OrganizationRepository {
  add(profile: OrganizationProfile, now: Instant): Promise<Result<OrganizationId, OrganizationNameTaken>>;
  list(): Promise<readonly StoredOrganization[]>;
  find(id: OrganizationId): Promise<StoredOrganization | null>;
  /** @param nameKey as `organizationNameKey` makes it */
  findNamed(nameKey: string): Promise<StoredOrganization | null>;
  /** The organizations that a user is a member of. */
  listOfMember(user: UserId): Promise<readonly StoredOrganization[]>;
  /**
   * Changes one profile: locks it, asks `decide`, stores what it answers, in one transaction.
   * @param decide pure; may be called more than once. Its refusal is passed on with nothing written.
   */
  update<E>(
    id: OrganizationId,
    decide: (before: StoredOrganization) => Result<OrganizationProfile, E>,
  ): Promise<Result<StoredOrganization, E | OrganizationNotFound | OrganizationNameTaken>>;
  /** With all that hangs on it: links, streams with their votes, plays and highlights, API tokens, memberships. */
  remove(id: OrganizationId): Promise<Result<undefined, OrganizationNotFound>>;

  addStream(
    organization: OrganizationId,
    uuid: StreamUuid,
    profile: StreamProfile,
    now: Instant,
  ): Promise<Result<StreamId, OrganizationNotFound>>;
  /** Replaces the profile; false: no such stream. */
  updateStream(id: StreamId, profile: StreamProfile): Promise<boolean>;
  /** @param organization only its streams; left out: all */
  listStreams(organization?: OrganizationId): Promise<readonly StoredStream[]>;
  findStream(id: StreamId): Promise<StoredStream | null>;
  /** As {@link update} does it with an organization; a stream may move to another one. */
  changeStream<E>(
    id: StreamId,
    decide: (before: StoredStream) => Result<PlacedStream, E>,
  ): Promise<Result<StoredStream, E | UnknownStream | OrganizationNotFound>>;
  /** With all that hangs on it: votes, plays, highlights. */
  removeStream(id: StreamId): Promise<Result<undefined, UnknownStream>>;

  addToken(
    organization: OrganizationId,
    hash: TokenHash,
    label: string,
    now: Instant,
  ): Promise<Result<OrganizationTokenId, OrganizationNotFound>>;
  listTokens(
    organization: OrganizationId,
  ): Promise<Result<readonly OrganizationToken[], OrganizationNotFound>>;
  /** The token stops working at once. */
  revokeToken(id: OrganizationTokenId): Promise<Result<undefined, TokenNotFound>>;
  /** Whose token has this hash; null: nobody's. */
  tokenOwner(
    hash: TokenHash,
  ): Promise<{ readonly token: OrganizationTokenId; readonly organization: OrganizationId } | null>;

  /** Adding a member again changes nothing. */
  addMember(
    organization: OrganizationId,
    email: EmailAddress,
  ): Promise<Result<undefined, OrganizationNotFound | AccountNotFound>>;
  listMembers(organization: OrganizationId): Promise<Result<readonly Member[], OrganizationNotFound>>;
  removeMember(organization: OrganizationId, email: EmailAddress): Promise<Result<undefined, MemberNotFound>>;

  /**
   * Runs `work` while no other call of this method runs anywhere on the same storage; later ones wait.
   * For long changes of many rows that are not one transaction.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}
