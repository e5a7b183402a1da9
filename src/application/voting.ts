import type { Session } from '../domain/account.js';
import type { StreamId } from '../domain/ids.js';
import { type Result, ok } from '../domain/result.js';
import {
  type VoteDirection,
  type VoteState,
  type VoteTally,
  type VoteTransition,
  castVote,
  score,
} from '../domain/vote.js';
import type { SessionEnded } from './ports/account-repository.js';
import type { Clock } from './ports/clock.js';
import type { StreamNotFound, VoteRepository } from './ports/vote-repository.js';

export class CastVote {
  constructor(
    private readonly votes: VoteRepository,
    private readonly clock: Clock,
  ) {}

  async execute(
    session: Session,
    stream: StreamId,
    cast: VoteDirection,
  ): Promise<Result<VoteTransition['outcome'], SessionEnded | StreamNotFound>> {
    const stored = await this.votes.update(session, stream, this.clock.now(), (current) =>
      castVote(current, cast),
    );
    return stored.ok ? ok(stored.value.outcome) : stored;
  }
}

export interface VotesView extends VoteTally {
  readonly score: number;
  readonly vote: VoteState;
}

export class ViewVotes {
  constructor(private readonly votes: VoteRepository) {}

  async execute(stream: StreamId, session: Session | null): Promise<Result<VotesView, StreamNotFound>> {
    const view = await this.votes.view(stream, session);
    if (!view.ok) return view;
    const { tally, vote } = view.value;
    return ok({ ...tally, score: score(tally), vote });
  }
}
