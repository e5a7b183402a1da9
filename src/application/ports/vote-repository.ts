import type { Session } from '../../domain/account.js';
import type { Instant, StreamId } from '../../domain/ids.js';
import type { Result } from '../../domain/result.js';
import type { VoteState, VoteTally, VoteTransition } from '../../domain/vote.js';
import type { SessionEnded } from './account-repository.js';

/** There is no active stream with this id. */
export interface StreamNotFound {
  readonly kind: 'stream-not-found';
}

/** At most one vote per user and active stream, and their tallies. Promises reject only when the storage itself fails. */
export interface VoteRepository {
  /**
   * Moves the vote of the session's user atomically: concurrent calls for one user and stream run one after the other,
   * on any number of nodes, and the tally always equals the votes.
   * @param decide the rule, from the stored vote to the transition to store. Pure: it is called for every state.
   * @returns the stored transition; `session-ended` or `stream-not-found` with nothing written.
   */
  update(
    session: Session,
    stream: StreamId,
    now: Instant,
    decide: (current: VoteState) => VoteTransition,
  ): Promise<Result<VoteTransition, SessionEnded | StreamNotFound>>;

  /** The tally, and the vote of the session's user: `none` without a session or with one that has ended. */
  view(
    stream: StreamId,
    session: Session | null,
  ): Promise<Result<{ tally: VoteTally; vote: VoteState }, StreamNotFound>>;
}
