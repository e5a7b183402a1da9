import {
  type MigrationState,
  migrateDown,
  migrateUp,
  migrationStatus,
} from '../adapters/postgres/migrations.js';
import { type PostgresConnection, PostgresDatabase } from '../adapters/postgres/postgres-database.js';
import { openEmbeddedDatabase } from '../adapters/postgres/embedded-database.js';
import type { Config } from './config.js';
import { inMemoryStorage, postgresStorage } from './container.js';

export interface Migrations {
  /** Applies what is pending; the names of what it applied. */
  up(): Promise<readonly string[]>;
  /** Takes the newest back; its name, or none. */
  down(): Promise<readonly string[]>;
  status(): Promise<readonly MigrationState[]>;
}

/** The place where the directory is kept, open. */
export interface Storage {
  readonly module: ReturnType<typeof inMemoryStorage>;
  /** Nothing was kept here before. */
  readonly isNew: boolean;
  readonly migrations: Migrations;
  /** To be called after the container has let go of its connections. */
  close(): Promise<void>;
}

/**
 * @param role `server`: serves an embedded database, and is refused while another process does; `visitor`: uses it
 *   through that process if there is one
 */
export async function openStorage(config: Config, role: 'server' | 'visitor'): Promise<Storage> {
  switch (config.database.kind) {
    case 'memory':
      return {
        module: inMemoryStorage(),
        isNew: true,
        migrations: NO_MIGRATIONS,
        close: () => Promise.resolve(),
      };
    case 'postgres': {
      const connection = { url: config.database.url };
      const close = () => Promise.resolve();
      return {
        module: postgresStorage(connection),
        isNew: false,
        migrations: migrationsOf(connection),
        close,
      };
    }
    case 'embedded': {
      const database = await openEmbeddedDatabase(config.dataDir, {
        role: role === 'server' ? 'owner' : 'either',
      });
      const { connection, isNew } = database;
      return {
        module: postgresStorage(connection),
        isNew,
        migrations: migrationsOf(connection),
        close: () => database.close(),
      };
    }
  }
}

const NO_MIGRATIONS: Migrations = {
  up: () => Promise.resolve([]),
  down: () => Promise.resolve([]),
  status: () => Promise.resolve([]),
};

function migrationsOf(connection: PostgresConnection): Migrations {
  const using = async <T>(work: (database: PostgresDatabase) => Promise<T>): Promise<T> => {
    const database = new PostgresDatabase(connection);
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };
  return {
    up: () => using((database) => migrateUp(database)),
    down: () => using((database) => migrateDown(database)),
    status: () => using((database) => migrationStatus(database)),
  };
}
