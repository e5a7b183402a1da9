import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import express from 'express';
import { FULL, figure } from '../support/figures.js';
import { load } from '../support/load.js';
import { createHttpServer } from '../../src/adapters/http/server.js';
import { type RunningService, startService } from '../support/running-service.js';

const EACH = FULL ? 330 : 60;
const APART_MS = 10;
/** So long whoever is cut off comes again. */
const ATTACK_MS = FULL ? 44_000 : 0;
const DRIP_MS = FULL ? 5_000 : 1_000;
/** Nobody is meant to stay longer than this. */
const PATIENCE_MS = 30_000;
const LARGE = 64 * 1_024 ** 2;
const STEADY_BYTES_A_SECOND = LARGE / 16;

describe('Slow clients', function () {
  this.timeout(180_000);
  let dataDir: string;
  let service: RunningService;

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'radio-directory-'));
    service = await startService(dataDir, {
      DATABASE_URL: 'memory:',
      SAMPLE_DATA: 'on',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'warn',
    });
  });
  after(async () => {
    await service?.end('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  const descriptors = () => readdirSync(`/proc/${service.process.pid}/fd`).length;
  const others = (milliseconds: number) =>
    load({
      url: service.url,
      connections: 10,
      milliseconds,
      perSecond: 50,
      request: () => ({ path: '/stream' }),
    });

  /** Opens a connection, says `start`, then `drip` over and over; resolves when the server has ended it. */
  const slowly = async (
    start: string,
    { drip = '', reads = true }: { drip?: string; reads?: boolean },
  ): Promise<{ text: string; milliseconds: number }> => {
    const socket: Socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const openedAt = performance.now();
    let text = '';
    socket.on('error', () => undefined);
    if (reads) socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    else socket.pause();
    socket.write(start);
    const dripping = setInterval(() => void (drip !== '' && socket.write(drip)), DRIP_MS);
    // Who does not read does not see the end either, but can no longer write.
    const pushing = reads ? undefined : setInterval(() => socket.write(' '), 250);
    const giveUp = setTimeout(() => socket.destroy(new Error('never cut')), PATIENCE_MS);
    await once(socket, 'close').catch(() => undefined);
    for (const timer of [dripping, pushing]) clearInterval(timer);
    clearTimeout(giveUp);
    return { text, milliseconds: performance.now() - openedAt };
  };

  /** A client that asks for an answer too large for the kernel's buffers; how long the server puts up with it. */
  const askForMuch = async (take: (client: Socket) => unknown): Promise<number> => {
    const large = express().get('/', (_request, response) => void response.end(Buffer.alloc(LARGE)));
    const server = createHttpServer(large);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const over = once(server, 'connection').then(([socket]: Socket[]) => socket && once(socket, 'close'));
    const client = connect(address.port, '127.0.0.1').on('error', () => undefined);
    client.pause().write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const askedAt = performance.now();
    take(client);
    await over;
    const milliseconds = performance.now() - askedAt;
    server.close();
    return milliseconds;
  };
  const neverRead = async (): Promise<number> => {
    const clients: Socket[] = [];
    const milliseconds = await askForMuch((client) => clients.push(client));
    for (const client of clients) client.destroy();
    return milliseconds;
  };
  /** Somebody far away, or on the train: how much of the answer there is in the end, and when. */
  const readSteadily = async (): Promise<{ bytes: number; milliseconds: number }> => {
    let bytes = 0;
    let end: Promise<unknown> = Promise.resolve();
    const milliseconds = await askForMuch((client) => {
      end = once(client, 'close');
      client.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        client.pause();
        setTimeout(() => client.resume(), (chunk.length / STEADY_BYTES_A_SECOND) * 1_000);
      });
      client.resume();
    });
    await end;
    return { bytes, milliseconds };
  };

  it('are cut off, and nobody else notices', async function () {
    if (process.platform !== 'linux') this.skip();
    const before = descriptors();
    const alone = await others(2_000);

    // One after the other, as slowhttptest does: a thousand at once would be another attack.
    const endsAt = performance.now() + ATTACK_MS;
    const many = async <T>(make: () => Promise<T>) => {
      const cuts: T[] = [];
      const one = async (_: unknown, number: number) => {
        await pause(number * APART_MS);
        do cuts.push(await make());
        while (performance.now() < endsAt);
      };
      await Promise.all(Array.from({ length: EACH }, one));
      return cuts;
    };
    const head =
      'POST /user HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n';
    // As many as one connection may ask for; what else they do is waiting.
    const asking = 'GET /stream HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10);
    const attack = Promise.all([
      many(() => slowly('GET / HTTP/1.1\r\nHost: a\r\n', { drip: 'X' })),
      many(() => slowly(head, { drip: '{' })),
      many(() => slowly(asking, { reads: false })),
      neverRead(),
      readSteadily(),
    ]);
    const meanwhile = await others(FULL ? 60_000 : 8_000);
    const [headers, bodies, readers, ignored, steady] = await attack;
    while (descriptors() > before + 10) await pause(50);

    const slowest = (cut: readonly { readonly milliseconds: number }[]) =>
      (Math.max(...cut.map(({ milliseconds }) => milliseconds)) / 1_000).toFixed(1);
    figure('P22', {
      'connections of each kind': EACH,
      cut: headers.length + bodies.length + readers.length,
      'slow headers cut after s': slowest(headers),
      'slow bodies cut after s': slowest(bodies),
      'slow readers cut after s': slowest(readers),
      'an answer of 64 MiB that nobody reads, after s': (ignored / 1_000).toFixed(1),
      'one that is read steadily, complete after s': (steady.milliseconds / 1_000).toFixed(1),
      'p99 of others ms, alone': alone.p99.toFixed(1),
      'during the attack': meanwhile.p99.toFixed(1),
      'descriptors before and after': `${before} ${descriptors()}`,
    });
    for (const { text } of [...headers, ...bodies]) {
      expect(text).to.match(/^HTTP\/1\.1 408 /);
      expect(text).to.match(/\{"statusCode":408,"message":"Request Timeout"\}$/);
    }
    for (const { milliseconds } of [...headers, ...bodies, ...readers])
      expect(milliseconds).to.be.below(PATIENCE_MS);
    expect(steady.bytes).to.be.above(LARGE);
    expect(alone.failures.concat(meanwhile.failures)).to.deep.equal([]);
    expect(meanwhile.statuses).to.deep.equal({ 200: meanwhile.requests });
  });
});
