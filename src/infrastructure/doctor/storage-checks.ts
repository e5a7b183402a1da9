import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SECOND } from '../../domain/ids.js';
import { openEmbeddedDatabase } from '../../adapters/postgres/embedded-database.js';
import { migrationStatus } from '../../adapters/postgres/migrations.js';
import { type PostgresConnection, PostgresDatabase } from '../../adapters/postgres/postgres-database.js';
import { DatabaseUnusable } from '../../adapters/postgres/postgres-errors.js';
import { DIRECTORY } from '../../adapters/postgres/replication.js';
import { PostgresMailOutbox } from '../../adapters/postgres/postgres-mail-outbox.js';
import type { Config } from '../config.js';
import { type Finding, fine, problem, reasonOf, warning } from './finding.js';

const MEBIBYTE = 2 ** 20;
const LEAST_SPACE = 100 * MEBIBYTE;
const LITTLE_SPACE = 1_024 * MEBIBYTE;
/** How long an embedded database that another process is just opening is waited for. */
const START_PATIENCE = 5 * SECOND;
const BAD_SKEW = 60 * SECOND;
const NOTICEABLE_SKEW = 2 * SECOND;

export async function checkDataDirectory(config: Config): Promise<Finding[]> {
  const check = 'data directory';
  const { dataDir, database, smtpUrl, jwtSecrets } = config;
  if (database.kind === 'memory' || (database.kind === 'postgres' && smtpUrl !== null && jwtSecrets !== null))
    return [fine(check, 'Nothing is kept in it.')];
  const folder = await stat(dataDir).catch(() => null);
  const existing = folder ? dataDir : await nearestFolder(dirname(dataDir));
  if (folder && !folder.isDirectory())
    return [problem(check, `${dataDir} is a file.`, 'Set DATA_DIR to a folder.')];
  const isWritable = await succeeds(folder ? writeProbe(dataDir) : access(existing, constants.W_OK));
  if (!isWritable)
    return [
      problem(
        check,
        `This user may not write in ${existing}.`,
        'Run as the user who owns it, change its owner, or set DATA_DIR to another folder.',
      ),
    ];
  const { bavail, bsize } = await statfs(existing);
  const space = bavail * bsize;
  const room = `${Math.floor(space / MEBIBYTE)} MiB are free in ${existing}.`;
  if (space < LEAST_SPACE) return [problem(check, `Only ${room}`, 'Make room before writes fail.')];
  if (space < LITTLE_SPACE) return [warning(check, `Only ${room}`, 'Make room soon.')];
  if (folder && (folder.mode & 0o077) !== 0 && database.kind === 'embedded')
    return [warning(check, `Others on this machine can open ${dataDir}.`, `chmod 700 ${dataDir}`)];
  if (!folder) return [fine(check, `${dataDir} will be created at the first start; ${room}`)];
  return [fine(check, `${dataDir} can be written; ${room}`)];
}

async function nearestFolder(path: string): Promise<string> {
  return (await succeeds(stat(path))) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** Permissions alone do not tell: the disk may be full or mounted for reading only. */
async function writeProbe(folder: string): Promise<void> {
  const path = join(folder, `doctor.${randomBytes(6).toString('hex')}`);
  await writeFile(path, 'x', { flag: 'wx', mode: 0o600 });
  await rm(path);
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

export async function checkDatabase({ database, dataDir, production }: Config): Promise<Finding[]> {
  switch (database.kind) {
    case 'memory': {
      const message = 'In memory: everything is lost when the process ends.';
      const advice = 'Leave DATABASE_URL unset for the embedded database, or name a PostgreSQL server.';
      return [production ? problem('database', message, advice) : warning('database', message, advice)];
    }
    case 'postgres': {
      const findings = await checkServer(
        { url: database.url },
        `the server at ${new URL(database.url).host}`,
        'Start it or correct DATABASE_URL.',
      );
      return database.replicaUrl === null
        ? findings
        : [...findings, await checkReplica(database.replicaUrl, database.url)];
    }
    case 'embedded':
      return checkEmbedded(dataDir);
  }
}

/** Opening a folder without a database would create one, which is for `serve` to do. */
async function checkEmbedded(dataDir: string): Promise<Finding[]> {
  const isThere = await succeeds(stat(join(dataDir, 'postgres')));
  if (!isThere) return [fine('database', 'The embedded database will be created at the first start.')];
  try {
    const embedded = await openEmbeddedDatabase(dataDir, {
      role: 'either',
      startMilliseconds: START_PATIENCE,
      farewellMilliseconds: SECOND,
    });
    try {
      const owner = embedded.isOwner
        ? 'no server runs on it'
        : `process ${(await readFile(join(dataDir, 'lock'), 'utf8')).trim()} runs it`;
      return await checkServer(
        embedded.connection,
        `the embedded database (${owner})`,
        'Restart the process that runs it.',
      );
    } finally {
      await embedded.close();
    }
  } catch (error) {
    return [
      problem(
        'database',
        `The embedded database cannot be opened: ${reasonOf(error)}.`,
        'End the process that holds it, or restore DATA_DIR from a backup.',
      ),
    ];
  }
}

async function checkServer(connection: PostgresConnection, name: string, advice: string): Promise<Finding[]> {
  const db = new PostgresDatabase(connection);
  try {
    const asked = Date.now();
    const [server] = await db.rows<{ version: string; now: number }>(
      `select current_setting('server_version') as version,
        (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    );
    const skew = (server?.now ?? 0) - (asked + Date.now()) / 2;
    return [
      fine('database', `PostgreSQL ${server?.version}, ${name}, answers.`),
      checkClocks(skew),
      ...(await checkSchema(db)),
    ];
  } catch (error) {
    return [problem('database', `${capitalized(name)} ${failureOf(error)}.`, advice)];
  } finally {
    await db.close();
  }
}

/** @param skew milliseconds that the database is ahead */
export function checkClocks(skew: number): Finding {
  const distance = Math.abs(skew);
  const message = `The clock of the database is ${(distance / SECOND).toFixed(1)} s ${skew < 0 ? 'behind' : 'ahead of'} ours.`;
  const advice = 'Let both machines keep time by NTP.';
  if (distance >= BAD_SKEW) return problem('clock', message, advice);
  if (distance >= NOTICEABLE_SKEW) return warning('clock', message, advice);
  return fine('clock', 'The clocks of this machine and of the database agree.');
}

async function checkSchema(db: PostgresDatabase): Promise<Finding[]> {
  const all = await migrationStatus(db);
  const pending = all.filter(({ isApplied }) => !isApplied).map(({ name }) => name);
  const newer = all.filter(({ isKnown }) => !isKnown).map(({ name }) => name);
  if (newer.length === 0 && pending.length > 0)
    return [
      problem(
        'schema',
        `Pending: ${pending.join(', ')}.`,
        'Run `radio-directory migrate up`, or start the server.',
      ),
    ];
  const schema =
    newer.length === 0
      ? fine('schema', 'It is up to date.')
      : warning(
          'schema',
          `A newer version has changed it: ${newer.join(', ')}.`,
          'Run that version soon, or take its migrations back with it.',
        );
  return [schema, await checkMails(db)];
}

async function checkMails(db: PostgresDatabase): Promise<Finding> {
  const mails = await new PostgresMailOutbox(db).list();
  const givenUp = mails.filter(({ state }) => state === 'given-up').length;
  const failing = mails.filter(({ state, lastProblem }) => state === 'waiting' && lastProblem !== null);
  if (givenUp > 0)
    return warning(
      'mails',
      `${givenUp} were given up.`,
      'See why with `radio-directory mail list`; `radio-directory mail retry --all` sends them again.',
    );
  if (failing.length > 0)
    return warning(
      'mails',
      `${failing.length} wait after an attempt that failed.`,
      'See why with `radio-directory mail list`; they are tried for three days.',
    );
  return fine('mails', mails.length === 0 ? 'None waits.' : `${mails.length} are on their way.`);
}

async function checkReplica(url: string, primaryUrl: string): Promise<Finding> {
  const { host } = new URL(url);
  const advice = 'Set DATABASE_REPLICA_URL to a streaming replica of the primary, or leave it unset.';
  const [replica, primary] = [new PostgresDatabase({ url }), new PostgresDatabase({ url: primaryUrl })];
  try {
    const [server] = await replica.rows<{ isReplica: boolean; directory: number }>(
      `select pg_is_in_recovery() as "isReplica", ${DIRECTORY}`,
    );
    if (!server?.isReplica)
      return problem('replica', `${host} is no replica: it takes writes of its own.`, advice);
    const [followed] = await primary.rows<{ directory: number }>(`select ${DIRECTORY}`).catch(() => []);
    if (followed && followed.directory !== server.directory)
      return problem('replica', `${host} is a replica of another primary.`, advice);
    return fine('replica', `${host} answers.`);
  } catch (error) {
    return problem(
      'replica',
      `${host} ${failureOf(error)}.`,
      'Start it, or leave DATABASE_REPLICA_URL unset: the primary answers meanwhile.',
    );
  } finally {
    await replica.close();
    await primary.close();
  }
}

function failureOf(error: unknown): string {
  return `${error instanceof DatabaseUnusable ? 'is not set up for us' : 'does not answer'}: ${reasonOf(error)}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
