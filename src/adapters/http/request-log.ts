import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { HttpLog } from './dependencies.js';

/** Names each request, by the name the client gave if it is harmless, and writes one line about it when it is over. */
export function requestLog(log: HttpLog): RequestHandler {
  return (request, response, next) => {
    const arrived = performance.now();
    const named = request.get('X-Request-Id') ?? '';
    const requestId = /^[A-Za-z0-9._-]{1,128}$/.test(named) ? named : randomUUID();
    response.set('X-Request-Id', requestId);
    response.once('close', () => {
      const { statusCode: status, writableFinished } = response;
      const milliseconds = Math.round(performance.now() - arrived);
      const outcome = writableFinished ? { status } : { aborted: true };
      const route = routePattern(request);
      log.info({ requestId, method: request.method, route, ...outcome, milliseconds }, 'request');
    });
    next();
  };
}

/** The pattern, never the path: tokens stand in paths. */
function routePattern(request: Request): string | null {
  const route: unknown = request.route;
  const path: unknown = typeof route === 'object' && route !== null && 'path' in route ? route.path : null;
  return typeof path === 'string' ? path : null;
}
