import {
  type HeldHighlight,
  type MonthlyHighlight,
  decideHighlights,
  isDue,
  voteWindowsAt,
} from '../domain/highlights.js';
import type { Instant, StreamId } from '../domain/ids.js';
import { type Month, monthOf } from '../domain/month.js';
import { type Result, err, ok } from '../domain/result.js';
import type { Clock } from './ports/clock.js';
import type { HighlightRepository } from './ports/highlight-repository.js';
import type { UnknownStream } from './ports/organization-repository.js';

/** The highlights as they are stored and listed from now on. */
export interface Recomputed {
  readonly month: Month;
  readonly highlights: readonly HeldHighlight[];
}

export class RecomputeHighlights {
  constructor(
    private readonly highlights: HighlightRepository,
    private readonly clock: Clock,
  ) {}

  async execute(): Promise<Recomputed> {
    const recomputed = await this.#recompute(() => true);
    if (!recomputed) throw new Error('The highlights were not computed.');
    return recomputed;
  }

  /** Of many nodes that ask at once, one computes. @returns null where it was not due */
  executeIfDue(): Promise<Recomputed | null> {
    return this.#recompute(isDue);
  }

  async #recompute(due: (computedAt: Instant | null, now: Instant) => boolean): Promise<Recomputed | null> {
    const windows = voteWindowsAt(this.clock.now());
    const highlights = await this.highlights.recompute(
      windows,
      (computedAt) => due(computedAt, windows.now),
      (candidates, pins) => decideHighlights(windows, candidates, pins),
    );
    return highlights && { month: windows.month, highlights };
  }
}

export interface NothingPinned {
  readonly kind: 'nothing-pinned';
  readonly month: Month;
}
/** A month that is over: what was shown in it was shown. */
export interface MonthOver {
  readonly kind: 'month-over';
}

/** An operator decides who holds a monthly highlight. What concerns the current month is listed at once. */
export class PinHighlight {
  constructor(
    private readonly highlights: HighlightRepository,
    private readonly recompute: RecomputeHighlights,
    private readonly clock: Clock,
  ) {}

  /** @param month in which the highlight is shown; null: the current one */
  async execute(
    highlight: MonthlyHighlight,
    stream: StreamId,
    month: Month | null,
  ): Promise<Result<Month, UnknownStream | MonthOver>> {
    const current = monthOf(this.clock.now());
    const shown = month ?? current;
    if (shown < current) return err({ kind: 'month-over' });
    if (!(await this.highlights.pin(highlight, shown, stream))) return err({ kind: 'unknown-stream' });
    if (shown === current) await this.recompute.execute();
    return ok(shown);
  }
}

/** Leaves a monthly highlight to the rule again. */
export class UnpinHighlight {
  constructor(
    private readonly highlights: HighlightRepository,
    private readonly recompute: RecomputeHighlights,
    private readonly clock: Clock,
  ) {}

  /**
   * @param month as for {@link PinHighlight}
   * @param only unpin this stream and no other; null: whichever is pinned
   */
  async execute(
    highlight: MonthlyHighlight,
    month: Month | null,
    only: StreamId | null = null,
  ): Promise<Result<{ month: Month; stream: StreamId }, NothingPinned>> {
    const current = monthOf(this.clock.now());
    const shown = month ?? current;
    const stream = await this.highlights.unpin(highlight, shown, only);
    if (stream === null) return err({ kind: 'nothing-pinned', month: shown });
    if (shown === current) await this.recompute.execute();
    return ok({ month: shown, stream });
  }
}
