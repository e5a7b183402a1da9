import type { StationRow } from '../../application/import-stations.js';
import { isAddress, nameFromAddress } from './playlist-address.js';
import { linesOf } from './text-chunks.js';

/** M3U with or without `#EXTM3U`. A row is the line of the address; what `#EXTINF` and `#EXTGRP` before it say belongs to it. */
export async function* m3uStations(chunks: AsyncIterable<string>): AsyncGenerator<StationRow> {
  let info = NOTHING_SAID;
  let group = '';
  for await (const { number, text } of linesOf(chunks)) {
    const line = text.trim();
    if (line === '') continue;
    if (/^#EXTINF:/i.test(line)) info = extendedInformation(line.slice('#EXTINF:'.length));
    else if (/^#EXTGRP:/i.test(line)) group = line.slice('#EXTGRP:'.length);
    else if (!line.startsWith('#')) {
      yield isAddress(line)
        ? { row: number, ...station(line, info, group) }
        : { row: number, reason: 'a file name or other text, not an address' };
      info = NOTHING_SAID;
      group = '';
    }
  }
}

interface ExtendedInformation {
  readonly title: string;
  readonly attributes: ReadonlyMap<string, string>;
}
const NOTHING_SAID: ExtendedInformation = { title: '', attributes: new Map() };

/**
 * `-1,Title`, `-1 key="value",Title` and `-1,key="value",Title` are all in use; values may hold commas. Attributes that
 * stand before the comma end there: what follows is the title, whatever it looks like.
 */
function extendedInformation(text: string): ExtendedInformation {
  const attributes = new Map<string, string>();
  const duration = /\s*-?\d*(?:\.\d+)?/y;
  duration.test(text);
  const commaComesFirst = /\s*,/y;
  commaComesFirst.lastIndex = duration.lastIndex;
  const attribute = commaComesFirst.test(text)
    ? /[\s,]*([\w-]+)=(?:"([^"]*)"|'([^']*)')/y
    : /\s*([\w-]+)=(?:"([^"]*)"|'([^']*)')/y;
  attribute.lastIndex = duration.lastIndex;
  let end = attribute.lastIndex;
  for (let found = attribute.exec(text); found; found = attribute.exec(text)) {
    attributes.set((found[1] ?? '').toLowerCase(), (found[2] ?? found[3] ?? '').trim());
    end = attribute.lastIndex;
  }
  return { title: text.slice(end).replace(/^\s*,?\s*/, ''), attributes };
}

function station(url: string, { title, attributes }: ExtendedInformation, group: string) {
  const operator = attributes.get('operator');
  const groups = [attributes.get('group-title') ?? '', group].join(';').split(/[;,]/);
  return {
    name: title || attributes.get('tvg-name') || nameFromAddress(url),
    url,
    tags: groups.map((tag) => tag.trim()).filter((tag) => tag !== ''),
    homepage: null,
    favicon: attributes.get('tvg-logo') || attributes.get('logo') || null,
    ...(operator !== undefined && { organization: operator }),
  };
}
