import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '../application/errors.js';
import { type Check, type ServicePhase, createManagementApp } from '../adapters/http/management.js';
import { apiReference } from '../adapters/http/openapi/api-reference.js';
import { openApiDocument } from '../adapters/http/openapi/document.js';
import { createManagementServer } from '../adapters/http/server.js';
import type { Config } from './config.js';
import { type Address, listenOn, stopListening } from './listening.js';
import { type Logger, createLogger } from './logger.js';
import { type Service, createService, version } from './service.js';
import { type StopSignal, onFirstSignal } from './signals.js';

/** A stop that takes so much longer than it may, in milliseconds, never ends. */
const HUNG = 20_000;

/** Milliseconds between two attempts to start while the database is away; each so many are told to the log. */
const RETRY_PAUSE = 1_000;
const REMINDER = 30;

/** Where a server listens. `management` is null where that is off. */
export interface ServerAddresses extends Address {
  readonly management: Address | null;
}

/** What the management listener tells, as the process comes and goes. */
interface ServerState {
  phase: ServicePhase;
  checks: Readonly<Record<string, Check>>;
  metrics: () => Promise<string | null>;
}

/**
 * Runs the server until SIGTERM or SIGINT; a second signal, or anything unforeseen, ends the process at once with 1.
 * SIGTERM comes from whoever also runs the balancer, which needs time to turn away; SIGINT is Ctrl-C, and waits for nobody.
 * @param announce told once where it listens; standard output is left to it, and the log goes to standard error
 */
export async function serve(config: Config, announce?: (addresses: ServerAddresses) => void): Promise<void> {
  const log = createLogger(config.logLevel, announce ? 'stderr' : 'stdout');
  const fail = (error: unknown) => {
    log.fatal({ err: error }, 'stopped by an error that nothing handles');
    process.exit(1);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  let isServing = false;
  const stop = new Promise<StopSignal>((resolve) => {
    onFirstSignal((signal) => {
      // A start can be waiting for long, and has nothing to finish.
      if (!isServing) process.exit(0);
      resolve(signal);
    });
  });

  const state: ServerState = { phase: 'starting', checks: {}, metrics: () => Promise.resolve(null) };
  const management = await manage(config, state, log);
  let service: Service | null = null;
  let drainMilliseconds = 0;
  try {
    service = await started(config, state, log);
    state.metrics = service.metrics;
    const { host, port } = await service.listen();
    state.checks = service.checks;
    state.phase = 'serving';
    isServing = true;
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
    announce?.({ host, port, management: management.address });
    log.info({ host, port }, `The radio directory listens on http://${name}:${port}`);
    const signal = await stop;
    state.phase = 'draining';
    if (signal === 'SIGTERM') drainMilliseconds = config.drainMilliseconds;
    log.info({ signal, drainMilliseconds }, 'stopping: finishing the requests in flight');
    setTimeout(() => fail(new Error('The stop did not end.')), drainMilliseconds + HUNG).unref();
  } finally {
    await service?.close(drainMilliseconds);
    await management.close();
  }
  log.info('stopped');
}

/** Waits for a database that is away: a node that starts during an outage is there when it is over. */
async function started(config: Config, state: ServerState, log: Logger): Promise<Service> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await createService(config, log);
    } catch (error) {
      if (!(error instanceof Unavailable) || config.database.kind !== 'postgres') throw error;
      state.checks = { database: () => Promise.reject(error) };
      if (attempt % REMINDER === 0)
        log.warn(`${error.message}. Trying again until it is; 'radio-directory doctor' says what is wrong.`);
      await pause(RETRY_PAUSE);
    }
  }
}

/** Listens before anything else does, so that a balancer can see a node start. */
async function manage(
  { management, publicUrl }: Config,
  state: Readonly<ServerState>,
  log: Logger,
): Promise<{ readonly address: Address | null; close(): Promise<void> }> {
  if (management === null) return { address: null, close: () => Promise.resolve() };
  const app = createManagementApp({
    version,
    phase: () => state.phase,
    checks: () => state.checks,
    metrics: () => state.metrics(),
    apiReference: apiReference(openApiDocument(publicUrl, version)),
    log,
  });
  const server = createManagementServer(app);
  const advice = 'Set MANAGEMENT_PORT and MANAGEMENT_HOST, or leave MANAGEMENT_PORT empty to do without.';
  const address = await listenOn(server, management, advice);
  const { host, port } = address;
  log.info({ host, port }, `Probes and metrics answer on http://${host}:${port}/readyz and /metrics`);
  return { address, close: () => stopListening(server, 0) };
}
