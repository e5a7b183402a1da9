import type { Brand } from './ids.js';
import { type Result, err, ok } from './result.js';
import { type HttpUrl, characters, isStorable, oneLine, parseHttpUrl } from './text.js';

export const LINK_TYPES = [
  'website',
  'discord',
  'twitter',
  'instagram',
  'facebook',
  'youtube',
  'tiktok',
  'twitch',
  'mastodon',
  'bluesky',
  'telegram',
  'whatsapp',
  'email',
  'other',
] as const;
export type LinkType = (typeof LINK_TYPES)[number];

export interface OrganizationLink {
  readonly type: LinkType;
  /** http(s), or `mailto:` for the type `email`. */
  readonly url: string;
}

/** What an organization says of itself. */
export interface OrganizationProfile {
  readonly name: OrganizationName;
  readonly description: string;
  /** Logo; null: none given, {@link organizationImage} is shown. */
  readonly image: HttpUrl | null;
  readonly thumbnail: HttpUrl | null;
  readonly links: readonly OrganizationLink[];
  readonly isPublic: boolean;
  readonly isActive: boolean;
}

/** Only these stand in any listing. */
export function isListed(organization: Pick<OrganizationProfile, 'isActive' | 'isPublic'>): boolean {
  return organization.isActive && organization.isPublic;
}

/** NFC, trimmed, 1 to 200 characters. Two names with one {@link organizationNameKey} are the same name. */
export type OrganizationName = Brand<string, 'OrganizationName'>;
export const MAX_NAME_LENGTH = 200;
export const MAX_DESCRIPTION_LENGTH = 5_000;

/** What must be unique among organization names, and what a search by name compares. */
export function organizationNameKey(name: string): string {
  return name.normalize('NFC').trim().toLowerCase().normalize('NFC');
}

/** A broken rule of a profile: the field and a sentence that says what is allowed. */
export interface InvalidField {
  readonly field: string;
  readonly rule: string;
}
export interface InvalidFields {
  readonly kind: 'invalid-fields';
  readonly fields: readonly InvalidField[];
}

export interface ProfileFields {
  readonly name: string;
  readonly description?: string | undefined;
  readonly image?: string | undefined;
  readonly thumbnail?: string | undefined;
  readonly links?: readonly { readonly type: string; readonly url: string }[] | undefined;
  readonly isPublic?: boolean | undefined;
  readonly isActive?: boolean | undefined;
}

/** Parses a whole profile; names every field that is wrong. */
export function parseOrganizationProfile(fields: ProfileFields): Result<OrganizationProfile, InvalidFields> {
  const wrong: InvalidField[] = [];
  const refuse = (field: string, rule: string) => void wrong.push({ field, rule });
  const url = (field: 'image' | 'thumbnail') => {
    const raw = fields[field];
    if (raw === undefined || raw === '') return null;
    const parsed = parseHttpUrl(raw);
    if (!parsed) refuse(field, 'must be an http or https URL of at most 2048 characters');
    return parsed;
  };
  const name = oneLine(fields.name).normalize('NFC');
  if (!isStorable(fields.name) || name === '' || characters(name) > MAX_NAME_LENGTH)
    refuse('name', `must be 1 to ${MAX_NAME_LENGTH} characters`);
  const description = (fields.description ?? '').trim();
  if (!isStorable(description) || characters(description) > MAX_DESCRIPTION_LENGTH)
    refuse('description', `must be at most ${MAX_DESCRIPTION_LENGTH} characters`);
  const links = (fields.links ?? []).flatMap((link) => {
    const parsed = parseLink(link);
    if (!parsed)
      refuse(
        'link',
        `must be TYPE=URL with a type of ${LINK_TYPES.join(', ')}, not '${link.type}=${link.url}'`,
      );
    return parsed ? [parsed] : [];
  });
  const image = url('image');
  const thumbnail = url('thumbnail');
  if (wrong.length > 0) return err({ kind: 'invalid-fields', fields: wrong });
  const { isPublic = true, isActive = true } = fields;
  return ok({ name: name as OrganizationName, description, image, thumbnail, links, isPublic, isActive });
}

function parseLink({ type, url }: { type: string; url: string }): OrganizationLink | null {
  const known = LINK_TYPES.find((name) => name === type);
  if (!known) return null;
  const isMail = known === 'email' && /^mailto:[^\s\p{Cc}]{3,254}$/u.test(url) && isStorable(url);
  const address = isMail ? url : parseHttpUrl(url);
  return address === null ? null : { type: known, url: address };
}

/** A grey radio, drawn in the address itself: every image field is a URL, also for those who gave none. */
export const DEFAULT_IMAGE =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%23888'%3E%3Crect x='2' y='9' width='20' height='12' rx='2'/%3E%3Ccircle cx='8' cy='15' r='3'/%3E%3Cpath d='M7 9 18 3M14 13h5M14 17h5'/%3E%3C/svg%3E".replaceAll(
    ' ',
    '%20',
  );

export function organizationImage(organization: { readonly image: string | null }): string {
  return organization.image ?? DEFAULT_IMAGE;
}

export function organizationThumbnail(organization: {
  readonly image: string | null;
  readonly thumbnail: string | null;
}): string {
  return organization.thumbnail ?? organizationImage(organization);
}
