import type { SessionEnded } from '../../application/ports/account-repository.js';
import type {
  DirectoryReadModel,
  ListedOrganization,
  ListedStream,
  Statistics,
  StreamHistory,
  StreamReference,
} from '../../application/ports/directory-read-model.js';
import type { Session } from '../../domain/account.js';
import type { Instant, OrganizationId, StreamId, StreamUuid } from '../../domain/ids.js';
import type { NextSong } from '../../domain/now-playing.js';
import type { OrganizationName } from '../../domain/organization.js';
import { type Result, err, ok } from '../../domain/result.js';
import { HIGHLIGHTS, type Highlight } from '../../domain/stream.js';
import type { HttpUrl } from '../../domain/text.js';
import type { PostgresDatabase } from './postgres-database.js';
import {
  type NumberedPlay,
  instant,
  isCurrentSession,
  linksJson,
  nextSongJson,
  playJson,
  withoutNumber,
} from './sql.js';

interface StreamRow {
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

const STREAM_COLUMNS = `
  s.id, s.uuid, s.name, s.url, s.tags, s.is_active, s.organization_id, s.organization_name, s.organization_image,
  array(select h.flag from stream_highlights h where h.stream_id = s.id) as highlights,
  ${playJson('current')} as current, ${nextSongJson('np')} as next, ${instant('np.reported_at')} as reported_at`;

const STREAMS = `
  directory_streams s
    join now_playing np on np.stream_id = s.id
    left join plays current on current.stream_id = s.id and current.uuid = np.current_play`;

const ACTIVE_STREAMS = `select ${STREAM_COLUMNS} from ${STREAMS} where s.is_active order by s.id`;

const STREAMS_OF_ORGANIZATION = `
  select ${STREAM_COLUMNS} from organizations o left join (${STREAMS}) on s.organization_id = o.id and s.is_active
  where o.id = $1 and o.is_listed order by s.id`;

const STREAMS_OF_MEMBER = `
  select ${STREAM_COLUMNS}
  from accounts a
    left join organization_members m on m.account_id = a.id
    left join (${STREAMS}) on s.organization_id = m.organization_id
  where ${isCurrentSession('a', '$1', '$2')} order by s.id`;

const HISTORY = `
  select s.organization_image, ${playJson('current')} as current, ${nextSongJson('np')} as next,
    ${instant('np.reported_at')} as reported_at,
    array(
      select ${playJson('p')} from plays p
      where p.stream_id = s.id and p.uuid is distinct from np.current_play order by p.started_at desc, p.id desc
    ) as past
  from ${STREAMS} where s.id = $1 and s.is_active`;

const ORGANIZATION_COLUMNS = `o.id, o.name, o.description, o.image, o.thumbnail, ${linksJson('o')} as links`;
const ORGANIZATIONS = `select ${ORGANIZATION_COLUMNS} from organizations o where o.is_listed`;

const ORGANIZATIONS_WITH_STREAMS = `
  select ${ORGANIZATION_COLUMNS}, array(
    select json_build_object('id', s.id, 'uuid', s.uuid, 'name', s.name, 'url', s.url) from directory_streams s
    where s.organization_id = o.id and s.is_active order by s.id
  ) as streams
  from organizations o where o.is_listed order by o.id`;

const STATISTICS = `
  select
    (select count(*) from accounts where activated_at is not null)::integer as users,
    (select count(*) from organizations where is_listed)::integer as organizations,
    (select count(*) from directory_streams where is_active)::integer as stations`;

/** One statement per call. */
export class PostgresDirectoryReadModel implements DirectoryReadModel {
  constructor(private readonly db: PostgresDatabase) {}

  async streams(): Promise<readonly ListedStream[]> {
    return (await this.db.rows<StreamRow>(ACTIVE_STREAMS)).map(toListedStream);
  }

  async streamsOf(organization: OrganizationId): Promise<readonly ListedStream[] | null> {
    const rows = await this.db.rows<StreamRow | NoStream>(STREAMS_OF_ORGANIZATION, [organization]);
    return rows.length === 0 ? null : rows.filter(isStream).map(toListedStream);
  }

  async streamsOfMember({
    user,
    credentialVersion,
  }: Session): Promise<Result<readonly ListedStream[], SessionEnded>> {
    const rows = await this.db.rows<StreamRow | NoStream>(STREAMS_OF_MEMBER, [user, credentialVersion]);
    return rows.length === 0 ? err({ kind: 'session-ended' }) : ok(rows.filter(isStream).map(toListedStream));
  }

  streamReferences(organization: OrganizationId): Promise<readonly StreamReference[]> {
    return this.db.rows<StreamReference>(
      'select id, uuid, name, url from streams where organization_id = $1 order by id',
      [organization],
    );
  }

  async history(stream: StreamId): Promise<StreamHistory | null> {
    const [row] = await this.db.rows<
      Pick<StreamRow, 'organization_image' | 'current' | 'next' | 'reported_at'> & {
        past: readonly NumberedPlay[];
      }
    >(HISTORY, [stream], 'history');
    if (!row) return null;
    const { current, next, reported_at: reportedAt, past } = row;
    const nowPlaying = { current: withoutNumber(current), next, reportedAt, past };
    return { organizationImage: row.organization_image, nowPlaying };
  }

  organizations(): Promise<
    readonly (ListedOrganization & { readonly streams: readonly StreamReference[] })[]
  > {
    return this.db.rows<ListedOrganization & { readonly streams: readonly StreamReference[] }>(
      ORGANIZATIONS_WITH_STREAMS,
    );
  }

  async organization(id: OrganizationId): Promise<ListedOrganization | null> {
    const [organization] = await this.db.rows<ListedOrganization>(`${ORGANIZATIONS} and o.id = $1`, [id]);
    return organization ?? null;
  }

  async organizationNamed(nameKey: string): Promise<ListedOrganization | null> {
    const [organization] = await this.db.rows<ListedOrganization>(`${ORGANIZATIONS} and o.name_key = $1`, [
      nameKey,
    ]);
    return organization ?? null;
  }

  randomOrganizations(limit: number): Promise<readonly ListedOrganization[]> {
    return this.db.rows<ListedOrganization>(`${ORGANIZATIONS} order by random() limit $1`, [limit]);
  }

  async statistics(): Promise<Statistics> {
    const [statistics] = await this.db.rows<Statistics>(STATISTICS);
    if (!statistics) throw new Error('There are no statistics.');
    return statistics;
  }
}

/** What the outer join gives for somebody without streams. */
interface NoStream {
  readonly id: null;
}

function isStream(row: StreamRow | NoStream): row is StreamRow {
  return row.id !== null;
}

function toListedStream(row: StreamRow): ListedStream {
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
    highlights: HIGHLIGHTS.filter((flag) => row.highlights.includes(flag)),
  };
}
