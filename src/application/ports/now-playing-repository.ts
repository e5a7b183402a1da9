import type { OrganizationId, StreamId, StreamUuid } from '../../domain/ids.js';
import type { AppliedReport, NowPlaying } from '../../domain/now-playing.js';
import type { Result } from '../../domain/result.js';

/** No stream has this UUID. */
export interface UnknownStreamUuid {
  readonly kind: 'unknown-stream-uuid';
}
/** The stream belongs to another organization than the token. */
export interface StreamOfAnotherOrganization {
  readonly kind: 'stream-of-another-organization';
}

/** What streams play, active or not. Promises reject only when the storage itself fails. */
export interface NowPlayingRepository {
  /**
   * Applies one report: loads, asks `decide`, stores what it answers, atomically. Concurrent calls for one stream run
   * one after the other, on any number of nodes. Plays that `decide` adds are numbered by the storage (the integer id
   * of the history), a play keeps its number for ever, and plays no longer in the answer are dropped.
   * @param decide pure; may be called more than once.
   */
  update(
    stream: StreamUuid,
    owner: OrganizationId,
    decide: (before: NowPlaying) => AppliedReport,
  ): Promise<
    Result<{ stream: StreamId; applied: AppliedReport }, UnknownStreamUuid | StreamOfAnotherOrganization>
  >;
}
