import { existsSync, ftruncateSync, writeFileSync, writeSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readFile, rename, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { SECOND } from '../../domain/ids.js';
import { FileLock } from './file-lock.js';
import type { PostgresConnection } from './postgres-database.js';
import { SharedPGlite } from './shared-pglite.js';

/** PostgreSQL in a folder, with nothing installed. One process runs it, others on the machine visit it meanwhile. */
export interface EmbeddedDatabase {
  readonly connection: PostgresConnection;
  /** There was no database in the folder, and nobody has called `settle` since it was made. */
  readonly isNew: boolean;
  /** From now on, also after a crash, the database counts as one that was there before. */
  settle(): Promise<void>;
  /** This process runs the database; else another one does. */
  readonly isOwner: boolean;
  /** After all own connections were closed. An owner waits a while for its visitors, whose connections it ends. */
  close(): Promise<void>;
}

export interface EmbeddedDatabaseOptions {
  /** `owner`: refused while another process runs the database. `either`: then visits it. */
  readonly role: 'owner' | 'either';
  /** How long a visitor waits for an owner that is still starting. */
  readonly startMilliseconds?: number;
  /** How long a closing owner waits for its visitors. */
  readonly farewellMilliseconds?: number;
}

/** The folder belongs to another process. Its message tells an operator what to do. */
export class DataDirectoryInUse extends Error {
  override readonly name = 'DataDirectoryInUse';
}

/** The folder cannot hold a database. Its message tells an operator what to do. */
export class DataDirectoryUnusable extends Error {
  override readonly name = 'DataDirectoryUnusable';

  constructor(folder: string, cause: NodeJS.ErrnoException) {
    const reasons: Record<string, string> = {
      EEXIST: 'it is a file',
      ENOTDIR: 'a part of its path is a file',
      EACCES: 'this user may not write there',
      EPERM: 'this user may not write there',
      EROFS: 'it lies on a read-only file system',
      ENOSPC: 'the disk is full',
    };
    super(
      `The data directory ${folder} cannot be used: ${reasons[cause.code ?? ''] ?? cause.message}. Set DATA_DIR.`,
      { cause },
    );
  }
}

/** What `pg` expects in the folder that it is given as host. */
const SOCKET = '.s.PGSQL.5432';
const LOCK = 'lock';
/** Stands beside a database that `settle` was not called for. */
const UNSETTLED = 'new';
/** The system refuses longer addresses of Unix sockets: 104 bytes on macOS, 108 on Linux, with the final zero. */
const MAX_SOCKET_PATH = 103;
const MAX_CONNECTIONS = 100;
const POLL_MILLISECONDS = 50;

/**
 * PGlite lets several processes open its files, and then loses what they write: a lock, which a crash frees, keeps all
 * but one out. The others reach it through a socket in the folder.
 */
export async function openEmbeddedDatabase(
  dataDir: string,
  { role, startMilliseconds = 15 * SECOND, farewellMilliseconds = 10 * SECOND }: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase> {
  const folder = resolve(dataDir);
  await prepare(folder);
  const deadline = Date.now() + startMilliseconds;
  const address = await socketAddress(folder);
  try {
    for (;;) {
      const lock = FileLock.take(join(folder, LOCK));
      if (lock) return await own(folder, lock, address, farewellMilliseconds);
      if (role === 'owner')
        throw new DataDirectoryInUse(
          `The data directory ${folder} is in use by ${await ownerOf(folder)}. ` +
            'Stop that process first, or give this one a DATA_DIR of its own.',
        );
      if (await answers(address.path)) return visit(folder, address);
      if (Date.now() >= deadline)
        throw new DataDirectoryInUse(
          `The data directory ${folder} is in use by ${await ownerOf(folder)}, which does not answer on ` +
            `${join(folder, SOCKET)}. Try again when it has started, or stop it.`,
        );
      await pause(POLL_MILLISECONDS);
    }
  } catch (error) {
    await address.remove();
    throw error;
  }
}

/** The folder, with a lock file that can be written. */
async function prepare(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await (await open(join(folder, LOCK), 'a', 0o600)).close();
  } catch (error) {
    throw new DataDirectoryUnusable(folder, error as NodeJS.ErrnoException);
  }
}

async function own(
  folder: string,
  lock: FileLock,
  address: SocketAddress,
  farewellMilliseconds: number,
): Promise<EmbeddedDatabase> {
  try {
    ftruncateSync(lock.fd);
    writeSync(lock.fd, `${process.pid}\n`);
    // Left by an owner that was killed.
    await rm(address.path, { force: true });
    const files = join(folder, 'postgres');
    const unsettled = join(folder, UNSETTLED);
    if (!existsSync(files)) {
      writeFileSync(unsettled, '');
      await initialize(files);
    }
    const isNew = existsSync(unsettled);
    const pglite = await opened(files);
    const server = new PGLiteSocketServer({
      db: pglite,
      path: address.path,
      maxConnections: MAX_CONNECTIONS,
    });
    await server.start();
    await chmod(address.path, 0o600);
    const close = async () => {
      // Nobody new gets in.
      await rm(address.path, { force: true });
      const deadline = Date.now() + farewellMilliseconds;
      while (server.getStats().activeConnections > 0 && Date.now() < deadline) await pause(POLL_MILLISECONDS);
      await server.stop();
      await pglite.close();
      ftruncateSync(lock.fd);
      lock.release();
      await address.remove();
    };
    const settle = () => rm(unsettled, { force: true });
    return { connection: connectionTo(folder, address), isNew, settle, isOwner: true, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function visit(folder: string, address: SocketAddress): EmbeddedDatabase {
  const close = () => address.remove();
  const settle = () => Promise.resolve();
  return { connection: connectionTo(folder, address), isNew: false, settle, isOwner: false, close };
}

function connectionTo(lockFolder: string, { folder }: SocketAddress): PostgresConnection {
  return { socketFolder: folder, lockFolder };
}

/** Under another name until it is complete: what a crash leaves half made is never taken for a database. */
async function initialize(files: string): Promise<void> {
  const unfinished = `${files}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await (await opened(unfinished)).close();
  await rename(unfinished, files);
}

async function opened(files: string): Promise<SharedPGlite> {
  const pglite = new SharedPGlite(files);
  await pglite.waitReady;
  return pglite;
}

async function ownerOf(folder: string): Promise<string> {
  const pid = (await readFile(join(folder, LOCK), 'utf8')).trim();
  return pid === '' ? 'another process' : `process ${pid}`;
}

function answers(path: string): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      answer(true);
    });
    socket.once('error', () => {
      answer(false);
    });
  });
}

interface SocketAddress {
  /** What `pg` takes as host. */
  readonly folder: string;
  readonly path: string;
  remove(): Promise<void>;
}

/** The socket lies in the data directory. Where that name is too long for a socket, a link leads there. */
async function socketAddress(folder: string): Promise<SocketAddress> {
  const path = join(folder, SOCKET);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return { folder, path, remove: () => Promise.resolve() };
  const parent = await mkdtemp(join(tmpdir(), 'radio-directory-link-'));
  const link = join(parent, 'data');
  await symlink(folder, link);
  return {
    folder: link,
    path: join(link, SOCKET),
    remove: () => rm(parent, { recursive: true, force: true }),
  };
}
