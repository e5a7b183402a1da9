import 'reflect-metadata';
import {
  type Bind,
  Container,
  ContainerModule,
  type MapToResolvedValueInjectOptions,
  type ServiceIdentifier,
} from 'inversify';
import {
  ActivateAccount,
  ActivateAccountByHand,
  DisownAccount,
  LogIn,
  RegisterAccount,
  RemoveAccount,
  RequestPasswordReset,
  ResetPassword,
} from '../application/accounts.js';
import { DeliverMails } from '../application/mail-delivery.js';
import { PinHighlight, RecomputeHighlights, UnpinHighlight } from '../application/highlights.js';
import { ImportStations } from '../application/import-stations.js';
import { IdentifySender, UpdateNowPlaying } from '../application/now-playing.js';
import {
  AddOrganization,
  AddStream,
  IssueOrganizationToken,
  UpdateOrganization,
  UpdateStream,
} from '../application/organizations.js';
import type { AccessTokens } from '../application/ports/access-tokens.js';
import type { AccountRepository, LoginFailures } from '../application/ports/account-repository.js';
import type { BulkDirectory } from '../application/ports/bulk-directory.js';
import type { Clock } from '../application/ports/clock.js';
import type { DirectoryReadModel } from '../application/ports/directory-read-model.js';
import type { HighlightRepository } from '../application/ports/highlight-repository.js';
import type { MailOutbox } from '../application/ports/mail-outbox.js';
import type { Mailer } from '../application/ports/mailer.js';
import type { NowPlayingRepository } from '../application/ports/now-playing-repository.js';
import type { OrganizationRepository } from '../application/ports/organization-repository.js';
import type { PasswordHasher } from '../application/ports/password-hasher.js';
import type { RateLimiter } from '../application/ports/rate-limiter.js';
import type { Secrets } from '../application/ports/secrets.js';
import type { StreamChecks } from '../application/ports/stream-checks.js';
import type { VoteRepository } from '../application/ports/vote-repository.js';
import { CastVote, ViewVotes } from '../application/voting.js';
import { InMemoryAccountRepository } from '../adapters/in-memory/in-memory-account-repository.js';
import { InMemoryBulkDirectory } from '../adapters/in-memory/in-memory-bulk-directory.js';
import { InMemoryDatabase } from '../adapters/in-memory/in-memory-database.js';
import { InMemoryDirectoryReadModel } from '../adapters/in-memory/in-memory-directory-read-model.js';
import { InMemoryHighlightRepository } from '../adapters/in-memory/in-memory-highlight-repository.js';
import { InMemoryLoginFailures } from '../adapters/in-memory/in-memory-login-failures.js';
import { InMemoryMailOutbox } from '../adapters/in-memory/in-memory-mail-outbox.js';
import { InMemoryNowPlayingRepository } from '../adapters/in-memory/in-memory-now-playing-repository.js';
import { InMemoryOrganizationRepository } from '../adapters/in-memory/in-memory-organization-repository.js';
import { InMemoryRateLimiter } from '../adapters/in-memory/in-memory-rate-limiter.js';
import { InMemoryStreamChecks } from '../adapters/in-memory/in-memory-stream-checks.js';
import { InMemoryVoteRepository } from '../adapters/in-memory/in-memory-vote-repository.js';
import { BcryptPasswordHasher } from '../adapters/node/bcrypt-password-hasher.js';
import { JwtAccessTokens } from '../adapters/node/jwt-access-tokens.js';
import { RandomSecrets } from '../adapters/node/random-secrets.js';
import { SystemClock } from '../adapters/node/system-clock.js';
import { PostgresAccountRepository } from '../adapters/postgres/postgres-account-repository.js';
import { PostgresBulkDirectory } from '../adapters/postgres/postgres-bulk-directory.js';
import { type PostgresConnection, PostgresDatabase } from '../adapters/postgres/postgres-database.js';
import { PostgresDirectoryReadModel } from '../adapters/postgres/postgres-directory-read-model.js';
import { PostgresHighlightRepository } from '../adapters/postgres/postgres-highlight-repository.js';
import { PostgresLoginFailures } from '../adapters/postgres/postgres-login-failures.js';
import { PostgresMailOutbox } from '../adapters/postgres/postgres-mail-outbox.js';
import { PostgresNowPlayingRepository } from '../adapters/postgres/postgres-now-playing-repository.js';
import { PostgresOrganizationRepository } from '../adapters/postgres/postgres-organization-repository.js';
import {
  ReplicatedDirectoryReadModel,
  ReplicatedNowPlayingRepository,
} from '../adapters/postgres/replicated-directory.js';
import { type ReplicaListener, Replication } from '../adapters/postgres/replication.js';
import { PostgresStreamChecks } from '../adapters/postgres/postgres-stream-checks.js';
import { PostgresVoteRepository } from '../adapters/postgres/postgres-vote-repository.js';
import { connectRedis } from '../adapters/redis/redis-connection.js';
import { RedisRateLimiter } from '../adapters/redis/redis-rate-limiter.js';
import { SmtpMailer } from '../adapters/smtp/smtp-mailer.js';
import { FailoverRateLimiter, type SharingState } from './failover-rate-limiter.js';

/** Interfaces leave no trace at run time, so each port gets a key that carries its type. A class is its own key. */
const key = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

export const PORT = {
  accessTokens: key<AccessTokens>('AccessTokens'),
  accounts: key<AccountRepository>('AccountRepository'),
  bulk: key<BulkDirectory>('BulkDirectory'),
  clock: key<Clock>('Clock'),
  directory: key<DirectoryReadModel>('DirectoryReadModel'),
  highlights: key<HighlightRepository>('HighlightRepository'),
  loginFailures: key<LoginFailures>('LoginFailures'),
  mailer: key<Mailer>('Mailer'),
  mailOutbox: key<MailOutbox>('MailOutbox'),
  nowPlaying: key<NowPlayingRepository>('NowPlayingRepository'),
  organizations: key<OrganizationRepository>('OrganizationRepository'),
  passwordHasher: key<PasswordHasher>('PasswordHasher'),
  rateLimiter: key<RateLimiter>('RateLimiter'),
  secrets: key<Secrets>('Secrets'),
  streamChecks: key<StreamChecks>('StreamChecks'),
  votes: key<VoteRepository>('VoteRepository'),
};

const REPLICA = {
  database: key<PostgresDatabase>('Database of the replica'),
  directory: key<DirectoryReadModel>('DirectoryReadModel of the replica'),
};

/** Binds an undecorated class; its constructor types are checked against `dependencies`. */
export function construct<T, Args extends unknown[]>(
  bind: Bind,
  id: ServiceIdentifier<T>,
  type: new (...args: Args) => NoInfer<T>,
  dependencies: MapToResolvedValueInjectOptions<Args>,
): void {
  bind(id).toResolvedValue((...args: Args) => new type(...args), dependencies);
}

export const useCases = new ContainerModule(({ bind }) => {
  const { accounts, clock, mailOutbox, mailer, nowPlaying, organizations, passwordHasher, secrets, votes } =
    PORT;
  construct(bind, RegisterAccount, RegisterAccount, [accounts, passwordHasher, clock]);
  construct(bind, ActivateAccount, ActivateAccount, [accounts, secrets, clock]);
  construct(bind, ActivateAccountByHand, ActivateAccountByHand, [accounts, clock]);
  construct(bind, RemoveAccount, RemoveAccount, [accounts, clock]);
  construct(bind, DisownAccount, DisownAccount, [accounts, secrets, clock]);
  construct(bind, LogIn, LogIn, [accounts, PORT.loginFailures, passwordHasher, PORT.accessTokens, clock]);
  construct(bind, RequestPasswordReset, RequestPasswordReset, [accounts, clock]);
  construct(bind, ResetPassword, ResetPassword, [accounts, passwordHasher, secrets, clock]);
  construct(bind, DeliverMails, DeliverMails, [mailOutbox, accounts, mailer, secrets, clock]);
  construct(bind, CastVote, CastVote, [votes, clock]);
  construct(bind, ViewVotes, ViewVotes, [votes]);
  construct(bind, IdentifySender, IdentifySender, [organizations, secrets]);
  construct(bind, UpdateNowPlaying, UpdateNowPlaying, [nowPlaying, secrets, clock]);
  construct(bind, AddOrganization, AddOrganization, [organizations, clock]);
  construct(bind, UpdateOrganization, UpdateOrganization, [organizations]);
  construct(bind, AddStream, AddStream, [organizations, secrets, clock]);
  construct(bind, RecomputeHighlights, RecomputeHighlights, [PORT.highlights, clock]);
  construct(bind, PinHighlight, PinHighlight, [PORT.highlights, RecomputeHighlights, clock]);
  construct(bind, UnpinHighlight, UnpinHighlight, [PORT.highlights, RecomputeHighlights, clock]);
  construct(bind, UpdateStream, UpdateStream, [organizations]);
  construct(bind, IssueOrganizationToken, IssueOrganizationToken, [organizations, secrets, clock]);
  construct(bind, ImportStations, ImportStations, [organizations, PORT.bulk, secrets, clock]);
});

export const inMemoryStorage = (): ContainerModule =>
  new ContainerModule(({ bind }) => {
    construct(bind, InMemoryDatabase, InMemoryDatabase, []);
    construct(bind, PORT.accounts, InMemoryAccountRepository, [InMemoryDatabase]);
    construct(bind, PORT.loginFailures, InMemoryLoginFailures, [InMemoryDatabase]);
    construct(bind, PORT.mailOutbox, InMemoryMailOutbox, [InMemoryDatabase]);
    construct(bind, PORT.votes, InMemoryVoteRepository, [InMemoryDatabase]);
    construct(bind, PORT.nowPlaying, InMemoryNowPlayingRepository, [InMemoryDatabase]);
    construct(bind, PORT.organizations, InMemoryOrganizationRepository, [InMemoryDatabase]);
    construct(bind, PORT.highlights, InMemoryHighlightRepository, [InMemoryDatabase]);
    construct(bind, PORT.bulk, InMemoryBulkDirectory, [InMemoryDatabase]);
    construct(bind, PORT.streamChecks, InMemoryStreamChecks, [InMemoryDatabase]);
    construct(bind, PORT.directory, InMemoryDirectoryReadModel, [InMemoryDatabase]);
  });

/** @param replica where reads may go that may be a moment old */
export const postgresStorage = (
  connection: PostgresConnection,
  replica: { readonly url: string; readonly onChange: ReplicaListener } | null = null,
): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(PostgresDatabase)
      .toResolvedValue(() => new PostgresDatabase(connection), [])
      .onDeactivation((database) => database.close());
    construct(bind, PORT.accounts, PostgresAccountRepository, [PostgresDatabase]);
    construct(bind, PORT.loginFailures, PostgresLoginFailures, [PostgresDatabase]);
    construct(bind, PORT.mailOutbox, PostgresMailOutbox, [PostgresDatabase]);
    construct(bind, PORT.votes, PostgresVoteRepository, [PostgresDatabase]);
    construct(bind, PostgresNowPlayingRepository, PostgresNowPlayingRepository, [PostgresDatabase]);
    construct(bind, PORT.organizations, PostgresOrganizationRepository, [PostgresDatabase]);
    construct(bind, PORT.highlights, PostgresHighlightRepository, [PostgresDatabase]);
    construct(bind, PORT.bulk, PostgresBulkDirectory, [PostgresDatabase]);
    construct(bind, PORT.streamChecks, PostgresStreamChecks, [PostgresDatabase]);
    construct(bind, PostgresDirectoryReadModel, PostgresDirectoryReadModel, [PostgresDatabase]);
    if (replica === null) {
      bind(PORT.nowPlaying).toService(PostgresNowPlayingRepository);
      bind(PORT.directory).toService(PostgresDirectoryReadModel);
      return;
    }
    const { database, directory } = REPLICA;
    bind(database)
      .toResolvedValue(() => new PostgresDatabase({ url: replica.url }), [])
      .onDeactivation((standby) => standby.close());
    construct(bind, directory, PostgresDirectoryReadModel, [database]);
    bind(Replication)
      .toResolvedValue(
        (primary, standby) => new Replication(primary, standby, replica.onChange).start(),
        [PostgresDatabase, database],
      )
      .onDeactivation((replication) => replication.stop());
    construct(bind, PORT.directory, ReplicatedDirectoryReadModel, [
      PostgresDirectoryReadModel,
      directory,
      Replication,
    ]);
    construct(bind, PORT.nowPlaying, ReplicatedNowPlayingRepository, [
      PostgresNowPlayingRepository,
      Replication,
    ]);
  });

export const nodeServices = (options: {
  jwtSecrets: () => readonly string[];
  bcryptCost?: number;
}): ContainerModule =>
  new ContainerModule(({ bind }) => {
    construct(bind, PORT.clock, SystemClock, []);
    construct(bind, PORT.secrets, RandomSecrets, []);
    bind(PORT.accessTokens).toResolvedValue(() => new JwtAccessTokens(options.jwtSecrets()), []);
    bind(PORT.passwordHasher).toResolvedValue(
      () => new BcryptPasswordHasher(options.bcryptCost === undefined ? {} : { cost: options.bcryptCost }),
      [],
    );
    construct(bind, PORT.rateLimiter, InMemoryRateLimiter, [PORT.clock]);
  });

/** Limits that all processes on one Redis share; per process while it is away. */
export const redisRateLimits = (
  urls: readonly string[],
  onChange: (state: SharingState, failure?: unknown) => void,
): ContainerModule =>
  new ContainerModule(({ bind, rebind }) => {
    construct(bind, InMemoryRateLimiter, InMemoryRateLimiter, [PORT.clock]);
    bind(RedisRateLimiter)
      .toResolvedValue(() => new RedisRateLimiter(connectRedis(urls)), [])
      .onDeactivation((limiter) => limiter.close());
    bind(FailoverRateLimiter)
      .toResolvedValue(
        (shared: RedisRateLimiter, own: InMemoryRateLimiter) =>
          new FailoverRateLimiter(shared, own, onChange),
        [RedisRateLimiter, InMemoryRateLimiter],
      )
      .onDeactivation((limiter) => limiter.close());
    rebind(PORT.rateLimiter).toService(FailoverRateLimiter);
  });

export const mails = (mailer: () => Mailer): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(PORT.mailer)
      .toResolvedValue(mailer, [])
      .onDeactivation((bound) => (bound instanceof SmtpMailer ? bound.close() : undefined));
  });

/** The databases that a container holds, by what they are for, and how far the replica has followed. */
export function databasesIn(container: Container): {
  readonly pools: Readonly<Record<string, PostgresDatabase>>;
  readonly replication: Replication | null;
} {
  if (!container.isBound(PostgresDatabase)) return { pools: {}, replication: null };
  const primary = container.get(PostgresDatabase);
  if (!container.isBound(Replication)) return { pools: { primary }, replication: null };
  return {
    pools: { primary, replica: container.get(REPLICA.database) },
    replication: container.get(Replication),
  };
}

/** A host's own adapter in the place of ours. Goes last: later modules win. */
export const adapterFor = <T>(port: ServiceIdentifier<T>, create: () => NoInfer<T>): ContainerModule =>
  new ContainerModule(({ rebind }) => {
    rebind(port).toResolvedValue(create, []);
  });

/** Later modules win, when they `rebind`. */
export function createContainer(...modules: ContainerModule[]): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(...modules);
  return container;
}
