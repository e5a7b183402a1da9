import { setTimeout as pause } from 'node:timers/promises';
import type { RecomputeHighlights } from '../application/highlights.js';
import type { Clock } from '../application/ports/clock.js';
import { untilNextLook } from '../domain/highlights.js';
import type { Logger } from './logger.js';

/** Resolves after so many milliseconds, or once the signal aborts. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

const sleep: Sleep = (milliseconds, signal) =>
  pause(milliseconds, undefined, { signal }).catch(() => undefined);

/**
 * Looks at the start, every minute and right after a month's turn whether the highlights are due. Every node does;
 * one of them computes, and where that one dies the next look of any other does it.
 */
export class HighlightWorker {
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(
    private readonly recomputeHighlights: RecomputeHighlights,
    private readonly clock: Clock,
    private readonly log: Pick<Logger, 'info' | 'warn'>,
    private readonly sleepFor: Sleep = sleep,
  ) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when the computation under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#look();
      await this.sleepFor(untilNextLook(this.clock.now()), signal);
    }
  }

  async #look(): Promise<void> {
    try {
      const recomputed = await this.recomputeHighlights.executeIfDue();
      if (recomputed)
        this.log.info(
          { month: recomputed.month, highlights: recomputed.highlights.length },
          'highlights computed',
        );
    } catch (error) {
      this.log.warn({ err: error }, 'the highlights could not be computed; trying again in a minute');
    }
  }
}
