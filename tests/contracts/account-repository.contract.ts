import { expect } from 'chai';
import {
  activate,
  disown,
  issueToken,
  requestPasswordReset,
  resetPassword,
} from '../../src/domain/account.js';
import { DAY, MINUTE, type UserId, later } from '../../src/domain/ids.js';
import { err, ok } from '../../src/domain/result.js';
import { castVote } from '../../src/domain/vote.js';
import {
  aNewAccount,
  aPasswordHash,
  aTokenHash,
  anActivatedUser,
  anAddedOrganization,
  anAddedStream,
  anEmail,
  issuedToken,
  must,
} from '../support/builders.js';
import { START } from '../support/manual-clock.js';
import { owedKinds, registrationContract } from './registration.contract.js';
import type { StorageUnderTest } from './storage.js';

const NOT_FOUND = err({ kind: 'account-not-found' });

/** What every `AccountRepository` promises. The storage was started. */
export function accountRepositoryContract(storage: StorageUnderTest): void {
  describe('AccountRepository', () => {
    registrationContract(storage);
    updateContract(storage);
    removalContract(storage);
  });
}

function updateContract(storage: StorageUnderTest): void {
  it('finds nobody by an unknown id, email or token', async () => {
    const { accounts } = await storage.open();
    const user = must(await accounts.register(aNewAccount()));
    for (const selector of [
      { id: (user + 1) as UserId },
      { email: anEmail('nobody@radio.example') },
      { token: aTokenHash(), purpose: 'activation' },
    ] as const) {
      expect(await accounts.find(selector)).to.equal(null);
      const decide = () => expect.fail('There is no account to decide about.');
      expect(await accounts.update(selector, decide)).to.deep.equal(NOT_FOUND);
    }
  });

  it('finds an account by its token, live or not, but not for another purpose', async () => {
    const { accounts } = await storage.open();
    const id = must(await accounts.register(aNewAccount()));
    const token = await issuedToken(accounts, id, 'reset', later(START, -30 * DAY));
    expect(await accounts.find({ token, purpose: 'reset' })).to.include({ id });
    expect(await accounts.find({ token, purpose: 'activation' })).to.equal(null);
  });

  it('stores every fact of an account through its whole life', async () => {
    const { accounts } = await storage.open();
    const id = must(await accounts.register(aNewAccount()));
    const at = (minutes: number) => later(START, minutes * MINUTE + 7);
    const passwordHash = aPasswordHash();
    const [first, second, third] = [aTokenHash(), aTokenHash(), aTokenHash()];
    const steps = [
      () => accounts.update({ id }, (account) => ok(issueToken(account, 'activation', first, at(1)))),
      () => accounts.update({ id }, (account) => ok(issueToken(account, 'reset', second, at(2)))),
      () =>
        accounts.update({ token: first, purpose: 'activation' }, (found) => activate(found, first, at(3))),
      () => accounts.update({ id }, (account) => ok(requestPasswordReset(account, at(4)))),
      () => accounts.update({ id }, (account) => ok(issueToken(account, 'reset', third, at(5)))),
      () =>
        accounts.update({ token: third, purpose: 'reset' }, (found) =>
          resetPassword(found, third, passwordHash, at(6)),
        ),
    ];
    for (const step of steps) {
      const answered = must(await step());
      expect(await accounts.find({ id })).to.deep.equal(answered);
    }
    expect(await accounts.find({ id })).to.deep.include({
      state: 'activated',
      activatedAt: at(3),
      resetRequestedAt: at(4),
      passwordHash,
      credentialVersion: 2,
      tokens: [],
    });
    expect(await accounts.find({ token: second, purpose: 'reset' })).to.equal(null);
  });

  it('owes the mails of a change from the moment of the change', async () => {
    const { accounts, mailOutbox } = await storage.open();
    const { user } = await anActivatedUser(accounts);
    const asked = later(START, MINUTE + 1);
    const reset = later(START, 2 * MINUTE + 2);
    must(await accounts.update({ id: user }, (account) => ok(requestPasswordReset(account, asked))));
    const token = await issuedToken(accounts, user, 'reset', asked);
    must(
      await accounts.update({ id: user }, (account) => resetPassword(account, token, aPasswordHash(), reset)),
    );
    const mails = await mailOutbox.claim(reset, MINUTE, 10);
    expect(mails.map(({ kind, owedSince }) => [kind, owedSince])).to.deep.equal([
      ['activation', START],
      ['reset', asked],
      ['password-changed', reset],
    ]);
  });

  it('passes a refusal on with nothing written', async () => {
    const store = await storage.open();
    const { accounts } = store;
    const id = must(await accounts.register(aNewAccount()));
    await issuedToken(accounts, id, 'activation');
    const before = await accounts.find({ id });
    const refused = await accounts.update({ id }, () => err({ kind: 'not-today' } as const));
    expect(refused).to.deep.equal(err({ kind: 'not-today' }));
    expect(await accounts.find({ id })).to.deep.equal(before);
    expect(await owedKinds(store)).to.deep.equal(['activation']);
  });

  it('writes nothing when the decision fails', async () => {
    const { accounts } = await storage.open();
    const id = must(await accounts.register(aNewAccount()));
    const failure = new Error('a bug');
    const outcome = await accounts
      .update({ id }, () => {
        throw failure;
      })
      .catch((error: unknown) => error);
    expect(outcome).to.equal(failure);
    expect(await accounts.find({ id })).to.include({ id, state: 'awaiting-activation' });
  });

  it('lets exactly one of many concurrent uses of an activation token succeed', async () => {
    const { accounts } = await storage.open();
    const id = must(await accounts.register(aNewAccount()));
    const token = await issuedToken(accounts, id, 'activation');
    const uses = await Promise.all(
      Array.from({ length: 50 }, () =>
        accounts.update({ token, purpose: 'activation' }, (account) => activate(account, token, START)),
      ),
    );
    expect(uses.filter((use) => use.ok)).to.have.length(1);
    for (const use of uses)
      if (!use.ok) expect(use.error.kind).to.be.oneOf(['invalid-token', 'account-not-found']);
  });

  it('lets exactly one of many concurrent uses of different reset tokens succeed, and owes one mail for it', async () => {
    const store = await storage.open();
    const { accounts } = store;
    const { user } = await anActivatedUser(accounts);
    const tokens = await Promise.all(Array.from({ length: 5 }, () => issuedToken(accounts, user, 'reset')));
    const uses = await Promise.all(
      [...tokens, ...tokens, ...tokens, ...tokens].map((token) =>
        accounts.update({ token, purpose: 'reset' }, (account) =>
          resetPassword(account, token, aPasswordHash(), START),
        ),
      ),
    );
    expect(uses.filter((use) => use.ok)).to.have.length(1);
    expect(await accounts.find({ id: user })).to.deep.include({ credentialVersion: 2, tokens: [] });
    expect((await owedKinds(store)).filter((kind) => kind === 'password-changed')).to.have.length(1);
  });

  it('runs concurrent changes of one account one after the other: none is lost', async () => {
    const { accounts } = await storage.open();
    const { user } = await anActivatedUser(accounts);
    await Promise.all(
      Array.from({ length: 50 }, () =>
        accounts.update({ id: user }, (account) =>
          ok({
            account: { ...account, credentialVersion: account.credentialVersion + 1 },
            mails: [],
            at: START,
          }),
        ),
      ),
    );
    expect(await accounts.find({ id: user })).to.include({ credentialVersion: 51 });
  });

  it('grants one of many concurrent requests for a reset mail', async () => {
    const store = await storage.open();
    const { user } = await anActivatedUser(store.accounts);
    await Promise.all(
      Array.from({ length: 20 }, () =>
        store.accounts.update({ id: user }, (account) => ok(requestPasswordReset(account, START))),
      ),
    );
    expect((await owedKinds(store)).filter((kind) => kind === 'reset')).to.have.length(1);
  });
}

function removalContract(storage: StorageUnderTest): void {
  it('removes an account with its mails, tokens and names, so that they are free again', async () => {
    const store = await storage.open();
    const { accounts } = store;
    const account = aNewAccount();
    const id = must(await accounts.register(account));
    const token = await issuedToken(accounts, id, 'activation');
    const removed = await accounts.update({ token, purpose: 'activation' }, (found) =>
      disown(found, token, START),
    );
    expect(removed).to.deep.equal(ok(null));
    expect(await accounts.find({ id })).to.equal(null);
    expect(await accounts.find({ email: account.email })).to.equal(null);
    expect(await accounts.find({ token, purpose: 'activation' })).to.equal(null);
    expect(await owedKinds(store)).to.be.empty;
    expect(must(await accounts.register(account))).not.to.equal(id);
  });

  it('removes the votes of an account from the tallies, and nobody else’s', async () => {
    const { accounts, organizations, votes } = await storage.open();
    const anna = await anActivatedUser(accounts);
    const ben = await anActivatedUser(accounts);
    const organization = await anAddedOrganization(organizations);
    const jazz = (await anAddedStream(organizations, organization)).id;
    const folk = (await anAddedStream(organizations, organization)).id;
    must(await votes.update(anna, jazz, START, (current) => castVote(current, 'up')));
    must(await votes.update(anna, folk, START, (current) => castVote(current, 'down')));
    must(await votes.update(ben, jazz, START, (current) => castVote(current, 'up')));
    must(await accounts.update({ id: anna.user }, () => ok({ account: null, mails: [], at: START })));
    expect(must(await votes.view(jazz, ben))).to.deep.equal({
      tally: { upvotes: 1, downvotes: 0 },
      vote: 'up',
    });
    expect(must(await votes.view(folk, null)).tally).to.deep.equal({ upvotes: 0, downvotes: 0 });
  });

  it('removes the memberships of an account', async () => {
    const { accounts, organizations } = await storage.open();
    const email = anEmail();
    const { user } = await anActivatedUser(accounts, { email });
    const organization = await anAddedOrganization(organizations);
    must(await organizations.addMember(organization, email));
    must(await accounts.update({ id: user }, () => ok({ account: null, mails: [], at: START })));
    expect(must(await organizations.listMembers(organization))).to.be.empty;
  });
}
