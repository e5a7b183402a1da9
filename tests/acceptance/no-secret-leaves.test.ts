import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { leaksIn } from '../support/leaks.js';
import {
  PROGRAM,
  type RunningService,
  cleanEnvironment,
  freePort,
  newDataDir,
  secretsOf,
  startService,
} from '../support/running-service.js';

const run = promisify(execFile);
const EMAIL = 'anna@listener.example';
const PASSWORD = 'Sunny-Day-2026/ß';
const WRONG_PASSWORD = 'Rainy-Day-2026/ß';
const NEW_PASSWORD = 'Foggy-Day-2026/ß';

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

describe('The built server', function () {
  this.timeout(120_000);
  const folders: string[] = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  const aDataDir = () => {
    const folder = newDataDir();
    folders.push(folder);
    return folder;
  };

  it('writes no secret to its log, its refusals, its metrics or its command line', async () => {
    const dataDir = aDataDir();
    const managementPort = await freePort();
    const environment = { RATE_LIMITS: 'off', SAMPLE_DATA: 'off', MANAGEMENT_PORT: String(managementPort) };
    const service: RunningService = await startService(dataDir, environment);
    const refusals: string[] = [];
    const ask = async (path: string, { method = 'POST', body, headers = {} }: Asked = {}) => {
      const answer = await fetch(service.url + path, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) refusals.push(text);
      return { status: answer.status, text };
    };
    const mailed = async (kind: string): Promise<string> => {
      const folder = join(dataDir, 'mail');
      for (;;) {
        // The folder comes with the first mail.
        const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
        for (const file of files) {
          const mail = readFileSync(join(folder, file), 'utf8');
          const token = new RegExp(`user/${kind}/([\\w-]{43})`).exec(mail)?.[1];
          if (token !== undefined) return token;
        }
        await pause(50);
      }
    };
    const command = async (...args: string[]) => {
      const env = { ...cleanEnvironment(), DATA_DIR: dataDir };
      const { stdout } = await run(process.execPath, [PROGRAM, ...args, '--json'], { env });
      return JSON.parse(stdout) as { id: number; uuid: string; token: string };
    };

    const registration = { username: 'Anna', email: EMAIL, password: PASSWORD };
    expect((await ask('/user', { body: registration })).status).to.equal(201);
    await ask('/user', { body: registration });
    await ask('/user', { body: { ...registration, username: 7 } });
    await ask('/user', { body: JSON.stringify(registration).slice(0, -1) });
    await ask('/user', { body: registration, headers: { 'Content-Type': `text/${PASSWORD.slice(0, 14)}` } });
    const activation = await mailed('activate');
    await ask('/user/login', { body: { email: EMAIL, password: PASSWORD } });
    expect((await ask(`/user/activate/${activation}`)).status).to.equal(200);
    await ask(`/user/activate/${activation}`);
    await ask(`/user/verify/${activation}`, { method: 'DELETE' });
    await ask(`/user/activate/${activation}`, { method: 'PATCH' });
    await ask('/user/login', { body: { email: EMAIL, password: WRONG_PASSWORD } });
    const login = await ask('/user/login', { body: { email: EMAIL, password: PASSWORD } });
    const jwt = (JSON.parse(login.text) as { access_token: string }).access_token;
    const radio = await command('organization', 'add', '--name', 'Radio');
    const { uuid } = await command(
      ...['stream', 'add', '--organization', `${radio.id}`, '--name', 'Jazz', '--url', 'https://a.example/1'],
    );
    const { token } = await command('organization', 'token', 'add', `${radio.id}`);
    const vote = { voteType: 'up' };
    const bearer = (text: string) => ({ Authorization: `Bearer ${text}` });
    expect((await ask('/stream/1/vote', { body: vote, headers: bearer(jwt) })).status).to.equal(200);
    await ask('/stream/1/vote', { body: vote, headers: bearer(jwt.slice(0, -1)) });
    await ask('/stream/1/vote', { body: vote, headers: { Authorization: jwt } });
    await ask(`/stream/1/votes?access_token=${jwt}`, { method: 'GET', headers: bearer(`${jwt}x`) });
    const basic = { Authorization: `Basic ${Buffer.from(`radio:${token}`).toString('base64')}` };
    for (const headers of [bearer(token), { 'X-API-KEY': token }, basic])
      expect((await ask(`/stream/update/${uuid}`, { body: { [token]: token }, headers })).status).to.equal(
        200,
      );
    await ask(`/stream/update/${uuid}`, { body: { title: 'A' }, headers: bearer(`${token}x`) });
    await ask(`/stream/update/${uuid}`, { body: `{"title":"${token}"`, headers: bearer(token) });
    await ask(`/stream/update/${token}`, { headers: bearer(token) });
    await ask('/user/requestPasswordChange', { body: { email: EMAIL } });
    const reset = await mailed('resetPassword');
    const change = { method: 'PUT', body: { password: NEW_PASSWORD } };
    expect((await ask(`/user/resetPassword/${reset}`, change)).status).to.equal(201);
    await ask(`/user/resetPassword/${reset}`, change);
    await ask('/user/streams', { method: 'GET', headers: bearer(jwt) });
    const metrics = await (await fetch(`http://127.0.0.1:${managementPort}/metrics`)).text();
    expect(metrics).to.match(/^radio_directory_build_info\{/m);
    const started = readFileSync(`/proc/${service.process.pid}/cmdline`, 'utf8');
    expect(await service.end('SIGTERM')).to.equal(0);

    const secrets = [PASSWORD, WRONG_PASSWORD, NEW_PASSWORD, activation, reset, jwt, token];
    const kept = [...secrets, EMAIL, ...secretsOf(dataDir, environment)];
    expect(kept).to.have.length(9);
    expect(service.output()).to.include('"security event"');
    expect(refusals).to.have.length.above(12);
    expect(leaksIn([service.output(), ...refusals, metrics, started].join('\n'), kept)).to.deep.equal([]);
  });

  it('keeps the passwords of its servers to itself, also where none of them can be reached', async () => {
    const environment = {
      DATABASE_URL: 'memory:',
      REDIS_URL: `redis://:${encodeURIComponent('Redis/Pass-1')}@127.0.0.1:${await freePort()}`,
      SMTP_URL: `smtp://radio:${encodeURIComponent('Smtp/Pass-1')}@127.0.0.1:${await freePort()}`,
      JWT_SECRETS: 'A-Secret-that-signs-of-forty-bytes-1234567,Another-Secret-that-signs-of-40-bytes-12',
    };
    const service = await startService(aDataDir(), environment);
    await fetch(`${service.url}/user`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'Anna', email: EMAIL, password: PASSWORD }),
    });
    while (!service.output().includes('mail not sent')) await pause(50);
    expect(service.output()).to.include('Redis does not answer');
    await service.end('SIGTERM');
    expect(leaksIn(service.output(), [PASSWORD, EMAIL])).to.deep.equal([]);
  });

  it('also while it waits for a database that is away', async () => {
    const url = `postgres://radio:${encodeURIComponent('Postgres/Pass-1')}@127.0.0.1:${await freePort()}/radio`;
    const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'serve'], {
      env: {
        ...cleanEnvironment(),
        DATABASE_URL: url,
        DATA_DIR: aDataDir(),
        MANAGEMENT_PORT: '',
        LOG_LEVEL: 'trace',
      },
      encoding: 'utf8',
      timeout: 5_000,
    });
    expect(stdout).to.include('PostgreSQL is not available');
    expect(leaksIn(stdout + stderr, secretsOf('/nonexistent', { DATABASE_URL: url }))).to.deep.equal([]);
  });
});
