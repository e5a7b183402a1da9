import type { ListedStream } from '../../application/ports/directory-read-model.js';
import type { StreamId } from '../../domain/ids.js';
import type { PostgresDatabase } from './postgres-database.js';
import {
  type NoStream,
  STREAMS,
  STREAM_COLUMNS,
  type StreamRow,
  isStream,
  toListedStream,
} from './stream-rows.js';

/**
 * `horizon`: transactions with a lower number had ended when this was read, so what they did is in it. Numbers mean
 * something on one server only, which its start tells from any other, also behind one address.
 */
const READING = `
  select pg_snapshot_xmin(pg_current_snapshot())::text as horizon, pg_postmaster_start_time()::text as server`;

/** In pages, so that no single statement takes long however many streams there are. */
const PAGE = `
  with reading as (${READING})
  select reading.*, page.*
  from reading left join (
    select ${STREAM_COLUMNS}, c.changed_in::text
    from ${STREAMS} left join stream_changes c on c.stream_id = s.id
    where s.is_active and s.id > $1 order by s.id limit $2
  ) as page on true`;

const CHANGED = `
  with reading as (${READING})
  select reading.*, c.stream_id as changed, ${STREAM_COLUMNS}, c.changed_in::text
  from reading
    left join (select * from stream_changes where changed_in >= $1::xid8 limit $2) as c on true
    left join (${STREAMS}) on s.id = c.stream_id and s.is_active`;

interface Reading {
  readonly horizon: string;
  readonly server: string;
}
/** `changed_in` is null where nothing changed since changes are noted. */
type ReadStream = Reading & (StreamRow | NoStream) & { readonly changed_in: string | null };
type ChangedStream = ReadStream & { readonly changed: StreamId | null };

interface Copy extends Reading {
  readonly list: readonly ListedStream[];
  /** By transaction, so that what is read twice is recognised. */
  readonly changedIn: ReadonlyMap<StreamId, string | null>;
}

/** All active streams. Keeps what it read, and then reads only what changed: a stream that did not stays the same object. */
export class PostgresStreamList {
  #copy: Copy | null = null;
  #running: Promise<readonly ListedStream[]> | null = null;
  #waiting: Promise<readonly ListedStream[]> | null = null;

  constructor(
    private readonly db: PostgresDatabase,
    private readonly pageSize = 5_000,
  ) {}

  /** Never older than the call. Calls that come while the database is asked share the next question. */
  read(): Promise<readonly ListedStream[]> {
    if (this.#waiting) return this.#waiting;
    if (!this.#running) return this.#start();
    this.#waiting = this.#running.then(
      () => this.#start(),
      (error: unknown) => {
        // They share the failure too: asking in vain once takes long enough.
        this.#waiting = null;
        throw error;
      },
    );
    return this.#waiting;
  }

  #start(): Promise<readonly ListedStream[]> {
    this.#waiting = null;
    const running = this.#upToDate().finally(() => {
      this.#running = null;
    });
    this.#running = running;
    return running;
  }

  async #upToDate(): Promise<readonly ListedStream[]> {
    this.#copy = (this.#copy && (await this.#withChanges(this.#copy))) ?? (await this.#readAll());
    return this.#copy.list;
  }

  /** Of what changes between two pages the next reading of changes tells: they count from the first page on. */
  async #readAll(): Promise<Copy> {
    const streams: (StreamRow & ReadStream)[] = [];
    for (let first: Reading | null = null; ;) {
      const rows = await this.db.rows<ReadStream>(
        PAGE,
        [streams.at(-1)?.id ?? 0, this.pageSize],
        'page-of-streams',
      );
      const page = rows.filter(isStream);
      streams.push(...page);
      first ??= readingOf(rows);
      if (page.length === this.pageSize) continue;
      return {
        ...first,
        list: streams.map(toListedStream),
        changedIn: new Map(streams.map(({ id, changed_in }) => [id, changed_in])),
      };
    }
  }

  /** null: all must be read again. This is another server, where the copy means nothing; or more changed than fits a page. */
  async #withChanges(copy: Copy): Promise<Copy | null> {
    const values = [copy.horizon, this.pageSize + 1];
    const rows = await this.db.rows<ChangedStream>(CHANGED, values, 'changed-streams');
    const reading = readingOf(rows);
    if (reading.server !== copy.server || rows.length > this.pageSize) return null;
    const changed = rows.filter((row) => isNews(row, copy));
    if (changed.length === 0) return { ...copy, ...reading };
    const gone = new Set(changed.map((row) => row.changed));
    const changedIn = new Map([...copy.changedIn].filter(([id]) => !gone.has(id)));
    const streams = changed.filter(isStream);
    for (const { id, changed_in } of streams) changedIn.set(id, changed_in);
    const kept = copy.list.filter(({ id }) => !gone.has(id));
    return { ...reading, list: inOrder([...kept, ...streams.map(toListedStream)]), changedIn };
  }
}

function isNews({ id, changed, changed_in }: ChangedStream, { changedIn }: Copy): boolean {
  if (changed === null) return false;
  return id === null ? changedIn.has(changed) : changedIn.get(changed) !== changed_in;
}

function readingOf([first]: readonly Reading[]): Reading {
  if (!first) throw new Error('PostgreSQL told nothing of itself.');
  return { horizon: first.horizon, server: first.server };
}

function inOrder(streams: ListedStream[]): readonly ListedStream[] {
  return streams.sort((one, other) => one.id - other.id);
}
