import type { StationRow } from '../../application/import-stations.js';
import type { StreamRecord } from '../../application/ports/bulk-directory.js';
import type { StoredOrganization } from '../../application/ports/organization-repository.js';
import type { Instant } from '../../domain/ids.js';
import { jsonElements } from './json-elements.js';
import { MAX_ENTRY_LENGTH } from './text-chunks.js';

/**
 * A directory as one JSON object: `format`, `organizations`, `streams`, an entry a line. A stream names its organization,
 * since names are unique and numbers are given anew wherever it is imported.
 */
export async function* directoryJson(
  organizations: AsyncIterable<StoredOrganization>,
  streams: AsyncIterable<StreamRecord>,
): AsyncGenerator<string> {
  yield `{"format":"${FORMAT}",\n"organizations":[`;
  yield* entries(organizations, (organization) => organization);
  yield '],\n"streams":[';
  yield* entries(
    streams,
    ({ id, uuid, organizationName, name, url, tags, isEnabled, isActive, addedAt }) => ({
      id,
      uuid,
      organization: organizationName,
      name,
      url,
      tags,
      isEnabled,
      isActive,
      addedAt: new Date(addedAt).toISOString(),
    }),
  );
  yield ']}\n';
}

const FORMAT = 'radio-directory 1';
/** How such a file begins, whoever wrote its blanks. */
export const DIRECTORY_JSON_HEAD = /^\{\s*"format"\s*:\s*"radio-directory /;

async function* entries<T>(things: AsyncIterable<T>, json: (thing: T) => object): AsyncGenerator<string> {
  let separator = '\n';
  for await (const thing of things) {
    yield separator + JSON.stringify(json(thing));
    separator = ',\n';
  }
}

/** What {@link directoryJson} wrote. A row is an organization's or a stream's place among all of them. */
export async function* directoryRows(chunks: AsyncIterable<string>): AsyncGenerator<StationRow> {
  const elements = jsonElements(chunks, 2);
  let row = 1;
  for (let next = await elements.next(); ; next = await elements.next()) {
    if (next.done) {
      if (!next.value) yield { row, reason: 'the file ends before the list does' };
      return;
    }
    const { property, text } = next.value;
    if (property === 'organizations') yield organizationRow(row++, text);
    else if (property === 'streams') yield streamRow(row++, text);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function organizationRow(row: number, text: string): StationRow {
  const fields = objectIn(text);
  if (fields === null) return { row, reason: 'not a JSON object' };
  const name = textIn(fields['name']);
  if (name === null) return { row, reason: 'it has no name' };
  const links = Array.isArray(fields['links']) ? (fields['links'] as unknown[]) : [];
  return {
    row,
    profile: {
      name,
      description: textIn(fields['description']) ?? undefined,
      image: textIn(fields['image']) ?? undefined,
      thumbnail: textIn(fields['thumbnail']) ?? undefined,
      links: links.flatMap((link) => linkIn(link)),
      isPublic: flagIn(fields['isPublic']),
      isActive: flagIn(fields['isActive']),
    },
  };
}

function streamRow(row: number, text: string): StationRow {
  const fields = objectIn(text);
  if (fields === null) return { row, reason: 'not a JSON object' };
  const url = textIn(fields['url']);
  if (url === null) return { row, reason: 'it has no url' };
  const tags = Array.isArray(fields['tags']) ? (fields['tags'] as unknown[]) : [];
  const organization = textIn(fields['organization']);
  const uuid = textIn(fields['uuid']);
  const isEnabled = flagIn(fields['isEnabled']);
  const addedAt = Date.parse(textIn(fields['addedAt']) ?? '');
  return {
    row,
    name: textIn(fields['name']) ?? '',
    url,
    tags: tags.flatMap((tag) => textIn(tag) ?? []),
    homepage: null,
    favicon: null,
    ...(organization !== null && { organization }),
    ...(uuid !== null && { uuid }),
    ...(isEnabled !== undefined && { isEnabled }),
    ...(!Number.isNaN(addedAt) && { addedAt: addedAt as Instant }),
  };
}

function objectIn(text: string): Fields | null {
  if (text.length >= MAX_ENTRY_LENGTH) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

function linkIn(value: unknown): { type: string; url: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, url } = value as { type?: unknown; url?: unknown };
  return typeof type === 'string' && typeof url === 'string' ? [{ type, url }] : [];
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function flagIn(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
