/**
 * What limits cost a small route: all windows in one call, as here, beside three `rate-limit-redis`, on one Redis.
 * Read the ratios. `npx tsx bench/limits.ts [SECONDS]`
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { Redis } from 'ioredis';
import { RedisStore } from 'rate-limit-redis';
import { InMemoryRateLimiter } from '../src/adapters/in-memory/in-memory-rate-limiter.js';
import { SystemClock } from '../src/adapters/node/system-clock.js';
import { connectRedis } from '../src/adapters/redis/redis-connection.js';
import { RedisRateLimiter } from '../src/adapters/redis/redis-rate-limiter.js';
import type { RateLimiter } from '../src/application/ports/rate-limiter.js';
import { FailoverRateLimiter } from '../src/infrastructure/failover-rate-limiter.js';
import { load } from '../tests/support/load.js';
import { startRedis } from '../tests/support/redis-server.js';

const SECONDS = Number(process.argv[2] ?? 5);
const RUNS = 3;
const WINDOWS = [
  { seconds: 1, limit: 3 },
  { seconds: 10, limit: 20 },
  { seconds: 60, limit: 100 },
];

const server = await startRedis();
if (!server) throw new Error('This needs a Redis: install one, or set TEST_REDIS_URL.');
const client = new Redis(server.url);
const redis = new RedisRateLimiter(connectRedis([server.url]));
const shared = new FailoverRateLimiter(redis, new InMemoryRateLimiter(new SystemClock()), () => {});
await shared.open(1_000);

/** Each request is another client's, so that none is refused. */
const clientOf = (request: { url: string }) => request.url;
const ours =
  (limiter: RateLimiter): RequestHandler =>
  async (request, response, next) => {
    const { admitted } = await limiter.admit(clientOf(request), [{ name: 'all', windows: WINDOWS }]);
    if (admitted) next();
    else response.sendStatus(429);
  };
const theirs = WINDOWS.map(({ seconds, limit }) =>
  rateLimit({
    windowMs: seconds * 1_000,
    limit,
    keyGenerator: clientOf,
    store: new RedisStore({
      prefix: `theirs-${seconds}:`,
      sendCommand: (command: string, ...values: string[]) =>
        client.call(command, ...values) as Promise<number>,
    }),
  }),
);
const CASES: Readonly<Record<string, readonly RequestHandler[]>> = {
  'no limits': [],
  'in this process': [ours(new InMemoryRateLimiter(new SystemClock()))],
  'one call of Redis for three windows': [ours(shared)],
  'three rate-limit-redis': theirs,
};

console.log(`Node ${process.version}, 50 connections, ${RUNS} runs of ${SECONDS} s, median`);
console.log('| limits | answers/s | of none | p99 ms | refused or failed |');
console.log('| --- | ---: | ---: | ---: | ---: |');
let yardstick = NaN;
for (const [name, handlers] of Object.entries(CASES)) {
  const app = express();
  app.use(...handlers, (_request, response) => void response.json({ message: 'hello' }));
  const listening = createServer(app).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  const run = (milliseconds: number) =>
    load({
      url,
      connections: 50,
      milliseconds,
      request: (n) => ({ path: `/${process.hrtime.bigint()}-${n}` }),
    });
  await run(1_000);
  const runs = [];
  for (let count = 0; count < RUNS; count += 1) runs.push(await run(SECONDS * 1_000));
  runs.sort((one, other) => one.answersPerSecond - other.answersPerSecond);
  const { answersPerSecond, p99, requests, statuses } = runs[Math.floor(RUNS / 2)] ?? (await run(0));
  if (Number.isNaN(yardstick)) yardstick = answersPerSecond;
  const bad = requests - (statuses[200] ?? 0);
  console.log(
    `| ${name} | ${answersPerSecond.toFixed(0)} | ${(answersPerSecond / yardstick).toFixed(2)} | ${p99.toFixed(0)} | ${bad} |`,
  );
  listening.closeAllConnections();
  listening.close();
}

shared.close();
redis.close();
client.disconnect();
await server.stop();
