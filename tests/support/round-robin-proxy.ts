import { once } from 'node:events';
import { Agent, type IncomingMessage, type ServerResponse, createServer, get, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Backend {
  readonly url: string;
  /** Base of its probes. */
  readonly managementUrl: string;
}

const PROBE_MS = 100;

/** A small load balancer: turns by turns to those that say they are ready, over connections it keeps; repeats nothing. */
export class RoundRobinProxy {
  readonly #backends = new Map<
    string,
    { readonly backend: Backend; readonly agent: Agent; isReady: boolean }
  >();
  readonly #server = createServer((incoming, outgoing) => this.#forward(incoming, outgoing));
  #turn = 0;
  #probing: NodeJS.Timeout | undefined;

  /** @param probeMilliseconds how often each backend is asked */
  async open(probeMilliseconds = PROBE_MS): Promise<string> {
    this.#probing = setInterval(() => void this.probe(), probeMilliseconds);
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  add(backend: Backend): void {
    // Below the 5 s after which a node closes an idle connection.
    const agent = new Agent({ keepAlive: true, timeout: 2_000 });
    this.#backends.set(backend.url, { backend, agent, isReady: false });
  }

  remove(url: string): void {
    this.#backends.get(url)?.agent.destroy();
    this.#backends.delete(url);
  }

  get ready(): number {
    return [...this.#backends.values()].filter(({ isReady }) => isReady).length;
  }

  async probe(): Promise<void> {
    await Promise.all(
      [...this.#backends.values()].map(async (entry) => {
        entry.isReady = (await statusOf(`${entry.backend.managementUrl}/readyz`)) === 200;
      }),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#probing);
    for (const { agent } of this.#backends.values()) agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const ready = [...this.#backends.values()].filter(({ isReady }) => isReady);
    const chosen = ready[(this.#turn += 1) % ready.length];
    if (!chosen) return void outgoing.writeHead(504, { 'Content-Length': 0 }).end();
    const { hostname, port } = new URL(chosen.backend.url);
    const { method = 'GET', url: path = '/', headers } = incoming;
    const forwarded = request({ hostname, port, method, path, headers, agent: chosen.agent }, (answer) => {
      // The connection to the client is another one.
      delete answer.headers.connection;
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    forwarded.on('error', () => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502, { 'Content-Length': 0 }).end();
    });
    incoming.pipe(forwarded);
  }
}

/** 0: no answer. */
function statusOf(url: string): Promise<number> {
  return new Promise((resolve) => {
    const probe = get(url, { agent: false, timeout: 1_000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    probe.on('timeout', () => probe.destroy());
    probe.on('error', () => resolve(0));
  });
}
