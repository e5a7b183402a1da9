import type {
  ListedStream,
  StreamHistory,
  StreamReference,
} from '../../application/ports/directory-read-model.js';
import type { Instant } from '../../domain/ids.js';
import {
  type NextSong,
  type NowPlaying,
  type Play,
  SHOWN_PLAYS,
  onAir,
  silentFrom,
} from '../../domain/now-playing.js';
import { organizationImage } from '../../domain/organization.js';
import { PublicJson } from './public-json.js';

const NO_PLAY = '00000000-0000-0000-0000-000000000000';

/** A stream as the specification's table 2.1 has it, in the order of the table. */
export function streamJson(
  { id, name, url, tags, organization, nowPlaying, highlights }: ListedStream,
  now: Instant,
) {
  return {
    id,
    name,
    url,
    tags,
    organization: {
      id: organization.id,
      name: organization.name,
      image: organizationImage(organization),
    },
    song: songJson(nowPlaying, now),
    isStreamOfTheMonth: highlights.includes('stream-of-the-month'),
    isNewcomerOfTheMonth: highlights.includes('newcomer-of-the-month'),
    isRecentPopularStream: highlights.includes('recent-popular'),
    isTopVotedStream: highlights.includes('top-voted'),
  };
}

/** The stream list as it is sent. What did not change since the last time is not written again. */
export class StreamListJson {
  readonly #texts = new WeakMap<ListedStream, Shown<string>>();
  #list: (Shown<PublicJson> & { readonly streams: readonly ListedStream[] }) | null = null;

  /** @param streams the same objects as before where nothing changed, if this is to be fast */
  of(streams: readonly ListedStream[], now: Instant): PublicJson {
    if (this.#list?.streams === streams && isShown(this.#list, now)) return this.#list.json;
    const shown = streams.map((stream) => this.#textOf(stream, now));
    this.#list = {
      streams,
      from: now,
      until: shown.reduce((earliest, { until }) => Math.min(earliest, until), Infinity),
      json: new PublicJson(`[${shown.map(({ json }) => json).join(',')}]`),
    };
    return this.#list.json;
  }

  /** Resolves when the last list is compressed, however its readers asked for it. */
  async settled(): Promise<void> {
    await this.#list?.json.settled();
  }

  #textOf(stream: ListedStream, now: Instant): Shown<string> {
    const known = this.#texts.get(stream);
    if (known && isShown(known, now)) return known;
    const silent = silentFrom(stream.nowPlaying);
    const text = {
      from: now,
      until: silent === null || silent <= now ? Infinity : silent,
      json: JSON.stringify(streamJson(stream, now)),
    };
    this.#texts.set(stream, text);
    return text;
  }
}

/** What is shown at every instant from `from` until just before `until`: songs end without a report. */
interface Shown<Json> {
  readonly from: number;
  readonly until: number;
  readonly json: Json;
}

function isShown({ from, until }: Shown<unknown>, now: Instant): boolean {
  return from <= now && now < until;
}

/** A stream as it stands under its organization. */
export function streamReferenceJson({ id, name, url }: StreamReference) {
  return { id, name, url };
}

/** Table 2.2: also where nothing is on air, for the field is always an object. */
function songJson(nowPlaying: NowPlaying, now: Instant) {
  const { current, next } = onAir(nowPlaying, now);
  return {
    title: current?.title ?? '',
    artist: current?.artist ?? '',
    cover: current?.cover ?? null,
    songDuration: current?.durationSeconds ?? 0,
    songStartedAt: Math.floor((current?.startedAt ?? 0) / 1_000),
    next: nextJson(next),
  };
}

/** Table 2.3. Without art of their own, `current` and the past songs show the organization's image. */
export function historyJson(history: StreamHistory, now: Instant) {
  const { current, next } = onAir(history.nowPlaying, now);
  const image = organizationImage({ image: history.organizationImage });
  const past: readonly (Play & { readonly number: number })[] = history.nowPlaying.past;
  return {
    current: {
      id: current?.id ?? NO_PLAY,
      title: current?.title ?? '',
      artist: current?.artist ?? '',
      cover: current?.cover ?? image,
    },
    next: nextJson(next),
    history: past.slice(0, SHOWN_PLAYS).map((play) => ({
      id: play.number,
      title: play.title,
      artist: play.artist,
      cover: play.cover ?? image,
      playedAt: new Date(play.startedAt).toISOString(),
    })),
  };
}

function nextJson(next: NextSong | null) {
  return next && { title: next.title, artist: next.artist, cover: next.cover };
}
