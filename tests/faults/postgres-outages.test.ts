import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { Client } from 'pg';
import {
  type Answer,
  type Ask,
  type Clients,
  expectOnlyOrderlyRefusals,
  query,
  statuses,
} from '../support/checker.js';
import { FaultProxy, STORMS } from '../support/fault-proxy.js';
import { FULL, figure, seededRandom } from '../support/figures.js';
import { type FilledDirectory, filledDirectory } from '../support/filled-directory.js';
import { type Node, type Nodes, memoryOf, startNodes, untilTrue } from '../support/nodes.js';
import {
  type PostgresFaults,
  type PostgresServer,
  type TestDatabase,
  startPostgres,
} from '../support/postgres-server.js';
import { freePort } from '../support/running-service.js';

/** Milliseconds. The short one lets a request give up that nobody answers. */
const OUTAGE = FULL ? 30_000 : 1_900;
const REFUSING = FULL ? 10_000 : 400;
const PER_SECOND = FULL ? 100 : 40;

describe('While PostgreSQL fails', function () {
  this.timeout(FULL ? 300_000 : 60_000);
  let server: PostgresServer | null;
  let faults: PostgresFaults;
  let proxy: FaultProxy;
  let database: TestDatabase;
  let directory: FilledDirectory;
  let running: Nodes;
  let node: Node;
  let clients: Clients;

  before('needs PostgreSQL on this machine, and one of our own', async function () {
    server = await startPostgres();
    if (!server?.faults) return this.skip();
    faults = server.faults;
    database = await server.createDatabase();
    directory = await filledDirectory(database.url, { streams: 20, users: 20, reports: 1 });
    const { hostname, port } = new URL(database.url);
    proxy = await new FaultProxy({ host: hostname, port: Number(port) }, seededRandom(8)).open();
    running = await startNodes(1, proxy.through(database.url));
    const [first] = running.nodes;
    if (!first) throw new Error('There is no node.');
    node = first;
  });
  beforeEach(async () => {
    clients = node.clients;
    clients.answers.length = 0;
    clients.lost = 0;
    await untilTrue(works);
    clients.answers.length = 0;
  });
  after(async () => {
    await running?.stop();
    await proxy?.close();
    await server?.stop();
  });

  const stream = () => directory.streams[0] ?? { id: 0, uuid: '' };
  const vote = (number: number): Ask => ({
    method: 'POST',
    path: `/stream/${directory.streams[number % directory.streams.length]?.id}/vote`,
    bearer: directory.users[number % directory.users.length]?.jwt ?? '',
    body: { voteType: 'up' },
  });
  const push = (title: string): Ask => ({
    method: 'POST',
    path: `/stream/update/${stream().uuid}`,
    bearer: directory.token,
    body: { title, artist: 'Somebody' },
  });
  const works = async () =>
    (await Promise.all([clients.ask({ path: '/stats' }), clients.ask(vote(0))])).every(
      (answer) => answer?.status === 200,
    );
  const kinds: readonly ((number: number) => Ask)[] = [
    vote,
    (number) => push(`Song ${number}`),
    () => ({ path: `/stream/${stream().id}/history` }),
    (number) => ({ path: `/stream/${stream().id}/votes`, bearer: directory.users[number % 20]?.jwt ?? '' }),
    () => ({ path: '/stats' }),
    () => ({ path: '/organization' }),
    () => ({ path: '/stream' }),
  ];

  /** Clients of every kind go on asking while `during` goes on; what they were answered. */
  const underLoad = async (during: () => Promise<void>): Promise<readonly Answer[]> => {
    const asked: Promise<unknown>[] = [];
    let number = 0;
    const timer = setInterval(() => {
      const kind = kinds[number % kinds.length];
      if (kind) asked.push(clients.ask(kind(number)));
      number += 1;
    }, 1_000 / PER_SECOND);
    const before = clients.answers.length;
    await during();
    clearInterval(timer);
    await Promise.all(asked);
    return clients.answers.slice(before);
  };

  /** The promise P8, for one way to fail. */
  const survives = async (
    promise: string,
    milliseconds: number,
    fail: () => unknown,
    mend: () => unknown,
  ) => {
    const pid = node.service.process.pid;
    const memory = memoryOf(node);
    let back = NaN;
    const answers = await underLoad(async () => {
      await fail();
      await pause(milliseconds);
      await mend();
      back = await untilTrue(works, 20_000);
    });
    figure(promise, {
      answers: statuses(answers),
      'without answer': clients.lost,
      'slowest ms': clients.slowest,
      'back after ms': back,
      'MiB before and after': `${memory} ${memoryOf(node)}`,
    });
    expectOnlyOrderlyRefusals(answers);
    expect(clients.lost).to.equal(0);
    expect(back).to.be.below(3_000);
    expect(node.service.process.pid).to.equal(pid);
    expect(node.service.process.exitCode).to.equal(null);
    // What is kept of every request that waits or fails, or of every attempt to connect, would soon be more.
    expect(memoryOf(node)).to.be.below(memory + 128);
    expect(answers.some(({ status }) => status === 503)).to.equal(true);
    return answers;
  };

  it('every answer is a well-formed 503 within 3 s when it is killed, and it works again without a restart', async () => {
    await survives(
      'P8 killed',
      FULL ? OUTAGE : REFUSING,
      () => faults.kill(),
      () => faults.restart(),
    );
  });

  it('the same when it is frozen: connections stay open and nothing answers', async () => {
    await survives(
      'P8 frozen',
      OUTAGE,
      () => faults.freeze(),
      () => faults.thaw(),
    );
  });

  // To us it is what a frozen server is.
  if (FULL)
    it('the same when the network swallows everything', async () => {
      const set = (blackhole: boolean) => () => (proxy.weather = { blackhole });
      await survives('P8 blackhole', OUTAGE, set(true), set(false));
    });

  it('the same when it has no connection left for us', async () => {
    const hogs: Client[] = [];
    const take = async () => {
      for (;;) {
        const hog = new Client({ connectionString: server?.url });
        hog.on('error', () => {
          // It ends with the test.
        });
        try {
          await hog.connect();
          hogs.push(hog);
        } catch {
          return hog.end().catch(() => undefined);
        }
      }
    };
    const takeAll = async () => {
      for (;;) {
        await take();
        const ended = await hogs[0]?.query(`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'radio-directory' and datname is not null`);
        if (ended?.rowCount === 0) return;
      }
    };
    await survives('P8 out of connections', REFUSING, takeAll, () =>
      Promise.all(hogs.map((hog) => hog.end())),
    );
  });

  it('the same when locks keep every connection of the pool busy', async () => {
    const locker = new Client({ connectionString: database.url });
    await locker.connect();
    await survives(
      'P8 pool exhausted',
      OUTAGE,
      () => locker.query('begin; lock table votes, now_playing in access exclusive mode'),
      () => locker.end(),
    );
  });

  it('the same when it becomes read-only, as an old primary does', async () => {
    const set = (value: string) => async () => {
      const name = new URL(database.url).pathname.slice(1);
      await query(server?.url ?? '', `alter database ${name} set default_transaction_read_only = ${value}`);
      proxy.reset();
    };
    await survives('P14 read-only (25006)', REFUSING, set('on'), set('off'));
  });

  it('the same when its disk is full', async () => {
    await query(
      database.url,
      `create function no_space() returns trigger language plpgsql as $$
       begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
    );
    await survives(
      'P14 disk full (53100)',
      REFUSING,
      () =>
        query(
          database.url,
          'create trigger no_space before insert or update on votes execute function no_space()',
        ),
      () => query(database.url, 'drop trigger no_space on votes'),
    );
    expect(await query(database.url, 'select 1 as alive')).to.have.length(1);
  });

  it('terminated backends cost at most the requests they were working on', async () => {
    let back = NaN;
    const answers = await underLoad(async () => {
      for (let round = 0; round < (FULL ? 100 : 5); round += 1) {
        await query(
          server?.url ?? '',
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'radio-directory'`,
        );
        await pause(100);
      }
      back = await untilTrue(works);
    });
    figure('P8 backends terminated', {
      answers: statuses(answers),
      'slowest ms': clients.slowest,
      'back after ms': back,
    });
    expectOnlyOrderlyRefusals(answers);
    expect(clients.lost).to.equal(0);
  });

  it('a slow, bad network costs time and 503s, nothing else', async () => {
    for (const weather of STORMS) {
      proxy.weather = {};
      proxy.reset();
      await untilTrue(works);
      clients.answers.length = 0;
      let back = NaN;
      const answers = await underLoad(async () => {
        proxy.weather = weather;
        proxy.reset();
        await pause(FULL ? 10_000 : 500);
        proxy.weather = {};
        proxy.reset();
        back = await untilTrue(works);
      });
      figure(`P13 PostgreSQL with ${JSON.stringify(weather)}`, {
        answers: statuses(answers),
        'slowest ms': clients.slowest,
        'back after ms': back,
      });
      // A report asks the database several times, each of which may wait for a connection and for an answer.
      expectOnlyOrderlyRefusals(answers, 10_000);
      expect(back).to.be.below(3_000);
    }
  });

  it('a node that is started waits for it, is not ready and says why, and serves when it is back', async () => {
    const managementPort = await freePort();
    const readiness = async () => {
      const answer = await fetch(`http://127.0.0.1:${managementPort}/readyz`).catch(() => null);
      return answer && { status: answer.status, body: await answer.text() };
    };
    await faults.kill();
    const starting = startNodes(1, database.url, { MANAGEMENT_PORT: String(managementPort) });
    await untilTrue(async () => (await readiness())?.body.includes('PostgreSQL is not available') === true);
    expect((await readiness())?.status).to.equal(503);
    await faults.restart();
    const late = await starting;
    const back = await untilTrue(async () => (await readiness())?.status === 200);
    const log = late.nodes[0]?.service.output() ?? '';
    await late.stop();
    figure('start in an outage', { 'ready after its first answer (ms)': back });
    expect(log.split('Trying again until it is')).to.have.length(2);
  });

  it('a node has the stream list although nobody asked it before', async () => {
    const fresh = await startNodes(1, database.url);
    await faults.kill();
    const list = await fresh.nodes[0]?.clients.ask({ path: '/stream' });
    await fresh.stop();
    await faults.restart();
    expect(list?.status).to.equal(200);
    expect(JSON.parse(list?.body ?? '[]')).to.have.length(directory.streams.length);
  });

  it('the stream list goes on as it was last, at once, and is current again afterwards', async () => {
    for (const [fail, mend] of [
      [() => faults.kill(), () => faults.restart()],
      [() => faults.freeze(), () => faults.thaw()],
    ] as const) {
      await clients.ask(push('Before the outage'));
      const shown = await clients.ask({ path: '/stream' });
      expect(shown?.body).to.include('Before the outage');
      clients.answers.length = 0;
      await fail();
      const lists: (Answer | null)[] = [];
      for (let round = 0; round < (FULL ? 200 : 30); round += 1)
        lists.push(
          ...(await Promise.all([clients.ask({ path: '/stream' }), clients.ask({ path: '/stream' })])),
        );
      const [first, ...later] = clients.answers.map(({ milliseconds }) => Math.round(milliseconds));
      await mend();
      await untilTrue(works);
      await clients.ask(push('After the outage'));
      const back = await untilTrue(
        async () => (await clients.ask({ path: '/stream' }))?.body.includes('After the outage') === true,
      );
      figure('34 stream list in an outage', {
        answers: statuses(lists),
        'first ms': first,
        'slowest after it ms': Math.max(...later.slice(1)),
        'current after ms': back,
      });
      expect(
        lists.every((list) => list?.status === 200 && list.headers.etag === shown?.headers.etag),
      ).to.equal(true);
      expect(back).to.be.below(1_000);
    }
    const warnings = node.service.output().split('the stream list is the last one').length - 1;
    expect(warnings).to.be.at.least(2);
  });
});
