import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table accounts (
      id integer generated always as identity primary key,
      username text not null check (char_length(username) between 1 and 64),
      username_key text not null unique check (username_key <> ''),
      email text not null unique
        check (char_length(email) <= 254 and email collate "C" ~ '^[!-~]+@[!-~]+$' and email = lower(email collate "C")),
      password_hash text not null check (password_hash <> ''),
      credential_version integer not null check (credential_version >= 1),
      registered_at timestamptz not null,
      activated_at timestamptz,
      reset_requested_at timestamptz
    );

    create table one_time_tokens (
      id bigint generated always as identity primary key,
      account_id integer not null references accounts on delete cascade,
      purpose text not null check (purpose in ('activation', 'reset')),
      hash text not null unique check (hash <> ''),
      expires_at timestamptz not null
    );
    create index on one_time_tokens (account_id);

    create table mails (
      id uuid primary key default gen_random_uuid(),
      account_id integer not null references accounts on delete cascade,
      kind text not null check (kind in ('activation', 'reset', 'password-changed')),
      owed_since timestamptz not null,
      attempts integer not null default 0 check (attempts >= 0),
      not_before timestamptz not null,
      last_problem text
    );
    create index on mails (account_id);
    create index on mails (not_before);

    -- One row per email, so that its lock makes counting atomic. Whether an account has the email does not matter.
    create table login_failures (
      email text primary key check (char_length(email) <= 254),
      failed_at timestamptz[] not null,
      blocked_until timestamptz,
      last_failed_at timestamptz not null
    );
    create index on login_failures (last_failed_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('drop table login_failures, mails, one_time_tokens, accounts');
}
