import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import {
  ActivateAccount,
  DeliverMails,
  DisownAccount,
  LogIn,
  RegisterAccount,
  RequestPasswordReset,
  ResetPassword,
} from '../application/accounts.js';
import { ImportStations } from '../application/import-stations.js';
import { IdentifySender, UpdateNowPlaying } from '../application/now-playing.js';
import type { Mailer } from '../application/ports/mailer.js';
import { CastVote, ViewVotes } from '../application/voting.js';
import { createApp } from '../adapters/http/app.js';
import { createHttpServer } from '../adapters/http/server.js';
import { FileMailer } from '../adapters/smtp/file-mailer.js';
import { SmtpMailer } from '../adapters/smtp/smtp-mailer.js';
import type { Config } from './config.js';
import { PORT, createContainer, mails, nodeServices, useCases } from './container.js';
import { jwtSecretFrom } from './jwt-secret-file.js';
import { type Logger, createLogger } from './logger.js';
import { MailWorker } from './mail-worker.js';
import { sampleStations } from './sample-stations.js';
import { type Storage, openStorage } from './storage.js';

/** The whole directory in this process. */
export interface Service {
  /** The Express application, for a host that has its own server. */
  readonly app: ReturnType<typeof createApp>;
  /** Serves on the configured address; the address that others reach it at. */
  listen(): Promise<{ readonly host: string; readonly port: number }>;
  /** Takes no new requests, finishes those in flight (at most 10 s), ends the mail worker, closes the storage. */
  close(): Promise<void>;
}

/** Nothing can listen there. Its message tells an operator what to do. */
export class AddressUnusable extends Error {
  override readonly name = 'AddressUnusable';

  constructor({ host, port }: Pick<Config, 'host' | 'port'>, cause: NodeJS.ErrnoException) {
    const reasons: Record<string, string> = {
      EADDRINUSE: 'another process listens there already',
      EACCES: 'this user may not use it',
      EADDRNOTAVAIL: 'this machine has no such address',
    };
    super(
      `Cannot listen on port ${port} of ${host}: ${reasons[cause.code ?? ''] ?? cause.message}. Set PORT and HOST.`,
      { cause },
    );
  }
}

/** Requests in flight get this long after a stop was asked for, in milliseconds. */
const DRAIN = 10_000;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/**
 * Opens the storage, brings its schema up to date, fills a new directory with the sample stations, wires everything.
 * Reads nothing from the environment. Mails are sent from now on, requests are taken after `listen`.
 */
export async function createService(
  config: Config,
  log: Logger = createLogger(config.logLevel),
): Promise<Service> {
  warnOfRisks(config, log);
  const storage = await openStorage(config, 'server');
  try {
    return await startOn(storage, config, log);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function startOn(storage: Storage, config: Config, log: Logger): Promise<Service> {
  for (const name of await storage.migrations.up()) log.info({ migration: name }, 'migration applied');
  const container = createContainer(
    useCases,
    storage.module,
    nodeServices({ jwtSecrets: () => jwtSecrets(config) }),
    mails(() => createMailer(config, log)),
  );
  if (
    config.sampleData === 'on' ||
    (config.sampleData === 'when-new' &&
      config.database.kind === 'embedded' &&
      storage.isNew &&
      !config.production)
  ) {
    const { added, organizations } = await container
      .get(ImportStations)
      .execute(sampleStations(), { fallbackOrganizationName: 'Sample stations' });
    log.info(
      { streams: added, organizations },
      'filled the new directory with sample stations (SAMPLE_DATA)',
    );
  }
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
    directory: container.get(PORT.directory),
    accessTokens: container.get(PORT.accessTokens),
    rateLimiter: config.rateLimits ? container.get(PORT.rateLimiter) : null,
    clock: container.get(PORT.clock),
    trustProxy: config.trustProxy,
    version,
    log,
  });
  const server = createHttpServer(app);
  const mailWorker = new MailWorker(container.get(DeliverMails), log);
  mailWorker.start();

  return {
    app,
    async listen() {
      server.listen(config.port, config.host);
      await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
        throw error.code === undefined ? error : new AddressUnusable(config, error);
      });
      const { address, port } = server.address() as AddressInfo;
      return { host: address, port };
    },
    async close() {
      await stopServing(server);
      await mailWorker.stop();
      await container.unbindAllAsync();
      await storage.close();
    },
  };
}

async function stopServing(server: ReturnType<typeof createHttpServer>): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN);
  await closed;
  clearTimeout(cut);
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

function warnOfRisks(config: Config, log: Logger): void {
  if (!config.rateLimits)
    log.warn('RATE_LIMITS=off: nothing limits how often a client may call. For tests and benchmarks only.');
  if (config.trustProxy === true)
    log.warn(
      'TRUST_PROXY=true: every client can choose the address it is counted by. Name your proxies instead.',
    );
  if (config.redisUrls.length > 0)
    log.warn('REDIS_URL is set, but this version counts limits per process only.');
}
