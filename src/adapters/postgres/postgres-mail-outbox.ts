import type { MailCounts, MailOutbox, OwedMail, StoredMail } from '../../application/ports/mail-outbox.js';
import { type Instant, later } from '../../domain/ids.js';
import type { PostgresDatabase } from './postgres-database.js';
import { instant, timestamp } from './sql.js';

const CLAIM = `
  with due as (
    select id from mails where not_before <= $1 and given_up_at is null
    order by owed_since, id limit $3 for update skip locked
  ), claimed as (
    update mails set attempts = attempts + 1, not_before = $2, is_claimed = true
    from due where mails.id = due.id returning mails.*
  )
  select id, account_id as "user", kind, ${instant('owed_since')} as "owedSince",
    ${instant('coalesce(retried_at, owed_since)')} as "triedSince", attempts - 1 as attempts
  from claimed order by owed_since, id`;

const LIST = `
  select mails.id, kind, email, ${instant('owed_since')} as "owedSince", attempts,
    case when given_up_at is null then 'waiting' else 'given-up' end as state, last_problem as "lastProblem"
  from mails join accounts on accounts.id = mails.account_id order by owed_since, mails.id`;

const COUNTS = `
  select count(*) filter (where given_up_at is null and not_before <= $1)::int as due,
    count(*) filter (where given_up_at is null and not_before > $1)::int as waiting,
    count(given_up_at)::int as "givenUp",
    ${instant('min(owed_since) filter (where given_up_at is null)')} as "oldestOwedSince"
  from mails`;

/** A lease is left to its end: its holder may be sending the mail. */
const TRY_ANEW = `given_up_at = null, retried_at = $1, attempts = 0,
  not_before = case when is_claimed then not_before else $1 end`;

/** Ids are compared as text where any text may be asked for, but by their index. */
const byId = (parameter: string) =>
  `id = case when ${parameter} ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then ${parameter}::uuid end`;

export class PostgresMailOutbox implements MailOutbox {
  constructor(private readonly db: PostgresDatabase) {}

  claim(now: Instant, leaseMilliseconds: number, limit: number): Promise<readonly OwedMail[]> {
    const values = [timestamp(now), timestamp(later(now, leaseMilliseconds)), limit];
    return this.db.rows<OwedMail>(CLAIM, values, 'claim-mails');
  }

  async remove(id: string): Promise<void> {
    await this.db.rows(`delete from mails where ${byId('$1')}`, [id]);
  }

  postpone(id: string, at: Instant, reason: string): Promise<void> {
    return this.#set(id, 'not_before = $2, last_problem = $3, is_claimed = false', [
      timestamp(at),
      storable(reason),
    ]);
  }

  release(id: string, now: Instant): Promise<void> {
    const attempts = 'case when is_claimed then attempts - 1 else attempts end';
    return this.#set(id, `not_before = $2, attempts = ${attempts}, is_claimed = false`, [timestamp(now)]);
  }

  giveUp(id: string, at: Instant, reason: string): Promise<void> {
    return this.#set(id, 'given_up_at = $2, last_problem = $3, is_claimed = false', [
      timestamp(at),
      storable(reason),
    ]);
  }

  list(): Promise<readonly StoredMail[]> {
    return this.db.rows<StoredMail>(LIST);
  }

  async counts(now: Instant): Promise<MailCounts> {
    const [counts] = await this.db.rows<MailCounts>(COUNTS, [timestamp(now)], 'count-mails');
    if (!counts) throw new Error('The mails were not counted.');
    return counts;
  }

  async retry(which: { readonly id: string } | 'given-up', now: Instant): Promise<number> {
    const [condition, values] =
      which === 'given-up' ? ['given_up_at is not null', []] : [byId('$2'), [which.id]];
    const text = `update mails set ${TRY_ANEW} where ${condition} returning id`;
    return (await this.db.rows(text, [timestamp(now), ...values])).length;
  }

  async #set(id: string, assignments: string, values: readonly unknown[]): Promise<void> {
    await this.db.rows(`update mails set ${assignments} where ${byId('$1')}`, [id, ...values]);
  }
}

function storable(reason: string): string {
  return reason.replaceAll('\u0000', '').slice(0, 2_000);
}
