import { expect } from 'chai';
import { migrateUp } from '../../src/adapters/postgres/migrations.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { isAbandoned, resetPassword } from '../../src/domain/account.js';
import { DAY, later } from '../../src/domain/ids.js';
import { applyReport } from '../../src/domain/now-playing.js';
import { ok } from '../../src/domain/result.js';
import { castVote } from '../../src/domain/vote.js';
import type { Storage } from '../contracts/storage.js';
import {
  aNewAccount,
  aPasswordHash,
  aPlayId,
  aSongReport,
  anActivatedUser,
  anAddedOrganization,
  anAddedStream,
  issuedToken,
  must,
} from '../support/builders.js';
import { onEachPostgres } from '../support/each-postgres.js';
import { START } from '../support/manual-clock.js';
import { empty, storageOn } from '../support/postgres-storage.js';

/** Two pools, as two processes have them, on one database. */
onEachPostgres('Two processes', (connection) => {
  let databases: readonly PostgresDatabase[];
  let one: Storage;
  let other: Storage;
  before(async () => {
    databases = [new PostgresDatabase(connection()), new PostgresDatabase(connection())];
    [one, other] = databases.map(storageOn) as [Storage, Storage];
    await migrateUp(databases[0] as PostgresDatabase);
  });
  after(() => Promise.all(databases.map((db) => db.close())));
  beforeEach(() => empty(databases[0] as PostgresDatabase));

  /** Alternately by either process, all at once. */
  const atOnce = <T>(count: number, attempt: (storage: Storage, index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => attempt(index % 2 ? other : one, index)));
  const aStream = async () => anAddedStream(one.organizations, await anAddedOrganization(one.organizations));

  it('move one vote in turn, also its very first time', async () => {
    const session = await anActivatedUser(one.accounts);
    const stream = await aStream();

    const moves = await atOnce(41, ({ votes }) =>
      votes.update(session, stream.id, START, (current) => castVote(current, 'up')),
    );

    expect(moves.filter((move) => must(move).outcome === 'saved')).to.have.length(21);
    expect(moves.filter((move) => must(move).outcome === 'removed')).to.have.length(20);
    const { tally, vote } = must(await other.votes.view(stream.id, session));
    expect(tally).to.deep.equal({ upvotes: 1, downvotes: 0 });
    expect(vote).to.equal('up');
  });

  it('lose no vote of many users for few streams while voters are removed', async () => {
    const sessions = await atOnce(12, ({ accounts }) => anActivatedUser(accounts));
    const streams = await atOnce(3, aStream);

    await atOnce(240, async ({ votes, accounts }, index) => {
      const session = sessions[index % sessions.length];
      const stream = streams[index % streams.length];
      if (!session || !stream) throw new Error('There is neither.');
      if (index >= 200 && index % 40 < 4)
        await accounts.update({ id: session.user }, () => ok({ account: null, mails: [], at: START }));
      await votes.update(session, stream.id, START, (current) =>
        castVote(current, index % 5 ? 'up' : 'down'),
      );
    });

    const differences = await databases[0]?.rows(`
      select t.* from vote_tallies t where (t.upvotes, t.downvotes) <> (
        select count(*) filter (where v.direction = 'up'), count(*) filter (where v.direction = 'down')
        from votes v where v.stream_id = t.stream_id)`);
    expect(differences).to.deep.equal([]);
  });

  it('register one email once, and an abandoned one once more', async () => {
    const again = (at = START) => aNewAccount({ email: 'anna@radio.example', registeredAt: at });
    const first = await atOnce(20, ({ accounts }) => accounts.register(again()));
    const second = await atOnce(20, ({ accounts }) => accounts.register(again(later(START, 2 * DAY))));

    expect(first.filter(({ ok: succeeded }) => succeeded)).to.have.length(1);
    expect(second.filter(({ ok: succeeded }) => succeeded)).to.have.length(1);
    const account = await one.accounts.find({ email: again().email });
    expect(account && isAbandoned(account, later(START, 2 * DAY))).to.equal(false);
    expect(await one.mailOutbox.claim(later(START, 2 * DAY), 1, 100)).to.have.length(1);
  });

  it('let a token be used once, whoever uses it', async () => {
    const { user } = await anActivatedUser(one.accounts);
    const token = await issuedToken(one.accounts, user, 'reset');

    const resets = await atOnce(20, ({ accounts }) =>
      accounts.update({ token, purpose: 'reset' }, (account) =>
        resetPassword(account, token, aPasswordHash(), START),
      ),
    );

    expect(resets.filter(({ ok: succeeded }) => succeeded)).to.have.length(1);
    expect((await one.accounts.find({ id: user }))?.credentialVersion).to.equal(2);
  });

  it('lose no token that is issued meanwhile', async () => {
    const { user } = await anActivatedUser(one.accounts);
    const hashes = await atOnce(4, ({ accounts }) => issuedToken(accounts, user, 'reset'));

    const account = await one.accounts.find({ id: user });
    expect(account?.tokens.map(({ hash }) => hash)).to.have.members(hashes);
  });

  it('apply reports for one stream in turn: each play enters the history once', async () => {
    const organization = await anAddedOrganization(one.organizations);
    const stream = await anAddedStream(one.organizations, organization);
    const report = (index: number) =>
      aSongReport({ title: `Song ${index % 10}`, startedAt: later(START, (index % 10) * 60_000) });

    const applied = await atOnce(60, ({ nowPlaying }, index) =>
      nowPlaying.update(stream.uuid, organization, (before) =>
        applyReport(before, report(index), later(START, DAY), aPlayId),
      ),
    );

    const plays = applied.filter((result) => must(result).applied.outcome === 'new-play').length;
    const history = await one.directory.history(stream.id);
    expect(history?.nowPlaying.current?.title).to.equal('Song 9');
    expect(history?.nowPlaying.past).to.have.length(plays - 1);
    const titles = history?.nowPlaying.past.map(({ title }) => title) ?? [];
    expect(new Set(titles).size).to.equal(titles.length);
  });

  it('count login failures exactly up to the limit', async () => {
    const { email } = aNewAccount();

    const counted = await atOnce(70, ({ loginFailures }) => loginFailures.count(email, START));

    expect(counted.filter((blockedUntil) => blockedUntil === null)).to.have.length(50);
  });

  it('never claim the same mail', async () => {
    await atOnce(30, ({ accounts }) => accounts.register(aNewAccount()));

    const claims = await atOnce(8, ({ mailOutbox }) => mailOutbox.claim(START, 60_000, 7));

    const ids = claims.flat().map(({ id }) => id);
    expect(ids).to.have.length(30);
    expect(new Set(ids).size).to.equal(30);
  });

  it('do exclusive work one after the other, and go on when one of them fails', async () => {
    let working = 0;
    let mostAtOnce = 0;
    const work = async (storage: Storage, index: number) => {
      working += 1;
      mostAtOnce = Math.max(mostAtOnce, working);
      await storage.organizations.list();
      working -= 1;
      if (index === 1) throw new Error('This one failed.');
      return index;
    };

    const outcomes = await atOnce(5, (storage, index) =>
      storage.organizations.exclusively(() => work(storage, index)).catch(String),
    );

    expect(outcomes).to.have.members([0, 'Error: This one failed.', 2, 3, 4]);
    expect(mostAtOnce).to.equal(1);
  });

  it('see nothing of each other’s transactions before they are committed', async () => {
    const [left, right] = databases as [PostgresDatabase, PostgresDatabase];
    await left.rows('create table numbers (n integer)');
    await left.rows('insert into numbers values (0)');

    await atOnce(30, (storage) =>
      (storage === one ? left : right).transaction(async (statements) => {
        const [row] = await statements.rows<{ n: number }>('select n from numbers for update');
        await statements.rows('update numbers set n = $1', [(row?.n ?? 0) + 1]);
      }),
    );
    const undone = await left
      .transaction(async (statements) => {
        await statements.rows('update numbers set n = -1');
        throw new Error('undo');
      })
      .catch(String);

    expect(undone).to.equal('Error: undo');
    expect(await right.rows('select n from numbers')).to.deep.equal([{ n: 30 }]);
    await left.rows('drop table numbers');
  });

  it('get their own answers, however large the questions are', async () => {
    const [left, right] = databases as [PostgresDatabase, PostgresDatabase];
    const answers = await atOnce(60, (storage, index) => {
      const db = storage === one ? left : right;
      const text = 'x'.repeat(index % 3 === 0 ? 300_000 : 1);
      const statement =
        index % 3 === 1 ? 'select $1::integer * 2 as n, $2::text' : 'select $1::integer as n, length($2)';
      return db.rows<{ n: number }>(statement, [index, text]);
    });

    expect(answers.map(([row]) => row?.n)).to.deep.equal(
      answers.map((_, index) => (index % 3 === 1 ? index * 2 : index)),
    );
  });
});
