/**
 * Runs all tests: most of them in two processes side by side, then those that kill, freeze and flood servers, which want
 * the machine to themselves. The last line has the totals of all. Arguments go to mocha: `npm test -- -g 'part of a name'`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';

/** Four times what the slowest run takes on two shared cores. */
const LIMIT_MINUTES = 20;
const NO_TESTS = ['fixtures', 'output', 'support'];
const ALONE = ['faults', 'redis'];
/** About half of the time that all others take. */
const HALF = ['contracts', 'domain', 'http', 'postgres'];

const folders = readdirSync('tests', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !NO_TESTS.includes(entry.name))
  .map(({ name }) => name);
const others = folders.filter((name) => ![...ALONE, ...HALF].includes(name));

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const [first, second] = [mocha(others, true), mocha(HALF, false)];
const runs = [await first, await second];
process.stdout.write(runs[1].output);
runs.push(await mocha(ALONE, true));

const [passed, failed, skipped] = [1, 2, 3].map((part) =>
  runs.reduce((sum, { totals }) => sum + Number(totals?.[part] ?? NaN), 0),
);
console.log(`\nAll tests: ${passed} passed, ${failed} failed, ${skipped} skipped`);
if (runs.some(({ code, totals }) => code !== 0 || totals === null)) process.exitCode = 1;

/** @param isShown as it comes; otherwise it is kept for later */
async function mocha(names, isShown) {
  const globs = names.map((name) => `tests/${name}/**/*.test.ts`);
  const color = process.stdout.isTTY ? ['--color'] : [];
  const args = ['node_modules/mocha/bin/mocha.js', ...color, ...process.argv.slice(2), ...globs];
  // A group of its own, because mocha starts another process that does the work.
  const run = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const end = () => process.kill(-run.pid, 'SIGKILL');
  process.once('exit', end);
  let output = '';
  for (const stream of [run.stdout, run.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (isShown) process.stdout.write(text);
    });
  const limit = setTimeout(end, LIMIT_MINUTES * 60_000);
  const [code, signal] = await once(run, 'close');
  clearTimeout(limit);
  process.removeListener('exit', end);
  const totals = [...output.matchAll(/^(\d+) passed, (\d+) failed, (\d+) skipped$/gm)].at(-1) ?? null;
  if (totals === null)
    console.log(
      `The tests of ${names.join(', ')} ended with ${signal ?? code} before their totals; the limit is ${LIMIT_MINUTES} minutes.`,
    );
  return { code, output, totals };
}
