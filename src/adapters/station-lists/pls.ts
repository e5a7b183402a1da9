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
    if (key.toLowerCase() === 'title') entry.title ??= value;
    else if (entry.file) yield { row, reason: `a second File${number}` };
    else entry.file = { row, url: value };
  }
  for (const [number, entry] of [...entries].sort(([one], [other]) => one - other))
    yield station(number, entry);
}

/** The header, comments, and keys that say nothing about a station: Length1, NumberOfEntries, Version. */
const IGNORED = /^$|^\[|^[;#]|^[a-z]+\d*\s*=/i;

function station(number: number, { title, file, firstRow }: Entry): StationRow {
  if (!file) return { row: firstRow, reason: `Title${number} without File${number}` };
  const { row, url } = file;
  if (!isAddress(url)) return { row, reason: 'a file name or other text, not an address' };
  return { row, name: title || nameFromAddress(url), url, tags: [], homepage: null, favicon: null };
}
