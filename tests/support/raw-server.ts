import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';

/** A server that answers requests for each path with exactly these bytes, or does with the connection what it likes. */
export class RawServer {
  readonly requests: string[] = [];
  /** Most connections at one time. */
  mostOpen = 0;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(answers: (path: string, socket: Socket) => Buffer | string | null) {
    this.#server = createServer((socket) => {
      this.#open.add(socket);
      this.mostOpen = Math.max(this.mostOpen, this.#open.size);
      socket.on('error', () => {});
      socket.on('close', () => this.#open.delete(socket));
      let request = '';
      socket.on('data', (bytes) => {
        if (request.includes('\r\n\r\n')) return;
        request += bytes.toString('latin1');
        if (!request.includes('\r\n\r\n')) return;
        this.requests.push(request);
        const answer = answers(/^\S+ (\S*)/.exec(request)?.[1] ?? '', socket);
        if (answer !== null) socket.end(answer);
      });
    });
  }

  /** @param answers null: the function sees to the connection by itself */
  static async start(answers: (path: string, socket: Socket) => Buffer | string | null): Promise<RawServer> {
    const server = new RawServer(answers);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Frames of an MPEG-1 layer III stream of 128 kbit/s and 44.1 kHz, with silence that looks like no text. */
export function mp3(frames = 12): Buffer {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x00]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

/** ADTS frames. */
export function aac(frames = 12): Buffer {
  const length = 371;
  const frame = Buffer.alloc(length);
  frame.set([
    0xff,
    0xf1,
    0x50,
    0x80 | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc,
  ]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

export function answer(head: string, body: Buffer | string = ''): Buffer {
  return Buffer.concat([
    Buffer.from(`${head.replaceAll('\n', '\r\n')}\r\n\r\n`, 'latin1'),
    Buffer.from(body),
  ]);
}
