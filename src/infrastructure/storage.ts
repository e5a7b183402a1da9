import {
  type MigrationState,
  migrateDown,
  migrateUp,
  migrationStatus,
} from '../adapters/postgres/migrations.js';
import { type PostgresConnection, PostgresDatabase } from '../adapters/postgres/postgres-database.js';
import type { ReplicaListener } from '../adapters/postgres/replication.js';
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
  /** An embedded database that no server has filled yet. */
  readonly isNew: boolean;
  /** It is filled, or shall stay empty. */
  settle(): Promise<void>;
  readonly migrations: Migrations;
  /** Resolves if the database answers; over a connection of its own, so that it says nothing about how busy we are. */
  ping(): Promise<void>;
  /** To be called after the container has let go of its connections. */
  close(): Promise<void>;
}

/**
 * @param role `server`: serves an embedded database, and is refused while another process does; `visitor`: uses it
 *   through that process if there is one
 */
export async function openStorage(
  config: Config,
  role: 'server' | 'visitor',
  onReplicaChange: ReplicaListener = () => {},
): Promise<Storage> {
  switch (config.database.kind) {
    case 'memory':
      return {
        module: inMemoryStorage(),
        isNew: false,
        settle: () => Promise.resolve(),
        migrations: NO_MIGRATIONS,
        ping: () => Promise.resolve(),
        close: () => Promise.resolve(),
      };
    case 'postgres': {
      const { url, replicaUrl } = config.database;
      const connection = { url, isPatient: role === 'visitor' };
      const replica =
        role === 'server' && replicaUrl !== null ? { url: replicaUrl, onChange: onReplicaChange } : null;
      const { ping, close } = pingable(connection);
      return {
        module: postgresStorage(connection, replica),
        isNew: false,
        settle: () => Promise.resolve(),
        migrations: migrationsOf(connection),
        ping,
        close,
      };
    }
    case 'embedded': {
      // Who has a database elsewhere, or none, does not wait until PGlite is loaded.
      const { openEmbeddedDatabase } = await import('../adapters/postgres/embedded-database.js');
      const database = await openEmbeddedDatabase(config.dataDir, {
        role: role === 'server' ? 'owner' : 'either',
      });
      const { connection, isNew } = database;
      const { ping, close } = pingable(connection);
      return {
        module: postgresStorage(connection),
        isNew,
        settle: () => database.settle(),
        migrations: {
          ...migrationsOf(connection),
          ...(database.isOwner ? {} : { down: refuseWhileServing }),
        },
        ping,
        close: async () => {
          await close();
          await database.close();
        },
      };
    }
  }
}

/** What an operator asked for cannot be done now. Its message says why. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

function refuseWhileServing(): Promise<never> {
  throw new Refused('A server is running on this directory, and needs its schema. Stop it first.');
}

const NO_MIGRATIONS: Migrations = {
  up: () => Promise.resolve([]),
  down: () => Promise.resolve([]),
  status: () => Promise.resolve([]),
};

function pingable(connection: PostgresConnection): Pick<Storage, 'ping' | 'close'> {
  const database = new PostgresDatabase(connection);
  return {
    ping: async () => void (await database.rows('select 1')),
    close: () => database.close(),
  };
}

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
