import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Overloaded, PasswordHasher } from '../../application/ports/password-hasher.js';
import type { PasswordHash } from '../../domain/account.js';
import type { PlainPassword } from '../../domain/credentials.js';
import { type Result, err, ok } from '../../domain/result.js';

export interface BcryptOptions {
  /** Each step doubles the work. */
  readonly cost?: number | undefined;
  /** Hashes and comparisons at once; each takes a thread of Node's pool (`UV_THREADPOOL_SIZE`). */
  readonly concurrency?: number | undefined;
  /** How many more may wait; 0: none. */
  readonly queueLength?: number | undefined;
}

/** bcrypt in Node's thread pool, behind a bounded queue. */
export class BcryptPasswordHasher implements PasswordHasher {
  readonly #cost: number;
  readonly #capacity: number;
  readonly #limit: LimitFunction;
  readonly #nobodysHash: string;

  constructor({
    cost = 12,
    concurrency = availableParallelism(),
    queueLength = 4 * concurrency,
  }: BcryptOptions = {}) {
    this.#cost = cost;
    this.#capacity = concurrency + queueLength;
    this.#limit = pLimit(concurrency);
    this.#nobodysHash = nobodysHash(cost);
  }

  hasRoom(): boolean {
    return this.#limit.activeCount + this.#limit.pendingCount < this.#capacity;
  }

  hash(password: PlainPassword): Promise<Result<PasswordHash, Overloaded>> {
    // bcrypt would cut it in silence.
    if (!password.isPossible) return Promise.reject(new Error('This text cannot be a stored password.'));
    return this.#inTurn(async () => (await bcrypt.hash(password.reveal(), this.#cost)) as PasswordHash);
  }

  matches(password: PlainPassword, hash: PasswordHash | null): Promise<Result<boolean, Overloaded>> {
    const known = password.isPossible ? hash : null;
    return this.#inTurn(async () => {
      const equal = await bcrypt.compare(password.reveal(), known ?? this.#nobodysHash);
      return equal && known !== null;
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<Result<T, Overloaded>> {
    if (!this.hasRoom()) return err({ kind: 'overloaded' });
    return ok(await this.#limit(work));
  }
}

/** A well-formed hash that was computed from no password: comparing with it costs as much as with any other. */
function nobodysHash(cost: number): string {
  const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const digest = Array.from(randomBytes(31), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
  return bcrypt.genSaltSync(cost) + digest;
}
