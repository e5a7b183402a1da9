import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    -- The transaction that last changed what the stream list shows of a stream: whoever keeps a copy of the list reads
    -- again what was changed by transactions that had not ended when the copy was read. Without a foreign key: a stream
    -- that was removed stays noted.
    create table stream_changes (
      stream_id integer primary key,
      changed_in xid8 not null
    );
    create index on stream_changes (changed_in);

    create function note_stream_change(stream integer) returns void language sql as $$
      insert into stream_changes (stream_id, changed_in) values (stream, pg_current_xact_id())
      on conflict (stream_id) do update set changed_in = excluded.changed_in
    $$;

    create function stream_changed() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        perform note_stream_change(old.id);
      else
        perform note_stream_change(new.id);
      end if;
      return null;
    end $$;
    -- A new stream is noted by the row that it gets in now_playing.
    create trigger streams_changed after update or delete on streams
      for each row execute function stream_changed();

    create function part_of_stream_changed() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        perform note_stream_change(old.stream_id);
      else
        perform note_stream_change(new.stream_id);
      end if;
      return null;
    end $$;
    -- Plays change together with it.
    create trigger now_playing_changed after insert or update on now_playing
      for each row execute function part_of_stream_changed();
    create trigger stream_highlights_changed after insert or update or delete on stream_highlights
      for each row execute function part_of_stream_changed();

    create function organization_of_streams_changed() returns trigger language plpgsql as $$
    begin
      perform note_stream_change(s.id) from streams s where s.organization_id = new.id order by s.id;
      return null;
    end $$;
    create trigger organizations_changed after update of name, image, is_public, is_active on organizations
      for each row execute function organization_of_streams_changed();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop trigger organizations_changed on organizations;
    drop trigger stream_highlights_changed on stream_highlights;
    drop trigger now_playing_changed on now_playing;
    drop trigger streams_changed on streams;
    drop function organization_of_streams_changed, part_of_stream_changed, stream_changed, note_stream_change;
    drop table stream_changes;
  `);
}
