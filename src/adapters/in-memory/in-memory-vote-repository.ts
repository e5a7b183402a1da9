import type { SessionEnded } from '../../application/ports/account-repository.js';
import type { StreamNotFound, VoteRepository } from '../../application/ports/vote-repository.js';
import type { Session } from '../../domain/account.js';
import type { Instant, StreamId } from '../../domain/ids.js';
import { type Result, err, ok } from '../../domain/result.js';
import type { VoteState, VoteTally, VoteTransition } from '../../domain/vote.js';
import type { InMemoryDatabase } from './in-memory-database.js';

/** No `await` between read and write, so no two updates can interleave. */
export class InMemoryVoteRepository implements VoteRepository {
  constructor(private readonly db: InMemoryDatabase) {}

  async update(
    session: Session,
    stream: StreamId,
    now: Instant,
    decide: (current: VoteState) => VoteTransition,
  ): Promise<Result<VoteTransition, SessionEnded | StreamNotFound>> {
    if (!this.db.accountOf(session)) return err({ kind: 'session-ended' });
    if (!this.db.activeStream(stream)) return err({ kind: 'stream-not-found' });
    const transition = decide(this.db.voteOf(stream, session.user));
    this.db.setVote(stream, session.user, { state: transition.next, castAt: now });
    return ok(transition);
  }

  async view(
    stream: StreamId,
    session: Session | null,
  ): Promise<Result<{ tally: VoteTally; vote: VoteState }, StreamNotFound>> {
    if (!this.db.activeStream(stream)) return err({ kind: 'stream-not-found' });
    const voter = session && this.db.accountOf(session);
    return ok({ tally: this.db.tallyOf(stream), vote: voter ? this.db.voteOf(stream, voter.id) : 'none' });
  }
}
