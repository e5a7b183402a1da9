import type { LoginFailures } from '../../application/ports/account-repository.js';
import { LOGIN_FAILURE_WINDOW, MAX_LOGIN_FAILURES } from '../../domain/account.js';
import type { EmailAddress } from '../../domain/credentials.js';
import { type Instant, later } from '../../domain/ids.js';
import type { PostgresDatabase } from './postgres-database.js';
import { instant, timestamp } from './sql.js';

/** The row of the email, locked by the conflict, is what concurrent attempts wait for. */
const COUNT = `
  insert into login_failures as known (email, failed_at, last_failed_at) values ($1, array[$2::timestamptz], $2)
  on conflict (email) do update set (failed_at, last_failed_at, blocked_until) = (
    select
      case when cardinality(recent) < $4 then recent || $2::timestamptz else recent end,
      case when cardinality(recent) < $4 then greatest(known.last_failed_at, $2) else known.last_failed_at end,
      recent[cardinality(recent) - $4 + 1]
    from (
      select array(select at from unnest(known.failed_at) as at where at > $3::timestamptz order by at) as recent
    ) as counted
  )
  returning ${instant('blocked_until')} as blocked_by, xmax = 0 as is_new`;

/** Emails without a recent failure leave nothing behind. Locked ones are being counted: next time. */
const PRUNE = `
  delete from login_failures where email in (
    select email from login_failures where last_failed_at <= $1 order by last_failed_at limit 10
    for update skip locked)`;

const TAKE_BACK = `
  update login_failures set
    failed_at = failed_at[:array_position(failed_at, $2) - 1] || failed_at[array_position(failed_at, $2) + 1:]
  where email = $1 and array_position(failed_at, $2::timestamptz) is not null`;

/** One row per email with the instants of its failures within the window. */
export class PostgresLoginFailures implements LoginFailures {
  constructor(private readonly db: PostgresDatabase) {}

  async count(email: EmailAddress, now: Instant): Promise<Instant | null> {
    const windowStart = timestamp(later(now, -LOGIN_FAILURE_WINDOW));
    const [counted] = await this.db.rows<{ blocked_by: Instant | null; is_new: boolean }>(COUNT, [
      email,
      timestamp(now),
      windowStart,
      MAX_LOGIN_FAILURES,
    ]);
    // Each new row removes old ones, so made-up emails cannot fill the table.
    if (counted?.is_new) await this.db.rows(PRUNE, [windowStart]);
    const blockedBy = counted?.blocked_by ?? null;
    return blockedBy === null ? null : later(blockedBy, LOGIN_FAILURE_WINDOW);
  }

  async takeBack(email: EmailAddress, at: Instant): Promise<void> {
    await this.db.rows(TAKE_BACK, [email, timestamp(at)]);
  }

  async forget(email: EmailAddress): Promise<void> {
    await this.db.rows('delete from login_failures where email = $1', [email]);
  }
}
