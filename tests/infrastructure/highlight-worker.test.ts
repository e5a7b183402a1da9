import { expect } from 'chai';
import { InMemoryAccountRepository } from '../../src/adapters/in-memory/in-memory-account-repository.js';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryDirectoryReadModel } from '../../src/adapters/in-memory/in-memory-directory-read-model.js';
import { InMemoryHighlightRepository } from '../../src/adapters/in-memory/in-memory-highlight-repository.js';
import { InMemoryOrganizationRepository } from '../../src/adapters/in-memory/in-memory-organization-repository.js';
import { InMemoryVoteRepository } from '../../src/adapters/in-memory/in-memory-vote-repository.js';
import { RecomputeHighlights } from '../../src/application/highlights.js';
import type { HighlightRepository } from '../../src/application/ports/highlight-repository.js';
import { HOUR, type Instant, MINUTE } from '../../src/domain/ids.js';
import { castVote } from '../../src/domain/vote.js';
import { HighlightWorker } from '../../src/infrastructure/highlight-worker.js';
import { anActivatedUser, anAddedOrganization, anAddedStream, must } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';

const NEW_YEAR = Date.UTC(2026, 0) as Instant;

/** A node of a cluster whose worker sleeps until it is woken. */
function aNode(highlights: HighlightRepository, clock: ManualClock) {
  const log: string[] = [];
  let wake: (() => void) | null = null;
  let fellAsleep: (milliseconds: number) => void = () => {};
  const note = (level: string) => (_: object, text: string) => void log.push(`${level}: ${text}`);
  const worker = new HighlightWorker(
    new RecomputeHighlights(highlights, clock),
    clock,
    { info: note('info'), warn: note('warn') } as ConstructorParameters<typeof HighlightWorker>[2],
    (milliseconds, signal) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        signal.addEventListener('abort', () => resolve());
        fellAsleep(milliseconds);
      }),
  );
  const asleep = () => new Promise<number>((resolve) => (fellAsleep = resolve));
  return {
    log,
    /** Each resolves to the milliseconds that the worker wants to sleep once it has looked. */
    start: () => {
      const slept = asleep();
      worker.start();
      return slept;
    },
    wake: () => {
      const slept = asleep();
      wake?.();
      return slept;
    },
    stop: () => worker.stop(),
  };
}

describe('The highlight worker', () => {
  const COMPUTED = 'info: highlights computed';
  let clock: ManualClock;
  let db: InMemoryDatabase;
  let highlights: InMemoryHighlightRepository;
  const nodes: ReturnType<typeof aNode>[] = [];
  const node = (repository: HighlightRepository = highlights) => {
    const added = aNode(repository, clock);
    nodes.push(added);
    return added;
  };
  beforeEach(() => {
    clock = new ManualClock();
    db = new InMemoryDatabase();
    highlights = new InMemoryHighlightRepository(db);
  });
  afterEach(async () => {
    for (const one of nodes.splice(0)) await one.stop();
  });

  it('computes at the start, and then once an hour', async () => {
    const one = node();
    expect(await one.start()).to.equal(MINUTE);
    expect(one.log).to.deep.equal([COMPUTED]);
    for (let minute = 1; minute <= 120; minute += 1) {
      clock.advance(MINUTE);
      await one.wake();
      expect(one.log, `after ${minute} minutes`).to.have.length(1 + Math.floor(minute / 60));
    }
  });

  it('computes once in the whole cluster, whoever looks first; another takes over from one that died', async () => {
    const [one, other] = [node(), node()];
    await Promise.all([one.start(), other.start()]);
    const computed = () => [...one.log, ...other.log].filter((line) => line === COMPUTED).length;
    expect(computed()).to.equal(1);
    clock.advance(HOUR);
    await Promise.all([one.wake(), other.wake()]);
    expect(computed()).to.equal(2);
    await one.stop();
    clock.advance(HOUR);
    await other.wake();
    expect(computed()).to.equal(3);
  });

  it('wakes at a month’s turn and shows the stream of the month that is over', async () => {
    clock.set((NEW_YEAR - 20_000) as Instant);
    const organizations = new InMemoryOrganizationRepository(db);
    const { id } = await anAddedStream(organizations, await anAddedOrganization(organizations));
    const voter = await anActivatedUser(new InMemoryAccountRepository(db));
    const votes = new InMemoryVoteRepository(db);
    must(await votes.update(voter, id, clock.now(), (current) => castVote(current, 'up')));
    const listed = async () => (await new InMemoryDirectoryReadModel(db).streams())[0]?.highlights;
    const one = node();
    expect(await one.start()).to.equal(20_000);
    expect(await listed()).to.not.include('stream-of-the-month');
    clock.advance(20_000);
    expect(await one.wake()).to.equal(MINUTE);
    expect(await listed()).to.include('stream-of-the-month');
  });

  it('says in the log that the storage failed, and tries again', async () => {
    let isDown = true;
    const one = node({
      pin: (...pin) => highlights.pin(...pin),
      unpin: (...pin) => highlights.unpin(...pin),
      recompute: (...question) =>
        isDown ? Promise.reject(new Error('connection refused')) : highlights.recompute(...question),
    });
    await one.start();
    expect(one.log).to.deep.equal(['warn: the highlights could not be computed; trying again in a minute']);
    isDown = false;
    await one.wake();
    expect(one.log.at(-1)).to.equal(COMPUTED);
  });
});
