import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { aCommandLine } from '../support/command-line.js';
import { fixture } from '../support/station-lists.js';

describe('The command import', () => {
  let line: ReturnType<typeof aCommandLine>;
  beforeEach(() => {
    line = aCommandLine();
  });

  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'radio-directory-'));
  });
  after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('reads a real list, and adds nothing the second time', async () => {
    const list = fixture('radio-browser/stations-sample.json');
    const first = await line.json('import', list);
    expect(first).to.deep.equal({ added: 1_392, updated: 0, skipped: 192, organizations: 979 });
    const second = await line.json('import', list);
    expect(second).to.deep.equal({ added: 0, updated: 0, skipped: 192, organizations: 0 });
  });

  it('tells people the reasons of the first 20 skipped rows and how many more there are', async () => {
    const { code, stdout, stderr } = await line.type([
      'import',
      fixture('radio-browser/stations-sample.json'),
    ]);
    const [counts, ...lines] = stdout.trimEnd().split('\n');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(counts).to.equal('Added 1392 streams and 979 organizations, updated 0 streams, skipped 192 rows.');
    expect(lines).to.have.length(21);
    for (const reason of lines.slice(0, 20)) expect(reason).to.match(/^ {2}row \d+: .{10,}$/);
    expect(lines.at(-1)).to.equal('  and 172 more');
  });

  for (const [name, streams] of [
    ['somafm-groovesalad-5-files.pls', 5],
    ['germany-extinf-attrs.m3u', 41],
    ['nectarine-plain.m3u', 1],
  ] as const)
    it(`puts the stations of ${name} into an organization of the file's name`, async () => {
      const imported = await line.json('import', fixture(`playlists/${name}`));
      expect(imported).to.deep.equal({ added: streams, updated: 0, skipped: 0, organizations: 1 });
      expect(await line.json('organization', 'show', '1')).to.include({ name: name.slice(0, -4) });
    });

  it('puts all stations into the organization it is told, if there is one', async () => {
    const list = fixture('playlists/somafm-u80s192.pls');
    expect(await line.refusal('import', list, '--organization', '1')).to.equal('There is no organization 1.');
    await line.json('organization', 'add', '--name', 'Radio A');
    expect(await line.json('import', list, '--organization', '1')).to.include({
      added: 2,
      organizations: 0,
    });
  });

  it('takes the format it is told', async () => {
    const list = file('list.txt', 'radio.mp3\nhttp://a.example/\n');
    expect(await line.json('import', list, '--format', 'm3u')).to.include({ added: 1, skipped: 1 });
    expect(await line.json('import', list, '--format', 'pls')).to.include({ added: 0, skipped: 2 });
  });

  it('prints no control characters and no endless lines of what stood in the file', async () => {
    const list = file('odd.m3u', '#EXTM3U\nmusic/\u001b[2J.mp3\n');
    const { stdout } = await line.type(['import', list]);
    expect(stdout).to.match(/^Added 0 streams and 0 organizations, updated 0 streams, skipped 1 row\.$/m);
    expect(stdout).to.include('row 2: a file name or other text, not an address');
    expect(stdout.replaceAll('\n', '')).to.not.match(/\p{Cc}/u);
  });

  it('is refused for what is no list, without opening the directory', async () => {
    const asx = fixture('playlists/bbc-r3.asx');
    expect(await line.refusal('import', asx)).to.equal(
      `${asx} is a Windows Media playlist (ASX), which is not supported. Radio Browser lists (JSON), M3U, PLS, CSV and exports of a directory can be imported.`,
    );
    expect(await line.refusal('import', file('a.txt', 'hello'))).to.match(/no list of stations/);
    expect(await line.refusal('import', folder)).to.equal(`${folder} is a folder, not a file.`);
    const missing = join(folder, 'missing.m3u');
    expect(await line.refusal('import', missing)).to.equal(`There is no file ${missing}.`);
    expect(line.state.opened).to.equal(0);
  });

  it('shows how far it is on a terminal only, and clears that line at the end', async () => {
    const argv = ['import', fixture('playlists/somafm-u80s192.pls'), '--json'];
    const watched = await line.type(argv, { isTerminal: true });
    expect(watched.stderr.startsWith('\r\u001b[K[####################] 100 %  2 rows, ')).to.be.true;
    expect(watched.stderr.endsWith('\r\u001b[K')).to.be.true;
    expect(JSON.parse(watched.stdout)).to.include({ added: 2 });
    expect((await line.type(argv)).stderr).to.equal('');
  });

  it('reads a list as an array or as lines, gzipped or not, from a file or from standard input', async () => {
    const stations = [1, 2, 3].map((number) => ({ name: `S ${number}`, url: `https://a.example/${number}` }));
    const array = JSON.stringify(stations);
    const lines = stations.map((station) => JSON.stringify(station)).join('\n');
    for (const [name, bytes] of [
      ['array.json', Buffer.from(array)],
      ['array.json.gz', gzipSync(array)],
      ['lines.ndjson', Buffer.from(lines)],
      ['lines', gzipSync(lines)],
      ['wide.json', Buffer.from(`\uFEFF${array}`, 'utf16le')],
    ] as const) {
      writeFileSync(join(folder, name), bytes);
      line = aCommandLine();
      const imported = await line.json('import', join(folder, name));
      expect(imported, name).to.include({ added: 3, skipped: 0, organizations: 1 });
      const operator = await line.json('organization', 'show', '1');
      expect(operator).to.include({ name: name.split('.')[0] });
      line = aCommandLine();
      const { code, stdout } = await line.type(['import', '-', '--json'], { stdin: Readable.from([bytes]) });
      expect({ code, ...(JSON.parse(stdout) as object) }, name).to.include({ code: 0, added: 3 });
    }
  });

  it('reads playlists that are older than UTF-8', async () => {
    writeFileSync(
      join(folder, 'old.m3u'),
      Buffer.from('#EXTM3U\n#EXTINF:-1,Radio Zürich\nhttp://a.example/1\n', 'latin1'),
    );
    await line.json('import', join(folder, 'old.m3u'));
    expect(await line.json('stream', 'show', '1')).to.include({ name: 'Radio Zürich' });
  });

  it('writes down what it skipped and why', async () => {
    const list = file('odd2.m3u', '#EXTM3U\na.mp3\nhttp://a.example/1\nhttp://A.example/1/\n');
    const report = join(folder, 'skipped.ndjson');
    await line.json('import', list, '--report', report);
    expect(readFileSync(report, 'utf8')).to.equal(
      '{"row":2,"reason":"a file name or other text, not an address"}\n{"row":4,"reason":"same address as row 3"}\n',
    );
    await line.json('import', list, '--report', join(folder, 'skipped.csv'));
    expect(readFileSync(join(folder, 'skipped.csv'), 'utf8')).to.equal(
      'row,reason\r\n2,"a file name or other text, not an address"\r\n4,same address as row 3\r\n',
    );
    expect(await line.refusal('import', list, '--report', join(folder, 'none', 'x'))).to.match(
      /^The report cannot be written: /,
    );
  });

  it('keeps what it took of a file that breaks off, and says so', async () => {
    const whole = gzipSync(readFileSync(fixture('radio-browser/stations-sample.json')));
    writeFileSync(join(folder, 'torn.json.gz'), whole.subarray(0, whole.length / 2));
    const torn = await line.type(['import', join(folder, 'torn.json.gz'), '--json']);
    expect(torn).to.include({ code: 1, stdout: '' });
    expect(torn.stderr).to.match(
      /torn\.json\.gz breaks off: unexpected end of file\. Added [1-9]\d* streams and [1-9]\d* organizations, .* once the file is whole\.\n$/,
    );
    writeFileSync(join(folder, 'torn.json.gz'), whole);
    const first = Number(/Added (\d+)/.exec(torn.stderr)?.[1]);
    expect(await line.json('import', join(folder, 'torn.json.gz'))).to.include({ added: 1_392 - first });
  });

  it('stops when it is told to, says what it has done, and goes on the next time', async () => {
    let interrupt = () => {};
    async function* endless(): AsyncGenerator<Buffer> {
      for (let number = 1; ; number++) {
        yield Buffer.from(`${JSON.stringify({ name: `S ${number}`, url: `https://a.example/${number}` })}\n`);
        if (number === 1_800) interrupt();
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const stopped = await line.type(['import', '-', '--format', 'radio-browser'], {
      stdin: Readable.from(endless()),
      onInterrupt: (listener) => {
        interrupt = listener;
        return () => {};
      },
    });
    expect(stopped).to.include({ code: 1, stdout: '' });
    expect(stopped.stderr).to.match(
      /^Interrupted\. Added \d+ streams and 1 organization, updated 0 streams, skipped 0 rows\. The same command goes on from there, and adds nothing twice\.\n$/,
    );
    const added = Number(/Added (\d+)/.exec(stopped.stderr)?.[1]);
    expect(added).to.be.within(1_000, 1_800);
    expect(await line.json('stream', 'list')).to.have.length(added);
  });
});
