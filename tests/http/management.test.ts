import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import supertest from 'supertest';
import { type Check, type ServicePhase, createManagementApp } from '../../src/adapters/http/management.js';
import { apiReference } from '../../src/adapters/http/openapi/api-reference.js';
import { openApiDocument } from '../../src/adapters/http/openapi/document.js';
import { createManagementServer } from '../../src/adapters/http/server.js';
import { json } from '../support/wire.js';

interface WireReadiness {
  readonly status: string;
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly detail?: string }>>;
}

describe('The management listener', () => {
  let phase: ServicePhase;
  let checks: Record<string, Check>;
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const http = () =>
    supertest(createManagementApp({ version: '1.2.3', phase: () => phase, checks: () => checks, log }));
  beforeEach(() => {
    phase = 'serving';
    checks = { database: () => Promise.resolve() };
  });

  it('is live whatever else is wrong', async () => {
    phase = 'starting';
    checks = { database: () => Promise.reject(new Error('gone')) };
    const response = await http().get('/livez').expect(200);
    expect(json(response)).to.deep.equal({ status: 'live' });
  });

  it('is ready while it serves and its database answers, naming each check', async () => {
    const response = await http().get('/readyz').expect(200);
    expect(json(response)).to.deep.equal({
      status: 'ready',
      checks: { service: { ok: true, detail: 'serving' }, database: { ok: true } },
    });
    expect(response.headers['cache-control']).to.equal('no-store');
  });

  for (const other of ['starting', 'draining'] as const)
    it(`is not ready while ${other}`, async () => {
      phase = other;
      const { status, checks: results } = json<WireReadiness>(await http().get('/readyz').expect(503));
      expect(status).to.equal('not ready');
      expect(results['service']).to.deep.equal({ ok: false, detail: other });
      expect(results['database']).to.deep.equal({ ok: true });
    });

  it('is not ready before there is anything to check', async () => {
    phase = 'starting';
    checks = {};
    expect(json<WireReadiness>(await http().get('/readyz').expect(503)).checks).to.have.all.keys('service');
  });

  it('is not ready while its database fails or says nothing, and says which it is', async () => {
    checks = { database: () => Promise.reject(new Error('PostgreSQL is not available')) };
    const failing = json<WireReadiness>(await http().get('/readyz').expect(503));
    expect(failing.checks['database']).to.deep.equal({ ok: false, detail: 'PostgreSQL is not available' });

    checks = { database: () => new Promise(() => undefined) };
    const silent = json<WireReadiness>(await http().get('/readyz').expect(503));
    expect(silent.checks['database']?.detail).to.equal('no answer within 1000 ms');
  });

  it('tells the version', async () => {
    expect(json(await http().get('/version').expect(200))).to.deep.equal({
      version: '1.2.3',
      node: process.version,
    });
  });

  it('hands out metrics as Prometheus reads them, as soon as there are any', async () => {
    let text: string | null = null;
    const metrics = () => Promise.resolve(text);
    const app = createManagementApp({
      version: '1.2.3',
      phase: () => phase,
      checks: () => checks,
      metrics,
      log,
    });
    const early = await supertest(app).get('/metrics').expect(503);
    expect(early.headers['retry-after']).to.equal('1');
    text = 'radio_directory_up 1\n';
    const response = await supertest(app).get('/metrics').expect(200);
    expect(response.text).to.equal(text);
    expect(response.headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8');
    expect(response.headers['cache-control']).to.equal('no-store');
    await supertest(app).post('/metrics').expect(405);
  });

  it('answers what is no request as JSON, and waits for none for long', async () => {
    const server = createManagementServer(
      createManagementApp({ version: '1.2.3', phase: () => phase, checks: () => checks, log }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const head = 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
    try {
      for (const [request, status] of [
        ['nonsense\r\n\r\n', 400],
        [`${head}X-Large: ${'x'.repeat(17 * 1_024)}\r\n\r\n`, 431],
        [`${head}Expect: a-miracle\r\n\r\n`, 417],
      ] as const) {
        const answer = await text(connect(port, '127.0.0.1').end(request));
        expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(answer.split('\r\n\r\n')[1]).to.match(new RegExp(`^\\{"statusCode":${status},`));
      }
      expect(server).to.include({ headersTimeout: 5_000, requestTimeout: 15_000 });
    } finally {
      server.close();
    }
  });

  it('answers HEAD, and refuses other paths and methods as JSON', async () => {
    await http().head('/readyz').expect(200);
    expect(json(await http().get('/stream').expect(404))).to.deep.equal({
      statusCode: 404,
      message: 'Not Found',
    });
    const refused = await http().post('/livez').expect(405);
    expect(json(refused)).to.deep.equal({ statusCode: 405, message: 'Method Not Allowed' });
    expect(refused.headers['allow']).to.equal('GET, HEAD');
  });

  it('does so beside the API reference too, whose paths refuse other methods as well', async () => {
    const reference = apiReference(openApiDocument('https://radio.example', '1.2.3'));
    const app = createManagementApp({
      version: '1.2.3',
      phase: () => phase,
      checks: () => checks,
      apiReference: reference,
      log,
    });
    for (const path of ['/openapi.json', '/docs', '/docs/start.js', '/docs/swagger-ui.css']) {
      await supertest(app).get(path).expect(200);
      const refused = await supertest(app).post(path).expect(405);
      expect(json(refused)).to.deep.equal({ statusCode: 405, message: 'Method Not Allowed' });
      expect(refused.headers['allow']).to.equal('GET, HEAD, OPTIONS');
    }
    expect(json(await supertest(app).get('/docs/package.json').expect(404))).to.include({ statusCode: 404 });
  });
});
