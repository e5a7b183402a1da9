import type { StationRow } from '../../application/import-stations.js';
import { isAddress, nameFromAddress } from './playlist-address.js';
import { linesOf } from './text-chunks.js';

interface Entry {
  title?: string;
  file?: { readonly row: number; readonly url: string };
  readonly firstRow: number;
}

/**
 * PLS: `FileN` and `TitleN` in any order and case. A row is the line of `FileN`. Everything after the first `=` is the
 * value, for titles hold `;` and `#`, which a parser of INI files takes for comments.
 */
export async function* plsStations(chunks: AsyncIterable<string>): AsyncGenerator<StationRow> {
  const entries = new Map<number, Entry>();
  for await (const { number: row, text } of linesOf(chunks)) {
    const line = text.trim();
    const [, key, digits, value = ''] = /^(File|Title)(\d{1,9})\s*=\s*(.*)$/i.exec(line) ?? [];
    if (key === undefined) {
      if (!IGNORED.test(line)) yield { row, reason: 'not a line of a PLS file' };
      continue;
    }
    const number = Number(digits);
    const entry = entries.get(number) ?? { firstRow: row };
    entries.set(number, entry);
    if (entries.size > MAX_OPEN_ENTRIES) yield* taken(entries, MAX_OPEN_ENTRIES / 2);
    if (key.toLowerCase() === 'title') entry.title ??= value;
    else if (entry.file) yield { row, reason: `a second File${number}` };
    else entry.file = { row, url: value };
  }
  yield* taken(entries, entries.size);
}

/** Entries that may still get their other half. In longer files the two halves stand together. */
const MAX_OPEN_ENTRIES = 10_000;

/** Takes out those that came first, in the order of their numbers. */
function* taken(entries: Map<number, Entry>, count: number): Generator<StationRow> {
  const first = [...entries].slice(0, count).sort(([one], [other]) => one - other);
  for (const [number, entry] of first) {
    entries.delete(number);
    yield station(number, entry);
  }
}

/** The header, comments, and keys that say nothing about a station: Length1, NumberOfEntries, Version. */
const IGNORED = /^$|^\[|^[;#]|^[a-z]+\d*\s*=/i;

function station(number: number, { title, file, firstRow }: Entry): StationRow {
  if (!file) return { row: firstRow, reason: `Title${number} without File${number}` };
  const { row, url } = file;
  if (!isAddress(url)) return { row, reason: 'a file name or other text, not an address' };
  return { row, name: title || nameFromAddress(url), url, tags: [], homepage: null, favicon: null };
}
