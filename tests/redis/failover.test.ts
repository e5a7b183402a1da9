import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { InMemoryRateLimiter } from '../../src/adapters/in-memory/in-memory-rate-limiter.js';
import { SystemClock } from '../../src/adapters/node/system-clock.js';
import { connectRedis } from '../../src/adapters/redis/redis-connection.js';
import { RedisRateLimiter } from '../../src/adapters/redis/redis-rate-limiter.js';
import { FailoverRateLimiter, type SharingState } from '../../src/infrastructure/failover-rate-limiter.js';
import { FaultProxy, STORMS } from '../support/fault-proxy.js';
import { FULL, figure, quantile, seededRandom } from '../support/figures.js';
import { ready, redisCommand } from '../support/redis-client.js';
import {
  type RedisClusterServers,
  type RedisFaults,
  type RedisServer,
  absentRedis,
  startRedis,
  startRedisCluster,
} from '../support/redis-server.js';

const LIMIT = 20;
const QUOTA = [{ name: 'all', windows: [{ seconds: 60, limit: LIMIT }] }];
const OUTAGE = FULL ? 30_000 : 700;
const PATIENCE = 2_000;

/** What one process does for its limits. */
function aNode(urls: readonly string[]) {
  const changes: SharingState[] = [];
  const redis = new RedisRateLimiter(connectRedis(urls));
  const limiter = new FailoverRateLimiter(redis, new InMemoryRateLimiter(new SystemClock()), (state) => {
    changes.push(state);
  });
  const close = () => {
    limiter.close();
    redis.close();
  };
  return { limiter, changes, close };
}
type Node = ReturnType<typeof aNode>;

describe('When Redis fails', function () {
  this.timeout(OUTAGE + 60_000);
  let nodes: Node[] = [];
  let test: string;
  beforeEach(() => {
    test = randomUUID();
  });
  afterEach(() => {
    for (const node of nodes) node.close();
    nodes = [];
  });
  const openTwo = async (urls: readonly string[]) => {
    nodes = [aNode(urls), aNode(urls)];
    await Promise.all(nodes.map(({ limiter }) => limiter.open(PATIENCE)));
    expect(states()).to.deep.equal(nodes.map(() => 'shared'));
  };
  const states = () => nodes.map(({ limiter }) => limiter.state);
  const until = async (reached: () => boolean) => {
    const since = performance.now();
    while (!reached()) await pause(10);
    return Math.round(performance.now() - since);
  };
  /** How many of so many requests each node admits, sent to all at the same time. */
  const admittedBy = (client: string, requests: number) =>
    Promise.all(
      nodes.map(async ({ limiter }) => {
        const answers = Array.from({ length: requests }, () => limiter.admit(`${test} ${client}`, QUOTA));
        return (await Promise.all(answers)).filter(({ admitted }) => admitted).length;
      }),
    );
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  /** Clients of the first node, one after the other, each request timed. */
  const timed = async (requests: number) => {
    const times: number[] = [];
    for (let sent = 0; sent < requests; sent += 1) {
      const start = performance.now();
      await nodes[0]?.limiter.admit(randomUUID(), QUOTA);
      times.push(performance.now() - start);
    }
    return times;
  };

  describe('a single server', () => {
    let server: RedisServer | null;
    let faults: RedisFaults;
    let url: string;
    before('needs Redis on this machine, and one of our own', async function () {
      server = await startRedis();
      if (!server?.faults) return this.skip();
      ({ url, faults } = { url: server.url, faults: server.faults });
    });
    after(() => server?.stop());

    const OUTAGES = {
      'is killed': { begin: () => faults.kill(), end: () => faults.restart() },
      hangs: { begin: async () => faults.freeze(), end: async () => faults.thaw() },
      'refuses to write': {
        begin: async () => void (await redisCommand(url, 'CONFIG', 'SET', 'maxmemory', 1)),
        end: async () => void (await redisCommand(url, 'CONFIG', 'SET', 'maxmemory', 0)),
      },
    };
    for (const [what, { begin, end }] of Object.entries(OUTAGES))
      it(`and ${what}, each process keeps the limits by itself, and shares them again after`, async () => {
        await openTwo([url]);
        expect(sum(await admittedBy('before', LIMIT))).to.equal(LIMIT);
        expect(sum(await admittedBy('throughout', 5))).to.equal(10);

        await begin();
        const slowest = Math.max(...(await timed(1)));
        const later = await timed(500);
        await nodes[1]?.limiter.admit('somebody', QUOTA);
        expect(states()).to.deep.equal(['alone', 'alone']);
        expect(await admittedBy('during', LIMIT + 5)).to.deep.equal([LIMIT, LIMIT]);
        // Each knows what it admitted while they shared.
        const throughout = await admittedBy('throughout', LIMIT);
        expect(sum(throughout)).to.equal(2 * LIMIT - 10);
        await pause(OUTAGE);

        await end();
        const back = await until(() => states().every((state) => state === 'shared'));
        expect(await admittedBy('throughout', 5)).to.deep.equal([0, 0]);
        expect(sum(await admittedBy('after', LIMIT))).to.equal(LIMIT);
        for (const { changes } of nodes) expect(changes).to.deep.equal(['shared', 'alone', 'shared']);
        report(`P9, Redis ${what}`, slowest, later, back);
      });

    it('and the network to it is slow and bad, no request fails and no process admits more than the limits', async () => {
      const { hostname, port } = new URL(url);
      const proxy = await new FaultProxy({ host: hostname, port: Number(port) }, seededRandom(13)).open();
      await openTwo([proxy.through(url)]);
      for (const weather of [...STORMS, { blackhole: true }]) {
        const client = JSON.stringify(weather);
        proxy.weather = weather;
        const times = await timed(20);
        const admitted = await admittedBy(client, LIMIT + 5);
        expect(sum(admitted)).to.be.at.least(LIMIT);
        await pause(FULL ? 5_000 : 300);
        proxy.weather = {};
        proxy.reset();
        const back = await until(() => states().every((state) => state === 'shared'));
        const later = await admittedBy(client, LIMIT);
        for (const [node, count] of admitted.entries())
          expect(count + (later[node] ?? 0)).to.be.at.most(LIMIT);
        figure(`P13 Redis with ${client}`, {
          admitted: admitted.join(' '),
          'slowest ms': Math.round(Math.max(...times)),
          'shared again after (ms)': back,
        });
        expect(Math.max(...times)).to.be.below(FULL ? 250 : 1_000);
        expect(back).to.be.below(3_000);
      }
      await proxy.close();
    });

    it('and another takes its place while connections to it stay open, limits are shared there', async () => {
      const successor = await startRedis();
      if (!successor) throw new Error('There was a Redis just now.');
      const [old, next] = [new URL(url), new URL(successor.url)];
      const proxy = await new FaultProxy({ host: old.hostname, port: Number(old.port) }).open();
      try {
        await openTwo([proxy.through(url)]);
        await redisCommand(url, 'REPLICAOF', next.hostname, next.port);
        proxy.target = { host: next.hostname, port: Number(next.port) };
        const times = await timed(20);
        await nodes[1]?.limiter.admit('somebody', QUOTA);
        const back = await until(() => states().every((state) => state === 'shared'));
        expect(sum(await admittedBy('anna', LIMIT))).to.equal(LIMIT);
        for (const { changes } of nodes) expect(changes).to.deep.equal(['shared', 'alone', 'shared']);
        report('P9, Redis fails over', times[0] ?? 0, times, back);
      } finally {
        for (const node of nodes) node.close();
        await redisCommand(url, 'REPLICAOF', 'NO', 'ONE');
        await proxy.close();
        await successor.stop();
      }
    });

    it('and was emptied, no process admits more than the limits', async () => {
      await openTwo([url]);
      expect(sum(await admittedBy('anna', LIMIT))).to.equal(LIMIT);
      await redisCommand(url, 'FLUSHALL');
      const again = await admittedBy('anna', LIMIT);
      // 40 in all for two processes, of which each admits no more than 20.
      expect(sum(again)).to.be.at.most(LIMIT);
      await redisCommand(url, 'FLUSHALL');
      expect(sum(await admittedBy('ben', LIMIT))).to.equal(LIMIT);
      expect(nodes.map(({ changes }) => changes)).to.deep.equal([['shared'], ['shared']]);
      figure('P9, FLUSHALL', { requests: 80, failed: 0, 'admitted again': sum(again) });
    });

    it('a request that its process refuses by itself is not counted for the others', async () => {
      await openTwo([url]);
      const [one, other] = nodes.map(({ limiter }) => limiter);
      const client = `${test} dora`;
      for (let request = 0; request < LIMIT; request += 1) await one?.admit(client, QUOTA);
      await redisCommand(url, 'FLUSHALL');
      for (let request = 0; request < LIMIT; request += 1)
        expect(await one?.admit(client, QUOTA)).to.include({ admitted: false });
      for (let request = 0; request < LIMIT; request += 1)
        expect(await other?.admit(client, QUOTA)).to.include({ admitted: true });
    });

    it('and lost its scripts, nothing changes', async () => {
      await openTwo([url]);
      expect(sum(await admittedBy('carl', 5))).to.equal(10);
      await redisCommand(url, 'SCRIPT', 'FLUSH');
      expect(sum(await admittedBy('carl', LIMIT))).to.equal(LIMIT - 10);
      expect(nodes.map(({ changes }) => changes)).to.deep.equal([['shared'], ['shared']]);
      figure('P9, SCRIPT FLUSH', { requests: 50, failed: 0, 'admitted too many': 0 });
    });

    it('tells why, without the password', async () => {
      const failures: unknown[] = [];
      const secret = new URL(url);
      secret.password = 'the-password';
      await redisCommand(url, 'CONFIG', 'SET', 'requirepass', 'another');
      const redis = new RedisRateLimiter(connectRedis([secret.href]));
      const own = new InMemoryRateLimiter(new SystemClock());
      const limiter = new FailoverRateLimiter(redis, own, (_state, failure) => failures.push(failure));
      await limiter.open(300);
      limiter.close();
      redis.close();
      secret.password = 'another';
      await redisCommand(secret.href, 'CONFIG', 'SET', 'requirepass', '');
      expect(String(failures[0])).to.match(/^Error: No answer from Redis: WRONGPASS/);
      expect(String(failures[0])).not.to.include('the-password');
    });
  });

  it('a server that is absent at the start, each process keeps the limits, and shares them when it comes', async function () {
    const absent = await absentRedis();
    if (!absent) return this.skip();
    try {
      nodes = [aNode([absent.url]), aNode([absent.url])];
      await Promise.all(nodes.map(({ limiter }) => limiter.open(100)));
      const times = await timed(500);
      expect(await admittedBy('anna', LIMIT + 5)).to.deep.equal([LIMIT, LIMIT]);
      await absent.faults.restart();
      const back = await until(() => states().every((state) => state === 'shared'));
      expect(await admittedBy('anna', 5)).to.deep.equal([0, 0]);
      expect(sum(await admittedBy('ben', LIMIT))).to.equal(LIMIT);
      for (const { changes } of nodes) expect(changes).to.deep.equal(['alone', 'shared']);
      report('P9, absent at the start', times[0] ?? 0, times, back);
    } finally {
      for (const node of nodes) node.close();
      await absent.stop();
    }
  });

  describe('a node of a cluster', () => {
    let cluster: RedisClusterServers | null;
    before('needs Redis on this machine', async () => {
      cluster = await startRedisCluster();
    });
    after(() => cluster?.stop());

    it('is named alone, it says that several must be', async function () {
      if (!cluster) return this.skip();
      const connection = connectRedis(cluster.urls.slice(0, 1));
      const limiter = new RedisRateLimiter(connection);
      try {
        await ready(connection);
        // Clients of all three masters.
        const clients = Array.from({ length: 30 }, (_, index) => `client ${index}`);
        const answers = await Promise.allSettled(clients.map((client) => limiter.admit(client, QUOTA)));
        const reasons = answers.flatMap((answer) =>
          answer.status === 'rejected' ? [(answer.reason as Error).message] : [],
        );
        expect(new Set(reasons)).to.deep.equal(
          new Set([
            'No answer from Redis: a node of a Redis Cluster: name several of its nodes in REDIS_URL',
          ]),
        );
      } finally {
        limiter.close();
      }
    });

    it('wants a password, it is told the one of the address that is named first', async function () {
      if (!cluster) return this.skip();
      const [first = '', ...others] = cluster.urls;
      const withPassword = (url: string) => Object.assign(new URL(url), { password: 'hush' }).href;
      for (const url of cluster.urls) await redisCommand(url, 'CONFIG', 'SET', 'requirepass', 'hush');
      const limiter = new RedisRateLimiter(connectRedis([withPassword(first), ...others]), {
        patience: 10_000,
      });
      try {
        // Clients of all three masters.
        for (let client = 0; client < 30; client += 1) {
          const admitted = () =>
            limiter.admit(`${test} ${client}`, QUOTA).then(
              () => true,
              () => false,
            );
          while (!(await admitted())) await pause(20);
        }
      } finally {
        limiter.close();
        for (const url of cluster.urls)
          await redisCommand(withPassword(url), 'CONFIG', 'SET', 'requirepass', '');
      }
    });

    it('and refuses to write, all clients are counted by the processes until it does not', async function () {
      if (!cluster) return this.skip();
      await openTwo(cluster.urls);
      const [, , full = ''] = cluster.urls;
      const clients = Array.from({ length: 30 }, (_, index) => `client ${index}`);
      await redisCommand(full, 'CONFIG', 'SET', 'maxmemory', 1);
      for (const client of clients) await admittedBy(client, 1);
      await pause(OUTAGE);
      expect(states()).to.deep.equal(['alone', 'alone']);
      await redisCommand(full, 'CONFIG', 'SET', 'maxmemory', 0);
      await until(() => states().every((state) => state === 'shared'));
    });

    it('and hangs, all clients are counted by the processes until it is back', async function () {
      if (!cluster) return this.skip();
      await openTwo(cluster.urls);
      // Clients of all three masters.
      const clients = Array.from({ length: 30 }, (_, index) => `client ${index}`);
      for (const client of clients) expect(sum(await admittedBy(client, 12))).to.equal(LIMIT);
      cluster.faults[1]?.freeze();
      const first = await timed(30);
      const later = await timed(500);
      expect(states()[0]).to.equal('alone');
      await Promise.all(
        nodes.flatMap(({ limiter }) => clients.map((client) => limiter.admit(client, QUOTA))),
      );
      await pause(OUTAGE);
      cluster.faults[1]?.thaw();
      const back = await until(() => states().every((state) => state === 'shared'));
      for (const client of clients) {
        expect(sum(await admittedBy(`${client} later`, 12))).to.equal(LIMIT);
      }
      report('P9, one of three masters hangs', Math.max(...first), later, back);
    });

    it('and is killed, all clients are counted by the processes until it is back', async function () {
      if (!cluster) return this.skip();
      await openTwo(cluster.urls);
      await cluster.faults[2]?.kill();
      const first = await timed(60);
      const later = await timed(500);
      expect(states()[0]).to.equal('alone');
      await pause(OUTAGE);
      await cluster.faults[2]?.restart();
      const back = await until(() => states().every((state) => state === 'shared'));
      for (let client = 0; client < 30; client += 1)
        expect(sum(await admittedBy(`new client ${client}`, 12))).to.equal(LIMIT);
      report('P9, one of three masters is killed', Math.max(...first), later, back);
    });
  });
});

/** The limits themselves are asserted with room for a busy machine; the figures tell the rest. */
function report(what: string, slowest: number, later: readonly number[], back: number): void {
  figure(what, {
    'slowest first request (ms)': slowest.toFixed(0),
    'median later (ms)': quantile(later, 0.5).toFixed(3),
    'slowest later (ms)': Math.max(...later).toFixed(1),
    'shared again after (ms)': back,
  });
  expect(slowest).to.be.below(FULL ? 250 : 1_000);
  expect(quantile(later, 0.5)).to.be.below(5);
  expect(back).to.be.below(3_000);
}
