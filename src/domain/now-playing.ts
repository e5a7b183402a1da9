import { type Instant, MINUTE, type PlayId, SECOND, later } from './ids.js';
import type { ReportedPlay, SongReport } from './song-report.js';
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
  /** The sender's own id of the play; null: unknown. */
  readonly senderPlayId: string | null;
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
export const REPORT_OUTCOMES = ['new-play', 'details', 'off-air', 'repeat', 'stale', 'empty'] as const;
export type ReportOutcome = (typeof REPORT_OUTCOMES)[number];

export interface AppliedReport {
  readonly outcome: ReportOutcome;
  readonly nowPlaying: NowPlaying;
}

/** How many past plays a history shows. */
export const SHOWN_PLAYS = 3;
/** How many past plays are kept, to recognise late reports and to order what comes late. */
export const KEPT_PLAYS = 20;
/** Starts this close, in milliseconds, are one start: clocks and senders differ. */
const SAME_START = 5 * SECOND;

/**
 * Applies one report. (contract.md 2, rules 1 to 6)
 * @param now when the report was received
 * @param newPlayId names a play that the report begins or adds; each call gives another id
 */
export function applyReport(
  before: NowPlaying,
  report: SongReport,
  now: Instant,
  newPlayId: () => PlayId,
): AppliedReport {
  const latest = before.current ?? before.past[0] ?? null;
  const sameAsLatest = latest === null ? false : isSamePlay(latest, report);
  if (sameAsLatest === false && isLate(before, latest, report))
    return { outcome: 'stale', nowPlaying: before };
  const applied = applySong(before, report, now, newPlayId, sameAsLatest);
  return addEarlier(applied, report.earlier, now, newPlayId);
}

function applySong(
  before: NowPlaying,
  report: SongReport,
  now: Instant,
  newPlayId: () => PlayId,
  sameAsLatest: boolean | 'maybe',
): AppliedReport {
  if (!report.offAir && report.title === null && report.artist === null)
    return addDetails(before, report, now);
  if (isOffAir(report)) return goOffAir(before, now);
  const [latest] = before.past;
  if (before.current !== null && sameAsLatest !== false)
    return continuePlay(before, before.current, report, now);
  // After an outage the song may still run: an id or a start that we know proves that it is the same play.
  if (before.current === null && latest && sameAsLatest === true) return resume(before, latest, report, now);
  return beginPlay(before, report, now, newPlayId());
}

export function isChange(outcome: ReportOutcome): boolean {
  return outcome === 'new-play' || outcome === 'details' || outcome === 'off-air';
}

/** From when on listeners are shown nothing unless the sender says something before; null: it never said anything. */
export function silentFrom({ current, reportedAt }: NowPlaying): Instant | null {
  if (reportedAt === null) return null;
  const duration = current?.durationSeconds ?? 0;
  const end = current ? later(current.startedAt, duration * SECOND) : reportedAt;
  return later(Math.max(end, reportedAt) as Instant, duration > 0 ? 15 * MINUTE : 60 * MINUTE);
}

/** What listeners are shown at `now`: nothing, once a sender has been silent for long. (contract.md 2, rule 7) */
export function onAir(nowPlaying: NowPlaying, now: Instant): Pick<NowPlaying, 'current' | 'next'> {
  const end = silentFrom(nowPlaying);
  if (end === null || now >= end) return { current: null, next: null };
  return { current: nowPlaying.current, next: nowPlaying.next };
}

function isOffAir(report: SongReport): boolean {
  return report.offAir || isSilence(report);
}

/** Rule 6: what some systems send as the song when nothing is on air; and a song without a title is none. */
function isSilence({ title, artist }: ReportedPlay): boolean {
  return title === null || (title.toLowerCase() === 'station offline' && artist === null);
}

/** Rule 3; and a play that is over cannot begin again: a copy of a report of it came late. */
function isLate({ past }: NowPlaying, latest: Play | null, report: SongReport): boolean {
  const isOlder =
    latest !== null && report.startedAt !== null && report.startedAt < latest.startedAt - SAME_START;
  return isOlder || past.some((play) => isSamePlay(play, report) === true);
}

/** By the sender's id, else by the start; `maybe`: the same song, and neither is known. */
function isSamePlay(play: Play, report: ReportedPlay): boolean | 'maybe' {
  if (play.title !== report.title || play.artist !== (report.artist ?? '')) return false;
  if (play.senderPlayId !== null && report.playId !== null) return play.senderPlayId === report.playId;
  const reported = report.startedAt;
  if (reported === null) return 'maybe';
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
  const carried = next === 'none' ? [next] : [cover, durationSeconds, next.title, next.artist, next.cover];
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
    senderPlayId: play.senderPlayId ?? report.playId,
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
function beginPlay(before: NowPlaying, report: SongReport, now: Instant, id: PlayId): AppliedReport {
  const current = newPlay(id, report, now);
  return {
    outcome: 'new-play',
    nowPlaying: { current, next: nextSong(null, report.next), reportedAt: now, past: ended(before) },
  };
}

/** @param latestStart where a later start is taken to lie */
function newPlay(id: PlayId, reported: ReportedPlay, latestStart: Instant): Play {
  const startedAt = Math.min(reported.startedAt ?? latestStart, latestStart) as Instant;
  return {
    id,
    title: reported.title ?? '',
    artist: reported.artist ?? '',
    cover: reported.cover,
    durationSeconds: reported.durationSeconds ?? 0,
    startedAt,
    announcedStart: reported.startedAt === startedAt ? null : reported.startedAt,
    senderPlayId: reported.playId,
  };
}

/** Adds the plays that are over and of which no report ever came, each before the one that followed it. */
function addEarlier(
  applied: AppliedReport,
  earlier: readonly ReportedPlay[],
  now: Instant,
  newPlayId: () => PlayId,
): AppliedReport {
  const { current, past } = applied.nowPlaying;
  const known = current ? [current, ...past] : [...past];
  const added: Play[] = [];
  let latestStart = current ? later(current.startedAt, -1) : now;
  for (const reported of newestFirst(earlier)) {
    const play = known.find((candidate) => isSamePlay(candidate, reported) === true);
    if (play === current) continue;
    const placed = play ?? newPlay(newPlayId(), reported, latestStart);
    if (!play) {
      known.push(placed);
      added.push(placed);
    }
    latestStart = Math.min(latestStart, later(placed.startedAt, -1)) as Instant;
  }
  const kept = newestPlays([...added, ...past]);
  if (!kept.some((play) => added.includes(play))) return applied;
  const outcome = isChange(applied.outcome) ? applied.outcome : 'details';
  return { outcome, nowPlaying: { ...applied.nowPlaying, past: kept } };
}

/** Those that can stand in a history. */
function newestFirst(reported: readonly ReportedPlay[]): readonly ReportedPlay[] {
  const start = (play: ReportedPlay) => play.startedAt ?? 0;
  return reported
    .filter((play) => play.startedAt !== null && !isSilence(play))
    .sort((one, other) => start(other) - start(one))
    .slice(0, KEPT_PLAYS);
}

function goOffAir(before: NowPlaying, now: Instant): AppliedReport {
  const outcome = before.current === null && before.next === null ? 'repeat' : 'off-air';
  return { outcome, nowPlaying: { current: null, next: null, reportedAt: now, past: ended(before) } };
}

function ended({ current, past }: NowPlaying): readonly Play[] {
  return current === null ? past : newestPlays([current, ...past]);
}

/** Of equal starts the first one given counts as the newest. */
function newestPlays(plays: readonly Play[]): readonly Play[] {
  return plays.toSorted((one, other) => other.startedAt - one.startedAt).slice(0, KEPT_PLAYS);
}

function nextSong(before: NextSong | null, reported: SongReport['next']): NextSong | null {
  if (reported === 'none') return null;
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
