import { expect } from 'chai';
import { DAY, HOUR, MINUTE, later } from '../../src/domain/ids.js';
import { err } from '../../src/domain/result.js';
import {
  aNewAccount,
  anActivatedUser,
  anAddedOrganization,
  anEmail,
  issuedToken,
  must,
} from '../support/builders.js';
import { START } from '../support/manual-clock.js';
import type { Storage, StorageUnderTest } from './storage.js';

const TAKEN = err({ kind: 'username-or-email-taken' });
const A_DAY_ON = later(START, DAY);

/** The kinds of all mails that are owed now or will be soon. */
export async function owedKinds({ mailOutbox }: Storage, at = later(START, 30 * DAY)): Promise<string[]> {
  return (await mailOutbox.claim(at, 0, 100)).map((mail) => mail.kind);
}

/** What `AccountRepository.register` promises; part of `accountRepositoryContract`. */
export function registrationContract(storage: StorageUnderTest): void {
  it('keeps a new account as it was registered, to the millisecond', async () => {
    const { accounts } = await storage.open();
    const account = aNewAccount({ registeredAt: later(START, 789) });
    const id = must(await accounts.register(account));
    expect(await accounts.find({ id })).to.deep.equal({
      ...account,
      id,
      state: 'awaiting-activation',
      credentialVersion: 1,
      resetRequestedAt: null,
      tokens: [],
    });
    expect(await accounts.find({ email: account.email })).to.deep.equal(await accounts.find({ id }));
  });

  it('owes the activation mail from the moment of the registration', async () => {
    const { accounts, mailOutbox } = await storage.open();
    const registeredAt = later(START, 123);
    const user = must(await accounts.register(aNewAccount({ registeredAt })));
    const [mail, ...others] = await mailOutbox.claim(registeredAt, MINUTE, 10);
    expect(mail).to.include({ user, kind: 'activation', owedSince: registeredAt, attempts: 0 });
    expect(others).to.be.empty;
  });

  it('keeps the spelling of a username, and every script and symbol in it', async () => {
    const { accounts } = await storage.open();
    const names = ['Žofie 🎷👩🏽', 'مستمع الراديو', '收音机听众', 'Ærø', "O'Brien; --", '😀'.repeat(64)];
    for (const username of names) {
      const id = must(await accounts.register(aNewAccount({ username })));
      expect((await accounts.find({ id }))?.username).to.equal(username.normalize('NFC'));
    }
  });

  it('refuses an email that an account has, and writes nothing', async () => {
    const store = await storage.open();
    const { accounts } = store;
    const first = aNewAccount({ email: 'Anna@Radio.example' });
    must(await accounts.register(first));
    expect(await accounts.register(aNewAccount({ email: 'ANNA@radio.EXAMPLE' }))).to.deep.equal(TAKEN);
    expect((await accounts.find({ email: first.email }))?.username).to.equal(first.username);
    expect(await owedKinds(store)).to.deep.equal(['activation']);
  });

  for (const [taken, wanted] of [
    ['Anna', 'aNNA'],
    ['Straße', 'STRAßE'],
    ['Ｊａｚｚ', 'jazz'],
    ['Jose\u0301', 'José'],
    ['ﬁne', 'FINE'],
  ] as const)
    it(`takes the usernames ${taken} and ${wanted} for one`, async () => {
      const { accounts } = await storage.open();
      must(await accounts.register(aNewAccount({ username: taken })));
      const account = aNewAccount({ username: wanted });
      expect(await accounts.register(account)).to.deep.equal(TAKEN);
      expect(await accounts.find({ email: account.email })).to.equal(null);
    });

  it('gives one of many concurrent registrations of one email the account, and owes one mail', async () => {
    const store = await storage.open();
    const spellings = [
      'anna@radio.example',
      'Anna@radio.example',
      'ANNA@RADIO.EXAMPLE',
      'aNNa@Radio.Example',
    ];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        store.accounts.register(aNewAccount({ email: spellings[index % spellings.length] as string })),
      ),
    );
    expect(answers.filter((answer) => answer.ok)).to.have.length(1);
    expect(answers.filter((answer) => !answer.ok)).to.deep.equal(Array.from({ length: 39 }, () => TAKEN));
    expect(await owedKinds(store)).to.deep.equal(['activation']);
  });

  it('gives one of many concurrent registrations of one username the account', async () => {
    const store = await storage.open();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        store.accounts.register(aNewAccount({ username: index % 2 === 0 ? 'Jazz Fan' : 'ＪＡＺＺ fan' })),
      ),
    );
    expect(answers.filter((answer) => answer.ok)).to.have.length(1);
    expect(await owedKinds(store)).to.deep.equal(['activation']);
  });

  it('lets concurrent registrations of different people all succeed, with different ids', async () => {
    const { accounts } = await storage.open();
    const answers = await Promise.all(Array.from({ length: 30 }, () => accounts.register(aNewAccount())));
    expect(new Set(answers.map(must))).to.have.property('size', 30);
  });

  describe('finding abandoned accounts in the way of a registration', () => {
    for (const shared of ['email', 'username'] as const)
      it(`replaces the one with the same ${shared}, whose tokens then lead nowhere`, async () => {
        const store = await storage.open();
        const { accounts } = store;
        const facts = { username: 'Anna', email: 'anna@radio.example' };
        const old = must(await accounts.register(aNewAccount(facts)));
        const token = await issuedToken(accounts, old, 'activation');
        const other = shared === 'email' ? { username: 'Anna II' } : { email: 'second@radio.example' };
        const account = aNewAccount({ ...facts, ...other, registeredAt: A_DAY_ON });
        const id = must(await accounts.register(account));
        expect(id).not.to.equal(old);
        expect(await accounts.find({ id: old })).to.equal(null);
        expect(await accounts.find({ token, purpose: 'activation' })).to.equal(null);
        expect(await accounts.find({ email: account.email })).to.include({ ...account, id });
        expect(await owedKinds(store)).to.deep.equal(['activation']);
      });

    it('replaces two at once: one has the email, another the username', async () => {
      const store = await storage.open();
      const { accounts } = store;
      const one = must(await accounts.register(aNewAccount({ email: 'anna@radio.example' })));
      const other = must(await accounts.register(aNewAccount({ username: 'Anna' })));
      const account = aNewAccount({
        email: 'anna@radio.example',
        username: 'ANNA',
        registeredAt: A_DAY_ON,
      });
      const id = must(await accounts.register(account));
      expect(await accounts.find({ id: one })).to.equal(null);
      expect(await accounts.find({ id: other })).to.equal(null);
      expect(await accounts.find({ id })).to.include(account);
      expect(await owedKinds(store)).to.deep.equal(['activation']);
    });

    it('removes neither where only one of the two is abandoned', async () => {
      const { accounts } = await storage.open();
      const abandoned = must(await accounts.register(aNewAccount({ email: 'anna@radio.example' })));
      const kept = must(
        await accounts.register(aNewAccount({ username: 'Anna', registeredAt: later(START, 1) })),
      );
      const account = aNewAccount({
        email: 'anna@radio.example',
        username: 'Anna',
        registeredAt: A_DAY_ON,
      });
      expect(await accounts.register(account)).to.deep.equal(TAKEN);
      expect(await accounts.find({ id: abandoned })).not.to.equal(null);
      expect(await accounts.find({ id: kept })).not.to.equal(null);
    });

    it('keeps one a millisecond before it is abandoned', async () => {
      const { accounts } = await storage.open();
      must(await accounts.register(aNewAccount({ email: 'anna@radio.example' })));
      const early = aNewAccount({ email: 'anna@radio.example', registeredAt: later(A_DAY_ON, -1) });
      expect(await accounts.register(early)).to.deep.equal(TAKEN);
    });

    it('keeps one that holds a live token, and one that was activated', async () => {
      const { accounts } = await storage.open();
      const waiting = must(await accounts.register(aNewAccount({ email: 'anna@radio.example' })));
      await issuedToken(accounts, waiting, 'activation', later(START, HOUR));
      await anActivatedUser(accounts, { email: 'ben@radio.example' });
      for (const email of ['anna@radio.example', 'ben@radio.example'])
        expect(await accounts.register(aNewAccount({ email, registeredAt: A_DAY_ON }))).to.deep.equal(TAKEN);
    });

    it('lets one of many concurrent registrations replace it', async () => {
      const store = await storage.open();
      must(await store.accounts.register(aNewAccount({ email: 'anna@radio.example' })));
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          store.accounts.register(aNewAccount({ email: 'anna@radio.example', registeredAt: A_DAY_ON })),
        ),
      );
      expect(answers.filter((answer) => answer.ok)).to.have.length(1);
      expect(await owedKinds(store)).to.deep.equal(['activation']);
    });

    it('does not leave the newcomer the memberships of the one that was replaced', async () => {
      const { accounts, organizations } = await storage.open();
      const email = anEmail();
      must(await accounts.register(aNewAccount({ email })));
      const organization = await anAddedOrganization(organizations);
      must(await organizations.addMember(organization, email));
      must(await accounts.register(aNewAccount({ email, registeredAt: A_DAY_ON })));
      expect(must(await organizations.listMembers(organization))).to.be.empty;
    });
  });
}
