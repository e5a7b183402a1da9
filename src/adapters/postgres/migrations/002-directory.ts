import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table organizations (
      id integer generated always as identity primary key,
      name text not null check (char_length(name) between 1 and 200),
      name_key text not null unique check (name_key <> ''),
      description text not null check (char_length(description) <= 5000),
      image text check (char_length(image) <= 2048 and image ~* '^https{0,1}://'),
      thumbnail text check (char_length(thumbnail) <= 2048 and thumbnail ~* '^https{0,1}://'),
      is_public boolean not null,
      is_active boolean not null,
      is_listed boolean not null generated always as (is_public and is_active) stored,
      created_at timestamptz not null
    );

    create table organization_links (
      organization_id integer not null references organizations on delete cascade,
      position integer not null check (position >= 1),
      type text not null check (type in ('website', 'discord', 'twitter', 'instagram', 'facebook', 'youtube', 'tiktok',
        'twitch', 'mastodon', 'bluesky', 'telegram', 'whatsapp', 'email', 'other')),
      url text not null check (char_length(url) between 1 and 2048),
      primary key (organization_id, position)
    );

    create table organization_tokens (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations on delete cascade,
      hash text not null unique check (hash <> ''),
      label text not null check (char_length(label) <= 200),
      created_at timestamptz not null
    );
    create index on organization_tokens (organization_id);

    create table organization_members (
      organization_id integer not null references organizations on delete cascade,
      account_id integer not null references accounts on delete cascade,
      primary key (organization_id, account_id)
    );
    create index on organization_members (account_id);

    create table streams (
      id integer generated always as identity primary key,
      uuid uuid not null unique,
      organization_id integer not null references organizations on delete cascade,
      name text not null check (char_length(name) between 1 and 200),
      url text not null check (char_length(url) <= 2048 and url ~* '^https{0,1}://'),
      tags text[] not null
        check (cardinality(tags) <= 30 and array_position(tags, null) is null and '' <> all (tags)),
      is_enabled boolean not null,
      created_at timestamptz not null
    );
    create index on streams (organization_id);

    create table stream_highlights (
      stream_id integer not null references streams on delete cascade,
      flag text not null
        check (flag in ('stream-of-the-month', 'newcomer-of-the-month', 'recent-popular', 'top-voted')),
      primary key (stream_id, flag)
    );

    -- The one place in SQL that says what makes a stream active.
    create view directory_streams as
      select streams.*, streams.is_enabled and organizations.is_listed as is_active,
        organizations.name as organization_name, organizations.image as organization_image
      from streams join organizations on organizations.id = streams.organization_id;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop view directory_streams;
    drop table stream_highlights, streams, organization_members, organization_tokens, organization_links, organizations;
  `);
}
