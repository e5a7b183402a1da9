import type { Clock } from '../../application/ports/clock.js';
import type { Admission, RateLimiter, RateQuota } from '../../application/ports/rate-limiter.js';
import { SECOND } from '../../domain/ids.js';
import { type RedisConnection, isConnected, isWhole } from './redis-connection.js';

/**
 * A string per quota (MessagePack) holds the milliseconds at which its requests were admitted, oldest first: at this size
 * that is faster than a list or a sorted set. Arguments: the time, or '' for Redis's own; then per quota how many windows
 * it has, and of each its milliseconds and its limit.
 * A clock that was set back (also: another server's, after a failover) neither empties a window nor locks anybody out:
 * the log moves back with it.
 */
const ADMIT = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function count(log, length)
  local inside = 0
  while inside < #log and log[#log - inside] > now - length do inside = inside + 1 end
  return inside
end

local logs, reach, windows, admitted, moved, argument = {}, {}, {}, true, false, 2
for i, key in ipairs(KEYS) do
  local log, longest = {}, 0
  for _ = 1, tonumber(ARGV[argument]) do
    local length, limit = tonumber(ARGV[argument + 1]), tonumber(ARGV[argument + 2])
    windows[#windows + 1] = { log = log, length = length, limit = limit }
    longest = math.max(longest, length)
    argument = argument + 2
  end
  argument = argument + 1
  local packed = redis.call('GET', key)
  local stored = packed and cmsgpack.unpack(packed) or {}
  local ahead = math.max(0, (stored[#stored] or now) - now)
  moved = moved or ahead > 0
  for _, at in ipairs(stored) do
    if at - ahead > now - longest then log[#log + 1] = at - ahead end
  end
  logs[i], reach[i] = log, longest
end

for _, window in ipairs(windows) do
  window.remaining = window.limit - count(window.log, window.length)
  admitted = admitted and window.remaining > 0
end
if admitted or moved then
  for i, key in ipairs(KEYS) do
    if admitted then table.insert(logs[i], now) end
    if #logs[i] > 0 then redis.call('SET', key, cmsgpack.pack(logs[i]), 'PX', reach[i]) end
  end
end

local reply = { admitted and 1 or 0 }
for _, window in ipairs(windows) do
  local remaining = window.remaining - reply[1]
  local full = remaining <= 0
  local blocking = window.log[#window.log - window.limit + 1]
  reply[#reply + 1] = full and 0 or remaining
  reply[#reply + 1] = full and blocking + window.length - now or 0
end
return reply
`;

const PATIENCE = 200;
const ONE_OF_A_CLUSTER = 'a node of a Redis Cluster: name several of its nodes in REDIS_URL';

interface AdmitCommand {
  admit(keyCount: number, ...keysAndArguments: (string | number)[]): Promise<number[]>;
}

export interface RedisRateLimiterOptions {
  /** Instead of Redis's own time, which all processes share. */
  readonly clock?: Clock;
  /** What every key begins with. */
  readonly prefix?: string;
  /** The longest that a request may wait, in milliseconds. */
  readonly patience?: number;
}

/**
 * An exact sliding log that all processes share, in one round trip. Keys expire with their longest window.
 *
 * Not on rate-limit-redis: its `RedisStore` counts one fixed window of one key per call and counts before anybody has
 * decided, so three windows and a strict one would take four steps that are not atomic together, refused requests would
 * lengthen the wait, and twice the limit could pass around the end of a window. It also loads its scripts once, and
 * never works where Redis was absent then. The `EVALSHA` of ioredis sends the script again whenever Redis lacks it.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #redis: RedisConnection & AdmitCommand;
  readonly #clock: Clock | undefined;
  readonly #prefix: string;
  readonly #patience: number;
  /** Why there is no connection: the commands that fail for it do not know. */
  #disconnectedBy: string | null = null;

  constructor(
    redis: RedisConnection,
    { clock, prefix = 'radio-directory:limit:', patience = PATIENCE }: RedisRateLimiterOptions = {},
  ) {
    redis.defineCommand('admit', { lua: ADMIT });
    redis.on('error', (error: unknown) => (this.#disconnectedBy = reasonOf(error)));
    redis.on('ready', () => (this.#disconnectedBy = null));
    this.#redis = redis as RedisConnection & AdmitCommand;
    this.#clock = clock;
    this.#prefix = prefix;
    this.#patience = patience;
  }

  async admit(client: string, quotas: readonly RateQuota[]): Promise<Admission> {
    if (quotas.length === 0) return { admitted: true, windows: [] };
    const [admitted, ...states] = await this.#run(
      quotas.length,
      ...quotas.map(({ name }) => `${this.#prefix}${hashTag(client)}${name}`),
      this.#clock?.now() ?? '',
      ...quotas.flatMap(({ windows }) => [
        windows.length,
        ...windows.flatMap(({ seconds, limit }) => [seconds * SECOND, limit]),
      ]),
    );
    const windows = quotas.flatMap((quota) => quota.windows);
    return {
      admitted: admitted === 1,
      windows: windows.map((window, index) => ({
        ...window,
        remaining: states[index * 2] ?? 0,
        waitMilliseconds: states[index * 2 + 1] ?? 0,
      })),
    };
  }

  async #run(...keysAndArguments: Parameters<AdmitCommand['admit']>): Promise<number[]> {
    try {
      if (!isConnected(this.#redis)) throw new Error('not connected');
      return await answeredWithin(this.#patience, this.#redis.admit(...keysAndArguments));
    } catch (error) {
      throw new Error(`No answer from Redis: ${this.#disconnectedBy ?? reasonOf(error)}`, { cause: error });
    }
  }

  /** Rejects while a part of Redis does not work. */
  async check(): Promise<void> {
    if (isConnected(this.#redis) && !(await answeredWithin(this.#patience, isWhole(this.#redis))))
      throw new Error('No answer from Redis: the cluster has slots that no node serves');
  }

  /** Ends the connection. */
  close(): void {
    this.#redis.disconnect();
  }
}

/**
 * Unlike the `commandTimeout` of ioredis it looks for the answer once more when the time is up: after the event loop was
 * busy for so long, timers run before what has arrived meanwhile is read.
 */
function answeredWithin<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`nothing within ${milliseconds} ms`));
    const timer = setTimeout(() => setImmediate(late), milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Keeps all keys of a client in one slot of a Redis Cluster: Redis hashes what stands between the first braces. */
function hashTag(client: string): string {
  return `{:${client.replace(/[%}]/g, encodeURIComponent)}}`;
}

/** A connection refused by all addresses of a name has a code and no message; a cluster tells of the node asked last. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('lastNodeError' in error && error.lastNodeError instanceof Error) return reasonOf(error.lastNodeError);
  if (error.message.startsWith('MOVED ')) return ONE_OF_A_CLUSTER;
  return error.message || ('code' in error ? String(error.code) : error.name);
}
