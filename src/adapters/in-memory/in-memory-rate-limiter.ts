import type { Clock } from '../../application/ports/clock.js';
import type {
  Admission,
  RateLimiter,
  RateQuota,
  RateWindow,
  WindowState,
} from '../../application/ports/rate-limiter.js';
import { MINUTE, SECOND } from '../../domain/ids.js';

const SWEEP_PAUSE = MINUTE;

/** When the requests of one key were admitted, as far back as one of its windows still reaches. */
interface Log {
  /** Ascending. */
  readonly admittedAt: readonly number[];
  /** Milliseconds of the longest window asked for. */
  readonly reach: number;
}

const NOTHING: Log = { admittedAt: [], reach: 0 };

/**
 * An exact sliding log. It measures time by the clock's steps forward: a clock that is set back neither empties a window
 * nor locks anybody out. Once a minute the keys whose requests have left all windows are dropped.
 */
export class InMemoryRateLimiter implements RateLimiter {
  readonly #logs = new Map<string, Log>();
  #nextSweep = SWEEP_PAUSE;
  #elapsed = 0;
  #lastReading: number;

  constructor(private readonly clock: Clock) {
    this.#lastReading = clock.now();
  }

  /** How many keys are held. */
  get size(): number {
    return this.#logs.size;
  }

  async admit(client: string, quotas: readonly RateQuota[]): Promise<Admission> {
    const now = this.#time();
    this.#sweepNowAndThen(now);
    const logs = this.#recent(client, quotas, now);
    const before = standing(quotas, logs, now);
    if (!before.admitted) return before;
    for (const [index, { name }] of quotas.entries()) {
      const { reach, admittedAt } = logs[index] ?? NOTHING;
      logs[index] = { reach, admittedAt: [...admittedAt, now] };
      this.#logs.set(keyOf(client, name), logs[index]);
    }
    return { admitted: true, windows: standing(quotas, logs, now).windows };
  }

  /** What {@link admit} would answer to a request that is not counted. */
  peek(client: string, quotas: readonly RateQuota[]): Admission {
    const now = this.#time();
    return standing(quotas, this.#recent(client, quotas, now), now);
  }

  /** A log per quota, without what has left its longest window. */
  #recent(client: string, quotas: readonly RateQuota[], now: number): Log[] {
    return quotas.map(({ name, windows }) => {
      const log = this.#logs.get(keyOf(client, name)) ?? NOTHING;
      const reach = Math.max(log.reach, ...windows.map(({ seconds }) => seconds * SECOND));
      return { reach, admittedAt: log.admittedAt.filter((at) => at > now - reach) };
    });
  }

  /** Milliseconds since this limiter began, never fewer than before. */
  #time(): number {
    const reading = this.clock.now();
    this.#elapsed += Math.max(0, reading - this.#lastReading);
    this.#lastReading = reading;
    return this.#elapsed;
  }

  /** Rarely enough that a key is looked at a few times only, however many there are. */
  #sweepNowAndThen(now: number): void {
    if (now < this.#nextSweep) return;
    this.#nextSweep = now + SWEEP_PAUSE;
    for (const [key, { admittedAt, reach }] of this.#logs)
      if ((admittedAt.at(-1) ?? -Infinity) <= now - reach) this.#logs.delete(key);
  }
}

/** No two clients and names share one. */
function keyOf(client: string, name: string): string {
  return `${name.length} ${name} ${client}`;
}

function standing(quotas: readonly RateQuota[], logs: readonly Log[], now: number): Admission {
  const windows = quotas.flatMap((quota, index) =>
    quota.windows.map((window) => stateOf(window, logs[index]?.admittedAt ?? [], now)),
  );
  return { admitted: windows.every(({ remaining }) => remaining > 0), windows };
}

function stateOf(window: RateWindow, admittedAt: readonly number[], now: number): WindowState {
  const length = window.seconds * SECOND;
  const inside = admittedAt.filter((at) => at > now - length);
  const remaining = Math.max(0, window.limit - inside.length);
  // Of a full window, room comes when the oldest of the last `limit` requests leaves it.
  const blocking = inside.at(-window.limit) ?? now;
  return { ...window, remaining, waitMilliseconds: remaining > 0 ? 0 : blocking + length - now };
}
