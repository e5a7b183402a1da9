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

/** What the HTTP interface counts. Every text but the method is one of a few of ours, never what a client sent. */
export interface HttpMetrics {
  requestBegan(): void;
  /** See `RequestLog`. */
  requestEnded(request: {
    /** null: it could not be read. */
    readonly method: string | null;
    /** The pattern that its path matched; null: none. */
    readonly route: string | null;
    /** null: its client did not wait for an answer. */
    readonly status: number | null;
    readonly seconds: number;
  }): void;
  /** Too many are open: this one was closed unheard. */
  connectionDropped(): void;
  /**
   * A request was refused, and this is one of the limits that had no room for it. `times` here and below is 0 for each
   * that may come, before any does: what begins at 1 has not risen. Else left out.
   */
  limitExceeded(policy: string, times?: number): void;
  reportTaken(form: string, outcome: string, times?: number): void;
  reportRefused(reason: string, times?: number): void;
  /** See `SECURITY_EVENTS`. */
  securityEvent(event: string, reason?: string, times?: number): void;
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
  /** Keys the hashes that stand for emails in the log; the same on every node. */
  readonly logKey: string | Uint8Array;
  readonly metrics?: HttpMetrics;
}
