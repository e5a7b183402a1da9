import type { InvalidToken, NotActivated } from '../domain/account.js';
import type { InvalidEmail, WeakPassword } from '../domain/credentials.js';
import type { InvalidRegistration, TooManyFailures, WrongCredentials } from './accounts.js';
import type { SessionEnded, UsernameOrEmailTaken } from './ports/account-repository.js';
import type { StreamOfAnotherOrganization, UnknownStreamUuid } from './ports/now-playing-repository.js';
import type { Overloaded } from './ports/password-hasher.js';
import type { StreamNotFound } from './ports/vote-repository.js';

/** Every refusal that a use case behind the HTTP interface can return. */
export type ApplicationError =
  | InvalidEmail
  | InvalidRegistration
  | InvalidToken
  | NotActivated
  | Overloaded
  | SessionEnded
  | StreamNotFound
  | StreamOfAnotherOrganization
  | TooManyFailures
  | UnknownStreamUuid
  | UsernameOrEmailTaken
  | WeakPassword
  | WrongCredentials;

/** The next system refused a mail, or was never reached: no copy of it is on its way. */
export class MailNotTaken extends Error {
  override readonly name = 'MailNotTaken';

  /** @param isFinal the recipient or the mail itself was refused: asking again leads to the same answer */
  constructor(
    readonly isFinal: boolean,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** What an adapter's promise rejects with when the system behind it cannot answer now: lost, overloaded, being replaced. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';

  /** @param what the system, as an operator calls it: "PostgreSQL" */
  constructor(what: string, cause: unknown) {
    super(`${what} is not available: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
