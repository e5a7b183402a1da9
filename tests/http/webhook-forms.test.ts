import { expect } from 'chai';
import type { StreamUuid } from '../../src/domain/ids.js';
import { type HttpService, httpService } from '../support/http-service.js';
import { START } from '../support/manual-clock.js';
import { shownOn } from '../support/shown.js';

const FORM = 'application/x-www-form-urlencoded';
const UNCHANGED = { message: 'Stream unchanged' };

describe('The forms of a report', () => {
  let service: HttpService;
  let token: string;
  let stream: { id: number; uuid: StreamUuid };
  beforeEach(async () => {
    service = httpService();
    const organization = await service.addOrganization();
    token = await service.addToken(organization);
    stream = await service.addStream(organization);
  });
  const path = (suffix = '') => `/stream/update/${stream.uuid}${suffix}`;
  const post = (suffix = '') => service.http.post(path(suffix)).auth('station', token);
  const send = (type: string, body: string, suffix = '') => post(suffix).set('Content-Type', type).send(body);
  const song = async () => (await shownOn(service.http, stream.id)).song;
  const native = (fields: object, others: object = {}) =>
    send(
      'application/json',
      JSON.stringify({
        now_playing: {
          sh_id: 7,
          played_at: START / 1_000 - 60,
          song: { title: 'A', artist: 'B' },
          ...fields,
        },
        ...others,
      }),
    ).expect(200);

  describe('as a form or a query string', () => {
    const fields =
      'title=Caf%C3%A9+%26+Bar&artist=AC%2FDC&art=https%3A%2F%2Fart.example%2F1.jpg' +
      '&nextTitle=Next&nextArtist=Other&nextArt=https://art.example/2.jpg&songDuration=249.5&songStartedAt=1768478340';
    const expected = {
      title: 'Café & Bar',
      artist: 'AC/DC',
      cover: 'https://art.example/1.jpg',
      songDuration: 249.5,
      songStartedAt: 1_768_478_340,
      next: { title: 'Next', artist: 'Other', cover: 'https://art.example/2.jpg' },
    };

    it('takes every field of the specification, numbers as their text', async () => {
      await send(FORM, fields).expect(200);
      expect(await song()).to.deep.equal(expected);
    });

    it('takes them from the query string where there is no body, with or without a media type', async () => {
      await post(`?${fields}`).expect(200);
      expect(await song()).to.deep.equal(expected);
      const repeated = await post(`?${fields}`).set('Content-Type', 'application/json').expect(200);
      expect(repeated.body).to.deep.equal(UNCHANGED);
    });

    it('lets a body win over the query string, whatever it says', async () => {
      await send('application/json', '{"title":"Body"}', '?title=Query&artist=Query').expect(200);
      expect(await song()).to.include({ title: 'Body', artist: '' });
      const ignored = await send('application/json', '{}', '?title=Query').expect(200);
      expect(ignored.body).to.deep.equal(UNCHANGED);
      await send(FORM, 'title=Form', '?title=Query').expect(200);
      expect((await song()).title).to.equal('Form');
    });

    it('reads duration where songDuration is missing, and 0 or nothing as unknown', async () => {
      await send(FORM, 'title=A&duration=249').expect(200);
      expect((await song()).songDuration).to.equal(249);
      await send(FORM, 'title=B&duration=0&songStartedAt=0&nextTitle=&art=').expect(200);
      expect(await song()).to.deep.equal({
        title: 'B',
        artist: '',
        cover: null,
        songDuration: 0,
        songStartedAt: START / 1_000,
        next: null,
      });
    });

    for (const [what, body, title] of [
      ['UTF-8', 'title=Sigur+R%C3%B3s', 'Sigur Rós'],
      ['UTF-8 as it is', 'title=Sigur Rós 🎵', 'Sigur Rós 🎵'],
      ['Windows-1252, as older Windows programs write', 'title=Caf%E9+%96+%80', 'Café – €'],
      ['percent signs of no escape', 'title=100%+%zz', '100% %zz'],
      ['equals signs in the value', 'title=1=1', '1=1'],
      ['the first of two fields of a name', 'title=First&title=Second', 'First'],
      ['no U+0000', 'title=A%00B', 'A B'],
    ] as const)
      it(`reads ${what}`, async () => {
        await send(`${FORM}; charset=utf-8`, body).expect(200);
        expect((await song()).title).to.equal(title);
      });

    it('finds nothing in odd forms, and survives them', async () => {
      for (const body of [
        '&&&',
        '=',
        'title',
        'title=',
        '__proto__=x&constructor=y',
        'title[a]=b',
        '%',
        '+',
      ]) {
        const answer = await send(FORM, body).expect(200);
        expect(answer.body, body).to.deep.equal(UNCHANGED);
      }
      expect(({} as { x?: unknown }).x).to.equal(undefined);
    });

    it('takes up to 256 KiB and no more', async () => {
      const body = `title=A&lyrics=${'x'.repeat(256 * 1_024 - 15)}`;
      await send(FORM, body).expect(200);
      await send(FORM, `${body}x`).expect(413);
    });
  });

  describe('with song=Artist - Title', () => {
    for (const [given, artist, title] of [
      ['Artist - Title', 'Artist', 'Title'],
      ['A - B - C', 'A', 'B - C'],
      ['Jean-Michel Jarre - Oxygène', 'Jean-Michel Jarre', 'Oxygène'],
      ['ACDC Back In Black', '', 'ACDC Back In Black'],
      ['Artist-Title', '', 'Artist-Title'],
      [' - Title', '', 'Title'],
      ['Artist - ', '', 'Artist'],
    ] as const)
      it(`reads "${given}"`, async () => {
        await send(FORM, new URLSearchParams({ song: given }).toString()).expect(200);
        expect(await song()).to.include({ artist, title });
      });

    it('does so in the query and in JSON too, where neither title nor artist is given', async () => {
      await post('?song=One+-+Two&title=+').expect(200);
      expect(await song()).to.include({ artist: 'One', title: 'Two' });
      await send('application/json', '{"song":"Three - Four","title":null}').expect(200);
      expect(await song()).to.include({ artist: 'Three', title: 'Four' });
      await send(FORM, 'song=Five - Six&title=Seven').expect(200);
      expect(await song()).to.include({ artist: '', title: 'Seven' });
    });

    it('says nothing without text', async () => {
      for (const body of ['song=', 'song=+-+', 'song=+'])
        expect((await send(FORM, body).expect(200)).body).to.deep.equal(UNCHANGED);
    });
  });

  describe('as the Now Playing object of AzuraCast', () => {
    it('falls back to the text for a missing title, and splits it only without an artist', async () => {
      for (const [named, artist, title] of [
        [{ title: '', artist: '', text: 'A - B - C' }, 'A', 'B - C'],
        [{ title: null, artist: null, text: 'All of it' }, '', 'All of it'],
        [{ title: ' ', artist: 'A', text: 'A - B' }, 'A', 'A - B'],
        [{ title: 'T', artist: '', text: 'X - Y' }, '', 'T'],
        [{ text: 'D - E' }, 'D', 'E'],
      ] as const) {
        await native({ song: named, played_at: 0, sh_id: null });
        expect(await song()).to.include({ artist, title });
      }
    });

    for (const [what, playedAt] of [
      ['0', 0],
      ['null', null],
      ['4 s in the future', START / 1_000 + 4],
      ['nonsense', 'soon'],
    ] as const)
      it(`takes the time of receipt where played_at is ${what}`, async () => {
        await native({ played_at: playedAt });
        expect((await song()).songStartedAt).to.equal(START / 1_000);
        service.clock.advance(10_000);
        expect((await native({ played_at: playedAt })).body).to.deep.equal(UNCHANGED);
      });

    for (const [duration, seconds] of [
      [0, 0],
      [null, 0],
      [5379.7920206649, 5379.7920206649],
      ['180', 180],
      [{}, 0],
    ] as const)
      it(`reads the duration ${JSON.stringify(duration)} as ${seconds || 'unknown'}`, async () => {
        await native({ duration });
        expect((await song()).songDuration).to.equal(seconds);
      });

    it('shows the next song unless a DJ is live, it is missing or it is the one that has just begun', async () => {
      const next = (title: unknown) => ({ playing_next: { song: { title, artist: 'B', art: 'x' } } });
      const shown = async () => (await song()).next?.title;
      await native({}, next('N'));
      expect(await shown()).to.equal('N');
      await native({}, { ...next('N'), live: { is_live: true } });
      expect(await shown()).to.equal(undefined);
      await native({}, { ...next('N'), live: { is_live: false } });
      expect(await shown()).to.equal('N');
      for (const none of [{ playing_next: null }, next('A'), next(''), { playing_next: 'odd' }]) {
        await native({}, next('N'));
        await native({}, none);
        expect(await shown(), JSON.stringify(none)).to.equal(undefined);
      }
    });

    it('does not know what comes next where playing_next is not even there', async () => {
      await native({}, { playing_next: { song: { title: 'N', artist: 'B' } } });
      await native({});
      expect((await song()).next?.title).to.equal('N');
    });

    it('tells plays apart by sh_id', async () => {
      await native({ sh_id: 7 });
      await native({ sh_id: 7, played_at: START / 1_000 - 40 });
      expect((await shownOn(service.http, stream.id)).history).to.deep.equal([]);
      await native({ sh_id: 8, played_at: START / 1_000 - 58 });
      expect((await shownOn(service.http, stream.id)).history).to.deep.equal([
        'B - A, 2026-01-15T11:59:00.000Z',
      ]);
    });

    it('fills in lost plays from song_history, in order, once, and no silence', async () => {
      const row = (shId: number, secondsAgo: number, title: string, more: object = {}) => ({
        sh_id: shId,
        played_at: START / 1_000 - secondsAgo,
        song: { title, artist: 'B', ...more },
      });
      await native({ sh_id: 1, played_at: START / 1_000 - 600, song: { title: 'One', artist: 'B' } });
      const history = [
        row(2, 400, 'Two'),
        row(3, 200, 'Three'),
        row(1, 600, 'One'),
        row(4, 100, 'Gone', { id: '5a6a865199cf5df73b1417326d2ff24f' }),
        row(5, 90, ''),
        { ...row(6, 80, 'No start'), played_at: null },
        null,
        'odd',
      ];
      for (const outcome of ['updated', 'unchanged']) {
        const answer = await native({}, { song_history: history });
        expect(answer.body).to.deep.equal({ message: `Stream ${outcome}` });
        expect((await shownOn(service.http, stream.id)).history).to.deep.equal([
          'B - Three, 2026-01-15T11:56:40.000Z',
          'B - Two, 2026-01-15T11:53:20.000Z',
          'B - One, 2026-01-15T11:50:00.000Z',
        ]);
      }
    });

    it('takes what is odd for unknown and loses nothing else', async () => {
      await native(
        { duration: [], sh_id: {} },
        { song_history: 'none', live: [], playing_next: 3, is_online: 1 },
      );
      expect(await song()).to.include({ title: 'A', artist: 'B', songDuration: 0 });
      await native({ song: 'no object', sh_id: 9, played_at: START / 1_000 });
      expect((await song()).title).to.equal('');
    });

    it('is not meant by a now_playing that is a text', async () => {
      await send('application/json', '{"now_playing":"A - B","title":"Simple"}').expect(200);
      expect((await song()).title).to.equal('Simple');
    });

    it('takes a body full of lyrics', async () => {
      await native({ song: { title: 'A', artist: 'B', lyrics: 'la '.repeat(80_000) } });
      expect((await song()).title).to.equal('A');
    });
  });

  describe('of any other kind', () => {
    for (const type of [
      'multipart/form-data; boundary=x',
      'text/plain',
      'text/xml',
      'application/xml',
      'application/octet-stream',
      'application/json; charset=iso-8859-1',
    ])
      it(`is refused with 415 as ${type}`, async () => {
        const refused = await send(type, '{"title":"A"}').expect(415);
        expect(refused.body).to.deep.equal({ statusCode: 415, message: 'Unsupported Media Type' });
        expect((await song()).title).to.equal('');
      });
  });

  it('arrives with a trailing slash, with the UUID in capitals, and is never redirected', async () => {
    const paths = [path('/'), path().replace(stream.uuid, stream.uuid.toUpperCase()), path().toUpperCase()];
    for (const [index, one] of paths.entries()) {
      const answer = await service.http
        .post(one)
        .auth('station', token)
        .send({ title: `Song ${index}` });
      expect(answer.status).to.equal(200);
      expect(answer.headers).not.to.have.property('location');
      expect((await song()).title).to.equal(`Song ${index}`);
    }
  });
});
