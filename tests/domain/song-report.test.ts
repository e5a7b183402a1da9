import { expect } from 'chai';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { readSongReport } from '../../src/domain/song-report.js';
import { isStorable } from '../../src/domain/text.js';

const UNKNOWN = {
  title: null,
  artist: null,
  cover: null,
  durationSeconds: null,
  startedAt: null,
  playId: null,
  next: { title: null, artist: null, cover: null },
  offAir: false,
  earlier: [],
};
const ODD: readonly unknown[] = [
  null,
  undefined,
  '',
  ' \t\n',
  0,
  1,
  -1,
  NaN,
  true,
  false,
  [],
  ['x'],
  {},
  { title: 'x' },
];

describe('A song report', () => {
  it('reads every field of the specification', () => {
    const report = readSongReport({
      title: 'So What',
      artist: 'Miles Davis',
      art: 'https://covers.example/1.jpg',
      nextTitle: 'Blue in Green',
      nextArtist: 'Bill Evans',
      nextArt: 'http://covers.example/2.jpg',
      songDuration: 545.5,
      songStartedAt: 1_768_478_400,
      playId: 1_428,
      earlier: [{ title: 'Nardis', songDuration: '120', songStartedAt: 1_768_478_000, playId: '1427' }],
    });
    expect(report).to.deep.equal({
      title: 'So What',
      artist: 'Miles Davis',
      cover: 'https://covers.example/1.jpg',
      durationSeconds: 545.5,
      startedAt: 1_768_478_400_000,
      next: { title: 'Blue in Green', artist: 'Bill Evans', cover: 'http://covers.example/2.jpg' },
      offAir: false,
      playId: '1428',
      earlier: [
        {
          title: 'Nardis',
          artist: null,
          cover: null,
          durationSeconds: 120,
          startedAt: 1_768_478_000_000,
          playId: '1427',
        },
      ],
    });
  });

  it('is all unknown when nothing is given', () => {
    expect(readSongReport({})).to.deep.equal(UNKNOWN);
  });

  it('takes null, empty text, 0 and whatever is no text for unknown', () => {
    for (const odd of ODD) {
      const report = readSongReport({
        title: odd,
        artist: odd,
        art: odd,
        nextTitle: odd,
        nextArtist: odd,
        nextArt: odd,
        songDuration: odd === 1 ? 0 : odd,
        songStartedAt: odd === 1 ? 0 : odd,
      });
      expect(report).to.deep.equal(UNKNOWN);
    }
  });

  it('loses no other field to an odd one', () => {
    const good = {
      title: 'A',
      artist: 'B',
      art: 'https://c.example/',
      songDuration: 60,
      songStartedAt: 1_000,
    };
    for (const name of Object.keys(good) as (keyof typeof good)[]) {
      const read = {
        title: 'title',
        artist: 'artist',
        art: 'cover',
        songDuration: 'durationSeconds',
        songStartedAt: 'startedAt',
      } as const;
      const expected = { ...readSongReport(good), [read[name]]: null };
      expect(readSongReport({ ...good, [name]: { odd: true } })).to.deep.equal(expected);
    }
  });

  it('trims texts and makes them one line', () => {
    const { title } = readSongReport({ title: ' \ufeff So\r\n\tWhat \u0000(live)\u0085 ' });
    expect(title).to.equal('So What (live)');
  });

  it('cuts texts after 512 characters, however many units those are', () => {
    expect(readSongReport({ title: 'x'.repeat(512) }).title).to.have.length(512);
    expect(readSongReport({ title: 'x'.repeat(513) }).title).to.have.length(512);
    expect([...(readSongReport({ title: '🎵'.repeat(600) }).title ?? '')]).to.have.length(512);
    expect(readSongReport({ title: `${'x'.repeat(511)} y` }).title).to.equal('x'.repeat(511));
  });

  it('repairs lone surrogates', () => {
    expect(readSongReport({ title: 'a\ud800b' }).title).to.equal('a\ufffdb');
  });

  it('drops addresses that are not http(s) or longer than 2,048 characters', () => {
    const long = `https://covers.example/${'x'.repeat(2_048 - 23)}`;
    expect(readSongReport({ art: long }).cover).to.equal(long);
    for (const art of [
      `${long}x`,
      'ftp://covers.example/1',
      'javascript:alert(1)',
      'data:image/png;base64,AA',
      '//covers.example/1',
      '/1.jpg',
      'https://',
      'https://a b/',
      'http://[::1',
    ])
      expect(readSongReport({ art }).cover, art.slice(0, 40)).to.equal(null);
  });

  for (const [given, seconds] of [
    [180, 180],
    [0.5, 0.5],
    [5379.7920206649, 5379.7920206649],
    ['180', 180],
    [' 180.25 ', 180.25],
    [604_800, 604_800],
    [604_801, null],
    [0, null],
    [-1, null],
    ['', null],
    ['-1', null],
    ['3:45', null],
    ['0x10', null],
    ['1e3', null],
    [Infinity, null],
    [NaN, null],
    [1e300, null],
    [true, null],
  ] as const)
    it(`reads the duration ${inspect(given)} as ${seconds ?? 'unknown'}`, () => {
      expect(readSongReport({ songDuration: given }).durationSeconds).to.equal(seconds);
    });

  for (const [given, iso] of [
    [1_768_478_400, '2026-01-15T12:00:00.000Z'],
    [1_768_478_400.9996, '2026-01-15T12:00:00.999Z'],
    ['1768478400', '2026-01-15T12:00:00.000Z'],
    ['2026-05-08T02:27:49+00:00', '2026-05-08T02:27:49.000Z'],
    ['2026-05-08T02:27:49+0200', '2026-05-08T00:27:49.000Z'],
    ['2026-05-08T02:27:49-05:30', '2026-05-08T07:57:49.000Z'],
    ['2026-05-08T02:27:49.123456Z', '2026-05-08T02:27:49.123Z'],
    ['2026-05-08T02:27:49,5Z', '2026-05-08T02:27:49.500Z'],
    ['2026-05-08t02:27:49z', '2026-05-08T02:27:49.000Z'],
    ['2026-05-08T02:27Z', '2026-05-08T02:27:00.000Z'],
    [' 2026-05-08T02:27:49 ', '2026-05-08T02:27:49.000Z'],
    ['2026-13-08T02:27:49Z', null],
    ['2026-05-08T25:27:49Z', null],
    ['2026-05-08', null],
    ['May 8, 2026', null],
    ['0', null],
    [0, null],
    [-5, null],
    [1_768_478_400_000, null],
    ['1768478400000', null],
    ['yesterday', null],
    [{ date: '2026-05-08' }, null],
  ] as const)
    it(`reads the start ${inspect(given)} as ${iso ?? 'unknown'}`, () => {
      const { startedAt } = readSongReport({ songStartedAt: given });
      expect(startedAt).to.equal(iso === null ? null : Date.parse(iso));
    });

  it('says that nothing follows, whatever next song it names', () => {
    expect(readSongReport({ nextTitle: 'B', hasNoNext: true }).next).to.equal('none');
  });

  for (const [given, playId] of [
    [1428, '1428'],
    ['1428', '1428'],
    ['5f0c-x', '5f0c-x'],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['x'.repeat(65), null],
    [0, null],
    ['0', null],
    [-1, null],
    [1.5, null],
    [2 ** 53, null],
    ['', null],
    ['a b', null],
    ['a\u0000', null],
    [true, null],
    [{}, null],
  ] as const)
    it(`reads the play id ${inspect(given)} as ${playId ?? 'unknown'}`, () => {
      expect(readSongReport({ playId: given }).playId).to.equal(playId);
    });

  it('reads a start without an offset as UTC, wherever the machine stands', () => {
    const { TZ } = process.env;
    try {
      process.env['TZ'] = 'Asia/Tokyo';
      expect(new Date(0).getHours(), 'the zone is in force').to.equal(9);
      const { startedAt } = readSongReport({ songStartedAt: '2026-05-08T02:27:49' });
      expect(startedAt).to.equal(Date.UTC(2026, 4, 8, 2, 27, 49));
    } finally {
      if (TZ === undefined) delete process.env['TZ'];
      else process.env['TZ'] = TZ;
    }
  });

  it('is always well formed, whatever JSON stands in the fields', () => {
    const field = fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: 'binary', maxLength: 1_200 }),
      fc.double(),
      fc.date().map(String),
    );
    fc.assert(
      fc.property(field, field, field, field, field, (title, artist, art, songDuration, songStartedAt) => {
        const report = readSongReport({ title, artist, art, songDuration, songStartedAt });
        for (const text of [report.title, report.artist].filter((found) => found !== null)) {
          expect([...text].length).to.be.within(1, 512);
          expect(text)
            .to.equal(text.trim())
            .and.not.to.match(/\p{Cc}/u);
          expect(isStorable(text)).to.equal(true);
        }
        if (report.cover !== null) expect(report.cover).to.match(/^https?:/i);
        if (report.durationSeconds !== null)
          expect(report.durationSeconds).to.be.above(0).and.to.be.at.most(604_800);
        if (report.startedAt !== null) expect(new Date(report.startedAt).toISOString()).to.match(/^\d{4}-/);
      }),
      { numRuns: 1_000 },
    );
  });
});
