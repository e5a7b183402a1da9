import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests on connections beyond these are refused ... */
const MAX_CONNECTIONS = 2_000;
/** ... and beyond these connections are not taken at all. */
const MAX_REFUSED_CONNECTIONS = 1_000;
/** Nobody sends so many requests over one connection without waiting for answers, unless to harm. */
const MAX_PIPELINED = 10;
/** Requests that may still come on a connection that is ending before it is cut: Node keeps each until its turn. */
const MAX_IGNORED = 100;
/** Requests in work beyond which there is no use in taking another while the event loop has no time to spare ... */
const MAX_WHILE_SATURATED = 250;
/** ... and at any time. High, for they may all be waiting for a database that has stopped, and others need none. */
const MAX_IN_WORK = 1_000;
/**
 * Milliseconds that requests may use of a turn of the event loop; the others wait for the next one. Node takes one new
 * connection a turn, so that while turns are long nobody new gets in.
 */
const SLICE_MS = 2;
/** Milliseconds. What has waited longer is refused: those who come now can still be served in time ... */
const LONGEST_WAIT_MS = 150;
/** ... unless so few wait that the time went elsewhere, such as to other processes: they are soon served. */
const FEW_WAITING = 100;

export type Decision = 'admitted' | 'busy' | 'unwelcome';

/**
 * Tells early which requests could only be answered late. Three things can run out: connections, the time of the event
 * loop, and what requests wait for. A request counts as in work from when it is whole until its answer is made: clients
 * that send or read slowly take nobody's place.
 */
export class Overload {
  readonly #loop: EventLoop;
  readonly #queue = new TurnQueue();
  readonly #connectionsRefused = new WeakSet<Socket>();
  /** How many were ignored on each. */
  readonly #ending = new WeakMap<Socket, number>();
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

  /** What comes on a connection that is ending, for floods follow in one packet. Nothing else happens to it. */
  ignores({ socket }: IncomingMessage): boolean {
    const ignored = this.#ending.get(socket);
    if (ignored === undefined) return false;
    this.#ending.set(socket, ignored + 1);
    if (ignored === MAX_IGNORED) socket.destroy();
    return true;
  }

  /**
   * Tells, now or soon, what is to be done: the request is worked on, and counts from then on; or `busy`: it may be sent
   * again; or `unwelcome`: on another connection. Tells nothing if nobody waits any more.
   */
  decide(request: IncomingMessage, response: ServerResponse, act: (decision: Decision) => void): void {
    const { socket } = request;
    const pipelined = this.#pipelined.get(socket) ?? 0;
    if (this.#connectionsRefused.has(socket) || pipelined >= MAX_PIPELINED) {
      this.#ending.set(socket, 0);
      return act('unwelcome');
    }
    this.#pipelined.set(socket, pipelined + 1);
    response.once('close', () => this.#pipelined.set(socket, (this.#pipelined.get(socket) ?? 1) - 1));
    this.#queue.add((milliseconds, waiting) => {
      if (socket.destroyed) return;
      const isLate = milliseconds > LONGEST_WAIT_MS && waiting > FEW_WAITING;
      const isBusy = isLate || this.#inWork >= MAX_IN_WORK;
      if (isBusy || (this.#inWork >= MAX_WHILE_SATURATED && this.#loop.isSaturated())) return act('busy');
      this.#count(request, response);
      act('admitted');
    });
  }

  #count(request: IncomingMessage, response: ServerResponse): void {
    let isCounted = false;
    let isMade = false;
    const begin = () => {
      if (isMade || isCounted) return;
      isCounted = true;
      this.#inWork += 1;
    };
    const made = () => {
      isMade = true;
      if (isCounted) this.#inWork -= 1;
      isCounted = false;
    };
    if (hasBody(request)) {
      request.once('end', begin);
      // One that nobody reads has no end, and is whole all the same: most come with their headers.
      setImmediate(() => void (request.complete && begin()));
    } else begin();
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

/** Is told how long it has waited, in milliseconds, and how many still wait. */
type QueuedWork = (milliseconds: number, waiting: number) => void;

/** Work that comes in bursts, in the order of its coming, a slice of it in each turn of the event loop. */
class TurnQueue {
  readonly #waiting: { readonly since: number; readonly work: QueuedWork }[] = [];
  #sliceEndsAt: number | null = null;

  add(work: QueuedWork): void {
    const now = performance.now();
    if (this.#sliceEndsAt === null) this.#beginSlice(now);
    if (this.#waiting.length === 0 && now < (this.#sliceEndsAt ?? 0)) work(0, 0);
    else this.#waiting.push({ since: now, work });
  }

  #beginSlice(now: number): void {
    this.#sliceEndsAt = now + SLICE_MS;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#sliceEndsAt = null;
    if (this.#waiting.length === 0) return;
    let now = performance.now();
    this.#beginSlice(now);
    const sliceEndsAt = now + SLICE_MS;
    let done = 0;
    for (const { since, work } of this.#waiting) {
      if (now >= sliceEndsAt) break;
      done += 1;
      work(now - since, this.#waiting.length - done);
      now = performance.now();
    }
    this.#waiting.splice(0, done);
  }
}

const SAMPLE_MS = 100;
/** The share of its time that the loop was working. */
const SATURATED = 0.95;

/** Whether the event loop has had any rest of late. */
class EventLoop {
  #sample = performance.eventLoopUtilization();
  #sampledAt = performance.now();
  #wasSaturated = false;

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

  #takeSample(): void {
    const before = this.#sample;
    this.#sample = performance.eventLoopUtilization();
    this.#sampledAt = performance.now();
    this.#wasSaturated = performance.eventLoopUtilization(this.#sample, before).utilization >= SATURATED;
  }
}
