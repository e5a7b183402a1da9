import type { Clock } from '../../src/application/ports/clock.js';
import { type Instant, later } from '../../src/domain/ids.js';

/** 2026-01-15T12:00:00.000Z: where every manual clock starts, and a good "now" wherever a test needs one. */
export const START = Date.UTC(2026, 0, 15, 12) as Instant;

/** A clock that moves only when told. */
export class ManualClock implements Clock {
  #now: Instant;

  constructor(start: Instant = START) {
    this.#now = start;
  }

  now(): Instant {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now = later(this.#now, milliseconds);
  }

  set(instant: Instant): void {
    this.#now = instant;
  }
}
