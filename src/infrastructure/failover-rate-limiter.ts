import type { Admission, RateLimiter, RateQuota } from '../application/ports/rate-limiter.js';
import type { InMemoryRateLimiter } from '../adapters/in-memory/in-memory-rate-limiter.js';

const PROBE_PAUSE = 250;
const PROBE: readonly RateQuota[] = [{ name: 'probe', windows: [{ seconds: 1, limit: 1 }] }];

/** Where several processes count together. */
export interface CommonRateLimiter extends RateLimiter {
  /** Rejects while a part of it does not work. */
  check(): Promise<void>;
}

/** `shared`: one count for all processes. `alone`: this process counts for itself. */
export type SharingState = 'shared' | 'alone';

/**
 * Counts together with the other processes while their common place works, and alone while it does not. The first call
 * that fails ends the sharing for all that follow, so only the calls then under way have waited; what failed is tried
 * again in the background until it works.
 *
 * This process's own log is kept and obeyed all the time, so that what this process admits keeps the limits exactly
 * also across a loss, a return and a flush, and a client that it refuses anyway costs no round trip.
 */
export class FailoverRateLimiter implements RateLimiter {
  #state: SharingState = 'alone';
  #nextProbe: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param onChange called after each change of `state`, with what failed if it is now `alone` */
  constructor(
    private readonly shared: CommonRateLimiter,
    private readonly own: InMemoryRateLimiter,
    private readonly onChange: (state: SharingState, failure?: unknown) => void,
  ) {}

  get state(): SharingState {
    return this.#state;
  }

  /** Waits at most so many milliseconds for the common place; goes on alone and keeps trying if that does not answer. */
  async open(patience: number): Promise<void> {
    const deadline = performance.now() + patience;
    let failure: unknown;
    do {
      failure = await this.#probe('');
      if (this.#state === 'shared') return;
      await new Promise((later) => setTimeout(later, 20));
    } while (performance.now() < deadline);
    this.onChange('alone', failure);
    this.#probeLater('');
  }

  async admit(client: string, quotas: readonly RateQuota[]): Promise<Admission> {
    if (this.#state === 'alone') return this.own.admit(client, quotas);
    const own = this.own.peek(client, quotas);
    if (!own.admitted) return own;
    let shared: Admission;
    try {
      shared = await this.shared.admit(client, quotas);
    } catch (failure) {
      this.#goOnAlone(client, failure);
      return this.own.admit(client, quotas);
    }
    if (!shared.admitted) return shared;
    const counted = await this.own.admit(client, quotas);
    return counted.admitted ? shared : counted;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#nextProbe);
  }

  #goOnAlone(client: string, failure: unknown): void {
    if (this.#state === 'alone' || this.#isClosed) return;
    this.#state = 'alone';
    this.onChange('alone', failure);
    this.#probeLater(client);
  }

  /** What failed must work again, so it is tried for the client that met the failure. */
  #probeLater(client: string): void {
    if (this.#isClosed) return;
    this.#nextProbe = setTimeout(() => {
      void this.#probe(client).then(() => {
        if (this.#state === 'alone') this.#probeLater(client);
      });
    }, PROBE_PAUSE).unref();
  }

  /** @returns what failed */
  async #probe(client: string): Promise<unknown> {
    try {
      await this.shared.check();
      await this.shared.admit(client, PROBE);
    } catch (failure) {
      return failure;
    }
    if (this.#isClosed) return undefined;
    this.#state = 'shared';
    this.onChange('shared');
    return undefined;
  }
}
