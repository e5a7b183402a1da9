import { expect } from 'chai';
import { PostgresDatabase, lock } from '../../src/adapters/postgres/postgres-database.js';
import { isOutage } from '../../src/adapters/postgres/postgres-errors.js';
import { Unavailable } from '../../src/application/errors.js';
import { untilTrue } from '../support/nodes.js';
import { type PostgresFaults, type PostgresServer, startPostgres } from '../support/postgres-server.js';

const coded = (code: string, message = 'refused') => Object.assign(new Error(message), { code });
const named = (name: string) => Object.assign(new Error('Knex: Timeout acquiring a connection.'), { name });

const OUTAGES: readonly Error[] = [
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'].map((code) =>
    coded(code),
  ),
  ...['08000', '08003', '08006', '08P01', '53000', '53100', '53200', '53300'].map((code) => coded(code)),
  ...['57P01', '57P02', '57P03', '57014', '58030', '25006', '25P03'].map((code) => coded(code)),
  new AggregateError([coded('ECONNREFUSED')], ''),
  new Error('Connection terminated'),
  new Error('Connection terminated unexpectedly'),
  new Error('Connection terminated due to connection timeout'),
  new Error('Query read timeout'),
  new Error('timeout expired'),
  new Error('Client has encountered a connection error and is not queryable'),
  new Error('Client was closed and is not queryable'),
  named('KnexTimeoutError'),
];
Object.assign(OUTAGES.find((error) => error instanceof AggregateError) ?? {}, { code: 'ECONNREFUSED' });

const NO_OUTAGES: readonly unknown[] = [
  ...['22021', '22P02', '23502', '23503', '23505', '23514', '40P01', '42601', '42P01', '28P01', '3D000'].map(
    (code) => coded(code),
  ),
  coded('23514', 'Query read timeout'),
  new Error('boom'),
  new TypeError('undefined is not a function'),
  named('TimeoutError'),
  'Query read timeout',
  null,
];

describe('An outage of PostgreSQL', () => {
  for (const error of OUTAGES)
    it(`is ${error.name} ${'code' in error ? String(error.code) : error.message}`, () => {
      expect(isOutage(error)).to.equal(true);
    });

  for (const error of NO_OUTAGES)
    it(`is not ${String(error)} ${error instanceof Error && 'code' in error ? String(error.code) : ''}`, () => {
      expect(isOutage(error)).to.equal(false);
    });

  it('is a server that nobody can reach', async () => {
    const db = new PostgresDatabase({ url: 'postgres://postgres@127.0.0.1:1/postgres' });

    const failure = await failureOf(db.rows('select 1'));

    expect(failure).to.be.instanceOf(Unavailable);
    expect(failure)
      .to.have.property('message')
      .that.matches(/^PostgreSQL is not available: .*ECONNREFUSED/);
    await db.close();
  });
});

describe('An outage of a real PostgreSQL', function () {
  this.timeout(60_000);
  let server: PostgresServer | null;
  let faults: PostgresFaults;
  let db: PostgresDatabase;

  before('needs PostgreSQL on this machine, and one of our own', async function () {
    server = await startPostgres();
    if (!server?.faults) return this.skip();
    faults = server.faults;
    db = new PostgresDatabase({ url: server.url });
  });
  after(async () => {
    await db?.close();
    await server?.stop();
  });

  const works = async () => expect(await db.rows('select 1 as one')).to.deep.equal([{ one: 1 }]);

  it('passes without a restart of ours: the server is killed and comes back', async () => {
    await works();
    const waiting = failureOf(db.rows('select pg_sleep(2)'));
    await works();

    await faults.kill();
    expect(await waiting).to.be.instanceOf(Unavailable);
    expect(await failureOf(db.rows('select 1'))).to.be.instanceOf(Unavailable);
    await faults.restart();

    await works();
  });

  it('passes without a restart of ours: the server hangs and goes on', async () => {
    await works();
    faults.freeze();
    const attempts = [
      db.rows('select 1'),
      db.transaction((statements) => statements.rows('select 1')),
      ...Array.from({ length: 80 }, () => db.rows('select 1')),
    ];
    const startedAt = performance.now();
    const failures = await Promise.all(attempts.map(failureOf));
    const milliseconds = performance.now() - startedAt;
    faults.thaw();
    for (const failure of failures) expect(failure).to.be.instanceOf(Unavailable);
    // Each within three seconds where the machine has the time.
    expect(milliseconds).to.be.below(9_000);

    await works();
  });

  it('is also a statement that takes too long, and its connection is free again', async () => {
    const failure = await failureOf(db.rows('select pg_sleep(10)'));

    expect(failure).to.be.instanceOf(Unavailable);
    expect(failure).to.have.nested.property('cause.code', '57014');
    await works();
  });

  it('is also a transaction that takes too long, though none of its statements does', async () => {
    await db.rows('create table slow (id integer)');
    let statementsDone = 0;
    const failure = await failureOf(
      db.transaction(async (statements) => {
        await statements.rows('insert into slow values (1)');
        for (; statementsDone < 10; statementsDone += 1) await statements.rows('select pg_sleep(0.5)');
      }),
    );

    expect(failure).to.be.instanceOf(Unavailable);
    expect(statementsDone).to.be.below(4);
    expect(await db.rows('select * from slow')).to.deep.equal([]);
    await works();
  });

  it('is, to a process that stands still, also the end of its transaction, for which nobody else waits long', async () => {
    await db.rows('create table locked as select 1 as id');
    const other = new PostgresDatabase({ url: server?.url ?? '' });
    const succeeds = (attempt: Promise<unknown>) =>
      attempt.then(
        () => true,
        () => false,
      );

    let waited: number | null = null;
    const failure = await failureOf(
      db.transaction(async (statements) => {
        await statements.rows('select * from locked for update');
        waited = await untilTrue(() => succeeds(other.rows('update locked set id = 2')));
        await statements.rows('select 1');
      }),
    );

    expect(waited).to.not.equal(null);
    expect(failure).to.be.instanceOf(Unavailable);
    await other.close();
    await works();
  });

  it('lasts no longer than half a minute where a machine vanishes that held a lock', async () => {
    const kept = await db.patiently((knex) =>
      knex.transaction(async (trx) => {
        await lock(trx, 'a test');
        const names = ['idle', 'interval', 'count'].map((name) => `'tcp_keepalives_${name}'`);
        return trx.raw<{ rows: { setting: string }[] }>(
          `select setting from pg_settings where name in (${names.join()}) order by name desc`,
        );
      }),
    );
    const [interval, idle, count] = kept.rows.map(({ setting }) => Number(setting));
    expect((idle ?? NaN) + (interval ?? NaN) * (count ?? NaN)).to.equal(30);
  });

  it('is none where everybody meets a deadlock at once', async () => {
    let meeting = 0;
    const outcomes = await Promise.all(
      Array.from({ length: db.use().limit }, (_, index) => {
        let isFirst = true;
        return db.transaction(async (statements) => {
          const [row] = await statements.rows<{ index: number }>('select $1::integer as index', [index]);
          if (!isFirst) return row?.index;
          isFirst = false;
          meeting += 1;
          while (meeting < db.use().limit) await statements.rows('select 1');
          throw coded('40P01', 'deadlock detected');
        });
      }),
    );
    expect(outcomes).to.deep.equal(outcomes.map((_, index) => index));
  });

  it('undoes the transaction that it meets', async () => {
    await db.rows('create table kept (id integer)');
    const failure = await failureOf(
      db.transaction(async (statements) => {
        await statements.rows('insert into kept values (1)');
        await statements.rows('select pg_terminate_backend(pg_backend_pid())');
      }),
    );

    expect(failure).to.be.instanceOf(Unavailable);
    expect(await db.rows('select * from kept')).to.deep.equal([]);
  });

  it('is also a server that takes no writes any more, which is left for the one in its place', async () => {
    await db.rows('create table written (id integer)');
    // To its connections an old primary is what it was; whoever connects anew finds another one.
    await db.rows('set default_transaction_read_only = on');
    const failure = await failureOf(db.rows('insert into written values (1)'));

    expect(failure).to.be.instanceOf(Unavailable).with.nested.property('cause.code', '25006');
    expect(await db.rows('insert into written values (2) returning id')).to.deep.equal([{ id: 2 }]);
  });

  it('is no commit that PostgreSQL made a rollback of, for an error that nobody minded: that is passed on too', async () => {
    await db.rows('create table undone (id integer)');
    const failure = await failureOf(
      db.transaction(async (statements) => {
        await statements.rows('insert into undone values (1)');
        await failureOf(statements.rows('select 1 / 0'));
      }),
    );

    expect(failure).to.have.property('message', 'The transaction ended with ROLLBACK.');
    expect(await db.rows('select * from undone')).to.deep.equal([]);
    await works();
  });

  it('is no mistake in a statement: that is passed on as it is', async () => {
    expect(await failureOf(db.rows('select nonsense'))).to.have.property('code', '42703');
    const failure = await failureOf(db.transaction(async (statements) => statements.rows('select 1 / 0')));
    expect(failure).to.have.property('code', '22012');
    await works();
  });
});

function failureOf(attempt: Promise<unknown>): Promise<unknown> {
  return attempt.then(
    () => {
      throw new Error('It did not fail.');
    },
    (error: unknown) => error,
  );
}
