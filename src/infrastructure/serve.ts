import { createServer } from 'node:http';
import { type Check, type ServicePhase, createManagementApp } from '../adapters/http/management.js';
import { apiReference } from '../adapters/http/openapi/api-reference.js';
import { openApiDocument } from '../adapters/http/openapi/document.js';
import type { Config } from './config.js';
import { listenOn, stopListening } from './listening.js';
import { type Logger, createLogger } from './logger.js';
import { type Service, createService, version } from './service.js';

/** A stop that takes so much longer than it may, in milliseconds, never ends. */
const HUNG = 20_000;

/**
 * Runs the server until SIGTERM or SIGINT; a second signal, or anything unforeseen, ends the process at once with 1.
 * SIGTERM comes from whoever also runs the balancer, which needs time to turn away; SIGINT is Ctrl-C, and waits for nobody.
 */
export async function serve(config: Config): Promise<void> {
  const log = createLogger(config.logLevel);
  const fail = (error: unknown) => {
    log.fatal({ err: error }, 'stopped by an error that nothing handles');
    process.exit(1);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  let isServing = false;
  const stop = firstSignal(() => isServing);

  const state: { phase: ServicePhase; checks: Readonly<Record<string, Check>> } = {
    phase: 'starting',
    checks: {},
  };
  const closeManagement = await manage(config, state, log);
  let service: Service | null = null;
  let drainMilliseconds = 0;
  try {
    service = await createService(config, log);
    const { host, port } = await service.listen();
    state.checks = service.checks;
    state.phase = 'serving';
    isServing = true;
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
    log.info({ host, port }, `The radio directory listens on http://${name}:${port}`);
    const signal = await stop;
    state.phase = 'draining';
    if (signal === 'SIGTERM') drainMilliseconds = config.drainMilliseconds;
    log.info({ signal, drainMilliseconds }, 'stopping: finishing the requests in flight');
    setTimeout(() => fail(new Error('The stop did not end.')), drainMilliseconds + HUNG).unref();
  } finally {
    await service?.close(drainMilliseconds);
    await closeManagement();
  }
  log.info('stopped');
}

/** Listens before anything else does, so that a balancer can see a node start. */
async function manage(
  { management, publicUrl }: Config,
  state: { readonly phase: ServicePhase; readonly checks: Readonly<Record<string, Check>> },
  log: Logger,
): Promise<() => Promise<void>> {
  if (management === null) return () => Promise.resolve();
  const app = createManagementApp({
    version,
    phase: () => state.phase,
    checks: () => state.checks,
    apiReference: apiReference(openApiDocument(publicUrl, version)),
    log,
  });
  const server = createServer(app);
  const advice = 'Set MANAGEMENT_PORT and MANAGEMENT_HOST, or leave MANAGEMENT_PORT empty to do without.';
  const { host, port } = await listenOn(server, management, advice);
  log.info({ host, port }, `Probes answer on http://${host}:${port}/readyz`);
  return () => stopListening(server, 0);
}

/** A second signal ends the process, and so does the first while nothing is served yet: a start can be waiting for long. */
function firstSignal(isServing: () => boolean): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => {
        if (isStopping) process.exit(1);
        if (!isServing()) process.exit(0);
        isStopping = true;
        resolve(signal);
      });
  });
}
