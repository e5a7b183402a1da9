import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { FULL, figure } from '../support/figures.js';
import { type FilledDirectory, JWT_SECRET, filledDirectory } from '../support/filled-directory.js';
import { type LoadRequest, type LoadResult, load } from '../support/load.js';
import { type TestDatabase, sharedPostgres } from '../support/postgres-server.js';
import { RoundRobinProxy } from '../support/round-robin-proxy.js';
import { type RunningService, freePort, startService } from '../support/running-service.js';

const NODES = 3;
const RESTARTS = FULL ? 10 : 1;
const PER_SECOND = FULL ? 500 : 200;
const DRAIN_MS = FULL ? 5_000 : 700;

interface Node {
  readonly service: RunningService;
  readonly managementUrl: string;
}

describe('Three nodes on one PostgreSQL behind a load balancer', function () {
  this.timeout(900_000);
  let database: TestDatabase;
  let directory: FilledDirectory;
  let dataDir: string;
  let proxy: RoundRobinProxy;
  let proxyUrl: string;
  let nodes: Node[];

  before('needs PostgreSQL on this machine, or TEST_DATABASE_URL', async function () {
    const server = await sharedPostgres();
    if (!server) this.skip();
    database = await server.createDatabase();
    directory = await filledDirectory(database.url, { streams: 20, users: 20 });
    dataDir = mkdtempSync(join(tmpdir(), 'radio-directory-'));
    proxy = new RoundRobinProxy();
    proxyUrl = await proxy.open();
    nodes = await Promise.all(Array.from({ length: NODES }, startNode));
    while (proxy.ready < NODES) await pause(20);
  });
  after(async () => {
    await proxy?.close();
    for (const { service } of nodes ?? []) await service.end('SIGKILL');
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
    await database?.drop();
  });

  async function startNode(): Promise<Node> {
    const managementPort = await freePort();
    const service = await startService(dataDir, {
      DATABASE_URL: database.url,
      JWT_SECRETS: JWT_SECRET,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'warn',
      MANAGEMENT_PORT: String(managementPort),
      DRAIN_MS: String(DRAIN_MS),
    });
    const managementUrl = `http://127.0.0.1:${managementPort}`;
    proxy.add({ url: service.url, managementUrl });
    return { service, managementUrl };
  }

  /** Why a node refused requests, if it did. */
  const complaintsOf = ({ service }: Node): string[] =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes('A request failed'));

  /** Listings, histories, votes and songs, turn by turn. */
  const mixed = (number: number): LoadRequest => {
    const pick = <T>(all: readonly T[]): T => all[number % all.length] as T;
    const stream = pick(directory.streams);
    const user = pick(directory.users);
    switch (number % 8) {
      case 0:
        return {
          method: 'POST',
          path: `/stream/${stream.id}/vote`,
          headers: { Authorization: `Bearer ${user.jwt}` },
          body: { voteType: 'up' },
        };
      case 4:
        return {
          method: 'POST',
          path: `/stream/update/${stream.uuid}`,
          headers: { Authorization: `Bearer ${directory.token}` },
          body: { title: `Song ${number}`, artist: 'Somebody' },
        };
      case 2:
        return { path: `/stream/${stream.id}/history` };
      default:
        return { path: '/stream' };
    }
  };

  it('are restarted one after the other under load without one failed request', async () => {
    let isOver = false;
    const results: LoadResult[] = [];
    const busy = (async () => {
      while (!isOver)
        results.push(
          await load({
            url: proxyUrl,
            connections: 32,
            milliseconds: 1_000,
            perSecond: PER_SECOND,
            request: mixed,
          }),
        );
    })();
    const exits: (number | null)[] = [];
    let slowestStop = 0;
    const complaints: string[] = [];
    for (let restart = 0; restart < RESTARTS; restart += 1)
      for (const [place, node] of nodes.entries()) {
        const stopped = performance.now();
        exits.push(await node.service.end('SIGTERM'));
        complaints.push(...complaintsOf(node));
        slowestStop = Math.max(slowestStop, performance.now() - stopped);
        proxy.remove(node.service.url);
        nodes[place] = await startNode();
        while (proxy.ready < NODES) await pause(20);
      }
    isOver = true;
    await busy;

    const statuses: Record<string, number> = {};
    for (const result of results)
      for (const [status, count] of Object.entries(result.statuses))
        statuses[status] = (statuses[status] ?? 0) + count;
    const requests = results.reduce((sum, result) => sum + result.requests, 0);
    figure('P12', {
      'nodes restarted': exits.length,
      requests,
      statuses: JSON.stringify(statuses),
      'without an answer': results.flatMap(({ failures }) => failures).length,
      'p99 ms': Math.round(Math.max(...results.map(({ p99 }) => p99))),
      'slowest stop s': (slowestStop / 1_000).toFixed(1),
    });
    expect(results.flatMap(({ failures }) => failures)).to.deep.equal([]);
    complaints.push(...nodes.flatMap(complaintsOf));
    expect(statuses, complaints.join('\n')).to.deep.equal({ 200: requests });
    expect(exits).to.deep.equal(exits.map(() => 0));
    expect(slowestStop).to.be.below(15_000);
  });

  it('answers clients that talk to a node directly whole or not at all while it stops', async () => {
    const [node] = nodes;
    if (!node) throw new Error('There are three nodes.');
    const url = node.service.url;
    const clients = load({ url, connections: 20, milliseconds: DRAIN_MS + 500, request: mixed });
    await pause(200);
    expect(await node.service.end('SIGTERM')).to.equal(0);
    const { statuses, failures } = await clients;
    figure('P12, direct', {
      statuses: JSON.stringify(statuses),
      'refused after the stop': failures.length,
      truncated: failures.filter((failure) => failure === 'truncated answer').length,
    });
    expect(Object.keys(statuses)).to.deep.equal(['200']);
    expect(new Set(failures)).to.not.include('truncated answer');
  });
});
