import cors from 'cors';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { acceptableRequest } from './acceptable-request.js';
import { Authentication } from './authentication.js';
import type { HttpDependencies } from './dependencies.js';
import { Endpoints } from './endpoints.js';
import { lastResort, sendError } from './error-responses.js';
import { generalRoutes } from './general-routes.js';
import { organizationRoutes } from './organization-routes.js';
import { RequestLog } from './request-log.js';
import { SecurityLog } from './security-log.js';
import { streamRoutes } from './stream-routes.js';
import { Throttling } from './throttling.js';
import { userRoutes } from './user-routes.js';
import { webhookRoute } from './webhook-route.js';

export type { HttpDependencies, HttpLog, HttpMetrics } from './dependencies.js';

const PREFLIGHT_SECONDS = 7_200;

/** The whole interface of the specification. */
export function createApp(dependencies: HttpDependencies): Express {
  const { accessTokens, identifySender, clock, rateLimiter, log, metrics } = dependencies;
  const security = new SecurityLog(dependencies);
  const authentication = new Authentication(accessTokens, identifySender, clock, security);
  const throttling = new Throttling(rateLimiter, log, metrics);

  const requestLog = new RequestLog(log, metrics);
  const endpoints = new Endpoints();
  webhookRoute(endpoints, dependencies, authentication, throttling, security);
  streamRoutes(endpoints, dependencies, authentication, throttling, security);
  userRoutes(endpoints, dependencies, authentication, throttling, security);
  organizationRoutes(endpoints, dependencies, authentication, throttling, security);
  generalRoutes(endpoints, dependencies, throttling);

  const app = express();
  app.disable('x-powered-by');
  // Express would tag personal answers too; public ones get their tags in public-json.ts.
  app.disable('etag');
  app.set('trust proxy', dependencies.trustProxy);
  app.use(requestLog.middleware, uncached, securityHeaders, crossOrigin, acceptableRequest, preflight);
  app.use(endpoints.router(throttling.perAddress));
  app.use(throttling.perAddress, (_request, response) => sendError(response, { kind: 'not-found' }));
  app.use(lastResort(log));
  return app;
}

/** Until an endpoint says otherwise. */
const uncached: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'cross-origin' },
});

const crossOrigin = cors({
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  exposedHeaders: ['ETag', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Request-Id'],
  maxAge: PREFLIGHT_SECONDS,
  preflightContinue: true,
});

/** Answers what browsers ask before the request proper. Any other OPTIONS goes on to its path. */
const preflight: RequestHandler = (request, response, next) => {
  const asked = request.method === 'OPTIONS' && request.get('Access-Control-Request-Method') !== undefined;
  if (asked) response.status(204).end();
  else next();
};
