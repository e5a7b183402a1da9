import { setTimeout as pause } from 'node:timers/promises';
import { SECOND, type StreamId } from '../../domain/ids.js';
import type { PostgresDatabase } from './postgres-database.js';

/** Further behind than this, in milliseconds, a replica is not read. */
const MAX_LAG = 5 * SECOND;
/** How often both are asked where they stand, in milliseconds. */
const INTERVAL = 250;
/** Positions of the primary that the replica has not reached are kept this many intervals. */
const MAX_SAMPLES = 100;

/** When its first migration ran, which tells a directory from any other. Fails where there is none. */
export const DIRECTORY = `(select extract(epoch from min(migration_time)) from knex_migrations)::float8 as directory`;

/** `in-use`: reads go there. `no-replica`: the server follows nobody, as after it was promoted, or another primary. */
export type ReplicaState = 'in-use' | 'lost' | 'behind' | 'no-replica';

/** Told each new state, the first one too; with the reason if it is `lost`. */
export type ReplicaListener = (state: ReplicaState, failure?: unknown) => void;

/** A position in the log of the primary, and when it stood there. Milliseconds of the process's own clock. */
interface Sample {
  readonly at: number;
  readonly position: number;
}

/**
 * How far a streaming replica has followed its primary, told from positions in the log that both state now and then. So
 * neither an idle primary nor a clock that is wrong looks like a lag, and no privilege is needed.
 */
export class Replication {
  readonly #stopping = new AbortController();
  readonly #writtenAt = new Map<StreamId, number>();
  #lastWriteAt = -Infinity;
  #samples: Sample[] = [];
  /** The replica has everything that was written before. */
  #followedUntil = -Infinity;
  /** Of the primary; null: it was never reached. */
  #directory: number | null = null;
  /** null: nobody has looked yet. */
  #state: ReplicaState | null = null;

  constructor(
    private readonly primary: PostgresDatabase,
    private readonly replica: PostgresDatabase,
    private readonly onChange: ReplicaListener,
  ) {}

  get state(): ReplicaState {
    return this.#state ?? 'lost';
  }

  /** NaN: it was never reached. */
  get lagMilliseconds(): number {
    if (this.#followedUntil === -Infinity) return NaN;
    return (this.#samples.at(-1)?.at ?? this.#followedUntil) - this.#followedUntil;
  }

  start(): this {
    void this.#watch();
    return this;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** This process has just changed what a stream plays. */
  wrote(stream: StreamId): void {
    this.#lastWriteAt = performance.now();
    this.#writtenAt.set(stream, this.#lastWriteAt);
  }

  /** The replica did not answer: it is left alone until it does. */
  lost(failure: unknown): void {
    this.#change('lost', failure);
  }

  /** It is little behind, and has what this process wrote: about one stream, or about any. */
  isGoodFor(stream?: StreamId): boolean {
    const writtenAt = stream === undefined ? this.#lastWriteAt : (this.#writtenAt.get(stream) ?? -Infinity);
    return this.#state === 'in-use' && writtenAt < this.#followedUntil;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#look();
      await pause(INTERVAL, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const at = performance.now();
    const [ahead, behind] = await Promise.allSettled([
      this.primary.rows<{ position: number; directory: number }>(
        `select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::float8 as position, ${DIRECTORY}`,
      ),
      this.replica.rows<{ position: number | null; is_replica: boolean; directory: number }>(
        `select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as position,
          pg_is_in_recovery() as is_replica, ${DIRECTORY}`,
      ),
    ]);
    const [primary] = ahead.status === 'fulfilled' ? ahead.value : [];
    if (primary) {
      this.#directory = primary.directory;
      this.#samples = [...this.#samples, { at, position: primary.position }].slice(-MAX_SAMPLES);
    }
    if (behind.status === 'rejected') return this.#change('lost', behind.reason);
    if (this.#directory === null) return;
    const [replica] = behind.value;
    if (!replica?.is_replica || replica.position === null || replica.directory !== this.#directory)
      return this.#change('no-replica');
    this.#follow(replica.position);
    // While the primary is away nothing new is written, and the replica falls no further behind.
    this.#change(this.lagMilliseconds <= MAX_LAG ? 'in-use' : 'behind');
  }

  #follow(position: number): void {
    const reached = this.#samples.filter((sample) => sample.position <= position);
    this.#followedUntil = reached.at(-1)?.at ?? this.#followedUntil;
    this.#samples = this.#samples.filter((sample) => sample.position > position);
    for (const [stream, at] of this.#writtenAt) if (at < this.#followedUntil) this.#writtenAt.delete(stream);
  }

  #change(state: ReplicaState, failure?: unknown): void {
    if (state === this.#state || this.#stopping.signal.aborted) return;
    this.#state = state;
    this.onChange(state, failure);
  }
}
