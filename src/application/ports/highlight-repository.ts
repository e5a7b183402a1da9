import type {
  Candidate,
  HeldHighlight,
  MonthlyHighlight,
  Pin,
  VoteWindows,
} from '../../domain/highlights.js';
import type { Instant, StreamId } from '../../domain/ids.js';
import type { Month } from '../../domain/month.js';

/** The highlights that the listings show, and what operators pinned. Promises reject only when the storage itself fails. */
export interface HighlightRepository {
  /**
   * Unless `isDue` says no, counts the votes, asks `decide`, and puts its answer in the place of what was stored, in one
   * transaction. Concurrent calls run one after the other, on any number of nodes; a node that dies leaves nothing half
   * done and nothing locked. Streams that were removed meanwhile hold nothing.
   * @param isDue from when the highlights were computed last (`now` of those windows; null: never). Pure.
   * @param decide from all streams that have a vote or are pinned, active or not, and the pins of the month. Pure.
   * @returns what is stored now; null where it was not due and nothing changed
   */
  recompute(
    windows: VoteWindows,
    isDue: (computedAt: Instant | null) => boolean,
    decide: (candidates: readonly Candidate[], pins: readonly Pin[]) => readonly HeldHighlight[],
  ): Promise<readonly HeldHighlight[] | null>;

  /** In the place of what was pinned for that month before. False: no such stream; nothing changed. */
  pin(highlight: MonthlyHighlight, month: Month, stream: StreamId): Promise<boolean>;
  /**
   * @param stream only if this one is pinned; null: whichever is
   * @returns the stream that was pinned; null where there was nothing to unpin
   */
  unpin(highlight: MonthlyHighlight, month: Month, stream: StreamId | null): Promise<StreamId | null>;
}
