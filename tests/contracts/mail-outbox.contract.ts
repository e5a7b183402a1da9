import { expect } from 'chai';
import type { OwedMail } from '../../src/application/ports/mail-outbox.js';
import { requestPasswordReset } from '../../src/domain/account.js';
import { DAY, MINUTE, SECOND, type UserId, later } from '../../src/domain/ids.js';
import { ok } from '../../src/domain/result.js';
import { aNewAccount, must } from '../support/builders.js';
import { START } from '../support/manual-clock.js';
import type { Storage, StorageUnderTest } from './storage.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** What every `MailOutbox` promises. The storage was started. */
export function mailOutboxContract(storage: StorageUnderTest): void {
  describe('MailOutbox', () => {
    it('hands out nothing where nothing is owed', async () => {
      const { mailOutbox } = await storage.open();
      expect(await mailOutbox.claim(START, MINUTE, 10)).to.deep.equal([]);
    });

    it('hands out due mails, those owed longest first, up to the limit', async () => {
      const store = await storage.open();
      const users = await registered(store, [5, 1, 4, 2, 3]);
      const now = later(START, 10 * SECOND);
      const first = await store.mailOutbox.claim(now, MINUTE, 3);
      const then = await store.mailOutbox.claim(now, MINUTE, 3);
      expect(first.map((mail) => mail.user)).to.deep.equal([users[1], users[3], users[4]]);
      expect(then.map((mail) => mail.user)).to.deep.equal([users[2], users[0]]);
      expect(await store.mailOutbox.claim(now, MINUTE, 3)).to.deep.equal([]);
    });

    it('hands out no mail before it is owed', async () => {
      const store = await storage.open();
      await registered(store, [1]);
      expect(await store.mailOutbox.claim(later(START, SECOND - 1), MINUTE, 10)).to.be.empty;
      expect(await store.mailOutbox.claim(later(START, SECOND), MINUTE, 10)).to.have.length(1);
    });

    it('gives every mail an id of its own, a UUID that stays over all attempts', async () => {
      const store = await storage.open();
      await registered(store, [0, 1, 2]);
      const ids = async (minutes: number) =>
        (await store.mailOutbox.claim(later(START, minutes * MINUTE), MINUTE, 10)).map((mail) => mail.id);
      const first = await ids(1);
      for (const id of first) expect(id).to.match(UUID);
      expect(new Set(first)).to.have.property('size', 3);
      expect(await ids(2)).to.deep.equal(first);
    });

    it('hands a claimed mail out again when the lease is over, not a millisecond before', async () => {
      const store = await storage.open();
      await registered(store, [0]);
      const mail = await claimedOne(store, START);
      expect(await store.mailOutbox.claim(later(START, MINUTE - 1), MINUTE, 10)).to.be.empty;
      const again = await claimedOne(store, later(START, MINUTE));
      expect(again).to.deep.equal({ ...mail, attempts: 1 });
    });

    it('counts every claim as an attempt, whatever became of it', async () => {
      const store = await storage.open();
      await registered(store, [0]);
      for (let attempts = 0; attempts < 5; attempts += 1) {
        const now = later(START, attempts * 10 * MINUTE);
        const mail = await claimedOne(store, now);
        expect(mail.attempts).to.equal(attempts);
        if (attempts % 2 === 0) await store.mailOutbox.postpone(mail.id, later(now, SECOND), 'greylisted');
      }
    });

    it('has a postponed mail due at that instant, be it sooner or later than the lease', async () => {
      const store = await storage.open();
      await registered(store, [0]);
      const mail = await claimedOne(store, START);
      await store.mailOutbox.postpone(mail.id, later(START, SECOND), '451 try again\u0000 — später, 🙂');
      expect(await store.mailOutbox.claim(later(START, SECOND - 1), MINUTE, 10)).to.be.empty;
      await claimedOne(store, later(START, SECOND));
      await store.mailOutbox.postpone(mail.id, later(START, DAY), 'x'.repeat(10_000));
      expect(await store.mailOutbox.claim(later(START, DAY - 1), MINUTE, 10)).to.be.empty;
      const again = await claimedOne(store, later(START, DAY));
      expect(again).to.deep.equal({ ...mail, attempts: 2 });
    });

    it('never hands out a removed mail again', async () => {
      const store = await storage.open();
      await registered(store, [0, 1]);
      const [gone, kept] = await store.mailOutbox.claim(later(START, SECOND), MINUTE, 10);
      await store.mailOutbox.remove(gone?.id ?? expect.fail('Two mails are due.'));
      const left = await store.mailOutbox.claim(later(START, DAY), MINUTE, 10);
      expect(left.map((mail) => mail.id)).to.deep.equal([kept?.id]);
    });

    it('ignores ids that it does not know', async () => {
      const store = await storage.open();
      await registered(store, [0]);
      await store.mailOutbox.remove(UNKNOWN_ID);
      await store.mailOutbox.postpone(UNKNOWN_ID, later(START, DAY), 'unknown');
      await store.mailOutbox.release(UNKNOWN_ID, START);
      await store.mailOutbox.giveUp(UNKNOWN_ID, START, 'unknown');
      expect(await claimedOne(store, START)).to.include({ attempts: 0 });
    });

    it('keeps the mails of one account apart', async () => {
      const store = await storage.open();
      const [user] = await registered(store, [0]);
      if (user === undefined) expect.fail('One account was registered.');
      const asked = later(START, SECOND);
      must(await store.accounts.update({ id: user }, (account) => ok(requestPasswordReset(account, asked))));
      const mails = await store.mailOutbox.claim(asked, MINUTE, 10);
      expect(mails.map(({ user: owner, kind }) => [owner, kind])).to.deep.equal([
        [user, 'activation'],
        [user, 'reset'],
      ]);
    });

    it('has a released mail due at once, and its claim count as no attempt', async () => {
      const store = await storage.open();
      await registered(store, [0]);
      const mail = await claimedOne(store, START);
      await store.mailOutbox.release(mail.id, later(START, SECOND));
      expect(await store.mailOutbox.claim(later(START, SECOND - 1), MINUTE, 10)).to.be.empty;
      expect(await claimedOne(store, later(START, SECOND))).to.deep.equal(mail);
      // A second release by a holder that is not one any more takes nothing off.
      await store.mailOutbox.postpone(mail.id, later(START, MINUTE), 'busy');
      await store.mailOutbox.release(mail.id, later(START, MINUTE));
      expect(await claimedOne(store, later(START, MINUTE))).to.include({ attempts: 1 });
    });

    it('keeps a mail that was given up, with the reason, and hands it out only when it is retried', async () => {
      const store = await storage.open();
      await registered(store, [0]);
      const mail = await claimedOne(store, START);
      await store.mailOutbox.giveUp(mail.id, later(START, SECOND), '550 no such user — niemand');
      expect(await store.mailOutbox.claim(later(START, 30 * DAY), MINUTE, 10)).to.be.empty;
      expect(await store.mailOutbox.list()).to.have.length(1);
      expect((await store.mailOutbox.list())[0]).to.include({
        id: mail.id,
        state: 'given-up',
        lastProblem: '550 no such user — niemand',
      });
      const again = later(START, 31 * DAY);
      expect(await store.mailOutbox.retry({ id: mail.id }, again)).to.equal(1);
      expect((await store.mailOutbox.list())[0]).to.include({ state: 'waiting', attempts: 0 });
      expect(await store.mailOutbox.claim(later(again, -1), MINUTE, 10)).to.be.empty;
      expect(await claimedOne(store, again)).to.deep.equal({ ...mail, triedSince: again, attempts: 0 });
    });

    it('retries all that were given up, one that waits, and nobody knows what', async () => {
      const store = await storage.open();
      await registered(store, [0, 1, 2]);
      const mails = await store.mailOutbox.claim(later(START, SECOND), MINUTE, 2);
      const [first, second] = mails.map(({ id }) => id);
      if (first === undefined || second === undefined) expect.fail('Two mails are due.');
      for (const id of [first, second]) await store.mailOutbox.giveUp(id, START, 'refused');
      const now = later(START, MINUTE);
      expect(await store.mailOutbox.retry('given-up', now)).to.equal(2);
      expect(await store.mailOutbox.retry('given-up', now)).to.equal(0);
      for (const unknown of [UNKNOWN_ID, 'all', ''])
        expect(await store.mailOutbox.retry({ id: unknown }, now)).to.equal(0);
      for (const { id } of await store.mailOutbox.claim(now, MINUTE, 10))
        await store.mailOutbox.postpone(id, later(START, DAY), 'busy');
      expect(await store.mailOutbox.retry({ id: second }, now)).to.equal(1);
      expect(await claimedOne(store, now)).to.include({ id: second });
    });

    it('does not take a mail from the worker that holds it by a retry', async () => {
      const store = await storage.open();
      await registered(store, [0]);
      const mail = await claimedOne(store, START);
      expect(await store.mailOutbox.retry({ id: mail.id }, later(START, SECOND))).to.equal(1);
      expect(await store.mailOutbox.claim(later(START, MINUTE - 1), MINUTE, 10)).to.be.empty;
      expect(await claimedOne(store, later(START, MINUTE))).to.include({ id: mail.id });
    });

    it('lists every mail with its address, those owed longest first', async () => {
      const store = await storage.open();
      expect(await store.mailOutbox.list()).to.deep.equal([]);
      const users = await registered(store, [2, 1]);
      const owed = await Promise.all(users.map((id) => store.accounts.find({ id })));
      const [late, early] = owed.map((account) => account?.email);
      const claimed = await claimedOne(store, later(START, SECOND));
      await store.mailOutbox.postpone(claimed.id, later(START, MINUTE), '451 busy');
      const [first, second, ...more] = await store.mailOutbox.list();
      expect(more).to.be.empty;
      expect(first).to.deep.equal({
        id: claimed.id,
        kind: 'activation',
        email: early,
        owedSince: later(START, SECOND),
        attempts: 1,
        state: 'waiting',
        lastProblem: '451 busy',
      });
      expect(second).to.deep.include({ email: late, attempts: 0, state: 'waiting', lastProblem: null });
    });

    it('counts each mail once: as due, as waiting or as given up', async () => {
      const store = await storage.open();
      const none = { due: 0, waiting: 0, givenUp: 0, oldestOwedSince: null };
      expect(await store.mailOutbox.counts(START)).to.deep.equal(none);
      await registered(store, [0, 1, 2, 3]);
      expect(await store.mailOutbox.counts(later(START, SECOND))).to.deep.equal({
        ...{ due: 2, waiting: 2, givenUp: 0 },
        oldestOwedSince: START,
      });
      const [first, second] = await store.mailOutbox.claim(later(START, SECOND), MINUTE, 2);
      if (!first || !second) expect.fail('Two mails are due.');
      await store.mailOutbox.giveUp(first.id, later(START, SECOND), 'refused');
      expect(await store.mailOutbox.counts(later(START, 2 * SECOND))).to.deep.equal({
        ...{ due: 1, waiting: 2, givenUp: 1 },
        oldestOwedSince: later(START, SECOND),
      });
      // The lease of the second ends.
      expect(await store.mailOutbox.counts(later(START, SECOND + MINUTE))).to.include({ due: 3, waiting: 0 });
      await store.mailOutbox.remove(second.id);
      expect(await store.mailOutbox.counts(later(START, MINUTE))).to.deep.equal({
        ...{ due: 2, waiting: 0, givenUp: 1 },
        oldestOwedSince: later(START, 2 * SECOND),
      });
    });

    it('loses the mails of an account that is removed, also claimed ones', async () => {
      const store = await storage.open();
      const [gone, kept] = await registered(store, [0, 1]);
      const mails = await store.mailOutbox.claim(later(START, SECOND), MINUTE, 10);
      if (gone === undefined) expect.fail('Two accounts were registered.');
      must(await store.accounts.update({ id: gone }, () => ok({ account: null, mails: [], at: START })));
      for (const { id } of mails) await store.mailOutbox.postpone(id, later(START, MINUTE), 'later');
      const left = await store.mailOutbox.claim(later(START, DAY), MINUTE, 10);
      expect(left.map((mail) => mail.user)).to.deep.equal([kept]);
    });

    it('hands each mail to exactly one of many concurrent workers', async () => {
      const store = await storage.open();
      await registered(
        store,
        Array.from({ length: 40 }, () => 0),
      );
      const claims = await Promise.all(
        Array.from({ length: 20 }, () => store.mailOutbox.claim(START, MINUTE, 3)),
      );
      const ids = claims.flat().map((mail) => mail.id);
      expect(new Set(ids)).to.have.property('size', ids.length);
      const rest = await store.mailOutbox.claim(START, MINUTE, 100);
      expect(ids.length + rest.length).to.equal(40);
    });
  });
}

/** Registers one account per number: so many seconds after START. */
async function registered({ accounts }: Storage, seconds: readonly number[]): Promise<UserId[]> {
  const users = [];
  for (const second of seconds)
    users.push(must(await accounts.register(aNewAccount({ registeredAt: later(START, second * SECOND) }))));
  return users;
}

async function claimedOne(
  { mailOutbox }: Storage,
  now: Parameters<Storage['mailOutbox']['claim']>[0],
): Promise<OwedMail> {
  const mails = await mailOutbox.claim(now, MINUTE, 10);
  expect(mails).to.have.length(1);
  return mails[0] as OwedMail;
}
