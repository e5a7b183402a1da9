import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { WireHistory, WireStream } from '../support/wire.js';
import { PROGRAM, type RunningService, cleanEnvironment, startService } from '../support/running-service.js';

const run = promisify(execFile);
const OLD_LOGO = 'https://radio.example/old.png';
const NEW_LOGO = 'https://radio.example/new.png';
const PASSWORD = 'Sunny-Day-2026';

interface WireOrganization {
  readonly id: number;
  readonly name: string;
  readonly image: string;
  readonly links: readonly unknown[];
}

describe('What an operator changes while the server runs on the embedded directory', function () {
  this.timeout(180_000);
  let dataDir: string;
  let service: RunningService;
  let radio: number;
  let jazz: { id: number; uuid: string };

  const command = async <T = Record<string, unknown>>(...args: string[]): Promise<T> => {
    const env = { ...cleanEnvironment(), DATA_DIR: dataDir };
    const { stdout } = await run(process.execPath, [PROGRAM, ...args, '--json'], { env });
    return JSON.parse(stdout) as T;
  };
  const get = async <T>(path: string): Promise<T | null> => {
    const answer = await fetch(service.url + path);
    return answer.status === 404 ? null : ((await answer.json()) as T);
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const streams = async () => (await get<WireStream[]>('/stream')) ?? [];
  const stream = async () => (await streams()).find(({ id }) => id === jazz.id);
  const cover = async () => (await get<WireHistory>(`/stream/${jazz.id}/history`))?.current.cover;
  const logIn = async () => {
    const login = await post('/user/login', { email: 'anna@radio.example', password: PASSWORD });
    return login.ok ? ((await login.json()) as { access_token: string }).access_token : login.status;
  };

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'radio-directory-operators-'));
    service = await startService(dataDir, { RATE_LIMITS: 'off', SAMPLE_DATA: 'off' });
    radio = (
      await command<{ id: number }>('organization', 'add', '--name', 'Radio Jazz', '--image', OLD_LOGO)
    ).id;
    jazz = await command(
      ...['stream', 'add', '--organization', `${radio}`, '--name', 'Jazz', '--url', 'https://a.example/1'],
    );
    // Whatever keeps copies has them from before the changes.
    expect(await streams()).to.have.length(1);
    expect(await cover()).to.equal(OLD_LOGO);
  });
  after(async () => {
    await service?.end('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is an organization’s name, logo and links: shown at once everywhere', async () => {
    await command(
      ...['organization', 'update', `${radio}`, '--name', 'Radio Nova', '--image', NEW_LOGO],
      ...['--link', 'website=https://nova.example'],
    );
    expect((await stream())?.organization).to.deep.equal({ id: radio, name: 'Radio Nova', image: NEW_LOGO });
    expect(await cover()).to.equal(NEW_LOGO);
    const shown = {
      name: 'Radio Nova',
      image: NEW_LOGO,
      links: [{ type: 'website', url: 'https://nova.example' }],
    };
    for (const path of [`/organization/${radio}`, '/organization/name/radio%20nova'])
      expect(await get<WireOrganization>(path)).to.deep.include(shown);
    expect(await get('/organization/name/Radio%20Jazz')).to.equal(null);
    expect((await get<WireOrganization[]>('/organization'))?.[0]).to.deep.include(shown);
  });

  it('is a stream’s URL, tags and organization: shown at once everywhere', async () => {
    const other = await command<{ id: number }>('organization', 'add', '--name', 'Radio Folk');
    await command(
      ...['stream', 'update', `${jazz.id}`, '--url', 'https://b.example/2', '--tag', 'live'],
      ...['--organization', `${other.id}`],
    );
    expect(await stream()).to.deep.include({ url: 'https://b.example/2', tags: ['live'] });
    expect((await stream())?.organization.name).to.equal('Radio Folk');
    expect(await cover()).to.match(/^data:image/);
    expect(await get(`/organization/${radio}/streams`)).to.deep.equal([]);
    expect(await get<WireStream[]>(`/organization/${other.id}/streams`)).to.have.length(1);
    await command('stream', 'update', `${jazz.id}`, '--organization', `${radio}`);
    expect(await cover()).to.equal(NEW_LOGO);
    await command('organization', 'remove', `${other.id}`, '--yes');
  });

  it('is a pin: the listing has the flag at once, and loses it with the stream’s activity', async () => {
    await command('highlights', 'pin', 'stream-of-the-month', `${jazz.id}`);
    expect(await stream()).to.include({ isStreamOfTheMonth: true, isNewcomerOfTheMonth: false });
    await command('stream', 'update', `${jazz.id}`, '--inactive');
    expect(await stream()).to.equal(undefined);
    await command('stream', 'update', `${jazz.id}`, '--active');
    await command('highlights', 'unpin', 'stream-of-the-month');
    expect(await stream()).to.include({ isStreamOfTheMonth: false });
  });

  it('is an account: activated by hand it logs in and votes, removed it takes its votes along', async () => {
    const registration = { username: 'Anna', email: 'anna@radio.example', password: PASSWORD };
    expect((await post('/user', registration)).status).to.equal(201);
    expect(await logIn()).to.equal(403);
    await command('user', 'activate', 'anna@radio.example');
    const token = await logIn();
    const authorized = { Authorization: `Bearer ${token}` };
    expect((await post(`/stream/${jazz.id}/vote`, { voteType: 'up' }, authorized)).status).to.equal(200);
    await command('highlights', 'recompute');
    expect(await stream()).to.include({ isRecentPopularStream: true, isTopVotedStream: true });
    expect(await get('/stats')).to.include({ users: 1 });

    await command('user', 'remove', 'anna@radio.example', '--yes');

    expect(await get('/stats')).to.include({ users: 0 });
    expect(await get(`/stream/${jazz.id}/votes`)).to.include({ upvotes: 0, score: 0 });
    expect((await post(`/stream/${jazz.id}/vote`, { voteType: 'up' }, authorized)).status).to.equal(401);
    expect(await logIn()).to.equal(401);
    await command('highlights', 'recompute');
    expect(await stream()).to.include({ isRecentPopularStream: false, isTopVotedStream: false });
  });

  it('is the activity of an organization: its streams leave and come back with it', async () => {
    await command('organization', 'update', `${radio}`, '--inactive');
    expect(await streams()).to.deep.equal([]);
    expect(await cover()).to.equal(undefined);
    expect(await get('/stats')).to.deep.equal({ users: 0, organizations: 0, stations: 0 });
    await command('organization', 'update', `${radio}`, '--active');
    expect(await streams()).to.have.length(1);
    expect(await get('/stats')).to.deep.equal({ users: 0, organizations: 1, stations: 1 });
  });

  it('is nothing that the doctor complains about', async () => {
    const { ok, findings } = await command<{ ok: boolean; findings: { check: string; message: string }[] }>(
      'doctor',
    );
    expect(ok).to.equal(true);
    const database = findings.find(({ check }) => check === 'database');
    expect(database?.message).to.include(`process ${service.process.pid} runs it`);
  });

  it('is gone at once with all that hangs on it when it is removed', async () => {
    const { token } = await command<{ token: string }>('organization', 'token', 'add', `${radio}`);
    await command('organization', 'remove', `${radio}`, '--yes');
    expect(await streams()).to.deep.equal([]);
    expect(await get('/organization')).to.deep.equal([]);
    expect(await get(`/stream/${jazz.id}/history`)).to.equal(null);
    expect(await get('/stats')).to.deep.equal({ users: 0, organizations: 0, stations: 0 });
    const push = await post(
      `/stream/update/${jazz.uuid}`,
      { title: 'x' },
      { Authorization: `Bearer ${token}` },
    );
    expect(push.status).to.equal(401);
  });
});
