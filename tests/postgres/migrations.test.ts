import { expect } from 'chai';
import {
  SchemaIsNewer,
  migrateDown,
  migrateUp,
  migrationStatus,
} from '../../src/adapters/postgres/migrations.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { onEachPostgres } from '../support/each-postgres.js';

const ALL = [
  ...['001-accounts', '002-directory', '003-votes', '004-now-playing', '005-mail-operations'],
  ...['006-highlights', '007-stream-changes', '008-stream-addresses'],
];

onEachPostgres('Migrations', (connection) => {
  let db: PostgresDatabase;
  beforeEach(async () => {
    db = new PostgresDatabase(connection());
    await db.rows('drop schema public cascade');
    await db.rows('create schema public');
  });
  afterEach(() => db.close());

  const objects = async () => {
    const rows = await db.rows<{ name: string }>(`
      select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace
      union all select p.proname from pg_proc p where p.pronamespace = 'public'::regnamespace order by name`);
    return rows.map(({ name }) => name).filter((name) => !name.startsWith('knex_'));
  };

  it('lead from an empty database to the schema and step by step back to nothing, as often as one likes', async () => {
    expect(await migrateUp(db)).to.deep.equal(ALL);
    const schema = await objects();
    for (const name of [...ALL].reverse()) expect(await migrateDown(db)).to.deep.equal([name]);
    expect(await objects()).to.deep.equal([]);
    expect(await migrateDown(db)).to.deep.equal([]);

    expect(await migrateUp(db)).to.deep.equal(ALL);
    expect(await objects()).to.deep.equal(schema);
    expect(await migrateUp(db)).to.deep.equal([]);
  });

  it('give streams that were there before what later migrations hang on every stream', async () => {
    await migrateUp(db);
    while (!(await migrateDown(db)).includes('003-votes'));
    await db.rows(`insert into organizations (name, name_key, description, is_public, is_active, created_at)
      values ('Jazz', 'jazz', '', true, true, now())`);
    await db.rows(`insert into streams (uuid, organization_id, name, url, tags, is_enabled, created_at)
      values (gen_random_uuid(), 1, 'Jazz', 'https://jazz.example', '{}', true, now())`);

    await migrateUp(db);

    expect(await db.rows('select stream_id, upvotes from vote_tallies')).to.deep.equal([
      { stream_id: 1, upvotes: 0 },
    ]);
    expect(await db.rows('select stream_id from now_playing')).to.deep.equal([{ stream_id: 1 }]);
  });

  it('run once when several nodes start on an empty database at the same time', async () => {
    const nodes = Array.from({ length: 4 }, () => new PostgresDatabase(connection()));

    const applied = await Promise.all(nodes.map((node) => migrateUp(node)));

    await Promise.all(nodes.map((node) => node.close()));
    expect(applied.filter((names) => names.length > 0)).to.deep.equal([ALL]);
    expect(await db.rows('select name from knex_migrations order by id')).to.deep.equal(
      ALL.map((name) => ({ name })),
    );
  });

  it('tell what is applied, without changing an untouched database', async () => {
    const untouched = await migrationStatus(db);
    expect(await db.rows(`select to_regclass('knex_migrations') as knex`)).to.deep.equal([{ knex: null }]);
    await migrateUp(db);
    await migrateDown(db);

    expect(untouched).to.deep.equal(ALL.map((name) => ({ name, isApplied: false, isKnown: true })));
    expect(await migrationStatus(db)).to.deep.equal(
      ALL.map((name) => ({ name, isApplied: name !== ALL.at(-1), isKnown: true })),
    );
  });

  it('name one that a newer version applied, leave it as it is, and take nothing back before it', async () => {
    await migrateUp(db);
    await db.rows(
      `insert into knex_migrations (name, batch, migration_time) values ('999-future', 2, now())`,
    );

    const status = await migrationStatus(db);
    expect(status.at(-1)).to.deep.equal({ name: '999-future', isApplied: true, isKnown: false });
    expect(await migrateUp(db)).to.deep.equal([]);
    const refusal: unknown = await migrateDown(db).catch((error: unknown) => error);
    expect(refusal)
      .to.be.instanceOf(SchemaIsNewer)
      .with.property(
        'message',
        'A newer version has changed the schema (999-future): take that back with it first.',
      );
    expect(await migrationStatus(db)).to.deep.equal(status);
  });

  it('leave nothing behind when one fails', async () => {
    await db.rows('create table votes (id integer)');

    const failure: unknown = await migrateUp(db).catch((error: unknown) => error);

    expect(failure).to.have.property('code', '42P07');
    expect(await objects()).to.deep.equal(['votes']);
    await db.rows('drop table votes');
    expect(await migrateUp(db)).to.deep.equal(ALL);
  });
});
