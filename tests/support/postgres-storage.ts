import { PostgresAccountRepository } from '../../src/adapters/postgres/postgres-account-repository.js';
import { PostgresBulkDirectory } from '../../src/adapters/postgres/postgres-bulk-directory.js';
import type { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { PostgresDirectoryReadModel } from '../../src/adapters/postgres/postgres-directory-read-model.js';
import { PostgresHighlightRepository } from '../../src/adapters/postgres/postgres-highlight-repository.js';
import { PostgresLoginFailures } from '../../src/adapters/postgres/postgres-login-failures.js';
import { PostgresMailOutbox } from '../../src/adapters/postgres/postgres-mail-outbox.js';
import { PostgresNowPlayingRepository } from '../../src/adapters/postgres/postgres-now-playing-repository.js';
import { PostgresOrganizationRepository } from '../../src/adapters/postgres/postgres-organization-repository.js';
import { PostgresStreamChecks } from '../../src/adapters/postgres/postgres-stream-checks.js';
import { PostgresVoteRepository } from '../../src/adapters/postgres/postgres-vote-repository.js';
import type { Storage } from '../contracts/storage.js';

export function storageOn(db: PostgresDatabase): Storage {
  return {
    accounts: new PostgresAccountRepository(db),
    loginFailures: new PostgresLoginFailures(db),
    mailOutbox: new PostgresMailOutbox(db),
    votes: new PostgresVoteRepository(db),
    nowPlaying: new PostgresNowPlayingRepository(db),
    organizations: new PostgresOrganizationRepository(db),
    highlights: new PostgresHighlightRepository(db),
    bulk: new PostgresBulkDirectory(db),
    streamChecks: new PostgresStreamChecks(db),
    directory: new PostgresDirectoryReadModel(db),
  };
}

/** Removes every row, and numbers the next ones from 1. (TRUNCATE takes PostgreSQL a hundred times as long.) */
export async function empty(db: PostgresDatabase): Promise<void> {
  for (const table of ['accounts', 'organizations', 'login_failures', 'highlight_computation'])
    await db.rows(`delete from ${table}`);
  const sequences = ['accounts', 'organizations', 'organization_tokens', 'streams', 'plays'];
  await db.rows(`select ${sequences.map((table) => `setval('${table}_id_seq', 1, false)`).join()}`);
}
