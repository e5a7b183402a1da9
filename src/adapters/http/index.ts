export { type HttpDependencies, createApp } from './app.js';
export { createHttpServer } from './server.js';
