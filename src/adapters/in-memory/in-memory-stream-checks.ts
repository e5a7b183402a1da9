import type { StreamChecks } from '../../application/ports/stream-checks.js';
import type { StreamId } from '../../domain/ids.js';
import { type StreamCheck, isBroken } from '../../domain/stream-check.js';
import type { InMemoryDatabase } from './in-memory-database.js';

export class InMemoryStreamChecks implements StreamChecks {
  readonly #checks = new Map<StreamId, StreamCheck>();

  constructor(private readonly db: InMemoryDatabase) {}

  async put(checks: ReadonlyMap<StreamId, StreamCheck>): Promise<void> {
    for (const [id, check] of checks) if (this.db.streams.get(id)) this.#checks.set(id, check);
  }

  async of(streams: readonly StreamId[]): Promise<ReadonlyMap<StreamId, StreamCheck>> {
    const wanted = new Set(streams);
    return this.#those((id) => wanted.has(id));
  }

  async broken(): Promise<ReadonlyMap<StreamId, StreamCheck>> {
    return this.#those((_, check) => isBroken(check));
  }

  /** Ids are never given twice, so a check that outlived its stream can only be passed over. */
  #those(test: (id: StreamId, check: StreamCheck) => boolean): ReadonlyMap<StreamId, StreamCheck> {
    const found = [...this.#checks].filter(([id, check]) => this.db.streams.get(id) && test(id, check));
    return new Map(found.sort(([one], [other]) => one - other));
  }
}
