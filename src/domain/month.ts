import { type Brand, DAY, type Instant } from './ids.js';

/** A calendar month in UTC, `YYYY-MM`. Two months compare as their texts do. */
export type Month = Brand<string, 'Month'>;

/** `YYYY-MM` from year 1970 on; else null. */
export function parseMonth(text: string): Month | null {
  return /^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/.test(text) ? (text as Month) : null;
}

export function monthOf(instant: Instant): Month {
  // An estimate that is a month off at most; the starts of the months around it decide.
  let index = Math.floor(instant / (30.436875 * DAY));
  while (startOfIndex(index) > instant) index -= 1;
  while (startOfIndex(index + 1) <= instant) index += 1;
  return monthAt(index);
}

export function previousMonth(month: Month): Month {
  return monthAt(indexOf(month) - 1);
}

/** The month's first instant; it ends where the next one starts. */
export function startOf(month: Month): Instant {
  return startOfIndex(indexOf(month));
}

export function endOf(month: Month): Instant {
  return startOfIndex(indexOf(month) + 1);
}

/** Months since January 1970. */
function indexOf(month: Month): number {
  return (Number(month.slice(0, 4)) - 1970) * 12 + Number(month.slice(5)) - 1;
}

function monthAt(index: number): Month {
  const year = 1970 + Math.floor(index / 12);
  const number = index - (year - 1970) * 12 + 1;
  return `${year}-${String(number).padStart(2, '0')}` as Month;
}

/** `Date.UTC` takes months beyond December for those of later years. */
function startOfIndex(index: number): Instant {
  return Date.UTC(1970, index) as Instant;
}
