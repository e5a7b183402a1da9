import { type Instant, SECOND } from './ids.js';
import { type HttpUrl, cut, oneLine, parseHttpUrl } from './text.js';

/** A song as a sender names it. */
export interface ReportedSong {
  readonly title: string | null;
  readonly artist: string | null;
  readonly cover: HttpUrl | null;
}

/** One going on air of a song, as a sender names it. */
export interface ReportedPlay extends ReportedSong {
  /** The sender's own id of the play: no two of its plays share one. */
  readonly playId: string | null;
  /** Seconds, above 0. */
  readonly durationSeconds: number | null;
  /** As the sender's clock has it: may lie in the future. */
  readonly startedAt: Instant | null;
}

/** What one report says is on air. null stands for "unknown" everywhere. (contract.md 2) */
export interface SongReport extends ReportedPlay {
  /** `none`: the sender knows that nothing follows, or shall not say what. */
  readonly next: ReportedSong | 'none';
  /** The sender says that nothing is on air, whatever song it still names. */
  readonly offAir: boolean;
  /** Plays that are over, in any order. */
  readonly earlier: readonly ReportedPlay[];
}

/** The fields of a play before anybody looked at them; any JSON value may stand anywhere. */
export interface PlayFields {
  readonly title?: unknown;
  readonly artist?: unknown;
  readonly art?: unknown;
  /** Seconds. */
  readonly songDuration?: unknown;
  /** Unix seconds, or ISO 8601 text. */
  readonly songStartedAt?: unknown;
  /** A positive number or a text. */
  readonly playId?: unknown;
}

/** The fields of a report before anybody looked at them. */
export interface ReportFields extends PlayFields {
  readonly nextTitle?: unknown;
  readonly nextArtist?: unknown;
  readonly nextArt?: unknown;
  /** Nothing follows, whatever the fields before say. */
  readonly hasNoNext?: boolean;
  readonly offAir?: boolean;
  readonly earlier?: readonly PlayFields[];
}

export const MAX_TEXT_LENGTH = 512;
export const MAX_PLAY_ID_LENGTH = 64;
const MAX_DURATION_SECONDS = 7 * 24 * 3_600;

/** Reads each field for itself: an odd value in one is "unknown" and loses no other. Never refuses. */
export function readSongReport(fields: ReportFields): SongReport {
  const next = {
    title: readText(fields.nextTitle),
    artist: readText(fields.nextArtist),
    cover: readUrl(fields.nextArt),
  };
  return {
    ...readPlay(fields),
    next: fields.hasNoNext ? 'none' : next,
    offAir: fields.offAir ?? false,
    earlier: (fields.earlier ?? []).map(readPlay),
  };
}

function readPlay(fields: PlayFields): ReportedPlay {
  return {
    title: readText(fields.title),
    artist: readText(fields.artist),
    cover: readUrl(fields.art),
    durationSeconds: readDuration(fields.songDuration),
    startedAt: readStart(fields.songStartedAt),
    playId: readPlayId(fields.playId),
  };
}

function readText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return cut(oneLine(value), MAX_TEXT_LENGTH).trim() || null;
}

function readPlayId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  if (typeof value !== 'string' || value.length > MAX_PLAY_ID_LENGTH) return null;
  return /^[!-~]+$/.test(value) && value !== '0' ? value : null;
}

function readUrl(value: unknown): HttpUrl | null {
  return typeof value === 'string' ? parseHttpUrl(value) : null;
}

function readDuration(value: unknown): number | null {
  const seconds = readNumber(value);
  return seconds !== null && seconds > 0 && seconds <= MAX_DURATION_SECONDS ? seconds : null;
}

const ISO_8601 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?$/i;
const YEAR_9999 = 253_402_300_800;

function readStart(value: unknown): Instant | null {
  const iso = typeof value === 'string' ? ISO_8601.exec(value.trim()) : null;
  // Without an offset the text means UTC; read as local time it would depend on the machine.
  const seconds = iso
    ? Date.parse(`${iso[1]?.replace(',', '.')}${iso[2] ?? 'Z'}`) / SECOND
    : readNumber(value);
  if (seconds === null || !(seconds > 0) || seconds >= YEAR_9999) return null;
  return Math.floor(seconds * SECOND) as Instant;
}

/** A JSON number, or the decimal text of one. */
function readNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^\d{1,15}(\.\d{1,15})?$/.test(value.trim())) return null;
  return Number(value);
}
