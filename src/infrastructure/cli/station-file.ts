import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { StationRow } from '../../application/import-stations.js';
import {
  HEAD_LENGTH,
  type StationListFormat,
  detectFormat,
  stationsIn,
} from '../../adapters/station-lists/detect.js';
import { peek } from '../../adapters/station-lists/text-chunks.js';
import { type Result, err, ok } from '../../domain/result.js';

/** A list of stations on its way out of a file or standard input, in memory that does not grow with it. */
export interface StationFile {
  /** Ends early, and without an error, when the file cannot be read on or {@link stop} is called. */
  readonly rows: AsyncIterable<StationRow>;
  readonly read: { readonly bytes: number; readonly totalBytes: number | null };
  /** Why the rows ended before the file did; completes "The file …". */
  readonly problem: string | null;
  stop(): void;
}

/** @param name a file, or `-` for `input`; plain or gzipped, whatever it is called */
export async function openStationFile(
  name: string,
  format: StationListFormat | 'auto',
  input: Readable,
): Promise<Result<StationFile, string>> {
  const isInput = name === '-';
  const shownName = isInput ? 'Standard input' : name;
  try {
    const info = isInput ? null : await stat(name);
    if (info?.isDirectory()) return err(`${name} is a folder, not a file.`);
    const source = isInput ? input : createReadStream(name);
    const read = { bytes: 0, totalBytes: info?.isFile() ? info.size : null };
    const { head, all } = await peek(decoded(unpacked(counted(source, read))), HEAD_LENGTH);
    const detected = format === 'auto' ? detectFormat(head, name.replace(/\.gz$/i, '')) : ok(format);
    if (detected.ok) return ok(stationFile(stationsIn(detected.value, all), read, source));
    source.destroy();
    return err(
      `${shownName} ${detected.error.reason}. Radio Browser lists (JSON), M3U, PLS, CSV and exports of a directory can be imported.`,
    );
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return err(`There is no file ${name}.`);
    if (code === 'EACCES') return err(`${name} may not be read.`);
    if (code !== null) return err(`${shownName} cannot be read: ${(error as Error).message}.`);
    throw error;
  }
}

function stationFile(
  stations: AsyncIterable<StationRow>,
  read: { bytes: number; totalBytes: number | null },
  source: Readable,
): StationFile {
  let problem: string | null = null;
  let isStopped = false;
  async function* rows(): AsyncGenerator<StationRow> {
    try {
      for await (const row of stations) {
        if (isStopped) return;
        yield row;
      }
    } catch (error) {
      if (isStopped) return;
      if (codeOf(error) === null) throw error;
      problem = `breaks off: ${(error as Error).message}`;
    }
  }
  return {
    rows: rows(),
    read,
    get problem() {
      return problem;
    },
    stop: () => {
      isStopped = true;
      source.destroy();
    },
  };
}

async function* counted(source: AsyncIterable<unknown>, read: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    read.bytes += bytes.length;
    yield bytes;
  }
}

async function* unpacked(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { head, all } = await peekBytes(source, 2);
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* all;
    return;
  }
  const gunzip = createGunzip();
  // Whoever reads the end of it gets the error.
  pipeline(Readable.from(all), gunzip, () => {});
  yield* gunzip as AsyncIterable<Buffer>;
}

const DECODING_HEAD = 65_536;

/** UTF-8 as a rule; UTF-16 with its mark; what is no UTF-8 at its start is what old playlist programs wrote on Windows. */
async function* decoded(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const { head, all } = await peekBytes(source, DECODING_HEAD);
  const decoder = new TextDecoder(encodingOf(head.subarray(0, DECODING_HEAD)), { ignoreBOM: true });
  for await (const bytes of all) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}

function encodingOf(head: Buffer): string {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  // The last character may be cut.
  const isText = [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, Math.max(0, head.length - cut))));
  return isText ? 'utf-8' : 'windows-1252';
}

async function peekBytes(
  source: AsyncIterable<Buffer>,
  length: number,
): Promise<{ head: Buffer; all: AsyncIterable<Buffer> }> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let isEnd = false;
  while (!isEnd && head.length < length) {
    const next = await chunks.next();
    if (next.done) isEnd = true;
    else head = Buffer.concat([head, next.value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield head;
      while (!isEnd) {
        const next = await chunks.next();
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await chunks.return?.();
    }
  }
  return { head, all: all() };
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
