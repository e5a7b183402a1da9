import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import {
  PROGRAM,
  type RunningService,
  cleanEnvironment,
  newDataDir,
  startService,
} from '../support/running-service.js';

const run = promisify(execFile);
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('The embedded directory', function () {
  this.timeout(120_000);
  let dataDir: string;
  let service: RunningService | null = null;

  beforeEach(() => {
    dataDir = newDataDir();
  });

  afterEach(async () => {
    await service?.end('SIGKILL');
    service = null;
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = async (environment: Record<string, string> = {}) => {
    service = await startService(dataDir, { RATE_LIMITS: 'off', SAMPLE_DATA: 'off', ...environment });
    return service;
  };
  const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });
  const command = async (...args: string[]): Promise<Record<string, unknown>> => {
    const { stdout } = await run(process.execPath, [PROGRAM, ...args, '--json'], {
      env: { ...cleanEnvironment(), DATA_DIR: dataDir },
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const mailedToken = async (kind: string): Promise<string> => {
    for (;;) {
      const folder = join(dataDir, 'mail');
      const files = statSync(folder, { throwIfNoEntry: false })
        ? readdirSync(folder).filter((file) => file.endsWith('.eml'))
        : [];
      const token = files
        .map((file) => new RegExp(`${kind}/([\\w-]{43})`).exec(readFileSync(join(folder, file), 'utf8'))?.[1])
        .find(Boolean);
      if (token !== undefined) return token;
      await pause(50);
    }
  };

  it('holds everything that was acknowledged before a kill -9', async () => {
    const { url } = await start();
    const password = 'Sunny-Day-2026';
    const registered = await post(`${url}/user`, { username: 'Anna', email: 'anna@example.com', password });
    expect(registered.status).to.equal(201);
    expect((await post(`${url}/user/activate/${await mailedToken('activate')}`, {})).status).to.equal(200);
    const login = (await (
      await post(`${url}/user/login`, { email: 'anna@example.com', password })
    ).json()) as { access_token: string };
    const organization = await command('organization', 'add', '--name', 'Radio Anna');
    const stream = await command(
      'stream',
      'add',
      '--organization',
      String(organization['id']),
      '--name',
      'Night',
      '--url',
      'https://example.com/night',
    );
    const { token } = await command('organization', 'token', 'add', String(organization['id']));
    const authorized = { Authorization: `Bearer ${login.access_token}` };
    expect(
      (await post(`${url}/stream/${String(stream['id'])}/vote`, { voteType: 'up' }, authorized)).status,
    ).to.equal(200);
    const webhook = `${url}/stream/update/${String(stream['uuid'])}`;
    for (const title of ['So What', 'Naima'])
      expect(
        await (
          await post(webhook, { title, artist: 'Somebody' }, { Authorization: `Bearer ${String(token)}` })
        ).json(),
      ).to.deep.equal({ message: 'Stream updated' });
    // The last acknowledged change, immediately before the kill: its mail cannot have been sent yet.
    expect(
      (await post(`${url}/user`, { username: 'Ben', email: 'ben@example.com', password })).status,
    ).to.equal(201);
    await service?.end('SIGKILL');

    const again = await start();
    const votes = await (
      await fetch(`${again.url}/stream/${String(stream['id'])}/votes`, { headers: authorized })
    ).json();
    expect(votes).to.deep.equal({ upvotes: 1, downvotes: 0, score: 1, userVote: 'up' });
    const history = (await (await fetch(`${again.url}/stream/${String(stream['id'])}/history`)).json()) as {
      current: { title: string };
      history: { title: string }[];
    };
    expect(history.current.title).to.equal('Naima');
    expect(history.history.map((play) => play.title)).to.deep.equal(['So What']);
    const bens = await post(`${again.url}/user`, { username: 'Ben', email: 'ben@example.com', password });
    expect(bens.status).to.equal(409);
    for (const file of readdirSync(join(dataDir, 'mail')))
      if (/anna/.test(readFileSync(join(dataDir, 'mail', file), 'utf8'))) rmSync(join(dataDir, 'mail', file));
    expect((await post(`${again.url}/user/activate/${await mailedToken('activate')}`, {})).status).to.equal(
      200,
    );
  });

  it('stops on SIGTERM with exit code 0', async () => {
    const running = await start();
    expect(await running.end('SIGTERM')).to.equal(0);
    service = null;
  });

  it('refuses a second server, naming the folder and the process that has it', async () => {
    const first = await start();
    const second = spawnSync(process.execPath, [PROGRAM, 'serve'], {
      env: { ...cleanEnvironment(), DATA_DIR: dataDir, PORT: '0', MANAGEMENT_PORT: '' },
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(second.status).to.equal(1);
    expect(second.stderr).to.include(dataDir).and.include(String(first.process.pid));
  });

  it('keeps the folder, the secret and the mails readable by their owner only', async () => {
    const { url } = await start();
    const registration = { username: 'Anna', email: 'anna@example.com', password: 'Sunny-Day-2026' };
    expect((await post(`${url}/user`, registration)).status).to.equal(201);
    await mailedToken('activate');
    const mode = (...path: string[]) => (statSync(join(dataDir, ...path)).mode & 0o777).toString(8);
    const [mail = ''] = readdirSync(join(dataDir, 'mail'));
    expect([mode('jwt-secret'), mode('mail'), mode('mail', mail)]).to.deep.equal(['600', '700', '600']);
  });

  it('is filled with sample stations once, and never again', async () => {
    const count = async (url: string) =>
      ((await (await fetch(`${url}/stats`)).json()) as { stations: number }).stations;
    const first = await startService(dataDir);
    const stations = await count(first.url);
    expect(stations).to.be.at.least(24);
    await first.end('SIGTERM');
    service = await startService(dataDir);
    expect(await count(service.url)).to.equal(stations);
    expect(service.output()).to.not.include('sample stations');
  });

  it('is filled although a command came before the first server, or the first server was killed on the way', async () => {
    await command('organization', 'list');
    const killed = spawn(process.execPath, [PROGRAM, 'serve'], {
      env: { ...cleanEnvironment(), DATA_DIR: dataDir, PORT: '0', MANAGEMENT_PORT: '', LOG_LEVEL: 'silent' },
    });
    await pause(700);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    service = await startService(dataDir);
    const { stations } = (await (await fetch(`${service.url}/stats`)).json()) as { stations: number };
    expect(stations).to.be.at.least(24);
  });

  it('keeps its schema while a server runs on it', async () => {
    await start();
    const refused = spawnSync(process.execPath, [PROGRAM, 'migrate', 'down'], {
      env: { ...cleanEnvironment(), DATA_DIR: dataDir },
      encoding: 'utf8',
    });
    expect(refused.status).to.equal(1);
    expect(refused.stderr).to.equal(
      'A server is running on this directory, and needs its schema. Stop it first.\n',
    );
  });

  it('shows its schema as it is, without bringing it up to date', async () => {
    await command('organization', 'list');
    const { reverted } = (await command('migrate', 'down')) as { reverted: string[] };
    expect(reverted).to.have.length(1);
    expect(await command('migrate', 'status')).to.deep.include({ pending: reverted });
  });

  it('says in one sentence why a folder cannot hold it', () => {
    const file = join(dataDir, 'file');
    writeFileSync(file, '');
    for (const [folder, reason] of [
      [file, 'it is a file'],
      [join(file, 'below'), 'a part of its path is a file'],
    ] as const) {
      const refused = spawnSync(process.execPath, [PROGRAM, 'organization', 'list'], {
        env: { ...cleanEnvironment(), DATA_DIR: folder },
        encoding: 'utf8',
      });
      expect(refused.status).to.equal(1);
      expect(refused.stderr).to.equal(
        `The data directory ${folder} cannot be used: ${reason}. Set DATA_DIR.\n`,
      );
    }
  });
});

describe('The program', () => {
  const start = (environment: Record<string, string>) =>
    spawnSync(process.execPath, [PROGRAM, 'serve'], {
      env: { ...cleanEnvironment(), ...environment },
      encoding: 'utf8',
      timeout: 60_000,
    });

  it('lists every mistake of the configuration at once and exits with 78', () => {
    const { status, stderr } = start({
      PORT: 'seventy',
      TRUST_PROXY: 'everybody',
      JWT_SECRETS: 'too short, this-one-would-be-long-enough-0123456789',
    });
    expect(status).to.equal(78);
    expect(stderr)
      .to.match(/PORT must be/)
      .and.match(/TRUST_PROXY must be/)
      .and.match(/JWT_SECRETS must be/);
    expect(stderr).to.not.include('long-enough');
  });

  it('says in one sentence that the port is taken, and exits with 1', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'radio-directory-'));
    const running = await startService(dataDir, { DATABASE_URL: 'memory:' });
    const { status, stderr, stdout } = start({
      PORT: new URL(running.url).port,
      HOST: '127.0.0.1',
      MANAGEMENT_PORT: '',
      DATABASE_URL: 'memory:',
    });
    await running.end('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
    expect(status).to.equal(1);
    expect(stderr + stdout).to.match(
      /^Cannot listen on port \d+ of 127\.0\.0\.1: another process listens there already\. Set PORT and HOST\.$/m,
    );
  }).timeout(120_000);
});
