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
import type { OrganizationId, StreamId } from '../../domain/ids.js';
import { type Result, err, ok } from '../../domain/result.js';
import type { PostgresDatabase } from './postgres-database.js';
import { PostgresStreamList } from './postgres-stream-list.js';
import {
  type NumberedPlay,
  instant,
  isCurrentSession,
  linksJson,
  nextSongJson,
  playJson,
  withoutNumber,
} from './sql.js';
import {
  type NoStream,
  STREAMS,
  STREAM_COLUMNS,
  type StreamRow,
  isStream,
  toListedStream,
} from './stream-rows.js';

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
  readonly #streams: PostgresStreamList;

  constructor(private readonly db: PostgresDatabase) {
    this.#streams = new PostgresStreamList(db);
  }

  streams(): Promise<readonly ListedStream[]> {
    return this.#streams.read();
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
