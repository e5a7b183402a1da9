import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What happens to the bytes on their way, in both directions. */
export interface Weather {
  /** Every chunk is late by so many milliseconds, give or take the jitter. Order is kept. */
  readonly latency?: number;
  readonly jitter?: number;
  /** Bytes a chunk is cut into. */
  readonly slice?: number;
  /** Each way, on each connection. */
  readonly bytesPerSecond?: number;
  /** Nothing gets through, and nobody is told. */
  readonly blackhole?: boolean;
  /** Bytes after which a connection is reset, counted from its beginning. */
  readonly resetAfter?: number;
}

/** All kinds of bad weather in which bytes still arrive, sooner or later or not all of them. */
export const STORMS: readonly Weather[] = [
  { latency: 100, jitter: 50 },
  { slice: 1 },
  { bytesPerSecond: 10_240 },
  { resetAfter: 3_000 },
];

/** A TCP proxy on the loopback address that behaves like a bad network. */
export class FaultProxy {
  weather: Weather = {};
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /** @param random from 0 to below 1 */
  constructor(
    /** Where new connections go. */
    public target: { readonly host: string; readonly port: number },
    private readonly random: () => number = Math.random,
  ) {
    this.#server = createServer((client) => this.#join(client));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The same address as `url`, but through here. */
  through(url: string): string {
    const address = new URL(url);
    address.hostname = '127.0.0.1';
    address.port = String(this.port);
    return address.href;
  }

  async open(): Promise<this> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  /** Ends every connection at once, without a good-bye. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server.close(), 'close');
    this.reset();
    await closed;
  }

  #join(client: Socket): void {
    const server = connect(this.target.port, this.target.host);
    const passed = { bytes: 0 };
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from.setNoDelay());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      void this.#carry(from, to, passed);
    }
  }

  /** Chunks travel at the same time: each is late by itself, and none overtakes another. */
  async #carry(from: Socket, to: Socket, passed: { bytes: number }): Promise<void> {
    try {
      let delivered = Promise.resolve();
      for await (const chunk of from as AsyncIterable<Buffer>) {
        const { slice = chunk.length, latency = 0, jitter = 0 } = this.weather;
        const dueAt = performance.now() + latency + jitter * (2 * this.random() - 1);
        for (let start = 0; start < chunk.length; start += slice) {
          const bytes = chunk.subarray(start, start + slice);
          delivered = delivered.then(() => this.#deliver(bytes, to, dueAt, passed));
          delivered.catch(() => to.destroy());
        }
      }
      await delivered;
      to.end();
    } catch {
      to.destroy();
    }
  }

  async #deliver(bytes: Buffer, to: Socket, dueAt: number, passed: { bytes: number }): Promise<void> {
    const { bytesPerSecond = Infinity, resetAfter = Infinity } = this.weather;
    const wait = Math.max(0, dueAt - performance.now()) + (bytes.length * 1_000) / bytesPerSecond;
    if (wait > 0) await pause(wait);
    while (this.weather.blackhole && !to.destroyed) await pause(20);
    passed.bytes += bytes.length;
    if (passed.bytes > resetAfter) to.resetAndDestroy();
    else if (!to.write(bytes)) await once(to, 'drain');
  }
}
