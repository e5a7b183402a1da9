import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type HttpService, PASSWORD, httpService, listening } from '../support/http-service.js';
import { json } from '../support/wire.js';

const NAUGHTY = JSON.parse(
  readFileSync(new URL('../fixtures/strings/blns.json', import.meta.url), 'utf8'),
) as string[];
const UNSTORABLE = ['\u0000', 'a\u0000b', '\ud800', 'a\udc00b', '\udfff\ud800'];
const LONG = 'x'.repeat(10_000);
const TEXTS = [...NAUGHTY, ...UNSTORABLE, LONG];
/** Longer paths are refused for their length. */
const fitsPath = (part: string): boolean => part.length <= 1_900;
const WRONG_TYPES: readonly unknown[] = [
  null,
  true,
  0,
  1.5,
  -1,
  [],
  ['x'],
  {},
  { toString: 'x' },
  { $ne: null },
];
const EXTREME_IDS = [
  ...[
    '0',
    '-1',
    '2147483648',
    '9007199254740993',
    '1e9',
    '0x1',
    'NaN',
    'null',
    '%00',
    '1%00',
    '%0A1',
    '..%2f1',
  ],
  ...['1;drop', "1'--", '%F0%9F%98%80', '１', '%201', '1%20', '+1', '1.0', '-0', '00', 'x'.repeat(1_900)],
];

describe('Hostile input', () => {
  let service: HttpService;
  let url: string;
  let close: () => Promise<void>;
  let jwt: string;
  let token: string;
  let id: number;
  let uuid: string;
  before(async () => {
    service = httpService();
    ({ url, close } = await listening(service.app));
    const organization = await service.addOrganization();
    token = await service.addToken(organization);
    ({ id, uuid } = await service.addStream(organization));
    jwt = await service.aJwt();
  });
  after(() => close());

  /** Sends, and sees to it that the answer is JSON, no 5xx, and does not repeat a long input. */
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const what = `${method} ${path.slice(0, 80)} ${JSON.stringify(body)?.slice(0, 120)}`;
    expect(response.status, what).to.be.below(500);
    const answer = json<{ statusCode?: number; message?: string }>({ text });
    if (response.status >= 400) {
      expect(Object.keys(answer), what).to.deep.equal(['statusCode', 'message']);
      expect(answer.statusCode).to.equal(response.status);
      expect(text.length, what).to.be.below(500);
    }
    return { status: response.status, message: answer.message ?? '' };
  };

  /** Every field of every body that has rules, with bodies that are right but for that field. */
  const fields = () => {
    const bearer = { Authorization: `Bearer ${jwt}` };
    const account = () => service.aListener();
    return [
      { method: 'POST', path: '/user', field: 'username', rest: account, headers: {} },
      { method: 'POST', path: '/user', field: 'email', rest: account, headers: {} },
      { method: 'POST', path: '/user', field: 'password', rest: account, headers: {} },
      {
        method: 'POST',
        path: '/user/login',
        field: 'email',
        rest: () => ({ password: PASSWORD }),
        headers: {},
      },
      {
        method: 'POST',
        path: '/user/login',
        field: 'password',
        rest: () => ({ email: 'a@b.example' }),
        headers: {},
      },
      { method: 'POST', path: '/user/requestPasswordChange', field: 'email', rest: () => ({}), headers: {} },
      { method: 'PUT', path: '/user/resetPassword/x', field: 'password', rest: () => ({}), headers: {} },
      { method: 'POST', path: `/stream/${id}/vote`, field: 'voteType', rest: () => ({}), headers: bearer },
    ];
  };

  it('in any text field is taken or refused by the name of the field', async function () {
    this.timeout(120_000);
    for (const { method, path, field, rest, headers } of fields())
      for (const text of TEXTS) {
        const { status, message } = await ask(method, path, { ...rest(), [field]: text }, headers);
        const where = `${path} ${field} ${JSON.stringify(text).slice(0, 80)}`;
        expect(status, where).to.be.oneOf([201, 400, 401, 409, 429]);
        if (status === 400 && message !== 'Invalid or expired token')
          expect(message, where).to.match(new RegExp(`^${field} (is|must) [^;]+\\.$`));
        if (UNSTORABLE.includes(text)) expect(status, where).to.equal(400);
        if (text === LONG && field !== 'email' && path !== '/user/login') expect(status, where).to.equal(400);
      }
  });

  it('of a wrong type in any field is refused by the name of the field', async () => {
    for (const { method, path, field, rest, headers } of fields())
      for (const value of WRONG_TYPES) {
        const { status, message } = await ask(method, path, { ...rest(), [field]: value }, headers);
        expect(status, `${path} ${field} ${JSON.stringify(value)}`).to.equal(400);
        expect(message).to.match(new RegExp(`^${field} must be (a string|one of up, down)\\.$`));
      }
    for (const thirtyDaysLogin of ['true', 1, 0, null, [], {}]) {
      const body = { email: 'a@b.example', password: PASSWORD, thirtyDaysLogin };
      const { status, message } = await ask('POST', '/user/login', body);
      expect(status).to.equal(400);
      expect(message).to.equal('thirtyDaysLogin must be a boolean.');
    }
  });

  it('missing in any field is refused by the name of the field', async () => {
    for (const { method, path, field, rest, headers } of fields()) {
      const body: Record<string, unknown> = { ...rest() };
      delete body[field];
      const { status, message } = await ask(method, path, body, headers);
      expect(status).to.equal(400);
      expect(message).to.equal(`${field} is required.`);
    }
  });

  it('never has a password repeated in an answer or in the log', async () => {
    const secret = 'tell-nobody';
    const { message } = await ask('POST', '/user', { ...service.aListener(), password: secret });
    await ask('POST', '/user/login', { email: secret, password: secret });
    expect(message).not.to.include(secret);
    expect(JSON.stringify(service.logged)).not.to.include(secret);
  });

  it('in any field of a report loses nothing but that field', async () => {
    const names = [
      'title',
      'artist',
      'art',
      'nextTitle',
      'nextArtist',
      'nextArt',
      'songDuration',
      'songStartedAt',
    ];
    for (const value of [...TEXTS, ...WRONG_TYPES]) {
      const report = Object.fromEntries([...names, 'duration', 'unknown'].map((name) => [name, value]));
      const { status } = await ask('POST', `/stream/update/${uuid}`, report, { 'X-API-KEY': token });
      expect(status, JSON.stringify(value).slice(0, 80)).to.equal(200);
    }
    for (const path of ['/stream', `/stream/${id}/history`])
      expect((await ask('GET', path)).status).to.equal(200);
  });

  it('in place of an id, a limit or a UUID is refused', async () => {
    const bearer = { Authorization: `Bearer ${jwt}` };
    const places = [
      ['GET', '/stream/*/history', {}],
      ['GET', '/stream/*/votes', {}],
      ['POST', '/stream/*/vote', bearer],
      ['POST', '/stream/update/*', { 'X-API-KEY': token }],
      ['GET', '/organization/*', {}],
      ['GET', '/organization/*/streams', {}],
      ['GET', '/organization/limit/*', {}],
      ['GET', '/organization/*/token/streams/details', { 'X-API-KEY': token }],
    ] as const;
    const naughty = NAUGHTY.filter((text) => !/^(\.{1,2}|[1-9]\d{0,9}|)$/.test(text))
      .map((text) => encodeURIComponent(text.toWellFormed()))
      .filter(fitsPath);
    for (const [method, place, headers] of places)
      for (const bad of [...EXTREME_IDS, ...naughty]) {
        const body = method === 'POST' ? { voteType: 'up' } : undefined;
        const { status } = await ask(method, place.replace('*', bad.replaceAll('$', '%24')), body, headers);
        expect(status, `${place} ${bad.slice(0, 80)}`).to.equal(400);
      }
  });

  it('in place of a name or a token finds nothing', async () => {
    for (const text of [...TEXTS, '%'.repeat(100)]) {
      const part = encodeURIComponent(text.toWellFormed());
      // Such a path is another path: an empty part, or dots that a client removes.
      if (['', '.', '..'].includes(part) || !fitsPath(part)) continue;
      expect((await ask('GET', `/organization/name/${part}`)).status, part).to.be.oneOf([400, 404]);
      expect((await ask('POST', `/user/activate/${part}`)).status, part).to.equal(400);
      expect((await ask('DELETE', `/user/verify/${part}`)).status, part).to.equal(400);
      const reset = await ask('PUT', `/user/resetPassword/${part}`, { password: PASSWORD });
      expect(reset, part).to.deep.equal({ status: 400, message: 'Invalid or expired token' });
    }
  });

  it('in a path that cannot be decoded is refused', async () => {
    const paths = [
      '/%',
      '/%zz',
      '/stream/%E0%A4%A/history',
      '/organization/name/%FF',
      '/user/activate/%C0%80',
    ];
    for (const path of paths) {
      const { status, message } = await ask(path.includes('activate') ? 'POST' : 'GET', path);
      expect(status, path).to.equal(400);
      expect(message).to.equal('The path is not valid percent-encoding.');
    }
  });

  it('in headers is refused or ignored', async () => {
    const printable = NAUGHTY.filter((text) => /^[\x20-\x7e]*$/.test(text));
    for (const text of printable) {
      const credentials = [
        { Authorization: text },
        { Authorization: `Bearer ${text}` },
        { 'X-API-KEY': text },
      ];
      for (const headers of [...credentials, { Authorization: `Basic ${text}` }])
        expect((await ask('POST', `/stream/update/${uuid}`, {}, headers)).status, text).to.equal(401);
      const others = {
        'X-Request-Id': text,
        'X-Forwarded-For': text,
        'If-None-Match': text,
        'Accept-Encoding': 'gzip',
      };
      expect((await ask('GET', '/stats', undefined, others)).status, text).to.equal(200);
      const authorization = { Authorization: `Bearer ${text}` };
      expect((await ask('GET', `/stream/${id}/votes`, undefined, authorization)).status).to.equal(200);
      expect((await ask('POST', `/stream/${id}/vote`, { voteType: 'up' }, authorization)).status).to.equal(
        401,
      );
    }
  });
});
