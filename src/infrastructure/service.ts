import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  ActivateAccount,
  DisownAccount,
  LogIn,
  RegisterAccount,
  RequestPasswordReset,
  ResetPassword,
} from '../application/accounts.js';
import { DeliverMails } from '../application/mail-delivery.js';
import { RecomputeHighlights } from '../application/highlights.js';
import { ImportStations } from '../application/import-stations.js';
import { IdentifySender, UpdateNowPlaying } from '../application/now-playing.js';
import type { Mailer } from '../application/ports/mailer.js';
import type { OrganizationRepository } from '../application/ports/organization-repository.js';
import { CastVote, ViewVotes } from '../application/voting.js';
import { createApp } from '../adapters/http/app.js';
import type { Check } from '../adapters/http/management.js';
import { createHttpServer } from '../adapters/http/server.js';
import type { ReplicaListener } from '../adapters/postgres/replication.js';
import { PrometheusMetrics } from '../adapters/prometheus/prometheus-metrics.js';
import { FileMailer } from '../adapters/smtp/file-mailer.js';
import { SmtpMailer } from '../adapters/smtp/smtp-mailer.js';
import type { Config } from './config.js';
import {
  PORT,
  createContainer,
  databasesIn,
  mails,
  nodeServices,
  redisRateLimits,
  useCases,
} from './container.js';
import { reasonOf } from './doctor/finding.js';
import { FailoverRateLimiter, type SharingState } from './failover-rate-limiter.js';
import { type Address, listenOn, stopListening } from './listening.js';
import { HighlightWorker } from './highlight-worker.js';
import { jwtSecretFrom } from './jwt-secret-file.js';
import { LastGoodStreams } from './last-good-streams.js';
import { type Logger, createLogger } from './logger.js';
import { MailWorker } from './mail-worker.js';
import { sampleStations } from './sample-stations.js';
import { type Storage, openStorage } from './storage.js';

/** The whole directory in this process. */
export interface Service {
  /** The Express application, for a host that has its own server. */
  readonly app: ReturnType<typeof createApp>;
  /** Serves on the configured address; the address that others reach it at. Rejects once the service is closed. */
  listen(): Promise<Address>;
  /** What it cannot do without, each by its name. */
  readonly checks: Readonly<Record<string, Check>>;
  /** How it does, in Prometheus's text format. Never waits for a storage that does not answer. */
  readonly metrics: () => Promise<string>;
  /**
   * Takes no new requests, finishes those in flight (at most 10 s), ends the mail worker, closes the storage.
   * @param drainMilliseconds so long new requests are still taken, but every answer ends its connection
   */
  close(drainMilliseconds?: number): Promise<void>;
}

/** What is in flight gets this long after a stop, in milliseconds. */
const GRACE = 10_000;
/** How long a start waits for Redis, in milliseconds. */
const REDIS_PATIENCE = 1_000;

export const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as {
  version: string;
};

/**
 * Opens the storage, brings its schema up to date, fills a new directory with the sample stations, wires everything.
 * Reads nothing from the environment. Mails are sent from now on, requests are taken after `listen`.
 * @param modules a host's own adapters: see `adapterFor`
 */
export async function createService(
  config: Config,
  log: Logger = createLogger(config.logLevel),
  modules: readonly Storage['module'][] = [],
): Promise<Service> {
  const storage = await openStorage(config, 'server', reportReplica(log));
  try {
    return await startOn(storage, config, log, modules);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function startOn(
  storage: Storage,
  config: Config,
  log: Logger,
  modules: readonly Storage['module'][],
): Promise<Service> {
  for (const name of await storage.migrations.up()) log.info({ migration: name }, 'migration applied');
  const newer = (await storage.migrations.status()).filter(({ isKnown }) => !isKnown).map(({ name }) => name);
  if (newer.length > 0)
    log.warn({ migrations: newer }, 'a newer version has changed the schema; this one goes on beside it');
  warnOfRisks(config, log);
  const secrets = jwtSecrets(config);
  const metrics = new PrometheusMetrics({ version, node: process.version });
  const container = createContainer(
    useCases,
    storage.module,
    nodeServices({ jwtSecrets: () => secrets }),
    mails(() => createMailer(config, log)),
    ...(config.redisUrls.length > 0 ? [redisRateLimits(config.redisUrls, reportSharing(log, metrics))] : []),
    ...modules,
  );
  try {
    return await serviceIn(container, storage, config, log, metrics, secrets);
  } catch (error) {
    await container.unbindAllAsync();
    throw error;
  }
}

/** What it opens beside the container's own only starts when nothing can fail any more. */
async function serviceIn(
  container: ReturnType<typeof createContainer>,
  storage: Storage,
  config: Config,
  log: Logger,
  metrics: PrometheusMetrics,
  secrets: readonly string[],
): Promise<Service> {
  await fill(storage, config, container.get(PORT.organizations), container.get(ImportStations), log);
  const directory = new LastGoodStreams(container.get(PORT.directory), log);
  // The storage may be away when somebody first asks.
  await directory.streams();
  const app = createApp({
    registerAccount: container.get(RegisterAccount),
    activateAccount: container.get(ActivateAccount),
    disownAccount: container.get(DisownAccount),
    logIn: container.get(LogIn),
    requestPasswordReset: container.get(RequestPasswordReset),
    resetPassword: container.get(ResetPassword),
    castVote: container.get(CastVote),
    viewVotes: container.get(ViewVotes),
    identifySender: container.get(IdentifySender),
    updateNowPlaying: container.get(UpdateNowPlaying),
    directory,
    accessTokens: container.get(PORT.accessTokens),
    rateLimiter: config.rateLimits ? container.get(PORT.rateLimiter) : null,
    clock: container.get(PORT.clock),
    trustProxy: config.trustProxy,
    version,
    log,
    logKey: createHmac('sha256', secrets[0] ?? '')
      .update('emails in the log')
      .digest(),
    metrics,
  });
  const limiter = config.rateLimits ? container.get(PORT.rateLimiter) : null;
  if (limiter instanceof FailoverRateLimiter) await limiter.open(REDIS_PATIENCE);
  const server = createHttpServer(app, log, metrics);
  const mailWorker = new MailWorker(container.get(DeliverMails), log, metrics);
  const recompute = container.get(RecomputeHighlights);
  const highlightWorker = new HighlightWorker(recompute, container.get(PORT.clock), log);
  observe(metrics, container, directory);
  mailWorker.start();
  highlightWorker.start();

  let isClosed = false;
  let listening: Promise<unknown> = Promise.resolve();
  return {
    app,
    async listen() {
      if (isClosed) throw new Error('This service is closed. Create another one to listen again.');
      const address = listenOn(server, config, 'Set PORT and HOST.');
      listening = Promise.allSettled([listening, address]);
      return address;
    },
    checks: { database: () => storage.ping() },
    metrics: () => metrics.exposition(),
    async close(drainMilliseconds = 0) {
      isClosed = true;
      server.announceClose();
      const mailsLeft = mailWorker.stop(drainMilliseconds + GRACE);
      await listening;
      if (server.listening) await pause(drainMilliseconds);
      await stopListening(server, GRACE);
      await mailsLeft;
      await highlightWorker.stop();
      await container.unbindAllAsync();
      await storage.close();
    },
  };
}

function observe(
  metrics: PrometheusMetrics,
  container: ReturnType<typeof createContainer>,
  streamList: LastGoodStreams,
): void {
  const { pools, replication } = databasesIn(container);
  const readModel = container.get(PORT.directory);
  const outbox = container.get(PORT.mailOutbox);
  const clock = container.get(PORT.clock);
  metrics.watch({
    databases: pools,
    replica: replication,
    streamList,
    figures: async () => {
      const now = clock.now();
      const [directory, mails] = await Promise.all([readModel.statistics(), outbox.counts(now)]);
      const { oldestOwedSince } = mails;
      return { directory, mails, oldestMailAge: oldestOwedSince === null ? 0 : now - oldestOwedSince };
    },
  });
}

/** With the sample stations, if nobody has put anything there before. */
async function fill(
  storage: Storage,
  { sampleData, production }: Config,
  organizations: OrganizationRepository,
  importStations: ImportStations,
  log: Logger,
): Promise<void> {
  const isUntouched = storage.isNew && !production && (await organizations.list()).length === 0;
  if (sampleData === 'on' || (sampleData === 'when-new' && isUntouched)) {
    const samples = { fallbackOrganizationName: 'Sample stations' };
    const { added } = await importStations.execute(sampleStations(), samples);
    if (added > 0) log.info({ streams: added }, 'filled the directory with sample stations (SAMPLE_DATA)');
  }
  await storage.settle();
}

function reportReplica(log: Logger): ReplicaListener {
  return (state, failure) => {
    if (state === 'in-use') log.info('the replica is read (DATABASE_REPLICA_URL)');
    else if (state === 'lost')
      log.warn({ reason: reasonOf(failure) }, 'the replica does not answer: the primary is read instead');
    else if (state === 'behind') log.warn('the replica is more than 5 s behind: the primary is read instead');
    else log.warn('DATABASE_REPLICA_URL names no replica of the primary, which is read instead');
  };
}

function jwtSecrets(config: Config): readonly string[] {
  if (config.jwtSecrets) return config.jwtSecrets;
  // Nothing outlives an in-memory directory, its logins included.
  return [
    config.database.kind === 'memory' ? randomBytes(48).toString('base64url') : jwtSecretFrom(config.dataDir),
  ];
}

function createMailer({ smtpUrl, mailFrom, publicUrl, dataDir }: Config, log: Logger): Mailer {
  if (smtpUrl !== null) return new SmtpMailer({ url: smtpUrl, from: mailFrom, publicUrl });
  return new FileMailer({
    folder: join(dataDir, 'mail'),
    from: mailFrom,
    publicUrl,
    announce: ({ file, kind }) =>
      log.info({ kind, file }, `No SMTP_URL is set: the ${kind} mail is in ${file}`),
  });
}

/** Only the failure's message: what else ioredis puts into an error can be the password. */
function reportSharing(
  log: Logger,
  metrics: PrometheusMetrics,
): (state: SharingState, failure?: unknown) => void {
  return (state, failure) => {
    metrics.limitsCounted(state);
    if (state === 'shared') return log.info('Redis answers: limits are shared by all processes on it.');
    log.warn(
      { reason: reasonOf(failure) },
      'Redis does not answer: until it does, this process counts limits by itself.',
    );
  };
}

function warnOfRisks(config: Config, log: Logger): void {
  if (!config.rateLimits)
    log.warn('RATE_LIMITS=off: nothing limits how often a client may call. For tests and benchmarks only.');
  if (config.trustProxy === true)
    log.warn(
      'TRUST_PROXY=true: every client can choose the address it is counted by. Name your proxies instead.',
    );
}
