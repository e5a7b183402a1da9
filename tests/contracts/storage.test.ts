import { InMemoryAccountRepository } from '../../src/adapters/in-memory/in-memory-account-repository.js';
import { InMemoryBulkDirectory } from '../../src/adapters/in-memory/in-memory-bulk-directory.js';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryDirectoryReadModel } from '../../src/adapters/in-memory/in-memory-directory-read-model.js';
import { InMemoryHighlightRepository } from '../../src/adapters/in-memory/in-memory-highlight-repository.js';
import { InMemoryLoginFailures } from '../../src/adapters/in-memory/in-memory-login-failures.js';
import { InMemoryMailOutbox } from '../../src/adapters/in-memory/in-memory-mail-outbox.js';
import { InMemoryNowPlayingRepository } from '../../src/adapters/in-memory/in-memory-now-playing-repository.js';
import { InMemoryOrganizationRepository } from '../../src/adapters/in-memory/in-memory-organization-repository.js';
import { InMemoryRateLimiter } from '../../src/adapters/in-memory/in-memory-rate-limiter.js';
import { InMemoryStreamChecks } from '../../src/adapters/in-memory/in-memory-stream-checks.js';
import { InMemoryVoteRepository } from '../../src/adapters/in-memory/in-memory-vote-repository.js';
import { rateLimiterContract } from './rate-limiter.contract.js';
import { storageContract } from './storage-contract.js';

storageContract({
  name: 'memory',
  start: async () => {},
  open: async () => {
    const db = new InMemoryDatabase();
    return {
      accounts: new InMemoryAccountRepository(db),
      loginFailures: new InMemoryLoginFailures(db),
      mailOutbox: new InMemoryMailOutbox(db),
      votes: new InMemoryVoteRepository(db),
      nowPlaying: new InMemoryNowPlayingRepository(db),
      organizations: new InMemoryOrganizationRepository(db),
      highlights: new InMemoryHighlightRepository(db),
      bulk: new InMemoryBulkDirectory(db),
      streamChecks: new InMemoryStreamChecks(db),
      directory: new InMemoryDirectoryReadModel(db),
    };
  },
  stop: async () => {},
});

rateLimiterContract('memory', async (clock) => new InMemoryRateLimiter(clock));
