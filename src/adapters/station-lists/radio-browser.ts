import type { StationRow } from '../../application/import-stations.js';
import { jsonElements } from './json-elements.js';
import { MAX_ENTRY_LENGTH, linesOf, peek } from './text-chunks.js';

/**
 * A station list as the Radio Browser API answers it: one JSON array of station objects, or one object a line.
 * A row is the station's place in the array, or its line. `lastcheckok` is ignored: a station that did not answer once
 * is still a station, and whether a stream answers now is found out by asking it.
 */
export async function* radioBrowserStations(chunks: AsyncIterable<string>): AsyncGenerator<StationRow> {
  const { head, all } = await peek(chunks, 1_024);
  yield* /^\s*\[/.test(head) ? stationsOfArray(all) : stationsOfLines(all);
}

async function* stationsOfLines(chunks: AsyncIterable<string>): AsyncGenerator<StationRow> {
  for await (const { number, text } of linesOf(chunks)) if (text.trim() !== '') yield station(number, text);
}

async function* stationsOfArray(chunks: AsyncIterable<string>): AsyncGenerator<StationRow> {
  const elements = jsonElements(chunks, 1);
  let row = 1;
  for (let next = await elements.next(); ; next = await elements.next()) {
    if (!next.done) yield station(row++, next.value.text);
    else {
      if (!next.value) yield { row, reason: 'the file ends before the list does' };
      return;
    }
  }
}

function station(row: number, text: string): StationRow {
  if (text.length >= MAX_ENTRY_LENGTH) return { row, reason: 'the entry is too long for a station' };
  const fields = parseObject(text);
  if (fields === null) return { row, reason: 'not a JSON object' };
  const url = stationAddress(fields);
  if (url === null) return { row, reason: 'it has no url' };
  return {
    row,
    name: textIn(fields['name']) ?? '',
    url,
    tags: tagsIn(fields['tags']),
    homepage: textIn(fields['homepage']),
    favicon: textIn(fields['favicon']),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const PLAYLIST = /^[^?#]+\.(pls|m3u|asx|xspf|wax|ram)([?#]|$)/i;

/**
 * `url` as the operator gave it. `url_resolved` (often empty) is where the prober was led, one server of many and often
 * with its session in the query, so it counts only where `url` is a playlist file and no audio.
 */
function stationAddress(fields: Readonly<Record<string, unknown>>): string | null {
  const url = textIn(fields['url']);
  const resolved = textIn(fields['url_resolved']);
  if (resolved === null || (url !== null && !PLAYLIST.test(url))) return url;
  return url === null || !(resolved.includes('?') || PLAYLIST.test(resolved)) ? resolved : url;
}

function textIn(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text === '' || text === 'null' ? null : text;
}

function tagsIn(value: unknown): string[] {
  const tags: unknown[] = Array.isArray(value) ? value : (textIn(value)?.split(',') ?? []);
  return tags.flatMap((tag) => textIn(tag) ?? []);
}
