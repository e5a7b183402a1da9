import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type Socket, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import type { ServerAddresses } from '../../src/infrastructure/serve.js';
import { type TestDatabase, sharedPostgres } from '../support/postgres-server.js';
import {
  PROGRAM,
  type RunningService,
  cleanEnvironment,
  freePort,
  startService,
} from '../support/running-service.js';

describe('The running program', function () {
  this.timeout(60_000);
  let dataDir: string;
  let managementPort: number;
  let service: RunningService | undefined;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'radio-directory-'));
    managementPort = await freePort();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    if (service?.process.exitCode === null) await service.end('SIGKILL');
    service = undefined;
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = async (environment: Record<string, string> = {}) =>
    (service = await startService(dataDir, {
      DATABASE_URL: 'memory:',
      RATE_LIMITS: 'off',
      MANAGEMENT_PORT: String(managementPort),
      ...environment,
    }));
  const probe = (path: string) => fetch(`http://127.0.0.1:${managementPort}${path}`);
  const readiness = async () => (await probe('/readyz')).status;
  /** An open connection; what it is sent is answered by `answer`, one answer at a time. */
  const connected = async (url: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const received = { text: '', isClosed: false };
    socket.setEncoding('latin1').on('data', (chunk: string) => (received.text += chunk));
    socket.on('close', () => (received.isClosed = true));
    const until = async (condition: () => boolean) => {
      while (!condition()) await Promise.race([once(socket, 'data'), once(socket, 'close'), pause(20)]);
    };
    return { socket, received, until };
  };
  const signalled = (running: RunningService, signal: NodeJS.Signals) => {
    const ended = once(running.process, 'exit') as Promise<[number | null]>;
    running.process.kill(signal);
    return ended.then(([code]) => code);
  };
  const untilDraining = async () => {
    while ((await readiness()) === 200) await pause(10);
  };

  it('tells balancers that it is ready', async () => {
    await start();
    expect(await (await probe('/readyz')).json()).to.deep.equal({
      status: 'ready',
      checks: { service: { ok: true, detail: 'serving' }, database: { ok: true } },
    });
    expect((await probe('/livez')).status).to.equal(200);
    expect(await (await probe('/version')).json()).to.have.property('version');
  });

  it('still serves after SIGTERM while balancers turn away, ends each connection, and then exits with 0', async () => {
    const running = await start({ DRAIN_MS: '1000' });
    const kept = await connected(running.url);
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    kept.socket.write(request);
    await kept.until(() => kept.received.text.includes('reachable'));
    expect(kept.received.text).to.match(/^connection: keep-alive\r$/im);
    kept.received.text = '';

    const exit = signalled(running, 'SIGTERM');
    await untilDraining();
    const response = await fetch(running.url);
    expect(response.status).to.equal(200);
    expect(response.headers.get('connection')).to.equal('close');
    kept.socket.write(request);
    await kept.until(() => kept.received.isClosed);
    expect(kept.received.text)
      .to.match(/^HTTP\/1\.1 200 /)
      .and.to.match(/^connection: close\r$/im);

    expect(await exit).to.equal(0);
    expect(running.output()).to.include('"msg":"stopped"');
  });

  it('finishes the request in flight after it has closed its door', async () => {
    const running = await start({ DRAIN_MS: '200' });
    const slow = await connected(running.url);
    const body = JSON.stringify({ email: 'anna@example.com' });
    const head = `POST /user/requestPasswordChange HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
    slow.socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);

    const exit = signalled(running, 'SIGTERM');
    const isOpen = () =>
      fetch(running.url).then(
        () => true,
        () => false,
      );
    while (await isOpen()) await pause(20);
    slow.socket.write(body.slice(5));
    await slow.until(() => slow.received.isClosed);

    expect(slow.received.text)
      .to.match(/^HTTP\/1\.1 200 /)
      .and.to.match(/^connection: close\r$/im);
    expect(await exit).to.equal(0);
  });

  it('waits for nobody who does not come to an end, and exits with 0 all the same', async () => {
    const running = await start({ DRAIN_MS: '0' });
    const stuck = await connected(running.url);
    const head = 'POST /user HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
    stuck.socket.write(`${head}Content-Length: 9\r\nExpect: 100-continue\r\n\r\n`);
    await stuck.until(() => stuck.received.text.includes('100 Continue'));
    expect(await signalled(running, 'SIGTERM')).to.equal(0);
  });

  it('ends at once with 0 when it is told so while it waits for its database', async () => {
    const program = spawn(process.execPath, [PROGRAM, 'serve'], {
      cwd: dataDir,
      env: {
        ...cleanEnvironment(),
        DATABASE_URL: `postgres://postgres@127.0.0.1:${await freePort()}/postgres`,
        PORT: '0',
        MANAGEMENT_PORT: '',
      },
    });
    const ended = once(program, 'exit');
    let output = '';
    program.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    while (!output.includes('Trying again until it is')) await Promise.race([ended, pause(20)]);
    program.kill('SIGTERM');
    expect(await ended).to.deep.equal([0, null]);
  });

  it('does not wait for balancers after Ctrl-C, or without a management port', async () => {
    const interrupted = await start({ DRAIN_MS: '600000' });
    expect(await interrupted.end('SIGINT')).to.equal(0);
    const unmanaged = await start({ MANAGEMENT_PORT: '' });
    expect(await unmanaged.end('SIGTERM')).to.equal(0);
    expect(unmanaged.output()).to.include('"drainMilliseconds":0');
  });

  it('exits with 1 at the second signal', async () => {
    for (const [first, second, between] of [
      ['SIGTERM', 'SIGINT', 0],
      ['SIGTERM', 'SIGTERM', 1_100],
    ] as const) {
      const running = await start({ DRAIN_MS: '600000' });
      const exit = signalled(running, first);
      await untilDraining();
      await pause(between);
      running.process.kill(second);
      expect(await exit).to.equal(1);
    }
  });

  it('takes a signal that comes again at once, from npm and from the terminal, for one', async () => {
    const running = await start({ DRAIN_MS: '500' });
    const exit = signalled(running, 'SIGTERM');
    await untilDraining();
    running.process.kill('SIGTERM');
    expect(await exit).to.equal(0);
  });

  it('is live and not ready while it starts', async () => {
    // A database that takes connections and never says a word, until it has something to say.
    let refusal: Buffer | null = null;
    const database = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => refusal && socket.end(refusal));
    });
    await once(database.listen(0, '127.0.0.1'), 'listening');
    const address = database.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const starting = start({ DATABASE_URL: `postgres://postgres@127.0.0.1:${address.port}/postgres` }).catch(
      (error: unknown) => error,
    );
    const answered = async (): Promise<Response> => {
      for (;;) {
        const response = await probe('/readyz').catch(() => null);
        if (response) return response;
        await pause(20);
      }
    };
    const response = await answered();
    expect(response.status).to.equal(503);
    expect(await response.json()).to.deep.equal({
      status: 'not ready',
      checks: { service: { ok: false, detail: 'starting' } },
    });
    expect((await probe('/livez')).status).to.equal(200);

    // What another attempt cannot mend ends the start.
    const fields = 'SFATAL\0C28P01\0Mpassword authentication failed\0\0';
    refusal = Buffer.concat([Buffer.from('E\0\0\0'), Buffer.from([4 + fields.length]), Buffer.from(fields)]);
    for (const socket of sockets) socket.destroy();
    expect(String(await starting)).to.match(
      /ended with 1:[^]*^PostgreSQL refused: password authentication failed\. Check DATABASE_URL\.$/m,
    );
    database.close();
  });

  it('says with --json where it listens, on standard output and nothing else there', async () => {
    const program = spawn(process.execPath, [PROGRAM, 'serve', '--json'], {
      cwd: dataDir,
      env: {
        ...cleanEnvironment(),
        DATABASE_URL: 'memory:',
        HOST: '127.0.0.1',
        PORT: '0',
        MANAGEMENT_PORT: '0',
      },
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      program[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
    const ended = once(program, 'exit');
    while (!output.stdout.includes('\n')) await Promise.race([ended, pause(20)]);
    const { host, port, management } = JSON.parse(output.stdout) as ServerAddresses;
    expect((await fetch(`http://${host}:${port}/`)).status).to.equal(200);
    expect((await fetch(`http://${management?.host}:${management?.port}/readyz`)).status).to.equal(200);
    program.kill('SIGINT');
    expect(await ended).to.deep.equal([0, null]);
    expect(output.stdout.split('\n')).to.have.length(2);
    expect(output.stderr).to.include('The radio directory listens on');
  });

  describe('with a PostgreSQL that refuses it', () => {
    let database: TestDatabase | undefined;
    let url: URL;
    before(async function () {
      const server = await sharedPostgres();
      if (!server) return this.skip();
      database = await server.createDatabase();
      const db = new PostgresDatabase({ url: database.url });
      await db.rows('drop role if exists radio_without_rights');
      await db.rows('create role radio_without_rights login');
      await db.rows('revoke create on schema public from public');
      await db.close();
    });
    after(async () => {
      await database?.drop();
      const db = new PostgresDatabase({ url: (await sharedPostgres())?.url ?? '' });
      await db.rows('drop role if exists radio_without_rights');
      await db.close();
    });
    beforeEach(() => {
      url = new URL(database?.url ?? '');
    });
    const expectSentence = (command: readonly string[], sentence: string) => {
      const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...command], {
        env: {
          ...cleanEnvironment(),
          PORT: '0',
          MANAGEMENT_PORT: '',
          DATABASE_URL: url.href,
          DATA_DIR: dataDir,
        },
        encoding: 'utf8',
        timeout: 30_000,
      });
      expect(stderr).to.equal(`${sentence}\n`);
      expect(status).to.equal(1);
    };

    for (const [what, change, sentence] of [
      [
        'has no such database',
        () => (url.pathname = '/nowhere'),
        'PostgreSQL refused: database "nowhere" does not exist. Check DATABASE_URL.',
      ],
      [
        'has no such role',
        () => (url.username = 'nobody_here'),
        'PostgreSQL refused: role "nobody_here" does not exist. Check DATABASE_URL.',
      ],
      [
        'speaks no TLS',
        () => (url.search = 'sslmode=verify-full'),
        'PostgreSQL refused: The server does not support SSL connections. Check DATABASE_URL.',
      ],
      [
        'lets the role create no tables',
        () => (url.username = 'radio_without_rights'),
        'PostgreSQL refused: permission denied for schema public. ' +
          'Grant the role in DATABASE_URL USAGE and CREATE on the schema; the tables must be its own.',
      ],
    ] as const)
      for (const command of [['serve'], ['migrate', 'up']])
        it(`says in one sentence that it ${what}, and ends with 1: ${command.join(' ')}`, () => {
          change();
          expectSentence(command, sentence);
        });

    it('says in one sentence that it has no tables yet, and ends with 1: stream list', () => {
      expectSentence(
        ['stream', 'list'],
        'PostgreSQL refused: relation "directory_streams" does not exist. ' +
          'Bring the schema up to date with `radio-directory migrate up`.',
      );
    });
  });

  it('says in one sentence that the management port is taken, and exits with 1', async () => {
    await start();
    const { status, stderr, stdout } = spawnSync(process.execPath, [PROGRAM, 'serve'], {
      env: {
        ...cleanEnvironment(),
        PORT: '0',
        MANAGEMENT_PORT: String(managementPort),
        DATABASE_URL: 'memory:',
      },
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect(status).to.equal(1);
    expect(stderr + stdout).to.match(
      /^Cannot listen on port \d+ of 127\.0\.0\.1: another process listens there already\. Set MANAGEMENT_PORT and MANAGEMENT_HOST, or leave MANAGEMENT_PORT empty to do without\.$/m,
    );
  });
});
