import { type Instant, type OrganizationId, type StreamUuid, parseStreamUuid } from '../domain/ids.js';
import {
  type OrganizationProfile,
  type ProfileFields,
  parseOrganizationProfile,
} from '../domain/organization.js';
import { type Result, err, ok } from '../domain/result.js';
import { type StreamProfile, parseStreamProfile, streamUrlKey } from '../domain/stream.js';
import { type ListedStation, type Operator, Operators, streamOf } from './listed-stations.js';
import type { BulkDirectory, NewStream } from './ports/bulk-directory.js';
import type { Clock } from './ports/clock.js';
import type { OrganizationRepository, StoredStream } from './ports/organization-repository.js';
import type { Secrets } from './ports/secrets.js';

export type { ListedStation } from './listed-stations.js';

export interface SkippedRow {
  readonly row: number;
  /** Why it cannot be taken: a phrase in lower case without a full stop. */
  readonly reason: string;
}

/** An organization as an export of a directory names it. */
export interface OrganizationRow {
  readonly row: number;
  readonly profile: ProfileFields;
}

/** What a list holds in one place: a station, an organization, or something that is neither. */
export type StationRow = ListedStation | OrganizationRow | SkippedRow;

export interface ImportOptions {
  /** Takes all streams; left out: each goes to its operator, which is the organization that its row names or the host of its homepage. */
  readonly organization?: OrganizationId | undefined;
  /** The organization of the streams that name neither. */
  readonly fallbackOrganizationName: string;
  readonly onSkipped?: ((skipped: SkippedRow) => void) | undefined;
  /** Called after every batch. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

export interface ImportProgress extends ImportSummary {
  /** Rows dealt with so far. */
  readonly rows: number;
}

/** Counts. Rows whose stream is in the directory already, and as it should be, are in none of them. */
export interface ImportSummary {
  readonly added: number;
  readonly updated: number;
  readonly skipped: number;
  /** Organizations added. */
  readonly organizations: number;
}

/** So many rows are in memory at once. */
const BATCH = 500;

/**
 * Makes streams of stations, and organizations of their operators. Importing a list again, also after it was broken off,
 * adds nothing twice: a stream is known by its UUID where the list has one, else by its `streamUrlKey`, whoever added
 * it. Nothing is ever removed; an existing organization at most gets the image that it lacks.
 */
export class ImportStations {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly bulk: BulkDirectory,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** Stores batch by batch, in memory that does not grow with the list. A list that rejects leaves what was stored before. */
  execute(rows: AsyncIterable<StationRow>, options: ImportOptions): Promise<ImportSummary> {
    return this.organizations.exclusively(async () => {
      await this.bulk.clearMarks();
      const run = new ImportRun(this.bulk, this.secrets, this.clock, options);
      let batch: StationRow[] = [];
      for await (const row of rows) {
        batch.push(row);
        if (batch.length < BATCH) continue;
        await run.take(batch);
        batch = [];
      }
      if (batch.length > 0) await run.take(batch);
      await this.bulk.clearMarks();
      return run.summary;
    });
  }
}

/** A stream that the list asks for. */
interface Candidate {
  readonly row: number;
  readonly stream: StreamProfile;
  readonly urlKey: string;
  readonly operator: Operator;
  /** Where the list says which stream it is, and not only where it is heard. */
  readonly uuid: StreamUuid | null;
  readonly addedAt: Instant | null;
}

/** What became of a row: nothing to say, a stream to add, or why it is skipped. */
type Fate = 'kept' | 'updated' | { readonly add: NewStream } | { readonly skip: string };

class ImportRun {
  readonly #counts = { added: 0, updated: 0, skipped: 0, organizations: 0 };
  #rows = 0;

  constructor(
    private readonly bulk: BulkDirectory,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly options: ImportOptions,
  ) {}

  get summary(): ImportSummary {
    return { ...this.#counts };
  }

  async take(rows: readonly StationRow[]): Promise<void> {
    const operators = new Operators(this.options.fallbackOrganizationName);
    const fates = new Map<number, Fate>();
    const candidates: Candidate[] = [];
    const profiles: OrganizationProfile[] = [];
    for (const [place, row] of rows.entries()) {
      const parsed = parsedRow(row, operators);
      if (!parsed.ok) fates.set(place, { skip: parsed.error });
      else if ('stream' in parsed.value) candidates.push({ ...parsed.value, row: place });
      else profiles.push(parsed.value);
    }
    if (this.options.organization === undefined && profiles.length > 0)
      this.#counts.organizations += await this.bulk.addOrganizations(profiles, this.clock.now());
    const rowAt = (place: number) => rows[place]?.row ?? 0;
    for (const [place, fate] of await this.#store(candidates, rowAt)) fates.set(place, fate);
    for (const [place, { row }] of rows.entries()) this.#account(row, fates.get(place) ?? 'kept');
    this.#rows += rows.length;
    this.options.onProgress?.({ rows: this.#rows, ...this.summary });
  }

  #account(row: number, fate: Fate): void {
    if (fate === 'kept') return;
    if (fate === 'updated') this.#counts.updated += 1;
    else if ('add' in fate) this.#counts.added += 1;
    else {
      this.#counts.skipped += 1;
      this.options.onSkipped?.({ row, reason: fate.skip });
    }
  }

  async #store(
    candidates: readonly Candidate[],
    rowAt: (place: number) => number,
  ): Promise<ReadonlyMap<number, Fate>> {
    const fates = new Map<number, Fate>();
    if (candidates.length === 0) return fates;
    const seen = await this.#firstRows(candidates, rowAt);
    const known = await this.#known(candidates, seen, rowAt, fates);
    const owners = await this.#owners(
      candidates.filter(({ row }) => !fates.has(row)),
      known,
    );

    const changed: { id: StoredStream['id']; name: string; tags: readonly string[] }[] = [];
    const added = new Map<number, NewStream>();
    for (const { row, stream, operator, uuid, addedAt } of candidates) {
      if (fates.has(row)) continue;
      const existing = known.get(row);
      const owner = owners.get(operator.nameKey);
      if (existing && existing.organization !== owner)
        fates.set(row, { skip: `stream ${existing.id} of another organization has this address` });
      else if (existing && existing.name === stream.name && sameTexts(existing.tags, stream.tags))
        fates.set(row, 'kept');
      else if (existing) {
        // Its operator may have switched it off, or written its address another way: only name and tags follow the list.
        changed.push({ id: existing.id, name: stream.name, tags: stream.tags });
        fates.set(row, 'updated');
      } else if (owner !== undefined) {
        const now = this.clock.now();
        const since = addedAt !== null && addedAt < now ? addedAt : now;
        added.set(row, { ...stream, organization: owner, uuid: uuid ?? this.secrets.uuid(), addedAt: since });
      }
    }
    if (changed.length > 0) await this.bulk.renameStreams(changed);
    const stored = added.size > 0 ? await this.bulk.addStreams([...added.values()]) : new Set();
    for (const [row, stream] of added)
      fates.set(
        row,
        stored.has(stream.uuid)
          ? { add: stream }
          : { skip: `there is no organization ${stream.organization}` },
      );
    return fates;
  }

  /** The row of this import that named each key first. */
  #firstRows(
    candidates: readonly Candidate[],
    rowAt: (place: number) => number,
  ): Promise<ReadonlyMap<string, number>> {
    return this.bulk.mark(
      candidates.flatMap(({ row, urlKey, uuid }) => {
        const marks = [{ key: addressMark(urlKey), row: rowAt(row) }];
        if (uuid !== null) marks.push({ key: uuidMark(uuid), row: rowAt(row) });
        return marks;
      }),
    );
  }

  /** Which streams of the directory the candidates are; decides those that the list has named before. */
  async #known(
    candidates: readonly Candidate[],
    seen: ReadonlyMap<string, number>,
    rowAt: (place: number) => number,
    fates: Map<number, Fate>,
  ): Promise<ReadonlyMap<number, StoredStream>> {
    const uuids = candidates.flatMap(({ uuid }) => uuid ?? []);
    const withUuid =
      uuids.length > 0 ? await this.bulk.streamsWith(uuids) : new Map<StreamUuid, StoredStream>();
    const atAddress = await this.bulk.streamsAt(candidates.map(({ urlKey }) => urlKey));
    const known = new Map<number, StoredStream>();
    for (const { row, urlKey, uuid } of candidates) {
      const sameAddress = seen.get(addressMark(urlKey)) ?? rowAt(row);
      const sameUuid = uuid === null ? rowAt(row) : (seen.get(uuidMark(uuid)) ?? rowAt(row));
      if (sameUuid !== rowAt(row)) fates.set(row, { skip: `same UUID as row ${sameUuid}` });
      else if (uuid === null && sameAddress !== rowAt(row))
        fates.set(row, { skip: `same address as row ${sameAddress}` });
      else {
        // Two streams of one directory may share an address: then only the first may be one that was there before.
        const isFirst = sameAddress === rowAt(row);
        const stream = (uuid !== null && withUuid.get(uuid)) || (isFirst ? atAddress.get(urlKey) : undefined);
        if (stream) known.set(row, stream);
      }
    }
    return known;
  }

  /** Ids by name key. Adds operators that streams are to be added to, and gives images to those without. */
  async #owners(
    candidates: readonly Candidate[],
    known: ReadonlyMap<number, StoredStream>,
  ): Promise<ReadonlyMap<string, OrganizationId>> {
    const { organization } = this.options;
    const operators = new Map(candidates.map(({ operator }) => [operator.nameKey, operator]));
    if (organization !== undefined) return new Map([...operators.keys()].map((key) => [key, organization]));
    const keys = [...operators.keys()];
    let found = await this.bulk.organizationsNamed(keys);
    const needed = new Set(
      candidates.filter(({ row }) => !known.has(row)).map(({ operator }) => operator.nameKey),
    );
    const missing = [...operators.values()].filter(
      ({ nameKey }) => needed.has(nameKey) && !found.has(nameKey),
    );
    if (missing.length > 0) {
      const profiles = missing.map((operator) => operator.profile());
      this.#counts.organizations += await this.bulk.addOrganizations(profiles, this.clock.now());
      found = await this.bulk.organizationsNamed(keys);
    }
    const images = [...found].flatMap(([key, { id, image }]) => {
      const offered = operators.get(key)?.image ?? null;
      return image === null && offered !== null ? [[id, offered] as const] : [];
    });
    if (images.length > 0) await this.bulk.giveImages(new Map(images));
    return new Map([...found].map(([key, { id }]) => [key, id]));
  }
}

/** A row as the domain takes it, or why it does not. */
function parsedRow(
  row: StationRow,
  operators: Operators,
): Result<Omit<Candidate, 'row'> | OrganizationProfile, string> {
  if ('reason' in row) return err(row.reason);
  if ('profile' in row) {
    const profile = parseOrganizationProfile(row.profile);
    return profile.ok ? profile : err(rulesBroken(profile.error));
  }
  const uuid = parseStreamUuid(row.uuid ?? '');
  // What comes with a UUID is from a directory, where names need not please a list.
  const stream = uuid === null ? streamOf(row) : parseStreamProfile(row);
  if (!stream.ok) return err(typeof stream.error === 'string' ? stream.error : rulesBroken(stream.error));
  const operator = operators.of(row);
  const urlKey = streamUrlKey(stream.value.url);
  return ok({ stream: stream.value, urlKey, operator, uuid, addedAt: row.addedAt ?? null });
}

function rulesBroken({ fields }: { readonly fields: readonly { field: string; rule: string }[] }): string {
  return fields.map(({ field, rule }) => `the ${field} ${rule}`).join('; ');
}

const addressMark = (urlKey: string): string => `address ${urlKey}`;
const uuidMark = (uuid: StreamUuid): string => `uuid ${uuid}`;

function sameTexts(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, index) => text === others[index]);
}
