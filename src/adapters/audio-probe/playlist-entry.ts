/** Where a playlist leads, or that it leads nowhere. */
export type PlaylistEntry =
  | { readonly kind: 'list'; readonly url: string }
  /** Of an HLS master playlist: a playlist of its own. */
  | {
      readonly kind: 'variant';
      readonly url: string;
      readonly codec: string | null;
      readonly bitrate: number | null;
    }
  /** Of an HLS media playlist: a piece of audio. */
  | { readonly kind: 'segment'; readonly url: string }
  | { readonly kind: 'none'; readonly reason: string };

const MEDIA_TYPES = /^(audio|application)\/(x-mpegurl|mpegurl|vnd\.apple\.mpegurl|x-scpls|pls\+xml|scpls)$/;

export function isPlaylist(mediaType: string, text: string): boolean {
  return MEDIA_TYPES.test(mediaType) || /^\uFEFF?\s*(#EXTM3U|\[playlist\])/i.test(text);
}

/** The entry that a player would begin with; of a live HLS playlist the newest. */
export function entryOf(text: string): PlaylistEntry {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const addresses = lines.filter((line) => !line.startsWith('#'));
  const variant = lines.findIndex((line) => line.startsWith('#EXT-X-STREAM-INF'));
  if (variant !== -1) {
    const url = lines.slice(variant).find((line) => !line.startsWith('#'));
    if (url === undefined) return { kind: 'none', reason: 'an HLS playlist without variants' };
    return { kind: 'variant', url, ...announced(lines[variant] ?? '') };
  }
  if (lines.some((line) => /^#EXT-X-(TARGETDURATION|MEDIA-SEQUENCE)/.test(line))) {
    const url = addresses.at(-1);
    return url === undefined
      ? { kind: 'none', reason: 'an HLS playlist without segments' }
      : { kind: 'segment', url };
  }
  const file = lines.flatMap((line) => /^File\d+\s*=\s*(.+)$/i.exec(line)?.[1] ?? [])[0];
  const url = file ?? addresses.find((line) => !/^(\[|[a-z]+\d*\s*=)/i.test(line));
  return url === undefined ? { kind: 'none', reason: 'an empty playlist' } : { kind: 'list', url };
}

function announced(line: string): { codec: string | null; bitrate: number | null } {
  const codecs = /CODECS="([^"]*)"/.exec(line)?.[1]?.split(',') ?? [];
  const audio = codecs
    .map((codec) => codec.trim())
    .find((codec) => /^(mp4a|opus|fLaC|ac-3|ec-3)/i.test(codec));
  const bandwidth = Number(/[:,](?:AVERAGE-)?BANDWIDTH=(\d{1,10})/.exec(line)?.[1]);
  return {
    codec:
      audio === undefined
        ? null
        : /^mp4a\.40\.34$/i.test(audio)
          ? 'mp3'
          : audio.startsWith('mp4a')
            ? 'aac'
            : audio.toLowerCase(),
    bitrate: bandwidth > 0 ? Math.max(1, Math.round(bandwidth / 1_000)) : null,
  };
}
