import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { StationRow } from '../../src/application/import-stations.js';

/** Where a fixture lies, such as `playlists/monkeyradio.pls`. */
export function fixture(path: string): string {
  return fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
}

export function fixtureText(path: string): AsyncIterable<string> {
  return createReadStream(fixture(path), 'utf8');
}

/** The text in pieces of `size` characters; all at once unless told. */
export async function* inChunks(text: string, size = text.length || 1): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}

export async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for await (const row of rows) gathered.push(row);
  return gathered;
}

/** The rows as a list of them would be read. */
export async function* asList(...rows: readonly StationRow[]): AsyncGenerator<StationRow> {
  yield* rows;
}
