import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { chown, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** A PostgreSQL that holds nothing but what the tests put there. */
export interface PostgresServer {
  readonly url: string;
  /** A new empty database on it. */
  createDatabase(): Promise<TestDatabase>;
  /** null where the server is not ours (`TEST_DATABASE_URL`). */
  readonly faults: PostgresFaults | null;
  /** A new server that follows this one, with all its databases, until it is promoted; null as above. */
  readonly startReplica: (() => Promise<PostgresServer>) | null;
  stop(): Promise<void>;
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export interface PostgresFaults {
  /** As a crash of the machine's power supply would, for the process. */
  kill(): Promise<void>;
  /** Starts it again, on the same address, after {@link kill}. */
  restart(): Promise<void>;
  /** It keeps its connections and answers nothing. */
  freeze(): void;
  thaw(): void;
}

const FOLDER_PREFIX = 'radio-directory-postgres-';

let shared: Promise<PostgresServer | null> | undefined;

/** The one server that all tests of this process use which do it no harm. It ends with the process. */
export function sharedPostgres(): Promise<PostgresServer | null> {
  return (shared ??= startPostgres());
}

/**
 * The server that `TEST_DATABASE_URL` names, or a new one from the machine's own binaries; null where there is neither.
 */
export async function startPostgres(): Promise<PostgresServer | null> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given)
    return {
      url: given,
      createDatabase: () => createDatabase(given),
      faults: null,
      startReplica: null,
      stop: () => Promise.resolve(),
    };
  const binaries = findBinaries();
  return binaries === null ? null : ownServer(binaries);
}

async function ownServer(binaries: string): Promise<PostgresServer> {
  const initdb = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  return serverFrom(binaries, join(binaries, 'initdb'), initdb);
}

/** A server on data that a program puts where its `-D` says. */
async function serverFrom(
  binaries: string,
  maker: string,
  arguments_: readonly string[],
): Promise<PostgresServer> {
  sweep();
  const user = serverUser();
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  if (user) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const asUser = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  execFileSync(maker, ['-D', data, ...arguments_], { ...asUser, stdio: 'pipe' });
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const options = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];

  const start = async () => {
    const server = spawn(join(binaries, 'postgres'), options, { ...asUser, stdio: 'ignore' });
    // It must not keep the tests from ending, which end it.
    server.unref();
    await untilReady(server, url);
    return server;
  };
  let server = await start();
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  const crash = () => {
    server.kill('SIGQUIT');
    remove();
  };
  process.once('exit', crash);
  return {
    url,
    createDatabase: () => createDatabase(url),
    faults: {
      kill: () => ended(server, 'SIGKILL'),
      restart: async () => {
        server = await start();
      },
      freeze: () => signalAll(server, 'SIGSTOP'),
      thaw: () => signalAll(server, 'SIGCONT'),
    },
    startReplica: () => {
      const folder = findBinaries(['pg_basebackup']);
      if (folder === null) throw new Error('PostgreSQL is here, but not its pg_basebackup.');
      const options = ['-d', url, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
      return serverFrom(binaries, join(folder, 'pg_basebackup'), options);
    },
    stop: async () => {
      process.removeListener('exit', crash);
      await ended(server, 'SIGINT');
      remove();
    },
  };
}

function findBinaries(programs: readonly string[] = ['initdb', 'postgres']): string | null {
  const folders = [
    ...(process.env['PATH'] ?? '').split(':'),
    ...versionsIn('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`),
    '/opt/homebrew/bin',
    '/usr/local/pgsql/bin',
  ];
  return folders.find((folder) => programs.every((name) => existsSync(join(folder, name)))) ?? null;
}

/** Newest first. */
function versionsIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort((one, other) => Number(other) - Number(one)) : [];
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const entry = ['postgres', 'nobody'].flatMap((name) => users.filter((user) => user[0] === name))[0];
  if (!entry) throw new Error('Started as root, and there is no other user to run PostgreSQL as.');
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

/** Removes what test runs left that were killed themselves. */
function sweep(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(FOLDER_PREFIX))) {
    const owner = Number(name.slice(FOLDER_PREFIX.length).split('-')[0]);
    if (isRunning(owner)) continue;
    const pidFile = join(tmpdir(), name, 'data', 'postmaster.pid');
    const server = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : 0;
    if (server > 0 && isRunning(server) && commandOf(server).includes(name)) process.kill(server, 'SIGQUIT');
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** So that a process which got a dead server's number is left alone. */
function commandOf(pid: number): string {
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address !== null && typeof address === 'object') found(address.port);
      });
    });
  });
}

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}.`);
    try {
      return await execute(url, 'select 1');
    } catch {
      await pause(25);
    }
  }
}

async function createDatabase(server: string): Promise<TestDatabase> {
  const name = `radio_directory_${randomBytes(6).toString('hex')}`;
  await execute(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(server, `drop database ${name} with (force)`) };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = new Promise((exited) => server.once('exit', exited));
  if (signal === 'SIGKILL') signalAll(server, signal);
  else server.kill(signal);
  await exit;
}

/** The server and the processes that serve its connections. */
function signalAll(server: ChildProcess, signal: NodeJS.Signals): void {
  if (server.pid === undefined) return;
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' });
  server.kill(signal);
  for (const pid of children.trim().split(/\s+/).map(Number)) if (isRunning(pid)) process.kill(pid, signal);
}
