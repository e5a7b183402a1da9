import { expect } from 'chai';
import type { ListedStream } from '../../src/application/ports/directory-read-model.js';
import { MINUTE } from '../../src/domain/ids.js';
import { applyReport } from '../../src/domain/now-playing.js';
import { InMemoryNowPlayingRepository } from '../../src/adapters/in-memory/in-memory-now-playing-repository.js';
import { aPlayId, aSongReport, must } from '../support/builders.js';
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
