export interface AudioFormat {
  readonly codec: string;
  /** Kilobits a second; null: the bytes do not say. */
  readonly bitrate: number | null;
}

/** What bytes from the middle of a stream, or a file's start, are; null: nothing that is known. */
export function recognised(bytes: Buffer): AudioFormat | null {
  const start = (text: string, at = 0) => bytes.toString('latin1', at, at + text.length) === text;
  if (start('OggS')) return { codec: oggCodec(bytes), bitrate: null };
  if (start('fLaC')) return { codec: 'flac', bitrate: null };
  if (start('RIFF') && start('WAVE', 8)) return { codec: 'wav', bitrate: null };
  if (start('ftyp', 4) || start('styp', 4) || start('moof', 4)) return { codec: 'aac', bitrate: null };
  if (bytes[0] === 0x47 && bytes[188] === 0x47) return { codec: 'mpeg-ts', bitrate: null };
  if (bytes.length < 4) return null;
  if (bytes.readUInt32BE(0) === 0x1a45dfa3) return { codec: 'webm', bitrate: null };
  return framed(bytes) ?? (start('ID3') ? { codec: 'mp3', bitrate: null } : null);
}

function oggCodec(bytes: Buffer): string {
  for (const [mark, codec] of [
    ['OpusHead', 'opus'],
    ['\u0001vorbis', 'vorbis'],
    ['fLaC', 'flac'],
    ['Speex', 'speex'],
  ] as const)
    if (bytes.includes(mark, 0, 'latin1')) return codec;
  return 'ogg';
}

/** Chance makes one frame header every few kilobytes; three, each where the last one ends, it does not. */
const FRAMES = 3;

function framed(bytes: Buffer): AudioFormat | null {
  for (let start = 0; start + 7 <= bytes.length; start++) {
    const first = frameAt(bytes, start);
    if (first === null) continue;
    let next = start;
    let count = 0;
    for (let frame = frameAt(bytes, next); frame?.codec === first.codec; frame = frameAt(bytes, next)) {
      count += 1;
      next += frame.length;
      if (count === FRAMES) return { codec: first.codec, bitrate: first.bitrate };
    }
  }
  return null;
}

interface Frame extends AudioFormat {
  /** In bytes, to the next frame. */
  readonly length: number;
}

/** Kilobits a second of MPEG audio by the number in the header: layer 3 and 2 of version 1, layer 2 and 3 of version 2. */
const BITRATES = {
  layer3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  layer2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  version2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;

function frameAt(bytes: Buffer, at: number): Frame | null {
  const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0] = bytes.subarray(at, at + 6);
  if (b0 !== 0xff || (b1 & 0xe0) !== 0xe0) return null;
  const layer = (b1 >> 1) & 3;
  if ((b1 & 0xf6) === 0xf0) {
    const length = ((b3 & 3) << 11) | (b4 << 3) | (b5 >> 5);
    return length > 7 ? { codec: 'aac', bitrate: null, length } : null;
  }
  const version = (b1 >> 3) & 3;
  const sampleRate = SAMPLE_RATES[(b2 >> 2) & 3];
  if (version === 1 || layer === 0 || layer === 3 || sampleRate === undefined) return null;
  const isVersion1 = version === 3;
  const isLayer3 = layer === 1;
  const table = !isVersion1 ? BITRATES.version2 : isLayer3 ? BITRATES.layer3 : BITRATES.layer2;
  const bitrate = table[(b2 >> 4) - 1];
  if (bitrate === undefined) return null;
  const rate = sampleRate / (isVersion1 ? 1 : version === 2 ? 2 : 4);
  const perKilobit = isLayer3 && !isVersion1 ? 72_000 : 144_000;
  const length = Math.floor((perKilobit * bitrate) / rate) + ((b2 >> 1) & 1);
  return { codec: isLayer3 ? 'mp3' : 'mp2', bitrate, length };
}

/** The codec that a media type stands for; null: none, or any. */
export function codecOfMediaType(mediaType: string): string | null {
  return CODECS[mediaType] ?? /^audio\/(?:x-)?([a-z0-9]{2,10})$/.exec(mediaType)?.[1] ?? null;
}

const CODECS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/x-mpeg': 'mp3',
  'audio/aacp': 'aac',
  'audio/mp4': 'aac',
  'audio/x-m4a': 'aac',
  'application/ogg': 'ogg',
  'video/mp2t': 'mpeg-ts',
};
