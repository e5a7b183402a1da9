import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { leaksByShapeIn, leaksIn } from './leaks.js';

/** What `npm start` runs; `npm test` builds it first. */
export const PROGRAM = resolve('dist/infrastructure/radio-directory.cjs');

const START_MILLISECONDS = 60_000;

/** What a test that failed half-way left running ends with the tests. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const server of running) server.kill('SIGKILL');
});

export interface RunningService {
  readonly url: string;
  readonly process: ChildProcess;
  /** Everything it wrote so far. */
  output(): string;
  /** Resolves to the exit code; null after a signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * A folder with a new embedded directory in it that no server has filled yet. Made once and then copied, because
 * PostgreSQL takes seconds to lay one out.
 */
export function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'radio-directory-'));
  cpSync((template ??= layOut()), folder, { recursive: true });
  return folder;
}

let template: string | null = null;

function layOut(): string {
  const folder = mkdtempSync(join(tmpdir(), 'radio-directory-template-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const options = { env: { ...cleanEnvironment(), DATA_DIR: folder }, timeout: START_MILLISECONDS };
  execFileSync(process.execPath, [PROGRAM, 'migrate', 'up'], options);
  return folder;
}

/** Starts the built server on a free port and waits until it answers. */
export async function startService(
  dataDir: string,
  environment: Record<string, string> = {},
  program = PROGRAM,
): Promise<RunningService> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(process.execPath, [program, 'serve'], {
    cwd: dataDir,
    env: {
      ...cleanEnvironment(),
      DATA_DIR: dataDir,
      PORT: String(port),
      HOST: '127.0.0.1',
      MANAGEMENT_PORT: '',
      PUBLIC_URL: url,
      LOG_LEVEL: 'trace',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  running.add(server);
  server.once('exit', () => running.delete(server));
  const exited = once(server, 'exit') as Promise<[number | null]>;
  const service: RunningService = {
    url,
    process: server,
    output: () => chunks.join(''),
    end: async (signal) => {
      server.kill(signal);
      const [code] = await exited;
      const output = service.output();
      const leaks = [...leaksIn(output, secretsOf(dataDir, environment)), ...leaksByShapeIn(output)];
      if (leaks.length > 0) throw new Error(`The server wrote secrets:\n${leaks.join('\n')}`);
      return code;
    },
  };
  const deadline = Date.now() + START_MILLISECONDS;
  while (!(await answers(url))) {
    if (server.exitCode !== null)
      throw new Error(`The server ended with ${server.exitCode}:\n${service.output()}`);
    if (Date.now() > deadline) {
      server.kill('SIGKILL');
      throw new Error(`The server does not answer:\n${service.output()}`);
    }
    await new Promise((tick) => setTimeout(tick, 50));
  }
  return service;
}

/** What it was configured with that nobody may read in its log. */
export function secretsOf(dataDir: string, environment: Readonly<Record<string, string>>): string[] {
  const file = join(dataDir, 'jwt-secret');
  const urls = ['DATABASE_URL', 'DATABASE_REPLICA_URL', 'REDIS_URL', 'SMTP_URL'].map(
    (name) => environment[name],
  );
  const passwords = urls.flatMap((url) => {
    const { password = '' } = url !== undefined && URL.canParse(url) ? new URL(url) : {};
    return [password, decodeURIComponent(password)];
  });
  const signing = [
    ...(environment['JWT_SECRETS'] ?? '').split(','),
    existsSync(file) ? readFileSync(file, 'utf8').trim() : '',
  ];
  return [...passwords, ...signing].filter((secret) => secret.length > 3);
}

/** The variables that a shell has, without those that configure the service. */
export function cleanEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
