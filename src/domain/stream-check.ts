import type { Instant } from './ids.js';

/** How asking a stream's address for audio ended. */
export const CHECK_OUTCOMES = [
  'audio',
  'unreachable',
  'untrusted-certificate',
  'refused',
  'stalled',
  'not-audio',
  'endless-redirects',
  'forbidden-address',
] as const;
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number];

/** What was heard at an address, or why nothing was. */
export interface AudioFinding {
  readonly outcome: CheckOutcome;
  /** More of it, such as `HTTP 404`: a phrase without a full stop, at most {@link MAX_DETAIL_LENGTH} characters; may be empty. */
  readonly detail: string;
  /** Lower case, such as `mp3`; null: not recognised. */
  readonly codec: string | null;
  /** Kilobits a second; null: unknown. */
  readonly bitrate: number | null;
}

export const MAX_DETAIL_LENGTH = 200;

/** The last time that a stream's address was asked. */
export interface StreamCheck extends AudioFinding {
  readonly checkedAt: Instant;
  /** When it was first found broken without having answered since; null: it answers. */
  readonly brokenSince: Instant | null;
}

export function isBroken({ outcome }: Pick<AudioFinding, 'outcome'>): boolean {
  return outcome !== 'audio';
}

/** What is remembered after one more check. */
export function checked(before: StreamCheck | null, finding: AudioFinding, now: Instant): StreamCheck {
  const brokenSince = isBroken(finding) ? (before?.brokenSince ?? now) : null;
  return { ...finding, checkedAt: now, brokenSince };
}
