import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import { createHttpServer } from '../../src/adapters/http/server.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const HALF_A_POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{';

describe('A server that has more to do than it can', () => {
  let server: Server;
  let connections: number;
  const clients: Client[] = [];
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  interface Client {
    readonly socket: Socket;
    ask(text?: string): void;
    /** Of the answers so far. */
    statuses(): number[];
    text(): string;
  }
  const serve = async (handler: RequestHandler) => {
    connections = 0;
    server = createHttpServer(express().use(handler));
    server.on('connection', () => (connections += 1));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  };
  const until = async (reached: () => boolean) => {
    while (!reached()) await pause(5);
  };
  /** So many, which the server has taken; the kernel holds only some hundred that it has not. */
  const connected = async (count: number): Promise<Client[]> => {
    const taken: Client[] = [];
    while (taken.length < count) {
      const before = connections;
      const some = Array.from({ length: Math.min(100, count - taken.length) }, () => {
        const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
        let text = '';
        socket.on('error', () => undefined);
        socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
        return {
          socket,
          ask: (asked = GET) => void socket.write(asked),
          statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)),
          text: () => text,
        };
      });
      taken.push(...some);
      clients.push(...some);
      await until(() => connections === before + some.length);
    }
    return taken;
  };
  const answer = async (text = GET): Promise<{ status: number | undefined; client: Client }> => {
    const [client] = await connected(1);
    if (!client) throw new Error('There is no connection.');
    client.ask(text);
    await until(() => client.statuses().length > 0);
    return { status: client.statuses()[0], client };
  };
  const spin = (milliseconds: number) => {
    for (const start = performance.now(); performance.now() - start < milliseconds;);
  };
  /** What a request is answered that comes when the event loop has not rested for a while. */
  const statusWhileSaturated = async (): Promise<number | undefined> => {
    const [client] = await connected(1);
    for (let turns = 0; turns < 5; turns += 1) {
      spin(150);
      await turn();
    }
    client?.ask();
    spin(150);
    await until(() => (client?.statuses().length ?? 0) > 0);
    return client?.statuses()[0];
  };

  it('refuses what comes on connections beyond 2,000, until some of these have ended', async () => {
    await serve((_request, response) => void response.end());
    const some = await connected(2_000);
    const { status, client } = await answer();
    expect(status).to.equal(503);
    expect(client.text()).to.match(/^retry-after: 1\r$/im);
    await until(() => client.socket.destroyed);
    for (const one of some.slice(0, 10)) one.ask();
    await until(() => some.slice(0, 10).every((one) => one.statuses()[0] === 200));

    for (const { socket } of some.splice(0, 10)) socket.destroy();
    while ((await answer()).status !== 200) await pause(20);
  });

  it('refuses what comes while 1,000 requests wait, until some of them are answered', async () => {
    const waiting: ServerResponse[] = [];
    await serve((_request, response) => void waiting.push(response));
    while (waiting.length < 1_000) {
      const before = waiting.length;
      const some = await connected(Math.min(50, 1_000 - before));
      for (const client of some) client.ask();
      // Some may be refused while the event loop has no rest.
      const refused = () => some.filter((client) => client.statuses().length > 0).length;
      await until(() => waiting.length - before + refused() === some.length);
    }
    const [client] = await connected(1);
    client?.ask();
    await until(() => client?.statuses().length === 1 || waiting.length > 1_000);
    expect(client?.statuses()).to.deep.equal([503]);
    expect(client?.text()).to.match(/^retry-after: 1\r$/im);

    for (const response of waiting.splice(0, 10)) response.end();
    while (waiting.length < 991) {
      client?.ask();
      await pause(20);
    }
  });

  it('refuses what has waited too long for its turn while many wait', async () => {
    await serve((_request, response) => {
      spin(5);
      response.end();
    });
    const answersTo = async (each: readonly Client[]) => {
      for (const client of each) client.ask(GET.repeat(10));
      await until(() => each.every((client) => client.statuses().length === 10));
      return each.flatMap((client) => client.statuses());
    };
    const many = await answersTo(await connected(30));
    expect(new Set(many)).to.deep.equal(new Set([200, 503]));
    const few = await answersTo(await connected(9));
    expect(new Set(few)).to.deep.equal(new Set([200]));
  });

  describe('and whose event loop has no rest', () => {
    it('refuses what comes while 250 requests wait, until it has', async () => {
      const waiting: ServerResponse[] = [];
      await serve((_request, response) => void waiting.push(response));
      for (const client of await connected(250)) client.ask();
      await until(() => waiting.length === 250);
      expect(await statusWhileSaturated()).to.equal(503);

      const [client] = await connected(1);
      while (waiting.length < 251) {
        client?.ask();
        await pause(50);
      }
    });

    it('counts no requests that have not come whole', async () => {
      let begun = 0;
      await serve((request, response) => {
        if (request.method === 'GET') return void response.end();
        begun += 1;
        request.resume().on('end', () => response.end());
      });
      for (const client of await connected(250)) client.ask(HALF_A_POST);
      await until(() => begun === 250);
      expect(await statusWhileSaturated()).to.equal(200);
    });

    it('counts no answers that their clients do not take', async () => {
      const large = Buffer.alloc(32 * 2 ** 20);
      let made = 0;
      await serve((request, response) => {
        response.end(request.url === '/large' ? large : '');
        made += 1;
      });
      for (const client of await connected(25)) {
        client.socket.pause();
        client.ask(GET.replace('/', '/large') + GET.repeat(9));
      }
      await until(() => made === 250);
      expect(await statusWhileSaturated()).to.equal(200);
    });
  });
});
