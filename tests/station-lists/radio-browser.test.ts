import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { radioBrowserStations } from '../../src/adapters/station-lists/radio-browser.js';
import { all, fixture, fixtureText, inChunks } from '../support/station-lists.js';

const read = (text: string, size?: number) => all(radioBrowserStations(inChunks(text, size)));

const JAZZ = {
  name: 'Jazz',
  url: 'https://a.example/jazz',
  url_resolved: '',
  homepage: 'https://a.example/',
  favicon: 'https://a.example/f.png',
  tags: 'jazz,smooth',
};
const jazzIn = (row: number) => ({
  row,
  name: 'Jazz',
  url: 'https://a.example/jazz',
  tags: ['jazz', 'smooth'],
  homepage: 'https://a.example/',
  favicon: 'https://a.example/f.png',
});

describe('A Radio Browser list', () => {
  it('gives each of the 1,584 real stations, in order, with its name and tags', async () => {
    const records = JSON.parse(readFileSync(fixture('radio-browser/stations-sample.json'), 'utf8')) as {
      name: string;
      tags: string;
    }[];
    const rows = await all(radioBrowserStations(fixtureText('radio-browser/stations-sample.json')));

    expect(rows).to.have.length(1_584);
    expect(rows.map((row) => ('name' in row ? row.name : null))).to.deep.equal(
      records.map(({ name }) => name.trim()),
    );
    expect(rows.map((row) => ('tags' in row ? row.tags.length : 0))).to.deep.equal(
      records.map(({ tags }) => tags.split(',').filter((tag) => tag.trim() !== '').length),
    );
    expect(rows.filter((row) => 'favicon' in row && row.favicon === 'null')).to.deep.equal([]);
  });

  it('may be one array or one object a line', async () => {
    const json = JSON.stringify(JAZZ);
    expect(await read(`[${json},${json}]`)).to.deep.equal([jazzIn(1), jazzIn(2)]);
    expect(await read(`\uFEFF[\r\n${json}\r\n,\r\n${json}\r\n]\r\n`)).to.deep.equal([jazzIn(1), jazzIn(2)]);
    expect(await read(`\uFEFF${json}\n\n${json}`)).to.deep.equal([jazzIn(1), jazzIn(3)]);
    expect(await read('[]')).to.deep.equal([]);
    expect(await read('')).to.deep.equal([]);
  });

  it('loses no station to a broken one beside it', async () => {
    const json = JSON.stringify(JAZZ);
    const NO_OBJECT = 'not a JSON object';
    expect(await read(`[1,"a",null,[],{"name":},,${json}]`)).to.deep.equal([
      ...[1, 2, 3, 4, 5, 6].map((row) => ({ row, reason: NO_OBJECT })),
      jazzIn(7),
    ]);
    expect(await read(`{"name":\n${json}\nhello`)).to.deep.equal([
      { row: 1, reason: NO_OBJECT },
      jazzIn(2),
      { row: 3, reason: NO_OBJECT },
    ]);
  });

  it('says that the file ends too early, and gives what came before', async () => {
    const json = JSON.stringify(JAZZ);
    expect(await read(`[${json},{"name":"x`)).to.deep.equal([
      jazzIn(1),
      { row: 2, reason: 'the file ends before the list does' },
    ]);
  });

  it('takes an entry that is too long for no station, and goes on behind it', async () => {
    const long = JSON.stringify({ ...JAZZ, name: 'x'.repeat(1_100_000) });
    const json = JSON.stringify(JAZZ);
    const TOO_LONG = 'the entry is too long for a station';
    expect(await read(`[${long},${json}]`, 65_536)).to.deep.equal([{ row: 1, reason: TOO_LONG }, jazzIn(2)]);
    expect(await read(`${json}\n${long}\n${json}`, 65_536)).to.deep.equal([
      jazzIn(1),
      { row: 2, reason: TOO_LONG },
      jazzIn(3),
    ]);
  });

  it('takes fields of wrong types, blanks and "null" as not given', async () => {
    const odd = { ...JAZZ, name: 7, homepage: ' ', favicon: 'null', tags: ['jazz', 7, 'smooth'] };
    expect(await read(JSON.stringify([odd]))).to.deep.equal([
      { ...jazzIn(1), name: '', homepage: null, favicon: null },
    ]);
    const withoutUrl = { ...JAZZ, url: '' };
    expect(await read(JSON.stringify([withoutUrl]))).to.deep.equal([{ row: 1, reason: 'it has no url' }]);
  });

  for (const [url, resolved, expected] of [
    ['http://a.example/1', '', 'http://a.example/1'],
    ['http://a.example/1', 'http://b.example/2', 'http://a.example/1'],
    ['http://a.example/1.pls', 'http://b.example/2', 'http://b.example/2'],
    ['http://a.example/1.m3u?x=1', 'http://b.example/2', 'http://b.example/2'],
    ['http://a.example/1.m3u8', 'http://b.example/2', 'http://a.example/1.m3u8'],
    ['http://a.example/1.pls', 'http://b.example/2?session=3', 'http://a.example/1.pls'],
    ['http://a.example/1.pls', 'http://b.example/2.m3u', 'http://a.example/1.pls'],
    ['http://a.example/1.pls', '', 'http://a.example/1.pls'],
    ['', 'http://b.example/2', 'http://b.example/2'],
  ] as const)
    it(`takes ${expected} of url '${url}' and url_resolved '${resolved}'`, async () => {
      const [station] = await read(JSON.stringify([{ ...JAZZ, url, url_resolved: resolved }]));
      expect(station).to.have.property('url', expected);
    });

  it('ignores whether the station answered lately', async () => {
    expect(await read(JSON.stringify([{ ...JAZZ, lastcheckok: 0 }]))).to.deep.equal([jazzIn(1)]);
  });

  it('gives the same stations wherever the text is cut into chunks', async () => {
    const text = fc.string({ unit: 'binary' });
    const stations = fc.array(fc.record({ name: text, url: fc.webUrl(), tags: text }));
    await fc.assert(
      fc.asyncProperty(stations, fc.nat(2), fc.integer({ min: 1, max: 9 }), async (records, indent, size) => {
        const array = JSON.stringify(records, null, indent);
        const whole = await read(array);
        expect(whole).to.have.length(records.length);
        expect(await read(array, size)).to.deep.equal(whole);
        const lines = records.map((record) => JSON.stringify(record)).join('\n');
        expect(await read(lines, size)).to.deep.equal(whole);
      }),
    );
  });
});
