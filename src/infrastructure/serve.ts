import { createLogger } from './logger.js';
import type { Config } from './config.js';
import { createService } from './service.js';

/** Runs the server until SIGTERM or SIGINT; a second signal, or anything unforeseen, ends the process at once with 1. */
export async function serve(config: Config): Promise<void> {
  const log = createLogger(config.logLevel);
  const fail = (error: unknown) => {
    log.fatal({ err: error }, 'stopped by an error that nothing handles');
    process.exit(1);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  const stop = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => {
        if (stopping) process.exit(1);
        stopping = true;
        resolve(signal);
      });
  });
  let stopping = false;

  const service = await createService(config, log);
  try {
    const { host, port } = await service.listen();
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
    log.info({ host, port }, `The radio directory listens on http://${name}:${port}`);
    log.info({ signal: await stop }, 'stopping: finishing the requests in flight');
  } finally {
    await service.close();
  }
  log.info('stopped');
}
