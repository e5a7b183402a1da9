import {
  type InvalidField,
  type InvalidFields,
  MAX_NAME_LENGTH,
  type OrganizationProfile,
  isListed,
} from './organization.js';
import { type Result, err, ok } from './result.js';
import { type HttpUrl, characters, isStorable, oneLine, parseHttpUrl } from './text.js';

/** What an organization says of one of its streams. */
export interface StreamProfile {
  /** 1 to 200 characters. */
  readonly name: string;
  /** Where the audio is. */
  readonly url: HttpUrl;
  readonly tags: readonly string[];
  readonly isEnabled: boolean;
}

/** A stream is active while it is enabled and its organization is listed. All listings know active streams only. */
export function isActive(
  stream: Pick<StreamProfile, 'isEnabled'>,
  organization: Pick<OrganizationProfile, 'isActive' | 'isPublic'>,
): boolean {
  return stream.isEnabled && isListed(organization);
}

/** Monthly and trailing honours (contract.md 3). */
export const HIGHLIGHTS = [
  'stream-of-the-month',
  'newcomer-of-the-month',
  'recent-popular',
  'top-voted',
] as const;
export type Highlight = (typeof HIGHLIGHTS)[number];

export const MAX_TAGS = 30;
export const MAX_TAG_LENGTH = 64;

export interface StreamFields {
  readonly name: string;
  readonly url: string;
  readonly tags?: readonly string[] | undefined;
  readonly isEnabled?: boolean | undefined;
}

/** Parses a whole profile; names every field that is wrong. */
export function parseStreamProfile(fields: StreamFields): Result<StreamProfile, InvalidFields> {
  const wrong: InvalidField[] = [];
  const name = oneLine(fields.name).normalize('NFC');
  if (!isStorable(fields.name) || name === '' || characters(name) > MAX_NAME_LENGTH)
    wrong.push({ field: 'name', rule: `must be 1 to ${MAX_NAME_LENGTH} characters` });
  const url = parseHttpUrl(fields.url);
  if (url === null)
    wrong.push({ field: 'url', rule: 'must be an http or https URL of at most 2048 characters' });
  const tags = distinctTags(fields.tags ?? []);
  if (tags.length > MAX_TAGS || tags.some((tag) => !isStorable(tag) || characters(tag) > MAX_TAG_LENGTH))
    wrong.push({
      field: 'tag',
      rule: `must be at most ${MAX_TAGS} tags of at most ${MAX_TAG_LENGTH} characters`,
    });
  if (wrong.length > 0 || url === null) return err({ kind: 'invalid-fields', fields: wrong });
  return ok({ name, url, tags, isEnabled: fields.isEnabled ?? true });
}

/** Trims, drops empty ones and, whatever their case, later copies. */
export function distinctTags(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags.map((raw) => oneLine(raw).normalize('NFC'))) {
    const key = tag.toLowerCase();
    if (tag !== '' && !byKey.has(key)) byKey.set(key, tag);
  }
  return [...byKey.values()];
}

/** Two addresses with one key lead to the same audio: scheme, case of the host, default port, fragment and final slash do not count. */
export function streamUrlKey(url: HttpUrl): string {
  const { hostname, port, pathname, search } = new URL(url);
  const standard = port === '80' || port === '443' ? '' : port;
  return `${hostname}${standard && `:${standard}`}${pathname.replace(/\/+$/, '')}${search}`;
}
