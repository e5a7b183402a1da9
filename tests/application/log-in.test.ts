import { expect } from 'chai';
import { InMemoryAccountRepository } from '../../src/adapters/in-memory/in-memory-account-repository.js';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryLoginFailures } from '../../src/adapters/in-memory/in-memory-login-failures.js';
import { BcryptPasswordHasher } from '../../src/adapters/node/bcrypt-password-hasher.js';
import { JwtAccessTokens } from '../../src/adapters/node/jwt-access-tokens.js';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import { LogIn, RegisterAccount, ResetPassword } from '../../src/application/accounts.js';
import { issueToken } from '../../src/domain/account.js';
import { PlainPassword } from '../../src/domain/credentials.js';
import { TOKEN_LIFETIME } from '../../src/domain/one-time-token.js';
import { ok } from '../../src/domain/result.js';
import { activated, must } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';

const EMAIL = 'anna@example.com';
const PASSWORD = 'Sunny-Day-2026';

/** Anna, registered and activated, and somebody who tries passwords. */
async function annasLogin(queueLength = 100) {
  const db = new InMemoryDatabase();
  const clock = new ManualClock();
  const accounts = new InMemoryAccountRepository(db);
  const hasher = new BcryptPasswordHasher({ cost: 4, concurrency: 1, queueLength });
  const user = must(
    await new RegisterAccount(accounts, hasher, clock).execute({
      username: 'Anna',
      email: EMAIL,
      password: PASSWORD,
    }),
  );
  await activated(accounts, user);
  const tokens = new JwtAccessTokens(['0123456789abcdef0123456789abcdef']);
  const logIn = new LogIn(accounts, new InMemoryLoginFailures(db), hasher, tokens, clock);
  const attempt = async (password: string) => {
    const answer = await logIn.execute({ email: EMAIL, password, thirtyDaysLogin: false });
    return answer.ok ? 'logged-in' : answer.error.kind;
  };
  const fail = async (times: number) => {
    for (let time = 0; time < times; time += 1)
      expect(await attempt('Wrong-Day-2026')).to.equal('wrong-credentials');
  };
  return { accounts, attempt, clock, fail, hasher, user };
}

describe('Logging in', () => {
  it('is refused unheard after 50 wrong passwords within an hour, the right one too', async () => {
    const { attempt, clock, fail } = await annasLogin();
    await fail(50);
    expect(await attempt(PASSWORD)).to.equal('too-many-failures');
    clock.advance(3_600_000);
    expect(await attempt(PASSWORD)).to.equal('logged-in');
  });

  it('forgets the wrong passwords once the right one came', async () => {
    const { attempt, fail } = await annasLogin();
    await fail(30);
    expect(await attempt(PASSWORD)).to.equal('logged-in');
    await fail(30);
    expect(await attempt(PASSWORD)).to.equal('logged-in');
  });

  it('does not count attempts that were never checked', async () => {
    const { attempt } = await annasLogin(0);
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => attempt('Wrong-Day-2026')));
    expect(outcomes.filter((outcome) => outcome === 'overloaded').length).to.be.above(40);
    expect(await attempt(PASSWORD)).to.equal('logged-in');
  });
});

describe('Resetting a password', () => {
  it('hashes nothing for a token that is no longer live', async () => {
    const { accounts, clock, hasher, user } = await annasLogin(0);
    const secrets = new RandomSecrets();
    const reset = new ResetPassword(accounts, hasher, secrets, clock);
    const token = secrets.token();
    must(
      await accounts.update({ id: user }, (account) =>
        ok(issueToken(account, 'reset', secrets.hash(token), clock.now())),
      ),
    );
    const whileHashing = async () => {
      // It takes the only place, so whoever asks for another hash meanwhile is refused as overloaded.
      const busy = hasher.hash(must(PlainPassword.parse(PASSWORD)));
      const answer = await reset.execute(token, 'Rainy-Day-2027');
      await busy;
      return answer.ok ? 'reset' : answer.error.kind;
    };
    expect(await whileHashing()).to.equal('overloaded');
    clock.advance(TOKEN_LIFETIME.reset);
    expect(await whileHashing()).to.equal('invalid-token');
  });
});
