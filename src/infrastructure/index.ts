export { type Config, ConfigurationError, loadConfig } from './config.js';
export {
  PORT,
  construct,
  createContainer,
  inMemoryStorage,
  mails,
  nodeServices,
  postgresStorage,
  useCases,
} from './container.js';
export { type Service, createService } from './service.js';
