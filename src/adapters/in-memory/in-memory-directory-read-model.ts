import type { SessionEnded } from '../../application/ports/account-repository.js';
import type {
  DirectoryReadModel,
  ListedOrganization,
  ListedStream,
  Statistics,
  StreamHistory,
  StreamReference,
} from '../../application/ports/directory-read-model.js';
import type { StoredOrganization } from '../../application/ports/organization-repository.js';
import type { Session } from '../../domain/account.js';
import type { OrganizationId, StreamId } from '../../domain/ids.js';
import { isListed } from '../../domain/organization.js';
import { type Result, err, ok } from '../../domain/result.js';
import type { InMemoryDatabase, StreamRow } from './in-memory-database.js';

export class InMemoryDirectoryReadModel implements DirectoryReadModel {
  constructor(private readonly db: InMemoryDatabase) {}

  async streams(): Promise<readonly ListedStream[]> {
    return this.#activeStreams().map((stream) => this.#listedStream(stream));
  }

  async streamsOf(organization: OrganizationId): Promise<readonly ListedStream[] | null> {
    if (!this.#listed(organization)) return null;
    return this.#activeStreams()
      .filter((stream) => stream.organization === organization)
      .map((stream) => this.#listedStream(stream));
  }

  async streamsOfMember(session: Session): Promise<Result<readonly ListedStream[], SessionEnded>> {
    if (!this.db.accountOf(session)) return err({ kind: 'session-ended' });
    const streams = this.db.streams
      .all()
      .filter((stream) => this.db.membersOf(stream.organization).has(session.user));
    return ok(streams.map((stream) => this.#listedStream(stream)));
  }

  async streamReferences(organization: OrganizationId): Promise<readonly StreamReference[]> {
    return this.db.streams
      .all()
      .filter((stream) => stream.organization === organization)
      .map(reference);
  }

  async history(id: StreamId): Promise<StreamHistory | null> {
    const stream = this.db.activeStream(id);
    if (!stream) return null;
    const { nowPlaying, numbers } = this.db.playedOn(id);
    const past = nowPlaying.past.map((play) => ({ ...play, number: numbers.get(play.id) ?? 0 }));
    return {
      organizationImage: this.#organizationOf(stream).image,
      nowPlaying: { ...nowPlaying, past },
    };
  }

  async organizations(): Promise<
    readonly (ListedOrganization & { readonly streams: readonly StreamReference[] })[]
  > {
    const streams = new Map<OrganizationId, StreamReference[]>();
    for (const stream of this.#activeStreams()) {
      const others = streams.get(stream.organization);
      if (others) others.push(reference(stream));
      else streams.set(stream.organization, [reference(stream)]);
    }
    return this.db.listedOrganizations().map((organization) => ({
      ...listedOrganization(organization),
      streams: streams.get(organization.id) ?? [],
    }));
  }

  async organization(id: OrganizationId): Promise<ListedOrganization | null> {
    const organization = this.#listed(id);
    return organization ? listedOrganization(organization) : null;
  }

  async organizationNamed(nameKey: string): Promise<ListedOrganization | null> {
    const organization = this.db.organizations.withKey(nameKey);
    return organization && isListed(organization) ? listedOrganization(organization) : null;
  }

  async randomOrganizations(limit: number): Promise<readonly ListedOrganization[]> {
    return drawn(this.db.listedOrganizations(), limit).map(listedOrganization);
  }

  async statistics(): Promise<Statistics> {
    return {
      users: this.db.accounts.all().filter((account) => account.state === 'activated').length,
      organizations: this.db.listedOrganizations().length,
      stations: this.#activeStreams().length,
    };
  }

  #activeStreams(): StreamRow[] {
    return this.db.streams.all().filter((stream) => this.db.isActive(stream));
  }

  #listed(id: OrganizationId): StoredOrganization | undefined {
    const organization = this.db.organizations.get(id);
    return organization && isListed(organization) ? organization : undefined;
  }

  #organizationOf(stream: StreamRow): StoredOrganization {
    const organization = this.db.organizations.get(stream.organization);
    if (!organization) throw new Error(`Stream ${stream.id} has no organization.`);
    return organization;
  }

  #listedStream(stream: StreamRow): ListedStream {
    const { id, uuid, name, url, tags, highlights } = stream;
    const isActive = this.db.isActive(stream);
    const organization = this.#organizationOf(stream);
    return {
      id,
      uuid,
      name,
      url,
      tags,
      isActive,
      organization: { id: organization.id, name: organization.name, image: organization.image },
      nowPlaying: { ...this.db.playedOn(id).nowPlaying, past: [] },
      highlights: isActive ? highlights : [],
    };
  }
}

function reference({ id, uuid, name, url }: StreamRow): StreamReference {
  return { id, uuid, name, url };
}

function listedOrganization({
  id,
  name,
  description,
  image,
  thumbnail,
  links,
}: StoredOrganization): ListedOrganization {
  return { id, name, description, image, thumbnail, links };
}

/** Up to `count` items: each place is drawn from those that are left (Fisher-Yates). */
function drawn<T>(items: readonly T[], count: number): T[] {
  const deck = [...items];
  for (let place = 0; place < Math.min(count, deck.length); place += 1) {
    const from = place + Math.floor(Math.random() * (deck.length - place));
    [deck[place], deck[from]] = [deck[from] as T, deck[place] as T];
  }
  return deck.slice(0, count);
}
