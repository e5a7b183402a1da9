import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { ListedStream } from '../../src/application/ports/directory-read-model.js';
import { MINUTE } from '../../src/domain/ids.js';
import { applyReport } from '../../src/domain/now-playing.js';
import { InMemoryNowPlayingRepository } from '../../src/adapters/in-memory/in-memory-now-playing-repository.js';
import { aPlayId, aSongReport, anHttpUrl, must } from '../support/builders.js';
import { httpService } from '../support/http-service.js';
import { type WireStream, json } from '../support/wire.js';

describe('GET /stream, answered from what was written before', () => {
  it('shows silence from the instant on when the sender has been silent for long, also where nothing changed', async () => {
    let list: readonly ListedStream[] | null = null;
    const service = httpService({
      replace: ({ directory }) => ({
        directory: Object.assign(Object.create(directory) as typeof directory, {
          streams: async () => (list ??= await directory.streams()),
        }),
      }),
    });
    const organization = await service.addOrganization();
    const { uuid } = await service.addStream(organization);
    await service.addStream(organization);
    const report = aSongReport({ title: 'So What', durationSeconds: 60 });
    must(
      await new InMemoryNowPlayingRepository(service.db).update(uuid, organization, (before) =>
        applyReport(before, report, service.clock.now(), aPlayId),
      ),
    );
    const shown = async () => {
      const response = await service.http.get('/stream').expect(200);
      return {
        titles: json<WireStream[]>(response).map(({ song }) => song.title),
        tag: response.get('ETag'),
      };
    };

    const first = await shown();
    service.clock.advance(16 * MINUTE - 1);
    const last = await shown();
    service.clock.advance(1);
    const silent = await shown();

    expect(first.titles).to.deep.equal(['So What', '']);
    expect(last).to.deep.equal(first);
    expect(silent.titles).to.deep.equal(['', '']);
    expect(silent.tag).to.not.equal(first.tag);
  });
});

describe('GET /stream of a long list that changes all the time', () => {
  it('makes one list at a time: the next is read when the last is compressed', async () => {
    const events: ('read' | 'made')[] = [];
    const another = (stream: ListedStream): ListedStream => ({
      ...stream,
      url: anHttpUrl(`https://radio.example/${randomBytes(1_400).toString('base64url')}`),
    });
    const service = httpService({
      replace: ({ directory }) => ({
        directory: Object.assign(Object.create(directory) as typeof directory, {
          streams: async () => {
            events.push('read');
            const [stream] = await directory.streams();
            return Array.from({ length: 8_000 }, () => another(stream as ListedStream));
          },
        }),
      }),
    });
    await service.addStream(await service.addOrganization());
    const server = createServer(service.app).listen(0, '127.0.0.1');
    server.prependListener('request', (_request, response: ServerResponse) =>
      response.once('prefinish', () => events.push('made')),
    );
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/stream`;
    const get = async () => (await fetch(url)).arrayBuffer();

    const first = get();
    while (events.length === 0) await new Promise((tick) => setTimeout(tick, 1));
    await Promise.all([first, get()]);
    server.closeAllConnections();
    server.close();

    expect(events).to.deep.equal(['read', 'made', 'read', 'made']);
  });
});
