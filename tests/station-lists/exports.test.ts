import { expect } from 'chai';
import fc from 'fast-check';
import { InMemoryBulkDirectory } from '../../src/adapters/in-memory/in-memory-bulk-directory.js';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryOrganizationRepository } from '../../src/adapters/in-memory/in-memory-organization-repository.js';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import { cell, csvOf, csvStations } from '../../src/adapters/station-lists/csv.js';
import { type StationListFormat, detectFormat, stationsIn } from '../../src/adapters/station-lists/detect.js';
import { directoryJson, directoryRows } from '../../src/adapters/station-lists/directory-json.js';
import { m3uOf, plsOf } from '../../src/adapters/station-lists/playlist-text.js';
import { ImportStations, type SkippedRow, type StationRow } from '../../src/application/import-stations.js';
import type { StreamRecord } from '../../src/application/ports/bulk-directory.js';
import type { StoredOrganization } from '../../src/application/ports/organization-repository.js';
import { LINK_TYPES, parseOrganizationProfile } from '../../src/domain/organization.js';
import { parseStreamProfile } from '../../src/domain/stream.js';
import { later } from '../../src/domain/ids.js';
import { aStreamUuid } from '../support/builders.js';
import { ManualClock, START } from '../support/manual-clock.js';
import { all, inChunks } from '../support/station-lists.js';

async function* each<T>(things: readonly T[]): AsyncGenerator<T> {
  yield* things;
}

function aDirectory() {
  const db = new InMemoryDatabase();
  const organizations = new InMemoryOrganizationRepository(db);
  const bulk = new InMemoryBulkDirectory(db);
  const importStations = new ImportStations(organizations, bulk, new RandomSecrets(), new ManualClock());
  const contents = async () => ({
    organizations: await bulk.listOrganizations(0, 1_000),
    streams: await bulk.listStreams(0, 1_000),
  });
  return {
    organizations,
    bulk,
    contents,
    async import(format: StationListFormat, text: string, size?: number) {
      const skipped: SkippedRow[] = [];
      await importStations.execute(stationsIn(format, inChunks(text, size)), {
        fallbackOrganizationName: 'fallback',
        onSkipped: (row) => void skipped.push(row),
      });
      expect(skipped).to.deep.equal([]);
      return contents();
    },
  };
}

/** Names that people, spreadsheets and parsers stumble over. */
const absurdText = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
  fc.constantFrom(
    ...[
      '=1+1',
      "'=1+1",
      '-1',
      '@x',
      '+1',
      "''",
      '"',
      '""a""',
      "'",
      ',',
      ',a',
      ';',
      'a;b,c',
      '\\',
      '\\;',
      '#EXTM3U',
      '#x',
    ],
    ...[
      'a="b",c',
      'tvg-id="x",y',
      '[playlist]',
      'File1=http://a.example',
      '<html>',
      '{"a":1}',
      'null',
      'A\\u0000B',
    ],
    ...['name,url', 'Ｆ', '＝1', 'e\u0301', '\u200f', '📻', 'http://a.example/', '100%', '  a  b  '],
  ),
);
const organization = fc
  .record({
    name: absurdText,
    description: fc.string({ unit: 'grapheme', maxLength: 40 }),
    image: fc.option(fc.webUrl(), { nil: undefined }),
    thumbnail: fc.option(fc.webUrl(), { nil: undefined }),
    links: fc.array(fc.record({ type: fc.constantFrom(...LINK_TYPES), url: fc.webUrl() }), { maxLength: 3 }),
    isPublic: fc.boolean(),
    isActive: fc.boolean(),
  })
  .map((fields) => parseOrganizationProfile(fields))
  .filter((profile) => profile.ok)
  .map((profile) => profile.value);
const stream = fc
  .record({
    name: absurdText,
    url: fc.webUrl({ withQueryParameters: true, withFragments: true }),
    tags: fc.array(absurdText, { maxLength: 4 }),
    isEnabled: fc.boolean(),
    owner: fc.nat(3),
    age: fc.nat(1_000_000),
  })
  .map(({ owner, age, ...fields }) => ({ owner, age, profile: parseStreamProfile(fields) }));

/** Directories with anything that the domain lets in. */
const directories = fc.record({
  organizations: fc.array(organization, { minLength: 1, maxLength: 4 }),
  streams: fc.array(stream, { maxLength: 8 }),
});

async function filled({
  organizations,
  streams,
}: typeof directories extends fc.Arbitrary<infer T> ? T : never) {
  const directory = aDirectory();
  await directory.bulk.addOrganizations(organizations);
  const owners = await directory.organizations.list();
  await directory.bulk.addStreams(
    streams.flatMap(({ owner, age, profile }) => {
      const { id } = owners[owner % owners.length] ?? {};
      if (id === undefined || !profile.ok) return [];
      return [{ ...profile.value, organization: id, uuid: aStreamUuid(), addedAt: later(START, -age) }];
    }),
  );
  return directory.contents();
}

const text = async (parts: AsyncIterable<string>) => (await all(parts)).join('');
const withoutIds = ({
  organizations,
  streams,
}: {
  organizations: readonly StoredOrganization[];
  streams: readonly StreamRecord[];
}) => ({
  organizations: organizations.map((one) => ({ ...one, id: 0 })),
  streams: streams.map((one) => ({ ...one, id: 0, organization: 0 })),
});
const asRows = async (rows: AsyncIterable<StationRow>) => all(rows);

describe('An export', () => {
  it('as JSON brings back every organization and stream, with every field, into an empty directory', async () => {
    await fc.assert(
      fc.asyncProperty(directories, fc.integer({ min: 1, max: 50 }), async (contents, size) => {
        const before = await filled(contents);
        const json = await text(directoryJson(each(before.organizations), each(before.streams)));
        expect(() => JSON.parse(json) as unknown).to.not.throw();
        expect(detectFormat(json.slice(0, 4_096), 'x')).to.include({ ok: true, value: 'directory' });
        const directory = aDirectory();
        const after = await directory.import('directory', json, size);
        expect(withoutIds(after)).to.deep.equal(withoutIds(before));
        expect(withoutIds(await directory.import('directory', json))).to.deep.equal(withoutIds(before));
      }),
      { numRuns: 150 },
    );
  });

  it('as JSON is read however somebody lays it out', async () => {
    const [contents] = fc.sample(directories, { seed: 1, numRuns: 1 });
    if (!contents) throw new Error('no sample');
    const before = await filled(contents);
    const json = await text(directoryJson(each(before.organizations), each(before.streams)));
    const laidOut = JSON.stringify(JSON.parse(json), null, 4);
    expect(await all(directoryRows(inChunks(laidOut, 7)))).to.deep.equal(
      await all(directoryRows(inChunks(json))),
    );
  });

  it('as CSV brings back names, addresses, tags, UUIDs, switches and operators', async () => {
    await fc.assert(
      fc.asyncProperty(directories, fc.integer({ min: 1, max: 50 }), async (contents, size) => {
        const { streams } = await filled(contents);
        const csv = await text(csvOf(each(streams)));
        expect(detectFormat(csv.slice(0, 4_096), 'x')).to.include({ ok: true, value: 'csv' });
        const after = await aDirectory().import('csv', csv, size);
        const carried = ({ uuid, name, url, tags, organizationName, isEnabled }: StreamRecord) => ({
          uuid,
          name,
          url,
          tags,
          organizationName,
          isEnabled,
        });
        expect(after.streams.map(carried)).to.deep.equal(streams.map(carried));
      }),
      { numRuns: 150 },
    );
  });

  it('as M3U brings back names, addresses and tags of active streams', async () => {
    await fc.assert(
      fc.asyncProperty(directories, async (contents) => {
        const active = (await filled(contents)).streams.filter(({ isActive }) => isActive);
        const m3u = await text(m3uOf(each((await filled(contents)).streams)));
        const rows = await asRows(stationsIn('m3u', inChunks(m3u)));
        const groups = (tags: readonly string[]) => {
          const joined = tags.map((tag) => tag.replace(/[;,]/g, ' ')).join(';');
          const kept = joined.includes('"') && !joined.includes("'") ? joined : joined.replaceAll('"', "'");
          return kept
            .split(';')
            .map((tag) => tag.trim())
            .filter((tag) => tag !== '');
        };
        expect(rows.map((row) => ('name' in row ? [row.name, row.url, row.tags] : row))).to.deep.equal(
          active.map(({ name, url, tags }) => [name, url, groups(tags)]),
        );
      }),
      { numRuns: 150 },
    );
  });

  it('as PLS brings back names and addresses of active streams', async () => {
    await fc.assert(
      fc.asyncProperty(directories, async (contents) => {
        const { streams } = await filled(contents);
        const rows = await asRows(stationsIn('pls', inChunks(await text(plsOf(each(streams))))));
        expect(rows.map((row) => ('name' in row ? [row.name, row.url] : row))).to.deep.equal(
          streams.filter(({ isActive }) => isActive).map(({ name, url }) => [name, url]),
        );
      }),
      { numRuns: 150 },
    );
  });

  it('of an empty directory is a whole file in every format', async () => {
    expect(JSON.parse(await text(directoryJson(each([]), each([]))))).to.deep.equal({
      format: 'radio-directory 1',
      organizations: [],
      streams: [],
    });
    expect(await text(csvOf(each([])))).to.equal('uuid,name,url,tags,organization,enabled\r\n');
    expect(await text(m3uOf(each([])))).to.equal('#EXTM3U\n');
    expect(await text(plsOf(each([])))).to.equal('[playlist]\nNumberOfEntries=0\nVersion=2\n');
    for (const format of ['directory', 'csv', 'm3u', 'pls'] as const)
      expect(
        await all(
          stationsIn(format, inChunks(format === 'directory' ? '{"organizations":[],"streams":[]}' : '')),
        ),
      ).to.deep.equal([]);
  });
});

describe('A cell of a CSV export', () => {
  it('is never run by a spreadsheet', () => {
    for (const odd of ['=1', '+1', '-1', '@a', '\t=1', '\r=1', '＝1', "'=1"])
      expect(cell(odd).replace(/^"/, '')).to.match(/^'/);
    expect(cell('a=1')).to.equal('a=1');
  });

  it('is quoted where RFC 4180 asks for it', () => {
    expect(cell('a "b", c')).to.equal('"a ""b"", c"');
    expect(cell('a\nb')).to.equal('"a\nb"');
  });
});

describe('A CSV list', () => {
  const read = (csv: string, size?: number) => all(csvStations(inChunks(csv, size)));

  it('has its columns in any order and its cells in any of the usual ways', async () => {
    const rows = await read(
      '\uFEFFURL;"Name";homepage;Tags;logo\r\nhttps://a.example/1;"A; ""a""\nb";https://a.example;"jazz, soul";https://a.example/l.png\n\nhttps://a.example/2;B',
      3,
    );
    expect(rows).to.deep.equal([
      {
        row: 1,
        name: 'A; "a"\nb',
        url: 'https://a.example/1',
        tags: ['jazz', 'soul'],
        homepage: 'https://a.example',
        favicon: 'https://a.example/l.png',
      },
      { row: 2, name: 'B', url: 'https://a.example/2', tags: [], homepage: null, favicon: null },
    ]);
  });

  it('reports a row without an address, and goes on', async () => {
    const rows = await read('name,url\nA,\nB,https://b.example/\n');
    expect(rows[0]).to.deep.equal({ row: 1, reason: 'it has no url' });
    expect(rows[1]).to.include({ row: 2, name: 'B' });
  });

  it('is told from its first line', () => {
    for (const head of ['name,url\n', '"stationuuid","name","url"\r\n', 'url;name\n', 'name\turl\n'])
      expect(detectFormat(head, 'x')).to.include({ value: 'csv' });
    expect(detectFormat('https://a.example/url,1\n', 'x')).to.include({ value: 'm3u' });
  });

  it('holds no more than one row, whatever its quotes', async () => {
    const rows = await read(`name,url\n"${'x'.repeat(1_200_000)}`);
    expect(rows).to.deep.equal([{ row: 1, reason: 'the row is too long for a station' }]);
  });
});

describe('A directory as JSON', () => {
  it('loses no entry to a broken one beside it, and says that it ends too early', async () => {
    const json =
      '{"format":"radio-directory 1","other":[1],"organizations":[{"name":"A"},7,{"x":1}],"streams":[{"url":"https://a.example/","name":"S","addedAt":"never","tags":[1,"a"]},{"name":"no url"},{';
    expect(await all(directoryRows(inChunks(json, 5)))).to.deep.equal([
      {
        row: 1,
        profile: {
          name: 'A',
          description: undefined,
          image: undefined,
          thumbnail: undefined,
          links: [],
          isPublic: undefined,
          isActive: undefined,
        },
      },
      { row: 2, reason: 'not a JSON object' },
      { row: 3, reason: 'it has no name' },
      { row: 4, name: 'S', url: 'https://a.example/', tags: ['a'], homepage: null, favicon: null },
      { row: 5, reason: 'it has no url' },
      { row: 6, reason: 'the file ends before the list does' },
    ]);
  });
});
