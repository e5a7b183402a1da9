import { expect } from 'chai';
import { type OrganizationId, SECOND, type StreamUuid } from '../../src/domain/ids.js';
import { type HttpService, httpService } from '../support/http-service.js';
import { START } from '../support/manual-clock.js';
import { type WireStream, json } from '../support/wire.js';

const UNAUTHORIZED = { statusCode: 401, message: 'Unauthorized' };
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

describe('POST /stream/update/:streamUUID', () => {
  let service: HttpService;
  let token: string;
  let uuid: StreamUuid;
  let organization: OrganizationId;
  beforeEach(async () => {
    service = httpService();
    organization = await service.addOrganization();
    token = await service.addToken(organization);
    ({ uuid } = await service.addStream(organization));
  });
  const push = (body: object | string, path = `/stream/update/${uuid}`) =>
    service.http
      .post(path)
      .auth(token, { type: 'bearer' })
      .set('Content-Type', 'application/json')
      .send(body);
  const song = async () => {
    const streams = json<WireStream[]>(await service.http.get('/stream').expect(200));
    return streams[0]?.song;
  };

  it('says that the stream was updated, and that a repeat changed nothing', async () => {
    const report = { title: 'So What', artist: 'Miles Davis', songStartedAt: START / SECOND };
    const updated = await push(report).expect(200);
    expect(updated.text).to.equal('{"message":"Stream updated"}');
    const repeated = await push(report).expect(200);
    expect(repeated.text).to.equal('{"message":"Stream unchanged"}');
  });

  it('changes nothing for a stale report', async () => {
    await push({ title: 'So What', songStartedAt: START / SECOND }).expect(200);
    const stale = await push({ title: 'Earlier', songStartedAt: START / SECOND - 60 }).expect(200);
    expect(stale.body).to.deep.equal({ message: 'Stream unchanged' });
    expect((await song())?.title).to.equal('So What');
  });

  it('changes nothing for an empty object, an empty body or none', async () => {
    const unchanged = { message: 'Stream unchanged' };
    expect((await push('{}').expect(200)).body).to.deep.equal(unchanged);
    expect((await push('').expect(200)).body).to.deep.equal(unchanged);
    const none = await service.http
      .post(`/stream/update/${uuid}`)
      .auth(token, { type: 'bearer' })
      .expect(200);
    expect(none.body).to.deep.equal(unchanged);
  });

  it('takes every field of the specification', async () => {
    await push({
      title: 'So What',
      artist: 'Miles Davis',
      art: 'https://art.example/1.jpg',
      nextTitle: 'Blue in Green',
      nextArtist: 'Bill Evans',
      nextArt: 'https://art.example/2.jpg',
      songDuration: 562,
      songStartedAt: START / SECOND - 30,
    }).expect(200);
    expect(await song()).to.deep.equal({
      title: 'So What',
      artist: 'Miles Davis',
      cover: 'https://art.example/1.jpg',
      songDuration: 562,
      songStartedAt: START / SECOND - 30,
      next: { title: 'Blue in Green', artist: 'Bill Evans', cover: 'https://art.example/2.jpg' },
    });
  });

  it('reads duration where songDuration is missing', async () => {
    await push({ title: 'So What', duration: 300 }).expect(200);
    expect((await song())?.songDuration).to.equal(300);
  });

  it('loses nothing else for odd values in single fields', async () => {
    await push({
      title: 'So What',
      artist: { name: 'Miles' },
      art: 'javascript:alert(1)',
      nextTitle: ['x'],
      songDuration: '562',
      songStartedAt: '2026-01-15T11:59:30+00:00',
    }).expect(200);
    expect(await song()).to.deep.equal({
      title: 'So What',
      artist: '',
      cover: null,
      songDuration: 562,
      songStartedAt: START / SECOND - 30,
      next: null,
    });
  });

  it('loses nothing else for the odd duration of a sender that counts in milliseconds', async () => {
    for (const duration of [{ toString: 1 }, { toString: 1, valueOf: 1 }, [{ toString: 1 }], null, true]) {
      const title = JSON.stringify(duration);
      await push({ songtype: 'S', title, duration }).expect(200);
      expect((await song())?.title).to.equal(title);
    }
  });

  for (const [body, message] of [
    ['[]', 'The body must be a JSON object.'],
    ['null', 'The body must be a JSON object.'],
    ['"title"', 'The body must be a JSON object.'],
    ['{"title":', 'The body is not valid JSON.'],
    [`{"a":${'['.repeat(32)}${']'.repeat(32)}}`, 'The body must not be nested deeper than 32 levels.'],
  ] as const)
    it(`refuses the body ${body.slice(0, 20)}`, async () => {
      const response = await push(body).expect(400);
      expect(response.body).to.deep.equal({ statusCode: 400, message });
    });

  it('takes a body nested 32 levels deep', async () => {
    const inner = `${'['.repeat(31)}${']'.repeat(31)}`;
    await push(`{"title":"So What","a":${inner}}`).expect(200);
    expect((await song())?.title).to.equal('So What');
  });

  it('takes up to 256 KiB and no more', async () => {
    const empty = '{"title":"So What","lyrics":""}';
    const padded = (size: number) => empty.replace('""', `"${'x'.repeat(size - empty.length)}"`);
    await push(padded(256 * 1_024)).expect(200);
    const refused = await push(padded(256 * 1_024 + 1)).expect(413);
    expect(refused.body).to.deep.equal({ statusCode: 413, message: 'Payload Too Large' });
  });

  describe('credentials', () => {
    it('takes the token as Bearer, as X-API-KEY and as the password of Basic with any user name', async () => {
      const forms: Record<string, string>[] = [
        { Authorization: `Bearer ${token}` },
        { Authorization: `bearer  ${token}` },
        { 'X-API-KEY': token },
        { Authorization: basic('station', token) },
        { Authorization: basic('', token) },
        { Authorization: basic('a', token).replace('Basic', 'BASIC') },
        { Authorization: basic('proxy', 'of its own'), 'X-API-KEY': token },
      ];
      for (const headers of forms)
        await service.http.post(`/stream/update/${uuid}`).set(headers).send({ title: 'x' }).expect(200);
    });

    it('answers 401 without a valid token, whatever the UUID and the body', async () => {
      const paths = [uuid, '00000000-0000-4000-8000-000000000000', 'nonsense', '%00', '%20'];
      for (const path of paths) {
        const none = await service.http.post(`/stream/update/${path}`).send({}).expect(401);
        expect(none.body).to.deep.equal(UNAUTHORIZED);
        expect(none.headers['www-authenticate']).to.equal('Bearer');
        const wrong = await service.http
          .post(`/stream/update/${path}`)
          .auth(`rdo_${'A'.repeat(43)}`, { type: 'bearer' })
          .set('Content-Type', 'text/plain')
          .send('{')
          .expect(401);
        expect(wrong.body).to.deep.equal(UNAUTHORIZED);
        expect(wrong.headers['www-authenticate']).to.equal('Bearer error="invalid_token"');
      }
    });

    it('takes no JWT and no revoked token', async () => {
      const jwt = await service.aJwt();
      const path = `/stream/update/${uuid}`;
      await service.http.post(path).auth(jwt, { type: 'bearer' }).send({}).expect(401);
      const listed = await service.organizations.listTokens(organization);
      if (listed.ok) for (const { id } of listed.value) await service.organizations.revokeToken(id);
      await service.http.post(path).auth(token, { type: 'bearer' }).send({}).expect(401);
    });
  });

  it('refuses a malformed UUID with 400', async () => {
    for (const path of ['nonsense', '1', `${uuid}0`, '%00', 'history', 'vote']) {
      const response = await push({}, `/stream/update/${path}`).expect(400);
      expect(response.body).to.deep.equal({ statusCode: 400, message: 'streamUUID must be a UUID.' });
    }
  });

  it('knows no stream of an unknown UUID', async () => {
    const response = await push({ title: 'x' }, '/stream/update/00000000-0000-4000-8000-000000000000').expect(
      404,
    );
    expect(response.body).to.deep.equal({ statusCode: 404, message: 'Not Found' });
  });

  it('forbids the stream of another organization', async () => {
    const other = await service.addStream(await service.addOrganization());
    const response = await push({ title: 'x' }, `/stream/update/${other.uuid}`).expect(403);
    expect(response.body).to.deep.equal({ statusCode: 403, message: 'Forbidden' });
  });

  it('takes the UUID in capitals, and a stream that is not active yet', async () => {
    await push({ title: 'x' }, `/stream/update/${uuid.toUpperCase()}`).expect(200);
    const hidden = await service.addOrganization({ isPublic: false });
    const stream = await service.addStream(hidden, { isEnabled: false });
    await service.http
      .post(`/stream/update/${stream.uuid}`)
      .auth(await service.addToken(hidden), { type: 'bearer' })
      .send({ title: 'x' })
      .expect(200);
  });
});
