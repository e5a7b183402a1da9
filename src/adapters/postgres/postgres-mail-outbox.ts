import type { MailOutbox, OwedMail } from '../../application/ports/mail-outbox.js';
import { type Instant, later } from '../../domain/ids.js';
import type { PostgresDatabase } from './postgres-database.js';
import { instant, timestamp } from './sql.js';

const CLAIM = `
  with due as (
    select id from mails where not_before <= $1 order by owed_since, id limit $3 for update skip locked
  ), claimed as (
    update mails set attempts = attempts + 1, not_before = $2 from due where mails.id = due.id returning mails.*
  )
  select id, account_id as "user", kind, ${instant('owed_since')} as "owedSince", attempts - 1 as attempts
  from claimed order by owed_since, id`;

/** Ids are compared as text where any text may be asked for, but by their index. */
const BY_ID = `id = case when $1 ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then $1::uuid end`;

export class PostgresMailOutbox implements MailOutbox {
  constructor(private readonly db: PostgresDatabase) {}

  claim(now: Instant, leaseMilliseconds: number, limit: number): Promise<readonly OwedMail[]> {
    const values = [timestamp(now), timestamp(later(now, leaseMilliseconds)), limit];
    return this.db.rows<OwedMail>(CLAIM, values, 'claim-mails');
  }

  async remove(id: string): Promise<void> {
    await this.db.rows(`delete from mails where ${BY_ID}`, [id]);
  }

  async postpone(id: string, at: Instant, reason: string): Promise<void> {
    const storable = reason.replaceAll('\u0000', '').slice(0, 2_000);
    await this.db.rows(`update mails set not_before = $2, last_problem = $3 where ${BY_ID}`, [
      id,
      timestamp(at),
      storable,
    ]);
  }
}
