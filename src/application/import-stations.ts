import type { OrganizationId } from '../domain/ids.js';
import {
  MAX_NAME_LENGTH,
  type OrganizationProfile,
  organizationNameKey,
  parseOrganizationProfile,
} from '../domain/organization.js';
import { type Result, err, ok } from '../domain/result.js';
import {
  MAX_TAGS,
  MAX_TAG_LENGTH,
  type StreamProfile,
  distinctTags,
  parseStreamProfile,
  streamUrlKey,
} from '../domain/stream.js';
import { type HttpUrl, cut, oneLine, parseHttpUrl } from '../domain/text.js';
import type { Clock } from './ports/clock.js';
import type { OrganizationRepository, StoredStream } from './ports/organization-repository.js';
import type { Secrets } from './ports/secrets.js';

/** A station as its list names it: any text may stand in any field. */
export interface ListedStation {
  /** Where it stands in its list, counted from 1: an entry or a line, as the format counts. */
  readonly row: number;
  readonly name: string;
  readonly url: string;
  readonly tags: readonly string[];
  readonly homepage: string | null;
  readonly favicon: string | null;
}

export interface SkippedRow {
  readonly row: number;
  /** Why it cannot be taken: a phrase in lower case without a full stop. */
  readonly reason: string;
}

/** What a list holds in one place: a station, or something that is none. */
export type StationRow = ListedStation | SkippedRow;

export interface ImportOptions {
  /** Takes all streams; left out: each goes to the organization of its homepage. */
  readonly organization?: OrganizationId | undefined;
  /** The organization of the streams without a homepage. */
  readonly fallbackOrganizationName: string;
  readonly onSkipped?: ((skipped: SkippedRow) => void) | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/** First the list is read, `total` being unknown; then its streams are stored. */
export interface ImportProgress {
  readonly read: number;
  readonly stored: number;
  /** Streams to store, changed or not; null: still reading. */
  readonly total: number | null;
}

/** Counts. Rows whose stream is in the directory already, and as it should be, are in none of them. */
export interface ImportSummary {
  readonly added: number;
  readonly updated: number;
  readonly skipped: number;
  /** Organizations added. */
  readonly organizations: number;
}

/**
 * Makes streams of stations, and organizations of their operators. Importing a list again adds nothing: a stream is
 * known by its `streamUrlKey`, whoever added it. Nothing is ever removed, and no existing organization is changed.
 */
export class ImportStations {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** Reads the whole list before it stores anything, since an image may come with an operator's last station. */
  async execute(rows: AsyncIterable<StationRow>, options: ImportOptions): Promise<ImportSummary> {
    const counts = { added: 0, updated: 0, skipped: 0, organizations: 0 };
    const skip = (row: number, reason: string) => {
      counts.skipped += 1;
      options.onSkipped?.({ row, reason });
    };
    const operators = new Operators(options.fallbackOrganizationName);
    const candidates = new Map<string, Candidate>();
    let read = 0;
    for await (const row of rows) {
      read += 1;
      options.onProgress?.({ read, stored: 0, total: null });
      if ('reason' in row) {
        skip(row.row, row.reason);
        continue;
      }
      const stream = streamOf(row);
      if (!stream.ok) {
        skip(row.row, stream.error);
        continue;
      }
      const key = streamUrlKey(stream.value.url);
      const first = candidates.get(key);
      if (first) skip(row.row, `same address as row ${first.row}`);
      else candidates.set(key, { row: row.row, stream: stream.value, operator: operators.of(row) });
    }

    await this.organizations.exclusively(async () => {
      const known = await this.#knownStreams();
      const owners = await this.#owners(options.organization, () => (counts.organizations += 1));
      let stored = 0;
      for (const [key, { row, stream, operator }] of candidates) {
        const existing = known.get(key);
        const done = existing
          ? await this.#update(existing, stream, owners.find(operator))
          : await this.#add(stream, await owners.findOrAdd(operator));
        if (!done.ok) skip(row, done.error);
        else if (done.value !== 'unchanged') counts[done.value] += 1;
        options.onProgress?.({ read, stored: ++stored, total: candidates.size });
      }
    });
    return counts;
  }

  async #knownStreams(): Promise<Map<string, StoredStream>> {
    const known = new Map<string, StoredStream>();
    for (const stream of await this.organizations.listStreams()) {
      const key = streamUrlKey(stream.url);
      if (!known.has(key)) known.set(key, stream);
    }
    return known;
  }

  async #add(stream: StreamProfile, owner: OrganizationId): Promise<Result<'added', string>> {
    const added = await this.organizations.addStream(owner, this.secrets.uuid(), stream, this.clock.now());
    return added.ok ? ok('added') : err(`there is no organization ${owner}`);
  }

  /** Its operator may have switched it off, or written its address another way: only name and tags follow the list. */
  async #update(
    existing: StoredStream,
    { name, tags }: StreamProfile,
    owner: OrganizationId | null,
  ): Promise<Result<'updated' | 'unchanged', string>> {
    if (existing.organization !== owner)
      return err(`stream ${existing.id} of another organization has this address`);
    if (existing.name === name && sameTexts(existing.tags, tags)) return ok('unchanged');
    const { url, isEnabled } = existing;
    const replaced = await this.organizations.updateStream(existing.id, { name, url, tags, isEnabled });
    return ok(replaced ? 'updated' : 'unchanged');
  }

  async #owners(all: OrganizationId | undefined, onAdded: () => void) {
    const idByName = new Map<string, OrganizationId>();
    for (const { id, name } of await this.organizations.list()) idByName.set(organizationNameKey(name), id);
    return {
      find: (operator: Operator): OrganizationId | null => all ?? idByName.get(operator.nameKey) ?? null,
      findOrAdd: async (operator: Operator): Promise<OrganizationId> => {
        const found = all ?? idByName.get(operator.nameKey);
        if (found !== undefined) return found;
        const added = await this.organizations.add(operator.profile(), this.clock.now());
        const id = added.ok ? added.value : (await this.organizations.findNamed(operator.nameKey))?.id;
        if (id === undefined)
          throw new Error(`The organization ${operator.nameKey} is taken and cannot be found.`);
        if (added.ok) onAdded();
        idByName.set(operator.nameKey, id);
        return id;
      },
    };
  }
}

/** A stream that the list asks for. */
interface Candidate {
  readonly row: number;
  readonly stream: StreamProfile;
  readonly operator: Operator;
}

/** Cuts what is too long; a name that shows nothing, or an address that nothing can be fetched from, is refused. */
function streamOf({ name: rawName, url, tags }: ListedStation): Result<StreamProfile, string> {
  const name = shortened(rawName, MAX_NAME_LENGTH);
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)) return err('the name is blank');
  const shortTags = distinctTags(tags.map((tag) => shortened(tag, MAX_TAG_LENGTH))).slice(0, MAX_TAGS);
  const profile = parseStreamProfile({ name, url, tags: shortTags });
  if (profile.ok) return profile;
  return err(profile.error.fields.map(({ field, rule }) => `the ${field} ${rule}`).join('; '));
}

function shortened(text: string, length: number): string {
  return cut(oneLine(text).normalize('NFC'), length).trim();
}

/** Who runs stations of the list, as far as the list says. */
class Operator {
  #image: HttpUrl | null = null;
  readonly nameKey: string;

  constructor(
    readonly name: string,
    private readonly website: string | null,
  ) {
    this.nameKey = organizationNameKey(name);
  }

  /** The first favicon that is an address becomes the image. */
  offerImage(favicon: string | null): void {
    this.#image ??= favicon === null ? null : parseHttpUrl(favicon);
  }

  profile(): OrganizationProfile {
    const profile = parseOrganizationProfile({
      name: this.name,
      image: this.#image ?? undefined,
      links: this.website === null ? [] : [{ type: 'website', url: this.website }],
    });
    if (!profile.ok) throw new Error(`Not a profile: ${JSON.stringify(profile.error.fields)}`);
    return profile.value;
  }
}

/** The operators of one list, each known by its homepage's host. */
class Operators {
  readonly #byName = new Map<string, Operator>();
  readonly #fallbackName: string;

  constructor(fallbackName: string) {
    this.#fallbackName = shortened(fallbackName, MAX_NAME_LENGTH) || 'Imported stations';
  }

  of({ homepage, favicon }: ListedStation): Operator {
    const url = homepage === null ? null : parseHttpUrl(homepage);
    const operator = url === null ? this.#named(this.#fallbackName, null) : this.#ofHomepage(new URL(url));
    operator.offerImage(favicon);
    return operator;
  }

  #ofHomepage({ hostname, origin }: URL): Operator {
    // `www.com` is a host of its own.
    const host = hostname.replace(/^www\.(?=.*\.)/, '').replace(/\.$/, '');
    return this.#named(shortened(host, MAX_NAME_LENGTH), origin);
  }

  #named(name: string, website: string | null): Operator {
    const key = organizationNameKey(name);
    const operator = this.#byName.get(key) ?? new Operator(name, website);
    this.#byName.set(key, operator);
    return operator;
  }
}

function sameTexts(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, index) => text === others[index]);
}
