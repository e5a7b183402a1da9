import type { ConnectionOptions } from 'node:tls';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';

export type RedisConnection = Redis | Cluster;

/** Milliseconds. Commands of the handshake have no other limit. */
const COMMAND_TIMEOUT = 1_000;
/** A connection that owes an answer for so long is given up: its server may be gone without a word. */
const SOCKET_TIMEOUT = 1_000;
const CONNECT_TIMEOUT = 1_000;
const LONGEST_RETRY_PAUSE = 500;
const SLOTS_REFRESH_PAUSE = 1_000;

/** No command waits for a connection, and a lost connection is tried again for ever, at least twice a second. */
const FAIL_FAST = {
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT,
  socketTimeout: SOCKET_TIMEOUT,
  connectTimeout: CONNECT_TIMEOUT,
  autoResendUnfulfilledCommands: false,
  // It is no master any more: behind its address there may be another one by now.
  reconnectOnError: ({ message }) => message.startsWith('READONLY '),
} satisfies RedisOptions;

const retryPause = (attempt: number) => Math.min(attempt * 50, LONGEST_RETRY_PAUSE);

/**
 * Connects in the background, whether Redis answers or not, and again after every loss.
 * @param urls one server, or some nodes of one Redis Cluster: it tells the others. `rediss://` is TLS.
 * @param tls beside what Node trusts by itself (`NODE_EXTRA_CA_CERTS`)
 */
export function connectRedis(urls: readonly string[], tls: ConnectionOptions = {}): RedisConnection {
  const [url, ...others] = urls;
  if (url === undefined) throw new Error('There is no Redis to connect to.');
  const { protocol, username, password } = new URL(url);
  const secured = protocol === 'rediss:' ? { tls } : {};
  const connection =
    others.length === 0
      ? new Redis(url, { ...FAIL_FAST, ...secured, enableOfflineQueue: false, retryStrategy: retryPause })
      : new Cluster([...urls], {
          enableOfflineQueue: false,
          clusterRetryStrategy: retryPause,
          clusterNodeRetryStrategy: retryPause,
          slotsRefreshInterval: SLOTS_REFRESH_PAUSE,
          slotsRefreshTimeout: CONNECT_TIMEOUT,
          // 0: at once an error, for whoever asked has another way to go on.
          retryDelayOnFailover: 0,
          retryDelayOnClusterDown: 0,
          maxRedirections: 4,
          ...(protocol === 'rediss:' && LOOK_UP_NOTHING),
          redisOptions: {
            ...FAIL_FAST,
            ...secured,
            ...(username !== '' && { username: decodeURIComponent(username) }),
            ...(password !== '' && { password: decodeURIComponent(password) }),
          },
        });
  // By itself it connects to a master with the first command for it, and refuses those that come meanwhile.
  connection.on('+node', (node: Redis) => {
    if (!node.options.readOnly) node.connect().catch(() => {});
  });
  // What fails is told by the command that fails; without a listener ioredis writes to the console.
  connection.on('error', () => {});
  return connection;
}

/** Whether commands can be sent; to a cluster, to all its masters. */
export function isConnected(connection: RedisConnection): boolean {
  if (connection.status !== 'ready') return false;
  return connection instanceof Redis || connection.nodes('master').every(({ status }) => status === 'ready');
}

/** Of a cluster: every master says that all slots are served. One that has just restarted does so last. */
export async function isWhole(connection: RedisConnection): Promise<boolean> {
  if (connection instanceof Redis) return true;
  const reports = await Promise.all(connection.nodes('master').map((node) => node.cluster('INFO')));
  return reports.every((report) => report.includes('cluster_state:ok'));
}

/** The names stay names, for the certificates are made out to them. */
const LOOK_UP_NOTHING: Pick<ClusterOptions, 'dnsLookup'> = {
  dnsLookup: (address, callback) => callback(null, address),
};
