import type { Account, AccountChange, NewAccount } from '../../domain/account.js';
import type { EmailAddress } from '../../domain/credentials.js';
import type { Instant, UserId } from '../../domain/ids.js';
import type { TokenHash, TokenPurpose } from '../../domain/one-time-token.js';
import type { Result } from '../../domain/result.js';

export interface UsernameOrEmailTaken {
  readonly kind: 'username-or-email-taken';
}
export interface AccountNotFound {
  readonly kind: 'account-not-found';
}

/** How an account is addressed: by id, by mailbox, or by a token that was mailed to it (live or not). */
export type AccountSelector =
  | { readonly id: UserId }
  | { readonly email: EmailAddress }
  | { readonly token: TokenHash; readonly purpose: TokenPurpose };

/** An account as an operator's list shows it. */
export interface ListedAccount extends Pick<Account, 'id' | 'username' | 'email' | 'state' | 'registeredAt'> {
  /** null: awaits activation. */
  readonly activatedAt: Instant | null;
}

/** Accounts with their tokens and the mails they owe. Promises reject only when the storage itself fails. */
export interface AccountRepository {
  /**
   * Stores what `register(id, account)` of the domain says, its mails included, in one transaction. Accounts that are
   * abandoned at `account.registeredAt` and stand in its way are removed first. Of concurrent calls for one email or
   * one username key exactly one succeeds.
   */
  register(account: NewAccount): Promise<Result<UserId, UsernameOrEmailTaken>>;

  find(selector: AccountSelector): Promise<Account | null>;

  /** All accounts by ascending id. */
  list(): Promise<readonly ListedAccount[]>;

  /**
   * Moves one account: locks it, asks `decide`, stores what it answers with the mails it causes, in one transaction.
   * Concurrent calls for one account run one after the other. `account: null` removes it with all that hangs on it.
   * @param decide pure; may be called more than once. Its refusal is passed on with nothing written.
   */
  update<A extends Account | null, E>(
    selector: AccountSelector,
    decide: (account: Account) => Result<AccountChange<A>, E>,
  ): Promise<Result<A, E | AccountNotFound>>;
}

/** Wrong passwords, counted per email whether or not an account has it. */
export interface LoginFailures {
  /**
   * Counts an attempt as failed before its password is checked, so that concurrent attempts cannot exceed the limit.
   * @returns the instant from which the next attempt counts again, if `MAX_LOGIN_FAILURES` lie within the last
   *   `LOGIN_FAILURE_WINDOW` before `now` (then nothing is counted); else null.
   */
  count(email: EmailAddress, now: Instant): Promise<Instant | null>;
  /** The attempt counted at `at` was never checked: it was no failure. */
  takeBack(email: EmailAddress, at: Instant): Promise<void>;
  /** The password was right: all failures of this email are forgotten. */
  forget(email: EmailAddress): Promise<void>;
}

/** The login that a token states no longer counts: password reset, account gone. */
export interface SessionEnded {
  readonly kind: 'session-ended';
}
