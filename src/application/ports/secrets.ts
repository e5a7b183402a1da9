import type { PlayId, StreamUuid } from '../../domain/ids.js';
import type { TokenHash } from '../../domain/one-time-token.js';

/** Everything unpredictable. */
export interface Secrets {
  /** 32 random bytes, base64url: 43 characters. */
  token(): string;
  /** SHA-256, base64url: what is stored of a token. */
  hash(token: string): TokenHash;
  /** A random UUID, version 4. */
  uuid(): PlayId & StreamUuid;
}
