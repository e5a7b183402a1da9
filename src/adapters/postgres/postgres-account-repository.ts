import type {
  AccountNotFound,
  AccountRepository,
  AccountSelector,
  ListedAccount,
  UsernameOrEmailTaken,
} from '../../application/ports/account-repository.js';
import {
  type Account,
  type AccountChange,
  type NewAccount,
  type PasswordHash,
  isAbandoned,
  register,
} from '../../domain/account.js';
import { type EmailAddress, type Username, usernameKey } from '../../domain/credentials.js';
import type { Instant, UserId } from '../../domain/ids.js';
import type { OneTimeToken } from '../../domain/one-time-token.js';
import { type Result, err, ok } from '../../domain/result.js';
import type { PostgresDatabase, Statements } from './postgres-database.js';
import { brokenKey } from './postgres-errors.js';
import { instant, timestamp, timestampOrNull } from './sql.js';

interface AccountRow {
  readonly id: UserId;
  readonly username: Username;
  readonly email: EmailAddress;
  readonly password_hash: PasswordHash;
  readonly credential_version: number;
  readonly registered_at: Instant;
  readonly activated_at: Instant | null;
  readonly reset_requested_at: Instant | null;
  readonly tokens: readonly OneTimeToken[];
}

const ACCOUNTS = `
  select id, username, email, password_hash, credential_version, ${instant('registered_at')} as registered_at,
    ${instant('activated_at')} as activated_at, ${instant('reset_requested_at')} as reset_requested_at,
    array(
      select json_build_object('purpose', purpose, 'hash', hash, 'expiresAt', ${instant('expires_at')})
      from one_time_tokens where account_id = accounts.id order by id
    ) as tokens
  from accounts`;

const LIST = `
  select id, username, email,
    case when activated_at is null then 'awaiting-activation' else 'activated' end as state,
    ${instant('registered_at')} as "registeredAt", ${instant('activated_at')} as "activatedAt"
  from accounts order by id`;

const INSERT = `
  with account as (
    insert into accounts (username, username_key, email, password_hash, credential_version, registered_at)
    values ($1, $2, $3, $4, $5, $6) returning id
  ), owed as (
    insert into mails (account_id, kind, owed_since, not_before)
    select account.id, kind, $8::timestamptz, $8::timestamptz from account, unnest($7::text[]) as kind
  )
  select id from account`;

const STORE = `
  with account as (
    update accounts
    set username = $2, username_key = $3, email = $4, password_hash = $5, credential_version = $6,
      activated_at = $7, reset_requested_at = $8
    where id = $1
      and (username, username_key, email, password_hash, credential_version, activated_at, reset_requested_at)
        is distinct from ($2, $3, $4, $5, $6, $7::timestamptz, $8::timestamptz)
  ), gone as (
    delete from one_time_tokens where account_id = $1 and hash = any ($9::text[])
  ), issued as (
    insert into one_time_tokens (account_id, purpose, hash, expires_at)
    select $1, purpose, hash, "expiresAt"
    from json_to_recordset($10) as token (purpose text, hash text, "expiresAt" timestamptz)
  ), owed as (
    insert into mails (account_id, kind, owed_since, not_before)
    select $1, kind, $12::timestamptz, $12::timestamptz from unnest($11::text[]) as kind
  )
  select 1`;

const TAKEN = err({ kind: 'username-or-email-taken' } as const);
const NOT_FOUND = err({ kind: 'account-not-found' } as const);
/** The storage numbers accounts, and only when it stores them. */
const NOT_YET_NUMBERED = 0 as UserId;

export class PostgresAccountRepository implements AccountRepository {
  constructor(private readonly db: PostgresDatabase) {}

  /** One statement, unless somebody stands in the way. */
  async register(account: NewAccount): Promise<Result<UserId, UsernameOrEmailTaken>> {
    const registered = await refusedIfTaken(() => insert(this.db, account));
    if (registered.ok) return registered;
    return refusedIfTaken(() =>
      this.db.transaction(async (statements) => {
        const inTheWay = await lockedInTheWayOf(statements, account);
        if (!inTheWay.every((other) => isAbandoned(other, account.registeredAt))) return TAKEN;
        const ids = inTheWay.map(({ id }) => id);
        await statements.rows('delete from accounts where id = any ($1::integer[])', [ids]);
        return insert(statements, account);
      }),
    );
  }

  async find(selector: AccountSelector): Promise<Account | null> {
    const { condition, values } = where(selector);
    const [row] = await this.db.rows<AccountRow>(`${ACCOUNTS} where ${condition}`, values);
    return row ? toAccount(row) : null;
  }

  list(): Promise<readonly ListedAccount[]> {
    return this.db.rows<ListedAccount>(LIST);
  }

  update<A extends Account | null, E>(
    selector: AccountSelector,
    decide: (account: Account) => Result<AccountChange<A>, E>,
  ): Promise<Result<A, E | AccountNotFound>> {
    return this.db.transaction<Result<A, E | AccountNotFound>>(async (statements) => {
      const { condition, values } = where(selector);
      const before = await lockedAccount(statements, condition, values);
      if (!before) return NOT_FOUND;
      const decided = decide(before);
      if (!decided.ok) return decided;
      const { account } = decided.value;
      if (account === null) await statements.rows('delete from accounts where id = $1', [before.id]);
      else await store(statements, before, account, decided.value);
      return ok(account);
    });
  }
}

/** Reads after locking: a statement that waits for a row sees the other tables as they were before it waited. */
async function lockedAccount(
  statements: Statements,
  condition: string,
  values: readonly unknown[],
): Promise<Account | null> {
  const [locked] = await statements.rows<{ id: UserId }>(
    `select id from accounts where ${condition} for update`,
    values,
  );
  if (!locked) return null;
  const [row] = await statements.rows<AccountRow>(`${ACCOUNTS} where id = $1`, [locked.id]);
  return row ? toAccount(row) : null;
}

async function lockedInTheWayOf(statements: Statements, account: NewAccount): Promise<readonly Account[]> {
  const locked = await statements.rows<{ id: UserId }>(
    'select id from accounts where email = $1 or username_key = $2 order by id for update',
    [account.email, usernameKey(account.username)],
  );
  const ids = locked.map(({ id }) => id);
  const rows = await statements.rows<AccountRow>(`${ACCOUNTS} where id = any ($1::integer[])`, [ids]);
  return rows.map(toAccount);
}

async function insert(statements: Statements, account: NewAccount): Promise<Result<UserId, never>> {
  const { account: registered, mails, at } = register(NOT_YET_NUMBERED, account);
  const [row] = await statements.rows<{ id: UserId }>(INSERT, [
    registered.username,
    usernameKey(registered.username),
    registered.email,
    registered.passwordHash,
    registered.credentialVersion,
    timestamp(registered.registeredAt),
    mails,
    timestamp(at),
  ]);
  if (!row) throw new Error('A registration was not stored.');
  return ok(row.id);
}

async function refusedIfTaken<T, E>(
  attempt: () => Promise<Result<T, E>>,
): Promise<Result<T, E | UsernameOrEmailTaken>> {
  try {
    return await attempt();
  } catch (error) {
    const broken = brokenKey(error);
    if (broken === 'accounts_email_key' || broken === 'accounts_username_key_key') return TAKEN;
    throw error;
  }
}

async function store(
  statements: Statements,
  before: Account,
  account: Account,
  { mails, at }: AccountChange,
): Promise<void> {
  if (account === before && mails.length === 0) return;
  const holds = (tokens: readonly OneTimeToken[], hash: string) =>
    tokens.some((token) => token.hash === hash);
  const gone = before.tokens.filter(({ hash }) => !holds(account.tokens, hash));
  const issued = account.tokens.filter(({ hash }) => !holds(before.tokens, hash));
  await statements.rows(STORE, [
    account.id,
    account.username,
    usernameKey(account.username),
    account.email,
    account.passwordHash,
    account.credentialVersion,
    account.state === 'activated' ? timestamp(account.activatedAt) : null,
    timestampOrNull(account.resetRequestedAt),
    gone.map(({ hash }) => hash),
    JSON.stringify(issued.map((token) => ({ ...token, expiresAt: timestamp(token.expiresAt) }))),
    mails,
    timestamp(at),
  ]);
}

function where(selector: AccountSelector): { condition: string; values: readonly unknown[] } {
  if ('id' in selector) return { condition: 'id = $1', values: [selector.id] };
  if ('email' in selector) return { condition: 'email = $1', values: [selector.email] };
  return {
    condition: 'id = (select account_id from one_time_tokens where hash = $1 and purpose = $2)',
    values: [selector.token, selector.purpose],
  };
}

function toAccount(row: AccountRow): Account {
  const facts = {
    id: row.id,
    username: row.username,
    email: row.email,
    passwordHash: row.password_hash,
    credentialVersion: row.credential_version,
    registeredAt: row.registered_at,
    resetRequestedAt: row.reset_requested_at,
    tokens: row.tokens,
  };
  return row.activated_at === null
    ? { ...facts, state: 'awaiting-activation' }
    : { ...facts, state: 'activated', activatedAt: row.activated_at };
}
