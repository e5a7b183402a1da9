import type { Knex } from 'knex';
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
import { type PostgresDatabase, lock } from './postgres-database.js';
import { brokenKey, isWorthRepeating } from './postgres-errors.js';
import { instant, timestamp } from './sql.js';

const COMPUTED_AT = `select ${instant('computed_at')} as "computedAt" from highlight_computation`;
const PINS = 'select flag as highlight, stream_id as stream from highlight_pins where month = ?';

/** Counts in one pass over the votes of the last weeks; the votes of all time are counted in the tallies already. */
const CANDIDATES = `
  with asked as (
    select ?::timestamptz as start, ?::timestamptz as "end", ?::timestamptz as recent_after, ?::text as month
  ), counted as (
    select v.stream_id,
      count(*) filter (where v.direction = 'up' and v.cast_at >= asked.start and v.cast_at < asked.end) as upvotes,
      count(*) filter (where v.direction = 'down' and v.cast_at >= asked.start and v.cast_at < asked.end) as downvotes,
      count(*) filter (where v.direction = 'up' and v.cast_at > asked.recent_after) as recent
    from asked join votes v on v.cast_at >= least(asked.start, asked.recent_after)
    group by v.stream_id
  )
  select s.id as stream, s.is_active as "isActive", ${instant('s.created_at')} as "addedAt",
    json_build_object(
      'upvotes', coalesce(counted.upvotes, 0), 'downvotes', coalesce(counted.downvotes, 0)) as "lastMonth",
    coalesce(counted.recent, 0)::integer as "recentUpvotes",
    json_build_object('upvotes', t.upvotes, 'downvotes', t.downvotes) as "allTime"
  from directory_streams s
    join vote_tallies t on t.stream_id = s.id
    left join counted on counted.stream_id = s.id
  where t.upvotes + t.downvotes > 0
    or s.id in (select p.stream_id from highlight_pins p, asked where p.month = asked.month)`;

/** What no longer holds makes room first: an honour of a month has no two holders even for a moment. */
const REMOVE_OTHERS = `
  delete from stream_highlights
  where (flag, stream_id) not in (select * from unnest(?::text[], ?::integer[]))`;

/** What holds on is not written: to those who keep copies of the list it has not changed. */
const STORE = `
  insert into stream_highlights (flag, stream_id) select * from unnest(?::text[], ?::integer[])
  on conflict do nothing`;

const STORE_COMPUTED_AT = `
  insert into highlight_computation (computed_at) values (?)
  on conflict (only_row) do update set computed_at = excluded.computed_at`;

const PIN = `
  insert into highlight_pins (flag, month, stream_id) select $1, $2, id from streams where id = $3
  on conflict (flag, month) do update set stream_id = excluded.stream_id
  returning stream_id`;

export class PostgresHighlightRepository implements HighlightRepository {
  constructor(private readonly db: PostgresDatabase) {}

  async recompute(
    windows: VoteWindows,
    isDue: (computedAt: Instant | null) => boolean,
    decide: (candidates: readonly Candidate[], pins: readonly Pin[]) => readonly HeldHighlight[],
  ): Promise<readonly HeldHighlight[] | null> {
    // Mostly it is not due; then this is all.
    const [last] = await this.db.rows<ComputedAt>(COMPUTED_AT);
    if (!isDue(last?.computedAt ?? null)) return null;
    try {
      return await this.#recompute(windows, isDue, decide);
    } catch (error) {
      if (isWorthRepeating(error)) return this.recompute(windows, isDue, decide);
      throw error;
    }
  }

  #recompute(
    windows: VoteWindows,
    isDue: (computedAt: Instant | null) => boolean,
    decide: (candidates: readonly Candidate[], pins: readonly Pin[]) => readonly HeldHighlight[],
  ): Promise<readonly HeldHighlight[] | null> {
    return this.db.patiently((knex) =>
      knex.transaction(async (trx) => {
        await lock(trx, 'highlights');
        const [before] = await rows<ComputedAt>(trx, COMPUTED_AT);
        if (!isDue(before?.computedAt ?? null)) return null;
        const { lastMonth, recentAfter, month, now } = windows;
        const instants = [lastMonth.start, lastMonth.end, recentAfter].map(timestamp);
        const candidates = await rows<Candidate>(trx, CANDIDATES, [...instants, month]);
        const pins = await rows<Pin>(trx, PINS, [month]);
        const held = await stillThere(trx, decide(candidates, pins));
        const pairs = [held.map(({ highlight }) => highlight), held.map(({ stream }) => stream)];
        await rows(trx, REMOVE_OTHERS, pairs);
        await rows(trx, STORE, pairs);
        await rows(trx, STORE_COMPUTED_AT, [timestamp(now)]);
        return held;
      }),
    );
  }

  async pin(highlight: MonthlyHighlight, month: Month, stream: StreamId): Promise<boolean> {
    try {
      return (await this.db.rows(PIN, [highlight, month, stream])).length === 1;
    } catch (error) {
      // Removed between our look at it and our write.
      if (brokenKey(error) === 'highlight_pins_stream_id_fkey') return false;
      throw error;
    }
  }

  async unpin(highlight: MonthlyHighlight, month: Month, stream: StreamId | null): Promise<StreamId | null> {
    const [gone] = await this.db.rows<{ stream: StreamId }>(
      `delete from highlight_pins
       where flag = $1 and month = $2 and stream_id = coalesce($3, stream_id) returning stream_id as stream`,
      [highlight, month, stream],
    );
    return gone?.stream ?? null;
  }
}

interface ComputedAt {
  readonly computedAt: Instant;
}

/** Without the streams that somebody removed since they were counted; the others now stay until we have stored. */
async function stillThere(
  trx: Knex.Transaction,
  decided: readonly HeldHighlight[],
): Promise<readonly HeldHighlight[]> {
  const ids = decided.map(({ stream }) => stream);
  const locked = await rows<{ id: StreamId }>(
    trx,
    'select id from streams where id = any (?::integer[]) order by id for key share',
    [ids],
  );
  const there = new Set(locked.map(({ id }) => id));
  return decided.filter(({ stream }) => there.has(stream));
}

async function rows<Row>(
  trx: Knex.Transaction,
  text: string,
  values: readonly Knex.RawBinding[] = [],
): Promise<Row[]> {
  const answer: { readonly rows: Row[] } = await trx.raw(text, [...values]);
  return answer.rows;
}
