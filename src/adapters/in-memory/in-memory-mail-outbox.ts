import type { MailOutbox, OwedMail } from '../../application/ports/mail-outbox.js';
import { type Instant, later } from '../../domain/ids.js';
import type { InMemoryDatabase, MailRow } from './in-memory-database.js';

/** No `await` between read and write, so no mail is claimed twice. */
export class InMemoryMailOutbox implements MailOutbox {
  constructor(private readonly db: InMemoryDatabase) {}

  async claim(now: Instant, leaseMilliseconds: number, limit: number): Promise<readonly OwedMail[]> {
    const due = [...this.db.mails.values()]
      .filter((mail) => mail.dueAt <= now)
      .sort((one, other) => one.owedSince - other.owedSince)
      .slice(0, limit);
    for (const mail of due)
      this.#put({ ...mail, attempts: mail.attempts + 1, dueAt: later(now, leaseMilliseconds) });
    return due.map(({ id, user, kind, owedSince, attempts }) => ({ id, user, kind, owedSince, attempts }));
  }

  async remove(id: string): Promise<void> {
    this.db.mails.delete(id);
  }

  async postpone(id: string, at: Instant, reason: string): Promise<void> {
    const mail = this.db.mails.get(id);
    if (mail) this.#put({ ...mail, dueAt: at, problem: reason });
  }

  #put(mail: MailRow): void {
    this.db.mails.set(mail.id, mail);
  }
}
