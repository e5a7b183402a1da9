import {
  type IncomingMessage,
  type RequestListener,
  STATUS_CODES,
  type Server,
  type ServerResponse,
  createServer,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { HttpLog, HttpMetrics } from './dependencies.js';
import { Overload } from './overload.js';
import { RequestLog } from './request-log.js';

const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;
const TIMEOUT_CHECK_MS = 1_000;
const KEEP_ALIVE_MS = 5_000;
/** A client that takes nothing of its answer for so long is cut off ... */
const STALLED_MS = 7_000;
/** ... and so is one that has not taken all of it after that time and what this pace would take ... */
const SLOWEST_BYTES_PER_MS = 32;
/** ... or after that time alone while more than this waits for clients, for each may keep another state of a long list. */
const MUCH_WAITING_BYTES = 256 * 2 ** 20;
/** How long a refused client may take to read why. */
const LINGER_MS = 1_000;

export interface HttpServer extends Server {
  /** From now on every answer, also those being made, tells its client to close the connection. */
  announceClose(): void;
}

/**
 * Node's server, with time limits, with JSON in everything that Node answers by itself, and with an early 503 for what
 * it could only answer late.
 * @param log is told of each request from its headers on, also of those that `app` never sees; and so are the metrics
 */
export function createHttpServer(app: Express, log?: HttpLog, metrics?: HttpMetrics): HttpServer {
  const requestLog = log && new RequestLog(log, metrics);
  const answers = new OpenAnswers();
  const server = wellSpokenServer((request, response) => {
    if (overload.ignores(request)) return;
    requestLog?.begin(request, response);
    overload.decide(request, response, (decision) => {
      answers.add(request, response);
      if (decision === 'admitted') app(request, response);
      else refuseRequest(response, decision);
    });
  }, requestLog);
  const overload = new Overload(server);
  server.on('drop', () => metrics?.connectionDropped());
  return Object.assign(server, { announceClose: () => answers.announceClose() });
}

/** The same for operators, whose probes must be answered however busy the process is: without the early 503. */
export function createManagementServer(app: Express): Server {
  return wellSpokenServer((request, response) => void app(request, response));
}

function wellSpokenServer(listener: RequestListener, requestLog?: RequestLog): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node's own check answers without a body and does not mind two; the app checks.
      requireHostHeader: false,
    },
    listener,
  );
  // Beyond its count Node drops headers silently; the app counts them and refuses.
  server.maxHeadersCount = 0;

  closeUnanswered(server);
  /** The request that each connection is, or was last, busy with. */
  const latest = new WeakMap<Duplex, ServerResponse>();
  beforeEach(server, (request, response) => latest.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = statusOf(error);
    const named = () => requestLog?.unreadable(status, error.code ?? 'unknown', socket);
    refuse(socket, status, named, latest.get(socket));
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    requestLog?.begin(request, response);
    answerWithError(response, 417);
  });
  server.on('connect', (_request: IncomingMessage, socket) => {
    // Node no longer listens: a client that resets the connection would end the process.
    socket.on('error', () => {});
    refuse(socket, 405, () => requestLog?.unreadable(405, 'CONNECT', socket), latest.get(socket));
  });
  // No listener for `upgrade`: Node then serves the request as if no upgrade had been offered.
  return server;
}

/** Those with an expectation are told by an event of their own. */
function beforeEach(
  server: Server,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  for (const event of ['request', 'checkExpectation']) server.prependListener(event, listener);
}

/**
 * Of several requests that wait on a connection which breaks, Node tells only the first that its answer is closed; whoever
 * counts or keeps the others until then would do so for ever.
 */
function closeUnanswered(server: Server): void {
  const unanswered = new WeakMap<Socket, Set<ServerResponse>>();
  server.on('connection', (socket) => {
    const responses = new Set<ServerResponse>();
    unanswered.set(socket, responses);
    socket.once('close', () => {
      // Once Node has told the first.
      setImmediate(() => {
        for (const response of responses) response.emit('close');
      });
    });
  });
  beforeEach(server, ({ socket }, response) => {
    const responses = unanswered.get(socket)?.add(response);
    response.once('close', () => responses?.delete(response));
  });
}

/** The answers that have not left yet. */
class OpenAnswers {
  readonly #open = new Set<ServerResponse>();
  /** Made, and not taken by their clients yet. */
  #waitingBytes = 0;
  #isClosing = false;

  add({ socket }: IncomingMessage, response: ServerResponse): void {
    if (this.#isClosing) response.setHeader('Connection', 'close');
    this.#open.add(response);
    // All that is left to do is up to the client. Small answers have left within this turn.
    response.once('prefinish', () => {
      const bytes = socket.writableLength;
      let waiting = bytes;
      this.#waitingBytes += bytes;
      const over = () => {
        clearTimeout(timer);
        this.#waitingBytes -= waiting;
        waiting = 0;
      };
      const cut = () => {
        over();
        socket.destroy();
      };
      socket.setTimeout(STALLED_MS);
      let timer = setTimeout(() => {
        if (this.#waitingBytes > MUCH_WAITING_BYTES) cut();
        else timer = setTimeout(cut, bytes / SLOWEST_BYTES_PER_MS).unref();
      }, STALLED_MS).unref();
      response.once('close', over);
    });
    response.once('close', () => this.#open.delete(response));
  }

  announceClose(): void {
    this.#isClosing = true;
    for (const response of this.#open) if (!response.headersSent) response.setHeader('Connection', 'close');
  }
}

function refuseRequest(response: ServerResponse, decision: 'busy' | 'unwelcome'): void {
  response.setHeader('Retry-After', '1');
  if (decision === 'unwelcome') response.setHeader('Connection', 'close');
  answerWithError(response, 503);
}

function answerWithError(response: ServerResponse, status: number): void {
  const body = errorBody(status);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(body);
}

function statusOf({ code }: NodeJS.ErrnoException): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return 400;
}

/**
 * Answers on the bare connection and closes it; after the answer that is already on its way, if there is one.
 * @param named what comes in place of a request is told to the log, which names it
 */
function refuse(
  socket: Duplex,
  status: number,
  named: () => string | undefined,
  current?: ServerResponse,
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const answer = (requestId: string | undefined) => {
    socket.end(rawAnswer(status, requestId));
    // Closing at once could reset the connection before the client has read the answer.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
  const isPending = current !== undefined && !current.writableFinished && !current.destroyed;
  const isItsBody = isPending && !current.req.complete && !current.headersSent;
  if (isItsBody) {
    // The log tells of this request when its connection ends.
    current.statusCode = status;
    answer(current.getHeader('X-Request-Id')?.toString());
  } else if (isPending) {
    // Each packet that follows would be refused as well, and kept until then.
    socket.pause();
    current.once('finish', () => {
      socket.resume();
      answer(named());
    });
  } else answer(named());
}

function rawAnswer(status: number, requestId: string | undefined): string {
  const body = errorBody(status);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    ...(requestId === undefined ? [] : [`X-Request-Id: ${requestId}`]),
    ...(status === 405 ? ['Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS'] : []),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

function errorBody(statusCode: number): string {
  return JSON.stringify({ statusCode, message: STATUS_CODES[statusCode] });
}
