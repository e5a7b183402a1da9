import type { StreamRecord } from '../../application/ports/bulk-directory.js';

/** Extended M3U: the active streams with their tags, and their operators with their logos. */
export async function* m3uOf(streams: AsyncIterable<StreamRecord>): AsyncGenerator<string> {
  yield '#EXTM3U\n';
  for await (const { uuid, name, url, tags, organizationName, organizationImage, isActive } of streams) {
    if (!isActive) continue;
    const attributes = [
      `tvg-id="${uuid}"`,
      ...(organizationImage === null ? [] : [`tvg-logo=${quoted(organizationImage)}`]),
      ...(tags.length === 0 ? [] : [`group-title=${quoted(tags.map(groupName).join(';'))}`]),
      `operator=${quoted(organizationName)}`,
    ];
    yield `#EXTINF:-1 ${attributes.join(' ')},${name}\n${url}\n`;
  }
}

/** An attribute cannot hold the quotes that it stands in: of a text with both kinds the double ones become single. */
function quoted(text: string): string {
  return text.includes('"') && !text.includes("'") ? `'${text}'` : `"${text.replaceAll('"', "'")}"`;
}

/** Nor can a tag hold what separates tags. */
function groupName(tag: string): string {
  return tag.replace(/[;,]/g, ' ');
}

/** PLS: names and addresses of the active streams. */
export async function* plsOf(streams: AsyncIterable<StreamRecord>): AsyncGenerator<string> {
  yield '[playlist]\n';
  let count = 0;
  for await (const { name, url, isActive } of streams) {
    if (!isActive) continue;
    count += 1;
    yield `File${count}=${url}\nTitle${count}=${name}\nLength${count}=-1\n`;
  }
  yield `NumberOfEntries=${count}\nVersion=2\n`;
}
