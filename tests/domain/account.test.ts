import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Account,
  type PasswordHash,
  type Session,
  RESET_MAIL_PAUSE,
  acceptsReset,
  activate,
  activateByHand,
  disown,
  isAbandoned,
  isCurrent,
  isOwed,
  issueToken,
  logIn,
  register,
  requestPasswordReset,
  resetPassword,
} from '../../src/domain/account.js';
import { DAY, HOUR, type Instant, MINUTE, SECOND, type UserId, later } from '../../src/domain/ids.js';
import { type OneTimeToken, type TokenHash, type TokenPurpose } from '../../src/domain/one-time-token.js';
import { aNewAccount, must } from '../support/builders.js';
import { START } from '../support/manual-clock.js';

const INVALID_TOKEN = { ok: false, error: { kind: 'invalid-token' } };
const TOKEN = 'a token' as TokenHash;
const NEW_HASH = 'a new hash' as PasswordHash;

const registered = () => register(7 as UserId, aNewAccount()).account;
const withToken = (account: Account, purpose: TokenPurpose, token = TOKEN, now = START): Account =>
  issueToken(account, purpose, token, now).account;
const activated = () => must(activate(withToken(registered(), 'activation'), TOKEN, START)).account;

describe('Registration (spec.md 3.2, first row)', () => {
  it('leads to an account awaiting activation and owes the mail that activates it', () => {
    const { account, mails } = register(7 as UserId, aNewAccount({ username: 'Anna' }));
    expect(account).to.deep.include({ id: 7, state: 'awaiting-activation', username: 'Anna', tokens: [] });
    expect(mails).to.deep.equal(['activation']);
  });

  it('does not let anybody log in yet', () => {
    expect(logIn(registered())).to.deep.equal({ ok: false, error: { kind: 'user-not-activated' } });
  });
});

describe('Activation (spec.md 3.2, second row)', () => {
  it('with a valid token leads to an activated account that may log in', () => {
    const account = must(activate(withToken(registered(), 'activation'), TOKEN, later(START, HOUR))).account;
    expect(account).to.include({ state: 'activated', activatedAt: later(START, HOUR) });
    expect(logIn(account)).to.deep.equal({ ok: true, value: { user: 7, credentialVersion: 1 } });
  });

  it('works once', () => {
    expect(activate(activated(), TOKEN, START)).to.deep.equal(INVALID_TOKEN);
  });

  it('is refused with an unknown token, an expired one and one for something else', () => {
    const pending = withToken(registered(), 'activation');
    expect(activate(pending, 'other' as TokenHash, START)).to.deep.equal(INVALID_TOKEN);
    expect(activate(pending, TOKEN, later(START, DAY))).to.deep.equal(INVALID_TOKEN);
    expect(activate(withToken(registered(), 'reset'), TOKEN, START)).to.deep.equal(INVALID_TOKEN);
  });
});

describe('Activation by hand', () => {
  it('activates an account whose mail does not arrive, and takes the worth of a mail on its way', () => {
    const { account, mails } = must(
      activateByHand(withToken(registered(), 'activation'), later(START, HOUR)),
    );
    expect(account).to.include({ state: 'activated', activatedAt: later(START, HOUR) });
    expect(account.tokens).to.deep.equal([]);
    expect(mails).to.deep.equal([]);
    expect(isOwed(account, 'activation')).to.equal(false);
    expect(logIn(account).ok).to.equal(true);
  });

  it('is refused once an account is activated', () => {
    const refused = { ok: false, error: { kind: 'already-activated' } };
    expect(activateByHand(activated(), later(START, HOUR))).to.deep.equal(refused);
  });
});

describe('"That was not me"', () => {
  it('deletes an account awaiting activation', () => {
    const change = must(disown(withToken(registered(), 'activation'), TOKEN, START));
    expect(change).to.deep.include({ account: null, mails: [] });
  });

  it('deletes nothing without a valid activation token, and no activated account', () => {
    const pending = withToken(registered(), 'activation');
    expect(disown(pending, 'other' as TokenHash, START)).to.deep.equal(INVALID_TOKEN);
    expect(disown(pending, TOKEN, later(START, DAY))).to.deep.equal(INVALID_TOKEN);
    expect(disown(withToken(registered(), 'reset'), TOKEN, START)).to.deep.equal(INVALID_TOKEN);
    expect(disown(withToken(activated(), 'activation'), TOKEN, START)).to.deep.equal(INVALID_TOKEN);
  });
});

describe('A password reset (spec.md 3.3)', () => {
  it('is granted at most once in 60 s', () => {
    const { account, mails } = requestPasswordReset(activated(), START);
    expect(mails).to.deep.equal(['reset']);

    const early = requestPasswordReset(account, later(START, RESET_MAIL_PAUSE - 1));
    expect(early).to.deep.include({ account, mails: [] });

    const again = requestPasswordReset(account, later(START, RESET_MAIL_PAUSE));
    expect(again.mails).to.deep.equal(['reset']);
  });

  it('sets the password, ends every session, voids every token and owes a mail about it', () => {
    const before = withToken(withToken(activated(), 'reset'), 'reset', 'another' as TokenHash);
    const session = must(logIn(before));

    const { account, mails } = must(resetPassword(before, TOKEN, NEW_HASH, START));

    expect(account).to.deep.include({ passwordHash: NEW_HASH, tokens: [] });
    expect(mails).to.deep.equal(['password-changed']);
    expect(isCurrent(session, before)).to.equal(true);
    expect(isCurrent(session, account)).to.equal(false);
    expect(isCurrent(must(logIn(account)), account)).to.equal(true);
  });

  it('activates an account that still awaits it, for the token proves the mailbox', () => {
    const { account } = must(resetPassword(withToken(registered(), 'reset'), TOKEN, NEW_HASH, START));
    expect(account).to.include({ state: 'activated', activatedAt: START });
  });

  it('leaves the moment of an earlier activation as it was', () => {
    const { account } = must(
      resetPassword(withToken(activated(), 'reset'), TOKEN, NEW_HASH, later(START, MINUTE)),
    );
    expect(account.activatedAt).to.equal(START);
  });

  it('is refused with an unknown, used or expired token and one for something else', () => {
    const account = withToken(activated(), 'reset');
    const { account: done } = must(resetPassword(account, TOKEN, NEW_HASH, START));
    for (const [held, token, now] of [
      [account, 'other' as TokenHash, START],
      [account, TOKEN, later(START, HOUR)],
      [withToken(registered(), 'activation'), TOKEN, START],
      [done, TOKEN, START],
    ] as const) {
      expect(resetPassword(held, token, NEW_HASH, now)).to.deep.equal(INVALID_TOKEN);
      expect(acceptsReset(held, token, now)).to.equal(false);
    }
  });
});

describe('A session', () => {
  const session: Session = { user: 7 as UserId, credentialVersion: 1 };

  it('counts for its own account in its own version only', () => {
    expect(isCurrent(session, activated())).to.equal(true);
    expect(isCurrent({ ...session, user: 8 as UserId }, activated())).to.equal(false);
    expect(isCurrent({ ...session, credentialVersion: 2 }, activated())).to.equal(false);
    expect(isCurrent(session, registered())).to.equal(false);
  });
});

describe('A mail that waits', () => {
  it('is still owed, but for the activation of an account that is activated', () => {
    expect(isOwed(registered(), 'activation')).to.equal(true);
    expect(isOwed(activated(), 'activation')).to.equal(false);
    for (const kind of ['reset', 'password-changed'] as const) {
      expect(isOwed(registered(), kind)).to.equal(true);
      expect(isOwed(activated(), kind)).to.equal(true);
    }
  });
});

describe('An account that nobody activates', () => {
  it('is abandoned 24 h after registration, to the millisecond', () => {
    expect(isAbandoned(registered(), later(START, DAY - 1))).to.equal(false);
    expect(isAbandoned(registered(), later(START, DAY))).to.equal(true);
  });

  it('is not abandoned while a token in a late mail can still activate it', () => {
    for (const [purpose, lifetime] of [
      ['activation', DAY],
      ['reset', HOUR],
    ] as const) {
      const account = withToken(registered(), purpose, TOKEN, later(START, DAY - 1));
      expect(isAbandoned(account, later(START, DAY - 1 + lifetime - 1))).to.equal(false);
      expect(isAbandoned(account, later(START, DAY - 1 + lifetime))).to.equal(true);
    }
  });

  it('is never abandoned once activated', () => {
    expect(isAbandoned(activated(), later(START, 1_000 * DAY))).to.equal(false);
  });
});

/** What the lifecycle is meant to be, told once more in other words. */
interface Model {
  now: number;
  state: 'none' | 'awaiting' | 'activated';
  registeredAt: number;
  version: number;
  resetGrantedAt: number | null;
  tokens: { purpose: TokenPurpose; hash: string; issuedAt: number; void: boolean }[];
}
/** The account under test, with everything ever handed out for it. */
interface Real {
  account: Account | null;
  now: Instant;
  readonly sessions: { session: Session; version: number }[];
}

const LIFETIME = { activation: DAY, reset: HOUR };
function liveIn(model: Model, purpose: TokenPurpose): Model['tokens'] {
  return model.tokens.filter(
    (token) => token.purpose === purpose && !token.void && model.now - token.issuedAt < LIFETIME[purpose],
  );
}
/** One of all tokens ever issued, or one that never was. */
function pick(model: Model, choice: number): TokenHash {
  return (model.tokens[choice % (model.tokens.length + 1)]?.hash ?? 'never issued') as TokenHash;
}
const voidAll = (model: Model, purpose?: TokenPurpose) => {
  for (const token of model.tokens) if (purpose === undefined || token.purpose === purpose) token.void = true;
};

type Step = fc.Command<Model, Real>;
const step = (
  name: string,
  check: (model: Model) => boolean,
  act: (model: Model, real: Real & { account: Account }) => Account | null,
): Step => ({
  check,
  run: (model, real) => {
    if (real.account === null) throw new Error('The model knows an account that is not there.');
    real.account = act(model, real as Real & { account: Account });
    agree(model, real);
  },
  toString: () => name,
});
const exists = (model: Model) => model.state !== 'none';

function agree(model: Model, { account, now, sessions }: Real): void {
  expect(account === null).to.equal(model.state === 'none');
  if (account === null) return;
  expect(account.state === 'activated').to.equal(model.state === 'activated');
  expect(account.credentialVersion).to.equal(model.version);
  const live = (tokens: readonly OneTimeToken[], purpose: TokenPurpose) =>
    tokens.filter((token) => token.purpose === purpose && now < token.expiresAt).map(({ hash }) => hash);
  for (const purpose of ['activation', 'reset'] as const)
    expect(live(account.tokens, purpose)).to.have.members(liveIn(model, purpose).map(({ hash }) => hash));
  expect(account.tokens.filter(({ purpose }) => purpose === 'reset').length).to.be.at.most(5);
  const usable = liveIn(model, 'activation').length + liveIn(model, 'reset').length;
  expect(isAbandoned(account, now)).to.equal(
    model.state === 'awaiting' && model.now - model.registeredAt >= DAY && usable === 0,
  );
  for (const { session, version } of sessions)
    expect(isCurrent(session, account)).to.equal(version === model.version);
}

const steps = (issued: { count: number }): fc.Arbitrary<Step>[] => [
  fc.constant<Step>({
    check: (model) => model.state === 'none',
    run: (model, real) => {
      real.account = register(7 as UserId, aNewAccount({ registeredAt: real.now })).account;
      real.sessions.length = 0;
      Object.assign(model, { state: 'awaiting', registeredAt: model.now, version: 1, resetGrantedAt: null });
      agree(model, real);
    },
    toString: () => 'register',
  }),
  fc.constantFrom(SECOND, MINUTE, 20 * MINUTE, HOUR, 11 * HOUR, DAY).map<Step>((milliseconds) => ({
    check: () => true,
    run: (model, real) => {
      model.now += milliseconds;
      real.now = later(real.now, milliseconds);
      agree(model, real);
    },
    toString: () => `wait ${milliseconds / SECOND} s`,
  })),
  fc.constantFrom<TokenPurpose>('activation', 'reset').map((purpose) =>
    step(
      `issue ${purpose}`,
      (model) => exists(model) && (purpose === 'reset' || model.state === 'awaiting'),
      (model, { account, now }) => {
        const hash = `${purpose} ${(issued.count += 1)}`;
        model.tokens.push({ purpose, hash, issuedAt: model.now, void: false });
        for (const token of liveIn(model, purpose).slice(0, -5)) token.void = true;
        return issueToken(account, purpose, hash as TokenHash, now).account;
      },
    ),
  ),
  fc.nat(30).map((choice) =>
    step(`activate ${choice}`, exists, (model, { account, now }) => {
      const token = pick(model, choice);
      const allowed =
        model.state === 'awaiting' && liveIn(model, 'activation').some(({ hash }) => hash === token);
      const result = activate(account, token, now);
      expect(result.ok).to.equal(allowed);
      if (!result.ok) return account;
      model.state = 'activated';
      voidAll(model, 'activation');
      return result.value.account;
    }),
  ),
  fc.nat(30).map((choice) =>
    step(`disown ${choice}`, exists, (model, { account, now }) => {
      const token = pick(model, choice);
      const allowed =
        model.state === 'awaiting' && liveIn(model, 'activation').some(({ hash }) => hash === token);
      const result = disown(account, token, now);
      expect(result.ok).to.equal(allowed);
      if (!result.ok) return account;
      model.state = 'none';
      voidAll(model);
      return result.value.account;
    }),
  ),
  fc.constant(
    step('request a reset', exists, (model, { account, now }) => {
      const granted = model.resetGrantedAt === null || model.now - model.resetGrantedAt >= MINUTE;
      if (granted) model.resetGrantedAt = model.now;
      const change = requestPasswordReset(account, now);
      expect(change.mails).to.deep.equal(granted ? ['reset'] : []);
      return change.account;
    }),
  ),
  fc.nat(30).map((choice) =>
    step(`reset the password ${choice}`, exists, (model, { account, now }) => {
      const token = pick(model, choice);
      const allowed = liveIn(model, 'reset').some(({ hash }) => hash === token);
      expect(acceptsReset(account, token, now)).to.equal(allowed);
      const result = resetPassword(account, token, NEW_HASH, now);
      expect(result.ok).to.equal(allowed);
      if (!result.ok) return account;
      Object.assign(model, { state: 'activated', version: model.version + 1 });
      voidAll(model);
      return result.value.account;
    }),
  ),
  fc.constant(
    step('log in', exists, (model, { account, sessions }) => {
      const session = logIn(account);
      expect(session.ok).to.equal(model.state === 'activated');
      if (session.ok) sessions.push({ session: session.value, version: model.version });
      return account;
    }),
  ),
];

describe('The lifecycle of an account', () => {
  it('is that of its model, for any steps in any order', () => {
    const issued = { count: 0 };
    fc.assert(
      fc.property(fc.commands(steps(issued), { maxCommands: 60, size: 'max' }), (commands) => {
        const model: Model = {
          now: 0,
          state: 'none',
          registeredAt: 0,
          version: 0,
          resetGrantedAt: null,
          tokens: [],
        };
        fc.modelRun(() => ({ model, real: { account: null, now: START, sessions: [] } }), commands);
      }),
      { numRuns: 2_000 },
    );
  });
});
