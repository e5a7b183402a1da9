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
import { type StreamProfile, streamUrlKey } from '../../domain/stream.js';
import type { PostgresDatabase, Statements } from './postgres-database.js';
import { brokenKey } from './postgres-errors.js';
import { instant, linksJson, timestamp } from './sql.js';

const ORGANIZATIONS = `
  select o.id, o.name, o.description, o.image, o.thumbnail, ${linksJson('o')} as links,
    o.is_public as "isPublic", o.is_active as "isActive"
  from organizations o`;

const STREAMS = `
  select id, uuid, organization_id as organization, name, url, tags, is_enabled as "isEnabled", is_active as "isActive"
  from directory_streams`;

const ADD_ORGANIZATION = `
  with added as (
    insert into organizations (name, name_key, description, image, thumbnail, is_public, is_active, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8) returning id
  ), linked as (
    insert into organization_links (organization_id, position, type, url)
    select added.id, link.position, link.type, link.url
    from added, unnest($9::text[], $10::text[]) with ordinality as link (type, url, position)
  )
  select id from added`;

const UPDATE_ORGANIZATION = `
  update organizations set name = $2, name_key = $3, description = $4, image = $5, thumbnail = $6, is_public = $7,
    is_active = $8
  where id = $1`;

const ADD_LINKS = `
  insert into organization_links (organization_id, position, type, url)
  select $1, link.position, link.type, link.url
  from unnest($2::text[], $3::text[]) with ordinality as link (type, url, position)`;

const ADD_STREAM = `
  insert into streams (organization_id, uuid, name, url, tags, is_enabled, created_at, url_key)
  select id, $2, $3, $4, $5, $6, $7, $8 from organizations where id = $1
  returning id`;

const ADD_TOKEN = `
  insert into organization_tokens (organization_id, hash, label, created_at)
  select id, $2, $3, $4 from organizations where id = $1
  returning id`;

const LIST_TOKENS = `
  select t.id, t.label, ${instant('t.created_at')} as "createdAt"
  from organizations o left join organization_tokens t on t.organization_id = o.id
  where o.id = $1 order by t.id`;

const ADD_MEMBER = `
  with organization as (
    select id from organizations where id = $1
  ), account as (
    select id from accounts where email = $2
  ), added as (
    insert into organization_members (organization_id, account_id)
    select organization.id, account.id from organization, account on conflict do nothing
  )
  select exists (select from organization) as organization, exists (select from account) as account`;

const LIST_MEMBERS = `
  select a.email, a.username
  from organizations o
    left join (organization_members m join accounts a on a.id = m.account_id) on m.organization_id = o.id
  where o.id = $1 order by a.id`;

const REMOVE_MEMBER = `
  delete from organization_members m using accounts a
  where a.id = m.account_id and m.organization_id = $1 and a.email = $2
  returning a.id`;

const ORGANIZATION_NOT_FOUND = err({ kind: 'organization-not-found' } as const);
const UNKNOWN_STREAM = err({ kind: 'unknown-stream' } as const);
const ACCOUNT_NOT_FOUND = err({ kind: 'account-not-found' } as const);

/** One statement per call, but for changes that depend on what is stored. */
export class PostgresOrganizationRepository implements OrganizationRepository {
  constructor(private readonly db: PostgresDatabase) {}

  async add(
    profile: OrganizationProfile,
    now: Instant,
  ): Promise<Result<OrganizationId, OrganizationNameTaken>> {
    const { name, description, image, thumbnail, links, isPublic, isActive } = profile;
    const types = links.map(({ type }) => type);
    const urls = links.map(({ url }) => url);
    const values = [
      name,
      organizationNameKey(name),
      description,
      image,
      thumbnail,
      isPublic,
      isActive,
      timestamp(now),
      types,
      urls,
    ];
    return refusing<OrganizationId, OrganizationNameTaken>(NAME_TAKEN, async () =>
      ok(await this.#stored(ADD_ORGANIZATION, values)),
    );
  }

  list(): Promise<readonly StoredOrganization[]> {
    return this.db.rows<StoredOrganization>(`${ORGANIZATIONS} order by o.id`);
  }

  find(id: OrganizationId): Promise<StoredOrganization | null> {
    return this.#first<StoredOrganization>(`${ORGANIZATIONS} where o.id = $1`, [id]);
  }

  findNamed(nameKey: string): Promise<StoredOrganization | null> {
    return this.#first<StoredOrganization>(`${ORGANIZATIONS} where o.name_key = $1`, [nameKey]);
  }

  listOfMember(user: UserId): Promise<readonly StoredOrganization[]> {
    return this.db.rows<StoredOrganization>(
      `${ORGANIZATIONS} join organization_members m on m.organization_id = o.id where m.account_id = $1 order by o.id`,
      [user],
    );
  }

  update<E>(
    id: OrganizationId,
    decide: (before: StoredOrganization) => Result<OrganizationProfile, E>,
  ): Promise<Result<StoredOrganization, E | OrganizationNotFound | OrganizationNameTaken>> {
    type Refusal = E | OrganizationNotFound | OrganizationNameTaken;
    const update = async (statements: Statements): Promise<Result<StoredOrganization, Refusal>> => {
      // Reads after locking: a statement that waits for a row sees the other tables as they were before it waited.
      await statements.rows('select id from organizations where id = $1 for update', [id]);
      const [before] = await statements.rows<StoredOrganization>(`${ORGANIZATIONS} where o.id = $1`, [id]);
      if (!before) return ORGANIZATION_NOT_FOUND;
      const decided = decide(before);
      if (!decided.ok) return decided;
      await storeOrganization(statements, id, decided.value);
      return ok({ ...decided.value, id });
    };
    return refusing<StoredOrganization, Refusal>(NAME_TAKEN, () => this.db.transaction(update));
  }

  /** Waits as long as it takes: thousands of streams may hang on it. */
  remove(id: OrganizationId): Promise<Result<undefined, OrganizationNotFound>> {
    return this.db.patiently(async (knex) => {
      const removed = await knex('organizations').where({ id }).delete();
      return removed === 1 ? ok() : ORGANIZATION_NOT_FOUND;
    });
  }

  addStream(
    organization: OrganizationId,
    uuid: StreamUuid,
    profile: StreamProfile,
    now: Instant,
  ): Promise<Result<StreamId, OrganizationNotFound>> {
    const { name, url, tags, isEnabled } = profile;
    return this.#addTo<StreamId>('streams', ADD_STREAM, [
      organization,
      uuid,
      name,
      url,
      tags,
      isEnabled,
      timestamp(now),
      streamUrlKey(url),
    ]);
  }

  async updateStream(id: StreamId, { name, url, tags, isEnabled }: StreamProfile): Promise<boolean> {
    const updated = await this.db.rows(
      'update streams set name = $2, url = $3, url_key = $4, tags = $5, is_enabled = $6 where id = $1 returning id',
      [id, name, url, streamUrlKey(url), tags, isEnabled],
    );
    return updated.length === 1;
  }

  listStreams(organization?: OrganizationId): Promise<readonly StoredStream[]> {
    return organization === undefined
      ? this.db.rows<StoredStream>(`${STREAMS} order by id`)
      : this.db.rows<StoredStream>(`${STREAMS} where organization_id = $1 order by id`, [organization]);
  }

  findStream(id: StreamId): Promise<StoredStream | null> {
    return this.#first<StoredStream>(`${STREAMS} where id = $1`, [id]);
  }

  changeStream<E>(
    id: StreamId,
    decide: (before: StoredStream) => Result<PlacedStream, E>,
  ): Promise<Result<StoredStream, E | UnknownStream | OrganizationNotFound>> {
    type Refusal = E | UnknownStream | OrganizationNotFound;
    const change = async (statements: Statements): Promise<Result<StoredStream, Refusal>> => {
      const stored = async () => (await statements.rows<StoredStream>(`${STREAMS} where id = $1`, [id]))[0];
      await statements.rows('select id from streams where id = $1 for update', [id]);
      const before = await stored();
      if (!before) return UNKNOWN_STREAM;
      const decided = decide(before);
      if (!decided.ok) return decided;
      const { name, url, tags, isEnabled, organization } = decided.value;
      await statements.rows(
        `update streams set name = $2, url = $3, tags = $4, is_enabled = $5, organization_id = $6, url_key = $7
         where id = $1`,
        [id, name, url, tags, isEnabled, organization, streamUrlKey(url)],
      );
      return ok((await stored()) ?? before);
    };
    return refusing<StoredStream, Refusal>(
      { streams_organization_id_fkey: ORGANIZATION_NOT_FOUND.error },
      () => this.db.transaction(change),
    );
  }

  async removeStream(id: StreamId): Promise<Result<undefined, UnknownStream>> {
    const removed = await this.db.rows('delete from streams where id = $1 returning id', [id]);
    return removed.length === 1 ? ok() : UNKNOWN_STREAM;
  }

  addToken(
    organization: OrganizationId,
    hash: TokenHash,
    label: string,
    now: Instant,
  ): Promise<Result<OrganizationTokenId, OrganizationNotFound>> {
    const values = [organization, hash, label, timestamp(now)];
    return this.#addTo<OrganizationTokenId>('organization_tokens', ADD_TOKEN, values);
  }

  async listTokens(
    organization: OrganizationId,
  ): Promise<Result<readonly OrganizationToken[], OrganizationNotFound>> {
    const rows = await this.db.rows<OrganizationToken | Nothing<OrganizationToken>>(LIST_TOKENS, [
      organization,
    ]);
    if (rows.length === 0) return ORGANIZATION_NOT_FOUND;
    return ok(rows.filter((row) => row.id !== null));
  }

  async revokeToken(id: OrganizationTokenId): Promise<Result<undefined, TokenNotFound>> {
    const revoked = await this.db.rows('delete from organization_tokens where id = $1 returning id', [id]);
    return revoked.length === 1 ? ok() : err({ kind: 'token-not-found' });
  }

  async tokenOwner(
    hash: TokenHash,
  ): Promise<{ readonly token: OrganizationTokenId; readonly organization: OrganizationId } | null> {
    const [owner] = await this.db.rows<{ token: OrganizationTokenId; organization: OrganizationId }>(
      'select id as token, organization_id as organization from organization_tokens where hash = $1',
      [hash],
      'token-owner',
    );
    return owner ?? null;
  }

  addMember(
    organization: OrganizationId,
    email: EmailAddress,
  ): Promise<Result<undefined, OrganizationNotFound | AccountNotFound>> {
    return refusing<undefined, OrganizationNotFound | AccountNotFound>(
      {
        organization_members_organization_id_fkey: ORGANIZATION_NOT_FOUND.error,
        organization_members_account_id_fkey: ACCOUNT_NOT_FOUND.error,
      },
      async () => {
        const [known] = await this.db.rows<{ organization: boolean; account: boolean }>(ADD_MEMBER, [
          organization,
          email,
        ]);
        if (!known?.organization) return ORGANIZATION_NOT_FOUND;
        return known.account ? ok() : ACCOUNT_NOT_FOUND;
      },
    );
  }

  async listMembers(organization: OrganizationId): Promise<Result<readonly Member[], OrganizationNotFound>> {
    const rows = await this.db.rows<Member | Nothing<Member>>(LIST_MEMBERS, [organization]);
    if (rows.length === 0) return ORGANIZATION_NOT_FOUND;
    return ok(rows.filter((row) => row.email !== null));
  }

  async removeMember(
    organization: OrganizationId,
    email: EmailAddress,
  ): Promise<Result<undefined, MemberNotFound>> {
    const removed = await this.db.rows(REMOVE_MEMBER, [organization, email]);
    return removed.length === 1 ? ok() : err({ kind: 'member-not-found' });
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.db.exclusively('organizations', work);
  }

  /** Adds a row to an organization, which may be removed between the look at it and the write. */
  #addTo<Id>(
    table: string,
    statement: string,
    values: readonly unknown[],
  ): Promise<Result<Id, OrganizationNotFound>> {
    return refusing<Id, OrganizationNotFound>(
      { [`${table}_organization_id_fkey`]: ORGANIZATION_NOT_FOUND.error },
      async () => {
        const added = await this.#first<{ id: Id }>(statement, values);
        return added ? ok(added.id) : ORGANIZATION_NOT_FOUND;
      },
    );
  }

  async #stored<Id>(statement: string, values: readonly unknown[]): Promise<Id> {
    const stored = await this.#first<{ id: Id }>(statement, values);
    if (!stored) throw new Error('Nothing was stored.');
    return stored.id;
  }

  async #first<Row>(statement: string, values: readonly unknown[]): Promise<Row | null> {
    const [row] = await this.db.rows<Row>(statement, values);
    return row ?? null;
  }
}

const NAME_TAKEN = { organizations_name_key_key: { kind: 'organization-name-taken' } } as const;

async function storeOrganization(
  statements: Statements,
  id: OrganizationId,
  { name, description, image, thumbnail, links, isPublic, isActive }: OrganizationProfile,
): Promise<void> {
  const values = [id, name, organizationNameKey(name), description, image, thumbnail, isPublic, isActive];
  await statements.rows(UPDATE_ORGANIZATION, values);
  await statements.rows('delete from organization_links where organization_id = $1', [id]);
  await statements.rows(ADD_LINKS, [id, links.map(({ type }) => type), links.map(({ url }) => url)]);
}

/** What an outer join gives where there is no row. */
type Nothing<Row> = { readonly [Column in keyof Row]: null };

/** Turns a broken key constraint into the refusal that it stands for. */
async function refusing<T, E>(
  refusals: Readonly<Record<string, E>>,
  write: () => Promise<Result<T, E>>,
): Promise<Result<T, E>> {
  try {
    return await write();
  } catch (error) {
    const refusal = refusals[brokenKey(error) ?? ''];
    if (refusal === undefined) throw error;
    return err(refusal);
  }
}
