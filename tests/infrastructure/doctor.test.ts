import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { SMTPServer } from 'smtp-server';
import {
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from '../../src/adapters/postgres/embedded-database.js';
import { migrateDown, migrateUp } from '../../src/adapters/postgres/migrations.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { diagnose } from '../../src/infrastructure/doctor/diagnose.js';
import type { Finding } from '../../src/infrastructure/doctor/finding.js';
import { checkClocks } from '../../src/infrastructure/doctor/storage-checks.js';
import { sharedPostgres, startPostgres } from '../support/postgres-server.js';
import { startRedis, startRedisCluster } from '../support/redis-server.js';
import { freePort } from '../support/running-service.js';

const SECRET = 'kq8fZ2-uV7wYp0sXb4nLm9tRc3hJd6gA';

/** Permissions do not bind the superuser, whom containers run tests as. */
async function unprivileged<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe('The doctor', function () {
  this.timeout(120_000);
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'radio-directory-doctor-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  const examined = (variables: Record<string, string> = {}) => diagnose({ DATA_DIR: dataDir, ...variables });
  const about = (findings: readonly Finding[], check: string) =>
    findings.filter((finding) => finding.check === check).map(({ state, message }) => `${state}: ${message}`);

  it('finds nothing wrong with a place where no server has run yet, and leaves nothing behind', async () => {
    const findings = await examined();
    expect(findings.filter(({ state }) => state !== 'ok')).to.deep.equal([]);
    expect(findings.map(({ check }) => check)).to.include.members([
      ...[
        'configuration',
        'data directory',
        'database',
        'redis',
        'smtp',
        'jwt secret',
        'public url',
        'limits',
      ],
    ]);
    expect(readdirSync(dataDir)).to.deep.equal([]);
    const elsewhere = join(dataDir, 'not', 'there');
    expect(about(await examined({ DATA_DIR: elsewhere }), 'data directory')[0]).to.match(/^ok: .* created/);
    expect(existsSync(elsewhere)).to.equal(false);
  });

  it('says what to do about everything that is not as it should be', async () => {
    const findings = await examined({
      ...{ NODE_ENV: 'production', RATE_LIMITS: 'off', JWT_SECRETS: 'a'.repeat(40), LOG_LEVEL: 'loud' },
      ...{ DATABASE_URL: `postgres://u:hush@127.0.0.1:${await freePort()}/d`, MAIL_FROM: 'x' },
    });
    const wrong = findings.filter(({ state }) => state !== 'ok');
    expect(wrong.length).to.be.at.least(6);
    for (const { message, advice } of wrong) {
      expect(message).to.match(/\.$/);
      expect(advice).to.match(/\S/);
    }
    expect(JSON.stringify(findings)).to.not.include('hush').and.not.include('aaaa');
  });

  it('lists every mistake of the configuration, and still looks at the rest', async () => {
    const findings = await examined({ PORT: 'seven', TRUST_PROXY: 'everybody', DATABASE_URL: 'mysql://x' });
    const mistakes = about(findings, 'configuration');
    expect(mistakes).to.have.length(3);
    expect(mistakes.join())
      .to.match(/problem: PORT must be/)
      .and.match(/DATABASE_URL must be/);
    expect(about(findings, 'database')).to.deep.equal(['warning: Not checked, for DATABASE_URL is wrong.']);
    expect(about(findings, 'redis')[0]).to.match(/^ok/);
  });

  it('looks at the rest also where both listeners want one port', async () => {
    const findings = await examined({ PORT: '9000' });
    expect(about(findings, 'configuration')[0]).to.match(/^problem: MANAGEMENT_PORT must be another/);
    expect(about(findings, 'redis')[0]).to.match(/^ok/);
  });

  it('says that production needs JWT_SECRETS, and looks at the rest as production', async () => {
    const findings = await examined({ NODE_ENV: 'production' });
    expect(about(findings, 'configuration')[0]).to.match(/^problem: JWT_SECRETS is required/);
    expect(about(findings, 'jwt secret')).to.deep.equal([]);
    expect(about(findings, 'public url')[0]).to.match(/^problem/);
  });

  describe('looking at the data directory', () => {
    it('finds a file in its place', async () => {
      const file = join(dataDir, 'file');
      writeFileSync(file, '');
      expect(about(await examined({ DATA_DIR: file }), 'data directory')).to.deep.equal([
        `problem: ${file} is a file.`,
      ]);
    });

    it('finds a folder that this user may not write', async () => {
      chmodSync(dataDir, 0o500);
      const findings = await unprivileged(() => examined());
      chmodSync(dataDir, 0o700);
      expect(about(findings, 'data directory')[0]).to.match(/^problem: This user may not write/);
    });

    it('finds a folder and a secret that others can open', async () => {
      chmodSync(dataDir, 0o755);
      const secret = join(dataDir, 'jwt-secret');
      writeFileSync(secret, `${SECRET}\n`);
      chmodSync(secret, 0o644);
      const findings = await examined();
      expect(about(findings, 'data directory')[0]).to.match(/^warning: Others on this machine/);
      expect(about(findings, 'jwt secret')[0]).to.match(/^problem: Others on this machine/);
      chmodSync(secret, 0o600);
      expect(about(await examined(), 'jwt secret')[0]).to.match(/^ok/);
      writeFileSync(secret, 'short');
      expect(about(await examined(), 'jwt secret')[0]).to.match(/^problem: .* too short/);
    });
  });

  describe('looking at the database', () => {
    describe('in a folder', () => {
      let folder: string;
      let embedded: EmbeddedDatabase;
      let db: PostgresDatabase;
      before(async () => {
        folder = mkdtempSync(join(tmpdir(), 'radio-directory-doctor-'));
        embedded = await openEmbeddedDatabase(folder, { role: 'owner' });
        db = new PostgresDatabase(embedded.connection);
      });
      beforeEach(() => migrateUp(db));
      after(async () => {
        await db.close();
        await embedded.close();
        expect(about(await examined({ DATA_DIR: folder }), 'database')[0]).to.include('no server runs on it');
        rmSync(folder, { recursive: true });
      });

      it('names the process that runs it', async () => {
        const findings = await examined({ DATA_DIR: folder });
        expect(about(findings, 'database')[0]).to.match(
          new RegExp(`^ok: PostgreSQL .* \\(process ${process.pid} runs it\\)`),
        );
        for (const check of ['schema', 'clock', 'mails']) expect(about(findings, check)[0]).to.match(/^ok/);
      });

      it('finds a schema that is behind, and one that is ahead', async () => {
        await migrateDown(db);
        const behind = await examined({ DATA_DIR: folder });
        await migrateUp(db);
        const tomorrow = `'999-tomorrow'`;
        await db.rows(
          `insert into knex_migrations (name, batch, migration_time) values (${tomorrow}, 1, now())`,
        );
        const ahead = await examined({ DATA_DIR: folder });
        await db.rows(`delete from knex_migrations where name = ${tomorrow}`);
        expect(about(behind, 'schema')[0]).to.match(/^problem: Pending: \d\d\d-/);
        expect(about(ahead, 'schema')[0]).to.equal('warning: A newer version has changed it: 999-tomorrow.');
        expect(about(ahead, 'mails')[0]).to.match(/^ok/);
      });

      it('counts the mails that were given up, and those that could not be sent yet', async () => {
        await db.rows(`insert into accounts (username, username_key, email, password_hash, credential_version, registered_at)
          values ('A', 'a', 'a@a.example', 'x', 1, now())`);
        await db.rows(`insert into mails (account_id, kind, owed_since, not_before, given_up_at)
          values (1, 'reset', now(), now(), now())`);
        const findings = await examined({ DATA_DIR: folder });
        expect(about(findings, 'mails')).to.deep.equal(['warning: 1 were given up.']);
        await db.rows('update mails set given_up_at = null');
        expect(about(await examined({ DATA_DIR: folder }), 'mails')[0]).to.match(/^ok: 1 /);
        await db.rows(`update mails set last_problem = '451 Come back later'`);
        expect(about(await examined({ DATA_DIR: folder }), 'mails')).to.deep.equal([
          'warning: 1 wait after an attempt that failed.',
        ]);
      });
    });

    it('says that a server does not answer, and that a folder holds no database', async () => {
      const port = await freePort();
      const away = await examined({ DATABASE_URL: `postgres://u:hush@127.0.0.1:${port}/d` });
      expect(about(away, 'database')[0]).to.match(
        new RegExp(`^problem: The server at 127\\.0\\.0\\.1:${port} does not answer: .*ECONNREFUSED`),
      );
      mkdirSync(join(dataDir, 'postgres'));
      writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), 'garbage');
      expect(about(await examined(), 'database')[0]).to.match(
        /^problem: The embedded database cannot be opened/,
      );
    });

    it('tells a server that refuses us from one that is away', async function () {
      const server = await sharedPostgres();
      if (!server) return this.skip();
      const url = new URL(server.url);
      url.pathname = '/nowhere';
      expect(about(await examined({ DATABASE_URL: url.href }), 'database')[0]).to.match(
        /^problem: The server at .* is not set up for us: PostgreSQL refused: database "nowhere" does not exist/,
      );
    });

    it('tells a replica of the primary from all other servers', async function () {
      const server = await startPostgres();
      if (!server?.startReplica) return this.skip();
      const replica = await server.startReplica();
      const [one, other] = [await server.createDatabase(), await server.createDatabase()];
      for (const { url } of [one, other]) {
        const db = new PostgresDatabase({ url });
        await migrateUp(db);
        await db.close();
      }
      const on = ({ url }: { url: string }, { url: database }: { url: string }) =>
        Object.assign(new URL(database), { port: new URL(url).port }).href;
      const found = async (url: string) =>
        about(await examined({ DATABASE_URL: one.url, DATABASE_REPLICA_URL: url }), 'replica')[0];
      try {
        while ((await found(on(replica, other)))?.includes('does not exist')) await pause(20);
        expect(await found(on(replica, one))).to.match(/^ok: .* answers\.$/);
        expect(await found(on(replica, other))).to.match(/^problem: .* is a replica of another primary\.$/);
        expect(await found(on(replica, server))).to.match(/^problem: .* is not set up for us: /);
        expect(await found(on(server, one))).to.match(/^problem: .* is no replica: it takes writes/);
        await replica.stop();
        expect(await found(on(replica, one))).to.match(/^problem: .* does not answer: /);
      } finally {
        await replica.stop();
        await server.stop();
      }
    });

    it('warns of a directory in memory', async () => {
      expect(about(await examined({ DATABASE_URL: 'memory:' }), 'database')[0]).to.match(/^warning/);
    });

    for (const [seconds, state] of [
      [0, 'ok'],
      [1.9, 'ok'],
      [-5, 'warning'],
      [90, 'problem'],
      [-90, 'problem'],
    ] as const)
      it(`calls a clock that is ${seconds} s ahead ${state}`, () => {
        expect(checkClocks(seconds * 1_000)).to.include({ state });
      });
  });

  describe('looking at other systems', () => {
    it('finds a mail server that takes our credentials, and one that does not, sending nothing', async () => {
      const mails: string[] = [];
      const server = new SMTPServer({
        authOptional: false,
        disabledCommands: ['STARTTLS'],
        allowInsecureAuth: true,
        onAuth: ({ password }, _, done) =>
          password === 'right' ? done(null, { user: 'u' }) : done(new Error('no such user')),
        onMailFrom: ({ address }, _, done) => {
          mails.push(address);
          done();
        },
      });
      server.on('error', () => {});
      server.listen(0, '127.0.0.1');
      await once(server.server, 'listening');
      const { port } = server.server.address() as AddressInfo;
      const right = await examined({ SMTP_URL: `smtp://u:right@127.0.0.1:${port}` });
      const wrong = await examined({ SMTP_URL: `smtp://u:hush@127.0.0.1:${port}` });
      await new Promise<void>((closed) => server.close(() => closed()));
      expect(about(right, 'smtp')[0]).to.match(/^ok: .* takes our connection/);
      expect(about(wrong, 'smtp')[0]).to.match(/^problem: .* does not take our mails/);
      expect(JSON.stringify(wrong)).to.not.include('hush');
      expect(mails).to.deep.equal([]);
    });

    it('finds a Redis that is away, and one that says nothing', async () => {
      const silent = createServer().listen(0, '127.0.0.1');
      const sockets: { destroy(): unknown }[] = [];
      silent.on('connection', (socket) => sockets.push(socket));
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const findings = await examined({
        REDIS_URL: `redis://:hush@127.0.0.1:${await freePort()},redis://127.0.0.1:${port}`,
      });
      for (const socket of sockets) socket.destroy();
      silent.close();
      expect(about(findings, 'redis')).to.have.length(2);
      expect(about(findings, 'redis')[0]).to.match(/^problem: .*ECONNREFUSED/);
      expect(about(findings, 'redis')[1]).to.match(/^problem: .* does not answer/);
      expect(JSON.stringify(findings)).to.not.include('hush');
    });

    it('finds servers that are no cluster where several are named', async function () {
      const servers = [await startRedis(), await startRedis()];
      const urls = servers.map((server) => server?.url ?? '');
      if (urls.includes('')) return this.skip();
      const findings = about(await examined({ REDIS_URL: urls.join() }), 'redis');
      for (const server of servers) await server?.stop();
      expect(findings).to.have.length(2);
      for (const finding of findings)
        expect(finding).to.match(/^problem: .* is no node of a Redis Cluster\.$/);
    });

    it('finds one node of a Redis Cluster where several must be named, and a cluster that is down', async function () {
      const cluster = await startRedisCluster();
      if (!cluster) return this.skip();
      const found = async (urls: readonly string[]) =>
        about(await examined({ REDIS_URL: urls.join() }), 'redis');
      try {
        for (const finding of await found(cluster.urls)) expect(finding).to.match(/^ok: /);
        expect((await found(cluster.urls.slice(0, 1))).join()).to.match(
          /^problem: .* is a node of a Redis Cluster\.$/,
        );
        await cluster.faults[2]?.kill();
        let [first = ''] = await found(cluster.urls);
        while (first.startsWith('ok')) [first = ''] = await found(cluster.urls);
        expect(first).to.match(/^problem: .* says that its cluster is down\.$/);
      } finally {
        await cluster.stop();
      }
    });
  });

  describe('looking at what is well-formed and unsafe', () => {
    const production = { NODE_ENV: 'production', JWT_SECRETS: SECRET };

    it('finds a secret that can be guessed', async () => {
      expect(
        about(await examined({ JWT_SECRETS: `${SECRET},${'ab'.repeat(20)}` }), 'jwt secret')[0],
      ).to.match(/^problem/);
      expect(about(await examined({ JWT_SECRETS: SECRET }), 'jwt secret')[0]).to.match(/^ok/);
    });

    for (const [url, state] of [
      ['http://localhost:3000', 'problem'],
      ['https://127.0.0.1', 'problem'],
      ['http://radio.example', 'warning'],
      ['https://radio.example', 'ok'],
    ] as const)
      it(`calls ${url} as public address in production ${state}`, async () => {
        const findings = await examined({ ...production, PUBLIC_URL: url });
        expect(about(findings, 'public url')[0]).to.match(new RegExp(`^${state}`));
      });

    it('finds limits that are off, and a trust in everybody', async () => {
      expect(about(await examined({ RATE_LIMITS: 'off' }), 'limits')[0]).to.match(/^warning/);
      expect(about(await examined({ ...production, RATE_LIMITS: 'off' }), 'limits')[0]).to.match(/^problem/);
      expect(about(await examined({ TRUST_PROXY: 'true' }), 'limits')[0]).to.match(/^warning/);
    });

    it('finds that nobody gets a mail', async () => {
      expect(about(await examined(production), 'smtp')[0]).to.match(/^warning/);
    });
  });
});
