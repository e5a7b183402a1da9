import type { Instant } from '../domain/ids.js';
import {
  MAX_NAME_LENGTH,
  type OrganizationProfile,
  organizationNameKey,
  parseOrganizationProfile,
} from '../domain/organization.js';
import { type Result, err } from '../domain/result.js';
import {
  MAX_TAGS,
  MAX_TAG_LENGTH,
  type StreamProfile,
  distinctTags,
  parseStreamProfile,
} from '../domain/stream.js';
import { type HttpUrl, cut, oneLine, parseHttpUrl } from '../domain/text.js';

/** A station as its list names it; any text may stand in any field. */
export interface ListedStation {
  /** Where it stands in its list, counted from 1: an entry or a line, as the format counts. */
  readonly row: number;
  readonly name: string;
  readonly url: string;
  readonly tags: readonly string[];
  readonly homepage: string | null;
  readonly favicon: string | null;
  /** The name of its organization, where the list gives one. */
  readonly organization?: string;
  /** The UUID of its stream; only exports of a directory have one. */
  readonly uuid?: string;
  readonly isEnabled?: boolean;
  readonly addedAt?: Instant;
}

/** Cuts what is too long; a name that shows nothing, or an address that nothing can be fetched from, is refused. */
export function streamOf({
  name: rawName,
  url,
  tags,
  isEnabled,
}: ListedStation): Result<StreamProfile, string> {
  const name = shortened(rawName, MAX_NAME_LENGTH);
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)) return err('the name is blank');
  const shortTags = distinctTags(tags.map((tag) => shortened(tag, MAX_TAG_LENGTH))).slice(0, MAX_TAGS);
  const profile = parseStreamProfile({ name, url, tags: shortTags, isEnabled });
  if (profile.ok) return profile;
  return err(profile.error.fields.map(({ field, rule }) => `the ${field} ${rule}`).join('; '));
}

function shortened(text: string, length: number): string {
  return cut(oneLine(text).normalize('NFC'), length).trim();
}

/** Who runs stations of the list, as far as the list says. */
export class Operator {
  #image: HttpUrl | null = null;
  readonly nameKey: string;

  constructor(
    readonly name: string,
    private readonly website: string | null,
  ) {
    this.nameKey = organizationNameKey(name);
  }

  get image(): HttpUrl | null {
    return this.#image;
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

/** The operators of some stations, each known by its name, or else its homepage's host. */
export class Operators {
  readonly #byName = new Map<string, Operator>();
  readonly #fallbackName: string;

  constructor(fallbackName: string) {
    this.#fallbackName = shortened(fallbackName, MAX_NAME_LENGTH) || 'Imported stations';
  }

  of({ homepage, favicon, organization }: ListedStation): Operator {
    const url = homepage === null ? null : parseHttpUrl(homepage);
    const name = shortened(organization ?? '', MAX_NAME_LENGTH);
    const operator =
      name !== ''
        ? this.#named(name, url === null ? null : new URL(url).origin)
        : url === null
          ? this.#named(this.#fallbackName, null)
          : this.#ofHomepage(new URL(url));
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
