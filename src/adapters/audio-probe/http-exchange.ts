import { type Socket, connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { CheckOutcome } from '../../domain/stream-check.js';
import { type Resolve, type ResolvedAddress, isPublicAddress } from './public-addresses.js';

/** What ended a probe; the probe makes a finding of it. */
export class ProbeEnded extends Error {
  constructor(
    readonly outcome: CheckOutcome,
    readonly detail: string,
  ) {
    super(`${outcome}: ${detail}`);
  }
}

export interface ExchangeOptions {
  readonly userAgent: string;
  readonly resolve: Resolve;
  readonly allowPrivate: boolean;
  /** Ends everything; its reason is what the caller gets. */
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** By lower-case name; of several the first. */
  readonly headers: ReadonlyMap<string, string>;
  /** The start of the body: as soon as `length` bytes are there, or all of it if it ends before. May be asked for more. */
  read(length: number): Promise<{ readonly bytes: Buffer; readonly isEnd: boolean }>;
  close(): void;
}

const MAX_HEAD_BYTES = 16_384;
const MAX_ADDRESSES = 3;
/** What chunks of one byte take on their way, and some more: their lines may be of any length. */
const MAX_CHUNK_OVERHEAD = 8;

/**
 * Asks for a URL. Speaks HTTP by itself, since Node's parser refuses what Shoutcast servers answer (`ICY 200 OK`), and
 * never connects to an address that it has not looked at, whatever the name resolves to the next time.
 */
export async function ask(url: URL, options: ExchangeOptions): Promise<Answer> {
  const socket = await connected(url, options);
  const stop = () => void socket.destroy(options.signal.reason as Error);
  options.signal.addEventListener('abort', stop, { once: true });
  const close = () => {
    options.signal.removeEventListener('abort', stop);
    socket.destroy();
  };
  try {
    socket.write(requestFor(url, options.userAgent));
    const incoming = new Incoming(socket);
    const { status, headers } = await headOf(incoming);
    const isChunked = /chunked/i.test(headers.get('transfer-encoding') ?? '');
    return { status, headers, read: (length) => incoming.body(length, isChunked), close };
  } catch (error) {
    close();
    throw error;
  }
}

function requestFor(url: URL, userAgent: string): string {
  const credentials = [url.username, url.password].map(decodeURIComponentSafely).join(':');
  const lines = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    `User-Agent: ${userAgent}`,
    'Accept: */*',
    'Accept-Encoding: identity',
    'Connection: close',
    ...(credentials === ':' ? [] : [`Authorization: Basic ${Buffer.from(credentials).toString('base64')}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function connected(url: URL, options: ExchangeOptions): Promise<Socket> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  let failure: unknown = new ProbeEnded('unreachable', 'the name has no address');
  for (const { address } of (await addressesOf(host, options)).slice(0, MAX_ADDRESSES)) {
    try {
      return await connectedTo(address, host, url, options);
    } catch (error) {
      options.signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

async function addressesOf(
  host: string,
  { resolve, allowPrivate, signal }: ExchangeOptions,
): Promise<readonly ResolvedAddress[]> {
  const family = isIP(host);
  const addresses =
    family !== 0 ? [{ address: host, family }] : await Promise.race([named(host, resolve), aborted(signal)]);
  const allowed = allowPrivate ? addresses : addresses.filter(({ address }) => isPublicAddress(address));
  if (addresses.length > 0 && allowed.length === 0)
    throw new ProbeEnded('forbidden-address', 'leads to a private or reserved address');
  return allowed;
}

async function named(host: string, resolve: Resolve): Promise<readonly ResolvedAddress[]> {
  try {
    return await resolve(host);
  } catch (error) {
    throw new ProbeEnded('unreachable', `the name is not resolved (${codeOf(error)})`);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function connectedTo(address: string, host: string, url: URL, options: ExchangeOptions): Promise<Socket> {
  const isTls = url.protocol === 'https:';
  const port = Number(url.port) || (isTls ? 443 : 80);
  return new Promise((resolve, reject) => {
    options.signal.throwIfAborted();
    const socket = isTls
      ? connectTls({ host: address, port, ...(isIP(host) === 0 && { servername: host }) })
      : connect({ host: address, port });
    const stop = () => void socket.destroy(options.signal.reason as Error);
    options.signal.addEventListener('abort', stop, { once: true });
    socket.once('error', (error: Error) => {
      options.signal.removeEventListener('abort', stop);
      reject(error instanceof ProbeEnded ? error : connectionFailure(error));
    });
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      options.signal.removeEventListener('abort', stop);
      // Later errors end the reading, which tells them.
      socket.removeAllListeners('error');
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}

/** OpenSSL's and Node's words for a certificate that a listener's player would refuse too. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH)/;

function connectionFailure(error: Error): ProbeEnded {
  const code = codeOf(error);
  return new ProbeEnded(CERTIFICATE.test(code) ? 'untrusted-certificate' : 'unreachable', code);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** The bytes of a socket, as far as they have come. */
class Incoming {
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes: Buffer = Buffer.alloc(0);
  #isEnd = false;

  constructor(private readonly socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  skip(length: number): void {
    this.#bytes = this.#bytes.subarray(length);
  }

  /** @returns false: there is no more */
  async more(): Promise<boolean> {
    if (this.#isEnd) return false;
    try {
      const next = await this.#chunks.next();
      if (next.done) this.#isEnd = true;
      else this.#bytes = Buffer.concat([this.#bytes, next.value]);
    } catch (error) {
      if (error instanceof ProbeEnded) throw error;
      // A server that resets the connection after its answer has ended it all the same.
      if (this.#bytes.length === 0) throw new ProbeEnded('unreachable', codeOf(error));
      this.#isEnd = true;
    }
    return !this.#isEnd;
  }

  async body(length: number, isChunked: boolean): Promise<{ bytes: Buffer; isEnd: boolean }> {
    for (;;) {
      const { bytes, isEnd } = isChunked
        ? unchunked(this.#bytes)
        : { bytes: this.#bytes, isEnd: this.#isEnd };
      if (bytes.length > length) return { bytes: bytes.subarray(0, length), isEnd: false };
      if (bytes.length === length || isEnd) return { bytes, isEnd };
      if (isChunked && this.#bytes.length > MAX_CHUNK_OVERHEAD * length + MAX_HEAD_BYTES)
        throw new ProbeEnded('not-audio', 'chunks with hardly anything in them');
      if (!(await this.more())) return { bytes, isEnd: true };
    }
  }
}

const STATUS_LINE = /^(?:HTTP\/\d(?:\.\d)?|ICY)\s+(\d{3})(?=\s|$)/;

async function headOf(incoming: Incoming): Promise<{ status: number; headers: ReadonlyMap<string, string> }> {
  for (;;) {
    const text = incoming.bytes.subarray(0, MAX_HEAD_BYTES).toString('latin1');
    const end = /\r?\n\r?\n/.exec(text);
    if (end) {
      incoming.skip(end.index + end[0].length);
      return parsedHead(text.slice(0, end.index));
    }
    if (text.length >= 4 && !/^(HTTP|ICY )/.test(text)) throw new ProbeEnded('not-audio', 'no HTTP answer');
    if (text.length >= MAX_HEAD_BYTES)
      throw new ProbeEnded('not-audio', `headers of more than ${MAX_HEAD_BYTES} bytes`);
    if (!(await incoming.more()))
      throw new ProbeEnded('not-audio', text === '' ? 'no answer at all' : 'an answer that breaks off');
  }
}

function parsedHead(text: string): { status: number; headers: ReadonlyMap<string, string> } {
  const [statusLine = '', ...lines] = text.split(/\r?\n/);
  const status = Number(STATUS_LINE.exec(statusLine)?.[1]);
  if (!(status >= 100)) throw new ProbeEnded('not-audio', 'no HTTP answer');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (name !== '' && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return { status, headers };
}

/** The data of the chunks that are there. */
function unchunked(raw: Buffer): { bytes: Buffer; isEnd: boolean } {
  const data: Buffer[] = [];
  let start = 0;
  for (;;) {
    const lineEnd = raw.indexOf('\r\n', start);
    if (lineEnd === -1) return { bytes: Buffer.concat(data), isEnd: false };
    const size = Number.parseInt(raw.toString('latin1', start, lineEnd), 16);
    if (!(size > 0)) return { bytes: Buffer.concat(data), isEnd: true };
    data.push(raw.subarray(lineEnd + 2, lineEnd + 2 + size));
    start = lineEnd + 2 + size + 2;
    if (start > raw.length) return { bytes: Buffer.concat(data), isEnd: false };
  }
}
