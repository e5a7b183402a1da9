import { DirectoryMigrations } from './src/adapters/postgres/migrations.js';
import { loadConfig } from './src/infrastructure/config.js';

const { database } = loadConfig(process.env);
if (database.kind !== 'postgres') {
  throw new Error(
    'The Knex command line works on a PostgreSQL server: set DATABASE_URL. The embedded database migrates itself.',
  );
}

/** For the Knex command line (`npx tsx node_modules/.bin/knex migrate:status`); the service itself runs `radio-directory migrate`. */
export default {
  client: 'pg',
  connection: database.url,
  migrations: { migrationSource: new DirectoryMigrations() },
};
