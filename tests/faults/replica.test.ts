import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { createService, loadConfig } from '../../src/infrastructure/index.js';
import { type Clients, query } from '../support/checker.js';
import { Exposition } from '../support/exposition.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { FULL, figure } from '../support/figures.js';
import { type FilledDirectory, filledDirectory } from '../support/filled-directory.js';
import { type Nodes, startNodes, untilTrue } from '../support/nodes.js';
import { type PostgresServer, type TestDatabase, startPostgres } from '../support/postgres-server.js';
import { freePort } from '../support/running-service.js';

const SONGS = FULL ? 200 : 20;

describe('Beside a replica', function () {
  this.timeout(FULL ? 300_000 : 60_000);
  let server: PostgresServer | null;
  let replica: PostgresServer;
  let proxy: FaultProxy;
  let database: TestDatabase;
  let directory: FilledDirectory;
  let running: Nodes;

  before('needs PostgreSQL on this machine, and one of our own', async function () {
    server = await startPostgres();
    if (!server?.startReplica) return this.skip();
    database = await server.createDatabase();
    directory = await filledDirectory(database.url, { streams: 20, users: 2, reports: 1 });
    replica = await server.startReplica();
    const { hostname, port } = new URL(database.url);
    proxy = await new FaultProxy({ host: hostname, port: Number(port) }).open();
    running = await startNodes(2, proxy.through(database.url), {
      DATABASE_REPLICA_URL: onReplica(),
      LOG_LEVEL: 'info',
    });
    await untilTrue(async () =>
      running.nodes.every((_, index) => logOf(index).includes('the replica is read')),
    );
  });
  after(async () => {
    await running?.stop();
    await proxy?.close();
    await replica?.stop();
    await server?.stop();
  });

  const onReplica = () => {
    const url = new URL(database.url);
    url.port = new URL(replica.url).port;
    return url.href;
  };
  const clients = (index: number): Clients => {
    const node = running.nodes[index];
    if (!node) throw new Error('There is no such node.');
    return node.clients;
  };
  const logOf = (index: number) => running.nodes[index]?.service.output() ?? '';
  const stream = (index = 0) => directory.streams[index] ?? { id: 0, uuid: '' };
  const push = (index: number, title: string, at = 0) =>
    clients(index).ask({
      method: 'POST',
      path: `/stream/update/${stream(at).uuid}`,
      bearer: directory.token,
      body: { title, artist: 'Somebody' },
    });
  const shows = async (index: number, title: string, at = 0) => {
    const list = await clients(index).ask({ path: '/stream' });
    const history = await clients(index).ask({ path: `/stream/${stream(at).id}/history` });
    return [list, history].every((answer) => answer?.status === 200 && answer.body.includes(title));
  };
  const replicaIsRead = async () =>
    running.nodes.every((_, index) => {
      const said = logOf(index).match(/the replica (is read|does not answer|is more than 5 s behind)/g);
      return said?.at(-1) === 'the replica is read';
    });

  it('listings and histories come from it: they need no primary', async () => {
    clients(0).answers.length = 0;
    server?.faults?.freeze();
    for (let round = 0; round < 25; round += 1) {
      const at = stream(round % 20).id;
      for (const path of ['/stream', `/stream/${at}/history`, '/organization', '/stats'])
        expect((await clients(0).ask({ path }))?.status).to.equal(200);
    }
    server?.faults?.thaw();
    figure('replica: reads while the primary is frozen', { asked: 100, 'slowest ms': clients(0).slowest });
    expect(clients(0).slowest).to.be.below(1_000);
  });

  it('what is for a caller only is what the primary says, although the replica stands still', async () => {
    // This node has written nothing yet that could keep it from the replica.
    await query(replica.url, 'select pg_wal_replay_pause()');
    const [, user] = directory.users;
    const own = async () => clients(1).ask({ path: '/user/streams', bearer: user?.jwt ?? '' });
    expect((await own())?.body).to.equal('[]');
    const { organization, token } = directory;
    await query(
      database.url,
      'insert into organization_members (organization_id, account_id) values ($1, $2)',
      [organization, user?.session.user],
    );
    expect((await own())?.body).to.include(stream().uuid);
    await query(database.url, `update streams set name = 'Renamed meanwhile' where id = $1`, [stream().id]);
    const path = `/organization/${organization}/token/streams/details`;
    expect((await clients(1).ask({ path, bearer: token }))?.body).to.include('Renamed meanwhile');
    await query(
      database.url,
      'update accounts set credential_version = credential_version + 1 where id = $1',
      [user?.session.user],
    );
    expect((await own())?.status).to.equal(401);
    await query(replica.url, 'select pg_wal_replay_resume()');
    await untilTrue(replicaIsRead);
  });

  it('a song that was pushed shows at once on its node and within a second on every other', async () => {
    const delays: number[] = [];
    for (let song = 0; song < SONGS; song += 1) {
      const at = song % directory.streams.length;
      const title = `Pushed ${song}.`;
      expect((await push(song % 2, title, at))?.status).to.equal(200);
      expect(await shows(song % 2, title, at)).to.equal(true);
      delays.push(await untilTrue(() => shows((song + 1) % 2, title, at)));
    }
    figure('replica: song to another node', { songs: SONGS, 'slowest ms': Math.max(...delays) });
    expect(Math.max(...delays)).to.be.below(1_000);
  });

  it('a user sees his own vote although the replica stands still', async () => {
    await query(replica.url, 'select pg_wal_replay_pause()');
    const [user] = directory.users;
    const path = `/stream/${stream().id}/vote`;
    for (let vote = 0; vote < 10; vote += 1) {
      await clients(0).ask({ method: 'POST', path, bearer: user?.jwt ?? '', body: { voteType: 'up' } });
      const seen = await clients(1).ask({ path: `${path}s`, bearer: user?.jwt ?? '' });
      expect(JSON.parse(seen?.body ?? '{}')).to.include({ userVote: vote % 2 === 0 ? 'up' : null });
    }
    expect((await push(0, 'While it stands still'))?.status).to.equal(200);
    for (let round = 0; round < 20; round += 1)
      expect(await shows(0, 'While it stands still')).to.equal(true);
    await query(replica.url, 'select pg_wal_replay_resume()');
    await untilTrue(() => shows(1, 'While it stands still'));
  });

  it('an idle primary looks like no lag', async () => {
    const before = logOf(0).split('behind').length;
    await pause(FULL ? 30_000 : 6_500);
    expect(logOf(0).split('behind')).to.have.length(before);
    expect(await replicaIsRead()).to.equal(true);
  });

  it('the primary is read when the replica lags more than 5 s, and the replica again when it has caught up', async () => {
    await query(replica.url, 'select pg_wal_replay_pause()');
    const pushedAt = performance.now();
    await push(0, 'Far ahead');
    const shown = await untilTrue(() => shows(1, 'Far ahead'), 15_000);
    expect(logOf(1)).to.include('the replica is more than 5 s behind');
    await query(replica.url, 'select pg_wal_replay_resume()');
    const resumedAt = performance.now();
    await untilTrue(replicaIsRead);
    figure('replica: lag', {
      'primary read after ms': shown,
      'replica read again after ms': Math.round(performance.now() - resumedAt),
    });
    expect(performance.now() - pushedAt).to.be.below(15_000);
    expect(shown).to.be.above(4_000).and.below(7_000);
  });

  it('nobody notices that it is frozen, killed or back', async () => {
    const { faults } = replica;
    if (!faults) throw new Error('It is not ours.');
    for (const [what, fail, mend] of [
      ['frozen', () => faults.freeze(), () => faults.thaw()],
      ['killed', () => faults.kill(), () => faults.restart()],
    ] as const) {
      clients(0).answers.length = 0;
      clients(1).answers.length = 0;
      await fail();
      for (let round = 0; round < 20; round += 1) {
        expect((await push(0, `${what} ${round}`))?.status).to.equal(200);
        await untilTrue(() => shows(1, `${what} ${round}`), 3_000);
      }
      await mend();
      const back = await untilTrue(replicaIsRead);
      const slowest = clients(1).slowest;
      figure(`replica ${what}`, { 'slowest read ms': slowest, 'read again after ms': back });
      for (const answer of [...clients(0).answers, ...clients(1).answers])
        expect(answer.status).to.equal(200);
      expect(slowest).to.be.below(1_000);
    }
  });

  it('reads go on while the primary is away, and all goes on once the replica was promoted in its place', async () => {
    const pids = running.nodes.map(({ service }) => service.process.pid);
    expect((await push(0, 'The last song on the old primary'))?.status).to.equal(200);
    await untilTrue(() => shows(1, 'The last song on the old primary'));
    await untilTrue(async () => {
      const [row] = await query<{ here: boolean }>(
        onReplica(),
        `select exists (select from plays where title = 'The last song on the old primary') as here`,
      );
      return row?.here === true;
    });
    await pause(600);

    await server?.faults?.kill();
    expect(await shows(1, 'The last song on the old primary')).to.equal(true);
    expect((await push(0, 'Nowhere to go'))?.status).to.equal(503);

    const promotedAt = performance.now();
    await query(replica.url, 'select pg_promote()');
    const { hostname, port } = new URL(replica.url);
    proxy.target = { host: hostname, port: Number(port) };
    proxy.reset();
    await untilTrue(async () => (await push(0, 'The first song on the new one'))?.status === 200);
    const working = Math.round(performance.now() - promotedAt);
    await untilTrue(() => shows(1, 'The first song on the new one'));
    figure('failover', {
      'writes after ms': working,
      'shown after ms': Math.round(performance.now() - promotedAt),
    });
    expect(working).to.be.below(3_000);
    expect(running.nodes.map(({ service }) => service.process.pid)).to.deep.equal(pids);
    expect(running.nodes.every(({ service }) => service.process.exitCode === null)).to.equal(true);
  });
});

describe('A replica that was never reached', function () {
  this.timeout(60_000);
  let server: PostgresServer | null;
  let database: TestDatabase;
  before('needs PostgreSQL on this machine', async function () {
    server = await startPostgres();
    if (!server) return this.skip();
    database = await server.createDatabase();
  });
  after(() => server?.stop());

  const elsewhere = (parts: { port?: string; pathname?: string }) =>
    Object.assign(new URL(database.url), { password: 'hush', ...parts }).href;

  for (const [what, url, reason] of [
    ['is away', async () => elsewhere({ port: String(await freePort()) }), /ECONNREFUSED/],
    ['refuses us', async () => elsewhere({ pathname: '/no-such-database' }), /no-such-database/],
  ] as const)
    it(`is told to the log with the reason when it ${what}, and its lag is unknown`, async () => {
      const lines: string[] = [];
      const service = await createService(
        loadConfig({
          DATABASE_URL: database.url,
          DATABASE_REPLICA_URL: await url(),
          DATA_DIR: '/nonexistent',
          JWT_SECRETS: 'a secret of the tests of more than thirty-two bytes',
        }),
        pino({}, { write: (line: string) => void lines.push(line) }),
      );
      const told = () => lines.filter((line) => line.includes('the replica does not answer'));
      try {
        await untilTrue(async () => told().length > 0);
        const seen = new Exposition(await service.metrics());
        expect(seen.value('replica_lag_seconds', { database: 'replica' })).to.deep.equal(NaN);
      } finally {
        await service.close();
      }
      expect(told()).to.have.length(1);
      expect((JSON.parse(told().join('')) as { reason?: string }).reason).to.match(reason);
      expect(lines.join('')).to.not.include('hush');
    });
});

describe('A replica of something else', function () {
  this.timeout(60_000);
  let server: PostgresServer | null;
  let other: PostgresServer | null;
  const replicas: PostgresServer[] = [];
  let database: TestDatabase;
  before('needs PostgreSQL on this machine, and two of our own', async function () {
    [server, other] = [await startPostgres(), await startPostgres()];
    if (!server?.startReplica || !other?.startReplica) return this.skip();
    database = await server.createDatabase();
    await filledDirectory(database.url, { streams: 3, users: 0 });
  });
  after(async () => {
    for (const one of [...replicas, server, other]) await one?.stop();
  });

  const following = async (followed: PostgresServer | null, databaseUrl: string) => {
    const replica = await followed?.startReplica?.();
    if (!replica) throw new Error('It is not ours.');
    replicas.push(replica);
    return Object.assign(new URL(databaseUrl), { port: new URL(replica.url).port }).href;
  };
  const anotherDirectory = async () => {
    const theirs = (await other?.createDatabase())?.url ?? '';
    await filledDirectory(theirs, { streams: 1, users: 0 });
    // It is far ahead of ours, which looks like a replica that has everything.
    for (let file = 0; file < 3; file += 1) {
      await query(theirs, 'create table more()');
      await query(theirs, 'drop table more');
      await query(theirs, 'select pg_switch_wal()');
    }
    return following(other, theirs);
  };

  for (const [what, url, said] of [
    ['another database of the same server', () => following(server, server?.url ?? ''), 'does not answer'],
    ['another primary', anotherDirectory, 'names no replica of the primary'],
  ] as const)
    it(`is never read, and told to the log once: ${what}`, async () => {
      const lines: string[] = [];
      const service = await createService(
        loadConfig({
          DATABASE_URL: database.url,
          DATABASE_REPLICA_URL: await url(),
          PORT: '0',
          HOST: '127.0.0.1',
          DATA_DIR: '/nonexistent',
          JWT_SECRETS: 'a secret of the tests of more than thirty-two bytes',
        }),
        pino({}, { write: (line: string) => void lines.push(line) }),
      );
      const told = () => lines.filter((line) => line.includes('replica'));
      try {
        const { port } = await service.listen();
        await untilTrue(async () => told().length > 0);
        for (let round = 0; round < 40; round += 1) {
          const listed = await fetch(`http://127.0.0.1:${port}/stream`);
          expect(await listed.json()).to.have.length(3);
          await pause(25);
        }
      } finally {
        await service.close();
      }
      expect(told()).to.have.length(1);
      expect(told()[0]).to.include(said);
    });
});
