export { type HttpDependencies, type HttpMetrics, createApp } from './app.js';
export {
  type Check,
  type ManagementDependencies,
  type ServicePhase,
  createManagementApp,
} from './management.js';
export { type HttpServer, createHttpServer } from './server.js';
