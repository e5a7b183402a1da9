import { resolve } from 'node:path';
import Joi from 'joi';

export type DatabaseConfig =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'memory' }
  | { readonly kind: 'postgres'; readonly url: string; readonly replicaUrl: string | null };

export interface Config {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  /** null: off. */
  readonly management: { readonly host: string; readonly port: number } | null;
  /** After SIGTERM, how long requests are still taken while balancers learn of the stop. */
  readonly drainMilliseconds: number;
  /** Absolute path. */
  readonly dataDir: string;
  readonly database: DatabaseConfig;
  /** Nodes of one Redis; empty: limits per process. */
  readonly redisUrls: readonly string[];
  /** null: mails become files in `<dataDir>/mail`. */
  readonly smtpUrl: string | null;
  readonly mailFrom: string;
  /** Base of the links in mails, without a final slash. */
  readonly publicUrl: string;
  /** null: one secret is created in `dataDir`. */
  readonly jwtSecrets: readonly string[] | null;
  /** As Express's setting `trust proxy` takes it. */
  readonly trustProxy: boolean | number | string;
  readonly rateLimits: boolean;
  readonly logLevel: string;
  /** `when-new`: fill an embedded directory that this start creates. */
  readonly sampleData: 'on' | 'off' | 'when-new';
}

/** Everything that is wrong with the environment, one line each. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly mistakes: readonly string[]) {
    super(
      `The configuration has ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}:\n  ${mistakes.join('\n  ')}`,
    );
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const MIN_SECRET_BYTES = 32;
const DRAIN_MS = 5_000;

const port = Joi.number().integer().min(0).max(65_535);
const host = Joi.alternatives(Joi.string().hostname(), Joi.string().ip());
const onOff = Joi.valid('on', 'off');
const urlWith = (schemes: readonly string[], isWhole = ({ host }: URL) => host !== '') =>
  Joi.string().custom((value: string) => {
    const url = new URL(value);
    if (!schemes.includes(url.protocol.slice(0, -1)) || !isWhole(url)) throw new Error();
    return value;
  });
/** Without a host PostgreSQL is on this machine, or has its socket where `?host=` says. */
const postgresUrl = urlWith(
  ['postgres', 'postgresql'],
  ({ host, pathname, searchParams }) => host !== '' || /^\/./.test(pathname) || searchParams.has('host'),
);

/** One rule per variable: what is allowed, in the words an operator is shown. Empty means unset, but for MANAGEMENT_PORT. */
const VARIABLES: Record<string, { schema: Joi.Schema; allowed: string }> = {
  NODE_ENV: { schema: Joi.string(), allowed: 'a word such as production' },
  PORT: { schema: port.default(3000), allowed: 'a port number from 0 to 65535' },
  HOST: { schema: host.default('0.0.0.0'), allowed: 'a host name or IP address' },
  MANAGEMENT_PORT: {
    schema: port.allow('').default(9000),
    allowed: 'a port number from 0 to 65535, or empty for none',
  },
  MANAGEMENT_HOST: { schema: host.default('127.0.0.1'), allowed: 'a host name or IP address' },
  DRAIN_MS: {
    schema: Joi.number().integer().min(0).max(600_000),
    allowed: 'a number of milliseconds from 0 to 600000',
  },
  DATA_DIR: { schema: Joi.string().default('./data'), allowed: 'a folder' },
  DATABASE_URL: {
    schema: Joi.alternatives(postgresUrl, Joi.valid('memory:')),
    allowed: 'postgres://user:password@host:5432/database, or memory:, or unset for the embedded database',
  },
  DATABASE_REPLICA_URL: {
    schema: postgresUrl,
    allowed: 'postgres://user:password@host:5432/database',
  },
  REDIS_URL: {
    schema: Joi.string().custom((value: string) => {
      const urls = commaSeparated(value);
      Joi.assert(
        urls,
        Joi.alternatives(...['redis', 'rediss'].map((scheme) => Joi.array().items(urlWith([scheme])))),
      );
      return urls;
    }),
    allowed: 'redis://host:6379 or rediss://…, or several such nodes of one cluster separated by commas',
  },
  SMTP_URL: { schema: urlWith(['smtp', 'smtps']), allowed: 'smtp://user:password@host:587 or smtps://…' },
  MAIL_FROM: {
    schema: Joi.string().pattern(/^([^<>@\r\n]*<)?[^\s<>@,]+@[^\s<>@,]+>?$/),
    allowed: 'an address such as radio@example.com or Radio <radio@example.com>',
  },
  PUBLIC_URL: {
    schema: urlWith(['http', 'https']).pattern(/^[^?#]+$/),
    allowed: 'an http or https URL without ? and #',
  },
  JWT_SECRETS: {
    schema: Joi.string().custom((value: string) => {
      const secrets = commaSeparated(value);
      if (secrets.some((secret) => Buffer.byteLength(secret) < MIN_SECRET_BYTES)) throw new Error();
      return secrets;
    }),
    allowed: `one or more secrets of at least ${MIN_SECRET_BYTES} bytes, separated by commas (openssl rand -base64 48 makes one)`,
  },
  TRUST_PROXY: {
    schema: Joi.string().custom(trustProxy),
    allowed:
      'off, true, a number of proxies, or addresses and subnets separated by commas (also loopback, linklocal, uniquelocal)',
  },
  RATE_LIMITS: { schema: onOff.default('on'), allowed: 'on or off' },
  LOG_LEVEL: { schema: Joi.valid(...LOG_LEVELS).default('info'), allowed: LOG_LEVELS.join(', ') },
  SAMPLE_DATA: { schema: onOff.default('when-new'), allowed: 'on or off' },
};
export const VARIABLE_NAMES = Object.keys(VARIABLES).filter((name) => name !== 'NODE_ENV');

/** @throws ConfigurationError naming every mistake at once; never with a value, for some are secrets */
export function loadConfig(environment: Environment): Config {
  const mistakes: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { schema, allowed }] of Object.entries(VARIABLES)) {
    const raw = environment[name]?.trim();
    const result: { value?: unknown; error?: unknown } = schema.validate(
      raw === '' && name !== 'MANAGEMENT_PORT' ? undefined : raw,
    );
    if (result.error) mistakes.push(`${name} must be ${allowed}.`);
    values[name] = result.value;
  }
  const production = values['NODE_ENV'] === 'production';
  if (
    production &&
    values['JWT_SECRETS'] === undefined &&
    !mistakes.some((mistake) => mistake.startsWith('JWT_SECRETS'))
  )
    mistakes.push(`JWT_SECRETS is required with NODE_ENV=production: ${VARIABLES['JWT_SECRETS']?.allowed}.`);
  if (
    values['DATABASE_REPLICA_URL'] !== undefined &&
    [undefined, 'memory:'].includes(values['DATABASE_URL'] as string)
  )
    mistakes.push('DATABASE_REPLICA_URL needs a DATABASE_URL of the primary beside it.');
  if (
    Number(values['PORT']) > 0 &&
    values['PORT'] === values['MANAGEMENT_PORT'] &&
    overlap(String(values['HOST']).toLowerCase(), String(values['MANAGEMENT_HOST']).toLowerCase())
  )
    mistakes.push(
      'MANAGEMENT_PORT must be another port than PORT, or MANAGEMENT_HOST another address than HOST.',
    );
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);

  const publicUrl = (
    (values['PUBLIC_URL'] as string | undefined) ?? `http://localhost:${String(values['PORT'])}`
  ).replace(/\/+$/, '');
  const managementPort = values['MANAGEMENT_PORT'] as number | '';
  return {
    production,
    host: values['HOST'] as string,
    port: values['PORT'] as number,
    management:
      managementPort === '' ? null : { host: values['MANAGEMENT_HOST'] as string, port: managementPort },
    // Without a management listener no balancer can ask whether to stay away.
    drainMilliseconds: (values['DRAIN_MS'] as number | undefined) ?? (managementPort === '' ? 0 : DRAIN_MS),
    dataDir: resolve(values['DATA_DIR'] as string),
    database: database(
      values['DATABASE_URL'] as string | undefined,
      values['DATABASE_REPLICA_URL'] as string | undefined,
    ),
    redisUrls: (values['REDIS_URL'] ?? []) as string[],
    smtpUrl: (values['SMTP_URL'] as string | undefined) ?? null,
    mailFrom:
      (values['MAIL_FROM'] as string | undefined) ??
      `Radio Directory <radio-directory@${new URL(publicUrl).hostname}>`,
    publicUrl,
    jwtSecrets: (values['JWT_SECRETS'] as string[] | undefined) ?? null,
    trustProxy: (values['TRUST_PROXY'] as Config['trustProxy'] | undefined) ?? false,
    rateLimits: values['RATE_LIMITS'] === 'on',
    logLevel: values['LOG_LEVEL'] as string,
    sampleData: values['SAMPLE_DATA'] as Config['sampleData'],
  };
}

function database(url: string | undefined, replicaUrl: string | undefined): DatabaseConfig {
  if (url === undefined) return { kind: 'embedded' };
  return url === 'memory:' ? { kind: 'memory' } : { kind: 'postgres', url, replicaUrl: replicaUrl ?? null };
}

/** Who listens on both listens somewhere twice. Of names only `localhost` is looked into. */
function overlap(host: string, other: string): boolean {
  return covers(host, other) || covers(other, host);
}

function covers(host: string, other: string): boolean {
  if (host === '::') return true;
  if (host === '0.0.0.0') return !other.includes(':');
  if (host === 'localhost' && ['127.0.0.1', '::1'].includes(other)) return true;
  return host === other;
}

/** @throws where there is no part */
function commaSeparated(value: string): string[] {
  const parts = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length === 0) throw new Error();
  return parts;
}

function trustProxy(value: string): boolean | number | string {
  if (value === 'off' || value === 'false') return false;
  if (value === 'on' || value === 'true') return true;
  if (/^\d{1,2}$/.test(value)) return Number(value);
  const address = Joi.alternatives(
    Joi.string().ip({ cidr: 'optional' }),
    Joi.valid('loopback', 'linklocal', 'uniquelocal'),
  );
  for (const part of commaSeparated(value)) Joi.assert(part, address);
  return commaSeparated(value).join(',');
}
