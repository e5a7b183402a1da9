import { DAY, HOUR, type Instant, MINUTE, type StreamId, later } from './ids.js';
import { type Month, endOf, monthOf, previousMonth, startOf } from './month.js';
import type { Highlight } from './stream.js';
import { type VoteTally, score } from './vote.js';

/** The honours of a month, each held by one stream at most. An operator can pin them. */
export const MONTHLY_HIGHLIGHTS = [
  'stream-of-the-month',
  'newcomer-of-the-month',
] as const satisfies Highlight[];
export type MonthlyHighlight = (typeof MONTHLY_HIGHLIGHTS)[number];

/** So many streams are popular, and so many top-voted. */
export const MOST_HOLDERS = 10;
const RECENT = 7 * DAY;
const RECOMPUTED_AFTER = HOUR;

/** Which votes count for what at an instant. */
export interface VoteWindows {
  readonly now: Instant;
  /** In this month the monthly honours are shown ... */
  readonly month: Month;
  /** ... for the votes cast in the one before: from its start, before its end. */
  readonly lastMonth: { readonly start: Instant; readonly end: Instant };
  /** Recent votes were cast after this. */
  readonly recentAfter: Instant;
}

export function voteWindowsAt(now: Instant): VoteWindows {
  const month = monthOf(now);
  return {
    now,
    month,
    lastMonth: { start: startOf(previousMonth(month)), end: startOf(month) },
    recentAfter: later(now, -RECENT),
  };
}

/** A stream with the votes for it that stand, counted in the {@link VoteWindows} by the instant each was cast. */
export interface Candidate {
  readonly stream: StreamId;
  readonly isActive: boolean;
  readonly addedAt: Instant;
  readonly lastMonth: VoteTally;
  readonly recentUpvotes: number;
  readonly allTime: VoteTally;
}

/** What an operator decided for a month: it wins over the rule. */
export interface Pin {
  readonly highlight: MonthlyHighlight;
  readonly stream: StreamId;
}

export interface HeldHighlight {
  readonly highlight: Highlight;
  readonly stream: StreamId;
}

/**
 * Who holds which highlight (contract.md 3). Only active streams do; every tie goes to the lower id. A pinned stream
 * that is not active leaves the honour to the rule.
 * @param candidates every active stream that has a vote or is pinned; more do no harm
 * @param pins of the month of the windows
 */
export function decideHighlights(
  { lastMonth }: VoteWindows,
  candidates: readonly Candidate[],
  pins: readonly Pin[],
): readonly HeldHighlight[] {
  const active = candidates.filter((candidate) => candidate.isActive);
  const newcomers = active.filter(({ addedAt }) => addedAt >= lastMonth.start && addedAt < lastMonth.end);
  const best = (highlight: MonthlyHighlight, among: readonly Candidate[]): readonly Candidate[] => {
    const pin = pins.find((one) => one.highlight === highlight);
    const pinned = active.find(({ stream }) => stream === pin?.stream);
    return pinned ? [pinned] : leading(among, 1, (candidate) => score(candidate.lastMonth));
  };
  const holders: Record<Highlight, readonly Candidate[]> = {
    'stream-of-the-month': best('stream-of-the-month', active),
    'newcomer-of-the-month': best('newcomer-of-the-month', newcomers),
    'recent-popular': leading(active, MOST_HOLDERS, (candidate) => candidate.recentUpvotes),
    'top-voted': leading(active, MOST_HOLDERS, (candidate) => score(candidate.allTime)),
  };
  return (Object.keys(holders) as Highlight[]).flatMap((highlight) =>
    holders[highlight].map(({ stream }) => ({ highlight, stream })),
  );
}

/** The `count` candidates of the highest value above 0, the best first. */
function leading(
  candidates: readonly Candidate[],
  count: number,
  value: (candidate: Candidate) => number,
): readonly Candidate[] {
  return candidates
    .filter((candidate) => value(candidate) > 0)
    .sort((one, other) => value(other) - value(one) || one.stream - other.stream)
    .slice(0, count);
}

/**
 * Is it time to compute the highlights again? Hourly, and once a month has turned. Clocks of several nodes differ a
 * little: what was computed a moment ahead of `now` is not computed again.
 * @param computedAt null: never
 */
export function isDue(computedAt: Instant | null, now: Instant): boolean {
  return (
    computedAt === null ||
    Math.abs(now - computedAt) >= RECOMPUTED_AFTER ||
    monthOf(computedAt) < monthOf(now)
  );
}

/** Milliseconds until somebody should ask {@link isDue} again: a minute, or less where the month turns before. */
export function untilNextLook(now: Instant): number {
  return Math.min(MINUTE, endOf(monthOf(now)) - now);
}
