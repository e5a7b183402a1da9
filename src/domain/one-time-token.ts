import { type Brand, DAY, HOUR, type Instant, later } from './ids.js';

/** SHA-256 of a token's text, base64url. The text itself exists only in the mail. */
export type TokenHash = Brand<string, 'TokenHash'>;
export type TokenPurpose = 'activation' | 'reset';

export interface OneTimeToken {
  readonly purpose: TokenPurpose;
  readonly hash: TokenHash;
  readonly expiresAt: Instant;
}

/** Milliseconds from the mail to the end of the token in it. */
export const TOKEN_LIFETIME: Record<TokenPurpose, number> = { activation: DAY, reset: HOUR };
/** How many tokens of one purpose an account holds at once; issuing one more drops the oldest. */
export const MAX_LIVE_TOKENS = 5;

export function isLive(token: OneTimeToken, now: Instant): boolean {
  return now < token.expiresAt;
}

export function holdsLive(
  tokens: readonly OneTimeToken[],
  purpose: TokenPurpose,
  hash: TokenHash,
  now: Instant,
): boolean {
  return tokens.some((token) => token.purpose === purpose && token.hash === hash && isLive(token, now));
}

/** The tokens after one more was issued: expired ones are cleared, the oldest gives way. */
export function withNewToken(
  tokens: readonly OneTimeToken[],
  purpose: TokenPurpose,
  hash: TokenHash,
  now: Instant,
): readonly OneTimeToken[] {
  const issued: OneTimeToken = { purpose, hash, expiresAt: later(now, TOKEN_LIFETIME[purpose]) };
  const others = tokens.filter((token) => token.purpose !== purpose);
  const live = tokens
    .filter((token) => token.purpose === purpose && isLive(token, now))
    .sort((one, other) => one.expiresAt - other.expiresAt)
    .slice(-(MAX_LIVE_TOKENS - 1));
  return [...others, ...live, issued];
}
