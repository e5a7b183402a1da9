import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';

const POLL_MILLISECONDS = 50;

/** A lock that the operating system keeps: it ends with the process that holds it, however that ends. */
export class FileLock {
  private constructor(readonly fd: number) {}

  /** null: somebody else, also in this process, has it. */
  static take(path: string): FileLock | null {
    const fd = openSync(path, 'a+', 0o600);
    try {
      if (tryLock(fd)) return new FileLock(fd);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(fd);
    return null;
  }

  release(): void {
    closeSync(this.fd);
  }
}

/** Runs `work` while no other work of this name runs with a lock in this folder; later ones wait. */
export async function withFileLock<T>(folder: string, name: string, work: () => Promise<T>): Promise<T> {
  const path = join(folder, `${name}.lock`);
  let lock = FileLock.take(path);
  while (!lock) {
    await pause(POLL_MILLISECONDS);
    lock = FileLock.take(path);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
