import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table vote_tallies (
      stream_id integer primary key references streams on delete cascade,
      upvotes integer not null default 0 check (upvotes >= 0),
      downvotes integer not null default 0 check (downvotes >= 0)
    );
    insert into vote_tallies (stream_id) select id from streams;

    create function add_vote_tally() returns trigger language plpgsql as $$
    begin
      insert into vote_tallies (stream_id) values (new.id);
      return null;
    end $$;
    create trigger streams_add_vote_tally after insert on streams
      for each row execute function add_vote_tally();

    -- A vote that was taken back stays as 'none': its row is what concurrent calls for one vote wait for.
    create table votes (
      account_id integer not null references accounts on delete cascade,
      stream_id integer not null references streams on delete cascade,
      direction text not null check (direction in ('none', 'up', 'down')),
      previous text not null check (previous in ('none', 'up', 'down')),
      cast_at timestamptz not null,
      primary key (account_id, stream_id)
    );
    create index on votes (stream_id);

    -- The tally follows the votes whatever changes them. (It fires after the checks of the foreign keys: by name.)
    create function count_vote() returns trigger language plpgsql as $$
    declare
      before text := case when tg_op = 'UPDATE' then old.direction else 'none' end;
    begin
      update vote_tallies set
        upvotes = upvotes + (new.direction = 'up')::integer - (before = 'up')::integer,
        downvotes = downvotes + (new.direction = 'down')::integer - (before = 'down')::integer
      where stream_id = new.stream_id;
      return null;
    end $$;
    create trigger votes_count after insert or update of direction on votes
      for each row execute function count_vote();

    -- In the order of streams, so that two accounts removed at once wait for each other only one way.
    create function discount_votes() returns trigger language plpgsql as $$
    begin
      perform 1 from vote_tallies where stream_id in (select stream_id from removed) order by stream_id for update;
      update vote_tallies set upvotes = upvotes - gone.up, downvotes = downvotes - gone.down
      from (
        select stream_id, count(*) filter (where direction = 'up') as up,
          count(*) filter (where direction = 'down') as down
        from removed group by stream_id
      ) as gone
      where vote_tallies.stream_id = gone.stream_id;
      return null;
    end $$;
    create trigger votes_discount after delete on votes
      referencing old table as removed for each statement execute function discount_votes();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop trigger streams_add_vote_tally on streams;
    drop table votes, vote_tallies;
    drop function discount_votes, count_vote, add_vote_tally;
  `);
}
