import type { Knex } from 'knex';
import { streamUrlKey } from '../../../domain/stream.js';
import type { HttpUrl } from '../../../domain/text.js';

const BATCH = 1_000;

export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw('alter table streams add column url_key text');
  await fillUrlKeys(knex);
  await knex.schema.raw(`
    alter table streams alter column url_key set not null;
    -- Keys may be longer than an index takes.
    create index streams_url_key on streams (md5(url_key));

    -- What one import has seen so far: the first row of each key. Worth nothing after a crash.
    create unlogged table import_marks (
      key uuid primary key,
      first_row bigint not null
    );

    create table stream_checks (
      stream_id integer primary key references streams on delete cascade,
      checked_at timestamptz not null,
      outcome text not null check (outcome in ('audio', 'unreachable', 'untrusted-certificate', 'refused', 'stalled',
        'not-audio', 'endless-redirects', 'forbidden-address')),
      detail text not null check (char_length(detail) <= 200),
      codec text check (char_length(codec) between 1 and 64),
      bitrate integer check (bitrate > 0),
      broken_since timestamptz,
      check ((outcome = 'audio') = (broken_since is null))
    );
    create index stream_checks_broken on stream_checks (stream_id) where outcome <> 'audio';
  `);
}

/** Only the domain knows how addresses are compared. */
async function fillUrlKeys(knex: Knex): Promise<void> {
  for (let last = 0; ;) {
    const streams = await knex<{ id: number; url: HttpUrl }>('streams')
      .where('id', '>', last)
      .orderBy('id')
      .limit(BATCH)
      .select('id', 'url');
    if (streams.length === 0) return;
    await knex.raw(
      `update streams set url_key = keyed.url_key
       from unnest(?::integer[], ?::text[]) as keyed (id, url_key) where streams.id = keyed.id`,
      [streams.map(({ id }) => id), streams.map(({ url }) => streamUrlKey(url))],
    );
    last = streams.at(-1)?.id ?? last;
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop table stream_checks, import_marks;
    alter table streams drop column url_key;
  `);
}
