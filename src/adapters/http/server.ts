import {
  type IncomingMessage,
  STATUS_CODES,
  type Server,
  type ServerResponse,
  createServer,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';

const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;
const TIMEOUT_CHECK_MS = 1_000;
const KEEP_ALIVE_MS = 5_000;
const MAX_CONNECTIONS = 2_000;
/** How long a refused client may take to read why. */
const LINGER_MS = 1_000;

/** Node's server, with time limits and with JSON in everything that Node answers by itself. */
export function createHttpServer(app: Express): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node's own check answers without a body and does not mind two; the app checks.
      requireHostHeader: false,
    },
    app,
  );
  server.maxConnections = MAX_CONNECTIONS;
  // Beyond its count Node drops headers silently; the app counts them and refuses.
  server.maxHeadersCount = 0;

  /** The request that each connection is, or was last, busy with. */
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(socket, statusOf(error), latest.get(socket));
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const body = errorBody(417);
    response.writeHead(417, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  server.on('connect', (_request: IncomingMessage, socket) => refuse(socket, 405));
  // No listener for `upgrade`: Node then serves the request as if no upgrade had been offered.
  return server;
}

function statusOf({ code }: NodeJS.ErrnoException): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return 400;
}

/** Answers on the bare connection and closes it; after the answer that is already on its way, if there is one. */
function refuse(socket: Duplex, status: number, current?: ServerResponse): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const answer = () => {
    socket.end(rawAnswer(status));
    // Closing at once could reset the connection before the client has read the answer.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
  const isPending = current !== undefined && !current.writableFinished && !current.destroyed;
  const isItsBody = isPending && !current.req.complete && !current.headersSent;
  if (!isPending || isItsBody) answer();
  else current.once('finish', answer);
}

function rawAnswer(status: number): string {
  const body = errorBody(status);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    ...(status === 405 ? ['Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS'] : []),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

function errorBody(statusCode: number): string {
  return JSON.stringify({ statusCode, message: STATUS_CODES[statusCode] });
}
