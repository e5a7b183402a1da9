import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from '../../src/adapters/postgres/embedded-database.js';
import { migrateUp } from '../../src/adapters/postgres/migrations.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { storageOn, empty } from '../support/postgres-storage.js';
import { storageContract } from './storage-contract.js';

let folder: string;
let embedded: EmbeddedDatabase;
let db: PostgresDatabase;

storageContract({
  name: 'PGlite',
  start: async () => {
    folder = await mkdtemp(join(tmpdir(), 'radio-directory-pglite-'));
    embedded = await openEmbeddedDatabase(folder, { role: 'owner' });
    db = new PostgresDatabase(embedded.connection);
    await migrateUp(db);
  },
  open: async () => {
    await empty(db);
    return storageOn(db);
  },
  stop: async () => {
    await db.close();
    await embedded.close();
    await rm(folder, { recursive: true });
  },
});
