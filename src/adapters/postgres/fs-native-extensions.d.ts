declare module 'fs-native-extensions' {
  /** Takes the lock on an open file; false: another open file has it. The system frees it when the file is closed. */
  export function tryLock(fd: number): boolean;
}
