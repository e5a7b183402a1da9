import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    -- The current play of a stream and the last ones before it.
    create table plays (
      id bigint generated always as identity primary key,
      stream_id integer not null references streams on delete cascade,
      uuid uuid not null,
      title text not null check (char_length(title) <= 512),
      artist text not null check (char_length(artist) <= 512),
      cover text check (char_length(cover) <= 2048 and cover ~* '^https{0,1}://'),
      duration_seconds double precision not null
        check (duration_seconds >= 0 and duration_seconds < 'infinity'),
      started_at timestamptz not null,
      announced_start timestamptz,
      -- The sender's own id of the play.
      sender_play_id text check (char_length(sender_play_id) between 1 and 64),
      unique (stream_id, uuid)
    );

    create table now_playing (
      stream_id integer primary key references streams on delete cascade,
      -- Raised with every change: a change that was decided on an older state is not stored.
      version bigint not null default 0,
      current_play uuid,
      next_title text check (char_length(next_title) <= 512),
      next_artist text check (char_length(next_artist) <= 512),
      next_cover text check (char_length(next_cover) <= 2048 and next_cover ~* '^https{0,1}://'),
      reported_at timestamptz,
      foreign key (stream_id, current_play) references plays (stream_id, uuid) on delete set null (current_play),
      check ((next_title is null) = (next_artist is null)),
      check (next_cover is null or next_title is not null),
      check (reported_at is not null or (current_play is null and next_title is null))
    );
    insert into now_playing (stream_id) select id from streams;

    create function add_now_playing() returns trigger language plpgsql as $$
    begin
      insert into now_playing (stream_id) values (new.id);
      return null;
    end $$;
    create trigger streams_add_now_playing after insert on streams
      for each row execute function add_now_playing();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop trigger streams_add_now_playing on streams;
    drop table now_playing, plays;
    drop function add_now_playing;
  `);
}
