export { type RedisConnection, connectRedis } from './redis-connection.js';
export { RedisRateLimiter, type RedisRateLimiterOptions } from './redis-rate-limiter.js';
