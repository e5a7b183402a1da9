declare const brand: unique symbol;
/** A plain value that carries, in its type only, the proof that it was parsed. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

export type UserId = Brand<number, 'UserId'>;
export type StreamId = Brand<number, 'StreamId'>;
export type OrganizationId = Brand<number, 'OrganizationId'>;
export type OrganizationTokenId = Brand<number, 'OrganizationTokenId'>;
/** How senders address a stream in the webhook path; lower case. */
export type StreamUuid = Brand<string, 'StreamUuid'>;
/** One play of one song on one stream; a UUID. */
export type PlayId = Brand<string, 'PlayId'>;

/** Milliseconds since 1970-01-01T00:00:00Z. Always an argument: nothing in the domain reads a clock. */
export type Instant = Brand<number, 'Instant'>;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The instant `milliseconds` (negative: before) away. */
export function later(instant: Instant, milliseconds: number): Instant {
  return (instant + milliseconds) as Instant;
}

/** The largest id the storage can hold: a signed 32-bit integer. */
export const MAX_ID = 2_147_483_647;

/** An id as it stands in a path: digits only, no sign, no leading zero, 1 to {@link MAX_ID}; else null. */
export function parseId(text: string): number | null {
  if (!/^[1-9]\d{0,9}$/.test(text)) return null;
  const id = Number(text);
  return id <= MAX_ID ? id : null;
}

/** A UUID of any version in its usual spelling, in either case; else null. */
export function parseStreamUuid(text: string): StreamUuid | null {
  const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
  return pattern.test(text) ? (text.toLowerCase() as StreamUuid) : null;
}
