import type { DirectoryReadModel } from '../../application/ports/directory-read-model.js';
import type { NowPlayingRepository } from '../../application/ports/now-playing-repository.js';
import type { Session } from '../../domain/account.js';
import type { OrganizationId, StreamId, StreamUuid } from '../../domain/ids.js';
import type { AppliedReport, NowPlaying } from '../../domain/now-playing.js';
import type { Replication } from './replication.js';

/** Milliseconds that a reader waits for the replica before it asks the primary. */
const PATIENCE = 500;

/** Reads what may be a moment old from the replica, unless this process knows better; from the primary whatever else. */
export class ReplicatedDirectoryReadModel implements DirectoryReadModel {
  constructor(
    private readonly primary: DirectoryReadModel,
    private readonly replica: DirectoryReadModel,
    private readonly replication: Replication,
  ) {}

  streams() {
    return this.#read((model) => model.streams());
  }

  streamsOf(organization: OrganizationId) {
    return this.#read((model) => model.streamsOf(organization));
  }

  streamsOfMember(session: Session) {
    return this.primary.streamsOfMember(session);
  }

  streamReferences(organization: OrganizationId) {
    return this.primary.streamReferences(organization);
  }

  history(stream: StreamId) {
    return this.#read((model) => model.history(stream), stream);
  }

  organizations() {
    return this.#read((model) => model.organizations());
  }

  organization(id: OrganizationId) {
    return this.#read((model) => model.organization(id));
  }

  organizationNamed(nameKey: string) {
    return this.#read((model) => model.organizationNamed(nameKey));
  }

  randomOrganizations(limit: number) {
    return this.#read((model) => model.randomOrganizations(limit));
  }

  statistics() {
    return this.#read((model) => model.statistics());
  }

  async #read<T>(ask: (model: DirectoryReadModel) => Promise<T>, stream?: StreamId): Promise<T> {
    if (!this.replication.isGoodFor(stream)) return ask(this.primary);
    try {
      return await within(PATIENCE, ask(this.replica));
    } catch (error) {
      // Whatever it was: the primary has the last word, and its failure is the one that counts.
      this.replication.lost(error);
      return ask(this.primary);
    }
  }
}

/** Tells the replication what this process writes. */
export class ReplicatedNowPlayingRepository implements NowPlayingRepository {
  constructor(
    private readonly primary: NowPlayingRepository,
    private readonly replication: Replication,
  ) {}

  async update(uuid: StreamUuid, owner: OrganizationId, decide: (before: NowPlaying) => AppliedReport) {
    const updated = await this.primary.update(uuid, owner, decide);
    if (updated.ok) this.replication.wrote(updated.value.stream);
    return updated;
  }
}

async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The replica does not answer.')), milliseconds);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
