import type {
  NowPlayingRepository,
  StreamOfAnotherOrganization,
  UnknownStreamUuid,
} from '../../application/ports/now-playing-repository.js';
import type { Instant, OrganizationId, StreamId, StreamUuid } from '../../domain/ids.js';
import type { AppliedReport, NextSong, NowPlaying, Play } from '../../domain/now-playing.js';
import { type Result, err, ok } from '../../domain/result.js';
import type { PostgresDatabase } from './postgres-database.js';
import {
  type NumberedPlay,
  instant,
  nextSongJson,
  playJson,
  timestamp,
  timestampOrNull,
  withoutNumber,
} from './sql.js';

interface StateRow {
  readonly stream: StreamId;
  readonly owner: OrganizationId;
  readonly version: string;
  readonly current: NumberedPlay | null;
  readonly next: NextSong | null;
  readonly reported_at: Instant | null;
  readonly past: readonly NumberedPlay[];
}

const LOAD = `
  select s.id as stream, s.organization_id as owner, np.version, ${playJson('current')} as current,
    ${nextSongJson('np')} as next, ${instant('np.reported_at')} as reported_at,
    array(
      select ${playJson('p')} from plays p
      where p.stream_id = s.id and p.uuid is distinct from np.current_play order by p.started_at desc, p.id desc
    ) as past
  from streams s
    join now_playing np on np.stream_id = s.id
    left join plays current on current.stream_id = s.id and current.uuid = np.current_play
  where s.uuid = $1`;

/** Everything hangs on the first part: where the version has moved on, nothing is written. */
const STORE = `
  with moved as (
    update now_playing
    set version = version + 1, current_play = $3, next_title = $4, next_artist = $5, next_cover = $6, reported_at = $7
    where stream_id = $1 and version = $2
    returning stream_id
  ), gone as (
    delete from plays using moved where plays.stream_id = moved.stream_id and plays.uuid = any ($8::uuid[])
  ), changed as (
    update plays set title = p.title, artist = p.artist, cover = p.cover, duration_seconds = p."durationSeconds",
      started_at = p."startedAt", announced_start = p."announcedStart", sender_play_id = p."senderPlayId"
    from moved, json_to_recordset($9) as p (id uuid, title text, artist text, cover text,
      "durationSeconds" float8, "startedAt" timestamptz, "announcedStart" timestamptz, "senderPlayId" text)
    where plays.stream_id = moved.stream_id and plays.uuid = p.id
  ), begun as (
    insert into plays
      (stream_id, uuid, title, artist, cover, duration_seconds, started_at, announced_start, sender_play_id)
    select moved.stream_id, p.id, p.title, p.artist, p.cover, p."durationSeconds", p."startedAt", p."announcedStart",
      p."senderPlayId"
    from moved, json_to_recordset($10) as p (id uuid, title text, artist text, cover text,
      "durationSeconds" float8, "startedAt" timestamptz, "announcedStart" timestamptz, "senderPlayId" text)
  )
  select stream_id from moved`;

/**
 * Two statements for a report: one reads a consistent state, one stores what follows from it, unless another report
 * was stored in between; then it starts again. Of reports that meet, one always gets through. A lock instead would
 * take five round trips, as a statement that waits for a row sees the other tables as they were before it waited.
 */
export class PostgresNowPlayingRepository implements NowPlayingRepository {
  constructor(private readonly db: PostgresDatabase) {}

  async update(
    uuid: StreamUuid,
    owner: OrganizationId,
    decide: (before: NowPlaying) => AppliedReport,
  ): Promise<
    Result<{ stream: StreamId; applied: AppliedReport }, UnknownStreamUuid | StreamOfAnotherOrganization>
  > {
    for (;;) {
      const [row] = await this.db.rows<StateRow>(LOAD, [uuid], 'load-now-playing');
      if (!row) return err({ kind: 'unknown-stream-uuid' });
      if (row.owner !== owner) return err({ kind: 'stream-of-another-organization' });
      const before = toNowPlaying(row);
      const applied = decide(before);
      if (await this.#store(row, before, applied.nowPlaying)) return ok({ stream: row.stream, applied });
    }
  }

  /** @returns false if another report was stored since the row was read */
  async #store({ stream, version }: StateRow, before: NowPlaying, after: NowPlaying): Promise<boolean> {
    if (after === before) return true;
    const known = new Map(playsOf(before).map((play) => [play.id, play]));
    const kept = new Set(playsOf(after).map(({ id }) => id));
    const gone = [...known.keys()].filter((id) => !kept.has(id));
    const changed = playsOf(after).filter((play) => differs(known.get(play.id), play));
    // Oldest first, so that the numbers ascend with time.
    const begun = playsOf(after)
      .filter(({ id }) => !known.has(id))
      .reverse();
    const stored = await this.db.rows(
      STORE,
      [
        stream,
        version,
        after.current?.id ?? null,
        after.next?.title ?? null,
        after.next?.artist ?? null,
        after.next?.cover ?? null,
        timestampOrNull(after.reportedAt),
        gone,
        asJson(changed),
        asJson(begun),
      ],
      'store-now-playing',
    );
    return stored.length === 1;
  }
}

function toNowPlaying({ current, next, reported_at, past }: StateRow): NowPlaying {
  return {
    current: withoutNumber(current),
    next,
    reportedAt: reported_at,
    past: past.map(withoutNumber).filter((play) => play !== null),
  };
}

function playsOf({ current, past }: NowPlaying): readonly Play[] {
  return current ? [current, ...past] : past;
}

function differs(before: Play | undefined, after: Play): boolean {
  if (before === undefined) return false;
  return (Object.keys(after) as (keyof Play)[]).some((field) => before[field] !== after[field]);
}

function asJson(plays: readonly Play[]): string {
  return JSON.stringify(
    plays.map((play) => ({
      ...play,
      startedAt: timestamp(play.startedAt),
      announcedStart: timestampOrNull(play.announcedStart),
    })),
  );
}
