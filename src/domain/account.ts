import type { EmailAddress, Username } from './credentials.js';
import { type Brand, DAY, HOUR, type Instant, MINUTE, type UserId, later } from './ids.js';
import {
  type OneTimeToken,
  type TokenHash,
  type TokenPurpose,
  holdsLive,
  isLive,
  withNewToken,
} from './one-time-token.js';
import { type Result, err, ok } from './result.js';

/** What the password hasher made of a password. */
export type PasswordHash = Brand<string, 'PasswordHash'>;

interface AccountFacts {
  readonly id: UserId;
  readonly username: Username;
  readonly email: EmailAddress;
  readonly passwordHash: PasswordHash;
  /** Part of every access token. Raising it ends all sessions at once, whatever the clocks say. */
  readonly credentialVersion: number;
  readonly registeredAt: Instant;
  /** When the last reset mail was asked for and granted. */
  readonly resetRequestedAt: Instant | null;
  readonly tokens: readonly OneTimeToken[];
}
export type AwaitingActivation = AccountFacts & { readonly state: 'awaiting-activation' };
export type Activated = AccountFacts & { readonly state: 'activated'; readonly activatedAt: Instant };
export type Account = AwaitingActivation | Activated;

/** The mails an account can owe its owner. */
export const MAIL_KINDS = ['activation', 'reset', 'password-changed'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** What a step of the lifecycle leads to: the account as it is then, or null for none, and the mails it causes. */
export interface AccountChange<A extends Account | null = Account | null> {
  readonly account: A;
  readonly mails: readonly MailKind[];
  /** When it happened: the mails are owed since then. */
  readonly at: Instant;
}

/** Unknown, used, expired, or for something else: the caller learns no more than that. */
export interface InvalidToken {
  readonly kind: 'invalid-token';
}
export interface NotActivated {
  readonly kind: 'user-not-activated';
}

/** At most one reset mail per account in this time. */
export const RESET_MAIL_PAUSE = MINUTE;
/** So many wrong passwords for one email ... */
export const MAX_LOGIN_FAILURES = 50;
/** ... within this time, and further attempts are refused unheard. */
export const LOGIN_FAILURE_WINDOW = HOUR;
const ACTIVATION_PERIOD = DAY;

export type NewAccount = Pick<AccountFacts, 'username' | 'email' | 'passwordHash' | 'registeredAt'>;

/** A registration: the account awaits activation and owes its owner the mail that says how. */
export function register(id: UserId, account: NewAccount): AccountChange<AwaitingActivation> {
  const facts = { ...account, id, credentialVersion: 1, resetRequestedAt: null, tokens: [] };
  return {
    account: { ...facts, state: 'awaiting-activation' },
    mails: ['activation'],
    at: account.registeredAt,
  };
}

/** Was never activated and no longer can be: a new registration may take its name and address. */
export function isAbandoned(account: Account, now: Instant): boolean {
  return (
    account.state === 'awaiting-activation' &&
    now >= later(account.registeredAt, ACTIVATION_PERIOD) &&
    !account.tokens.some((token) => isLive(token, now))
  );
}

export function activate(
  account: Account,
  token: TokenHash,
  now: Instant,
): Result<AccountChange<Activated>, InvalidToken> {
  if (account.state === 'activated' || !holdsLive(account.tokens, 'activation', token, now))
    return err({ kind: 'invalid-token' });
  return ok({ account: activated(account, now), mails: [], at: now });
}

export interface AlreadyActivated {
  readonly kind: 'already-activated';
}

/** An operator vouches for the mailbox, where no mail arrives. */
export function activateByHand(
  account: Account,
  now: Instant,
): Result<AccountChange<Activated>, AlreadyActivated> {
  if (account.state === 'activated') return err({ kind: 'already-activated' });
  return ok({ account: activated(account, now), mails: [], at: now });
}

/** "That was not me": the owner of the mailbox deletes an account that somebody else registered with it. */
export function disown(
  account: Account,
  token: TokenHash,
  now: Instant,
): Result<AccountChange<null>, InvalidToken> {
  if (account.state === 'activated' || !holdsLive(account.tokens, 'activation', token, now))
    return err({ kind: 'invalid-token' });
  return ok({ account: null, mails: [], at: now });
}

/** Owes a reset mail, unless one was granted a moment ago. Also for accounts awaiting activation: the first mail may be lost. */
export function requestPasswordReset(account: Account, now: Instant): AccountChange<Account> {
  const paused = account.resetRequestedAt !== null && now < later(account.resetRequestedAt, RESET_MAIL_PAUSE);
  if (paused) return { account, mails: [], at: now };
  return { account: { ...account, resetRequestedAt: now }, mails: ['reset'], at: now };
}

/** May this token set a password now? Asked before the costly hash; {@link resetPassword} asks again. */
export function acceptsReset(account: Account, token: TokenHash, now: Instant): boolean {
  return holdsLive(account.tokens, 'reset', token, now);
}

/** Sets the password, ends every session, voids every token; proves the mailbox, so it activates as well. */
export function resetPassword(
  account: Account,
  token: TokenHash,
  passwordHash: PasswordHash,
  now: Instant,
): Result<AccountChange<Activated>, InvalidToken> {
  if (!acceptsReset(account, token, now)) return err({ kind: 'invalid-token' });
  const proven = account.state === 'activated' ? account : activated(account, now);
  return ok({
    account: { ...proven, passwordHash, credentialVersion: account.credentialVersion + 1, tokens: [] },
    mails: ['password-changed'],
    at: now,
  });
}

/** Asked only after the password was found right. */
export function logIn(account: Account): Result<Session, NotActivated> {
  if (account.state !== 'activated') return err({ kind: 'user-not-activated' });
  return ok({ user: account.id, credentialVersion: account.credentialVersion });
}

/** A login that still counts: it names the account and the version of its credentials at login. */
export interface Session {
  readonly user: UserId;
  readonly credentialVersion: number;
}

export function isCurrent(session: Session, account: Account): boolean {
  return (
    account.state === 'activated' &&
    account.id === session.user &&
    account.credentialVersion === session.credentialVersion
  );
}

/** Is this mail still worth sending? An activation mail is not, once the account is activated. */
export function isOwed(account: Account, mail: MailKind): boolean {
  return mail !== 'activation' || account.state === 'awaiting-activation';
}

/** A token was put into a mail to the owner. */
export function issueToken(
  account: Account,
  purpose: TokenPurpose,
  hash: TokenHash,
  now: Instant,
): AccountChange<Account> {
  return {
    account: { ...account, tokens: withNewToken(account.tokens, purpose, hash, now) },
    mails: [],
    at: now,
  };
}

/** The mail with this token never left: nobody has the token, and it makes no room for itself among those that were mailed. */
export function withdrawToken(account: Account, hash: TokenHash, now: Instant): AccountChange<Account> {
  return {
    account: { ...account, tokens: account.tokens.filter((token) => token.hash !== hash) },
    mails: [],
    at: now,
  };
}

function activated(account: AwaitingActivation, now: Instant): Activated {
  const tokens = account.tokens.filter((token) => token.purpose !== 'activation');
  return { ...account, state: 'activated', activatedAt: now, tokens };
}
