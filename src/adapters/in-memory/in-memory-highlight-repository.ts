import type { HighlightRepository } from '../../application/ports/highlight-repository.js';
import type {
  Candidate,
  HeldHighlight,
  MonthlyHighlight,
  Pin,
  VoteWindows,
} from '../../domain/highlights.js';
import type { Instant, StreamId } from '../../domain/ids.js';
import type { Month } from '../../domain/month.js';
import { HIGHLIGHTS } from '../../domain/stream.js';
import { NO_VOTES, type VoteTally, recount } from '../../domain/vote.js';
import type { InMemoryDatabase, StreamRow, Vote } from './in-memory-database.js';

/** No `await` between read and write, so no two changes can interleave. */
export class InMemoryHighlightRepository implements HighlightRepository {
  constructor(private readonly db: InMemoryDatabase) {}

  async recompute(
    windows: VoteWindows,
    isDue: (computedAt: Instant | null) => boolean,
    decide: (candidates: readonly Candidate[], pins: readonly Pin[]) => readonly HeldHighlight[],
  ): Promise<readonly HeldHighlight[] | null> {
    if (!isDue(this.db.highlightsComputedAt)) return null;
    const pins = this.#pins(windows.month);
    const candidates = this.db.streams
      .all()
      .filter(({ id }) => this.db.votesFor(id).length > 0 || pins.some(({ stream }) => stream === id))
      .map((stream) => this.#candidate(stream, windows));
    const held = decide(candidates, pins);
    for (const stream of this.db.streams.all()) {
      const own = HIGHLIGHTS.filter((highlight) =>
        held.some((one) => one.stream === stream.id && one.highlight === highlight),
      );
      if (own.length > 0 || stream.highlights.length > 0) this.db.streams.put({ ...stream, highlights: own });
    }
    this.db.highlightsComputedAt = windows.now;
    return held;
  }

  async pin(highlight: MonthlyHighlight, month: Month, stream: StreamId): Promise<boolean> {
    if (!this.db.streams.get(stream)) return false;
    this.db.highlightPins.set(`${month} ${highlight}`, { month, highlight, stream });
    return true;
  }

  async unpin(highlight: MonthlyHighlight, month: Month, stream: StreamId | null): Promise<StreamId | null> {
    const key = `${month} ${highlight}`;
    const pin = this.db.highlightPins.get(key);
    if (!pin || (stream !== null && pin.stream !== stream)) return null;
    this.db.highlightPins.delete(key);
    return pin.stream;
  }

  #pins(month: Month): readonly Pin[] {
    return [...this.db.highlightPins.values()]
      .filter((pin) => pin.month === month)
      .map(({ highlight, stream }) => ({ highlight, stream }));
  }

  #candidate(stream: StreamRow, { lastMonth, recentAfter }: VoteWindows): Candidate {
    const votes = this.db.votesFor(stream.id);
    return {
      stream: stream.id,
      isActive: this.db.isActive(stream),
      addedAt: stream.addedAt,
      lastMonth: tally(votes, ({ castAt }) => castAt >= lastMonth.start && castAt < lastMonth.end),
      recentUpvotes: tally(votes, ({ castAt }) => castAt > recentAfter).upvotes,
      allTime: this.db.tallyOf(stream.id),
    };
  }
}

function tally(votes: readonly Vote[], counts: (vote: Vote) => boolean): VoteTally {
  return votes.filter(counts).reduce((sum, vote) => recount(sum, 'none', vote.state), NO_VOTES);
}
