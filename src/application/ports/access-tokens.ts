import type { Session } from '../../domain/account.js';
import type { Instant } from '../../domain/ids.js';
import type { Result } from '../../domain/result.js';

/** `not-ours`: not signed with a key of ours, as far as it says itself. */
export interface RefusedAccessToken {
  readonly kind: 'not-ours' | 'bad-signature' | 'expired' | 'wrong-claims';
}

/** Signed statements that somebody logged in. */
export interface AccessTokens {
  issue(session: Session, now: Instant, expiresAt: Instant): string;
  /** The session that a token states, if it is signed by us, not expired, and in all else as we issue them. Asks no storage. */
  verify(token: string, now: Instant): Result<Session, RefusedAccessToken>;
}
