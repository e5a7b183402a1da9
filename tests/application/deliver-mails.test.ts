import { expect } from 'chai';
import { InMemoryAccountRepository } from '../../src/adapters/in-memory/in-memory-account-repository.js';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryMailOutbox } from '../../src/adapters/in-memory/in-memory-mail-outbox.js';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import { ActivateAccount } from '../../src/application/accounts.js';
import { MailNotTaken, Unavailable } from '../../src/application/errors.js';
import { DeliverMails } from '../../src/application/mail-delivery.js';
import type { Mail } from '../../src/application/ports/mailer.js';
import { DAY, MINUTE, SECOND, type UserId } from '../../src/domain/ids.js';
import { aNewAccount, must } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';

describe('DeliverMails', () => {
  let clock: ManualClock;
  let accounts: InMemoryAccountRepository;
  let outbox: InMemoryMailOutbox;
  let deliver: DeliverMails;
  let activate: ActivateAccount;
  /** What the mail server does with the next mails; delivers when there is nothing left to do. */
  let answers: ((mail: Mail, abort?: AbortSignal) => Promise<void> | void)[];
  let delivered: Mail[];

  beforeEach(() => {
    const db = new InMemoryDatabase();
    const secrets = new RandomSecrets();
    clock = new ManualClock();
    accounts = new InMemoryAccountRepository(db);
    outbox = new InMemoryMailOutbox(db);
    answers = [];
    delivered = [];
    const mailer = {
      send: async (mail: Mail, abort?: AbortSignal) => {
        await answers.shift()?.(mail, abort);
        delivered.push(mail);
      },
    };
    deliver = new DeliverMails(outbox, accounts, mailer, secrets, clock);
    activate = new ActivateAccount(accounts, secrets, clock);
  });

  const register = async (): Promise<UserId> => must(await accounts.register(aNewAccount()));
  const outcomes = async (abort?: AbortSignal) =>
    (await deliver.execute(abort)).map(({ outcome }) => outcome);
  const refuse = (isFinal: boolean) => () => {
    throw new MailNotTaken(isFinal, new Error('no'));
  };
  const tokensOf = async (id: UserId) => (await accounts.find({ id }))?.tokens ?? [];

  it('pauses 1 s after the first failure, twice as long after each next, and never more than 5 min', async () => {
    await register();
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      answers.push(refuse(false));
      expect(await outcomes()).to.deep.equal(['postponed']);
      const failedAt = clock.now();
      do clock.advance(SECOND);
      while ((await outbox.claim(clock.now(), 0, 1)).length === 0);
      const [mail] = await outbox.list();
      await outbox.release(mail?.id ?? '', clock.now());
      pauses.push((clock.now() - failedAt) / SECOND);
    }
    expect(pauses).to.deep.equal([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  it('keeps a mail that is refused for good, for an operator, at once', async () => {
    await register();
    answers.push(refuse(true));
    expect(await outcomes()).to.deep.equal(['refused']);
    clock.advance(30 * DAY);
    expect(await outcomes()).to.deep.equal([]);
    expect(await outbox.list()).to.have.length(1);
    expect((await outbox.list())[0]).to.include({ state: 'given-up', lastProblem: 'no' });
  });

  it('gives a mail up after three days, and three days after every retry', async () => {
    await register();
    for (let round = 0; round < 2; round += 1) {
      answers.push(refuse(false), refuse(false));
      clock.advance(SECOND);
      expect(await outcomes()).to.deep.equal(['postponed']);
      clock.advance(3 * DAY);
      expect(await outcomes()).to.deep.equal(['given-up']);
      expect((await outbox.list())[0]).to.include({ state: 'given-up' });
      await outbox.retry('given-up', clock.now());
    }
    expect(await outcomes()).to.deep.equal(['sent']);
    expect(await outbox.list()).to.deep.equal([]);
  });

  it('leaves no token behind that nobody was sent', async () => {
    const user = await register();
    for (let attempt = 0; attempt < 20; attempt += 1) {
      answers.push(refuse(false));
      await deliver.execute();
      expect(await tokensOf(user)).to.deep.equal([]);
      clock.advance(5 * MINUTE);
    }
  });

  it('keeps the token of a mail that may have left, however often the server refuses afterwards', async () => {
    await register();
    answers.push((mail) => {
      delivered.push(mail);
      throw new Error('the connection broke after the mail');
    });
    await deliver.execute();
    for (let attempt = 0; attempt < 20; attempt += 1) {
      clock.advance(5 * MINUTE);
      answers.push(refuse(false));
      await deliver.execute();
    }
    expect(delivered).to.have.length(1);
    expect(await activate.execute(delivered[0]?.token ?? '')).to.have.property('ok', true);
  });

  it('gives what it was told to abandon back, as if it had not been tried', async () => {
    const user = await register();
    const abort = new AbortController();
    answers.push(() => {
      abort.abort();
      throw new MailNotTaken(false, abort.signal.reason);
    });
    expect(await outcomes(abort.signal)).to.deep.equal(['released']);
    expect(await tokensOf(user)).to.deep.equal([]);
    expect(await outcomes(abort.signal)).to.deep.equal(['released']);
    expect((await outbox.list())[0]).to.include({ attempts: 0, state: 'waiting' });
    expect(await outcomes()).to.deep.equal(['sent']);
  });

  it('does not send a mail again when the storage failed to take note that it was sent', async () => {
    await register();
    const remove = outbox.remove.bind(outbox);
    const outage = new Unavailable('The storage', new Error('gone'));
    outbox.remove = () => Promise.reject(outage);
    expect(await outcomes()).to.deep.equal(['interrupted']);
    clock.advance(MINUTE);
    expect(await deliver.execute().catch((error: unknown) => error)).to.equal(outage);
    outbox.remove = remove;
    expect(await outcomes()).to.deep.equal([]);
    expect(delivered).to.have.length(1);
    expect(await outbox.list()).to.deep.equal([]);
  });

  it('sends the others when one fails', async () => {
    for (let user = 0; user < 5; user += 1) await register();
    answers.push(refuse(true), () => undefined, refuse(false));
    expect(await outcomes()).to.deep.equal(['refused', 'sent', 'postponed', 'sent', 'sent']);
  });
});
