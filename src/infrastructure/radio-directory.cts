#!/usr/bin/env node
// libuv reads this once, when its first thread starts; loading an ES module starts one, so only a CommonJS file is early
// enough. bcrypt takes one thread per core: file reads and name look-ups must not wait behind it.
process.env['UV_THREADPOOL_SIZE'] ??= '8';
yieldToTheEventLoop();
void import('./main.js');

/**
 * bcrypt keeps every core busy while many log in. Linux has a priority per thread, so the threads of the pool are asked to
 * step back behind the one that answers everybody else; which they are is seen only when they come to be, all at once.
 */
function yieldToTheEventLoop(): void {
  if (process.platform !== 'linux' || !('getBuiltinModule' in process)) return;
  const { readdirSync, stat } = process.getBuiltinModule('node:fs');
  const { setPriority } = process.getBuiltinModule('node:os');
  const threads = () => readdirSync('/proc/self/task');
  try {
    const before = new Set(threads());
    stat('.', () => undefined);
    for (const thread of threads().filter((id) => !before.has(id))) setPriority(Number(thread), 10);
  } catch {
    // A sandbox without /proc: all threads have the same priority then.
  }
}
