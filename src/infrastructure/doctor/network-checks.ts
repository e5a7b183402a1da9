import { Redis } from 'ioredis';
import { SECOND } from '../../domain/ids.js';
import { SmtpMailer } from '../../adapters/smtp/smtp-mailer.js';
import type { Config } from '../config.js';
import { type Finding, fine, problem, reasonOf, warning } from './finding.js';

const REDIS_PATIENCE = 2 * SECOND;
const SMTP_PATIENCE = 10 * SECOND;

/** Every node that is named, by a ping and by what it says of its cluster. */
export async function checkRedis({ redisUrls }: Config): Promise<Finding[]> {
  const [first] = redisUrls;
  if (first === undefined)
    return [fine('redis', 'REDIS_URL is not set: each process counts limits by itself.')];
  return Promise.all(redisUrls.map((url) => checkRedisNode(url, new URL(first), redisUrls.length === 1)));
}

/** The credentials of the first node are those of the whole cluster. */
async function checkRedisNode(
  address: string,
  { username, password }: URL,
  isAlone: boolean,
): Promise<Finding> {
  const url = new URL(address);
  url.username ||= username;
  url.password ||= password;
  const redis = new Redis(url.href, {
    lazyConnect: true,
    connectTimeout: REDIS_PATIENCE,
    commandTimeout: REDIS_PATIENCE,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // What a command is refused with says only that the connection is closed; why is told here.
  let cause: unknown = null;
  redis.on('error', (error: unknown) => (cause ??= error));
  try {
    const cluster = await within(REDIS_PATIENCE, async () => {
      await redis.connect();
      await redis.ping();
      return clusterInfo(redis);
    });
    if (/cluster_state:(?!ok)/.test(cluster))
      return problem(
        'redis',
        `${url.host} says that its cluster is down.`,
        'Bring back the nodes that it lacks; until then each process counts limits by itself.',
      );
    if (!isAlone && cluster === '')
      return problem(
        'redis',
        `${url.host} is no node of a Redis Cluster.`,
        'Name one server in REDIS_URL, or nodes of one cluster; until then each process counts limits by itself.',
      );
    if (isAlone && /cluster_size:(?!1\b)/.test(cluster))
      return problem(
        'redis',
        `${url.host} is a node of a Redis Cluster.`,
        'Name several of its nodes in REDIS_URL, with commas; until then each process counts limits by itself.',
      );
    return fine('redis', `${url.host} answers.`);
  } catch (error) {
    return problem(
      'redis',
      `${url.host} does not answer: ${reasonOf(cause ?? error)}.`,
      'Start it or correct REDIS_URL; until then each process counts limits by itself.',
    );
  } finally {
    redis.disconnect();
  }
}

/** Empty where it knows of no cluster, or does not tell. */
async function clusterInfo(redis: Redis): Promise<string> {
  try {
    return await redis.cluster('INFO');
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return '';
    throw error;
  }
}

/** Connects and logs in; sends nothing. */
export async function checkSmtp({ smtpUrl, mailFrom, publicUrl, production }: Config): Promise<Finding[]> {
  if (smtpUrl === null) {
    const message = 'SMTP_URL is not set: mails become files in DATA_DIR/mail.';
    return [
      production ? warning('smtp', message, 'Set SMTP_URL, or nobody gets a mail.') : fine('smtp', message),
    ];
  }
  const { host } = new URL(smtpUrl);
  const mailer = new SmtpMailer({ url: smtpUrl, from: mailFrom, publicUrl });
  try {
    await within(SMTP_PATIENCE, () => mailer.verify());
    return [fine('smtp', `${host} takes our connection and credentials.`)];
  } catch (error) {
    return [
      problem(
        'smtp',
        `${host} does not take our mails: ${reasonOf(error)}.`,
        'Start it or correct SMTP_URL; mails wait in the database for three days.',
      ),
    ];
  } finally {
    mailer.close();
  }
}

async function within<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds / SECOND} s`)), milliseconds);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
