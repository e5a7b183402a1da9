import { expect } from 'chai';
import { LOGIN_FAILURE_WINDOW, MAX_LOGIN_FAILURES } from '../../src/domain/account.js';
import type { EmailAddress } from '../../src/domain/credentials.js';
import { HOUR, type Instant, SECOND, later } from '../../src/domain/ids.js';
import type { LoginFailures } from '../../src/application/ports/account-repository.js';
import { anEmail } from '../support/builders.js';
import { START } from '../support/manual-clock.js';
import type { StorageUnderTest } from './storage.js';

/** What every `LoginFailures` promises. The storage was started. */
export function loginFailuresContract(storage: StorageUnderTest): void {
  describe('LoginFailures', () => {
    it('counts the 50th attempt within an hour and refuses the 51st until the first has left the hour', async () => {
      const { loginFailures } = await storage.open();
      const email = anEmail();
      const instants = secondsApart(MAX_LOGIN_FAILURES);
      expect(await countAll(loginFailures, email, instants)).to.deep.equal(instants.map(() => null));
      const now = later(START, 10 * SECOND * MAX_LOGIN_FAILURES);
      expect(await loginFailures.count(email, now)).to.equal(later(START, LOGIN_FAILURE_WINDOW));
    });

    it('lets one attempt in at the very instant it named, and then names the next', async () => {
      const { loginFailures } = await storage.open();
      const email = anEmail();
      await countAll(loginFailures, email, secondsApart(MAX_LOGIN_FAILURES));
      const heardAgainAt = later(START, LOGIN_FAILURE_WINDOW);
      expect(await loginFailures.count(email, later(heardAgainAt, -1))).to.equal(heardAgainAt);
      expect(await loginFailures.count(email, heardAgainAt)).to.equal(null);
      expect(await loginFailures.count(email, heardAgainAt)).to.equal(later(heardAgainAt, SECOND));
    });

    it('counts refused attempts nowhere: they do not lengthen the wait', async () => {
      const { loginFailures } = await storage.open();
      const email = anEmail();
      await countAll(loginFailures, email, secondsApart(MAX_LOGIN_FAILURES));
      const heardAgainAt = later(START, LOGIN_FAILURE_WINDOW);
      for (let minutes = 1; minutes < 60; minutes += 1)
        expect(await loginFailures.count(email, later(START, minutes * 60 * SECOND))).to.equal(heardAgainAt);
      expect(await loginFailures.count(email, heardAgainAt)).to.equal(null);
    });

    it('counts each email for itself', async () => {
      const { loginFailures } = await storage.open();
      const email = anEmail();
      await countAll(loginFailures, email, secondsApart(MAX_LOGIN_FAILURES));
      expect(await loginFailures.count(anEmail(), later(START, 5 * 60 * SECOND))).to.equal(null);
    });

    it('forgets all failures of one email and of no other', async () => {
      const { loginFailures } = await storage.open();
      const [anna, ben] = [anEmail(), anEmail()];
      for (const email of [anna, ben]) await countAll(loginFailures, email, secondsApart(MAX_LOGIN_FAILURES));
      await loginFailures.forget(anna);
      const now = later(START, HOUR - 1);
      const again = Array.from({ length: MAX_LOGIN_FAILURES }, () => now);
      expect(await countAll(loginFailures, anna, again)).to.deep.equal(again.map(() => null));
      expect(await loginFailures.count(anna, now)).to.equal(later(now, LOGIN_FAILURE_WINDOW));
      expect(await loginFailures.count(ben, now)).to.equal(later(START, LOGIN_FAILURE_WINDOW));
    });

    it('takes back exactly one attempt, also of several in one millisecond', async () => {
      const { loginFailures } = await storage.open();
      const email = anEmail();
      await countAll(
        loginFailures,
        email,
        Array.from({ length: MAX_LOGIN_FAILURES }, () => START),
      );
      await loginFailures.takeBack(email, START);
      expect(await loginFailures.count(email, START)).to.equal(null);
      expect(await loginFailures.count(email, START)).to.equal(later(START, LOGIN_FAILURE_WINDOW));
    });

    it('has nothing to take back or forget where nothing was counted', async () => {
      const { loginFailures } = await storage.open();
      const email = anEmail();
      await loginFailures.forget(email);
      await loginFailures.takeBack(email, START);
      await countAll(loginFailures, email, secondsApart(MAX_LOGIN_FAILURES));
      await loginFailures.takeBack(email, later(START, 1));
      expect(await loginFailures.count(email, later(START, HOUR - 1))).not.to.equal(null);
    });

    it('lets concurrent attempts not exceed the limit', async () => {
      const { loginFailures } = await storage.open();
      const email = anEmail();
      const answers = await Promise.all(
        Array.from({ length: 2 * MAX_LOGIN_FAILURES }, () => loginFailures.count(email, START)),
      );
      expect(answers.filter((answer) => answer === null)).to.have.length(MAX_LOGIN_FAILURES);
      expect(answers.filter((answer) => answer === later(START, LOGIN_FAILURE_WINDOW))).to.have.length(
        MAX_LOGIN_FAILURES,
      );
    });
  });
}

/** START and the seconds after it. */
function secondsApart(count: number): Instant[] {
  return Array.from({ length: count }, (_, index) => later(START, index * SECOND));
}

async function countAll(
  failures: LoginFailures,
  email: EmailAddress,
  instants: readonly Instant[],
): Promise<(Instant | null)[]> {
  const answers = [];
  for (const at of instants) answers.push(await failures.count(email, at));
  return answers;
}
