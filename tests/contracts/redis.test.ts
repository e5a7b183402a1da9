import { randomUUID } from 'node:crypto';
import { type RedisConnection, connectRedis } from '../../src/adapters/redis/redis-connection.js';
import { RedisRateLimiter } from '../../src/adapters/redis/redis-rate-limiter.js';
import { ready } from '../support/redis-client.js';
import { startRedis, startRedisCluster, startRedisWithTls } from '../support/redis-server.js';
import { rateLimiterContract } from './rate-limiter.contract.js';

const SERVERS = {
  Redis: async () => {
    const server = await startRedis();
    return server && { connection: connectRedis([server.url]), stop: server.stop };
  },
  'Redis over TLS': async () => {
    const server = await startRedisWithTls();
    return server && { connection: connectRedis([server.url], { ca: server.ca }), stop: server.stop };
  },
  'a Redis Cluster of three masters': async () => {
    const servers = await startRedisCluster();
    return servers && { connection: connectRedis(servers.urls), stop: servers.stop };
  },
};

for (const [name, start] of Object.entries(SERVERS))
  describe(`On ${name}`, function () {
    this.timeout(60_000);
    let server: { connection: RedisConnection; stop: () => Promise<void> } | null;

    before('needs Redis on this machine', async function () {
      server = await start();
      if (!server) return this.skip();
      await ready(server.connection);
    });
    after(async () => {
      server?.connection.disconnect();
      await server?.stop();
    });

    rateLimiterContract(name, async (clock) => {
      if (!server) throw new Error('There is no Redis.');
      return new RedisRateLimiter(server.connection, { clock, prefix: `${randomUUID()}:`, patience: 10_000 });
    });
  });
