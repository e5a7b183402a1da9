import type { Instant } from '../../domain/ids.js';

export interface Clock {
  now(): Instant;
}
