import type { Instant } from '../../domain/ids.js';
import type { Play } from '../../domain/now-playing.js';

/** An instant as a `timestamptz` parameter, exact to the millisecond. */
export function timestamp(instant: Instant): string {
  return new Date(instant).toISOString();
}

export function timestampOrNull(instant: Instant | null): string | null {
  return instant === null ? null : timestamp(instant);
}

/** SQL that reads a `timestamptz` as an {@link Instant}. */
export function instant(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::float8`;
}

/** SQL that reads a row of `plays`, or null where its key is null, as a {@link NumberedPlay}. */
export function playJson(plays: string): string {
  return `case when ${plays}.id is not null then json_build_object(
    'number', ${plays}.id, 'id', ${plays}.uuid, 'title', ${plays}.title, 'artist', ${plays}.artist,
    'cover', ${plays}.cover, 'durationSeconds', ${plays}.duration_seconds,
    'startedAt', ${instant(`${plays}.started_at`)},
    'announcedStart', ${instant(`${plays}.announced_start`)}, 'senderPlayId', ${plays}.sender_play_id) end`;
}

/** SQL that reads the next song of a row of `now_playing` as a `NextSong`, or null. */
export function nextSongJson(nowPlaying: string): string {
  return `case when ${nowPlaying}.next_title is not null then json_build_object(
    'title', ${nowPlaying}.next_title, 'artist', ${nowPlaying}.next_artist, 'cover', ${nowPlaying}.next_cover) end`;
}

export type NumberedPlay = Play & { readonly number: number };

export function withoutNumber(play: NumberedPlay | null): Play | null {
  if (play === null) return null;
  const { id, title, artist, cover, durationSeconds, startedAt, announcedStart, senderPlayId } = play;
  return { id, title, artist, cover, durationSeconds, startedAt, announcedStart, senderPlayId };
}

/** SQL: this row of `accounts` is what the session in the two parameters is a login of. See `isCurrent` of the domain. */
export function isCurrentSession(account: string, user: string, credentialVersion: string): string {
  return `${account}.id = ${user} and ${account}.credential_version = ${credentialVersion}
    and ${account}.activated_at is not null`;
}

/** SQL that reads the links of a row of `organizations` as an array of `OrganizationLink`. */
export function linksJson(organization: string): string {
  return `array(
    select json_build_object('type', l.type, 'url', l.url) from organization_links l
    where l.organization_id = ${organization}.id order by l.position)`;
}
