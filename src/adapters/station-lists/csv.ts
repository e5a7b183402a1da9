import type { StationRow } from '../../application/import-stations.js';
import type { StreamRecord } from '../../application/ports/bulk-directory.js';
import { MAX_ENTRY_LENGTH } from './text-chunks.js';

const COLUMNS = ['uuid', 'name', 'url', 'tags', 'organization', 'enabled'] as const;

/** A table of streams as RFC 4180 has it. Tags are separated by `;`, which `\;` writes inside a tag, as `\\` writes `\`. */
export async function* csvOf(streams: AsyncIterable<StreamRecord>): AsyncGenerator<string> {
  yield `${COLUMNS.join()}\r\n`;
  for await (const { uuid, name, url, tags, organizationName, isEnabled } of streams) {
    const tagList = tags.map((tag) => tag.replace(/[\\;]/g, '\\$&')).join(';');
    const cells = [uuid, name, url, tagList, organizationName, isEnabled ? 'yes' : 'no'];
    yield `${cells.map(cell).join()}\r\n`;
  }
}

/** Spreadsheets run what begins like a formula, unless an apostrophe stands before it. */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;
const GUARDED_FORMULA = /^'+[=+\-@\t\r＝＋－＠]/;

/** One cell, quoted where need be; {@link unguarded} takes the apostrophe off again. */
export function cell(text: string): string {
  const guarded = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n;']|^\s|\s$/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

function unguarded(text: string): string {
  return GUARDED_FORMULA.test(text) ? text.slice(1) : text;
}

/** How such a file begins: a line of column names, `url` among them. */
export const CSV_HEAD = /^(?=[^\r\n]*[,;\t])[\w "',;\t-]*(^|[,;\t"])url(?=$|[,;\t"\r\n])/i;

/**
 * A table with a line of column names: `name`, `url` (or `url_resolved`), `tags`, and, as far as there are, `homepage`,
 * `favicon` (or `logo`, `image`), `organization`, `uuid`, `enabled`, in any order. The separator is the one that stands
 * in that line. A row is a row of the table, the first after the names being 1.
 */
export async function* csvStations(chunks: AsyncIterable<string>): AsyncGenerator<StationRow> {
  let names: readonly string[] | null = null;
  let row = 0;
  for await (const cells of records(chunks)) {
    if (names === null) names = cells.map((name) => name.trim().toLowerCase());
    else if (cells.some((text) => text.trim() !== '')) yield station(++row, names, cells);
  }
}

function station(row: number, names: readonly string[], cells: readonly string[]): StationRow {
  if (cells.reduce((sum, text) => sum + text.length, 0) >= MAX_ENTRY_LENGTH)
    return { row, reason: 'the row is too long for a station' };
  const valueOf = (...columns: readonly string[]): string | null => {
    for (const column of columns) {
      const text = unguarded(cells[names.indexOf(column)] ?? '').trim();
      if (text !== '') return text;
    }
    return null;
  };
  const url = valueOf('url', 'url_resolved');
  if (url === null) return { row, reason: 'it has no url' };
  const organization = valueOf('organization');
  const uuid = valueOf('uuid');
  const enabled = valueOf('enabled')?.toLowerCase();
  return {
    row,
    name: valueOf('name', 'title') ?? '',
    url,
    tags: tagsIn(valueOf('tags', 'genre') ?? '', uuid === null),
    homepage: valueOf('homepage', 'website'),
    favicon: valueOf('favicon', 'logo', 'image'),
    ...(organization !== null && { organization }),
    ...(uuid !== null && { uuid }),
    ...(enabled !== undefined && { isEnabled: !['no', 'false', '0'].includes(enabled) }),
  };
}

/** @param commaSeparates as in lists of others */
function tagsIn(text: string, commaSeparates: boolean): string[] {
  const tag = commaSeparates ? /(?:\\[\\;]|[^;,])+/g : /(?:\\[\\;]|[^;])+/g;
  return (text.match(tag) ?? []).map((part) => part.replace(/\\([\\;])/g, '$1').trim()).filter(Boolean);
}

/** The cells of each record. Quoted ones hold separators, line ends, and doubled quotes. */
async function* records(chunks: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let cells: string[] = [];
  let text = '';
  let quoted: 'no' | 'yes' | 'quote seen' = 'no';
  let separator: string | null = null;
  let isStart = true;
  let afterCarriageReturn = false;
  const endCell = () => {
    cells.push(text);
    text = '';
    quoted = 'no';
  };
  for await (const chunk of chunks) {
    for (const character of isStart ? chunk.replace(/^\uFEFF/, '') : chunk) {
      isStart = false;
      if (quoted === 'yes') {
        if (character === '"') quoted = 'quote seen';
        else if (text.length < MAX_ENTRY_LENGTH) text += character;
      } else if (character === '"' && quoted === 'quote seen') {
        text += character;
        quoted = 'yes';
      } else if (character === '"' && text === '') quoted = 'yes';
      else if (separator === null ? /[,;\t]/.test(character) : character === separator) {
        separator ??= character;
        endCell();
      } else if (character === '\n' || character === '\r') {
        if (character === '\r' || !afterCarriageReturn) {
          endCell();
          yield cells;
          cells = [];
        }
      } else if (text.length < MAX_ENTRY_LENGTH) text += character;
      afterCarriageReturn = character === '\r' && quoted === 'no';
    }
  }
  if (text !== '' || cells.length > 0) yield [...cells, text];
}
