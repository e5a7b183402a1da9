import type { Session } from '../../domain/account.js';
import type { Instant } from '../../domain/ids.js';

/** Signed statements that somebody logged in. */
export interface AccessTokens {
  issue(session: Session, now: Instant, expiresAt: Instant): string;
  /** The session that a token states; null for anything not signed by us, expired, or otherwise not as we issue them. Asks no storage. */
  verify(token: string, now: Instant): Session | null;
}
