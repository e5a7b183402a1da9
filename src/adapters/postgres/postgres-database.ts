import knex, { type Knex } from 'knex';
import { type Client, DatabaseError, type QueryResult } from 'pg';
import { Unavailable } from '../../application/errors.js';
import { MINUTE, SECOND } from '../../domain/ids.js';
import { withFileLock } from './file-lock.js';
import { DatabaseUnusable, isAnswer, isOutage, isWorthRepeating } from './postgres-errors.js';

/** How PostgreSQL is reached. */
export type PostgresConnection =
  | { readonly url: string; readonly isPatient?: boolean }
  /** PGlite behind a Unix socket: all connections share one session. See `openEmbeddedDatabase`. */
  | { readonly socketFolder: string; readonly lockFolder: string };

interface Patience {
  readonly connectMilliseconds: number;
  readonly acquireMilliseconds: number;
  /** PostgreSQL gives up a statement. 0: never. */
  readonly statementMilliseconds: number;
  /** We give up waiting for its answer: a stopped server says nothing at all. 0: never. */
  readonly answerMilliseconds: number;
  /** The same for all answers of a transaction together, left out: however long each of them takes. */
  readonly transactionMilliseconds?: number;
  /** PostgreSQL ends a transaction of which it hears nothing for so long: a stopped process says nothing at all. 0: never. */
  readonly silenceMilliseconds: number;
}

/** A request gets its refusal within three seconds: it may wait for a connection, and then for an answer. */
const SERVING: Patience = {
  connectMilliseconds: SECOND,
  acquireMilliseconds: SECOND,
  statementMilliseconds: 1.5 * SECOND,
  answerMilliseconds: 1.75 * SECOND,
  transactionMilliseconds: 1.75 * SECOND,
  silenceMilliseconds: 2 * SECOND,
};
/** Whoever types a command rather waits. */
const PATIENT: Patience = {
  connectMilliseconds: 5 * SECOND,
  acquireMilliseconds: 10 * SECOND,
  statementMilliseconds: MINUTE,
  answerMilliseconds: MINUTE + SECOND,
  silenceMilliseconds: MINUTE,
};
/** PGlite answers one connection after the other, from one process that has other work too. */
const SERVING_EMBEDDED: Patience = {
  connectMilliseconds: 5 * SECOND,
  acquireMilliseconds: 10 * SECOND,
  statementMilliseconds: 0,
  answerMilliseconds: 10 * SECOND,
  silenceMilliseconds: 0,
};
const WAITING: Patience = {
  connectMilliseconds: 5 * SECOND,
  acquireMilliseconds: 10 * SECOND,
  statementMilliseconds: 0,
  answerMilliseconds: 0,
  silenceMilliseconds: 0,
};

const POOL_SIZE = 10;
/** PGlite works on one statement at a time: more connections only wait for each other. */
const EMBEDDED_POOL_SIZE = 4;
const MAX_REPEATS = 5;

/** A Knex with a pool and time-outs that fit its use. */
export function createKnex(connection: PostgresConnection): Knex {
  const size = 'socketFolder' in connection ? EMBEDDED_POOL_SIZE : POOL_SIZE;
  return pooled(connection, patienceWith(connection), size);
}

function patienceWith(connection: PostgresConnection): Patience {
  if ('socketFolder' in connection) return SERVING_EMBEDDED;
  return connection.isPatient ? PATIENT : SERVING;
}

function pooled(connection: PostgresConnection, patience: Patience, size: number): Knex {
  const address =
    'url' in connection
      ? { connectionString: connection.url }
      : { host: connection.socketFolder, user: 'postgres', database: 'postgres' };
  const silent = () => {};
  return knex({
    client: 'pg',
    connection: {
      ...address,
      application_name: 'radio-directory',
      keepAlive: true,
      connectionTimeoutMillis: patience.connectMilliseconds,
      statement_timeout: patience.statementMilliseconds || false,
      query_timeout: patience.answerMilliseconds,
      idle_in_transaction_session_timeout: patience.silenceMilliseconds,
    },
    pool: { min: 0, max: size, validate: (client: Client) => !abandoned.has(client) },
    acquireConnectionTimeout: patience.acquireMilliseconds,
    // Knex prints what it rejects with as well, on the standard output of whoever runs it.
    log: { warn: silent, error: silent, deprecate: silent, debug: silent },
  });
}

/** Where statements run: each for itself, or inside a transaction. */
export interface Statements {
  /**
   * Runs one statement, with `$1`, `$2` … for `values`.
   * @param name for statements that run often: PostgreSQL parses and plans them once per connection. One name, one text.
   */
  rows<Row>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;
}

/** The connections that Knex pools, which its types leave open. */
interface ConnectionPool {
  acquireConnection(): Promise<Client>;
  releaseConnection(connection: Client): Promise<void>;
  /** Gone once it is closed. */
  readonly pool?: {
    readonly max: number;
    numUsed(): number;
    numFree(): number;
    numPendingAcquires(): number;
  };
}

/**
 * PostgreSQL, real or embedded. Promises reject with {@link Unavailable} when it cannot
 * answer, with {@link DatabaseUnusable} when it is not set up for us, else with what it said.
 */
export class PostgresDatabase implements Statements {
  readonly #knex: Knex;
  readonly #pool: ConnectionPool;
  /** In the one session that all connections to PGlite share, a name would be taken for all of them. */
  readonly #namesStatements: boolean;
  #outages = 0;

  constructor(private readonly connection: PostgresConnection) {
    this.#knex = createKnex(connection);
    this.#pool = this.#knex.client as ConnectionPool;
    this.#namesStatements = 'url' in connection;
  }

  rows<Row>(text: string, values: readonly unknown[] = [], name?: string): Promise<Row[]> {
    return this.#connected(async (client) => (await this.#ask<Row>(client, text, values, name)).rows);
  }

  /** Commits when `work` resolves, rolls back when it rejects. `work` may run again after a deadlock. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#connected(async (client) => {
      const endsAt = performance.now() + (patienceWith(this.connection).transactionMilliseconds ?? Infinity);
      const ask: Ask = (text, values = [], name) => this.#ask(client, text, values, name, endsAt);
      await ask('begin');
      const result = await untilFailure(ask, work);
      const { command } = await ask('commit');
      if (command !== 'COMMIT') throw new Error(`The transaction ended with ${command}.`);
      return result;
    });
  }

  /** `work` gets a Knex of its own that waits as long as it takes. */
  async patiently<T>(work: (knex: Knex) => Promise<T>): Promise<T> {
    const patient = pooled(this.connection, WAITING, 1);
    try {
      return await work(patient);
    } catch (error) {
      throw asThrown(error);
    } finally {
      await patient.destroy();
    }
  }

  /** Runs `work` while no other work of this name runs on this database, in any process; later ones wait. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    if ('lockFolder' in this.connection) return withFileLock(this.connection.lockFolder, name, work);
    return this.patiently((patient) =>
      patient.transaction(async (trx) => {
        await lock(trx, name);
        return work();
      }),
    );
  }

  /** Its connections, who waits for one, and how often it could not answer so far. */
  use() {
    const { pool } = this.#pool;
    return {
      used: pool?.numUsed() ?? 0,
      free: pool?.numFree() ?? 0,
      limit: pool?.max ?? 0,
      pending: pool?.numPendingAcquires() ?? 0,
      outages: this.#outages,
    };
  }

  async close(): Promise<void> {
    await this.#knex.destroy();
  }

  async #connected<T>(work: (client: Client) => Promise<T>): Promise<T> {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await this.#onceConnected(work);
      } catch (error) {
        if (isWorthRepeating(error) && repeats < MAX_REPEATS) continue;
        if (isOutage(error)) this.#outages += 1;
        throw asThrown(error);
      }
    }
  }

  async #onceConnected<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.#pool.acquireConnection();
    try {
      return await work(client);
    } catch (error) {
      if (isOutage(error) && !isAnswer(error)) abandon(client);
      throw error;
    } finally {
      await this.#pool.releaseConnection(client);
    }
  }

  /** @param endsAt when it must have answered, by `performance.now()` */
  #ask<Row>(
    client: Client,
    text: string,
    values: readonly unknown[] = [],
    name?: string,
    endsAt = Infinity,
  ): Promise<QueryResult<Row & object>> {
    const left = endsAt - performance.now();
    if (left <= 0) throw new Error('timeout expired before the transaction ended');
    const timed = left < Infinity ? { query_timeout: Math.ceil(left) } : {};
    const named = name !== undefined && this.#namesStatements ? { name } : {};
    return client.query<Row & object>({ text, values: [...values], ...named, ...timed });
  }
}

/** Sends one statement of a transaction. */
type Ask = <Row>(
  text: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<QueryResult<Row & object>>;

async function untilFailure<T>(ask: Ask, work: (statements: Statements) => Promise<T>): Promise<T> {
  try {
    return await work({
      rows: async <Row>(text: string, values?: readonly unknown[], name?: string) =>
        (await ask<Row>(text, values, name)).rows,
    });
  } catch (error) {
    if (!isOutage(error) || isAnswer(error)) await ask('rollback');
    throw error;
  }
}

/** Half a minute after the last that was heard of a machine; PostgreSQL's own is the system's, two hours on Linux. */
const KEEPALIVES = `select set_config('tcp_keepalives_idle', '15', true),
  set_config('tcp_keepalives_interval', '5', true), set_config('tcp_keepalives_count', '3', true)`;

/** Waits for the advisory lock of this name, and holds it until the transaction ends, or the machine is gone. */
export async function lock(trx: Knex.Transaction, name: string): Promise<void> {
  await trx.raw(KEEPALIVES);
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`radio-directory ${name}`]);
}

/** Connections that the pool must not give out again. Knex only knows those that it saw end. */
const abandoned = new WeakSet<Client>();

/** It may still wait for an answer, and would make the next request wait as well. */
function abandon(client: Client): void {
  abandoned.add(client);
  client.end().catch(() => {
    // It was lost already.
  });
}

function asThrown(error: unknown): unknown {
  // There PostgreSQL repeats the row, password hash and all, or the values that it was given (if it is set to log them
  // with errors); and logs show whatever an error has.
  if (error instanceof DatabaseError) error.detail = error.where = undefined;
  return isOutage(error) ? new Unavailable('PostgreSQL', error) : (DatabaseUnusable.from(error) ?? error);
}
