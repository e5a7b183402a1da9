import type { PasswordHash } from '../../domain/account.js';
import type { PlainPassword } from '../../domain/credentials.js';
import type { Result } from '../../domain/result.js';

/** As many hashes run at once as the machine has cores, a few wait, the rest is refused at once. */
export interface Overloaded {
  readonly kind: 'overloaded';
}

/** A deliberately slow one-way function. Never blocks the event loop. */
export interface PasswordHasher {
  /** Whether a password would be taken now: asked before any work that would be in vain. */
  hasRoom(): boolean;
  hash(password: PlainPassword): Promise<Result<PasswordHash, Overloaded>>;
  /**
   * Always one full comparison, so that all refusals take the same time.
   * @param hash null for an unknown account: compares with the hash of a password that nobody knows.
   */
  matches(password: PlainPassword, hash: PasswordHash | null): Promise<Result<boolean, Overloaded>>;
}
