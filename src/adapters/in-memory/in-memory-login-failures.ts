import type { LoginFailures } from '../../application/ports/account-repository.js';
import { LOGIN_FAILURE_WINDOW, MAX_LOGIN_FAILURES } from '../../domain/account.js';
import type { EmailAddress } from '../../domain/credentials.js';
import { type Instant, later } from '../../domain/ids.js';
import type { InMemoryDatabase } from './in-memory-database.js';

/** No `await` between read and write. What has left the window is dropped, so made-up emails cannot fill the memory. */
export class InMemoryLoginFailures implements LoginFailures {
  constructor(private readonly db: InMemoryDatabase) {}

  async count(email: EmailAddress, now: Instant): Promise<Instant | null> {
    this.#dropEmailsWithoutRecentFailure(now);
    const recent = this.#of(email).filter((at) => isRecent(at, now));
    // Room comes when this one leaves the window.
    const blocking = recent.at(-MAX_LOGIN_FAILURES);
    if (recent.length >= MAX_LOGIN_FAILURES && blocking !== undefined)
      return later(blocking, LOGIN_FAILURE_WINDOW);
    this.#set(
      email,
      [...recent, now].sort((one, other) => one - other),
    );
    return null;
  }

  async takeBack(email: EmailAddress, at: Instant): Promise<void> {
    const failures = this.#of(email);
    const index = failures.indexOf(at);
    if (index >= 0) this.#set(email, failures.toSpliced(index, 1));
  }

  async forget(email: EmailAddress): Promise<void> {
    this.db.loginFailures.delete(email);
  }

  #of(email: EmailAddress): readonly Instant[] {
    return this.db.loginFailures.get(email) ?? [];
  }

  /** The email moves to the end of the map, which is what keeps {@link #dropEmailsWithoutRecentFailure} short. */
  #set(email: EmailAddress, failures: readonly Instant[]): void {
    this.db.loginFailures.delete(email);
    if (failures.length > 0) this.db.loginFailures.set(email, failures);
  }

  #dropEmailsWithoutRecentFailure(now: Instant): void {
    for (const [email, failures] of this.db.loginFailures) {
      if (failures.some((at) => isRecent(at, now))) return;
      this.db.loginFailures.delete(email);
    }
  }
}

function isRecent(failure: Instant, now: Instant): boolean {
  return failure > later(now, -LOGIN_FAILURE_WINDOW);
}
