import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { RedisConnection } from '../../src/adapters/redis/redis-connection.js';

/** Resolves when it takes commands. */
export async function ready(connection: RedisConnection): Promise<void> {
  if (connection.status !== 'ready') await once(connection, 'ready');
}

/** Runs one command on a connection of its own. */
export async function redisCommand(
  url: string,
  name: string,
  ...args: (string | number)[]
): Promise<unknown> {
  const redis = new Redis(url);
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}
