import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
      `${asx} is a Windows Media playlist (ASX), which is not supported. Radio Browser lists (JSON), M3U and PLS can be imported.`,
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
    expect(watched.stderr.startsWith('\r\u001b[KReading: 1 rows')).to.be.true;
    expect(watched.stderr.endsWith('\r\u001b[K')).to.be.true;
    expect(JSON.parse(watched.stdout)).to.include({ added: 2 });
    expect((await line.type(argv)).stderr).to.equal('');
  });
});
