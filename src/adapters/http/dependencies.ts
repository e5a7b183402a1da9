import type {
  ActivateAccount,
  DisownAccount,
  LogIn,
  RegisterAccount,
  RequestPasswordReset,
  ResetPassword,
} from '../../application/accounts.js';
import type { IdentifySender, UpdateNowPlaying } from '../../application/now-playing.js';
import type { AccessTokens } from '../../application/ports/access-tokens.js';
import type { Clock } from '../../application/ports/clock.js';
import type { DirectoryReadModel } from '../../application/ports/directory-read-model.js';
import type { RateLimiter } from '../../application/ports/rate-limiter.js';
import type { CastVote, ViewVotes } from '../../application/voting.js';

/** Where the HTTP interface writes what operators should know. pino's loggers are of this shape. */
export interface HttpLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Everything the HTTP interface stands on. */
export interface HttpDependencies {
  readonly registerAccount: RegisterAccount;
  readonly activateAccount: ActivateAccount;
  readonly disownAccount: DisownAccount;
  readonly logIn: LogIn;
  readonly requestPasswordReset: RequestPasswordReset;
  readonly resetPassword: ResetPassword;
  readonly castVote: CastVote;
  readonly viewVotes: ViewVotes;
  readonly identifySender: IdentifySender;
  readonly updateNowPlaying: UpdateNowPlaying;
  readonly directory: DirectoryReadModel;
  readonly accessTokens: AccessTokens;
  /** null: nothing is limited. */
  readonly rateLimiter: RateLimiter | null;
  readonly clock: Clock;
  /** Express's `trust proxy`: whose `X-Forwarded-For` names the client. */
  readonly trustProxy: boolean | number | string | string[];
  readonly version: string;
  readonly log: HttpLog;
}
