import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import express, { type Response } from 'express';
import { createHttpServer } from '../../src/adapters/http/server.js';
import { type HttpService, httpService } from '../support/http-service.js';
import { type WireError, json } from '../support/wire.js';

interface RawRequest {
  readonly file: string;
  readonly name: string;
  readonly b64: string;
}
interface Answer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

const CORPUS = JSON.parse(
  readFileSync(new URL('../fixtures/http/llhttp-raw-requests.json', import.meta.url), 'utf8'),
) as RawRequest[];

describe('The HTTP server', () => {
  let server: Server;
  let service: HttpService;
  beforeEach(async () => {
    service = httpService();
    server = createHttpServer(service.app, service.log);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Everything that the server sends until it closes the connection. */
  const exchange = (...parts: (string | Buffer)[]): Promise<Answer[]> =>
    new Promise((resolve) => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      // A reset is an end too: what counts is what came before it.
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(answersIn(Buffer.concat(chunks).toString('latin1'))));
      for (const part of parts) socket.write(part);
    });
  /** So that connections that wait for more are closed while the test is running. */
  const hurry = () => {
    server.headersTimeout = 200;
    server.requestTimeout = 200;
    server.keepAliveTimeout = 100;
  };
  const expectError = (answer: Answer | undefined, statusCode: number, message: string) => {
    expect(answer?.status).to.equal(statusCode);
    expect(json<WireError>({ text: answer?.body ?? 'null' })).to.deep.equal({ statusCode, message });
    expect(answer?.headers).to.match(/^content-type: application\/json; charset=utf-8$/im);
  };

  it('keeps slow clients and floods of connections within limits', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout, maxConnections } = server;
    expect({ headersTimeout, requestTimeout, keepAliveTimeout, maxConnections }).to.deep.equal({
      headersTimeout: 5_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 5_000,
      maxConnections: 3_000,
    });
  });

  it('answers 408 as JSON to headers that do not arrive', async () => {
    hurry();
    const [answer, ...more] = await exchange('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ');
    expectError(answer, 408, 'Request Timeout');
    expect(more).to.deep.equal([]);
  });

  it('answers 408 as JSON to a body that does not arrive', async () => {
    hurry();
    const head =
      'POST /user HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n';
    const [answer, ...more] = await exchange(head, '{"username":');
    expectError(answer, 408, 'Request Timeout');
    expect(more).to.deep.equal([]);
  });

  it('answers 400 as JSON to what is no HTTP', async () => {
    for (const nonsense of [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01',
    ]) {
      const [answer] = await exchange(Buffer.from(nonsense, 'latin1'));
      expectError(answer, 400, 'Bad Request');
      expect(answer?.headers).to.match(/^connection: close$/im);
    }
  });

  it('answers 431 as JSON to large headers and to many', async () => {
    const [large] = await exchange(`GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(17 * 1_024)}\r\n\r\n`);
    expectError(large, 431, 'Request Header Fields Too Large');
    const lines = (count: number) =>
      `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${'a:\r\n'.repeat(count)}\r\n`;
    const [many] = await exchange(lines(1_999));
    expectError(many, 431, 'Request Header Fields Too Large');
    const [fewer] = await exchange(lines(1_998));
    expect(fewer?.status).to.equal(200);
  });

  it('closes the connection of a tunnel that it refused, where the client does not', async () => {
    const socket = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true });
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    socket.on('error', () => undefined).resume();
    socket.write('CONNECT radio.example:443 HTTP/1.1\r\nHost: radio.example\r\n\r\n');
    const [connection] = await accepted;
    while (!connection.destroyed) await new Promise((tick) => setTimeout(tick, 20));
    socket.destroy();
  });

  it('demands exactly one valid Host header of HTTP/1.1', async () => {
    const send = (version: string, ...hosts: string[]) =>
      exchange(
        `GET / HTTP/${version}\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}Connection: close\r\n\r\n`,
      );
    const message = 'The request must have one valid Host header.';
    for (const hosts of [[], ['a', 'a'], ['a', 'b'], ['a b'], ['a/b'], ['a@b'], ['<a>']])
      expectError((await send('1.1', ...hosts))[0], 400, message);
    for (const host of ['a', 'radio.example:8080', '[::1]:3000', 'a%20b', ''])
      expect((await send('1.1', host))[0]?.status, host).to.equal(200);
    expect((await send('1.0'))[0]?.status).to.equal(200);
    expectError((await send('1.0', 'a', 'b'))[0], 400, message);
  });

  it('answers 417 as JSON to expectations other than 100-continue, which it meets', async () => {
    const [refused] = await exchange(
      'GET / HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n',
    );
    expectError(refused, 417, 'Expectation Failed');
    const body = '{"email":"a@b.example"}';
    const [met] = await exchange(
      `POST /user/requestPasswordChange HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\n`,
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(met?.status).to.equal(200);
  });

  it('answers 405 as JSON to CONNECT, and serves a request that offers an upgrade', async () => {
    const [tunnel] = await exchange('CONNECT radio.example:443 HTTP/1.1\r\nHost: radio.example\r\n\r\n');
    expectError(tunnel, 405, 'Method Not Allowed');
    expect(tunnel?.headers).to.match(/^allow: GET, HEAD, POST, PUT, DELETE, OPTIONS$/im);
    hurry();
    const [upgrade] = await exchange(
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n\r\n',
    );
    expect(upgrade?.status).to.equal(200);
  });

  for (const [what, last, status, message] of [
    ['nonsense', 'nonsense\r\n\r\n', 400, 'Bad Request'],
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'Method Not Allowed'],
  ] as const)
    it(`answers what came before ${what} on one connection first, and in order`, async () => {
      const [first, second, ...more] = await exchange(`GET /stream HTTP/1.1\r\nHost: a\r\n\r\n${last}`);
      expect(first).to.include({ status: 200, body: '[]' });
      expectError(second, status, message);
      expect(more).to.deep.equal([]);
    });

  it('outlives clients that ask for a tunnel and reset the connection', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [accepted] = (await once(server, 'connection')) as [Socket];
    socket.write('CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    socket.resetAndDestroy();
    // `once` would listen for the error as well.
    await new Promise((resolve) => accepted.once('close', resolve));
    const [answer] = await exchange('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(answer?.status).to.equal(200);
  });

  it('refuses more requests on one connection than anybody would send without waiting for answers', async () => {
    const answers = await exchange('GET /stream HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50));
    expect(answers.map(({ status }) => status)).to.deep.equal([...Array<number>(10).fill(200), 503]);
    expectError(answers.at(-1), 503, 'Service Unavailable');
    expect(answers.at(-1)?.headers)
      .to.match(/^retry-after: 1$/im)
      .and.to.match(/^connection: close$/im);
  });

  it('logs how long a request took from its headers on, also while it waited for its turn', async () => {
    const spin = 30;
    const busy = createHttpServer(
      express().use((_request, response) => {
        for (const start = performance.now(); performance.now() - start < spin;);
        response.end();
      }),
      service.log,
    ).listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const socket = connect((busy.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3));
    while (service.logged.length < 3) await new Promise((tick) => setTimeout(tick, 5));
    socket.destroy();
    busy.close();
    const { milliseconds } = service.logged[2]?.fields as { milliseconds: number };
    expect(milliseconds).to.be.at.least(2 * spin);
  });

  it('tells all clients to close their connections, but for those whose answers are under way', async () => {
    const begun: ServerResponse[] = [];
    const stopping = createHttpServer(
      express().use((request, response) => {
        begun.push(response);
        if (request.path === '/begun') response.write('a');
      }),
    );
    await once(stopping.listen(0, '127.0.0.1'), 'listening');
    const { port } = stopping.address() as AddressInfo;
    const ask = (path: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      return { socket, answer: text(socket) };
    };
    const [early, waiting] = [ask('/begun'), ask('/waiting')];
    while (begun.length < 2) await new Promise((tick) => setTimeout(tick, 5));
    stopping.announceClose();
    const late = ask('/late');
    while (begun.length < 3) await new Promise((tick) => setTimeout(tick, 5));
    for (const response of begun) response.end('z');
    for (const { answer } of [waiting, late]) expect(await answer).to.match(/^connection: close\r$/im);
    early.socket.end();
    expect(await early.answer)
      .to.match(/^connection: keep-alive\r$/im)
      .and.include('z');
    await once(stopping.close(), 'close');
  });

  it('gives clients that read slowly their time, but for the oldest while much waits for them', async () => {
    const long = Buffer.alloc(60 * 2 ** 20);
    const generous = createHttpServer(express().use((_request, response) => void response.end(long)));
    generous.listen(0, '127.0.0.1');
    await once(generous, 'listening');
    const clients = Array.from({ length: 6 }, () => {
      const socket = connect((generous.address() as AddressInfo).port, '127.0.0.1');
      socket.on('error', () => undefined).on('data', () => socket.pause());
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      return socket;
    });
    const reading = setInterval(() => clients.forEach((socket) => socket.resume()), 50);
    const open = () => clients.filter((socket) => !socket.closed).length;
    try {
      // 360 MiB are more than 256, and so are 300.
      while (open() > 4) await new Promise((tick) => setTimeout(tick, 50));
      await new Promise((tick) => setTimeout(tick, 500));
      expect(open()).to.equal(4);
    } finally {
      clearInterval(reading);
      generous.closeAllConnections();
      generous.close();
    }
  });

  it('logs every request of a client that hangs up before any is answered', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /stream HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10), () => socket.resetAndDestroy());
    while (service.logged.length < 10) await new Promise((tick) => setTimeout(tick, 5));
    expect(service.logged.map(({ message }) => message)).to.deep.equal(Array(10).fill('request'));
  });

  describe('while an answer takes its time', () => {
    let patient: Server;
    let held: Response[];
    const client = (): Socket =>
      connect((patient.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    const isHeld = async (count: number) => {
      while (held.length < count) await new Promise((tick) => setTimeout(tick, 5));
    };
    beforeEach(async () => {
      held = [];
      const app = express();
      app.get('/at-once', (_request, response) => void response.end());
      app.use((_request, response) => void held.push(response));
      patient = createHttpServer(app, service.log).listen(0, '127.0.0.1');
      await once(patient, 'listening');
    });
    afterEach(() => {
      patient.closeAllConnections();
      patient.close();
    });

    it('takes no more of what is no HTTP, and answers both in the end', async () => {
      const socket = client();
      let text = '';
      socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
      const [accepted] = (await once(patient, 'connection')) as [Socket];
      const refused = once(patient, 'clientError');
      socket.write(`GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n`);
      await refused;
      await isHeld(1);
      const taken = accepted.bytesRead;
      await new Promise((sent) => socket.write('x'.repeat(500_000), sent));
      await new Promise((tick) => setTimeout(tick, 50));
      expect(accepted.bytesRead).to.equal(taken);
      held[0]?.setHeader('Content-Length', 0).end();
      await once(socket, 'close');
      expect(answersIn(text).map(({ status }) => status)).to.deep.equal([200, 400]);
    });

    it('cuts a connection off that goes on after more requests than anybody would send', async () => {
      const socket = client();
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000));
      await new Promise((resolve) => socket.once('close', resolve));
    });

    it('logs requests with an expectation too, of a client that hangs up before any is answered', async () => {
      const socket = client();
      const expecting = 'GET / HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n';
      socket.write(`GET / HTTP/1.1\r\nHost: a\r\n\r\n${expecting.repeat(3)}`);
      await isHeld(1);
      socket.resetAndDestroy();
      while (service.logged.length < 4) await new Promise((tick) => setTimeout(tick, 5));
      expect(service.logged.map(({ message }) => message)).to.deep.equal(Array(4).fill('request'));
    });

    it('counts requests whose body nobody reads like all others', async () => {
      const asking = 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx'.repeat(10);
      const { port } = patient.address() as AddressInfo;
      const statuses: number[] = [];
      // A thousand are enough, and a quarter of them while the event loop has no rest.
      for (let connections = 0; connections < 200 && !statuses.includes(503); connections += 20) {
        for (let more = 0; more < 20; more += 1) client().write(asking);
        statuses.push((await fetch(`http://127.0.0.1:${port}/at-once`)).status);
      }
      expect(statuses).to.include(503);
    });
  });

  describe('logs', () => {
    const head = 'HTTP/1.1\r\nHost: a\r\n';
    const REFUSED = {
      'what is no HTTP': {
        sent: ['nonsense\r\n\r\n'],
        line: { method: null, route: null, status: 400, reason: 'HPE_INVALID_METHOD' },
      },
      'headers that do not arrive': {
        sent: [`GET / ${head}X-Slow: `],
        line: { method: null, route: null, status: 408, reason: 'ERR_HTTP_REQUEST_TIMEOUT' },
      },
      'a body that does not arrive': {
        sent: [`POST /user ${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n`, '{'],
        line: { method: 'POST', route: '/user', status: 408, aborted: true },
      },
      'an expectation': {
        sent: [`GET / ${head}Expect: a-miracle\r\nConnection: close\r\n\r\n`],
        line: { method: 'GET', route: null, status: 417 },
      },
      'a tunnel': {
        sent: [`CONNECT radio.example:443 ${head}\r\n`],
        line: { method: null, route: null, status: 405, reason: 'CONNECT' },
      },
      'what is refused for overload': {
        sent: [`GET /stream ${head}\r\n`.repeat(50)],
        line: { method: 'GET', route: null, status: 503 },
      },
    };
    for (const [what, { sent, line }] of Object.entries(REFUSED))
      it(`${what} in one line, under the name that the answer has`, async () => {
        hurry();
        const answers = await exchange(...sent);
        // The server may see the end of the connection a moment after us.
        while (service.logged.length < answers.length) await new Promise((tick) => setTimeout(tick, 5));
        const lines = service.logged.map(({ fields }) => fields);
        expect(lines).to.have.length(answers.length);
        const { requestId, milliseconds, address, ...told } = lines.at(-1) as Record<string, unknown>;
        expect(told).to.deep.equal({ ...line, caller: 'anonymous' });
        expect(milliseconds).to.be.a('number');
        expect(address).to.equal('127.0.0.1');
        expect(answers.at(-1)?.headers).to.match(new RegExp(`^x-request-id: ${String(requestId)}$`, 'im'));
      });
  });

  it('logs the client that the trusted proxy names, not the proxy', async () => {
    const head = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
    await exchange(`${head}X-Forwarded-For: 203.0.113.9\r\n\r\n`);
    while (service.logged.length < 1) await new Promise((tick) => setTimeout(tick, 5));
    expect(service.logged[0]?.fields).to.include({ address: '203.0.113.9' });
  });

  it('gives smuggled requests one refusal and nothing more', async () => {
    const inner = 'GET /stats HTTP/1.1\r\nHost: a\r\n\r\n';
    const post = 'POST /user HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
    const smuggles = [
      `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
      `${post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${inner}`,
      `${post}Content-Length: 0\r\nContent-Length: 44\r\n\r\n${inner}`,
      `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`,
      `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${inner}`,
      `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${inner}`,
      `${post}Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${inner}`,
      `${post}Content-Length: +5\r\n\r\n${inner}`,
      `POST /user HTTP/1.1\nHost: a\nContent-Length: 5\n\n${inner}`,
      `${post}X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
    ];
    for (const smuggle of smuggles) {
      const answers = await exchange(smuggle);
      expect(answers, smuggle).to.have.length(1);
      expectError(answers[0], 400, 'Bad Request');
    }
  });

  it('answers every raw request of the llhttp suite with JSON, or closes', async () => {
    hurry();
    expect(CORPUS).to.have.length(149);
    const raw = CORPUS.flatMap(({ file, name, b64 }) => {
      const bytes = Buffer.from(b64, 'base64');
      // Most stop before the blank line that ends the headers: once as they are, once complete.
      return [bytes, Buffer.concat([bytes, Buffer.from('\r\n')])].map((sent) => ({
        what: `${file}: ${name}`,
        sent,
      }));
    });
    const answered = await Promise.all(
      raw.map(async ({ what, sent }) => ({ what, answers: await exchange(sent) })),
    );
    for (const { what, answers } of answered)
      for (const { status, headers, body } of answers) {
        expect(status < 300 || (status >= 400 && status < 500), `${what}: ${status}`).to.equal(true);
        if (status >= 400 && body !== '')
          expect(json<WireError>({ text: body }).statusCode, what).to.equal(status);
        expect(/^content-length: /im.test(headers) || status === 204, what).to.equal(true);
      }
    const seen = new Set(answered.flatMap(({ answers }) => answers.map(({ status }) => status)));
    expect([...seen]).to.include.members([200, 400, 404, 408]);
  });
});

/** The answers in a byte stream. One to HEAD names a length and sends nothing. */
function answersIn(stream: string): Answer[] {
  const answers: Answer[] = [];
  let rest = stream;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0 || !rest.startsWith('HTTP/1.1 ')) throw new Error(`No HTTP answer: ${rest.slice(0, 200)}`);
    const headers = rest.slice(0, end);
    const status = Number(headers.slice(9, 12));
    const length = Number(/^content-length: (\d+)$/im.exec(headers)?.[1] ?? 0);
    rest = rest.slice(end + 4);
    const body = rest.startsWith('HTTP/1.1 ') ? '' : rest.slice(0, length);
    rest = rest.slice(body.length);
    if (status >= 200) answers.push({ status, headers, body });
  }
  return answers;
}
