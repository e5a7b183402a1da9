import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { HttpDependencies } from '../../src/adapters/http/app.js';
import { InMemoryRateLimiter } from '../../src/adapters/in-memory/in-memory-rate-limiter.js';
import { type RedisConnection, connectRedis } from '../../src/adapters/redis/redis-connection.js';
import { RedisRateLimiter } from '../../src/adapters/redis/redis-rate-limiter.js';
import type { RateLimiter } from '../../src/application/ports/rate-limiter.js';
import { MINUTE, SECOND } from '../../src/domain/ids.js';
import { figure } from '../support/figures.js';
import { type HttpService, httpService, listening } from '../support/http-service.js';
import { ready } from '../support/redis-client.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';

const REFUSAL = '{"statusCode":429,"message":"ThrottlerException: Too Many Requests"}';
const ANNA = '203.0.113.1';
const BEN = '203.0.113.2';

describe('Throttling', () => {
  throttling(({ clock }) => new InMemoryRateLimiter(clock));
});

describe('Throttling by Redis', function () {
  this.timeout(60_000);
  let server: RedisServer | null;
  let redis: RedisConnection;
  before('needs Redis on this machine', async function () {
    server = await startRedis();
    if (!server) return this.skip();
    redis = connectRedis([server.url]);
    await ready(redis);
  });
  after(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  throttling(
    ({ clock }) => new RedisRateLimiter(redis, { clock, prefix: `${randomUUID()}:`, patience: 10_000 }),
  );
});

/** @param counted one that has counted nothing yet and reads the clock of the service */
function throttling(counted: (dependencies: HttpDependencies) => RateLimiter): void {
  const throttled = (overrides: Partial<HttpDependencies> = {}) =>
    httpService({
      replace: (dependencies) => ({ rateLimiter: counted(dependencies), ...overrides }),
    });
  let service: HttpService;
  beforeEach(() => {
    service = throttled();
  });
  const get = (path: string, address = ANNA) => service.http.get(path).set('X-Forwarded-For', address);
  const statuses = async (count: number, request: () => PromiseLike<{ status: number }>) => {
    const seen = [];
    for (let sent = 0; sent < count; sent += 1) seen.push((await request()).status);
    return seen;
  };
  const times = (count: number, status: number) => Array.from({ length: count }, () => status);
  /** Sends so many requests, slowly enough for the shorter windows. */
  const paced = async (count: number, request: () => PromiseLike<{ status: number }>, pause = 500) => {
    const seen = [];
    for (let sent = 0; sent < count; sent += 1) {
      seen.push((await request()).status);
      service.clock.advance(pause);
    }
    return seen;
  };

  it('admits three requests a second, exactly', async () => {
    expect(await statuses(4, () => get('/stats'))).to.deep.equal([...times(3, 200), 429]);
    figure('P15', { 'of 4 in 1 s admitted': 3 });
    service.clock.advance(SECOND - 1);
    expect((await get('/stats')).status).to.equal(429);
    service.clock.advance(1);
    expect(await statuses(4, () => get('/stats'))).to.deep.equal([...times(3, 200), 429]);
  });

  it('admits twenty requests in ten seconds, exactly', async () => {
    const seen = [];
    for (let second = 0; second < 7; second += 1) {
      seen.push(...(await statuses(3, () => get('/stats'))));
      service.clock.advance(SECOND);
    }
    expect(seen).to.deep.equal([...times(20, 200), 429]);
    figure('P15', { 'of 21 in 10 s admitted': 20 });
    service.clock.advance(3 * SECOND - 1);
    expect((await get('/stats')).status).to.equal(429);
    service.clock.advance(1);
    expect((await get('/stats')).status).to.equal(200);
  });

  it('admits a hundred requests in sixty seconds, exactly', async () => {
    expect(await paced(101, () => get('/stats'))).to.deep.equal([...times(100, 200), 429]);
    figure('P15', { 'of 101 in 60 s admitted': 100 });
    service.clock.advance(MINUTE - 101 * 500 - 1);
    expect((await get('/stats')).status).to.equal(429);
    service.clock.advance(1);
    expect((await get('/stats')).status).to.equal(200);
  });

  it('refuses with exactly the specified body, and says when to come back', async () => {
    await statuses(3, () => get('/stats'));
    const refused = await get('/stats').expect(429);
    expect(refused.text).to.equal(REFUSAL);
    expect(refused.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '1',
      'ratelimit-policy': '"1s";q=3;w=1, "10s";q=20;w=10, "60s";q=100;w=60',
      ratelimit: '"1s";r=0;t=1, "10s";r=17;t=0, "60s";r=97;t=0',
    });
  });

  it('lets the next call pass after Retry-After, whichever window was full', async () => {
    for (const requests of [3, 20, 100]) {
      service = throttled();
      if (requests === 3) await statuses(3, () => get('/stats'));
      else await paced(requests, () => get('/stats'));
      let refused = await get('/stats');
      for (let more = 0; refused.status === 200 && more < 3; more += 1) refused = await get('/stats');
      expect(refused.status).to.equal(429);
      service.clock.advance(Number(refused.headers['retry-after']) * SECOND);
      expect((await get('/stats')).status).to.equal(200);
    }
  });

  it('does not lengthen the wait for refused requests', async () => {
    await statuses(3, () => get('/stats'));
    service.clock.advance(500);
    expect(await statuses(10, () => get('/stats'))).to.deep.equal(times(10, 429));
    service.clock.advance(500);
    expect((await get('/stats')).status).to.equal(200);
  });

  it('tells admitted requests how they stand', async () => {
    const { headers } = await get('/stats').expect(200);
    expect(headers['ratelimit']).to.equal('"1s";r=2;t=0, "10s";r=19;t=0, "60s";r=99;t=0');
    expect(headers['ratelimit-policy']).to.equal('"1s";q=3;w=1, "10s";q=20;w=10, "60s";q=100;w=60');
    expect(headers).not.to.have.property('retry-after');
  });

  it('counts all limited routes, unknown paths and refused methods together', async () => {
    expect(await statuses(1, () => get('/'))).to.deep.equal([200]);
    expect(await statuses(1, () => get('/nothing'))).to.deep.equal([404]);
    expect(await statuses(1, () => service.http.post('/stats').set('X-Forwarded-For', ANNA))).to.deep.equal([
      405,
    ]);
    expect(await statuses(1, () => get('/organization'))).to.deep.equal([429]);
  });

  it('counts each client address for itself', async () => {
    expect(await statuses(4, () => get('/stats', ANNA))).to.deep.equal([...times(3, 200), 429]);
    expect(await statuses(4, () => get('/stats', BEN))).to.deep.equal([...times(3, 200), 429]);
  });

  for (const [what, addresses] of [
    [
      'the addresses of one IPv6 /64',
      ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:DB8:1:2:ffff::', '2001:db8:1:2:a:b:c:d'],
    ],
    ['an IPv4 address and its IPv6 forms', [ANNA, `::ffff:${ANNA}`, '::FFFF:cb00:7101', ANNA]],
    ['everything that is no address', ['nonsense', '1.2.3.4:5678', 'unknown', '_hidden']],
  ] as const)
    it(`counts ${what} as one client`, async () => {
      const seen = [];
      for (const address of addresses) seen.push((await get('/stats', address)).status);
      expect(seen).to.deep.equal([...times(3, 200), 429]);
    });

  it('counts another /64 as another client', async () => {
    await statuses(3, () => get('/stats', '2001:db8:1:2::1'));
    expect((await get('/stats', '2001:db8:1:3::1')).status).to.equal(200);
  });

  it('believes only the trusted proxy, which adds the last address', async () => {
    const seen = [];
    for (const spoofed of ['198.51.100.1', '198.51.100.2', '198.51.100.3', '198.51.100.4'])
      seen.push((await get('/stats', `${spoofed}, ${ANNA}`)).status);
    expect(seen).to.deep.equal([...times(3, 200), 429]);
  });

  it('believes no forwarded address by default', async () => {
    service = throttled({ trustProxy: false });
    const seen = [];
    for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.3', '198.51.100.4'])
      seen.push(
        (
          await service.http
            .get('/stats')
            .set({ 'X-Forwarded-For': address, 'X-Real-IP': address, Forwarded: `for=${address}` })
        ).status,
      );
    expect(seen).to.deep.equal([...times(3, 200), 429]);
  });

  it('believes no other header than X-Forwarded-For, also from the trusted proxy', async () => {
    const seen = [];
    for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.3', '198.51.100.4']) {
      const names = ['X-Real-IP', 'X-Client-IP', 'True-Client-IP', 'CF-Connecting-IP', 'X-Cluster-Client-IP'];
      const headers = Object.fromEntries(names.map((name) => [name, address]));
      seen.push((await get('/stats').set({ ...headers, Forwarded: `for=${address}` })).status);
    }
    expect(seen).to.deep.equal([...times(3, 200), 429]);
  });

  it('counts paths with an encoded or doubled slash like all others, exempt ones no less', async () => {
    for (const [address, paths] of [
      [ANNA, ['/stats?again=1', '/stats%2F', '/%2Fstats', '//stats']],
      [BEN, ['/%2Fstream', '/stream%2F', '/stream/1%2Fhistory', '//stream']],
    ] as const) {
      const seen = [];
      for (const path of paths) seen.push((await get(path, address)).status);
      expect(seen.slice(0, 3)).not.to.include(429);
      expect(seen[3]).to.equal(429);
    }
  });

  it('puts HEAD, other letter case, a trailing slash and an encoded path into the same count', async () => {
    const head = service.http.head('/stats').set('X-Forwarded-For', ANNA);
    expect((await head).status).to.equal(200);
    expect((await get('/STATS')).status).to.equal(200);
    expect((await get('/stats/')).status).to.equal(200);
    expect((await get('/st%61ts')).status).to.equal(429);
  });

  it('admits three requests of one client in all its disguises together', async () => {
    const forwarded = [ANNA, `::ffff:${ANNA}`, `198.51.100.1, ${ANNA}`, `unknown,  ${ANNA}`];
    const others = ['X-Real-IP', 'X-Client-IP', 'True-Client-IP', 'CF-Connecting-IP', 'X-Cluster-Client-IP'];
    const paths = ['/stats', '/STATS', '/stats/', '/st%61ts', '/stats%2F', '//stats', '/stats?again=1'];
    const seen: number[] = [];
    for (const path of paths)
      for (const [index, from] of forwarded.entries())
        for (const method of ['get', 'head'] as const) {
          const made = `198.51.100.${seen.length}`;
          const headers = { 'X-Forwarded-For': from, Forwarded: `for=${made}`, [others[index] ?? '']: made };
          seen.push((await service.http[method](path).set(headers)).status);
        }
    const admitted = seen.filter((status) => status !== 429).length;
    figure('P17', { requests: seen.length, admitted });
    expect(admitted).to.equal(3);
  });

  it('never counts nor refuses the stream list, the history and preflights', async () => {
    const { id } = await service.addStream(await service.addOrganization());
    const preflight = () =>
      service.http.options('/user').set({
        Origin: 'https://player.example',
        'Access-Control-Request-Method': 'POST',
        'X-Forwarded-For': ANNA,
      });
    const head = (path: string) => service.http.head(path).set('X-Forwarded-For', ANNA);
    for (let round = 0; round < 40; round += 1) {
      expect((await get('/stream')).headers).not.to.have.property('ratelimit');
      const exempt = [
        await get('/stream'),
        await get('/STREAM/'),
        await head('/stream'),
        await get(`/stream/${id}/history`),
        await get(`/Stream/${id}/History/`),
        await head(`/stream/${id}/history`),
      ];
      expect(exempt.map(({ status }) => status)).to.deep.equal(times(6, 200));
      expect((await preflight()).status).to.equal(204);
    }
    expect(await statuses(4, () => get('/stats'))).to.deep.equal([...times(3, 200), 429]);
  });

  it('refuses none of a thousand readers of the stream list and of a history who share an address', async () => {
    const { id } = await service.addStream(await service.addOrganization());
    const { url, close } = await listening(service.app);
    const seen: number[] = [];
    const start = performance.now();
    for (let group = 0; group < 20; group += 1) {
      const answers = Array.from({ length: 50 }, async (_, index) => {
        const path = index % 2 === 0 ? '/stream' : `/stream/${id}/history`;
        const response = await fetch(`${url}${path}`, { headers: { 'X-Forwarded-For': ANNA } });
        await response.arrayBuffer();
        return response.status;
      });
      seen.push(...(await Promise.all(answers)));
    }
    const milliseconds = Math.round(performance.now() - start);
    await close();
    figure('P18', {
      requests: seen.length,
      milliseconds,
      refused: seen.filter((status) => status !== 200).length,
    });
    expect(seen).to.deep.equal(times(1_000, 200));
  });

  it('limits what is not GET on an exempt path, and an OPTIONS that is no preflight', async () => {
    const post = () => service.http.post('/stream').set('X-Forwarded-For', ANNA);
    expect(await statuses(4, post)).to.deep.equal([...times(3, 405), 429]);
    const options = () => service.http.options('/stream').set('X-Forwarded-For', BEN);
    expect(await statuses(4, options)).to.deep.equal([...times(3, 204), 429]);
  });

  describe('strict limits', () => {
    const STRICT = [
      ['POST', '/user', 5],
      ['POST', '/user/login', 10],
      ['POST', '/user/requestPasswordChange', 5],
      ['DELETE', '/user/verify/token', 5],
    ] as const;
    for (const [method, path, limit] of STRICT) {
      const send = (address: string) => {
        const request = method === 'POST' ? service.http.post(path) : service.http.delete(path);
        return request.set('X-Forwarded-For', address);
      };

      it(`admits ${limit} ${method} ${path} a minute, exactly`, async () => {
        expect(await paced(limit, () => send(ANNA), SECOND)).to.deep.equal(times(limit, 400));
        const refused = await send(ANNA);
        expect(refused.status).to.equal(429);
        expect(refused.text).to.equal(REFUSAL);
        figure('P15', { [`of ${limit + 1} ${method} ${path} in 60 s admitted`]: limit });
        expect(refused.headers['ratelimit-policy']).to.equal(
          `"1s";q=3;w=1, "10s";q=20;w=10, "60s";q=100;w=60, "60s-strict";q=${limit};w=60`,
        );
        expect(refused.headers['ratelimit']).to.match(/"60s-strict";r=0;t=\d+$/);
        expect((await send(BEN)).status).to.equal(400);
        expect((await get('/stats', ANNA)).status).to.equal(200);
        service.clock.advance(Number(refused.headers['retry-after']) * SECOND - 1);
        expect((await send(ANNA)).status).to.equal(429);
        service.clock.advance(1);
        expect((await send(ANNA)).status).to.equal(400);
      });
    }

    it('counts requests of a strict route among all others too', async () => {
      const register = () => service.http.post('/user').set('X-Forwarded-For', ANNA);
      expect(await statuses(4, register)).to.deep.equal([...times(3, 400), 429]);
      expect((await get('/stats')).status).to.equal(429);
    });

    it('counts other spellings of a strict route like the route', async () => {
      for (const [address, method, paths] of [
        [ANNA, 'post', ['/user', '/USER', '/user/', '/USER?again', '/User/?again=1', '/uSER/']],
        [
          BEN,
          'delete',
          [
            '/USER/VERIFY/a',
            '/user/verify/a/',
            '/user/verify/a%2Fb',
            '/user/verify/%2F',
            '/User/Verify/a?b',
            '/user/verify/a',
          ],
        ],
      ] as const) {
        const seen = [];
        for (const path of paths) {
          seen.push((await service.http[method](path).set('X-Forwarded-For', address)).status);
          service.clock.advance(SECOND);
        }
        expect(seen).to.deep.equal([...times(5, 400), 429]);
      }
    });

    it('counts one token path like another', async () => {
      const seen = [];
      for (const token of ['a', 'b', 'c', 'd', 'e', 'f']) {
        seen.push((await service.http.delete(`/user/verify/${token}`).set('X-Forwarded-For', ANNA)).status);
        service.clock.advance(SECOND);
      }
      expect(seen).to.deep.equal([...times(5, 400), 429]);
    });
  });

  describe('the webhook', () => {
    it('is counted per token and stream, wherever the sender sits', async () => {
      const organization = await service.addOrganization();
      const [one, other] = [await service.addToken(organization), await service.addToken(organization)];
      const push = (uuid: string, token: string) =>
        service.http
          .post(`/stream/update/${uuid}`)
          .set({ 'X-API-KEY': token, 'X-Forwarded-For': ANNA })
          .send({});
      const streams = [];
      for (let count = 0; count < 20; count += 1) streams.push(await service.addStream(organization));
      for (const { uuid } of streams) expect((await push(uuid, one)).status).to.equal(200);
      const { uuid } = await service.addStream(organization);
      expect(await statuses(3, () => push(uuid, one))).to.deep.equal(times(3, 200));
      expect((await push(uuid.toUpperCase(), one)).status).to.equal(429);
      expect((await push(uuid, other)).status).to.equal(200);
      expect((await get('/stats')).status).to.equal(200);
    });

    it('counts calls without a valid token against the address', async () => {
      const guess = (address: string) =>
        service.http
          .post('/stream/update/3f0c54a2-7a0e-4b4c-9d0a-0d6a3b1c2d3e')
          .set({ 'X-API-KEY': `rdo_${'A'.repeat(43)}`, 'X-Forwarded-For': address })
          .send({});
      expect(await statuses(4, () => guess(ANNA))).to.deep.equal([...times(3, 401), 429]);
      expect((await get('/stats', ANNA)).status).to.equal(429);
      expect((await guess(BEN)).status).to.equal(401);
    });
  });

  it('limits nothing when limits are off', async () => {
    service = httpService();
    const response = await get('/stats');
    expect(response.headers).not.to.have.property('ratelimit');
    expect(await statuses(30, () => get('/stats'))).to.deep.equal(times(30, 200));
  });

  it('lets requests pass while the limiter is out of order, with a warning', async () => {
    const broken = { admit: () => Promise.reject(new Error('the counter is gone')) };
    service = throttled({ rateLimiter: broken });
    expect(await statuses(5, () => get('/stats'))).to.deep.equal(times(5, 200));
    const warnings = service.logged.filter(({ level }) => level === 'warn');
    expect(warnings).to.have.length(5);
    expect(warnings[0]?.message).to.equal('The rate limiter failed: the request was not counted.');
  });
}
