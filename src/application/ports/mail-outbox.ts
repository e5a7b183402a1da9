import type { MailKind } from '../../domain/account.js';
import type { Instant, UserId } from '../../domain/ids.js';

/** A mail that an account owes its owner, stored in the same transaction as the change that caused it. It holds no token. */
export interface OwedMail {
  readonly id: string;
  readonly user: UserId;
  readonly kind: MailKind;
  readonly owedSince: Instant;
  /** Attempts before this one. */
  readonly attempts: number;
}

/** Mails waiting to be sent. They enter it through {@link AccountRepository} only, and leave with their account. */
export interface MailOutbox {
  /**
   * Takes up to `limit` due mails, oldest first, for `leaseMilliseconds`: nobody else gets them meanwhile, and they
   * are due again afterwards unless one of the methods below was called. Each claim counts as an attempt.
   */
  claim(now: Instant, leaseMilliseconds: number, limit: number): Promise<readonly OwedMail[]>;
  /** Sent, or no longer worth sending. Unknown ids are ignored. */
  remove(id: string): Promise<void>;
  /** Due again at `at`. Unknown ids are ignored. */
  postpone(id: string, at: Instant, reason: string): Promise<void>;
}
