/**
 * How fast GET /stream is, next to an Express that answers the same bytes from memory, measured in the same run.
 *
 *   npm run build && node --import tsx bench/listing.mjs [streams …]
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import pg from 'pg';
import { load } from '../tests/support/load.ts';
import { startPostgres } from '../tests/support/postgres-server.ts';
import { filledDirectory } from '../tests/support/filled-directory.ts';
import { startService } from '../tests/support/running-service.ts';

const SECONDS = Number(process.env.SECONDS ?? 4);

if (process.argv[2] === 'yardstick') await yardstick();
else await measure(process.argv.slice(2).map(Number));

/** Express with one route and a body that it was given. */
async function yardstick() {
  const body = await new Promise((resolve) => process.once('message', resolve));
  const app = express();
  app.get('/stream', (_request, response) => response.type('json').send(body));
  const server = app.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

async function measure(sizes) {
  const postgres = await startPostgres();
  if (!postgres) throw new Error('There is no PostgreSQL on this machine.');
  const dataDir = mkdtempSync(join(tmpdir(), 'radio-directory-bench-'));
  try {
    for (const streams of sizes.length > 0 ? sizes : [100, 1_000, 10_000])
      await measureWith(postgres, dataDir, streams);
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measureWith(postgres, dataDir, streams) {
  const database = await postgres.createDatabase();
  const { token, streams: filled } = await filledDirectory(database.url, { streams, users: 0, reports: 2 });
  const service = await startService(dataDir, {
    DATABASE_URL: database.url,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
  });
  const db = new pg.Client({ connectionString: database.url });
  db.on('error', () => {}); // The server may end first, when something failed.
  await db.connect();
  const url = `${service.url}/stream`;
  const body = await (await fetch(url)).text();
  const bare = fork(new URL(import.meta.url), ['yardstick']);
  bare.send(body);
  const port = await new Promise((resolve) => bare.once('message', resolve));
  const bareUrl = `http://127.0.0.1:${port}/stream`;
  await loaded(bareUrl, {}, 1);
  await loaded(url, {}, 1);

  console.log(
    `\n${streams} streams, ${(body.length / 1_024).toFixed(0)} KiB, 50 connections, ${SECONDS} s each`,
  );
  const yard = await loaded(bareUrl);
  const report = async (what, headers, pushes = 0) => {
    const before = await calls(db);
    const taken = pushes > 0 ? pushing(service.url, token, filled, pushes) : null;
    const result = await loaded(url, headers);
    const pushed = taken?.();
    const { n, rows } = await calls(db, before);
    console.log(
      `  ${what.padEnd(30)} ${result.answersPerSecond.toFixed(0).padStart(6)}/s  ${(result.answersPerSecond / yard.answersPerSecond).toFixed(2)} of bare Express` +
        `  p50 ${result.median.toFixed(1)} p99 ${result.p99.toFixed(1)} ms  ${JSON.stringify(result.statuses)}` +
        `  ${n} transactions, ${rows} rows read${pushed === undefined ? '' : `, ${pushed} pushes`}`,
    );
  };
  console.log(
    `  ${'bare Express'.padEnd(30)} ${yard.answersPerSecond.toFixed(0).padStart(6)}/s  1.00                  p50 ${yard.median.toFixed(1)} p99 ${yard.p99.toFixed(1)} ms`,
  );
  await report('as it is', {});
  await report('gzip', { 'Accept-Encoding': 'gzip' });
  const tag = (await fetch(url, { headers: { 'Accept-Encoding': 'gzip, br' } })).headers.get('etag');
  await report('If-None-Match', { 'If-None-Match': tag, 'Accept-Encoding': 'gzip, br' });
  await report('as it is, 50 pushes a second', {}, 50);
  bare.kill();
  await db.end();
  await service.end('SIGTERM');
  await database.drop();
}

function loaded(url, headers = {}, seconds = SECONDS) {
  return load({
    url,
    connections: 50,
    milliseconds: seconds * 1_000,
    request: () => ({ path: '/stream', headers }),
  });
}

/** Sends songs until the returned function is called, which tells how many were taken. */
function pushing(service, token, streams, perSecond) {
  let sent = 0;
  let taken = 0;
  const timer = setInterval(() => {
    const { uuid } = streams[sent++ % streams.length];
    void fetch(`${service}/stream/update/${uuid}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ title: `Song ${sent}`, artist: 'Somebody', songDuration: 200 }),
    }).then(async (response) => {
      await response.arrayBuffer();
      if (response.ok) taken += 1;
    });
  }, 1_000 / perSecond);
  return () => {
    clearInterval(timer);
    return taken;
  };
}

/** What PostgreSQL did since `before`. */
async function calls(db, before = { n: 0, rows: 0 }) {
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  const { rows } =
    await db.query(`select (xact_commit + xact_rollback)::int as n, tup_returned::float8 as rows
    from pg_stat_database where datname = current_database()`);
  return { n: rows[0].n - before.n, rows: rows[0].rows - before.rows };
}
