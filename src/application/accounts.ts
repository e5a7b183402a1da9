import {
  type AlreadyActivated,
  type NotActivated,
  type InvalidToken,
  acceptsReset,
  activate,
  activateByHand,
  disown,
  logIn,
  requestPasswordReset,
  resetPassword,
} from '../domain/account.js';
import {
  type EmailAddress,
  type InvalidEmail,
  type InvalidUsername,
  PlainPassword,
  type WeakPassword,
  parseEmailAddress,
  parseUsername,
} from '../domain/credentials.js';
import { DAY, SECOND, type UserId, later } from '../domain/ids.js';
import { type Result, err, ok } from '../domain/result.js';
import type { AccessTokens } from './ports/access-tokens.js';
import type {
  AccountNotFound,
  AccountRepository,
  LoginFailures,
  UsernameOrEmailTaken,
} from './ports/account-repository.js';
import type { Clock } from './ports/clock.js';
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

  /** @returns whose account it was */
  async execute(token: string): Promise<Result<UserId, InvalidToken>> {
    const hash = this.secrets.hash(token);
    const selector = { token: hash, purpose: 'activation' } as const;
    const now = this.clock.now();
    const account = await this.accounts.find(selector);
    if (!account) return INVALID_TOKEN;
    const removed = await this.accounts.update(selector, (found) => disown(found, hash, now));
    return removed.ok ? ok(account.id) : INVALID_TOKEN;
  }
}

/** For an operator, who knows the account by its email. */
export class ActivateAccountByHand {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly clock: Clock,
  ) {}

  async execute(email: EmailAddress): Promise<Result<UserId, AccountNotFound | AlreadyActivated>> {
    const now = this.clock.now();
    const activated = await this.accounts.update({ email }, (account) => activateByHand(account, now));
    return activated.ok ? ok(activated.value.id) : activated;
  }
}

/** For an operator: the account goes with its votes, memberships, tokens and owed mails, and its logins end. */
export class RemoveAccount {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly clock: Clock,
  ) {}

  async execute(email: EmailAddress): Promise<Result<undefined, AccountNotFound>> {
    const at = this.clock.now();
    const removed = await this.accounts.update<null, never>({ email }, () =>
      ok({ account: null, mails: [], at }),
    );
    return removed.ok ? ok() : removed;
  }
}

export interface WrongCredentials {
  readonly kind: 'wrong-credentials';
  /** For the log only: whoever tries must not learn it. */
  readonly reason: 'unknown-email' | 'wrong-password';
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
    // A refusal for want of room must cost less than what there is no room for.
    if (!this.hasher.hasRoom()) return err({ kind: 'overloaded' });
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
    if (!account) return err({ kind: 'wrong-credentials', reason: 'unknown-email' });
    if (!matches.value) return err({ kind: 'wrong-credentials', reason: 'wrong-password' });
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
