import type { BulkDirectory, NewStream, StreamRecord } from '../../application/ports/bulk-directory.js';
import type { StoredOrganization, StoredStream } from '../../application/ports/organization-repository.js';
import type { Instant, OrganizationId, StreamId, StreamUuid } from '../../domain/ids.js';
import { type OrganizationProfile, organizationNameKey } from '../../domain/organization.js';
import { streamUrlKey } from '../../domain/stream.js';
import type { HttpUrl } from '../../domain/text.js';
import type { PostgresDatabase } from './postgres-database.js';
import { instant, linksJson, timestamp } from './sql.js';

const MARK = `
  with wanted as (
    select key, md5(key)::uuid as hash, min(first_row) as first_row
    from unnest($1::text[], $2::bigint[]) as given (key, first_row) group by key
  ), marked as (
    insert into import_marks (key, first_row) select hash, first_row from wanted on conflict do nothing
  )
  select wanted.key, coalesce(before.first_row, wanted.first_row)::float8 as row
  from wanted left join import_marks before on before.key = wanted.hash`;

const STREAM_COLUMNS = `
  s.id, s.uuid, s.organization_id as organization, s.name, s.url, s.tags, s.is_enabled as "isEnabled",
  s.is_active as "isActive"`;

/**
 * Each key and each stream is looked up by its index: `offset 0` keeps the planner, which knows nothing yet of a table
 * that grows in this minute, from joining all of it.
 */
const STREAMS_AT = `
  select distinct on (wanted.key) wanted.key, stream.*
  from unnest($1::text[]) as wanted (key)
    cross join lateral (
      select id from streams where md5(url_key) = md5(wanted.key) and url_key = wanted.key offset 0
    ) keyed
    cross join lateral (select ${STREAM_COLUMNS} from directory_streams s where s.id = keyed.id offset 0) stream
  order by wanted.key, stream.id`;

const ADD_ORGANIZATIONS = `
  with given as (
    select * from rows from (jsonb_to_recordset($1::jsonb) as (name text, "nameKey" text, description text, image text,
      thumbnail text, "isPublic" boolean, "isActive" boolean, links jsonb)) with ordinality as given (name, name_key,
      description, image, thumbnail, is_public, is_active, links, place)
  ), added as (
    insert into organizations (name, name_key, description, image, thumbnail, is_public, is_active, created_at)
    select name, name_key, description, image, thumbnail, is_public, is_active, $2
    from (select distinct on (name_key) * from given order by name_key, place) as firsts
    order by place
    on conflict do nothing
    returning id, name_key
  ), linked as (
    insert into organization_links (organization_id, position, type, url)
    select added.id, link.position, link.type, link.url
    from (select distinct on (name_key) * from given order by name_key, place) as firsts
      join added using (name_key),
      rows from (jsonb_to_recordset(firsts.links) as (type text, url text)) with ordinality as link (type, url, position)
  )
  select id from added`;

/** Locked, so that none of them goes before the streams are in it. */
const ADD_STREAMS = `
  with owners as (
    select id from organizations where id = any($2::integer[]) for key share
  )
  insert into streams (organization_id, uuid, name, url, url_key, tags, is_enabled, created_at)
  select organization, uuid, name, url, url_key,
    array(select tag from jsonb_array_elements_text(tags) with ordinality as t (tag, place) order by t.place),
    is_enabled, added_at
  from rows from (jsonb_to_recordset($1::jsonb) as (organization integer, uuid uuid, name text, url text, "urlKey" text,
      tags jsonb, "isEnabled" boolean, "addedAt" timestamptz)) with ordinality as given (organization, uuid, name, url,
      url_key, tags, is_enabled, added_at, place)
  where organization in (select id from owners)
  order by place
  returning uuid`;

const RENAME_STREAMS = `
  update streams set name = given.name,
    tags = array(select tag from jsonb_array_elements_text(given.tags) with ordinality as t (tag, place) order by t.place)
  from jsonb_to_recordset($1::jsonb) as given (id integer, name text, tags jsonb)
  where streams.id = given.id
  returning streams.id`;

const LIST_ORGANIZATIONS = `
  select o.id, o.name, o.description, o.image, o.thumbnail, ${linksJson('o')} as links, o.is_public as "isPublic",
    o.is_active as "isActive"
  from organizations o where o.id > $1 and ($3::integer is null or o.id = $3) order by o.id limit $2`;

const LIST_STREAMS = `
  select ${STREAM_COLUMNS}, s.organization_name as "organizationName", s.organization_image as "organizationImage",
    ${instant('s.created_at')} as "addedAt"
  from directory_streams s where s.id > $1 and ($3::integer is null or s.organization_id = $3) order by s.id limit $2`;

/** One statement per call. */
export class PostgresBulkDirectory implements BulkDirectory {
  constructor(private readonly db: PostgresDatabase) {}

  async clearMarks(): Promise<void> {
    await this.db.rows('truncate import_marks');
  }

  async mark(
    keys: readonly { readonly key: string; readonly row: number }[],
  ): Promise<ReadonlyMap<string, number>> {
    const marks = await this.db.rows<{ key: string; row: number }>(MARK, [
      keys.map(({ key }) => key),
      keys.map(({ row }) => row),
    ]);
    return new Map(marks.map(({ key, row }) => [key, row]));
  }

  async streamsAt(urlKeys: readonly string[]): Promise<ReadonlyMap<string, StoredStream>> {
    const rows = await this.db.rows<StoredStream & { key: string }>(STREAMS_AT, [urlKeys]);
    return new Map(rows.map(({ key, ...stream }) => [key, stream]));
  }

  async streamsWith(uuids: readonly StreamUuid[]): Promise<ReadonlyMap<StreamUuid, StoredStream>> {
    const statement = `select ${STREAM_COLUMNS} from directory_streams s where s.uuid = any($1::uuid[])`;
    const rows = await this.db.rows<StoredStream>(statement, [uuids]);
    return new Map(rows.map((stream) => [stream.uuid, stream]));
  }

  async organizationsNamed(
    nameKeys: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<StoredOrganization, 'id' | 'image'>>> {
    const rows = await this.db.rows<{ key: string; id: OrganizationId; image: HttpUrl | null }>(
      'select name_key as key, id, image from organizations where name_key = any($1::text[])',
      [nameKeys],
    );
    return new Map(rows.map(({ key, id, image }) => [key, { id, image }]));
  }

  async addOrganizations(profiles: readonly OrganizationProfile[], now: Instant): Promise<number> {
    const rows = profiles.map((profile) => ({ ...profile, nameKey: organizationNameKey(profile.name) }));
    const added = await this.db.rows(ADD_ORGANIZATIONS, [JSON.stringify(rows), timestamp(now)]);
    return added.length;
  }

  async giveImages(images: ReadonlyMap<OrganizationId, HttpUrl>): Promise<void> {
    await this.db.rows(
      `update organizations o set image = given.image from unnest($1::integer[], $2::text[]) as given (id, image)
       where o.id = given.id and o.image is null`,
      [[...images.keys()], [...images.values()]],
    );
  }

  async addStreams(streams: readonly NewStream[]): Promise<ReadonlySet<StreamUuid>> {
    const owners = [...new Set(streams.map(({ organization }) => organization))];
    const rows = streams.map(({ addedAt, ...stream }) => ({
      ...stream,
      urlKey: streamUrlKey(stream.url),
      addedAt: timestamp(addedAt),
    }));
    const added = await this.db.rows<{ uuid: StreamUuid }>(ADD_STREAMS, [JSON.stringify(rows), owners]);
    return new Set(added.map(({ uuid }) => uuid));
  }

  async renameStreams(
    streams: readonly { readonly id: StreamId; readonly name: string; readonly tags: readonly string[] }[],
  ): Promise<number> {
    return (await this.db.rows(RENAME_STREAMS, [JSON.stringify(streams)])).length;
  }

  listOrganizations(
    after: OrganizationId | 0,
    limit: number,
    only?: OrganizationId,
  ): Promise<readonly StoredOrganization[]> {
    return this.db.rows<StoredOrganization>(LIST_ORGANIZATIONS, [after, limit, only ?? null]);
  }

  listStreams(after: StreamId | 0, limit: number, only?: OrganizationId): Promise<readonly StreamRecord[]> {
    return this.db.rows<StreamRecord>(LIST_STREAMS, [after, limit, only ?? null]);
  }
}
