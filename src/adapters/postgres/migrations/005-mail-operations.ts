import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table mails
      -- Taken by a worker that has not said yet what became of it; not_before is when its lease ends.
      add column is_claimed boolean not null default false,
      -- Kept for an operator, and no longer tried.
      add column given_up_at timestamptz,
      add column retried_at timestamptz;
    drop index mails_not_before_idx;
    create index mails_due on mails (not_before) where given_up_at is null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop index mails_due;
    delete from mails where given_up_at is not null;
    alter table mails drop column is_claimed, drop column given_up_at, drop column retried_at;
    create index on mails (not_before);
  `);
}
