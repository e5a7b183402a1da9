import { expect } from 'chai';
import fc from 'fast-check';
import type { StationRow } from '../../src/application/import-stations.js';
import { m3uStations } from '../../src/adapters/station-lists/m3u.js';
import { plsStations } from '../../src/adapters/station-lists/pls.js';
import { all, fixtureText, inChunks } from '../support/station-lists.js';

const named = (row: number, name: string, url: string, tags: string[] = []): StationRow => ({
  row,
  name,
  url,
  tags,
  homepage: null,
  favicon: null,
});

const readM3u = (text: string) => all(m3uStations(inChunks(text)));
const readPls = (text: string) => all(plsStations(inChunks(text)));

describe('An M3U playlist', () => {
  const NO_ADDRESS = 'a file name or other text, not an address';

  for (const [file, stations] of [
    [
      'austria-extinf.m3u',
      [
        named(4, 'Hitradio OE3', 'http://mp3stream7.apasf.apa.at:8000/listen.pls'),
        named(7, 'Kronehit', 'http://raj.krone.at:80/kronehit64.aac'),
        named(10, 'Kronehit 320kBit', 'https://secureonair.krone.at/kronehit-ultra-hd.aac'),
        named(13, 'Liferadio', 'http://stream1.liferadio.at'),
      ],
    ],
    ['dinnerjazz.m3u', [named(3, 'Dinner Jazz Excursion 128k', 'http://sc01.warpradio.com:8240/')]],
    [
      'nectarine-plain.m3u',
      [named(1, 'nectarine.q3k.org:1234/necta192', 'http://nectarine.q3k.org:1234/necta192')],
    ],
    [
      'ukbassradio.m3u',
      [
        named(3, 'UK Bass Radio (128k) - Fort Lee (United States)', 'http://66.45.246.178/listen/8080:80'),
        named(5, 'UK Bass Radio (128k) - Fort Lee (United States)', 'http://usa1-pn.mixstream.net:8080'),
        named(7, 'UK Bass Radio (128k) - Unknown City (United Kingdom)', 'http://uk2-pn.mixstream.net:8740'),
      ],
    ],
  ] as const)
    it(`is read to its last station: ${file}`, async () => {
      expect(await all(m3uStations(fixtureText(`playlists/${file}`)))).to.deep.equal(stations);
    });

  it('gives the groups in attributes as tags: germany-extinf-attrs.m3u', async () => {
    const stations = await all(m3uStations(fixtureText('playlists/germany-extinf-attrs.m3u')));

    expect(stations.map((station) => ('name' in station ? station.name : undefined))).to.deep.equal([
      ...['Deutschlandfunk', 'Deutschlandfunk Kultur', 'Deutschlandfunk Nova', 'Die Neue 107.7 80er Radio'],
      ...['hr1 Suedhessen', 'hr2-kultur', 'hr3 Suedhessen', 'hr4 Suedhessen', 'hr-info', 'You FM'],
      ...['bigFM Deutschland', 'Radio Regenbogen', 'Regenbogen 2', 'RPR1', 'SWR1 BW', 'Swr2 Radio', 'SWR3'],
      ...['SWR4 Radio', 'WDR 1Live', 'WDR 2 Rheinland', 'WDR 3', 'WDR 4 Radio', 'WDR 5 Radio'],
      ...['WDR Cosmo Afrobeats', 'WDR Cosmo Italia', 'Big FM Charts', 'FFH Soundtrack'],
      ...['Dasding Partyfieber', 'Dasding Chillout', '80s80s Italo Disco'],
      ...['PolskaStacja 80 and Italo Disco', 'Radio Onyx', 'Radio SorRrisO', 'Radio Gioconda'],
      ...['Radio Italia Charleroi', 'Lolliradio Italia', 'Lolliradio Soft', 'Lolliradio Hits'],
      ...['Lolliradio Oldies', 'Lolliradio Happy', 'Lolliradio Dance'],
    ]);
    expect(stations[0]).to.deep.equal(
      named(3, 'Deutschlandfunk', 'https://st01.sslstream.dlf.de/dlf/01/128/mp3/stream.mp3', ['german']),
    );
    expect(stations.at(-1)).to.deep.equal(
      named(83, 'Lolliradio Dance', 'https://stream.lolliradio.net/lolli_dance.mp3', ['italian']),
    );
  });

  it('may write its attributes with blanks, hold commas in them, and name a logo', async () => {
    const [station] = await readM3u(
      '#EXTM3U\n#EXTINF:-1 tvg-name="x" tvg-logo="https://a.example/l.png" group-title="Jazz, Soul;Funk",One, two\nhttp://a.example/1\n',
    );
    expect(station).to.deep.equal({
      row: 3,
      name: 'One, two',
      url: 'http://a.example/1',
      tags: ['Jazz', 'Soul', 'Funk'],
      homepage: null,
      favicon: 'https://a.example/l.png',
    });
  });

  it('names a station by its attribute, then by host and path, where the title is empty', async () => {
    const text =
      '#EXTINF:-1 tvg-name="Radio A",\nhttp://a.example/1\n#EXTINF:0,\nhttp://b.example:8000/live/\n';
    expect(await readM3u(text)).to.deep.equal([
      named(2, 'Radio A', 'http://a.example/1'),
      named(4, 'b.example:8000/live', 'http://b.example:8000/live/'),
    ]);
  });

  it('gives #EXTGRP to the next station only, and nothing of one station to another', async () => {
    const text = '#EXTINF:-1,A\n#EXTGRP:News\nhttp://a.example/1\nhttp://b.example/2\n';
    expect(await readM3u(text)).to.deep.equal([
      named(3, 'A', 'http://a.example/1', ['News']),
      named(4, 'b.example/2', 'http://b.example/2'),
    ]);
  });

  it('may begin with a byte order mark, end its lines in any way, and lack the last end', async () => {
    const text = '\uFEFF#EXTM3U\r#EXTINF:-1,A\r\nhttp://a.example/1\n\n  \r\nhttp://b.example/2';
    expect(await readM3u(text)).to.deep.equal([
      named(3, 'A', 'http://a.example/1'),
      named(6, 'b.example/2', 'http://b.example/2'),
    ]);
    expect(await readM3u('\uFEFFhttp://a.example/1')).to.deep.equal([
      named(1, 'a.example/1', 'http://a.example/1'),
    ]);
  });

  it('reports names of files as rows that are no station', async () => {
    const text = '#EXTM3U\n#EXTINF:200,Song\nmusic/song.mp3\nC:\\song.mp3\n/srv/song.mp3\n';
    expect(await readM3u(text)).to.deep.equal([3, 4, 5].map((row) => ({ row, reason: NO_ADDRESS })));
  });
});

describe('A PLS playlist', () => {
  const SALAD = 'A nicely chilled plate of ambient/downtempo beats and grooves.';
  for (const [file, stations] of [
    [
      'somafm-groovesalad-5-files.pls',
      [
        named(3, `SomaFM: Groove Salad (#1 128k mp3): ${SALAD}`, 'http://uwstream1.somafm.com:80'),
        named(6, `SomaFM: Groove Salad (#2 128k mp3): ${SALAD}`, 'http://xstream1.somafm.com:8032'),
        named(9, `SomaFM: Groove Salad (#3 128k mp3): ${SALAD}`, 'http://uwstream2.somafm.com:8032'),
        named(12, `SomaFM: Groove Salad (#4 128k mp3): ${SALAD}`, 'http://uwstream3.somafm.com:8032'),
        named(
          15,
          `SomaFM: Groove Salad (Firewall-friendly 128k mp3) ${SALAD}`,
          'http://ice.somafm.com/groovesalad',
        ),
      ],
    ],
    [
      'somafm-groovesalad-aac-2012.pls',
      [
        named(3, `SomaFM: Groove Salad (#1 130k aac): ${SALAD}`, 'http://voxsc1.somafm.com:3000'),
        named(6, `SomaFM: Groove Salad (#2 130k aac): ${SALAD}`, 'http://sgsc.somafm.com:3000'),
      ],
    ],
    [
      'somafm-u80s192.pls',
      [
        named(
          3,
          'SomaFM: Underground 80s (#1 192k mp3): Early 80s UK Synthpop and a bit of New Wave.',
          'http://xstream1.somafm.com:8884',
        ),
        named(
          6,
          'SomaFM: Underground 80s (#2 192k mp3): Early 80s UK Synthpop and a bit of New Wave.',
          'http://uwstream3.somafm.com:8884',
        ),
      ],
    ],
    [
      'somafm-dubstep256-one-file.pls',
      [
        named(
          3,
          'SomaFM: Dub Step Beyond (#1 256k mp3): Dubstep, Dub and Deep Bass. May damage speakers at high volume.',
          'http://uwstream2.somafm.com:8406',
        ),
      ],
    ],
    [
      'schizoid-psy.pls',
      [
        named(3, 'Radio Schizoid - Escape Reality :-)', 'http://78.46.73.237:8000/schizoid'),
        named(6, 'Radio Schizoid - Escape Reality  :-)', 'http://88.198.48.36:8000/schizoid'),
      ],
    ],
    ['monkeyradio.pls', [named(3, '76.73.3.245:6969', 'http://76.73.3.245:6969/')]],
    ['arvo_klassiek.pls', [named(3, 'shoutcast.omroep.nl:8068', 'http://shoutcast.omroep.nl:8068/')]],
  ] as const)
    it(`is read to its last station: ${file}`, async () => {
      expect(await all(plsStations(fixtureText(`playlists/${file}`)))).to.deep.equal(stations);
    });

  it('may hold its entries in any order, in any case, with gaps, and with ; # and = in titles', async () => {
    const text =
      '\uFEFF[Playlist]\r\nTITLE20=B ; not a comment # nor this\r\nfile20 = http://b.example/?a=b\r\n; a comment\r\n' +
      'Title3=A = a\r\nLength3=-1\r\nFile3=http://a.example/\r\nVersion=2\r\n';
    expect(await readPls(text)).to.deep.equal([
      named(7, 'A = a', 'http://a.example/'),
      named(3, 'B ; not a comment # nor this', 'http://b.example/?a=b'),
    ]);
  });

  it('reports what is no station: a title without a file, a second file, a file name, other text', async () => {
    const text =
      '[playlist]\nTitle1=A\nFile2=http://b.example/\nFile2=http://c.example/\nFile3=song.mp3\nhello\nFile4=\n';
    expect(await readPls(text)).to.have.deep.members([
      { row: 2, reason: 'Title1 without File1' },
      { row: 4, reason: 'a second File2' },
      named(3, 'b.example', 'http://b.example/'),
      { row: 5, reason: 'a file name or other text, not an address' },
      { row: 6, reason: 'not a line of a PLS file' },
      { row: 7, reason: 'a file name or other text, not an address' },
    ]);
  });
});

describe('Playlists of any content', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('#EXTM3U', '[playlist]', '\r', '\n', '\r\n', '\uFEFF'),
    fc.string().map((text) => `#EXTINF:-1 group-title="${text}",${text}`),
    fc.tuple(fc.nat(3), fc.string()).map(([number, text]) => `\nFile${number}=http://a.example/${text}\n`),
    fc.webUrl(),
  );
  const texts = fc.array(line).map((lines) => lines.join('\n'));
  for (const read of [m3uStations, plsStations])
    it(`give the same rows wherever the text is cut into chunks (${read.name})`, async () => {
      await fc.assert(
        fc.asyncProperty(texts, fc.integer({ min: 1, max: 7 }), async (text, size) => {
          expect(await all(read(inChunks(text, size)))).to.deep.equal(await all(read(inChunks(text))));
        }),
      );
    });
});
