import { type Socket, connect } from 'node:net';
import { quantile } from './figures.js';

export interface LoadRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Load {
  readonly url: string;
  /** Kept open between requests. */
  readonly connections: number;
  readonly milliseconds: number;
  /** So many are sent whatever becomes of them, and times count from when they were due. Left out: each after the last. */
  readonly perSecond?: number;
  readonly request: (number: number) => LoadRequest;
}

export interface LoadResult {
  readonly requests: number;
  readonly answersPerSecond: number;
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Requests without a whole answer: what happened to them. */
  readonly failures: readonly string[];
  /** Milliseconds from request to whole answer, of the answers below 500. */
  readonly median: number;
  readonly p99: number;
  readonly slowest: number;
  /** The same from when it was sent: a client that cannot keep up with `perSecond` sends late. */
  readonly p99FromSending: number;
}

/** Sends requests over connections of its own, cheaply enough to share a machine with the server. */
export async function load({
  url,
  connections,
  milliseconds,
  perSecond,
  request,
}: Load): Promise<LoadResult> {
  const { hostname, port } = new URL(url);
  const statuses: Record<number, number> = {};
  const failures: string[] = [];
  const times: number[] = [];
  const timesFromSending: number[] = [];
  // Each connection is there before the time starts.
  const clients = Array.from({ length: connections }, () => new Client(hostname, Number(port)));
  await Promise.all(clients.map((client) => client.send(wire({ path: '/' })).catch(() => 0)));
  const startedAt = performance.now();
  const endsAt = startedAt + milliseconds;
  let requests = 0;

  const next = (): { number: number; dueAt: number } | null => {
    const now = performance.now();
    const dueAt = perSecond === undefined ? now : startedAt + (requests * 1_000) / perSecond;
    if (dueAt >= endsAt || now >= endsAt + 30_000) return null;
    requests += 1;
    return { number: requests - 1, dueAt };
  };
  const user = async (client: Client): Promise<void> => {
    for (let turn = next(); turn !== null; turn = next()) {
      const wait = turn.dueAt - performance.now();
      if (wait > 0) await new Promise((due) => setTimeout(due, wait));
      try {
        const sentAt = performance.now();
        const status = await client.send(wire(request(turn.number)));
        const answeredAt = performance.now();
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status >= 500) continue;
        times.push(answeredAt - turn.dueAt);
        timesFromSending.push(answeredAt - sentAt);
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
      }
    }
    client.close();
  };
  await Promise.all(clients.map(user));
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    requests,
    answersPerSecond: (requests - failures.length) / seconds,
    statuses,
    failures,
    median: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    slowest: quantile(times, 1),
    p99FromSending: quantile(timesFromSending, 0.99),
  };
}

function wire({ method = 'GET', path, headers = {}, body }: LoadRequest): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined)
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(content)}`);
  return `${lines.join('\r\n')}\r\n\r\n${content}`;
}

/** One connection, opened when it is needed and again when the server has closed it. Answers must name their length. */
class Client {
  #socket: Socket | null = null;
  #settle: { answered: (status: number) => void; failed: (error: Error) => void } | null = null;
  #head = '';
  #missing = 0;
  #status = 0;
  #closes = false;

  constructor(
    private readonly host: string,
    private readonly port: number,
  ) {}

  send(text: string): Promise<number> {
    return new Promise((answered, failed) => {
      this.#settle = { answered, failed };
      this.#head = '';
      this.#missing = 0;
      this.#status = 0;
      this.#socket ??= this.#open();
      this.#socket.write(text);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect(this.port, this.host).setNoDelay();
    let reason = 'closed before the answer';
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => (reason = error.code ?? error.message));
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = null;
      else return;
      this.#settle?.failed(new Error(this.#status === 0 ? reason : 'truncated answer'));
      this.#settle = null;
    });
    return socket;
  }

  #read(chunk: Buffer): void {
    if (this.#status !== 0) return this.#count(chunk.length);
    this.#head += chunk.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const rest = this.#head.length - end - 4;
    this.#status = Number(this.#head.slice(9, 12));
    this.#missing = Number(/\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1] ?? 0);
    this.#closes = /\r\nconnection: close/i.test(this.#head.slice(0, end));
    this.#count(rest);
  }

  #count(bytes: number): void {
    this.#missing -= bytes;
    if (this.#missing > 0) return;
    if (this.#closes) {
      this.#socket?.destroy();
      this.#socket = null;
    }
    this.#settle?.answered(this.#status);
    this.#settle = null;
  }
}
