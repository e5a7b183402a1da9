import { expect } from 'chai';
import { aCommandLine } from '../support/command-line.js';
import { START } from '../support/manual-clock.js';
import { RawServer, answer, mp3 } from '../support/raw-server.js';

const NOON = new Date(START).toISOString();

describe('The command stream check', () => {
  let line: ReturnType<typeof aCommandLine>;
  let server: RawServer;
  beforeEach(async () => {
    line = aCommandLine();
    server = await RawServer.start((path) =>
      path === '/live'
        ? answer('ICY 200 OK\nicy-br:128\nContent-Type: audio/mpeg', mp3())
        : 'HTTP/1.1 410 Gone\r\n\r\n',
    );
    await line.json('organization', 'add', '--name', 'A');
    for (const path of ['live', 'gone'])
      await line.json(
        ...['stream', 'add', '--organization', '1', '--name', path],
        ...['--url', `http://127.0.0.1:${server.port}/${path}`],
      );
  });
  afterEach(() => server.stop());

  it('tells what is heard at each address, and stores it', async () => {
    const checked = await line.json('stream', 'check', '1', '2', '2', '--allow-private');
    const gone = {
      id: 2,
      name: 'gone',
      url: `http://127.0.0.1:${server.port}/gone`,
      outcome: 'refused',
      detail: 'HTTP 410',
      codec: null,
      bitrate: null,
      checkedAt: NOON,
      brokenSince: NOON,
    };
    const live = {
      ...gone,
      id: 1,
      name: 'live',
      url: `http://127.0.0.1:${server.port}/live`,
      outcome: 'audio',
    };
    expect(checked).to.deep.equal({
      checked: 2,
      answering: 1,
      broken: 1,
      streams: [{ ...live, detail: '', codec: 'mp3', bitrate: 128, brokenSince: null }, gone],
    });
    expect(await line.json('stream', 'list', '--broken')).to.deep.equal([gone]);
  });

  it('checks all, of which it names the broken ones', async () => {
    const { stdout } = await line.type(['stream', 'check', '--all', '--allow-private', '--concurrency', '2']);
    expect(stdout).to.match(/^id +name +outcome +detail +broken since +url\n2 +gone +refused +HTTP 410 /);
    expect(stdout).to.match(/\nChecked 2 streams: 1 answer, 1 do not\.\n$/);
    expect((await line.type(['stream', 'list', '--broken'])).stdout).to.match(/\n2 +gone/);
  });

  it('asks no address of this machine unless it may', async () => {
    const { streams } = (await line.json('stream', 'check', '1')) as { streams: { outcome: string }[] };
    expect(streams.map(({ outcome }) => outcome)).to.deep.equal(['forbidden-address']);
    expect(server.requests).to.deep.equal([]);
  });

  it('says so when no stream was found broken', async () => {
    expect((await line.type(['stream', 'list', '--broken'])).stdout).to.equal(
      'No stream was found broken when it was last checked.\n',
    );
  });

  it('is refused for a stream that is not there, and asks nobody', async () => {
    expect(await line.refusal('stream', 'check', '1', '7', '--allow-private')).to.equal(
      'There is no stream 7.',
    );
    expect(server.requests).to.deep.equal([]);
  });

  it('stores what it has found when it is told to stop', async () => {
    const stopped = await line.type(['stream', 'check', '--all', '--allow-private', '--concurrency', '1'], {
      onInterrupt: (listener) => {
        listener();
        return () => {};
      },
    });
    expect(stopped).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: 'Interrupted. Checked 0 streams: 0 answer, 0 do not.\n',
    });
  });

  for (const argv of [
    [],
    ['x'],
    ['1', '--all'],
    ['--all', '--concurrency', '0'],
    ['--all', '--concurrency', '1e3'],
    ['1', '--timeout', '-1'],
  ])
    it(`is wrong usage: stream check ${argv.join(' ')}`, async () => {
      expect(await line.type(['stream', 'check', ...argv])).to.include({ code: 2, stdout: '' });
    });
});
