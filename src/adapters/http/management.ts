import express, { type Express, type Response, type Router } from 'express';
import type { HttpLog } from './dependencies.js';
import { lastResort, sendError } from './error-responses.js';

export type ServicePhase = 'starting' | 'serving' | 'draining';

/** Resolves while what it looks at works; rejects with the reason otherwise. */
export type Check = () => Promise<void>;

export interface ManagementDependencies {
  readonly version: string;
  readonly phase: () => ServicePhase;
  /** By name. Asked for each time: there are none before the service is wired. */
  readonly checks: () => Readonly<Record<string, Check>>;
  /** In Prometheus's text format; null: the service is not wired yet. */
  readonly metrics?: () => Promise<string | null>;
  /** Its paths besides. */
  readonly apiReference?: Router;
  readonly log: HttpLog;
}

interface CheckResult {
  readonly ok: boolean;
  readonly detail?: string;
}

/** A check that takes longer has failed. */
const CHECK_MS = 1_000;
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** What operators and balancers ask, on a port of its own that the public never reaches. */
export function createManagementApp(dependencies: ManagementDependencies): Express {
  const { version, phase, checks, metrics, apiReference, log } = dependencies;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });

  /** The event loop turns, or nobody would answer: a process that fails here should be replaced. */
  app.get('/livez', (_request, response) => void response.json({ status: 'live' }));

  /** Whether a balancer should send requests here. */
  app.get('/readyz', async (_request, response) => {
    const results = await Promise.all(
      Object.entries(checks()).map(async ([name, check]) => [name, await outcome(check)] as const),
    );
    // Read last: a stop may have been asked for while the checks ran.
    const now = phase();
    const service: CheckResult = { ok: now === 'serving', detail: now };
    const all: Readonly<Record<string, CheckResult>> = { service, ...Object.fromEntries(results) };
    const isReady = Object.values(all).every(({ ok }) => ok);
    response.status(isReady ? 200 : 503).json({ status: isReady ? 'ready' : 'not ready', checks: all });
  });

  app.get('/version', (_request, response) => void response.json({ version, node: process.version }));

  if (metrics)
    app.get('/metrics', async (_request, response) => {
      const text = await metrics();
      if (text === null) return sendError(response, { kind: 'overloaded' });
      response.set('Content-Type', METRICS_TYPE).send(text);
    });
  if (apiReference) app.use(apiReference);
  app.all(['/livez', '/readyz', '/version', ...(metrics ? ['/metrics'] : [])], (_request, response) =>
    refuseMethod(response),
  );
  app.use((_request, response) => sendError(response, { kind: 'not-found' }));
  app.use(lastResort(log));
  return app;
}

function refuseMethod(response: Response): void {
  sendError(response.set('Allow', 'GET, HEAD'), { kind: 'method-not-allowed' });
}

async function outcome(check: Check): Promise<CheckResult> {
  let late: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    late = setTimeout(() => reject(new Error(`no answer within ${CHECK_MS} ms`)), CHECK_MS);
  });
  try {
    await Promise.race([check(), timeout]);
    return { ok: true };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(late);
  }
}
