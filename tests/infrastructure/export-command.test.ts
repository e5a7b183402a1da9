import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { aCommandLine } from '../support/command-line.js';
import { fixture } from '../support/station-lists.js';

interface ExportedDirectory {
  readonly organizations: readonly { readonly name: string }[];
  readonly streams: readonly { readonly uuid: string; readonly url: string; readonly organization: string }[];
}

/** What stands on standard output: one JSON value, in many lines. */
async function exported(
  line: ReturnType<typeof aCommandLine>,
  ...options: string[]
): Promise<ExportedDirectory> {
  const { code, stdout, stderr } = await line.type(['export', '--json', ...options]);
  expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
  return JSON.parse(stdout) as ExportedDirectory;
}

describe('The command export', () => {
  let line: ReturnType<typeof aCommandLine>;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'radio-directory-'));
    line = aCommandLine();
    await line.json('import', fixture('radio-browser/stations-sample.json'));
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const ending of ['json', 'csv', 'm3u'] as const)
    it(`writes ${ending}, which imported here changes nothing, and elsewhere makes the same streams`, async () => {
      const file = join(folder, `all.${ending}`);
      const written = await line.json('export', file);
      expect(written).to.deep.equal({ file, format: ending, streams: 1_392 });
      // A tag of one station holds a `;`, which M3U cannot carry.
      expect(await line.json('import', file)).to.deep.equal({
        added: 0,
        updated: ending === 'm3u' ? 1 : 0,
        skipped: 0,
        organizations: 0,
      });

      const other = aCommandLine();
      expect(await other.json('import', file)).to.deep.equal({
        added: 1_392,
        updated: 0,
        skipped: 0,
        organizations: 979,
      });
      const [here, there] = await Promise.all([line, other].map((one) => exported(one)));
      const carried = ({ uuid, ...stream }: ExportedDirectory['streams'][number]) =>
        ending === 'm3u' ? { organization: stream.organization, url: stream.url } : { uuid, ...stream };
      expect(there?.streams.map(carried)).to.deep.equal(here?.streams.map(carried));
      if (ending === 'json') expect(there).to.deep.equal(here);
    });

  it('writes PLS', async () => {
    const { stdout } = await line.type(['export', '--format', 'pls']);
    expect(stdout)
      .to.match(/^\[playlist\]\nFile1=/)
      .and.match(/NumberOfEntries=1392\nVersion=2\n$/);
  });

  it('writes to standard output what it would write to the file', async () => {
    await line.json('export', join(folder, 'x.csv'));
    const { code, stdout, stderr } = await line.type(['export', '-', '--format', 'csv']);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.equal(readFileSync(join(folder, 'x.csv'), 'utf8'));
    expect(await exported(line)).to.have.keys('format', 'organizations', 'streams');
  });

  it('writes one organization if told, if there is one', async () => {
    const { organizations, streams } = await exported(line, '--organization', '1');
    expect(organizations).to.have.length(1);
    expect(new Set(streams.map(({ organization }) => organization))).to.deep.equal(
      new Set(organizations.map(({ name }) => name)),
    );
    expect(await line.refusal('export', '--organization', '99999')).to.equal(
      'There is no organization 99999.',
    );
  });

  it('never leaves half a file', async () => {
    const unwritable = join(folder, 'none', 'x.json');
    expect(await line.refusal('export', unwritable)).to.match(/none\/x\.json cannot be written: .*ENOENT/);
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).to.deep.equal([]);
  });

  it('is wrong usage with --json and another format on one standard output', async () => {
    expect(await line.type(['export', '--json', '--format', 'm3u'])).to.include({ code: 2, stdout: '' });
    expect(await line.type(['export', '--format', 'xspf'])).to.include({ code: 2, stdout: '' });
  });

  it('waits for a slow reader, and ends quietly when it goes away', async () => {
    let most = 0;
    const slow = new Writable({
      highWaterMark: 1,
      write(chunk: Buffer, _, done) {
        most = Math.max(most, slow.writableLength - chunk.length);
        setImmediate(done);
      },
    });
    expect(await line.type(['export'], { stdout: slow })).to.include({ code: 0, stderr: '' });
    expect(most).to.equal(0);
    const gone = new Writable({
      write: (_, __, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    expect(await line.type(['export'], { stdout: gone })).to.include({ code: 1, stderr: '' });
  });
});
