import type { MailKind } from '../../domain/account.js';
import type { EmailAddress } from '../../domain/credentials.js';
import type { Instant, UserId } from '../../domain/ids.js';

/** A mail that an account owes its owner, stored in the same transaction as the change that caused it. It holds no token. */
export interface OwedMail {
  readonly id: string;
  readonly user: UserId;
  readonly kind: MailKind;
  readonly owedSince: Instant;
  /** Since it is owed, or since an operator last asked for it to be tried again. */
  readonly triedSince: Instant;
  /** Attempts before this one. */
  readonly attempts: number;
}

/** A mail as an operator sees it: one that waits for its next attempt, or one that was given up. */
export interface StoredMail {
  readonly id: string;
  readonly kind: MailKind;
  readonly email: EmailAddress;
  readonly owedSince: Instant;
  readonly attempts: number;
  readonly state: 'waiting' | 'given-up';
  /** Why the last attempt failed; null: none has failed yet. */
  readonly lastProblem: string | null;
}

/** How many mails are in the outbox. Each counts once. */
export interface MailCounts {
  /** To be sent now. */
  readonly due: number;
  /** For their next attempt, or for the end of the one under way. */
  readonly waiting: number;
  readonly givenUp: number;
  /** Since when the oldest of those that are not given up is owed; null: there is none. */
  readonly oldestOwedSince: Instant | null;
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
  /** Due again at `now`, and the claim counts as no attempt. Unknown ids are ignored. */
  release(id: string, now: Instant): Promise<void>;
  /** Given up: kept with the reason, and never due until {@link retry}. Unknown ids are ignored. */
  giveUp(id: string, at: Instant, reason: string): Promise<void>;
  /** All mails, those owed longest first. */
  list(): Promise<readonly StoredMail[]>;
  counts(now: Instant): Promise<MailCounts>;
  /**
   * Mails are due at `now` and tried anew, as if they were owed since then; those that are claimed just now as soon
   * as their lease ends.
   * @param which one of them, or all that were given up
   * @returns how many there were
   */
  retry(which: { readonly id: string } | 'given-up', now: Instant): Promise<number>;
}
