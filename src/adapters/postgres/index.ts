export {
  DataDirectoryInUse,
  DataDirectoryUnusable,
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from './embedded-database.js';
export { DirectoryMigrations, migrateDown, migrateUp, migrationStatus } from './migrations.js';
export { PostgresAccountRepository } from './postgres-account-repository.js';
export { PostgresBulkDirectory } from './postgres-bulk-directory.js';
export { type PostgresConnection, PostgresDatabase } from './postgres-database.js';
export { PostgresDirectoryReadModel } from './postgres-directory-read-model.js';
export { PostgresHighlightRepository } from './postgres-highlight-repository.js';
export { PostgresLoginFailures } from './postgres-login-failures.js';
export { PostgresMailOutbox } from './postgres-mail-outbox.js';
export { PostgresNowPlayingRepository } from './postgres-now-playing-repository.js';
export { PostgresOrganizationRepository } from './postgres-organization-repository.js';
export { PostgresStreamChecks } from './postgres-stream-checks.js';
export { PostgresVoteRepository } from './postgres-vote-repository.js';
