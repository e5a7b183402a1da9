import type { Knex } from 'knex';
import * as accounts from './migrations/001-accounts.js';
import * as directory from './migrations/002-directory.js';
import * as votes from './migrations/003-votes.js';
import * as nowPlaying from './migrations/004-now-playing.js';
import * as mailOperations from './migrations/005-mail-operations.js';
import * as highlights from './migrations/006-highlights.js';
import * as streamChanges from './migrations/007-stream-changes.js';
import * as streamAddresses from './migrations/008-stream-addresses.js';
import { type PostgresDatabase, lock } from './postgres-database.js';

/** In the order in which they run. The names stand in the database: they never change. */
const MIGRATIONS: Readonly<Record<string, Knex.Migration>> = {
  '001-accounts': accounts,
  '002-directory': directory,
  '003-votes': votes,
  '004-now-playing': nowPlaying,
  '005-mail-operations': mailOperations,
  '006-highlights': highlights,
  '007-stream-changes': streamChanges,
  '008-stream-addresses': streamAddresses,
};

/** The migrations as Knex takes them: known by name, whether they run from TypeScript or compiled. */
export class DirectoryMigrations implements Knex.MigrationSource<string> {
  async getMigrations(): Promise<string[]> {
    return Object.keys(MIGRATIONS);
  }

  getMigrationName(name: string): string {
    return name;
  }

  async getMigration(name: string): Promise<Knex.Migration> {
    const migration = MIGRATIONS[name];
    if (!migration) throw new Error(`There is no migration ${name}.`);
    return migration;
  }
}

/** A newer version than this has changed the schema: it alone can take that back. */
export class SchemaIsNewer extends Error {
  override readonly name = 'SchemaIsNewer';

  constructor(names: readonly string[]) {
    super(`A newer version has changed the schema (${names.join(', ')}): take that back with it first.`);
  }
}

/**
 * Brings the schema up to date; all or nothing, one at a time over all nodes. What a newer version has added is left alone.
 * @returns what was applied
 */
export function migrateUp(db: PostgresDatabase): Promise<readonly string[]> {
  return oneAtATime(db, (migrator, config) => migrator.latest(config));
}

/**
 * Takes the last migration back.
 * @returns its name, or nothing if there is none
 * @throws SchemaIsNewer
 */
export function migrateDown(db: PostgresDatabase): Promise<readonly string[]> {
  return oneAtATime(db, async (migrator, config) => {
    const [applied] = (await migrator.list(config)) as [readonly { readonly name: string }[], unknown];
    const newer = applied.map(({ name }) => name).filter((name) => !(name in MIGRATIONS));
    if (newer.length > 0) throw new SchemaIsNewer(newer);
    return migrator.down(config);
  });
}

export interface MigrationState {
  readonly name: string;
  readonly isApplied: boolean;
  /** False: a newer version has applied it. */
  readonly isKnown: boolean;
}

/** All migrations in their order, then those of a newer version. Changes nothing. */
export async function migrationStatus(db: PostgresDatabase): Promise<readonly MigrationState[]> {
  const [table] = await db.rows<{ exists: boolean }>(
    `select to_regclass('knex_migrations') is not null as exists`,
  );
  const applied = table?.exists
    ? await db.rows<{ name: string }>('select name from knex_migrations order by id')
    : [];
  const appliedNames = new Set(applied.map(({ name }) => name));
  const names = new Set([...Object.keys(MIGRATIONS), ...appliedNames]);
  return [...names].map((name) => ({
    name,
    isApplied: appliedNames.has(name),
    isKnown: name in MIGRATIONS,
  }));
}

/**
 * Knex creates its own tables unguarded, so the lock comes before it looks for them. One transaction around all of it
 * needs one connection only, and on PGlite, where advisory locks are shared, it is what keeps others out.
 */
function oneAtATime(
  db: PostgresDatabase,
  migrate: (migrator: Knex.Migrator, config: Knex.MigratorConfig) => PromiseLike<unknown>,
): Promise<readonly string[]> {
  return db.patiently((knex) =>
    knex.transaction(async (trx) => {
      await lock(trx, 'migrations');
      const migrated = await migrate(trx.migrate, {
        migrationSource: new DirectoryMigrations(),
        // Nodes of two versions run beside each other while one takes the place of the other.
        disableMigrationsListValidation: true,
      });
      const [, names] = migrated as [batch: number, names: readonly string[]];
      return names;
    }),
  );
}
