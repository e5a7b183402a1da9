import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    -- Of the monthly ones there is one holder at most.
    create unique index stream_highlights_monthly on stream_highlights (flag)
      where flag in ('stream-of-the-month', 'newcomer-of-the-month');

    create table highlight_pins (
      flag text not null check (flag in ('stream-of-the-month', 'newcomer-of-the-month')),
      month text not null check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
      stream_id integer not null references streams on delete cascade,
      primary key (flag, month)
    );
    create index on highlight_pins (stream_id);

    -- When stream_highlights was computed last: one row, or none before the first time.
    create table highlight_computation (
      only_row boolean primary key default true check (only_row),
      computed_at timestamptz not null
    );

    -- The votes of the last weeks are counted every hour, however many there are from years before.
    create index on votes (cast_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop index votes_cast_at_idx, stream_highlights_monthly;
    drop table highlight_computation, highlight_pins;
  `);
}
