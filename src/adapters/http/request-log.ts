import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import { callerOf, clientAddress } from './caller.js';
import type { HttpLog, HttpMetrics } from './dependencies.js';

/** The requests that were begun, with the address that each is known by. A server begins them before its app does. */
const begun = new WeakMap<ServerResponse, { address: string | null }>();

/** One line in the log and one count in the metrics for each request, also for those that no route ever sees. */
export class RequestLog {
  constructor(
    private readonly log: HttpLog,
    private readonly metrics?: HttpMetrics,
  ) {}

  readonly middleware: RequestHandler = (request, response, next) => {
    this.begin(request, response);
    next();
  };

  /** Names a request, by the name the client gave if it is harmless; tells of it when its answer has left, and once. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const client = { address: clientAddress(request) };
    const known = begun.get(response);
    // Only the app knows which proxies are believed.
    if (known) return void Object.assign(known, client);
    begun.set(response, client);
    const arrived = performance.now();
    const { method = null, headers } = request;
    const named = headers['x-request-id'];
    const isHarmless = typeof named === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(named);
    const requestId = isHarmless ? named : randomUUID();
    response.setHeader('X-Request-Id', requestId);
    this.metrics?.requestBegan();
    response.once('close', () => {
      const milliseconds = performance.now() - arrived;
      const route = routePattern(request);
      const { statusCode, writableFinished } = response;
      // What was decided for a client that has gone is worth knowing; 200 is only where Node begins.
      const status = writableFinished || statusCode >= 400 ? statusCode : null;
      this.metrics?.requestEnded({ method, route, status, seconds: milliseconds / 1_000 });
      this.log.info(
        {
          requestId,
          method,
          route,
          ...(status === null ? {} : { status }),
          ...(writableFinished ? {} : { aborted: true }),
          milliseconds: Math.round(milliseconds),
          ...callerOf(request),
          ...client,
        },
        'request',
      );
    });
  }

  /**
   * Tells of what came in place of a request and was refused by Node itself.
   * @param reason Node's code for what is wrong with it
   * @returns the name that it gets
   */
  unreadable(status: number, reason: string, socket: Duplex): string {
    const requestId = randomUUID();
    this.metrics?.requestBegan();
    this.metrics?.requestEnded({ method: null, route: null, status, seconds: 0 });
    const address = ('remoteAddress' in socket && socket.remoteAddress) || null;
    const nothing = { method: null, route: null, milliseconds: 0, caller: 'anonymous' };
    this.log.info({ requestId, ...nothing, status, reason, address }, 'request');
    return requestId;
  }
}

/** The pattern, never the path: tokens stand in paths. */
function routePattern(request: object): string | null {
  const route: unknown = 'route' in request ? request.route : null;
  const path: unknown = typeof route === 'object' && route !== null && 'path' in route ? route.path : null;
  return typeof path === 'string' ? path : null;
}
