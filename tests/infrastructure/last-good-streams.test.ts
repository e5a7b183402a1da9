import { expect } from 'chai';
import pino from 'pino';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryDirectoryReadModel } from '../../src/adapters/in-memory/in-memory-directory-read-model.js';
import { InMemoryOrganizationRepository } from '../../src/adapters/in-memory/in-memory-organization-repository.js';
import { Unavailable } from '../../src/application/errors.js';
import type { ListedStream } from '../../src/application/ports/directory-read-model.js';
import { LastGoodStreams } from '../../src/infrastructure/last-good-streams.js';
import { anAddedOrganization, anAddedStream } from '../support/builders.js';

const LOST = new Unavailable('PostgreSQL', new Error('Connection terminated unexpectedly'));

/** A directory with one stream, whose storage can be taken away. */
async function aDirectory() {
  const db = new InMemoryDatabase();
  const organizations = new InMemoryOrganizationRepository(db);
  const organization = await anAddedOrganization(organizations);
  await anAddedStream(organizations, organization);
  const storage = { failure: null as Error | null, isSilent: false, questions: 0 };
  class Interrupted extends InMemoryDirectoryReadModel {
    override async streams(): Promise<readonly ListedStream[]> {
      storage.questions += 1;
      if (storage.isSilent) return new Promise(() => {});
      if (storage.failure) throw storage.failure;
      return super.streams();
    }
  }
  const lines: { level: number }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as { level: number }) });
  const directory = new LastGoodStreams(new Interrupted(db), log);
  return { directory, storage, lines, addStream: () => anAddedStream(organizations, organization) };
}

describe('The last good stream list', () => {
  it('is what the storage says as long as it answers', async () => {
    const { directory, addStream, lines } = await aDirectory();
    expect(await directory.streams()).to.have.length(1);
    await addStream();
    expect(await directory.streams()).to.have.length(2);
    expect(lines).to.deep.equal([]);
  });

  it('outlives the storage, with one warning, and is current again when it is back', async () => {
    const { directory, storage, addStream, lines } = await aDirectory();
    const good = await directory.streams();
    storage.failure = LOST;
    for (let asked = 0; asked < 100; asked += 1) expect(await directory.streams()).to.equal(good);
    expect(lines.map(({ level }) => level)).to.deep.equal([40]);
    expect(directory).to.include({ isStale: true, staleAnswers: 100 });
    expect(storage.questions).to.be.below(10);

    storage.failure = null;
    await addStream();
    let list = await directory.streams();
    while (list === good) {
      await new Promise((tick) => setTimeout(tick, 10));
      list = await directory.streams();
    }
    expect(list).to.have.length(2);
    expect(directory.isStale).to.equal(false);
    expect(lines.map(({ level }) => level)).to.deep.equal([40, 30]);
  });

  it('does not wait for a storage that says nothing', async () => {
    const { directory, storage } = await aDirectory();
    const good = await directory.streams();
    storage.isSilent = true;
    for (let asked = 0; asked < 5; asked += 1) expect(await directory.streams()).to.equal(good);
  });

  it('is none where nothing was ever read, and hides no bug', async () => {
    const { directory, storage } = await aDirectory();
    const failure = () => directory.streams().catch((error: unknown) => error);
    storage.failure = LOST;
    expect(await failure()).to.equal(LOST);
    storage.failure = null;
    await directory.streams();
    const bug = new TypeError('undefined is not a function');
    storage.failure = bug;
    expect(await failure()).to.equal(bug);
  });
});
