export { type Config, ConfigurationError, loadConfig } from './config.js';
export {
  PORT,
  adapterFor,
  construct,
  createContainer,
  inMemoryStorage,
  mails,
  nodeServices,
  postgresStorage,
  redisRateLimits,
  useCases,
} from './container.js';
export { FailoverRateLimiter, type SharingState } from './failover-rate-limiter.js';
export { type Service, createService } from './service.js';
