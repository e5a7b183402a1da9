import type { SessionEnded } from '../../application/ports/account-repository.js';
import type { StreamNotFound, VoteRepository } from '../../application/ports/vote-repository.js';
import type { Session } from '../../domain/account.js';
import type { Instant, StreamId } from '../../domain/ids.js';
import { type Result, err, ok } from '../../domain/result.js';
import type { VoteState, VoteTally, VoteTransition } from '../../domain/vote.js';
import type { PostgresDatabase } from './postgres-database.js';
import { brokenKey } from './postgres-errors.js';
import { isCurrentSession, timestamp } from './sql.js';

const SESSION_ENDED = err({ kind: 'session-ended' } as const);
const STREAM_NOT_FOUND = err({ kind: 'stream-not-found' } as const);

/**
 * The new state depends on the stored one, which only the row itself tells once it is locked: reading it first would
 * miss a vote that commits meanwhile. RETURNING shows the row as it is then, hence the column `previous`.
 */
const CAST = `
  with asked as (
    select
      (select a.id from accounts a where ${isCurrentSession('a', '$1', '$2')}) as account_id,
      (select s.id from directory_streams s where s.id = $3 and s.is_active) as stream_id
  ), cast_vote as (
    insert into votes (account_id, stream_id, direction, previous, cast_at)
    select account_id, stream_id, $5, 'none', $4::timestamptz from asked
    where account_id is not null and stream_id is not null
    on conflict (account_id, stream_id) do update set
      previous = votes.direction,
      direction = case votes.direction when 'none' then $5 when 'up' then $6 else $7 end,
      cast_at = excluded.cast_at
    returning previous
  )
  select account_id is not null as session, stream_id is not null as stream, (select previous from cast_vote) as previous
  from asked`;

const VIEW = `
  select t.upvotes, t.downvotes, coalesce(v.direction, 'none') as vote
  from directory_streams s
    join vote_tallies t on t.stream_id = s.id
    left join accounts a on ${isCurrentSession('a', '$2', '$3')}
    left join votes v on v.account_id = a.id and v.stream_id = s.id
  where s.id = $1 and s.is_active`;

/** One statement per call. */
export class PostgresVoteRepository implements VoteRepository {
  constructor(private readonly db: PostgresDatabase) {}

  async update(
    session: Session,
    stream: StreamId,
    now: Instant,
    decide: (current: VoteState) => VoteTransition,
  ): Promise<Result<VoteTransition, SessionEnded | StreamNotFound>> {
    const transitions = { none: decide('none'), up: decide('up'), down: decide('down') };
    const { none, up, down } = transitions;
    const { user, credentialVersion } = session;
    const values = [user, credentialVersion, stream, timestamp(now), none.next, up.next, down.next];
    try {
      const [cast] = await this.db.rows<{ session: boolean; stream: boolean; previous: VoteState }>(
        CAST,
        values,
        'cast-vote',
      );
      if (!cast?.session) return SESSION_ENDED;
      return cast.stream ? ok(transitions[cast.previous]) : STREAM_NOT_FOUND;
    } catch (error) {
      // Removed between our look at it and our write.
      if (brokenKey(error) === 'votes_account_id_fkey') return SESSION_ENDED;
      if (brokenKey(error) === 'votes_stream_id_fkey') return STREAM_NOT_FOUND;
      throw error;
    }
  }

  async view(
    stream: StreamId,
    session: Session | null,
  ): Promise<Result<{ tally: VoteTally; vote: VoteState }, StreamNotFound>> {
    const [view] = await this.db.rows<VoteTally & { vote: VoteState }>(
      VIEW,
      [stream, session?.user ?? null, session?.credentialVersion ?? null],
      'view-votes',
    );
    if (!view) return STREAM_NOT_FOUND;
    const { upvotes, downvotes, vote } = view;
    return ok({ tally: { upvotes, downvotes }, vote });
  }
}
