import { expect } from 'chai';
import { MINUTE, SECOND } from '../../src/domain/ids.js';
import { DEFAULT_IMAGE } from '../../src/domain/organization.js';
import { type HttpService, httpService } from '../support/http-service.js';
import { START } from '../support/manual-clock.js';
import { type WireHistory, type WireStream, type WireVotes, json } from '../support/wire.js';

const SILENT_SONG = { title: '', artist: '', cover: null, songDuration: 0, songStartedAt: 0, next: null };
const NOT_FOUND = { statusCode: 404, message: 'Not Found' };
const BAD_ID = { statusCode: 400, message: 'id must be an integer from 1 to 2147483647.' };

describe('Streams over HTTP', () => {
  let service: HttpService;
  beforeEach(() => {
    service = httpService();
  });

  const aPushingStream = async (image?: string) => {
    const organization = await service.addOrganization({ name: 'Radio Nova', image });
    const token = await service.addToken(organization);
    const stream = await service.addStream(organization, {
      name: 'Nova Jazz',
      url: 'https://nova.example/jazz.mp3',
      tags: ['jazz', 'live'],
    });
    const push = (body: object) =>
      service.http
        .post(`/stream/update/${stream.uuid}`)
        .auth(token, { type: 'bearer' })
        .send(body)
        .expect(200);
    return { organization, ...stream, push };
  };

  describe('GET /stream', () => {
    it('answers an empty array for an empty directory', async () => {
      const response = await service.http.get('/stream').expect(200);
      expect(response.text).to.equal('[]');
      expect(response.headers['content-type']).to.equal('application/json; charset=utf-8');
    });

    it('lists a stream with exactly the fields of the specification, in their order', async () => {
      const { id, organization, push } = await aPushingStream('https://nova.example/logo.png');
      await push({
        title: 'So What',
        artist: 'Miles Davis',
        art: 'https://nova.example/so-what.jpg',
        nextTitle: 'Blue in Green',
        nextArtist: 'Miles Davis',
        songDuration: 562.5,
        songStartedAt: START / SECOND - 10,
      });
      const response = await service.http.get('/stream').expect(200);
      expect(response.text).to.equal(
        JSON.stringify([
          {
            id,
            name: 'Nova Jazz',
            url: 'https://nova.example/jazz.mp3',
            tags: ['jazz', 'live'],
            organization: { id: organization, name: 'Radio Nova', image: 'https://nova.example/logo.png' },
            song: {
              title: 'So What',
              artist: 'Miles Davis',
              cover: 'https://nova.example/so-what.jpg',
              songDuration: 562.5,
              songStartedAt: START / SECOND - 10,
              next: { title: 'Blue in Green', artist: 'Miles Davis', cover: null },
            },
            isStreamOfTheMonth: false,
            isNewcomerOfTheMonth: false,
            isRecentPopularStream: false,
            isTopVotedStream: false,
          },
        ]),
      );
    });

    it('shows each highlight as its own flag', async () => {
      const { id } = await aPushingStream();
      const row = service.db.streams.get(id);
      if (row) service.db.streams.put({ ...row, highlights: ['newcomer-of-the-month', 'top-voted'] });
      const streams = json<WireStream[]>(await service.http.get('/stream').expect(200));
      expect(streams[0]).to.include({
        isStreamOfTheMonth: false,
        isNewcomerOfTheMonth: true,
        isRecentPopularStream: false,
        isTopVotedStream: true,
      });
    });

    it('shows the silent song and an image for a stream that never reported, of an organization without a logo', async () => {
      await aPushingStream();
      const streams = json<WireStream[]>(await service.http.get('/stream').expect(200));
      expect(streams[0]?.song).to.deep.equal(SILENT_SONG);
      expect(streams[0]?.organization.image).to.equal(DEFAULT_IMAGE);
    });

    it('shows the silent song again when the sender has been silent for long', async () => {
      const { push } = await aPushingStream();
      await push({ title: 'So What', artist: 'Miles Davis', songDuration: 60 });
      service.clock.advance(16 * MINUTE);
      const streams = json<WireStream[]>(await service.http.get('/stream').expect(200));
      expect(streams[0]?.song).to.deep.equal(SILENT_SONG);
    });

    it('lists active streams only, by ascending id', async () => {
      const listed = await service.addOrganization();
      const hidden = await service.addOrganization({ isPublic: false });
      const asleep = await service.addOrganization({ isActive: false });
      const first = await service.addStream(listed);
      await service.addStream(listed, { isEnabled: false });
      await service.addStream(hidden);
      await service.addStream(asleep);
      const last = await service.addStream(listed);
      const streams = json<WireStream[]>(await service.http.get('/stream').expect(200));
      expect(streams.map((stream) => stream.id)).to.deep.equal([first.id, last.id]);
    });
  });

  describe('GET /stream/:id/history', () => {
    it('shows the current and the next song and the last three played, newest first', async () => {
      const { id, push } = await aPushingStream('https://nova.example/logo.png');
      for (const title of ['One', 'Two', 'Three', 'Four', 'Five']) {
        await push({ title, artist: 'Anna', art: title === 'Four' ? 'https://nova.example/4.jpg' : null });
        service.clock.advance(3 * MINUTE);
      }
      await push({ nextTitle: 'Six' });
      const response = await service.http.get(`/stream/${id}/history`).expect(200);
      const body = json<WireHistory>(response);
      const played = (minutes: number) => new Date(START + minutes * MINUTE).toISOString();
      expect(body.current.id).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(body.history.every((play) => Number.isInteger(play.id))).to.equal(true);
      const cover = 'https://nova.example/logo.png';
      expect(response.text).to.equal(
        JSON.stringify({
          current: { id: body.current.id, title: 'Five', artist: 'Anna', cover },
          next: { title: 'Six', artist: '', cover: null },
          history: [
            {
              id: body.history[0]?.id,
              title: 'Four',
              artist: 'Anna',
              cover: 'https://nova.example/4.jpg',
              playedAt: played(9),
            },
            { id: body.history[1]?.id, title: 'Three', artist: 'Anna', cover, playedAt: played(6) },
            { id: body.history[2]?.id, title: 'Two', artist: 'Anna', cover, playedAt: played(3) },
          ],
        }),
      );
      expect(body.history[0]?.playedAt).to.equal('2026-01-15T12:09:00.000Z');
    });

    it('shows the play of nobody for a stream that never reported', async () => {
      const { id } = await aPushingStream();
      const response = await service.http.get(`/stream/${id}/history`).expect(200);
      expect(response.text).to.equal(
        JSON.stringify({
          current: {
            id: '00000000-0000-0000-0000-000000000000',
            title: '',
            artist: '',
            cover: DEFAULT_IMAGE,
          },
          next: null,
          history: [],
        }),
      );
    });

    it('is found with a trailing slash and in other letter case', async () => {
      const { id } = await aPushingStream();
      await service.http.get(`/Stream/${id}/HISTORY/`).expect(200);
    });
  });

  describe('GET /stream/:id/votes', () => {
    it('counts the votes for everybody and shows the caller their own', async () => {
      const { id } = await aPushingStream();
      const [anna, ben, carl] = [await service.aJwt(), await service.aJwt(), await service.aJwt()];
      for (const [jwt, voteType] of [
        [anna, 'up'],
        [ben, 'down'],
        [carl, 'down'],
      ] as const)
        await service.http
          .post(`/stream/${id}/vote`)
          .auth(jwt, { type: 'bearer' })
          .send({ voteType })
          .expect(200);
      const anonymous = await service.http.get(`/stream/${id}/votes`).expect(200);
      expect(anonymous.text).to.equal('{"upvotes":1,"downvotes":2,"score":-1,"userVote":null}');
      const hers = await service.http.get(`/stream/${id}/votes`).auth(anna, { type: 'bearer' }).expect(200);
      expect(hers.text).to.equal('{"upvotes":1,"downvotes":2,"score":-1,"userVote":"up"}');
      const his = await service.http.get(`/stream/${id}/votes`).auth(ben, { type: 'bearer' }).expect(200);
      expect(json<WireVotes>(his).userVote).to.equal('down');
    });

    it('takes an invalid, an expired and somebody else’s kind of credentials for an anonymous caller', async () => {
      const { id } = await aPushingStream();
      const expired = await service.aJwt();
      service.clock.advance(25 * 60 * MINUTE);
      for (const authorization of ['Bearer nonsense', `Bearer ${expired}`, 'Basic YTpi', 'Bearer', '']) {
        const votes = await service.http
          .get(`/stream/${id}/votes`)
          .set('Authorization', authorization)
          .expect(200);
        expect(votes.body).to.deep.equal({ upvotes: 0, downvotes: 0, score: 0, userVote: null });
      }
    });
  });

  describe('POST /stream/:id/vote', () => {
    const STEPS = [
      ['up', 'Vote saved', 'up'],
      ['up', 'Vote removed', null],
      ['down', 'Vote saved', 'down'],
      ['up', 'Vote updated', 'up'],
      ['down', 'Vote updated', 'down'],
      ['down', 'Vote removed', null],
    ] as const;

    it('follows the six rows of the specification and names each outcome', async () => {
      const { id } = await aPushingStream();
      const jwt = await service.aJwt();
      for (const [voteType, message, userVote] of STEPS) {
        const cast = await service.http
          .post(`/stream/${id}/vote`)
          .auth(jwt, { type: 'bearer' })
          .send({ voteType });
        expect(cast.status).to.equal(200);
        expect(cast.text).to.equal(JSON.stringify({ message }));
        const votes = await service.http.get(`/stream/${id}/votes`).auth(jwt, { type: 'bearer' });
        expect(json<WireVotes>(votes).userVote).to.equal(userVote);
      }
    });

    it('reads the scheme in any letter case', async () => {
      const { id } = await aPushingStream();
      const jwt = await service.aJwt();
      await service.http
        .post(`/stream/${id}/vote`)
        .set('Authorization', `bEARER ${jwt}`)
        .send({ voteType: 'up' })
        .expect(200);
    });

    for (const voteType of ['sideways', 'UP', '', null, 1, true, ['up'], undefined])
      it(`refuses the vote type ${JSON.stringify(voteType)}`, async () => {
        const { id } = await aPushingStream();
        const jwt = await service.aJwt();
        const response = await service.http
          .post(`/stream/${id}/vote`)
          .auth(jwt, { type: 'bearer' })
          .send({ voteType });
        expect(response.body).to.deep.equal({
          statusCode: 400,
          message: voteType === undefined ? 'voteType is required.' : 'voteType must be one of up, down.',
        });
      });

    it('asks for credentials before it looks at path and body', async () => {
      for (const path of ['/stream/1/vote', '/stream/nonsense/vote', '/stream/0/vote', '/stream/%00/vote']) {
        const response = await service.http
          .post(path)
          .set('Content-Type', 'text/plain')
          .send('{')
          .expect(401);
        expect(response.body).to.deep.equal({ statusCode: 401, message: 'Unauthorized' });
        expect(response.headers['www-authenticate']).to.equal('Bearer');
      }
    });

    it('names a token that was sent and is not valid', async () => {
      const organization = await service.addOrganization();
      const tokens = ['nonsense', 'a.b.c', 'a b', await service.addToken(organization)];
      for (const token of tokens) {
        const response = await service.http
          .post('/stream/1/vote')
          .set('Authorization', `Bearer ${token}`)
          .send({ voteType: 'up' })
          .expect(401);
        expect(response.headers['www-authenticate']).to.equal('Bearer error="invalid_token"');
      }
    });

    it('refuses a login from before a password reset', async () => {
      const { id } = await aPushingStream();
      const anna = await service.registerAndActivate();
      const jwt = await service.logIn(anna);
      await service.http.post('/user/requestPasswordChange').send({ email: anna.email }).expect(200);
      await service.deliver();
      const token = service.mailer.token('reset', anna.email);
      await service.http.put(`/user/resetPassword/${token}`).send({ password: 'Another-One-2' }).expect(201);
      const response = await service.http
        .post(`/stream/${id}/vote`)
        .auth(jwt, { type: 'bearer' })
        .send({ voteType: 'up' })
        .expect(401);
      expect(response.body).to.deep.equal({ statusCode: 401, message: 'Unauthorized' });
      expect(response.headers['www-authenticate']).to.equal('Bearer error="invalid_token"');
      const votes = await service.http.get(`/stream/${id}/votes`).auth(jwt, { type: 'bearer' }).expect(200);
      expect(json<WireVotes>(votes).userVote).to.equal(null);
    });
  });

  describe('Stream ids', () => {
    const REQUESTS = [
      ['get', 'history'],
      ['get', 'votes'],
      ['post', 'vote'],
    ] as const;
    for (const [method, leaf] of REQUESTS) {
      it(`${method} ${leaf} refuses what is no id`, async () => {
        const jwt = await service.aJwt();
        for (const id of [
          '0',
          '-1',
          '01',
          '+1',
          '1.0',
          '1e3',
          '2147483648',
          '99999999999999',
          'abc',
          '%31%20',
          '١',
        ]) {
          const response = await service.http[method](`/stream/${encodeURI(decodeURI(id))}/${leaf}`)
            .auth(jwt, { type: 'bearer' })
            .send(method === 'post' ? { voteType: 'up' } : undefined);
          expect(response.body, id).to.deep.equal(BAD_ID);
          expect(response.status).to.equal(400);
        }
      });

      it(`${method} ${leaf} knows no stream that does not exist or is not active`, async () => {
        const jwt = await service.aJwt();
        const listed = await service.addOrganization();
        const hidden = await service.addOrganization({ isPublic: false });
        const disabled = await service.addStream(listed, { isEnabled: false });
        const unlisted = await service.addStream(hidden);
        for (const id of [disabled.id, unlisted.id, 4_711, 2_147_483_647]) {
          const response = await service.http[method](`/stream/${id}/${leaf}`)
            .auth(jwt, { type: 'bearer' })
            .send(method === 'post' ? { voteType: 'up' } : undefined);
          expect(response.body, String(id)).to.deep.equal(NOT_FOUND);
          expect(response.status).to.equal(404);
        }
      });
    }
  });
});
