import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { freePort } from './running-service.js';

/** A Redis that holds nothing but what the tests put there. */
export interface RedisServer {
  readonly url: string;
  /** null where the server is not ours (`TEST_REDIS_URL`). */
  readonly faults: RedisFaults | null;
  readonly stop: () => Promise<void>;
}

export interface RedisFaults {
  kill(): Promise<void>;
  /** Starts it again, empty, on the same address, after {@link kill}. */
  restart(): Promise<void>;
  /** It keeps its connections and answers nothing. */
  freeze(): void;
  thaw(): void;
}

export interface RedisClusterServers {
  readonly urls: readonly string[];
  /** In the order of the addresses. */
  readonly faults: readonly RedisFaults[];
  readonly stop: () => Promise<void>;
}

const FOLDER_PREFIX = 'radio-directory-redis-';
const BUS_PORT_DISTANCE = 10_000;
const run = promisify(execFile);

/** The server that `TEST_REDIS_URL` names, or a new one from the machine's own binary; null where there is neither. */
export async function startRedis(): Promise<RedisServer | null> {
  const url = process.env['TEST_REDIS_URL'];
  if (url) return { url, faults: null, stop: () => Promise.resolve() };
  return isInstalled('redis-server') ? ownServer(await freePort()) : null;
}

/** Where nothing listens until it is started: `faults.restart()` does that. */
export async function absentRedis(): Promise<{
  url: string;
  faults: RedisFaults;
  readonly stop: () => Promise<void>;
} | null> {
  if (!isInstalled('redis-server')) return null;
  const { url, faults, stop } = await ownServer(await freePort());
  await faults.kill();
  return { url, faults, stop };
}

/** One that speaks TLS only, with a certificate that only `ca` vouches for. */
export async function startRedisWithTls(): Promise<{
  url: string;
  ca: string;
  readonly stop: () => Promise<void>;
} | null> {
  if (!isInstalled('redis-server') || !isInstalled('openssl')) return null;
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  await run('openssl', [...request, ...names, '-keyout', key, '-out', certificate]);
  const port = await freePort();
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
  const ca = readFileSync(certificate, 'utf8');
  const server = await ownServer(
    0,
    ['--tls-port', String(port), '--tls-auth-clients', 'no', ...files],
    () => new Redis({ port, host: '127.0.0.1', tls: { ca }, ...ONE_ATTEMPT }),
  );
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: `rediss://127.0.0.1:${port}`, ca, stop };
}

/** Three masters without replicas. */
export async function startRedisCluster(): Promise<RedisClusterServers | null> {
  if (!isInstalled('redis-server') || !isInstalled('redis-cli')) return null;
  const ports = [await portWithBus(), await portWithBus(), await portWithBus()];
  const options = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000'];
  const servers = await Promise.all(ports.map((port) => ownServer(port, options)));
  const nodes = ports.map((port) => `127.0.0.1:${port}`);
  await run('redis-cli', ['--cluster', 'create', ...nodes, '--cluster-replicas', '0', '--cluster-yes']);
  for (const { url } of servers) await untilClusterIsUp(url);
  return {
    urls: servers.map(({ url }) => url),
    faults: servers.map(({ faults }) => faults),
    stop: async () => void (await Promise.all(servers.map(({ stop }) => stop()))),
  };
}

const ONE_ATTEMPT = { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 } as const;

async function ownServer(
  port: number,
  options: readonly string[] = [],
  client = () => new Redis({ port, host: '127.0.0.1', ...ONE_ATTEMPT }),
): Promise<RedisServer & { readonly faults: RedisFaults }> {
  sweep();
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  const basics = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const all = ['--port', String(port), ...basics, '--pidfile', join(folder, 'pid'), ...options];
  const start = async () => {
    const server = spawn('redis-server', all, { stdio: 'ignore' });
    // It must not keep the tests from ending, which end it.
    server.unref();
    await untilReady(server, client);
    return server;
  };
  let server = await start();
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  const crash = () => {
    server.kill('SIGKILL');
    remove();
  };
  process.once('exit', crash);
  return {
    url: `redis://127.0.0.1:${port}`,
    faults: {
      kill: () => killed(server),
      restart: async () => {
        server = await start();
      },
      freeze: () => void server.kill('SIGSTOP'),
      thaw: () => void server.kill('SIGCONT'),
    },
    stop: async () => {
      process.removeListener('exit', crash);
      await killed(server);
      remove();
    },
  };
}

async function untilReady(server: ChildProcess, client: () => Redis): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`Redis ended with ${server.exitCode}.`);
    const redis = client().on('error', () => {});
    try {
      await redis.connect();
      await redis.ping();
      return;
    } catch {
      await pause(25);
    } finally {
      redis.disconnect();
    }
  }
}

async function untilClusterIsUp(url: string): Promise<void> {
  const redis = new Redis(url);
  try {
    while (!(await redis.cluster('INFO')).includes('cluster_state:ok')) await pause(25);
  } finally {
    redis.disconnect();
  }
}

async function killed(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill('SIGKILL');
  await exit;
}

/** The nodes of a cluster talk to each other on a second port, so far above the first. */
async function portWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port + BUS_PORT_DISTANCE > 65_535) continue;
    const probe = createServer().listen(port + BUS_PORT_DISTANCE, '127.0.0.1');
    const [event] = await Promise.race([
      once(probe, 'listening').then(() => ['listening']),
      once(probe, 'error').then(() => ['error']),
    ]);
    if (event === 'error') continue;
    probe.close();
    return port;
  }
}

function isInstalled(binary: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => {
    try {
      accessSync(join(folder, binary), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Removes what test runs left that were killed themselves. */
function sweep(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(FOLDER_PREFIX))) {
    if (commandOf(Number(name.slice(FOLDER_PREFIX.length).split('-')[0])) !== null) continue;
    const pidFile = join(tmpdir(), name, 'pid');
    const server = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0;
    // Another process may have got a dead server's number by now.
    if (server > 0 && commandOf(server)?.includes('redis-server')) process.kill(server, 'SIGKILL');
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

/** null: there is no such process. */
function commandOf(pid: number): string | null {
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return null;
  }
}
