import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import supertest from 'supertest';
import { type HttpDependencies, type HttpMetrics, createApp } from '../../src/adapters/http/app.js';
import { InMemoryAccountRepository } from '../../src/adapters/in-memory/in-memory-account-repository.js';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryDirectoryReadModel } from '../../src/adapters/in-memory/in-memory-directory-read-model.js';
import { InMemoryLoginFailures } from '../../src/adapters/in-memory/in-memory-login-failures.js';
import { InMemoryMailOutbox } from '../../src/adapters/in-memory/in-memory-mail-outbox.js';
import { InMemoryNowPlayingRepository } from '../../src/adapters/in-memory/in-memory-now-playing-repository.js';
import { InMemoryOrganizationRepository } from '../../src/adapters/in-memory/in-memory-organization-repository.js';
import { InMemoryRateLimiter } from '../../src/adapters/in-memory/in-memory-rate-limiter.js';
import { InMemoryVoteRepository } from '../../src/adapters/in-memory/in-memory-vote-repository.js';
import { type BcryptOptions, BcryptPasswordHasher } from '../../src/adapters/node/bcrypt-password-hasher.js';
import { JwtAccessTokens } from '../../src/adapters/node/jwt-access-tokens.js';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import {
  ActivateAccount,
  DisownAccount,
  LogIn,
  RegisterAccount,
  RequestPasswordReset,
  ResetPassword,
} from '../../src/application/accounts.js';
import { DeliverMails } from '../../src/application/mail-delivery.js';
import { IdentifySender, UpdateNowPlaying, newOrganizationToken } from '../../src/application/now-playing.js';
import { CastVote, ViewVotes } from '../../src/application/voting.js';
import type { OrganizationId, StreamId, StreamUuid } from '../../src/domain/ids.js';
import type { ProfileFields } from '../../src/domain/organization.js';
import type { StreamFields } from '../../src/domain/stream.js';
import { createLogger } from '../../src/infrastructure/logger.js';
import { anAddedOrganization, anAddedStream, must } from './builders.js';
import { described } from './described.js';
import { keepSecret, overheard, overhearing } from './leak-watch.js';
import { ManualClock } from './manual-clock.js';
import { RecordingMailer } from './recording-mailer.js';

export const VERSION = '1.2.3-test';
export const PASSWORD = 'Correct-Horse-1';

export interface Listener {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

export interface LoggedLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

export interface ServiceOptions {
  /** Off unless asked for: most tests send more than three requests a second. */
  readonly rateLimits?: boolean;
  readonly bcrypt?: BcryptOptions;
  readonly metrics?: HttpMetrics;
  /** False: it does what the OpenAPI document does not foresee. */
  readonly isDescribed?: boolean;
  /** Takes the place of what would otherwise be built. */
  readonly replace?: (dependencies: HttpDependencies) => Partial<HttpDependencies>;
}

const JWT_SECRET = 'a Secret of at least thirty-two bytes';
const LOG_KEY = 'a Key of the tests';

let listeners = 0;

/** The whole interface on in-memory storage, with a clock that moves only when told. */
export function httpService(options: ServiceOptions = {}) {
  const { rateLimits = false, bcrypt = {}, isDescribed = true, replace = () => ({}) } = options;
  const clock = new ManualClock();
  const db = new InMemoryDatabase();
  const secrets = new RandomSecrets();
  const mailer = new RecordingMailer();
  const hasher = new BcryptPasswordHasher({ cost: 4, queueLength: 1_000, ...bcrypt });
  const accessTokens = new JwtAccessTokens([JWT_SECRET]);
  const accounts = new InMemoryAccountRepository(db);
  const organizations = new InMemoryOrganizationRepository(db);
  const votes = new InMemoryVoteRepository(db);
  const deliverMails = new DeliverMails(new InMemoryMailOutbox(db), accounts, mailer, secrets, clock);
  const logged: LoggedLine[] = [];
  const written = createLogger('trace', overhearing);
  const log = (level: LoggedLine['level']) => (fields: object, message: string) => {
    logged.push({ level, fields, message });
    written[level](fields, message);
  };
  const dependencies: HttpDependencies = {
    registerAccount: new RegisterAccount(accounts, hasher, clock),
    activateAccount: new ActivateAccount(accounts, secrets, clock),
    disownAccount: new DisownAccount(accounts, secrets, clock),
    logIn: new LogIn(accounts, new InMemoryLoginFailures(db), hasher, accessTokens, clock),
    requestPasswordReset: new RequestPasswordReset(accounts, clock),
    resetPassword: new ResetPassword(accounts, hasher, secrets, clock),
    castVote: new CastVote(votes, clock),
    viewVotes: new ViewVotes(votes),
    identifySender: new IdentifySender(organizations, secrets),
    updateNowPlaying: new UpdateNowPlaying(new InMemoryNowPlayingRepository(db), secrets, clock),
    directory: new InMemoryDirectoryReadModel(db),
    accessTokens,
    rateLimiter: rateLimits ? new InMemoryRateLimiter(clock) : null,
    clock,
    trustProxy: 1,
    version: VERSION,
    log: { info: log('info'), warn: log('warn'), error: log('error') },
    logKey: LOG_KEY,
    ...(options.metrics ? { metrics: options.metrics } : {}),
  };
  const replaced: Partial<HttpDependencies> = replace(dependencies);
  const plain = createApp({ ...dependencies, ...replaced });
  const watched = overheard(plain, () => hashesIn(db));
  const app = isDescribed ? described(watched, rateLimits && !replaced.rateLimiter) : watched;
  [JWT_SECRET, LOG_KEY].forEach(keepSecret);

  const deliver = () => deliverMails.execute();
  const aListener = (overrides: Partial<Listener> = {}): Listener => {
    listeners += 1;
    return {
      username: `Anna ${listeners}`,
      email: `anna-${listeners}@listener.example`,
      password: PASSWORD,
      ...overrides,
    };
  };
  const register = async (overrides: Partial<Listener> = {}): Promise<Listener> => {
    const listener = aListener(overrides);
    must(await dependencies.registerAccount.execute(listener));
    await deliver();
    return listener;
  };
  const registerAndActivate = async (overrides: Partial<Listener> = {}): Promise<Listener> => {
    const listener = await register(overrides);
    must(await dependencies.activateAccount.execute(mailer.token('activation', listener.email)));
    return listener;
  };
  const logIn = async ({ email, password }: Listener, thirtyDaysLogin = false): Promise<string> =>
    kept(must(await dependencies.logIn.execute({ email, password, thirtyDaysLogin })).accessToken);

  return {
    app,
    http: supertest(app),
    clock,
    db,
    mailer,
    logged,
    log: dependencies.log,
    organizations,
    deliver,
    aListener,
    register,
    registerAndActivate,
    logIn,
    /** The JWT of a new activated account. */
    aJwt: async (): Promise<string> => logIn(await registerAndActivate()),
    addOrganization: (fields: Partial<ProfileFields> = {}): Promise<OrganizationId> =>
      anAddedOrganization(organizations, fields),
    addStream: (
      organization: OrganizationId,
      fields: Partial<StreamFields> = {},
    ): Promise<{ id: StreamId; uuid: StreamUuid }> => anAddedStream(organizations, organization, fields),
    /** The text of a new API token of the organization. */
    addToken: async (organization: OrganizationId): Promise<string> => {
      const token = newOrganizationToken(secrets);
      const hash = secrets.hash(token);
      [token, hash].forEach(keepSecret);
      must(await organizations.addToken(organization, hash, 'test', clock.now()));
      return token;
    },
  };
}

function kept(secret: string): string {
  keepSecret(secret);
  return secret;
}

function hashesIn(db: InMemoryDatabase): string[] {
  return db.accounts
    .all()
    .flatMap(({ passwordHash, tokens }) => [passwordHash, ...tokens.map(({ hash }) => hash)]);
}

export type HttpService = ReturnType<typeof httpService>;

/** The app on a port of the loopback address, for tests that send thousands of requests. */
export async function listening(app: Express): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
