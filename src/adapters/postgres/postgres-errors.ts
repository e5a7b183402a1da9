const LOST_CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT', // the Unix socket is gone
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** SQLSTATE: connection exceptions, insufficient resources, shutdown and start-up, time-outs, read-only (a failover). */
const OUTAGE_STATES = /^(08...|53...|57P0[1-5]|57014|58030|25006|25P03)$/;

/** What `pg` and Knex say without any code. */
const OUTAGE_TEXTS = [
  'Connection terminated',
  'Connection ended unexpectedly',
  'Query read timeout',
  'timeout expired',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Unable to acquire a connection',
];

/** Says that the database cannot answer now, and not that it was asked something wrong. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code !== null) return LOST_CONNECTION_CODES.has(code) || OUTAGE_STATES.test(code);
  return error.name === 'KnexTimeoutError' || OUTAGE_TEXTS.some((text) => error.message.startsWith(text));
}

/**
 * PostgreSQL itself refused, and goes on listening; after any other outage nobody knows what the connection still waits
 * for. A server that became read-only (25006) would refuse for ever: the primary is another one now.
 */
export function isAnswer(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57P|25006|25P03)/.test(code);
}

const GRANT = 'Grant the role in DATABASE_URL USAGE and CREATE on the schema; the tables must be its own.';

/** SQLSTATE, and what whoever set the database up can do about it. */
const ADVICE: Readonly<Record<string, string>> = {
  '28000': 'Check DATABASE_URL.', // no such role, or not from here
  '28P01': 'Check DATABASE_URL.', // wrong password
  '3D000': 'Check DATABASE_URL.', // no such database
  '3F000': GRANT, // no schema that it may use
  '42501': GRANT,
  '42P01': 'Bring the schema up to date with `radio-directory migrate up`.', // no such table
};

/** What `pg` says by itself: a password is wanted and there is none, or TLS and the server has none. */
const MISFIT_TEXTS = ['SASL: ', 'The server does not support SSL connections'];

/** PostgreSQL is not set up for us, or we are not for it. Its message tells an operator what to do. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';

  private constructor(cause: Error, advice: string) {
    // Knex puts the statement before what PostgreSQL said.
    const said = cause.message.split(' - ').at(-1);
    super(`PostgreSQL refused: ${said}. ${advice}`, { cause });
  }

  /** null: the error is another one. */
  static from(error: unknown): DatabaseUnusable | null {
    if (!(error instanceof Error)) return null;
    const isMisfit = MISFIT_TEXTS.some((text) => error.message.startsWith(text));
    const advice = isMisfit ? 'Check DATABASE_URL.' : ADVICE[codeOf(error) ?? ''];
    return advice === undefined ? null : new DatabaseUnusable(error, advice);
  }
}

/** PostgreSQL broke a deadlock, or a serialisation failed: the same statement may succeed when repeated. */
export function isWorthRepeating(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40P01' || code === '40001';
}

/** The unique or foreign key constraint that a statement broke; null for any other error. */
export function brokenKey(error: unknown): string | null {
  const code = codeOf(error);
  if (code !== '23505' && code !== '23503') return null;
  return error instanceof Error && 'constraint' in error ? String(error.constraint) : null;
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
