import { expect } from 'chai';
import { type HttpService, VERSION, httpService } from '../support/http-service.js';

/** Every path of the interface, as it stands in the code, an example of it, and its one method. */
const ENDPOINTS = [
  ['GET', '/', '/'],
  ['GET', '/stats', '/stats'],
  ['GET', '/stream', '/stream'],
  ['GET', '/stream/:id/history', '/stream/1/history'],
  ['GET', '/stream/:id/votes', '/stream/1/votes'],
  ['POST', '/stream/:id/vote', '/stream/1/vote'],
  ['POST', '/stream/update/:streamUUID', '/stream/update/3f0c54a2-7a0e-4b4c-9d0a-0d6a3b1c2d3e'],
  ['POST', '/user', '/user'],
  ['POST', '/user/activate/:token', '/user/activate/abc'],
  ['POST', '/user/login', '/user/login'],
  ['POST', '/user/requestPasswordChange', '/user/requestPasswordChange'],
  ['PUT', '/user/resetPassword/:token', '/user/resetPassword/abc'],
  ['DELETE', '/user/verify/:token', '/user/verify/abc'],
  ['GET', '/user/streams', '/user/streams'],
  ['GET', '/organization', '/organization'],
  ['GET', '/organization/:id', '/organization/1'],
  ['GET', '/organization/name/:name', '/organization/name/nova'],
  ['GET', '/organization/limit/:limit', '/organization/limit/3'],
  ['GET', '/organization/:id/streams', '/organization/1/streams'],
  ['GET', '/organization/:id/token/streams/details', '/organization/1/token/streams/details'],
] as const;
const METHODS = ['get', 'post', 'put', 'delete', 'patch'] as const;

describe('The interface in general', () => {
  let service: HttpService;
  beforeEach(() => {
    service = httpService();
  });

  it('GET / says that the API is reachable, and its version', async () => {
    const response = await service.http.get('/').expect(200);
    expect(response.text).to.equal(
      JSON.stringify({ message: 'The radio directory is reachable', version: VERSION }),
    );
  });

  it('GET /stats counts activated users, listed organizations and active streams', async () => {
    await service.registerAndActivate();
    await service.register();
    const listed = await service.addOrganization();
    const hidden = await service.addOrganization({ isPublic: false });
    await service.addStream(listed);
    await service.addStream(listed);
    await service.addStream(listed, { isEnabled: false });
    await service.addStream(hidden);
    const response = await service.http.get('/stats').expect(200);
    expect(response.text).to.equal('{"users":1,"organizations":1,"stations":2}');
  });

  describe('unknown paths and methods', () => {
    for (const path of ['/nothing', '/stream/1', '/stream/1/votes/2', '/user/login/x', '/organization/1/x/y'])
      it(`answers 404 for ${path}`, async () => {
        for (const method of METHODS) {
          const response = await service.http[method](path);
          expect(response.text).to.equal('{"statusCode":404,"message":"Not Found"}');
          expect(response.status).to.equal(404);
          expect(response.headers['content-type']).to.equal('application/json; charset=utf-8');
        }
      });

    for (const [allowed, pattern, path] of ENDPOINTS)
      it(`answers 405 with Allow for every method but ${allowed} of ${pattern}`, async () => {
        const allow = allowed === 'GET' ? 'GET, HEAD, OPTIONS' : `${allowed}, OPTIONS`;
        for (const method of METHODS.filter((candidate) => candidate.toUpperCase() !== allowed)) {
          const response = await service.http[method](path);
          expect(response.text, method).to.equal('{"statusCode":405,"message":"Method Not Allowed"}');
          expect(response.status).to.equal(405);
          expect(response.headers['allow']).to.equal(allow);
        }
        const head = await service.http.head(path);
        if (allowed !== 'GET') expect(head.status).to.equal(405);
        else expect(head.status).to.be.oneOf([200, 401, 404]);
        const options = await service.http.options(path).expect(204);
        expect(options.headers['allow']).to.equal(allow);
      });
  });

  it('answers HEAD wherever it answers GET, with the same headers and no body', async () => {
    const organization = await service.addOrganization({ name: 'nova' });
    await service.addStream(organization);
    for (const [method, , path] of ENDPOINTS) {
      if (method !== 'GET') continue;
      const get = await service.http.get(path);
      const head = await service.http.head(path).expect(get.status);
      expect(head.text ?? '').to.equal('');
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'vary'])
        expect(head.headers[name], `${name} of ${path}`).to.equal(get.headers[name]);
    }
  });

  describe('browsers', () => {
    it('may read every answer from any origin, and the headers that matter', async () => {
      for (const path of ['/stream', '/nothing', '/user/streams']) {
        const { headers } = await service.http.get(path).set('Origin', 'https://player.example');
        expect(headers['access-control-allow-origin']).to.equal('*');
        expect(headers['access-control-allow-credentials']).to.equal(undefined);
        expect(headers['access-control-expose-headers']?.split(',')).to.have.members([
          ...['ETag', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Request-Id'],
        ]);
      }
    });

    it('may ask before any request', async () => {
      for (const path of ['/stream/1/vote', '/user', '/nothing']) {
        const { headers, text } = await service.http
          .options(path)
          .set('Origin', 'https://player.example')
          .set('Access-Control-Request-Method', 'POST')
          .set('Access-Control-Request-Headers', 'authorization,content-type')
          .expect(204);
        expect(text).to.equal('');
        expect(headers['access-control-allow-origin']).to.equal('*');
        expect(headers['access-control-allow-methods']).to.equal('GET,HEAD,POST,PUT,DELETE');
        expect(headers['access-control-allow-headers']).to.equal('authorization,content-type');
      }
    });

    it('are told what not to do with any answer', async () => {
      for (const path of ['/stream', '/nothing']) {
        const { headers } = await service.http.get(path);
        expect(headers).to.include({
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none';frame-ancestors 'none'",
          'cross-origin-resource-policy': 'cross-origin',
          'referrer-policy': 'no-referrer',
        });
        expect(headers).to.have.property('strict-transport-security');
        expect(headers).not.to.have.property('x-powered-by');
      }
    });
  });

  describe('request ids', () => {
    it('takes the id that the client gives', async () => {
      const { headers } = await service.http.get('/').set('X-Request-Id', 'a-B_c.1').expect(200);
      expect(headers['x-request-id']).to.equal('a-B_c.1');
    });

    for (const id of ['', 'with blank', '"quoted"', 'x'.repeat(129), 'ünïcode'])
      it(`makes one of its own instead of '${id.slice(0, 10)}'`, async () => {
        const { headers } = await service.http
          .get('/')
          .set('X-Request-Id', Buffer.from(id).toString('latin1'));
        expect(headers['x-request-id']).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      });
  });

  describe('the log', () => {
    it('has one line per request, with the pattern of the path and never the path', async () => {
      const organization = await service.addOrganization();
      const token = await service.addToken(organization);
      await service.http.post('/user/activate/very-secret-token').set('X-Request-Id', 'one').expect(400);
      await service.http.get('/very-secret-path').set('X-Request-Id', 'two').expect(404);
      await service.http.patch('/user/verify/very-secret-token').set('X-Request-Id', 'three').expect(405);
      await service.http
        .get(`/organization/${organization}/token/streams/details?key=very-secret-query`)
        .set({ 'X-Request-Id': 'four', 'X-API-KEY': token })
        .expect(200);
      const requests = service.logged.filter(({ message }) => message === 'request');
      const lines = requests.map(({ level, fields, message }) => {
        const { milliseconds, address, ...rest } = fields as { milliseconds: number; address: string };
        expect(milliseconds).to.be.a('number');
        expect(address).to.match(/^(::ffff:)?127\.0\.0\.1$/);
        return { level, message, ...rest };
      });
      const line = { level: 'info', message: 'request', caller: 'anonymous' };
      expect(lines).to.deep.equal([
        { ...line, requestId: 'one', method: 'POST', route: '/user/activate/:token', status: 400 },
        { ...line, requestId: 'two', method: 'GET', route: null, status: 404 },
        { ...line, requestId: 'three', method: 'PATCH', route: '/user/verify/:token', status: 405 },
        {
          ...line,
          requestId: 'four',
          method: 'GET',
          route: '/organization/:id/token/streams/details',
          status: 200,
          caller: 'organization',
          organization,
          token: 1,
        },
      ]);
      expect(JSON.stringify(service.logged)).not.to.match(/very-secret/);
      expect(JSON.stringify(service.logged)).not.to.include(token);
    });

    it('says whose token a request carried: a user’s, unless it was refused, or nobody’s', async () => {
      const jwt = await service.aJwt();
      const caller = async (token: string) => {
        await service.http.get('/stream/1/votes').auth(token, { type: 'bearer' }).expect(404);
        return service.logged.at(-1)?.fields;
      };
      expect(await caller(jwt)).to.include({ caller: 'user', user: 1 });
      expect(await caller(`${jwt}x`)).to.include({ caller: 'anonymous' });
    });

    it('names the client as the proxy that we trust does', async () => {
      const from = async (address: string) => {
        await service.http.get('/').set('X-Forwarded-For', address).expect(200);
        return service.logged.at(-1)?.fields;
      };
      expect(await from('198.51.100.7')).to.include({ address: '198.51.100.7' });
      expect(await from('2001:db8::7')).to.include({ address: '2001:db8::7' });
      expect(await from('nonsense')).not.to.include({ address: 'nonsense' });
    });
  });

  describe('URLs', () => {
    it('may be 2048 characters long, of the webhook 8192', async () => {
      const long = (path: string, length: number) => `${path}?q=${'x'.repeat(length - path.length - 3)}`;
      await service.http.get(long('/stream', 2_048)).expect(200);
      const refused = await service.http.get(long('/stream', 2_049)).expect(414);
      expect(refused.body).to.deep.equal({ statusCode: 414, message: 'URI Too Long' });
      await service.http.post(long('/stream/update/x', 8_192)).expect(401);
      await service.http.post(long('/stream/update/x', 8_193)).expect(414);
    });

    it('may carry any number of query fields', async () => {
      const query = Array.from({ length: 300 }, (_, index) => `k${index % 7}[]=`).join('&');
      await service.http.get(`/stream?${query}`).expect(200);
      await service.http.get('/stream?__proto__[polluted]=1&constructor[prototype][polluted]=1').expect(200);
      expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
    });
  });
});
