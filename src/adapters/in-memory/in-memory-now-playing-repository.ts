import type {
  NowPlayingRepository,
  StreamOfAnotherOrganization,
  UnknownStreamUuid,
} from '../../application/ports/now-playing-repository.js';
import type { OrganizationId, StreamId, StreamUuid } from '../../domain/ids.js';
import type { AppliedReport, NowPlaying } from '../../domain/now-playing.js';
import { type Result, err, ok } from '../../domain/result.js';
import type { InMemoryDatabase } from './in-memory-database.js';

/** No `await` between read and write, so reports for one stream are applied one after the other. */
export class InMemoryNowPlayingRepository implements NowPlayingRepository {
  constructor(private readonly db: InMemoryDatabase) {}

  async update(
    uuid: StreamUuid,
    owner: OrganizationId,
    decide: (before: NowPlaying) => AppliedReport,
  ): Promise<
    Result<{ stream: StreamId; applied: AppliedReport }, UnknownStreamUuid | StreamOfAnotherOrganization>
  > {
    const stream = this.db.streams.withKey(uuid);
    if (!stream) return err({ kind: 'unknown-stream-uuid' });
    if (stream.organization !== owner) return err({ kind: 'stream-of-another-organization' });
    const applied = decide(this.db.playedOn(stream.id).nowPlaying);
    this.db.setNowPlaying(stream.id, applied.nowPlaying);
    return ok({ stream: stream.id, applied });
  }
}
