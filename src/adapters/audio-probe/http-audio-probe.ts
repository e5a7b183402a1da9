import type { AudioProbe } from '../../application/ports/audio-probe.js';
import { type AudioFinding, MAX_DETAIL_LENGTH } from '../../domain/stream-check.js';
import { type HttpUrl, cut, oneLine, parseHttpUrl } from '../../domain/text.js';
import { codecOfMediaType, recognised } from './audio-format.js';
import { type Answer, type ExchangeOptions, ProbeEnded, ask } from './http-exchange.js';
import { entryOf, isPlaylist } from './playlist-entry.js';
import { type Resolve, resolveHost } from './public-addresses.js';

export interface HttpAudioProbeOptions {
  readonly userAgent: string;
  /** For one probe with all its redirects. */
  readonly timeoutMilliseconds: number;
  /** Also ask addresses of this machine and its network. */
  readonly allowPrivate?: boolean;
  readonly resolve?: Resolve;
}

/** Redirects and playlists on the way to the audio. */
const MAX_HOPS = 8;
/** Enough for three frames of any codec; a few seconds of the slowest stream. */
const SAMPLE_BYTES = 4_096;
/** Fewer, and then silence, are no stream. */
const FEWEST_BYTES = 512;
const MAX_PLAYLIST_BYTES = 262_144;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What is known of the audio before it is reached. */
interface Announced {
  readonly codec: string | null;
  readonly bitrate: number | null;
  readonly isSegment: boolean;
}

/** Asks by GET, since many audio servers refuse HEAD, and hangs up after a few kilobytes. */
export class HttpAudioProbe implements AudioProbe {
  constructor(private readonly options: HttpAudioProbeOptions) {}

  async probe(url: HttpUrl): Promise<AudioFinding> {
    const seconds = Math.round(this.options.timeoutMilliseconds / 1_000);
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new ProbeEnded('stalled', `no audio within ${seconds} s`)),
      this.options.timeoutMilliseconds,
    );
    try {
      return await this.#follow(url, deadline.signal);
    } catch (error) {
      if (!(error instanceof ProbeEnded)) throw error;
      const detail = cut(oneLine(error.detail), MAX_DETAIL_LENGTH);
      return { outcome: error.outcome, detail, codec: null, bitrate: null };
    } finally {
      clearTimeout(timer);
    }
  }

  async #follow(first: HttpUrl, signal: AbortSignal): Promise<AudioFinding> {
    const { userAgent, resolve = resolveHost, allowPrivate = false } = this.options;
    const exchange: ExchangeOptions = { userAgent, resolve, allowPrivate, signal };
    const visited = new Set<string>();
    let announced: Announced = { codec: null, bitrate: null, isSegment: false };
    let url: string = first;
    for (let hops = 0; hops <= MAX_HOPS; hops++) {
      if (visited.has(url)) throw new ProbeEnded('endless-redirects', 'leads back to itself');
      visited.add(url);
      const answer = await ask(new URL(url), exchange);
      try {
        const found = await lookedAt(answer, url, announced);
        if ('finding' in found) return found.finding;
        url = found.url;
        announced = found.announced;
      } finally {
        answer.close();
      }
    }
    throw new ProbeEnded('endless-redirects', `more than ${MAX_HOPS}`);
  }
}

type Found = { readonly finding: AudioFinding } | { readonly url: string; readonly announced: Announced };

async function lookedAt(answer: Answer, url: string, announced: Announced): Promise<Found> {
  const { status, headers } = answer;
  if (REDIRECTS.has(status)) return { url: target(headers.get('location') ?? '', url), announced };
  if (status < 200 || status > 299) throw new ProbeEnded('refused', `HTTP ${status}`);
  const mediaType = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const sample = await sampleOf(answer);
  const text = sample.toString('latin1');
  if (!announced.isSegment && (isPlaylist(mediaType, text) || isListOfAddresses(mediaType, text))) {
    const { bytes } = await answer.read(MAX_PLAYLIST_BYTES);
    const entry = entryOf(bytes.toString('utf8'));
    if (entry.kind === 'none') throw new ProbeEnded('not-audio', entry.reason);
    const next = target(entry.url, url);
    if (entry.kind === 'list') return { url: next, announced };
    const { codec, bitrate } = entry.kind === 'variant' ? entry : announced;
    return { url: next, announced: { codec, bitrate, isSegment: entry.kind === 'segment' } };
  }
  return { finding: heard(sample, mediaType, headers, announced) };
}

/** Sound is what comes after the headers, and goes on. */
async function sampleOf(answer: Answer): Promise<Buffer> {
  const some = await answer.read(FEWEST_BYTES);
  if (some.bytes.length === 0) throw new ProbeEnded('not-audio', 'nothing but headers');
  if (some.isEnd) return some.bytes;
  try {
    return (await answer.read(SAMPLE_BYTES)).bytes;
  } catch (error) {
    // A slow stream is one, even if the time is over before the sample is complete.
    if (error instanceof ProbeEnded) return (await answer.read(FEWEST_BYTES)).bytes;
    throw error;
  }
}

function heard(
  sample: Buffer,
  mediaType: string,
  headers: ReadonlyMap<string, string>,
  announced: Announced,
): AudioFinding {
  const format = recognised(sample);
  const claimsAudio = /^(audio|video)\/|^application\/ogg$/.test(mediaType);
  if (format === null && isText(sample)) {
    const told = claimsAudio ? ` that calls itself ${mediaType}` : '';
    throw new ProbeEnded(
      'not-audio',
      /^\s*(\uFEFF|ï»¿)?</.test(sample.toString('latin1')) ? `a page${told}` : `text${told}`,
    );
  }
  if (format === null && !claimsAudio && !announced.isSegment)
    throw new ProbeEnded('not-audio', mediaType === '' ? 'bytes of no known kind' : mediaType);
  const container = format?.codec === 'mpeg-ts' ? null : format?.codec;
  const codec = container ?? announced.codec ?? (announced.isSegment ? null : codecOfMediaType(mediaType));
  const bitrate = bitrateIn(headers) ?? announced.bitrate ?? format?.bitrate ?? null;
  return { outcome: 'audio', detail: '', codec, bitrate };
}

/** Icecast and Shoutcast say what their encoder told them, sometimes twice, sometimes 0. */
function bitrateIn(headers: ReadonlyMap<string, string>): number | null {
  const said = [
    headers.get('icy-br'),
    headers.get('ice-bitrate'),
    /bitrate=([^;]*)/.exec(headers.get('ice-audio-info') ?? '')?.[1],
  ];
  for (const text of said) {
    const bitrate = Number.parseInt(text ?? '', 10);
    if (bitrate > 0 && bitrate < 100_000) return bitrate;
  }
  return null;
}

function isText(bytes: Buffer): boolean {
  return bytes.subarray(0, 256).every((byte) => byte >= 0x20 || byte === 9 || byte === 10 || byte === 13);
}

function isListOfAddresses(mediaType: string, text: string): boolean {
  return (
    /^(text\/plain|application\/octet-stream|)$/.test(mediaType) &&
    /^https?:\/\/\S+\s*$/m.test(text.slice(0, 2_048)) &&
    isText(Buffer.from(text, 'latin1'))
  );
}

function target(location: string, base: string): string {
  const url = URL.canParse(location, base) ? parseHttpUrl(new URL(location, base).href) : null;
  if (url === null) throw new ProbeEnded('refused', 'leads to no http address');
  const next = new URL(url);
  next.hash = '';
  return next.href;
}
