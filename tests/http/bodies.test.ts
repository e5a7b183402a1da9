import { readFileSync } from 'node:fs';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type HttpService, httpService, listening } from '../support/http-service.js';
import { type WireError, json } from '../support/wire.js';

interface SuiteBody {
  readonly name: string;
  readonly expect: 'accept' | 'reject' | 'either';
  readonly b64?: string;
  readonly repeat?: readonly [unit: string, count: number];
  readonly then?: string;
}

const KIBIBYTE = 1_024;
const SUITE = JSON.parse(
  readFileSync(new URL('../fixtures/json/json-test-suite.json', import.meta.url), 'utf8'),
) as SuiteBody[];
const bytesOf = ({ b64, repeat, then }: SuiteBody): Buffer =>
  b64 === undefined
    ? Buffer.from((repeat?.[0] ?? '').repeat(repeat?.[1] ?? 0) + (then ?? ''))
    : Buffer.from(b64, 'base64');

describe('Request bodies', () => {
  let service: HttpService;
  let url: string;
  let close: () => Promise<void>;
  /** Every route that reads a body: method, path, the limit of its body, credentials. */
  let routes: readonly { method: string; path: string; limit: number; headers: Record<string, string> }[];
  before(async () => {
    service = httpService();
    ({ url, close } = await listening(service.app));
    const organization = await service.addOrganization();
    const { id, uuid } = await service.addStream(organization);
    const jwt = { Authorization: `Bearer ${await service.aJwt()}` };
    const token = { 'X-API-KEY': await service.addToken(organization) };
    const small = 16 * KIBIBYTE;
    routes = [
      { method: 'POST', path: '/user', limit: small, headers: {} },
      { method: 'POST', path: '/user/login', limit: small, headers: {} },
      { method: 'POST', path: '/user/requestPasswordChange', limit: small, headers: {} },
      { method: 'PUT', path: '/user/resetPassword/x', limit: small, headers: {} },
      { method: 'POST', path: `/stream/${id}/vote`, limit: small, headers: jwt },
      { method: 'POST', path: `/stream/update/${uuid}`, limit: 256 * KIBIBYTE, headers: token },
    ];
  });
  after(() => close());

  const send = async (
    route: (typeof routes)[number],
    body: Buffer | string | undefined,
    headers: Record<string, string> = { 'Content-Type': 'application/json' },
  ) => {
    const { method, path } = route;
    const response = await fetch(url + path, {
      method,
      headers: { ...route.headers, ...headers },
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const isWebhook = ({ path }: (typeof routes)[number]) => path.startsWith('/stream/update');

  it('are refused by every route when they are no JSON, and crash none (JSONTestSuite)', async () => {
    expect(SUITE).to.have.length(318);
    for (const route of routes)
      for (const body of SUITE) {
        const bytes = bytesOf(body);
        const { status, text } = await send(route, bytes);
        const where = `${route.method} ${route.path} ${body.name}`;
        const tooLarge = bytes.length > route.limit;
        expect(status, where).to.be.oneOf(tooLarge ? [413] : [200, 400, 401]);
        expect(json<object>({ text }), where).to.include.keys('message');
        // Nothing at all is no JSON, but it is a report that changes nothing.
        const isNothing = bytes.length === 0 && isWebhook(route);
        if (body.expect === 'reject' && !tooLarge && !isNothing) expect(status, where).to.equal(400);
      }
  });

  it('are 415 unless they say that they are JSON in UTF-8, or a form where it may be one', async () => {
    const form = 'application/x-www-form-urlencoded';
    const others = ['text/plain', 'application/jsonp', 'json', ';;;', '"'];
    const charsets = ['application/json; charset=utf-16', 'application/json;charset="iso-8859-1"'];
    for (const route of routes)
      for (const type of [...others, ...charsets, ...(isWebhook(route) ? [] : [form])]) {
        const { status, text } = await send(route, '{"a":1}', { 'Content-Type': type });
        expect(text, `${route.path} ${type}`).to.equal(
          '{"statusCode":415,"message":"Unsupported Media Type"}',
        );
        expect(status).to.equal(415);
      }
  });

  it('are read under every spelling of their type', async () => {
    const types = [
      ...[
        'application/json',
        'APPLICATION/JSON',
        'application/vnd.radio+json',
        'application/json; charset=UTF-8',
      ],
      ...['application/json;charset="utf-8"', 'application/json; charset=us-ascii', 'application/json; odd'],
    ];
    for (const route of routes)
      for (const type of types) {
        const { status } = await send(route, '{}', { 'Content-Type': type });
        expect(status, `${route.path} ${type}`).to.equal(isWebhook(route) ? 200 : 400);
      }
  });

  it('are missed by name when there is none', async () => {
    const missing = ['username is required; email is required; password is required.'];
    missing.push('email is required; password is required.', 'email is required.', 'password is required.');
    missing.push('voteType is required.');
    for (const [index, message] of missing.entries()) {
      const route = routes[index];
      if (!route) throw new Error('There are fewer routes than messages.');
      const { status, text } = await send(route, undefined, {});
      expect(json<WireError>({ text })).to.deep.equal({ statusCode: 400, message });
      expect(status).to.equal(400);
    }
  });

  it('must be objects', async () => {
    for (const route of routes)
      for (const body of ['[]', 'null', 'true', '1', '"text"', '[{}]']) {
        const { status, text } = await send(route, body);
        expect(text).to.equal('{"statusCode":400,"message":"The body must be a JSON object."}');
        expect(status).to.equal(400);
      }
  });

  it('must be valid UTF-8', async () => {
    for (const route of routes)
      for (const bytes of [
        [0xff],
        [0xc0, 0x80],
        [0xed, 0xa0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xe2, 0x82],
      ]) {
        const body = Buffer.concat([Buffer.from('{"email":"'), Buffer.from(bytes), Buffer.from('"}')]);
        const { status, text } = await send(route, body);
        expect(text).to.equal('{"statusCode":400,"message":"The body is not valid UTF-8."}');
        expect(status).to.equal(400);
      }
  });

  it('are 413 beyond their limit, counted after decompression', async () => {
    const compressions = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
    for (const route of routes) {
      const fits = `{"x":"${'x'.repeat(route.limit - 8)}"}`;
      const tooLarge = `${fits} `;
      expect(Buffer.byteLength(fits)).to.equal(route.limit);
      const outcome = isWebhook(route) ? 200 : 400;
      expect((await send(route, fits)).status, route.path).to.equal(outcome);
      expect((await send(route, tooLarge)).text).to.equal('{"statusCode":413,"message":"Payload Too Large"}');
      for (const [encoding, compress] of Object.entries(compressions)) {
        const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding };
        expect((await send(route, compress(fits), headers)).status, encoding).to.equal(outcome);
        expect((await send(route, compress(tooLarge), headers)).status, encoding).to.equal(413);
        const bomb = compress(Buffer.alloc(10 * KIBIBYTE * KIBIBYTE));
        expect((await send(route, bomb, headers)).status, `${encoding} bomb`).to.equal(413);
      }
    }
  });

  it('are refused when they are not compressed as they say', async () => {
    for (const route of routes) {
      const says = (encoding: string) => ({
        'Content-Type': 'application/json',
        'Content-Encoding': encoding,
      });
      const corrupt = await send(route, '{}', says('gzip'));
      expect(corrupt.text).to.equal('{"statusCode":400,"message":"The body is not what its headers say."}');
      expect((await send(route, gzipSync('{"a":1}').subarray(0, 15), says('gzip'))).status).to.equal(400);
      expect((await send(route, '{}', says('compress'))).status).to.equal(415);
    }
  });
});
