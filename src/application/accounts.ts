import {
  type MailKind,
  type NotActivated,
  type InvalidToken,
  acceptsReset,
  activate,
  disown,
  isOwed,
  issueToken,
  logIn,
  requestPasswordReset,
  resetPassword,
} from '../domain/account.js';
import {
  type InvalidEmail,
  type InvalidUsername,
  PlainPassword,
  type WeakPassword,
  parseEmailAddress,
  parseUsername,
} from '../domain/credentials.js';
import { DAY, MINUTE, SECOND, type UserId, later } from '../domain/ids.js';
import type { TokenPurpose } from '../domain/one-time-token.js';
import { type Result, err, ok } from '../domain/result.js';
import type { AccessTokens } from './ports/access-tokens.js';
import type { AccountRepository, LoginFailures, UsernameOrEmailTaken } from './ports/account-repository.js';
import type { Clock } from './ports/clock.js';
import type { MailOutbox, OwedMail } from './ports/mail-outbox.js';
import type { Mailer } from './ports/mailer.js';
import type { Overloaded, PasswordHasher } from './ports/password-hasher.js';
import type { Secrets } from './ports/secrets.js';

export class RegisterAccount {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly hasher: PasswordHasher,
    private readonly clock: Clock,
  ) {}

  async execute(input: {
    readonly username: string;
    readonly email: string;
    readonly password: string;
  }): Promise<Result<UserId, InvalidRegistration | Overloaded | UsernameOrEmailTaken>> {
    const username = parseUsername(input.username);
    const email = parseEmailAddress(input.email);
    const password = PlainPassword.parse(input.password);
    if (!username.ok || !email.ok || !password.ok) {
      const problems = [username, email, password].flatMap((field) => (field.ok ? [] : [field.error]));
      return err({ kind: 'invalid-registration', problems });
    }
    const hash = await this.hasher.hash(password.value);
    if (!hash.ok) return hash;
    const registeredAt = this.clock.now();
    return this.accounts.register({
      username: username.value,
      email: email.value,
      passwordHash: hash.value,
      registeredAt,
    });
  }
}
export interface InvalidRegistration {
  readonly kind: 'invalid-registration';
  readonly problems: readonly (InvalidUsername | InvalidEmail | WeakPassword)[];
}

export class ActivateAccount {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async execute(token: string): Promise<Result<UserId, InvalidToken>> {
    const hash = this.secrets.hash(token);
    const now = this.clock.now();
    const activated = await this.accounts.update({ token: hash, purpose: 'activation' }, (account) =>
      activate(account, hash, now),
    );
    return activated.ok ? ok(activated.value.id) : INVALID_TOKEN;
  }
}

/** "That was not me": deletes the account awaiting activation. */
export class DisownAccount {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async execute(token: string): Promise<Result<undefined, InvalidToken>> {
    const hash = this.secrets.hash(token);
    const now = this.clock.now();
    const removed = await this.accounts.update({ token: hash, purpose: 'activation' }, (account) =>
      disown(account, hash, now),
    );
    return removed.ok ? ok() : INVALID_TOKEN;
  }
}

export interface WrongCredentials {
  readonly kind: 'wrong-credentials';
}
export interface TooManyFailures {
  readonly kind: 'too-many-failures';
  readonly retryAfterSeconds: number;
}

export class LogIn {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly failures: LoginFailures,
    private readonly hasher: PasswordHasher,
    private readonly tokens: AccessTokens,
    private readonly clock: Clock,
  ) {}

  /** One password comparison whatever is wrong, so that no answer tells more by its time than by its text. */
  async execute(input: {
    readonly email: string;
    readonly password: string;
    readonly thirtyDaysLogin: boolean;
  }): Promise<
    Result<
      { accessToken: string; user: UserId },
      WrongCredentials | TooManyFailures | NotActivated | Overloaded
    >
  > {
    const email = parseEmailAddress(input.email);
    const password = PlainPassword.attempt(input.password);
    const now = this.clock.now();
    if (email.ok) {
      const heardAgainAt = await this.failures.count(email.value, now);
      if (heardAgainAt !== null)
        return err({
          kind: 'too-many-failures',
          retryAfterSeconds: Math.ceil((heardAgainAt - now) / SECOND),
        });
    }
    const account = email.ok ? await this.accounts.find({ email: email.value }) : null;
    const matches = await this.hasher.matches(
      password,
      password.isPossible && account ? account.passwordHash : null,
    );
    if (!matches.ok) {
      if (email.ok) await this.failures.takeBack(email.value, now);
      return matches;
    }
    if (!account || !matches.value) return err({ kind: 'wrong-credentials' });
    await this.failures.forget(account.email);
    const session = logIn(account);
    if (!session.ok) return session;
    const expiresAt = later(now, input.thirtyDaysLogin ? 30 * DAY : DAY);
    return ok({ accessToken: this.tokens.issue(session.value, now, expiresAt), user: account.id });
  }
}

export class RequestPasswordReset {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly clock: Clock,
  ) {}

  /** Answers the same whether or not anybody has this email. */
  async execute(rawEmail: string): Promise<Result<undefined, InvalidEmail>> {
    const email = parseEmailAddress(rawEmail);
    if (!email.ok) return email;
    const now = this.clock.now();
    await this.accounts.update({ email: email.value }, (account) => ok(requestPasswordReset(account, now)));
    return ok();
  }
}

export class ResetPassword {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly hasher: PasswordHasher,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** A refused password does not use the token up. */
  async execute(
    token: string,
    rawPassword: string,
  ): Promise<Result<UserId, WeakPassword | InvalidToken | Overloaded>> {
    const password = PlainPassword.parse(rawPassword);
    if (!password.ok) return password;
    const hash = this.secrets.hash(token);
    const selector = { token: hash, purpose: 'reset' } as const;
    // Asked first, so that made-up tokens cost no password hash.
    const account = await this.accounts.find(selector);
    if (!account || !acceptsReset(account, hash, this.clock.now())) return INVALID_TOKEN;
    const passwordHash = await this.hasher.hash(password.value);
    if (!passwordHash.ok) return passwordHash;
    const now = this.clock.now();
    const reset = await this.accounts.update(selector, (found) =>
      resetPassword(found, hash, passwordHash.value, now),
    );
    return reset.ok ? ok(reset.value.id) : INVALID_TOKEN;
  }
}

const INVALID_TOKEN = err({ kind: 'invalid-token' } as const);

const TOKEN_IN: Record<MailKind, TokenPurpose | null> = {
  activation: 'activation',
  reset: 'reset',
  'password-changed': null,
};
const LEASE = MINUTE;
const BATCH = 20;
const GIVEN_UP_AFTER = 3 * DAY;

/** What became of one attempt to send one mail. */
export interface MailAttempt {
  readonly mail: OwedMail;
  readonly outcome: 'sent' | 'dropped' | 'postponed' | 'given-up';
  readonly problem?: unknown;
}

/** Sends the mails that are due. Any number of workers may run at once, on any number of nodes. */
export class DeliverMails {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly accounts: AccountRepository,
    private readonly mailer: Mailer,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** One batch; an empty answer means that nothing is due. */
  async execute(): Promise<readonly MailAttempt[]> {
    const due = await this.outbox.claim(this.clock.now(), LEASE, BATCH);
    return Promise.all(due.map((mail) => this.#deliver(mail)));
  }

  async #deliver(mail: OwedMail): Promise<MailAttempt> {
    const account = await this.accounts.find({ id: mail.user });
    if (!account || !isOwed(account, mail.kind)) {
      await this.outbox.remove(mail.id);
      return { mail, outcome: 'dropped' };
    }
    try {
      const token = await this.#issueToken(mail);
      await this.mailer.send({
        id: mail.id,
        kind: mail.kind,
        to: account.email,
        username: account.username,
        token,
      });
    } catch (problem) {
      return this.#postpone(mail, problem);
    }
    await this.outbox.remove(mail.id);
    return { mail, outcome: 'sent' };
  }

  /** A fresh token for each attempt: its text exists only here and in the mail, its hash is stored before the mail leaves. */
  async #issueToken(mail: OwedMail): Promise<string | null> {
    const purpose = TOKEN_IN[mail.kind];
    if (purpose === null) return null;
    const token = this.secrets.token();
    const hash = this.secrets.hash(token);
    const now = this.clock.now();
    const issued = await this.accounts.update({ id: mail.user }, (account) =>
      ok(issueToken(account, purpose, hash, now)),
    );
    if (!issued.ok) throw new Error('The account was removed while its mail was being written.');
    return token;
  }

  async #postpone(mail: OwedMail, problem: unknown): Promise<MailAttempt> {
    const now = this.clock.now();
    const reason = problem instanceof Error ? problem.message : String(problem);
    if (now - mail.owedSince >= GIVEN_UP_AFTER) {
      await this.outbox.remove(mail.id);
      return { mail, outcome: 'given-up', problem };
    }
    await this.outbox.postpone(mail.id, later(now, pauseAfter(mail.attempts)), reason);
    return { mail, outcome: 'postponed', problem };
  }
}

/** Milliseconds to wait: 1 s, doubling up to 5 min. */
function pauseAfter(attempts: number): number {
  return Math.min(SECOND * 2 ** Math.min(attempts, 20), 5 * MINUTE);
}
