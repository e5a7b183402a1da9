import type { AccountRepository, LoginFailures } from '../../src/application/ports/account-repository.js';
import type { BulkDirectory } from '../../src/application/ports/bulk-directory.js';
import type { DirectoryReadModel } from '../../src/application/ports/directory-read-model.js';
import type { HighlightRepository } from '../../src/application/ports/highlight-repository.js';
import type { MailOutbox } from '../../src/application/ports/mail-outbox.js';
import type { NowPlayingRepository } from '../../src/application/ports/now-playing-repository.js';
import type { OrganizationRepository } from '../../src/application/ports/organization-repository.js';
import type { StreamChecks } from '../../src/application/ports/stream-checks.js';
import type { VoteRepository } from '../../src/application/ports/vote-repository.js';

/** Every storage port, over one and the same store. */
export interface Storage {
  readonly accounts: AccountRepository;
  readonly loginFailures: LoginFailures;
  readonly mailOutbox: MailOutbox;
  readonly votes: VoteRepository;
  readonly nowPlaying: NowPlayingRepository;
  readonly organizations: OrganizationRepository;
  readonly highlights: HighlightRepository;
  readonly bulk: BulkDirectory;
  readonly streamChecks: StreamChecks;
  readonly directory: DirectoryReadModel;
}

/** A kind of storage that the contract suites run on. */
export interface StorageUnderTest {
  readonly name: string;
  /** Once before all tests. */
  start(): Promise<void>;
  /** Before each test: the ports over an empty store. */
  open(): Promise<Storage>;
  stop(): Promise<void>;
}
