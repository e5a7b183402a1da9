import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type RedisConnection, connectRedis } from '../../src/adapters/redis/redis-connection.js';
import { RedisRateLimiter } from '../../src/adapters/redis/redis-rate-limiter.js';
import { InMemoryRateLimiter } from '../../src/adapters/in-memory/in-memory-rate-limiter.js';
import { HOUR, MINUTE, SECOND } from '../../src/domain/ids.js';
import { ManualClock } from '../support/manual-clock.js';
import { FULL, figure, seededRandom } from '../support/figures.js';
import { ready, redisCommand } from '../support/redis-client.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';

/** In ten minutes, or in two. */
const ARRIVALS = FULL ? 100_000 : 20_000;
const WINDOWS = [
  { seconds: 1, limit: 3 },
  { seconds: 10, limit: 20 },
  { seconds: 60, limit: 100 },
];
const ALL = [{ name: 'all', windows: WINDOWS }];
const STRICT = { name: 'POST /user', windows: [{ seconds: 60, limit: 5 }] };

describe('RedisRateLimiter', function () {
  this.timeout(60_000);
  let server: RedisServer | null;
  let redis: RedisConnection;

  before('needs Redis on this machine', async function () {
    server = await startRedis();
    if (!server) return this.skip();
    redis = connectRedis([server.url]);
    await ready(redis);
  });
  after(async () => {
    redis?.disconnect();
    await server?.stop();
  });
  const command = (name: string, ...args: (string | number)[]) =>
    redisCommand(server?.url ?? '', name, ...args);
  const limiting = () => {
    const clock = new ManualClock();
    const prefix = `${randomUUID()}:`;
    return { clock, prefix, limiter: new RedisRateLimiter(redis, { clock, prefix, patience: 10 * SECOND }) };
  };
  const keys = async (prefix: string) => (await command('KEYS', `${prefix}*`)) as string[];

  it('measures by the time of Redis, whatever the clocks of its processes say', async () => {
    const prefix = `${randomUUID()}:`;
    const started = performance.now();
    const [here, there] = [new RedisRateLimiter(redis, { prefix }), new RedisRateLimiter(redis, { prefix })];
    const quota = [{ name: 'all', windows: [{ seconds: 60, limit: 2 }] }];
    expect((await here.admit('anna', quota)).admitted).to.equal(true);
    expect((await there.admit('anna', quota)).admitted).to.equal(true);
    const refused = await here.admit('anna', quota);
    expect(refused.admitted).to.equal(false);
    const age = performance.now() - started;
    expect(refused.windows[0]?.waitMilliseconds).to.be.within(MINUTE - Math.ceil(age) - 1, MINUTE);
  });

  it('forgets a client with the end of its longest window', async () => {
    const { limiter, prefix } = limiting();
    await limiter.admit('anna', [...ALL, STRICT]);
    await limiter.admit('ben', [{ name: 'brief', windows: [{ seconds: 0.1, limit: 5 }] }]);
    const [brief, ...long] = (await keys(prefix)).sort((one) => (one.endsWith('brief') ? -1 : 1));
    for (const key of long) expect(await command('PTTL', key)).to.be.within(30 * SECOND, MINUTE);
    expect(long).to.have.length(2);
    while ((await command('EXISTS', brief ?? '')) === 1) await pause(20);
    expect(await keys(prefix)).to.have.members(long);
  });

  it('keeps no key for a refused request, and no request longer than its longest window', async () => {
    const { clock, limiter, prefix } = limiting();
    const one = [{ name: 'one', windows: [{ seconds: 60, limit: 1 }] }];
    await limiter.admit('anna', one);
    await limiter.admit('anna', [...ALL, ...one]);
    expect(await keys(prefix)).to.have.length(1);
    const sizes = [];
    for (let count = 0; count < 300; count += 1) {
      clock.advance(SECOND);
      await limiter.admit('ben', ALL);
      sizes.push(Number(await command('STRLEN', `${prefix}{:ben}all`)));
    }
    expect(sizes[100]).to.equal(sizes[299]);
  });

  it('asks Redis once for all windows of all quotas', async () => {
    const { limiter } = limiting();
    await limiter.admit('anna', ALL);
    await command('CONFIG', 'RESETSTAT');
    for (let count = 0; count < 10; count += 1) await limiter.admit('anna', [...ALL, STRICT]);
    const calls = /cmdstat_evalsha:calls=(\d+)/.exec(String(await command('INFO', 'commandstats')))?.[1];
    expect(calls).to.equal('10');
    expect(await command('INFO', 'stats')).to.match(/total_commands_processed/);
  });

  it('goes on when its script was flushed, or Redis was emptied', async () => {
    const { limiter } = limiting();
    const quota = [STRICT];
    for (let count = 0; count < 3; count += 1) await limiter.admit('anna', quota);
    await command('SCRIPT', 'FLUSH');
    const answers = await Promise.all(Array.from({ length: 7 }, () => limiter.admit('anna', quota)));
    expect(answers.filter(({ admitted }) => admitted)).to.have.length(2);
    await command('FLUSHALL');
    expect((await limiter.admit('anna', quota)).windows[0]?.remaining).to.equal(4);
  });

  it('counts every request of a millisecond that comes twice', async () => {
    const { clock, limiter } = limiting();
    const quota = [{ name: 'all', windows: [{ seconds: 60, limit: 4 }] }];
    await limiter.admit('anna', quota);
    clock.advance(1);
    await limiter.admit('anna', quota);
    clock.advance(-1);
    await limiter.admit('anna', quota);
    clock.advance(1);
    await limiter.admit('anna', quota);
    expect((await limiter.admit('anna', quota)).admitted).to.equal(false);
  });

  it('locks nobody out and lets nobody through when the clock is set back', async () => {
    const { clock, limiter } = limiting();
    const quota = [{ name: 'all', windows: [{ seconds: 60, limit: 2 }] }];
    await limiter.admit('anna', quota);
    clock.advance(10 * SECOND);
    await limiter.admit('anna', quota);
    clock.advance(-HOUR);
    expect((await limiter.admit('anna', quota)).windows[0]?.waitMilliseconds).to.equal(50 * SECOND);
    clock.advance(50 * SECOND - 1);
    expect((await limiter.admit('anna', quota)).admitted).to.equal(false);
    clock.advance(1);
    expect((await limiter.admit('anna', quota)).admitted).to.equal(true);
  });

  it('admits never more than the limits in any interval, of random arrivals over minutes', async () => {
    const seed = randomInt(2 ** 31);
    const random = seededRandom(seed);
    const { clock, limiter } = limiting();
    const model = new InMemoryRateLimiter(clock);
    const admittedAt = new Map<string, number[]>();
    let [arrivals, differences] = [0, 0];
    while (arrivals < ARRIVALS) {
      // The time of a call is fixed when it is made, and one connection keeps their order.
      const batch = Array.from({ length: 100 }, async () => {
        clock.advance(Math.floor(random() * 13));
        // From clients that come now and then to clients that never stop.
        const client = `client ${Math.floor(random() ** 3 * 200)}`;
        const now = clock.now();
        const expected = model.admit(client, ALL);
        const answer = await limiter.admit(client, ALL);
        if (JSON.stringify(answer) !== JSON.stringify(await expected)) differences += 1;
        if (answer.admitted) admittedAt.set(client, [...(admittedAt.get(client) ?? []), now]);
      });
      arrivals += (await Promise.all(batch)).length;
    }
    const logs = [...admittedAt.values()];
    const violations = logs.flatMap((log) =>
      WINDOWS.flatMap(({ seconds, limit }) =>
        log.filter((at, index) => (log[index + limit] ?? Infinity) - at < seconds * SECOND),
      ),
    ).length;
    const admitted = logs.reduce((sum, log) => sum + log.length, 0);
    figure('P16', { seed, arrivals, admitted, refused: arrivals - admitted, violations, differences });
    expect({ violations, differences }).to.deep.equal({ violations: 0, differences: 0 });
    expect(admitted).to.be.within(ARRIVALS * 0.1, ARRIVALS * 0.9);
  });
});
