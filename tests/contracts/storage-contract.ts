import { accountRepositoryContract } from './account-repository.contract.js';
import { bulkDirectoryContract } from './bulk-directory.contract.js';
import { directoryReadModelContract } from './directory-read-model.contract.js';
import { highlightRepositoryContract } from './highlight-repository.contract.js';
import { loginFailuresContract } from './login-failures.contract.js';
import { mailOutboxContract } from './mail-outbox.contract.js';
import { nowPlayingRepositoryContract } from './now-playing-repository.contract.js';
import { organizationRepositoryContract } from './organization-repository.contract.js';
import type { StorageUnderTest } from './storage.js';
import { streamChecksContract } from './stream-checks.contract.js';
import { upkeepContract } from './upkeep.contract.js';
import { voteRepositoryContract } from './vote-repository.contract.js';

/** Everything that a storage promises through its ports: every storage passes the same suites. */
export function storageContract(storage: StorageUnderTest): void {
  describe(`Storage: ${storage.name}`, () => {
    before(function () {
      this.timeout(60_000);
      return storage.start();
    });
    after(() => storage.stop());

    accountRepositoryContract(storage);
    loginFailuresContract(storage);
    mailOutboxContract(storage);
    voteRepositoryContract(storage);
    nowPlayingRepositoryContract(storage);
    organizationRepositoryContract(storage);
    upkeepContract(storage);
    highlightRepositoryContract(storage);
    bulkDirectoryContract(storage);
    streamChecksContract(storage);
    directoryReadModelContract(storage);
  });
}
