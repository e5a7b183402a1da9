import { inspect } from 'node:util';
import { expect } from 'chai';
import { migrateUp } from '../../src/adapters/postgres/migrations.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { HIGHLIGHTS } from '../../src/domain/stream.js';
import { LINK_TYPES } from '../../src/domain/organization.js';
import { onEachPostgres } from '../support/each-postgres.js';
import { empty } from '../support/postgres-storage.js';

const NOT_NULL = '23502';
const FOREIGN_KEY = '23503';
const UNIQUE = '23505';
const CHECK = '23514';

/** The smallest right rows; a test spoils one column. Keys are column names, values SQL expressions. */
const ROWS = {
  accounts: {
    username: `'Anna'`,
    username_key: `'anna'`,
    email: `'anna@radio.example'`,
    password_hash: `'hash'`,
    credential_version: '1',
    registered_at: 'now()',
  },
  one_time_tokens: { account_id: '1', purpose: `'reset'`, hash: `'h'`, expires_at: 'now()' },
  mails: { account_id: '1', kind: `'reset'`, owed_since: 'now()', not_before: 'now()' },
  login_failures: { email: `'anna@radio.example'`, failed_at: `'{}'`, last_failed_at: 'now()' },
  organizations: {
    name: `'Jazz'`,
    name_key: `'jazz'`,
    description: `''`,
    image: 'null',
    thumbnail: 'null',
    is_public: 'true',
    is_active: 'true',
    created_at: 'now()',
  },
  organization_links: {
    organization_id: '1',
    position: '1',
    type: `'website'`,
    url: `'https://jazz.example'`,
  },
  organization_tokens: { organization_id: '1', hash: `'h'`, label: `''`, created_at: 'now()' },
  organization_members: { organization_id: '1', account_id: '1' },
  streams: {
    uuid: 'gen_random_uuid()',
    organization_id: '1',
    name: `'Jazz'`,
    url: `'https://jazz.example/live'`,
    url_key: `'jazz.example/live'`,
    tags: `'{}'`,
    is_enabled: 'true',
    created_at: 'now()',
  },
  stream_highlights: { stream_id: '1', flag: `'top-voted'` },
  highlight_pins: { stream_id: '1', flag: `'stream-of-the-month'`, month: `'2026-01'` },
  votes: { account_id: '1', stream_id: '1', direction: `'up'`, previous: `'none'`, cast_at: 'now()' },
  plays: {
    stream_id: '1',
    uuid: `'00000000-0000-4000-8000-000000000001'`,
    title: `'So What'`,
    artist: `''`,
    cover: 'null',
    duration_seconds: '0',
    started_at: 'now()',
  },
} as const satisfies Record<string, Record<string, string>>;
type Table = keyof typeof ROWS;

const LONG = (length: number) => `repeat('x', ${length})`;

/** Table, column, an expression that is wrong there, how PostgreSQL calls that. */
const WRONG: readonly (readonly [table: Table, column: string, value: string, state: string])[] = [
  ['accounts', 'username', `''`, CHECK],
  ['accounts', 'username', LONG(65), CHECK],
  ['accounts', 'username_key', `''`, CHECK],
  ['accounts', 'email', `'Anna@radio.example'`, CHECK],
  ['accounts', 'email', `'anna'`, CHECK],
  ['accounts', 'email', `'änna@radio.example'`, CHECK],
  ['accounts', 'email', `'an na@radio.example'`, CHECK],
  ['accounts', 'email', `'a@' || ${LONG(253)}`, CHECK],
  ['accounts', 'password_hash', `''`, CHECK],
  ['accounts', 'credential_version', '0', CHECK],
  ['one_time_tokens', 'purpose', `'login'`, CHECK],
  ['one_time_tokens', 'hash', `''`, CHECK],
  ['one_time_tokens', 'account_id', '2', FOREIGN_KEY],
  ['mails', 'kind', `'spam'`, CHECK],
  ['mails', 'account_id', '2', FOREIGN_KEY],
  ['login_failures', 'email', LONG(255), CHECK],
  ['organizations', 'name', `''`, CHECK],
  ['organizations', 'name', LONG(201), CHECK],
  ['organizations', 'name_key', `''`, CHECK],
  ['organizations', 'description', LONG(5001), CHECK],
  ['organizations', 'image', `'javascript:alert(1)'`, CHECK],
  ['organizations', 'image', `'https://' || ${LONG(2041)}`, CHECK],
  ['organizations', 'thumbnail', `'logo.png'`, CHECK],
  ['organization_links', 'type', `'myspace'`, CHECK],
  ['organization_links', 'url', `''`, CHECK],
  ['organization_links', 'position', '0', CHECK],
  ['organization_links', 'organization_id', '2', FOREIGN_KEY],
  ['organization_tokens', 'hash', `''`, CHECK],
  ['organization_tokens', 'organization_id', '2', FOREIGN_KEY],
  ['organization_members', 'organization_id', '2', FOREIGN_KEY],
  ['organization_members', 'account_id', '2', FOREIGN_KEY],
  ['streams', 'name', `''`, CHECK],
  ['streams', 'name', LONG(201), CHECK],
  ['streams', 'url', `'ftp://jazz.example'`, CHECK],
  ['streams', 'url', `'http://' || ${LONG(2042)}`, CHECK],
  ['streams', 'tags', `array[null]::text[]`, CHECK],
  ['streams', 'tags', `array['']`, CHECK],
  ['streams', 'tags', `array_fill('x'::text, array[31])`, CHECK],
  ['streams', 'organization_id', '2', FOREIGN_KEY],
  ['stream_highlights', 'flag', `'best'`, CHECK],
  ['stream_highlights', 'stream_id', '2', FOREIGN_KEY],
  ['highlight_pins', 'flag', `'top-voted'`, CHECK],
  ['highlight_pins', 'month', `'2026-13'`, CHECK],
  ['highlight_pins', 'stream_id', '2', FOREIGN_KEY],
  ['votes', 'direction', `'sideways'`, CHECK],
  ['votes', 'previous', `''`, CHECK],
  ['votes', 'account_id', '2', FOREIGN_KEY],
  ['votes', 'stream_id', '2', FOREIGN_KEY],
  ['plays', 'title', LONG(513), CHECK],
  ['plays', 'artist', LONG(513), CHECK],
  ['plays', 'cover', `'cover.png'`, CHECK],
  ['plays', 'duration_seconds', '-1', CHECK],
  ['plays', 'duration_seconds', `'infinity'`, CHECK],
  ['plays', 'duration_seconds', `'nan'`, CHECK],
  ['plays', 'stream_id', '2', FOREIGN_KEY],
];

/** Two rows that must not stand beside each other: what the second has different from the first. */
const TWICE: readonly (readonly [table: Table, same: string, others: Record<string, string>])[] = [
  ['accounts', 'email', { username_key: `'ben'` }],
  ['accounts', 'username_key', { email: `'ben@radio.example'` }],
  ['one_time_tokens', 'hash', { purpose: `'activation'` }],
  ['login_failures', 'email', {}],
  ['organizations', 'name_key', { name: `'JAZZ'` }],
  ['organization_links', 'position', { type: `'other'` }],
  ['organization_tokens', 'hash', { label: `'b'` }],
  ['organization_members', 'pair', {}],
  ['streams', 'uuid', { uuid: `(select uuid from streams where id = 1)`, name: `'Blues'` }],
  ['stream_highlights', 'flag', {}],
  ['highlight_pins', 'month', {}],
  ['votes', 'pair', { direction: `'down'` }],
  ['plays', 'uuid', { title: `'Freddie'` }],
];

onEachPostgres('The schema', (connection) => {
  let db: PostgresDatabase;
  before(async () => {
    db = new PostgresDatabase(connection());
    await migrateUp(db);
  });
  after(() => db.close());
  beforeEach(async () => {
    await empty(db);
    for (const table of ['accounts', 'organizations', 'streams'] as const) await insert(table);
  });

  const insert = (table: Table, changed: Record<string, string> = {}) => {
    const row = { ...ROWS[table], ...changed };
    return db.rows(`insert into ${table} (${Object.keys(row).join()}) values (${Object.values(row).join()})`);
  };
  const stateOf = async (attempt: Promise<unknown>) =>
    attempt.then(
      () => 'stored',
      (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
    );
  const isThere = (table: Table) => ['accounts', 'organizations', 'streams'].includes(table);
  /** What makes a second row of these tables differ where it must. */
  const SECOND: Partial<Record<Table, Record<string, string>>> = {
    accounts: { email: `'ben@radio.example'`, username_key: `'ben'` },
    organizations: { name_key: `'blues'` },
  };

  for (const table of Object.keys(ROWS) as Table[])
    it(`takes right ${table}`, async () => {
      expect(await stateOf(insert(table, SECOND[table]))).to.equal('stored');
    });

  for (const [table, column, value, state] of WRONG)
    it(`refuses ${value} as ${column} of ${table}`, async () => {
      expect(await stateOf(insert(table, { ...SECOND[table], [column]: value }))).to.equal(state);
    });

  for (const [table, same, others] of TWICE)
    it(`refuses ${table} with the same ${same}`, async () => {
      if (!isThere(table)) await insert(table);
      expect(await stateOf(insert(table, others))).to.equal(UNIQUE);
    });

  for (const [table, row] of Object.entries(ROWS) as [Table, Record<string, string>][])
    it(`refuses ${table} that lack a column`, async () => {
      for (const column of Object.keys(row).filter((name) => row[name] !== 'null'))
        expect(await stateOf(insert(table, { [column]: 'null' })), column).to.equal(NOT_NULL);
    });

  it('knows the link types and highlights that the domain knows', async () => {
    for (const [index, type] of LINK_TYPES.entries())
      await insert('organization_links', { type: `'${type}'`, position: String(index + 1) });
    for (const flag of HIGHLIGHTS) await insert('stream_highlights', { flag: `'${flag}'` });
  });

  it('refuses without repeating the row: errors are logged, and rows hold hashes and addresses', async () => {
    for (const email of [`'Anna@radio.example'`, 'null', ROWS.accounts.email]) {
      const row = { email, username_key: `'ben'`, password_hash: `'$2b$12$abc'` };
      const refused: unknown = await insert('accounts', row).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(Error).with.property('code');
      expect(inspect(refused)).not.to.match(/anna|\$2b/i);
    }
  });

  it('nor the values that it was given, where PostgreSQL is set to tell them', async () => {
    const refused: unknown = await db
      .transaction(async (statements) => {
        await statements.rows('set local log_parameter_max_length_on_error = -1');
        await statements.rows('update accounts set email = $1 where password_hash <> $2', [
          'Anna',
          '$2b$12$abc',
        ]);
      })
      .catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error).with.property('code');
    expect(inspect(refused)).not.to.match(/anna|\$2b/i);
  });

  it('refuses a second holder of a monthly highlight, and takes many of the others', async () => {
    await insert('streams', { name: `'Blues'` });
    for (const flag of HIGHLIGHTS) {
      await insert('stream_highlights', { flag: `'${flag}'` });
      const second = await stateOf(insert('stream_highlights', { flag: `'${flag}'`, stream_id: '2' }));
      expect(second, flag).to.equal(flag.endsWith('-of-the-month') ? UNIQUE : 'stored');
    }
  });

  it('remembers one computation of the highlights only', async () => {
    const insertOne = () =>
      stateOf(db.rows('insert into highlight_computation (computed_at) values (now())'));
    expect([await insertOne(), await insertOne()]).to.deep.equal(['stored', UNIQUE]);
    const other = 'insert into highlight_computation values (false, now())';
    expect(await stateOf(db.rows(other))).to.equal(CHECK);
  });

  it('refuses a tally below zero', async () => {
    expect(await stateOf(db.rows('update vote_tallies set upvotes = -1'))).to.equal(CHECK);
    expect(await stateOf(db.rows('update vote_tallies set downvotes = -1'))).to.equal(CHECK);
  });

  it('refuses a current play of another stream, or of none', async () => {
    await insert('streams', { name: `'Blues'` });
    await insert('plays');
    const setCurrent = (stream: number) =>
      db.rows(
        `update now_playing set reported_at = now(), current_play = ${ROWS.plays.uuid} where stream_id = ${stream}`,
      );

    expect(await stateOf(setCurrent(1))).to.equal('stored');
    expect(await stateOf(setCurrent(2))).to.equal(FOREIGN_KEY);
  });

  for (const half of [
    `reported_at = now(), next_title = 'Freddie'`,
    `reported_at = now(), next_artist = 'Miles Davis'`,
    `reported_at = now(), next_cover = 'https://jazz.example/cover'`,
    `next_title = 'Freddie', next_artist = 'Miles Davis'`,
    `reported_at = now(), next_title = '', next_artist = '', next_cover = 'cover.png'`,
  ])
    it(`refuses half of a report: ${half}`, async () => {
      expect(await stateOf(db.rows(`update now_playing set ${half}`))).to.equal(CHECK);
    });

  it('removes with a stream and an organization all that hangs on them, and nothing else', async () => {
    await insert('plays');
    await db.rows(`update now_playing set reported_at = now(), current_play = ${ROWS.plays.uuid}`);
    for (const table of ['votes', 'stream_highlights', 'highlight_pins', 'organization_links'] as const)
      await insert(table);
    await insert('organization_tokens');
    await insert('organization_members');

    await db.rows('delete from organizations');

    const counts = Object.keys(ROWS).map((table) => `(select count(*)::integer from ${table}) as ${table}`);
    const [left] = await db.rows<Record<Table, number>>(`select ${counts.join()}`);
    expect(Object.entries(left ?? {}).filter(([, count]) => count > 0)).to.deep.equal([['accounts', 1]]);
  });

  it('keeps the tally equal to the votes, whatever changes the votes', async () => {
    await insert('accounts', { email: `'ben@radio.example'`, username_key: `'ben'` });
    await insert('streams', { name: `'Blues'` });
    const tallies = async () => {
      const rows = await db.rows<{ upvotes: number; downvotes: number }>(
        'select upvotes, downvotes from vote_tallies order by stream_id',
      );
      return rows.map(({ upvotes, downvotes }) => [upvotes, downvotes]);
    };

    await insert('votes');
    await insert('votes', { account_id: '2' });
    await insert('votes', { stream_id: '2', direction: `'down'` });
    expect(await tallies()).to.deep.equal([
      [2, 0],
      [0, 1],
    ]);
    await db.rows(`update votes set direction = 'down' where stream_id = 1 and account_id = 2`);
    await db.rows(`update votes set direction = 'none' where stream_id = 2`);
    expect(await tallies()).to.deep.equal([
      [1, 1],
      [0, 0],
    ]);
    await db.rows('delete from accounts where id = 1');
    expect(await tallies()).to.deep.equal([
      [0, 1],
      [0, 0],
    ]);
    await db.rows('delete from votes');
    expect(await tallies()).to.deep.equal([
      [0, 0],
      [0, 0],
    ]);
  });

  it('has an index for every foreign key', async () => {
    const unindexed = await db.rows(`
      select f.conrelid::regclass::text as table, f.conname as key from pg_constraint f
      where f.contype = 'f' and f.connamespace = 'public'::regnamespace and not exists (
        select from pg_index i
        where i.indrelid = f.conrelid and (i.indkey::smallint[])[0] = any (f.conkey)
      )`);
    expect(unindexed).to.deep.equal([]);
  });
});
