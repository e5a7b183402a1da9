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

/** When the requests of one key were admitted, as far as any of its windows still reaches. */
interface Log {
  /** Ascending. */
  readonly admittedAt: readonly number[];
  /** Milliseconds of the longest window asked for. */
  readonly reach: number;
}

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

  async admit(quotas: readonly RateQuota[]): Promise<Admission> {
    const now = this.#time();
    this.#sweepNowAndThen(now);
    const logs = new Map<string, Log>();
    for (const { key, windows } of quotas)
      logs.set(key, recent(logs.get(key) ?? this.#logs.get(key), windows, now));
    const states = () =>
      quotas.flatMap(({ key, windows }) =>
        windows.map((window) => stateOf(window, logs.get(key)?.admittedAt ?? [], now)),
      );
    const before = states();
    if (before.some((window) => window.remaining === 0)) return { admitted: false, windows: before };
    for (const [key, log] of logs) {
      const counted = { ...log, admittedAt: [...log.admittedAt, now] };
      logs.set(key, counted);
      this.#logs.set(key, counted);
    }
    return { admitted: true, windows: states() };
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

/** The log without what has left its longest window. */
function recent(log: Log | undefined, windows: readonly RateWindow[], now: number): Log {
  const reach = Math.max(log?.reach ?? 0, ...windows.map(({ seconds }) => seconds * SECOND));
  return { reach, admittedAt: (log?.admittedAt ?? []).filter((at) => at > now - reach) };
}

function stateOf(window: RateWindow, admittedAt: readonly number[], now: number): WindowState {
  const length = window.seconds * SECOND;
  const inside = admittedAt.filter((at) => at > now - length);
  const remaining = Math.max(0, window.limit - inside.length);
  // Of a full window, room comes when the oldest of the last `limit` requests leaves it.
  const blocking = inside.at(-window.limit) ?? now;
  return { ...window, remaining, waitMilliseconds: remaining > 0 ? 0 : blocking + length - now };
}
