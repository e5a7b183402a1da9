import type { MailCounts, MailOutbox, OwedMail, StoredMail } from '../../application/ports/mail-outbox.js';
import { type Instant, later } from '../../domain/ids.js';
import type { InMemoryDatabase, MailRow } from './in-memory-database.js';

/** No `await` between read and write, so no mail is claimed twice. */
export class InMemoryMailOutbox implements MailOutbox {
  constructor(private readonly db: InMemoryDatabase) {}

  async claim(now: Instant, leaseMilliseconds: number, limit: number): Promise<readonly OwedMail[]> {
    const due = this.#all()
      .filter((mail) => mail.dueAt <= now && !mail.isGivenUp)
      .slice(0, limit);
    for (const mail of due)
      this.#change(mail.id, {
        attempts: mail.attempts + 1,
        dueAt: later(now, leaseMilliseconds),
        isClaimed: true,
      });
    return due.map(({ id, user, kind, owedSince, triedSince, attempts }) => ({
      id,
      user,
      kind,
      owedSince,
      triedSince,
      attempts,
    }));
  }

  async remove(id: string): Promise<void> {
    this.db.mails.delete(id);
  }

  async postpone(id: string, at: Instant, reason: string): Promise<void> {
    this.#change(id, { dueAt: at, problem: reason, isClaimed: false });
  }

  async release(id: string, now: Instant): Promise<void> {
    const mail = this.db.mails.get(id);
    if (!mail) return;
    const attempts = mail.isClaimed ? mail.attempts - 1 : mail.attempts;
    this.#change(id, { dueAt: now, attempts, isClaimed: false });
  }

  async giveUp(id: string, _at: Instant, reason: string): Promise<void> {
    this.#change(id, { isGivenUp: true, problem: reason, isClaimed: false });
  }

  async list(): Promise<readonly StoredMail[]> {
    return this.#all().flatMap(({ id, user, kind, owedSince, attempts, isGivenUp, problem }) => {
      const email = this.db.accounts.get(user)?.email;
      const state = isGivenUp ? ('given-up' as const) : ('waiting' as const);
      return email ? [{ id, kind, email, owedSince, attempts, state, lastProblem: problem }] : [];
    });
  }

  async counts(now: Instant): Promise<MailCounts> {
    const mails = this.#all();
    const tried = mails.filter(({ isGivenUp }) => !isGivenUp);
    const due = tried.filter(({ dueAt }) => dueAt <= now).length;
    return {
      due,
      waiting: tried.length - due,
      givenUp: mails.length - tried.length,
      oldestOwedSince: tried[0]?.owedSince ?? null,
    };
  }

  async retry(which: { readonly id: string } | 'given-up', now: Instant): Promise<number> {
    const mails = this.#all().filter((mail) =>
      which === 'given-up' ? mail.isGivenUp : mail.id === which.id,
    );
    for (const { id, isClaimed, dueAt } of mails)
      this.#change(id, {
        isGivenUp: false,
        triedSince: now,
        attempts: 0,
        dueAt: isClaimed ? dueAt : now,
      });
    return mails.length;
  }

  /** Those owed longest first. */
  #all(): MailRow[] {
    return [...this.db.mails.values()].sort((one, other) => one.owedSince - other.owedSince);
  }

  #change(id: string, change: Partial<MailRow>): void {
    const mail = this.db.mails.get(id);
    if (mail) this.db.mails.set(id, { ...mail, ...change });
  }
}
