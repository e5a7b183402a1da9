import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { FULL, figure, quantile } from '../support/figures.js';
import { type FilledDirectory, JWT_SECRET, filledDirectory } from '../support/filled-directory.js';
import { type LoadRequest, load } from '../support/load.js';
import { type TestDatabase, sharedPostgres } from '../support/postgres-server.js';
import { type RunningService, startService } from '../support/running-service.js';

describe('Too many requests at once', function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let directory: FilledDirectory;
  let dataDir: string;
  let service: RunningService;

  before('needs PostgreSQL on this machine, or TEST_DATABASE_URL', async function () {
    const server = await sharedPostgres();
    if (!server) this.skip();
    database = await server.createDatabase();
    directory = await filledDirectory(database.url, { streams: 100, users: 50 });
    dataDir = mkdtempSync(join(tmpdir(), 'radio-directory-'));
    service = await startService(dataDir, {
      DATABASE_URL: database.url,
      JWT_SECRETS: JWT_SECRET,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
    });
  });
  after(async () => {
    await service?.end('SIGKILL');
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
    await database?.drop();
  });

  const list = (): LoadRequest => ({ path: '/stream' });
  const vote = (number: number): LoadRequest => ({
    method: 'POST',
    path: `/stream/${directory.streams[number % 100]?.id}/vote`,
    headers: { Authorization: `Bearer ${directory.users[number % 50]?.jwt}` },
    body: { voteType: number % 3 === 0 ? 'down' : 'up' },
  });
  const logIn = (number: number): LoadRequest => ({
    method: 'POST',
    path: '/user/login',
    body: { email: `nobody-${number}@listeners.example`, password: 'Sunny-Day-2026' },
  });
  /** Milliseconds until each of them got an answer, whatever it was. */
  const newConnections = async (milliseconds: number): Promise<readonly number[]> => {
    const asked: Promise<number>[] = [];
    const endsAt = performance.now() + milliseconds;
    while (performance.now() < endsAt) {
      const startedAt = performance.now();
      asked.push(
        once(get(service.url, { agent: false }), 'response').then(() => performance.now() - startedAt),
      );
      await pause(100);
    }
    return Promise.all(asked);
  };
  const megabytes = (): number => {
    const status = readFileSync(`/proc/${service.process.pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024);
  };

  for (const [what, request] of [
    ['listings', list],
    ['votes', vote],
  ] as const)
    it(`are answered 503 at once beyond what it can do, and it is itself again afterwards: ${what}`, async function () {
      if (process.platform !== 'linux') this.skip();
      const { url, process: server } = service;
      const measured = await load({ url, connections: 50, milliseconds: FULL ? 10_000 : 1_500, request });
      const sustainable = measured.answersPerSecond;
      const milliseconds = FULL ? 60_000 : 3_000;
      const [overload, newcomers] = await Promise.all([
        load({ url, connections: 1_000, milliseconds, perSecond: sustainable * 3, request }),
        newConnections(milliseconds),
      ]);
      const memory = megabytes();
      const afterwards = await load({
        url,
        connections: 20,
        milliseconds: 1_500,
        perSecond: sustainable / 5,
        request,
      });
      figure(`P43, ${what}`, {
        'sustainable /s': Math.round(sustainable),
        'due at 3 times': overload.requests,
        'sent /s': Math.round(overload.answersPerSecond),
        statuses: JSON.stringify(overload.statuses),
        'without an answer': overload.failures.length,
        'p99 ms of the served': Math.round(overload.p99FromSending),
        'and from when they were due': Math.round(overload.p99),
        'p99 ms of new connections until an answer': Math.round(quantile(newcomers, 0.99)),
        'RSS MiB': memory,
        'p99 ms before': measured.p99.toFixed(0),
        'p99 ms afterwards': afterwards.p99.toFixed(0),
      });
      expect(server.exitCode).to.equal(null);
      expect(overload.failures).to.deep.equal([]);
      for (const status of Object.keys(overload.statuses)) expect(status).to.be.oneOf(['200', '503']);
      expect(memory).to.be.below(512);
      expect(afterwards.failures).to.deep.equal([]);
      expect(afterwards.statuses).to.deep.equal({ 200: afterwards.requests });
    });

  it('leave readers alone when they are logins', async () => {
    const { url } = service;
    const milliseconds = FULL ? 30_000 : 3_000;
    const reading = { url, connections: 20, perSecond: 200, request: list };
    const alone = await load({ ...reading, milliseconds: 1_500 });
    const [readers, logins] = await Promise.all([
      load({ ...reading, milliseconds }),
      load({ url, connections: 200, milliseconds, request: logIn, perSecond: 200 }),
    ]);
    const refused = await fetch(`${url}/stream`);
    figure('P42', {
      'readers p99 ms alone': alone.p99.toFixed(0),
      'during 200 concurrent logins': readers.p99.toFixed(0),
      'median then': readers.median.toFixed(0),
      readers: JSON.stringify(readers.statuses),
      logins: JSON.stringify(logins.statuses),
      'logins checked /s': (((logins.statuses[401] ?? 0) * 1_000) / milliseconds).toFixed(1),
    });
    expect(refused.status).to.equal(200);
    expect(readers.failures.concat(logins.failures)).to.deep.equal([]);
    expect(readers.statuses).to.deep.equal({ 200: readers.requests });
    expect(logins.statuses).to.have.all.keys('401', '503');
  });
});
