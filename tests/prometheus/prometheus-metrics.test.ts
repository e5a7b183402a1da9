import { once } from 'node:events';
import { METHODS } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createHttpServer } from '../../src/adapters/http/server.js';
import { InMemoryDirectoryReadModel } from '../../src/adapters/in-memory/in-memory-directory-read-model.js';
import { InMemoryMailOutbox } from '../../src/adapters/in-memory/in-memory-mail-outbox.js';
import { type Observed, PrometheusMetrics } from '../../src/adapters/prometheus/prometheus-metrics.js';
import { type Figures, StorageFigures } from '../../src/adapters/prometheus/storage-figures.js';
import { MINUTE, later } from '../../src/domain/ids.js';
import { Exposition } from '../support/exposition.js';
import { type HttpService, type ServiceOptions, httpService, listening } from '../support/http-service.js';
import { START } from '../support/manual-clock.js';

const BUILD = { version: '1.2.3', node: 'v20.20.0' };
const REQUESTS = 'http_request_duration_seconds_count';

function measured(options: ServiceOptions = {}): { service: HttpService; scrape: () => Promise<Exposition> } {
  const metrics = new PrometheusMetrics(BUILD);
  const service = httpService({ ...options, metrics });
  const directory = new InMemoryDirectoryReadModel(service.db);
  const outbox = new InMemoryMailOutbox(service.db);
  const observed: Observed = {
    databases: {},
    replica: null,
    streamList: { isStale: false, staleAnswers: 0 },
    figures: async () => {
      const mails = await outbox.counts(service.clock.now());
      const oldestMailAge = mails.oldestOwedSince === null ? 0 : service.clock.now() - mails.oldestOwedSince;
      return { directory: await directory.statistics(), mails, oldestMailAge };
    },
  };
  metrics.watch(observed, 0);
  return { service, scrape: async () => new Exposition(await metrics.exposition()) };
}

describe('The metrics', () => {
  it('count requests by the pattern of their path, and how long they took', async () => {
    const { service, scrape } = measured();
    const startedAt = performance.now();
    for (const path of ['/stream/1/votes', '/stream/2/votes', '/nothing', '/else'])
      await service.http.get(path).expect(404);
    await service.http.put('/stats').expect(405);
    await service.http.get('/stats').expect(200);
    const seconds = (performance.now() - startedAt) / 1_000;
    const seen = await scrape();
    const requests = (method: string, route: string, status: number) =>
      seen.value(REQUESTS, { method, route, status: String(status) });
    expect(requests('GET', '/stream/:id/votes', 404)).to.equal(2);
    expect(requests('GET', 'unknown', 404)).to.equal(2);
    expect(requests('PUT', '/stats', 405)).to.equal(1);
    expect(requests('GET', '/stats', 200)).to.equal(1);
    const bucket = { method: 'GET', route: '/stats', status: '200', le: '10' };
    expect(seen.value('http_request_duration_seconds_bucket', bucket)).to.equal(1);
    const stats = { method: 'GET', route: '/stats', status: '200' };
    expect(seen.value('http_request_duration_seconds_sum', stats)).to.be.above(0).and.below(seconds);
    expect(seen.value('http_requests_in_flight')).to.equal(0);
  });

  it('count a request as in flight until its answer has left, and as aborted where nobody waits for it', async () => {
    let answer = () => {};
    const { service, scrape } = measured({
      isDescribed: false,
      replace: ({ directory }) => ({
        directory: Object.assign(Object.create(directory) as typeof directory, {
          statistics: () => new Promise((resolve) => (answer = () => resolve({}))),
        }),
      }),
    });
    const server = await listening(service.app);
    const abort = new AbortController();
    const asked = fetch(`${server.url}/stats`, { signal: abort.signal }).catch(() => null);
    const inFlight = async () => (await scrape()).value('http_requests_in_flight');
    while ((await inFlight()) !== 1) await new Promise((tick) => setTimeout(tick, 5));
    abort.abort();
    await asked;
    while ((await inFlight()) !== 0) await new Promise((tick) => setTimeout(tick, 5));
    const aborted = { method: 'GET', route: '/stats', status: 'aborted' };
    expect((await scrape()).value(REQUESTS, aborted)).to.equal(1);
    answer();
    await server.close();
  });

  it('count what is refused before it is a request, and connections that are closed unheard', async () => {
    const metrics = new PrometheusMetrics(BUILD);
    const { app, log } = httpService({ metrics });
    const server = createHttpServer(app, log, metrics);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    await text(connect(port, '127.0.0.1').end('nonsense\r\n\r\n'));
    const unreadable = { method: 'other', route: 'unknown', status: '400' };
    const seen = new Exposition(await metrics.exposition());
    expect(seen.value(REQUESTS, unreadable)).to.equal(1);
    expect(seen.value('http_requests_in_flight')).to.equal(0);
    expect(seen.value('http_connections_dropped_total')).to.equal(0);

    server.maxConnections = 1;
    const only = connect(port, '127.0.0.1');
    await once(server, 'connection');
    const dropped = once(server, 'drop');
    const another = connect(port, '127.0.0.1').on('error', () => undefined);
    await dropped;
    const then = new Exposition(await metrics.exposition());
    expect(then.value('http_connections_dropped_total')).to.equal(1);
    for (const socket of [only, another]) socket.destroy();
    await once(server.close(), 'close');
  });

  it('are read anew each time, and counters that others keep are not added up', async () => {
    const metrics = new PrometheusMetrics(BUILD);
    metrics.watch({
      databases: { primary: { use: () => ({ used: 3, free: 2, limit: 10, pending: 4, outages: 5 }) } },
      replica: { state: 'behind', lagMilliseconds: 6_500 },
      streamList: { isStale: true, staleAnswers: 7 },
      figures: () => Promise.reject(new Error('gone')),
    });
    const primary = { database: 'primary' };
    for (let scrape = 0; scrape < 3; scrape += 1) {
      const seen = new Exposition(await metrics.exposition());
      expect(seen.value('database_connections', { ...primary, state: 'used' })).to.equal(3);
      expect(seen.value('database_connections', { ...primary, state: 'free' })).to.equal(2);
      expect(seen.value('database_waiting', primary)).to.equal(4);
      expect(seen.value('database_outages_total', primary)).to.equal(5);
      expect(seen.value('replica_state', { state: 'behind' })).to.equal(1);
      expect(seen.value('replica_lag_seconds', { database: 'replica' })).to.equal(6.5);
      expect(seen.value('stream_list_stale_answers_total')).to.equal(7);
    }
  });

  it('count what each limit refuses', async () => {
    const { service, scrape } = measured({ rateLimits: true });
    for (const status of [200, 200, 200, 429, 429]) await service.http.get('/stats').expect(status);
    service.clock.advance(MINUTE);
    for (let attempt = 0; attempt < 6; attempt += 1) {
      service.clock.advance(2_000);
      await service.http.post('/user/requestPasswordChange').send({ email: 'a@b.example' });
    }
    const seen = await scrape();
    expect(seen.value('rate_limit_exceeded_total', { policy: '1s' })).to.equal(2);
    expect(seen.value('rate_limit_exceeded_total', { policy: '60s-strict' })).to.equal(1);
    expect(seen.value('rate_limit_exceeded_total', { policy: '60s' })).to.equal(0);
  });

  it('count what reports do, by their form, and why they are refused', async () => {
    const { service, scrape } = measured({ rateLimits: true });
    const organization = await service.addOrganization();
    const token = await service.addToken(organization);
    const { uuid } = await service.addStream(organization);
    const foreign = await service.addStream(await service.addOrganization());
    const push = (body: string, to: string = uuid, type = 'application/json') => {
      service.clock.advance(1_000);
      return service.http
        .post(`/stream/update/${to}`)
        .auth(token, { type: 'bearer' })
        .set('Content-Type', type)
        .send(body);
    };
    await push(`{"title":"A","songStartedAt":${START / 1_000}}`).expect(200);
    await push(`{"title":"A","songStartedAt":${START / 1_000}}`).expect(200);
    await push('{"now_playing":null}').expect(200);
    await push('{').expect(400);
    await push('x', uuid, 'text/xml').expect(415);
    await push('x'.repeat(300_000)).expect(413);
    await push('{}', foreign.uuid).expect(403);
    await push('{}', '00000000-0000-4000-8000-000000000000').expect(404);
    await service.http.post(`/stream/update/${uuid}`).expect(401);
    await service.http.post(`/stream/update/${uuid}`).set('X-API-KEY', 'nonsense').expect(401);
    service.clock.advance(1_000);
    for (const status of [200, 200, 200, 429])
      await service.http.post(`/stream/update/${uuid}`).auth(token, { type: 'bearer' }).expect(status);

    const seen = await scrape();
    const reports = (form: string, outcome: string) => seen.value('webhook_reports_total', { form, outcome });
    expect(reports('simple', 'new-play')).to.equal(1);
    expect(reports('simple', 'repeat')).to.equal(1);
    expect(reports('azuracast-native', 'off-air')).to.equal(1);
    expect(reports('simple', 'empty')).to.equal(3);
    for (const [reason, count] of Object.entries({
      'bad-request': 1,
      'unsupported-media-type': 1,
      'too-large': 1,
      'stream-of-another-organization': 1,
      'unknown-stream-uuid': 1,
      'token-missing': 1,
      'token-invalid': 1,
      'too-many-requests': 1,
    }))
      expect(seen.value('webhook_refusals_total', { reason }), reason).to.equal(count);
  });

  it('count logins, and why they are refused', async () => {
    const { service, scrape } = measured();
    const { email, password } = await service.registerAndActivate();
    for (const [attempt, status] of [
      [password, 200],
      ['Wrong-Horse-1', 401],
      ['Wrong-Horse-2', 401],
    ] as const)
      await service.http.post('/user/login').send({ email, password: attempt }).expect(status);
    const seen = await scrape();
    const refused = { event: 'login-refused', reason: 'wrong-password' };
    expect(seen.value('security_events_total', { event: 'logged-in', reason: '' })).to.equal(1);
    expect(seen.value('security_events_total', refused)).to.equal(2);
  });

  it('tell how many users, organizations, streams and mails there are', async () => {
    const { service, scrape } = measured();
    const before = await scrape();
    for (const kind of ['users', 'organizations', 'streams'])
      expect(before.value('entries', { kind })).to.equal(0);
    expect(before.value('storage_up')).to.equal(1);

    await service.registerAndActivate();
    await service.addStream(await service.addOrganization());
    await service.http.post('/user').send(service.aListener()).expect(201);
    service.clock.advance(MINUTE);
    const after = await scrape();
    for (const kind of ['users', 'organizations', 'streams'])
      expect(after.value('entries', { kind })).to.equal(1);
    expect(after.value('mails', { state: 'due' })).to.equal(1);
    expect(after.value('mail_oldest_age_seconds')).to.equal(60);

    const outbox = new InMemoryMailOutbox(service.db);
    const [mail] = await outbox.claim(service.clock.now(), MINUTE, 1);
    expect((await scrape()).value('mails', { state: 'waiting' })).to.equal(1);
    await outbox.giveUp(mail?.id ?? '', service.clock.now(), 'refused');
    const end = await scrape();
    expect(end.value('mails', { state: 'given-up' })).to.equal(1);
    expect(end.value('mail_oldest_age_seconds')).to.equal(0);
  });

  it('begin at 0 for all that can be known beforehand: what appears at 1 has not risen for Prometheus', async () => {
    const { series } = await measured().scrape();
    const metrics = new PrometheusMetrics(BUILD);
    metrics.limitsCounted('shared');
    const all = [...series, ...new Exposition(await metrics.exposition()).series];
    for (const [name, labels] of [
      ['mail_attempts_total', { kind: 'reset', outcome: 'given-up' }],
      ['security_events_total', { event: 'logged-in', reason: '' }],
      ['security_events_total', { event: 'login-refused', reason: 'wrong-password' }],
      ...['1s', '10s', '60s', '60s-strict'].map(
        (policy) => ['rate_limit_exceeded_total', { policy }] as const,
      ),
      ['rate_limit_sharing_changes_total', { to: 'alone' }],
      ['webhook_reports_total', { form: 'sam', outcome: 'off-air' }],
      ['webhook_refusals_total', { reason: 'token-invalid' }],
      ['webhook_refusals_total', { reason: 'too-large' }],
      ['webhook_refusals_total', { reason: 'failed' }],
    ] as const)
      expect(all).to.deep.include({ name: `radio_directory_${name}`, labels });
    const counters = series.filter(({ name }) => /^radio_directory_.*_total$/.test(name));
    expect(counters.length).to.be.below(150);
  });

  it('have no label that a client chooses', async () => {
    const { service, scrape } = measured({ rateLimits: true, isDescribed: false });
    const organization = await service.addOrganization();
    const token = await service.addToken(organization);
    const { uuid } = await service.addStream(organization);
    const server = await listening(service.app);
    const methods = METHODS.filter((method) => method !== 'CONNECT' && method !== 'TRACE');
    const send = async (number: number) => {
      const word = Math.random().toString(36).slice(2);
      const method = methods[number % methods.length] ?? 'GET';
      const random = [
        `/${word}`,
        `/stream/${word}/votes`,
        `/organization/name/${word}`,
        `/user/activate/${word}`,
      ];
      const asked = fetch(`${server.url}${random[number % random.length]}?${word}=${word}`, { method });
      const pushed = fetch(`${server.url}/stream/update/${number % 3 === 0 ? word : uuid}`, {
        method: 'POST',
        headers: { 'X-API-KEY': number % 5 === 0 ? word : token, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          [word]: word,
          title: word,
          form: word,
          now_playing: number % 2 ? { [word]: word } : undefined,
        }),
      });
      for (const answer of await Promise.all([asked, pushed])) await answer.arrayBuffer();
      service.clock.advance(500);
    };
    for (let number = 0; number < 500; number += 1) await send(number);
    const half = new Set((await scrape()).series.map((series) => JSON.stringify(series)));
    for (let number = 500; number < 1_000; number += 1) await send(number);
    const { series } = await scrape();
    const fresh = series.filter((one) => !half.has(JSON.stringify(one)));
    // A status may come for the first time, each with its 13 buckets; 500 words would be far more.
    expect(fresh.length).to.be.below(100);
    const routes = new Set(series.flatMap(({ labels }) => labels['route'] ?? []));
    expect([...routes].sort()).to.deep.equal([
      '/organization/name/:name',
      '/stream/:id/votes',
      '/stream/update/:streamUUID',
      '/user/activate/:token',
      'unknown',
    ]);
    expect(new Set(series.flatMap(({ labels }) => labels['method'] ?? []))).to.have.all.keys(
      ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'other'],
    );
    await server.close();
  });

  it('are kept apart where two services run in one process, but for what the process is', async () => {
    const one = measured();
    const other = measured();
    await one.service.http.get('/stats').expect(200);
    const labels = { method: 'GET', route: '/stats', status: '200' };
    expect((await one.scrape()).value(REQUESTS, labels)).to.equal(1);
    expect((await other.scrape()).value(REQUESTS, labels)).to.equal(0);
    for (const scrape of [one.scrape, other.scrape]) {
      const seen = await scrape();
      expect(seen.value('build_info', BUILD)).to.equal(1);
      expect(seen.value('process_resident_memory_bytes')).to.be.above(1_000_000);
      expect(seen.series.map(({ name }) => name)).to.include('nodejs_eventloop_lag_p99_seconds');
    }
  });
});

describe('The figures of the storage', () => {
  const FIGURES: Figures = {
    directory: { users: 1, organizations: 2, stations: 3 },
    mails: { due: 0, waiting: 0, givenUp: 0, oldestOwedSince: later(START, 0) },
    oldestMailAge: 0,
  };

  it('are asked for once, however many want them', async () => {
    let questions = 0;
    const figures = new StorageFigures(async () => {
      questions += 1;
      return FIGURES;
    });
    const answers = await Promise.all(Array.from({ length: 50 }, () => figures.current()));
    for (let again = 0; again < 50; again += 1) answers.push(await figures.current());
    expect(new Set(answers)).to.deep.equal(new Set([FIGURES]));
    expect(questions).to.equal(1);
  });

  it('are none while the storage fails or says nothing, and it is not asked again meanwhile', async () => {
    let questions = 0;
    let answer: (figures: Figures) => void = () => {};
    const silent = new StorageFigures(() => {
      questions += 1;
      return new Promise((resolve) => (answer = resolve));
    }, 0);
    expect(await Promise.all([silent.current(), silent.current()])).to.deep.equal([null, null]);
    expect(await silent.current()).to.equal(null);
    expect(questions).to.equal(1);
    answer(FIGURES);
    await new Promise(setImmediate);

    const failing = new StorageFigures(() => Promise.reject(new Error('gone')));
    expect(await failing.current()).to.equal(null);
  });
});
