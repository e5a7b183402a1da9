import { migrateUp } from '../../src/adapters/postgres/migrations.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { type TestDatabase, sharedPostgres } from '../support/postgres-server.js';
import { storageOn, empty } from '../support/postgres-storage.js';
import { storageContract } from './storage-contract.js';

describe('PostgreSQL', () => {
  let database: TestDatabase | undefined;
  let db: PostgresDatabase;

  before('needs PostgreSQL on this machine, or TEST_DATABASE_URL', async function () {
    this.timeout(60_000);
    const server = await sharedPostgres();
    if (!server) this.skip();
    database = await server.createDatabase();
  });
  after(() => database?.drop());

  storageContract({
    name: 'PostgreSQL',
    start: async () => {
      if (!database) return;
      db = new PostgresDatabase({ url: database.url });
      await migrateUp(db);
    },
    open: async () => {
      await empty(db);
      return storageOn(db);
    },
    stop: async () => {
      if (database) await db.close();
    },
  });
});
