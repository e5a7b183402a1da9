import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clients } from './checker.js';
import { JWT_SECRET } from './filled-directory.js';
import { type RunningService, startService } from './running-service.js';

/** A process of the service and clients that know its address only. */
export interface Node {
  readonly service: RunningService;
  readonly clients: Clients;
}

export interface Nodes {
  readonly nodes: readonly Node[];
  stop(): Promise<void>;
}

/** Nobody listens there: what is owed stays in the outbox. */
const NO_MAIL_SERVER = 'smtp://127.0.0.1:1';

/** Several processes of the built service, started at once on one database. */
export async function startNodes(
  count: number,
  database: string,
  environment: Record<string, string> = {},
): Promise<Nodes> {
  const started = await Promise.all(
    Array.from({ length: count }, async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'radio-directory-node-'));
      const service = await startService(dataDir, {
        DATABASE_URL: database,
        JWT_SECRETS: JWT_SECRET,
        RATE_LIMITS: 'off',
        SMTP_URL: NO_MAIL_SERVER,
        LOG_LEVEL: 'warn',
        ...environment,
      });
      return { dataDir, service, clients: new Clients(service.url) };
    }),
  );
  return {
    nodes: started,
    stop: async () => {
      for (const { clients, service, dataDir } of started) {
        clients.close();
        if (service.process.exitCode === null && service.process.signalCode === null)
          await service.end('SIGKILL');
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  };
}

/** The resident memory of a process, in MiB. */
export function memoryOf({ service }: Node): number {
  const status = readFileSync(`/proc/${service.process.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1_024);
}

/** Asks until the answer is right; resolves to the milliseconds that it took. */
export async function untilTrue(isRight: () => Promise<boolean>, milliseconds = 10_000): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    if (await isRight()) return Math.round(performance.now() - startedAt);
    if (performance.now() - startedAt > milliseconds)
      throw new Error(`Still not so after ${milliseconds} ms.`);
    await new Promise((tick) => setTimeout(tick, 10));
  }
}
