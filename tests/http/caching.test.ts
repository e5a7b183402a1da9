import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type HttpService, httpService, listening } from '../support/http-service.js';

const PUBLIC = ['/', '/stats', '/stream', '/stream/1/history', '/stream/1/votes', '/organization'];
const MORE_PUBLIC = [
  '/organization/1',
  '/organization/name/nova',
  '/organization/limit/1',
  '/organization/1/streams',
];

describe('Caching', () => {
  let service: HttpService;
  beforeEach(async () => {
    service = httpService();
    await service.addStream(await service.addOrganization({ name: 'nova' }));
  });
  /** More than a kilobyte of `GET /stream`. */
  const fill = async () => {
    const organization = await service.addOrganization();
    for (let count = 0; count < 5; count += 1) await service.addStream(organization);
  };
  /** The answer as it was sent: test clients decompress. */
  const fetchRaw = async (
    path: string,
    encodings: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ) => {
    const server = await listening(service.app);
    const asked = request(server.url + path, {
      method,
      headers: { 'Accept-Encoding': encodings, ...headers },
    });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const body = await buffer(response);
    await server.close();
    return { status: response.statusCode, headers: response.headers, body };
  };

  for (const path of [...PUBLIC, ...MORE_PUBLIC])
    it(`lets anybody keep ${path}, and asks them to check`, async () => {
      const first = await service.http.get(path).expect(200);
      const tag = first.headers['etag'] ?? '';
      expect(tag).to.match(/^"[A-Za-z0-9_-]+"$/);
      expect(first.headers['cache-control']).to.equal('public, no-cache');
      expect(first.headers['vary']).to.equal(
        path.endsWith('/votes') ? 'Authorization, Accept-Encoding' : 'Accept-Encoding',
      );
      const second = await service.http.get(path).set('If-None-Match', tag).expect(304);
      expect(second.text).to.equal('');
      expect(second.headers).to.include({ etag: tag, 'cache-control': 'public, no-cache' });
      expect(second.headers).not.to.have.property('content-type');
      expect(second.headers).not.to.have.property('content-length');
    });

  for (const [what, condition] of [
    ['a list', (tag: string) => `"other", ${tag} , "another"`],
    ['a weak form of the tag', (tag: string) => `W/${tag}`],
    ['a list of weak forms', (tag: string) => `W/"x",W/${tag}`],
    ['a star', () => '*'],
  ] as const)
    it(`answers 304 to ${what}`, async () => {
      const { headers } = await service.http.get('/stream');
      await service.http
        .get('/stream')
        .set('If-None-Match', condition(headers['etag'] ?? ''))
        .expect(304);
      await service.http
        .head('/stream')
        .set('If-None-Match', condition(headers['etag'] ?? ''))
        .expect(304);
    });

  it('answers 200 with another tag once something has changed', async () => {
    const before = await service.http.get('/stream');
    await fill();
    const after = await service.http
      .get('/stream')
      .set('If-None-Match', before.headers['etag'] ?? '')
      .expect(200);
    expect(after.headers['etag']).not.to.equal(before.headers['etag']);
    for (const other of ['"x"', 'x', '', ',', 'W/', '"'])
      await service.http.get('/stream').set('If-None-Match', other).expect(200);
  });

  it('keeps nothing about a caller and no refusal', async () => {
    const jwt = await service.aJwt();
    const answers = [
      await service.http.get('/stream/1/votes').auth(jwt, { type: 'bearer' }).expect(200),
      await service.http.get('/stream/1/votes').auth('nonsense', { type: 'bearer' }).expect(200),
      await service.http.get('/user/streams').auth(jwt, { type: 'bearer' }).expect(200),
      await service.http
        .post('/stream/1/vote')
        .auth(jwt, { type: 'bearer' })
        .send({ voteType: 'up' })
        .expect(200),
      await service.http.get('/user/streams').expect(401),
      await service.http.get('/stream/99/history').expect(404),
      await service.http.get('/stream/x/history').expect(400),
      await service.http.get('/nothing').expect(404),
    ];
    for (const { headers } of answers) {
      expect(headers['cache-control']).to.equal('no-store');
      expect(headers).not.to.have.property('etag');
    }
  });

  it('compresses by what the client prefers, each encoding under its own tag', async () => {
    await fill();
    const plain = await fetchRaw('/stream', 'identity');
    const gzipped = await fetchRaw('/stream', 'gzip');
    const brotli = await fetchRaw('/stream', 'br');
    expect(plain.headers).not.to.have.property('content-encoding');
    expect(gzipped.headers['content-encoding']).to.equal('gzip');
    expect(brotli.headers['content-encoding']).to.equal('br');
    const body = plain.body;
    expect(gunzipSync(gzipped.body).equals(body)).to.equal(true);
    expect(brotliDecompressSync(brotli.body).equals(body)).to.equal(true);
    const tags = [plain, gzipped, brotli].map(({ headers }) => headers['etag']);
    expect(new Set(tags)).to.have.lengthOf(3);
    for (const response of [plain, gzipped, brotli]) {
      expect(response.headers['content-length']).to.equal(String(response.body.length));
      expect(response.headers['vary']).to.equal('Accept-Encoding');
    }
    const known = { 'If-None-Match': gzipped.headers.etag ?? '' };
    expect((await fetchRaw('/stream', 'gzip', known)).status).to.equal(304);
    expect((await fetchRaw('/stream', 'br', known)).status).to.equal(200);
  });

  for (const [encodings, chosen] of [
    ['', undefined],
    ['deflate', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.5, br;q=0.1', 'gzip'],
    ['gzip;q=0.1, br;q=0.5', 'br'],
    ['gzip;q=0.1, identity', undefined],
    ['identity;q=0, *', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=nonsense', undefined],
  ] as const)
    it(`sends ${chosen ?? 'plain JSON'} for Accept-Encoding '${encodings}'`, async () => {
      await fill();
      const { headers } = await fetchRaw('/stream', encodings);
      expect(headers['content-encoding']).to.equal(chosen);
    });

  it('does not compress what fits a packet anyway', async () => {
    const { headers } = await fetchRaw('/', 'gzip, br');
    expect(headers).not.to.have.property('content-encoding');
  });

  it('answers HEAD with the headers of GET, compressed ones too', async () => {
    await fill();
    for (const encoding of ['identity', 'gzip', 'br']) {
      const get = await fetchRaw('/stream', encoding);
      const head = await fetchRaw('/stream', encoding, {}, 'HEAD');
      expect(head.body).to.have.length(0);
      for (const name of ['content-length', 'content-encoding', 'content-type', 'etag'])
        expect(head.headers[name], name).to.equal(get.headers[name]);
    }
  });
});
