import { type Instant, MINUTE, type PlayId, SECOND, later } from './ids.js';
import type { ReportedSong, SongReport } from './song-report.js';
import type { HttpUrl } from './text.js';

/** One song going on air once. */
export interface Play {
  readonly id: PlayId;
  readonly title: string;
  readonly artist: string;
  readonly cover: HttpUrl | null;
  /** Seconds; 0 is unknown. */
  readonly durationSeconds: number;
  readonly startedAt: Instant;
  /** The start as reported, where it lay in our future: a sender with a fast clock repeats it. Else null. */
  readonly announcedStart: Instant | null;
}

export interface NextSong {
  readonly title: string;
  readonly artist: string;
  readonly cover: HttpUrl | null;
}

/** Everything known of what a stream plays. */
export interface NowPlaying {
  /** null: nothing on air, or never reported. */
  readonly current: Play | null;
  readonly next: NextSong | null;
  /** When the sender last said something about it; null: never. */
  readonly reportedAt: Instant | null;
  /** Plays that ended, newest first, at most {@link KEPT_PLAYS}. */
  readonly past: readonly Play[];
}

export const NEVER_REPORTED: NowPlaying = { current: null, next: null, reportedAt: null, past: [] };

/** What a report did. The first three changed something. */
export type ReportOutcome = 'new-play' | 'details' | 'off-air' | 'repeat' | 'stale' | 'empty';

export interface AppliedReport {
  readonly outcome: ReportOutcome;
  readonly nowPlaying: NowPlaying;
}

/** How many past plays a history shows. */
export const SHOWN_PLAYS = 3;
/** How many past plays are kept, to recognise late reports. */
export const KEPT_PLAYS = 20;
/** Starts this close, in milliseconds, are one start: clocks and senders differ. */
const SAME_START = 5 * SECOND;

/**
 * Applies one report. (contract.md 2, rules 1 to 6)
 * @param now when the report was received
 * @param newPlayId names the play that the report may begin; must be fresh on every call
 */
export function applyReport(
  before: NowPlaying,
  report: SongReport,
  now: Instant,
  newPlayId: PlayId,
): AppliedReport {
  const latest = before.current ?? before.past[0] ?? null;
  const startedAt = Math.min(report.startedAt ?? now, now) as Instant;
  const samePlay = latest !== null && isSamePlay(latest, report);
  if (!samePlay && isLate(before, latest, report)) return { outcome: 'stale', nowPlaying: before };
  if (!report.offAir && report.title === null && report.artist === null)
    return addDetails(before, report, now);
  if (isOffAir(report)) return goOffAir(before, now);
  if (before.current !== null && samePlay) return continuePlay(before, before.current, report, now);
  // After an outage the song may still run: a start that we know proves that it is the same play.
  if (before.current === null && latest !== null && samePlay && report.startedAt !== null)
    return resume(before, latest, report, now);
  return beginPlay(before, report, startedAt, now, newPlayId);
}

export function isChange(outcome: ReportOutcome): boolean {
  return outcome === 'new-play' || outcome === 'details' || outcome === 'off-air';
}

/** What listeners are shown at `now`: nothing, once a sender has been silent for long. (contract.md 2, rule 7) */
export function onAir(nowPlaying: NowPlaying, now: Instant): Pick<NowPlaying, 'current' | 'next'> {
  const { current, next, reportedAt } = nowPlaying;
  const duration = current?.durationSeconds ?? 0;
  const end = current ? later(current.startedAt, duration * SECOND) : 0;
  const patience = duration > 0 ? 15 * MINUTE : 60 * MINUTE;
  const silent = reportedAt === null || now - Math.max(end, reportedAt) >= patience;
  return silent ? { current: null, next: null } : { current, next };
}

/** Rule 6: what some systems send as the song when nothing is on air; and a song without a title is none. */
function isOffAir(report: SongReport): boolean {
  return (
    report.offAir ||
    report.title === null ||
    (report.title.toLowerCase() === 'station offline' && report.artist === null)
  );
}

/** Rule 3; and a play that is over cannot begin again: a copy of a report of it came late. */
function isLate({ past }: NowPlaying, latest: Play | null, report: SongReport): boolean {
  if (report.startedAt === null || latest === null) return false;
  return report.startedAt < latest.startedAt - SAME_START || past.some((play) => isSamePlay(play, report));
}

function isSamePlay(play: Play, report: SongReport): boolean {
  if (play.title !== report.title || play.artist !== (report.artist ?? '')) return false;
  const reported = report.startedAt;
  if (reported === null) return true;
  const isNear = (start: Instant | null) => start !== null && Math.abs(reported - start) <= SAME_START;
  return isNear(play.startedAt) || isNear(play.announcedStart);
}

/** Rule 1: no song named, so the fields speak of the current one. */
function addDetails(before: NowPlaying, report: SongReport, now: Instant): AppliedReport {
  const { current } = before;
  const detailed = current && {
    ...current,
    cover: report.cover ?? current.cover,
    durationSeconds: report.durationSeconds ?? current.durationSeconds,
  };
  const { cover, durationSeconds, next } = report;
  const carried = [cover, durationSeconds, next.title, next.artist, next.cover];
  const carriesSomething = carried.some((field) => field !== null);
  if (!carriesSomething) return { outcome: 'empty', nowPlaying: before };
  return keepPlaying(before, detailed, nextSong(before.next, report.next), now);
}

/** Rule 2: the same play; what was unknown may be filled in. */
function continuePlay(before: NowPlaying, current: Play, report: SongReport, now: Instant): AppliedReport {
  return keepPlaying(before, filledIn(current, report), nextSong(before.next, report.next), now);
}

function filledIn(play: Play, report: SongReport): Play {
  return {
    ...play,
    cover: play.cover ?? report.cover,
    durationSeconds: play.durationSeconds || (report.durationSeconds ?? 0),
  };
}

function keepPlaying(
  before: NowPlaying,
  current: Play | null,
  next: NextSong | null,
  now: Instant,
): AppliedReport {
  const changed = !isEqual(before.current, current) || !isEqual(before.next, next);
  return {
    outcome: changed ? 'details' : 'repeat',
    nowPlaying: { ...before, current, next, reportedAt: now },
  };
}

function resume(before: NowPlaying, latest: Play, report: SongReport, now: Instant): AppliedReport {
  const past = before.past.filter((play) => play !== latest);
  const nowPlaying = {
    current: filledIn(latest, report),
    next: nextSong(null, report.next),
    reportedAt: now,
    past,
  };
  return { outcome: 'new-play', nowPlaying };
}

/** Rule 5. */
function beginPlay(
  before: NowPlaying,
  report: SongReport,
  startedAt: Instant,
  now: Instant,
  id: PlayId,
): AppliedReport {
  const current: Play = {
    id,
    title: report.title ?? '',
    artist: report.artist ?? '',
    cover: report.cover,
    durationSeconds: report.durationSeconds ?? 0,
    startedAt,
    announcedStart: report.startedAt !== null && report.startedAt > now ? report.startedAt : null,
  };
  return {
    outcome: 'new-play',
    nowPlaying: { current, next: nextSong(null, report.next), reportedAt: now, past: ended(before) },
  };
}

function goOffAir(before: NowPlaying, now: Instant): AppliedReport {
  const outcome = before.current === null && before.next === null ? 'repeat' : 'off-air';
  return { outcome, nowPlaying: { current: null, next: null, reportedAt: now, past: ended(before) } };
}

function ended({ current, past }: NowPlaying): readonly Play[] {
  if (current === null) return past;
  return [current, ...past].sort((one, other) => other.startedAt - one.startedAt).slice(0, KEPT_PLAYS);
}

function nextSong(before: NextSong | null, reported: ReportedSong): NextSong | null {
  const { title, artist, cover } = reported;
  if (title === null && artist === null) return before && { ...before, cover: cover ?? before.cover };
  const next = { title: title ?? '', artist: artist ?? '', cover };
  const sameSong = before !== null && before.title === next.title && before.artist === next.artist;
  return sameSong ? { ...next, cover: cover ?? before.cover } : next;
}

function isEqual<T extends object>(one: T | null, other: T | null): boolean {
  if (one === null || other === null) return one === other;
  return (Object.keys(one) as (keyof T)[]).every((field) => one[field] === other[field]);
}
