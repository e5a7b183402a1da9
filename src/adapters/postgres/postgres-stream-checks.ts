import type { StreamChecks } from '../../application/ports/stream-checks.js';
import type { StreamId } from '../../domain/ids.js';
import type { StreamCheck } from '../../domain/stream-check.js';
import type { PostgresDatabase } from './postgres-database.js';
import { instant, timestamp, timestampOrNull } from './sql.js';

type Row = StreamCheck & { readonly stream: StreamId };

const CHECKS = `
  select stream_id as stream, outcome, detail, codec, bitrate, ${instant('checked_at')} as "checkedAt",
    ${instant('broken_since')} as "brokenSince"
  from stream_checks`;

/** The lock keeps a stream from going between the look at it and the write. */
const PUT = `
  with known as (
    select id from streams where id = any($1::integer[]) for key share
  )
  insert into stream_checks (stream_id, checked_at, outcome, detail, codec, bitrate, broken_since)
  select checks.* from jsonb_to_recordset($2::jsonb) as checks (stream integer, "checkedAt" timestamptz,
    outcome text, detail text, codec text, bitrate integer, "brokenSince" timestamptz)
  where stream in (select id from known)
  on conflict (stream_id) do update set checked_at = excluded.checked_at, outcome = excluded.outcome,
    detail = excluded.detail, codec = excluded.codec, bitrate = excluded.bitrate, broken_since = excluded.broken_since`;

export class PostgresStreamChecks implements StreamChecks {
  constructor(private readonly db: PostgresDatabase) {}

  async put(checks: ReadonlyMap<StreamId, StreamCheck>): Promise<void> {
    const rows = [...checks].map(([stream, check]) => ({
      ...check,
      stream,
      checkedAt: timestamp(check.checkedAt),
      brokenSince: timestampOrNull(check.brokenSince),
    }));
    await this.db.rows(PUT, [[...checks.keys()], JSON.stringify(rows)]);
  }

  of(streams: readonly StreamId[]): Promise<ReadonlyMap<StreamId, StreamCheck>> {
    return this.#those(`${CHECKS} where stream_id = any($1::integer[]) order by stream_id`, [streams]);
  }

  broken(): Promise<ReadonlyMap<StreamId, StreamCheck>> {
    return this.#those(`${CHECKS} where outcome <> 'audio' order by stream_id`);
  }

  async #those(statement: string, values?: readonly unknown[]): Promise<ReadonlyMap<StreamId, StreamCheck>> {
    const rows = await this.db.rows<Row>(statement, values);
    return new Map(rows.map(({ stream, ...check }) => [stream, check]));
  }
}
