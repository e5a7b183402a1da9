import type { Clock } from '../../application/ports/clock.js';
import type { Instant } from '../../domain/ids.js';

export class SystemClock implements Clock {
  now(): Instant {
    return Date.now() as Instant;
  }
}
