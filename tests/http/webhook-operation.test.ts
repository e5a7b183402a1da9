import { expect } from 'chai';
import type { OrganizationId, StreamUuid } from '../../src/domain/ids.js';
import { type HttpService, httpService } from '../support/http-service.js';
import { START } from '../support/manual-clock.js';

describe('What operators read in the log of the webhook', () => {
  let service: HttpService;
  let token: string;
  let organization: OrganizationId;
  let stream: { id: number; uuid: StreamUuid };
  beforeEach(async () => {
    service = httpService({ rateLimits: true });
    organization = await service.addOrganization();
    token = await service.addToken(organization);
    stream = await service.addStream(organization);
  });
  const push = (body: string, uuid: string = stream.uuid, type = 'application/json') =>
    service.http
      .post(`/stream/update/${uuid}`)
      .auth(token, { type: 'bearer' })
      .set({ 'Content-Type': type, 'X-Request-Id': 'push' })
      .send(body);
  /** The lines about reports, each at `info` and none with the token. */
  const lines = () => {
    expect(JSON.stringify(service.logged)).not.to.include(token);
    const found = service.logged.filter(({ message }) => message.startsWith('now playing'));
    expect(new Set(found.map(({ level }) => level))).to.deep.equal(new Set(['info']));
    return found.map(({ fields, message }) => ({ message, ...fields }));
  };
  const reported = (outcome: string, more: object = {}) => ({
    message: 'now playing reported',
    requestId: 'push',
    organization,
    stream: stream.id,
    form: 'simple',
    outcome,
    ...more,
  });
  const refused = (reason: string, more: object = {}) => ({
    message: 'now playing refused',
    requestId: 'push',
    organization,
    streamUUID: stream.uuid,
    reason,
    address: '127.0.0.1',
    ...more,
  });

  it('is what a report did, or why it did nothing', async () => {
    const bodies = [
      `{"title":"A","songStartedAt":${START / 1_000}}`,
      `{"title":"A","songStartedAt":${START / 1_000}}`,
      `{"title":"Z","songStartedAt":${START / 1_000 - 60}}`,
      `{"sn":"A","aw":"B","${token}":"x"}`,
      '{"now_playing":null}',
    ];
    for (const body of bodies) {
      await push(body).expect(200);
      service.clock.advance(1_000);
    }
    expect(lines()).to.deep.equal([
      reported('new-play'),
      reported('repeat', { reason: 'It says what is known already.' }),
      reported('stale', { reason: 'Its song began before the one on air, or is over already.' }),
      reported('empty', { reason: 'None of its fields says anything about a song.', fields: ['sn', 'aw'] }),
      reported('off-air', { form: 'azuracast-native' }),
    ]);
  });

  it('is why a report was refused', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    const { uuid: foreign } = await service.addStream(await service.addOrganization());
    const expected = [];
    for (const [body, uuid, type, status, reason] of [
      ['{', stream.uuid, 'application/json', 400, 'The body is not valid JSON.'],
      ['[]', stream.uuid, 'application/json', 400, 'The body must be a JSON object.'],
      ['x', stream.uuid, 'text/xml', 415, 'Unsupported Media Type.'],
      ['x'.repeat(256 * 1_024 + 1), stream.uuid, 'application/json', 413, 'Payload Too Large.'],
      ['{}', unknown, 'application/json', 404, 'No stream has this UUID.'],
      ['{}', foreign, 'application/json', 403, 'The stream belongs to another organization than the token.'],
      ['{}', 'nonsense', 'application/json', 400, 'streamUUID must be a UUID.'],
    ] as const) {
      await push(body, uuid, type).expect(status);
      expected.push(refused(reason, { streamUUID: uuid === 'nonsense' ? null : uuid }));
      service.clock.advance(1_000);
    }
    expect(lines()).to.deep.equal(expected);
  });

  it('is that the token was missing, wrong or over its limit', async () => {
    const path = `/stream/update/${stream.uuid}`;
    await service.http.post(path).set('X-Request-Id', 'push').send({ title: 'A' }).expect(401);
    const wrong = `rdo_${'A'.repeat(43)}`;
    await service.http.post(path).set({ 'X-Request-Id': 'push', 'X-API-KEY': wrong }).send({}).expect(401);
    for (const status of [200, 200, 200, 429]) await push('{}').expect(status);
    expect(JSON.stringify(service.logged)).not.to.include(wrong);
    expect(lines().filter(({ message }) => message === 'now playing refused')).to.deep.equal([
      refused('The API token is missing.', { organization: null }),
      refused('The API token is invalid.', { organization: null }),
      refused('Too many reports for one stream.'),
    ]);
  });
});

describe('The limits of the webhook', () => {
  it('let twenty streams of one host change songs in the same second, three times', async () => {
    const service = httpService({ rateLimits: true });
    const organization = await service.addOrganization();
    const token = await service.addToken(organization);
    const streams = [];
    for (let index = 0; index < 20; index += 1) streams.push(await service.addStream(organization));
    const push = ({ uuid }: { uuid: string }, title: string) =>
      service.http
        .post(`/stream/update/${uuid}`)
        .set({ 'X-API-KEY': token, 'X-Forwarded-For': '203.0.113.1' })
        .send({ title });
    for (const title of ['One', 'Two', 'Three']) {
      const answers = await Promise.all(streams.map((stream) => push(stream, title)));
      expect(answers.map(({ text }) => text)).to.deep.equal(
        streams.map(() => '{"message":"Stream updated"}'),
      );
    }
    const fourth = await Promise.all(streams.map((stream) => push(stream, 'Four')));
    expect(new Set(fourth.map(({ status }) => status))).to.deep.equal(new Set([429]));
  });

  it('count all streams that a token has not as one, so that made-up UUIDs meet a limit too', async () => {
    const service = httpService({ rateLimits: true });
    const token = await service.addToken(await service.addOrganization());
    const foreign = await service.addStream(await service.addOrganization());
    const uuids = [...'1234'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
    const statuses = [];
    for (const uuid of [uuids[0], uuids[1], foreign.uuid, uuids[2], uuids[3]])
      statuses.push(
        (await service.http.post(`/stream/update/${uuid}`).set('X-API-KEY', token).send({ title: 'A' }))
          .status,
      );
    expect(statuses).to.deep.equal([404, 404, 403, 429, 429]);
  });

  it('count guessed tokens by address, whatever the stream, and leave senders with a token alone', async () => {
    const service = httpService({ rateLimits: true });
    const organization = await service.addOrganization();
    const token = await service.addToken(organization);
    const streams = [];
    for (let index = 0; index < 4; index += 1) streams.push(await service.addStream(organization));
    const push = (uuid: string, sent: string, address: string) =>
      service.http
        .post(`/stream/update/${uuid}`)
        .set({ 'X-API-KEY': sent, 'X-Forwarded-For': address })
        .send({ title: 'A' });
    const guesses = [];
    for (const [index, { uuid }] of streams.entries())
      guesses.push((await push(uuid, `rdo_${String(index).repeat(43)}`, '203.0.113.1')).status);
    expect(guesses).to.deep.equal([401, 401, 401, 429]);
    const [first] = streams;
    if (!first) throw new Error('no stream');
    expect((await push(first.uuid, `rdo_${'9'.repeat(43)}`, '203.0.113.2')).status).to.equal(401);
    expect((await push(first.uuid, token, '203.0.113.1')).status).to.equal(200);
  });
});
