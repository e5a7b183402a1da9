import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests on connections beyond these are refused ... */
const MAX_CONNECTIONS = 2_000;
/** ... and beyond these connections are not taken at all. */
const MAX_REFUSED_CONNECTIONS = 1_000;
/** Nobody sends so many requests over one connection without waiting for answers, unless to harm. */
const MAX_PIPELINED = 10;
/** Requests in work beyond which there is no use in taking another while the event loop has no time to spare ... */
const MAX_WHILE_SATURATED = 250;
/** ... and at any time. High, for they may all be waiting for a database that has stopped, and others need none. */
const MAX_IN_WORK = 1_000;
/** Milliseconds. What is read so late in a turn of the event loop has waited that long already, ... */
const LONGEST_TURN = 150;
/** ... and was not held up by something else if so many were read before it. */
const MANY_IN_A_TURN = 100;

/**
 * Tells early which requests could only be answered late. Three things can run out: connections, the time of the event
 * loop, and what requests wait for. A request counts as in work from when it is whole until its answer is made: clients
 * that send or read slowly take nobody's place.
 */
export class Overload {
  readonly #loop: EventLoop;
  readonly #connectionsRefused = new WeakSet<Socket>();
  readonly #pipelined = new WeakMap<Socket, number>();
  #connections = 0;
  #inWork = 0;

  constructor(server: Server) {
    this.#loop = new EventLoop(server);
    server.maxConnections = MAX_CONNECTIONS + MAX_REFUSED_CONNECTIONS;
    server.on('connection', (socket) => {
      this.#connections += 1;
      // Told with the first answer: a connection that is just closed says nothing.
      if (this.#connections > MAX_CONNECTIONS) this.#connectionsRefused.add(socket);
      socket.once('close', () => (this.#connections -= 1));
    });
  }

  /** The request may be worked on, and counts from now on; or `busy`: try again; or `unwelcome`: on another connection. */
  admit(request: IncomingMessage, response: ServerResponse): 'admitted' | 'busy' | 'unwelcome' {
    const { socket } = request;
    const pipelined = this.#pipelined.get(socket) ?? 0;
    if (this.#connectionsRefused.has(socket) || pipelined >= MAX_PIPELINED) return 'unwelcome';
    const isTurnTooLong = this.#loop.isTurnTooLong();
    if (this.#inWork >= MAX_IN_WORK || isTurnTooLong) return 'busy';
    if (this.#inWork >= MAX_WHILE_SATURATED && this.#loop.isSaturated()) return 'busy';
    this.#pipelined.set(socket, pipelined + 1);
    response.once('close', () => this.#pipelined.set(socket, (this.#pipelined.get(socket) ?? 1) - 1));
    this.#count(request, response);
    return 'admitted';
  }

  #count(request: IncomingMessage, response: ServerResponse): void {
    let isCounted = false;
    let isMade = false;
    const begin = () => {
      if (isMade) return;
      isCounted = true;
      this.#inWork += 1;
    };
    const made = () => {
      isMade = true;
      if (isCounted) this.#inWork -= 1;
      isCounted = false;
    };
    if (hasBody(request)) request.once('end', begin);
    else begin();
    // `finish` waits until the client has taken what came before.
    const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
    response.end = ((...args: unknown[]) => {
      made();
      return end(...args);
    }) as typeof response.end;
    response.once('close', made);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const SAMPLE_MS = 100;
/** The share of its time that the loop was working. */
const SATURATED = 0.95;

/** How busy the event loop is: how long the present turn has taken, and whether it has had any rest of late. */
class EventLoop {
  #sample = performance.eventLoopUtilization();
  #sampledAt = performance.now();
  #wasSaturated = false;
  #turn: { readonly startedAt: number; requests: number } | null = null;

  constructor(server: Server) {
    server.on('listening', () => {
      const sampling = setInterval(() => this.#takeSample(), SAMPLE_MS).unref();
      server.once('close', () => clearInterval(sampling));
      this.#takeSample();
    });
  }

  isSaturated(): boolean {
    // A sample that is overdue: the loop has been in one turn since.
    return this.#wasSaturated || performance.now() - this.#sampledAt > 2 * SAMPLE_MS;
  }

  /** To be asked once for each request: those that nobody has time to read wait in the kernel, and are then read in one turn. */
  isTurnTooLong(): boolean {
    if (this.#turn === null) {
      this.#turn = { startedAt: performance.now(), requests: 0 };
      setImmediate(() => (this.#turn = null));
    }
    this.#turn.requests += 1;
    return this.#turn.requests > MANY_IN_A_TURN && performance.now() - this.#turn.startedAt > LONGEST_TURN;
  }

  #takeSample(): void {
    const before = this.#sample;
    this.#sample = performance.eventLoopUtilization();
    this.#sampledAt = performance.now();
    this.#wasSaturated = performance.eventLoopUtilization(this.#sample, before).utilization >= SATURATED;
  }
}
