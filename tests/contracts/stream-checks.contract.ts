import { expect } from 'chai';
import { MAX_ID, type StreamId, later } from '../../src/domain/ids.js';
import { CHECK_OUTCOMES, type StreamCheck, checked, isBroken } from '../../src/domain/stream-check.js';
import { anAddedOrganization, anAddedStream } from '../support/builders.js';
import { START } from '../support/manual-clock.js';
import type { StorageUnderTest } from './storage.js';

const HEARD = checked(null, { outcome: 'audio', detail: '', codec: 'mp3', bitrate: 128 }, START);
const GONE = checked(null, { outcome: 'refused', detail: 'HTTP 404', codec: null, bitrate: null }, START);

/** What every `StreamChecks` promises. The storage was started. */
export function streamChecksContract(storage: StorageUnderTest): void {
  describe('StreamChecks', () => {
    const withStreams = async (count: number) => {
      const ports = await storage.open();
      const organization = await anAddedOrganization(ports.organizations);
      const ids: StreamId[] = [];
      for (let i = 0; i < count; i++) ids.push((await anAddedStream(ports.organizations, organization)).id);
      return { ...ports, ids };
    };

    it('keeps the last check of each stream', async () => {
      const { streamChecks, ids } = await withStreams(2);
      const [first = 0 as StreamId, second = 0 as StreamId] = ids;
      expect((await streamChecks.of(ids)).size).to.equal(0);
      await streamChecks.put(new Map([[first, HEARD]]));
      const later1 = checked(HEARD, GONE, later(START, 60_001));
      await streamChecks.put(
        new Map([
          [second, HEARD],
          [first, later1],
        ]),
      );
      expect([...(await streamChecks.of(ids))]).to.deep.equal([
        [first, later1],
        [second, HEARD],
      ]);
      expect([...(await streamChecks.of([second]))]).to.deep.equal([[second, HEARD]]);
    });

    it('keeps every outcome, and lists all but one as broken', async () => {
      const { streamChecks, ids } = await withStreams(CHECK_OUTCOMES.length);
      const detail = `"'; -- 📻 ${'x'.repeat(180)}`;
      const checks = new Map<StreamId, StreamCheck>(
        CHECK_OUTCOMES.map((outcome, index) => [
          ids[index] as StreamId,
          checked(null, { outcome, detail, codec: null, bitrate: null }, START),
        ]),
      );
      await streamChecks.put(checks);
      expect([...(await streamChecks.of(ids))]).to.deep.equal([...checks]);
      expect([...(await streamChecks.broken())]).to.deep.equal(
        [...checks].filter(([, check]) => isBroken(check)),
      );
    });

    it('drops the checks of streams that are not there', async () => {
      const { streamChecks, ids } = await withStreams(1);
      const [id = 0 as StreamId] = ids;
      await streamChecks.put(
        new Map([
          [MAX_ID as StreamId, GONE],
          [id, GONE],
        ]),
      );
      expect([...(await streamChecks.broken()).keys()]).to.deep.equal([id]);
      await streamChecks.put(new Map());
    });
  });
}
