import type { ListedStream } from '../../application/ports/directory-read-model.js';
import type { Instant, OrganizationId, StreamId, StreamUuid } from '../../domain/ids.js';
import type { NextSong } from '../../domain/now-playing.js';
import type { OrganizationName } from '../../domain/organization.js';
import { HIGHLIGHTS, type Highlight } from '../../domain/stream.js';
import type { HttpUrl } from '../../domain/text.js';
import { type NumberedPlay, instant, nextSongJson, playJson, withoutNumber } from './sql.js';

/** What {@link STREAM_COLUMNS} of {@link STREAMS} are. */
export interface StreamRow {
  readonly id: StreamId;
  readonly uuid: StreamUuid;
  readonly name: string;
  readonly url: HttpUrl;
  readonly tags: readonly string[];
  readonly is_active: boolean;
  readonly organization_id: OrganizationId;
  readonly organization_name: OrganizationName;
  readonly organization_image: HttpUrl | null;
  readonly highlights: readonly Highlight[];
  readonly current: NumberedPlay | null;
  readonly next: NextSong | null;
  readonly reported_at: Instant | null;
}

/** What an outer join gives where there is no stream. */
export interface NoStream {
  readonly id: null;
}

export const STREAM_COLUMNS = `
  s.id, s.uuid, s.name, s.url, s.tags, s.is_active, s.organization_id, s.organization_name, s.organization_image,
  array(select h.flag from stream_highlights h where h.stream_id = s.id) as highlights,
  ${playJson('current')} as current, ${nextSongJson('np')} as next, ${instant('np.reported_at')} as reported_at`;

export const STREAMS = `
  directory_streams s
    join now_playing np on np.stream_id = s.id
    left join plays current on current.stream_id = s.id and current.uuid = np.current_play`;

export function isStream<More>(row: More & (StreamRow | NoStream)): row is More & StreamRow {
  return row.id !== null;
}

export function toListedStream(row: StreamRow): ListedStream {
  const { id, uuid, name, url, tags, current, next, reported_at: reportedAt } = row;
  return {
    id,
    uuid,
    name,
    url,
    tags,
    isActive: row.is_active,
    organization: { id: row.organization_id, name: row.organization_name, image: row.organization_image },
    nowPlaying: { current: withoutNumber(current), next, reportedAt, past: [] },
    highlights: HIGHLIGHTS.filter((flag) => row.is_active && row.highlights.includes(flag)),
  };
}
