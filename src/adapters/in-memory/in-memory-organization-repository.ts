import type { AccountNotFound } from '../../application/ports/account-repository.js';
import type {
  Member,
  MemberNotFound,
  OrganizationNameTaken,
  OrganizationNotFound,
  OrganizationRepository,
  OrganizationToken,
  StoredOrganization,
  PlacedStream,
  StoredStream,
  TokenNotFound,
  UnknownStream,
} from '../../application/ports/organization-repository.js';
import type { EmailAddress } from '../../domain/credentials.js';
import type {
  Instant,
  OrganizationId,
  OrganizationTokenId,
  StreamId,
  StreamUuid,
  UserId,
} from '../../domain/ids.js';
import type { TokenHash } from '../../domain/one-time-token.js';
import { type OrganizationProfile, organizationNameKey } from '../../domain/organization.js';
import { type Result, err, ok } from '../../domain/result.js';
import type { StreamProfile } from '../../domain/stream.js';
import { type InMemoryDatabase, type StreamRow, accountKey } from './in-memory-database.js';

const ORGANIZATION_NOT_FOUND = err({ kind: 'organization-not-found' } as const);
const UNKNOWN_STREAM = err({ kind: 'unknown-stream' } as const);

/** No `await` between read and write, so no two changes can interleave. */
export class InMemoryOrganizationRepository implements OrganizationRepository {
  constructor(private readonly db: InMemoryDatabase) {}

  async add(profile: OrganizationProfile): Promise<Result<OrganizationId, OrganizationNameTaken>> {
    if (this.db.organizations.withKey(organizationNameKey(profile.name)))
      return err({ kind: 'organization-name-taken' });
    const id = this.db.organizations.nextId();
    this.db.organizations.put({ ...profile, id });
    return ok(id);
  }

  async list(): Promise<readonly StoredOrganization[]> {
    return this.db.organizations.all();
  }

  async find(id: OrganizationId): Promise<StoredOrganization | null> {
    return this.db.organizations.get(id) ?? null;
  }

  async findNamed(nameKey: string): Promise<StoredOrganization | null> {
    return this.db.organizations.withKey(nameKey) ?? null;
  }

  async listOfMember(user: UserId): Promise<readonly StoredOrganization[]> {
    return this.db.organizations.all().filter(({ id }) => this.db.membersOf(id).has(user));
  }

  async update<E>(
    id: OrganizationId,
    decide: (before: StoredOrganization) => Result<OrganizationProfile, E>,
  ): Promise<Result<StoredOrganization, E | OrganizationNotFound | OrganizationNameTaken>> {
    const before = this.db.organizations.get(id);
    if (!before) return ORGANIZATION_NOT_FOUND;
    const decided = decide(before);
    if (!decided.ok) return decided;
    const namesake = this.db.organizations.withKey(organizationNameKey(decided.value.name));
    if (namesake && namesake.id !== id) return err({ kind: 'organization-name-taken' });
    const after = { ...decided.value, id };
    this.db.organizations.put(after);
    return ok(after);
  }

  async remove(id: OrganizationId): Promise<Result<undefined, OrganizationNotFound>> {
    return this.db.removeOrganization(id) ? ok() : ORGANIZATION_NOT_FOUND;
  }

  async addStream(
    organization: OrganizationId,
    uuid: StreamUuid,
    profile: StreamProfile,
    now: Instant,
  ): Promise<Result<StreamId, OrganizationNotFound>> {
    if (!this.db.organizations.get(organization)) return ORGANIZATION_NOT_FOUND;
    const id = this.db.streams.nextId();
    this.db.streams.put({ ...profile, id, uuid, organization, addedAt: now, highlights: [] });
    return ok(id);
  }

  async updateStream(id: StreamId, profile: StreamProfile): Promise<boolean> {
    const stream = this.db.streams.get(id);
    if (stream) this.db.streams.put({ ...stream, ...profile });
    return stream !== undefined;
  }

  async listStreams(organization?: OrganizationId): Promise<readonly StoredStream[]> {
    return this.db.streams
      .all()
      .filter((stream) => organization === undefined || stream.organization === organization)
      .map((stream) => this.#storedStream(stream));
  }

  async findStream(id: StreamId): Promise<StoredStream | null> {
    const stream = this.db.streams.get(id);
    return stream ? this.#storedStream(stream) : null;
  }

  async changeStream<E>(
    id: StreamId,
    decide: (before: StoredStream) => Result<PlacedStream, E>,
  ): Promise<Result<StoredStream, E | UnknownStream | OrganizationNotFound>> {
    const before = this.db.streams.get(id);
    if (!before) return UNKNOWN_STREAM;
    const decided = decide(this.#storedStream(before));
    if (!decided.ok) return decided;
    const { name, url, tags, isEnabled, organization } = decided.value;
    if (!this.db.organizations.get(organization)) return ORGANIZATION_NOT_FOUND;
    const after = { ...before, name, url, tags, isEnabled, organization };
    this.db.streams.put(after);
    return ok(this.#storedStream(after));
  }

  async removeStream(id: StreamId): Promise<Result<undefined, UnknownStream>> {
    return this.db.removeStream(id) ? ok() : UNKNOWN_STREAM;
  }

  async addToken(
    organization: OrganizationId,
    hash: TokenHash,
    label: string,
    now: Instant,
  ): Promise<Result<OrganizationTokenId, OrganizationNotFound>> {
    if (!this.db.organizations.get(organization)) return ORGANIZATION_NOT_FOUND;
    const id = this.db.organizationTokens.nextId();
    this.db.organizationTokens.put({ id, organization, hash, label, createdAt: now });
    return ok(id);
  }

  async listTokens(
    organization: OrganizationId,
  ): Promise<Result<readonly OrganizationToken[], OrganizationNotFound>> {
    if (!this.db.organizations.get(organization)) return ORGANIZATION_NOT_FOUND;
    const tokens = this.db.organizationTokens.all().filter((token) => token.organization === organization);
    return ok(tokens.map(({ id, label, createdAt }) => ({ id, label, createdAt })));
  }

  async revokeToken(id: OrganizationTokenId): Promise<Result<undefined, TokenNotFound>> {
    return this.db.organizationTokens.remove(id) ? ok() : err({ kind: 'token-not-found' });
  }

  async tokenOwner(
    hash: TokenHash,
  ): Promise<{ readonly token: OrganizationTokenId; readonly organization: OrganizationId } | null> {
    const token = this.db.organizationTokens.withKey(hash);
    return token ? { token: token.id, organization: token.organization } : null;
  }

  async addMember(
    organization: OrganizationId,
    email: EmailAddress,
  ): Promise<Result<undefined, OrganizationNotFound | AccountNotFound>> {
    if (!this.db.organizations.get(organization)) return ORGANIZATION_NOT_FOUND;
    const account = this.db.accounts.withKey(accountKey.email(email));
    if (!account) return err({ kind: 'account-not-found' });
    this.db.addMember(organization, account.id);
    return ok();
  }

  async listMembers(organization: OrganizationId): Promise<Result<readonly Member[], OrganizationNotFound>> {
    if (!this.db.organizations.get(organization)) return ORGANIZATION_NOT_FOUND;
    const members = [...this.db.membersOf(organization)].sort((one, other) => one - other);
    return ok(members.map((id) => this.#member(id)));
  }

  async removeMember(
    organization: OrganizationId,
    email: EmailAddress,
  ): Promise<Result<undefined, MemberNotFound>> {
    const account = this.db.accounts.withKey(accountKey.email(email));
    return account && this.db.removeMember(organization, account.id)
      ? ok()
      : err({ kind: 'member-not-found' });
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const run = this.db.exclusiveWork.then(work);
    // The next one waits for the end of this one, not for its success: a failure concerns its own caller.
    this.db.exclusiveWork = run.catch(() => undefined);
    return run;
  }

  #member(id: UserId): Member {
    const account = this.db.accounts.get(id);
    if (!account) throw new Error(`Member ${id} has no account.`);
    return { email: account.email, username: account.username };
  }

  #storedStream(stream: StreamRow): StoredStream {
    const { id, uuid, organization, name, url, tags, isEnabled } = stream;
    return { id, uuid, organization, name, url, tags, isEnabled, isActive: this.db.isActive(stream) };
  }
}
