/**
 * What one node carries on this machine, beside a bare Express that answers the same bytes: read the ratios, for both
 * share the processor with the database and with the client. `npm run build && npx tsx bench/node.ts [SECONDS]`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { filledDirectory, JWT_SECRET } from '../tests/support/filled-directory.js';
import { type LoadRequest, load } from '../tests/support/load.js';
import { startPostgres } from '../tests/support/postgres-server.js';
import { startService } from '../tests/support/running-service.js';

const SECONDS = Number(process.argv[2] ?? 10);
const RUNS = 3;
const CONNECTIONS = 50;

const server = await startPostgres();
if (!server) throw new Error('This needs a PostgreSQL: install one, or set TEST_DATABASE_URL.');
const database = await server.createDatabase();
const dataDir = mkdtempSync(join(tmpdir(), 'radio-directory-bench-'));
const directory = await filledDirectory(database.url, { streams: 100, users: 200, reports: 2 });
const service = await startService(dataDir, {
  DATABASE_URL: database.url,
  JWT_SECRETS: JWT_SECRET,
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'warn',
});
const yardstick = fork(new URL('./bare-express.cjs', import.meta.url), {
  stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
});
const [port] = (await once(yardstick, 'message')) as [number];
const listing = await (await fetch(`${service.url}/stream`)).text();
yardstick.send(listing);
await once(yardstick, 'message');
const bare = `http://127.0.0.1:${port}`;

const pick = <T>(all: readonly T[], number: number): T => all[number % all.length] as T;
const CASES: readonly {
  name: string;
  url: string;
  connections?: number;
  request: (n: number) => LoadRequest;
}[] = [
  { name: 'bare Express, GET /', url: bare, request: () => ({ path: '/' }) },
  { name: 'bare Express, the listing', url: bare, request: () => ({ path: '/stream' }) },
  {
    name: 'bare Express, POST of JSON',
    url: bare,
    request: () => ({ method: 'POST', path: '/vote', body: { voteType: 'up' } }),
  },
  { name: 'GET /', url: service.url, request: () => ({ path: '/' }) },
  { name: 'GET /stream (100 streams)', url: service.url, request: () => ({ path: '/stream' }) },
  {
    name: 'GET /stream/:id/history',
    url: service.url,
    request: (n) => ({ path: `/stream/${pick(directory.streams, n).id}/history` }),
  },
  {
    name: 'POST /stream/:id/vote',
    url: service.url,
    request: (n) => ({
      method: 'POST',
      path: `/stream/${pick(directory.streams, n).id}/vote`,
      headers: { Authorization: `Bearer ${pick(directory.users, n * 7 + Math.floor(n / 100)).jwt}` },
      body: { voteType: 'up' },
    }),
  },
  {
    name: 'POST /stream/update/:uuid',
    url: service.url,
    request: (n) => ({
      method: 'POST',
      path: `/stream/update/${pick(directory.streams, n).uuid}`,
      headers: { Authorization: `Bearer ${directory.token}` },
      body: { title: `Song ${n}`, artist: 'Somebody', songDuration: 200 },
    }),
  },
  {
    name: 'POST /user/login',
    url: service.url,
    connections: availableParallelism() * 2,
    request: (n) => ({
      method: 'POST',
      path: '/user/login',
      body: { email: `nobody-${n}@listeners.example`, password: 'Sunny-Day-2026' },
    }),
  },
];

console.log(
  `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${RUNS} runs of ${SECONDS} s, median`,
);
console.log('| what | answers/s | p99 ms | refused or failed | node CPU s/1000 |');
console.log('| --- | ---: | ---: | ---: | ---: |');
const cpuSeconds = (pid: number | undefined) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
for (const { name, url, connections = CONNECTIONS, request } of CASES) {
  await load({ url, connections, milliseconds: 1_000, request });
  const pid = url === bare ? yardstick.pid : service.process.pid;
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) {
    const before = cpuSeconds(pid);
    const result = await load({ url, connections, milliseconds: SECONDS * 1_000, request });
    const bad = result.failures.length + (result.statuses[503] ?? 0);
    runs.push({ ...result, bad, cpu: ((cpuSeconds(pid) - before) / result.requests) * 1_000 });
  }
  runs.sort((one, other) => one.answersPerSecond - other.answersPerSecond);
  const median = runs[Math.floor(RUNS / 2)];
  if (median)
    console.log(
      `| ${name} | ${median.answersPerSecond.toFixed(median.answersPerSecond < 50 ? 1 : 0)} | ${median.p99.toFixed(0)} | ${median.bad} | ${median.cpu.toFixed(2)} |`,
    );
}

yardstick.kill();
await service.end('SIGTERM');
await database.drop();
await server.stop();
rmSync(dataDir, { recursive: true, force: true });
