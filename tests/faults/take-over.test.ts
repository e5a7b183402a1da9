import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import type { Instant } from '../../src/domain/ids.js';
import { aNewAccount, must } from '../support/builders.js';
import { query } from '../support/checker.js';
import { figure } from '../support/figures.js';
import { JWT_SECRET, filledDirectory } from '../support/filled-directory.js';
import { untilTrue } from '../support/nodes.js';
import { type TestDatabase, sharedPostgres } from '../support/postgres-server.js';
import { storageOn } from '../support/postgres-storage.js';
import { PROGRAM, cleanEnvironment, freePort, startService } from '../support/running-service.js';
import { SmtpSink } from '../support/smtp-sink.js';

describe('What a node was at when it was killed, another one does', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let dataDir: string;
  let sink: SmtpSink;
  let ended: (() => Promise<unknown>)[];
  before('needs PostgreSQL on this machine, or TEST_DATABASE_URL', async function () {
    if (!(await sharedPostgres())) this.skip();
  });
  beforeEach(async () => {
    const server = await sharedPostgres();
    if (!server) throw new Error('There was a PostgreSQL just now.');
    database = await server.createDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'radio-directory-'));
    sink = await new SmtpSink().open();
    ended = [];
  });
  afterEach(async () => {
    for (const end of ended) await end();
    await sink.close();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const environment = () => ({
    DATABASE_URL: database.url,
    JWT_SECRETS: JWT_SECRET,
    SMTP_URL: sink.url,
    LOG_LEVEL: 'info',
  });
  const start = async () => {
    const node = await startService(dataDir, environment());
    ended.push(() => node.end('SIGKILL'));
    return node;
  };
  /** One that does not come to answer. */
  const begin = async () => {
    const env = {
      ...cleanEnvironment(),
      ...environment(),
      PORT: String(await freePort()),
      MANAGEMENT_PORT: '',
    };
    const child = spawn(process.execPath, [PROGRAM, 'serve'], { cwd: dataDir, env, stdio: 'ignore' });
    ended.push(async () => child.kill('SIGKILL'));
    return child;
  };
  /** Holds up whoever needs what these statements took; resolves to what lets them go on. */
  const standingInTheWay = async (statements: string) => {
    const client = new Client({ connectionString: database.url });
    client.on('error', () => {
      // It ends with the database at the latest.
    });
    await client.connect();
    await client.query(`begin; ${statements}`);
    return () => client.end();
  };
  /** Until so many connections wait, each for such a lock. */
  const untilWaitingFor = (...kinds: string[]) =>
    untilTrue(async () => {
      const waiting = await query<{ locktype: string }>(
        database.url,
        `select locktype from pg_locks join pg_stat_activity using (pid)
         where datname = current_database() and not granted order by locktype`,
      );
      return waiting.map(({ locktype }) => locktype).join() === kinds.join();
    }, 30_000);
  const occurrences = (output: string, text: string) => output.split(text).length - 1;

  it('the migrations', async () => {
    const letGo = await standingInTheWay('create table votes ()');
    const killed = await begin();
    await untilWaitingFor('transactionid');
    const starting = start();
    await untilWaitingFor('advisory', 'transactionid');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await letGo();
    const startedAt = performance.now();
    const node = await starting;
    const applied = occurrences(node.output(), '"migration applied"');
    const recorded = await query(database.url, 'select from knex_migrations');
    figure('migrations taken over', {
      applied,
      recorded: recorded.length,
      'serving after ms': Math.round(performance.now() - startedAt),
    });
    expect(applied).to.be.above(0).and.equal(recorded.length);
  });

  it('the highlights', async () => {
    await filledDirectory(database.url, { streams: 1, users: 0 });
    const letGo = await standingInTheWay('lock table votes');
    const killed = await start();
    await untilWaitingFor('relation');
    const node = await start();
    await untilWaitingFor('advisory', 'relation');
    await killed.end('SIGKILL');
    await letGo();
    const computed = 'highlights computed';
    const after = await untilTrue(async () => node.output().includes(computed));
    figure('highlights taken over', { 'after ms': after });
    expect([killed, node].map((one) => occurrences(one.output(), computed))).to.deep.equal([0, 1]);
  });

  it('a mail, once its lease is over', async () => {
    await filledDirectory(database.url, { streams: 0, users: 0 });
    const db = new PostgresDatabase({ url: database.url });
    ended.push(() => db.close());
    await sink.become('silent');
    const killed = await start();
    must(await storageOn(db).accounts.register(aNewAccount({ registeredAt: Date.now() as Instant })));
    await untilTrue(async () => sink.conversations === 1);
    const node = await start();
    await killed.end('SIGKILL');
    await sink.become('willing');
    const claimed = await db.rows(
      `update mails set not_before = not_before - interval '1 minute' where is_claimed returning id`,
    );
    const after = await untilTrue(async () => node.output().includes('"mail sent"'));
    figure('mail taken over', { 'after its lease, ms': after });
    expect(claimed).to.have.length(1);
    expect(sink.taken).to.have.length(1);
    expect(await storageOn(db).mailOutbox.list()).to.deep.equal([]);
  });
});
