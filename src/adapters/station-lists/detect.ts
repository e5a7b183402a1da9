import type { StationRow } from '../../application/import-stations.js';
import { type Result, err, ok } from '../../domain/result.js';
import { CSV_HEAD, csvStations } from './csv.js';
import { DIRECTORY_JSON_HEAD, directoryRows } from './directory-json.js';
import { m3uStations } from './m3u.js';
import { plsStations } from './pls.js';
import { radioBrowserStations } from './radio-browser.js';

export const STATION_LIST_FORMATS = ['radio-browser', 'm3u', 'pls', 'csv', 'directory'] as const;
export type StationListFormat = (typeof STATION_LIST_FORMATS)[number];

/** A file that is no station list, or of a format that cannot be read. */
export interface UnsupportedList {
  readonly kind: 'unsupported-list';
  /** What it is instead; completes "The file …". */
  readonly reason: string;
}

const READERS: Record<StationListFormat, (chunks: AsyncIterable<string>) => AsyncIterable<StationRow>> = {
  'radio-browser': radioBrowserStations,
  m3u: m3uStations,
  pls: plsStations,
  csv: csvStations,
  directory: directoryRows,
};

/** Every row of the list, as it comes: a station or the reason why it is none. Never refuses. */
export function stationsIn(
  format: StationListFormat,
  chunks: AsyncIterable<string>,
): AsyncIterable<StationRow> {
  return READERS[format](chunks);
}

/** So much of a file's start is enough for {@link detectFormat}. */
export const HEAD_LENGTH = 4_096;

const EXTENSIONS: Readonly<Record<string, StationListFormat>> = {
  json: 'radio-browser',
  ndjson: 'radio-browser',
  jsonl: 'radio-browser',
  m3u: 'm3u',
  m3u8: 'm3u',
  pls: 'pls',
  csv: 'csv',
};

/** The content decides, for extensions lie; the extension only where the content says nothing. */
export function detectFormat(head: string, fileName: string): Result<StationListFormat, UnsupportedList> {
  const text = head.trim();
  const unsupported = (reason: string) => err({ kind: 'unsupported-list', reason } as const);
  if (DIRECTORY_JSON_HEAD.test(text)) return ok('directory');
  if (CSV_HEAD.test(text)) return ok('csv');
  if (/^\[playlist\]/im.test(text)) return ok('pls');
  if (/^(\{|\[\s*(\{|\]|$))/.test(text)) return ok('radio-browser');
  if (/^#EXT-X-(TARGETDURATION|MEDIA-SEQUENCE|STREAM-INF)/im.test(text))
    return unsupported('is an HLS playlist: the pieces of one stream, not a list of stations');
  if (/^#EXT(M3U|INF)/im.test(text)) return ok('m3u');
  if (/^<asx/i.test(text)) return unsupported('is a Windows Media playlist (ASX), which is not supported');
  if (text.startsWith('<')) return unsupported('is XML or HTML, not a list of stations');
  if (/^(File|Title)\d+\s*=/im.test(text)) return ok('pls');
  const firstEntry = text.split(/[\r\n]+/).find((line) => !/^\s*(#|$)/.test(line));
  if (firstEntry !== undefined && /^\s*https?:\/\//i.test(firstEntry)) return ok('m3u');
  const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? '';
  const format = EXTENSIONS[extension];
  if (format !== undefined && Object.hasOwn(EXTENSIONS, extension)) return ok(format);
  return unsupported(text === '' ? 'is empty' : 'is no list of stations that can be recognised');
}
