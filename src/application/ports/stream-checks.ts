import type { StreamId } from '../../domain/ids.js';
import type { StreamCheck } from '../../domain/stream-check.js';

/** The last check of every stream that was ever checked. */
export interface StreamChecks {
  /** Those of streams that are gone are dropped. At most 1,000. */
  put(checks: ReadonlyMap<StreamId, StreamCheck>): Promise<void>;
  /** Without those that were never checked. At most 1,000. */
  of(streams: readonly StreamId[]): Promise<ReadonlyMap<StreamId, StreamCheck>>;
  /** The streams whose last check found them broken, by ascending id. */
  broken(): Promise<ReadonlyMap<StreamId, StreamCheck>>;
}
