import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from '../../src/adapters/postgres/embedded-database.js';
import type { PostgresConnection } from '../../src/adapters/postgres/postgres-database.js';
import { type TestDatabase, sharedPostgres } from './postgres-server.js';

/** Runs a suite on an empty real PostgreSQL, where the machine has one, and on an empty PGlite. */
export function onEachPostgres(
  title: string,
  suite: (connection: () => PostgresConnection, kind: 'server' | 'embedded') => void,
): void {
  describe(`${title} on PostgreSQL`, () => {
    let database: TestDatabase | undefined;
    before('needs PostgreSQL on this machine, or TEST_DATABASE_URL', async function () {
      this.timeout(60_000);
      const server = await sharedPostgres();
      if (!server) this.skip();
      database = await server.createDatabase();
    });
    after(() => database?.drop());

    suite(() => ({ url: database?.url ?? '' }), 'server');
  });

  describe(`${title} on PGlite`, () => {
    let folder: string;
    let embedded: EmbeddedDatabase;
    before(async function () {
      this.timeout(60_000);
      folder = await mkdtemp(join(tmpdir(), 'radio-directory-pglite-'));
      embedded = await openEmbeddedDatabase(folder, { role: 'owner' });
    });
    after(async () => {
      await embedded.close();
      await rm(folder, { recursive: true });
    });

    suite(() => embedded.connection, 'embedded');
  });
}
