import type { Brand } from './ids.js';
import { type Result, err, ok } from './result.js';
import { characters, isStorable } from './text.js';

/** One mailbox: ASCII, lower case, at most 254 characters, `local@domain` without comments, quotes or lists. */
export type EmailAddress = Brand<string, 'EmailAddress'>;
export interface InvalidEmail {
  readonly kind: 'invalid-email';
}

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The only way to an {@link EmailAddress}. Lower-cases, so two spellings of one mailbox compare equal. */
export function parseEmailAddress(raw: string): Result<EmailAddress, InvalidEmail> {
  const address = raw.toLowerCase();
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  const domain = address.slice(at + 1);
  // The length comes first: it bounds the work of every pattern below. ASCII is asked of what was typed: some other
  // letters have ASCII ones as their lower case.
  const valid =
    raw.length <= 254 &&
    /^[!-~]+$/.test(raw) &&
    local.length <= 64 &&
    LOCAL_PART.test(local) &&
    domain.split('.').every((label) => DOMAIN_LABEL.test(label)) &&
    !/^[\d.]+$/.test(domain);
  return valid ? ok(address as EmailAddress) : err({ kind: 'invalid-email' });
}

/** A display name, NFC, 1 to 64 characters. Two names with one {@link usernameKey} are the same name. */
export type Username = Brand<string, 'Username'>;
export interface InvalidUsername {
  readonly kind: 'invalid-username';
}

/** Trims and normalises; refuses control, format and ill-formed characters. */
export function parseUsername(raw: string): Result<Username, InvalidUsername> {
  const name = raw.trim().normalize('NFC');
  const valid =
    name.length > 0 &&
    name.length <= 128 &&
    characters(name) <= 64 &&
    !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name);
  return valid ? ok(name as Username) : err({ kind: 'invalid-username' });
}

/** What must be unique among usernames: compatibility forms and letter case do not make a new name. */
export function usernameKey(username: Username): string {
  return username.normalize('NFKC').toLowerCase().normalize('NFKC');
}

export type PasswordRule = 'length' | 'upper-case' | 'number' | 'special' | 'storable' | 'too-long';
export interface WeakPassword {
  readonly kind: 'weak-password';
  readonly broken: readonly PasswordRule[];
}

/** bcrypt reads no further; a longer password is refused, never cut. */
export const MAX_PASSWORD_BYTES = 72;

const PASSWORD_RULES: Record<PasswordRule, (password: string) => boolean> = {
  length: (password) => characters(password) >= 8,
  'upper-case': (password) => /\p{Lu}/u.test(password),
  number: (password) => /\p{N}/u.test(password),
  special: (password) => /[\p{P}\p{S}]/u.test(password),
  storable: isStorable,
  'too-long': (password) => utf8Length(password) <= MAX_PASSWORD_BYTES,
};

/** A password as typed, NFC: never stored, redacted wherever it is printed. */
export class PlainPassword {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** For a new password: all rules of the specification, and bcrypt's limit. */
  static parse(raw: string): Result<PlainPassword, WeakPassword> {
    const text = raw.normalize('NFC');
    const broken = (Object.keys(PASSWORD_RULES) as PasswordRule[]).filter(
      (rule) => !PASSWORD_RULES[rule](text),
    );
    return broken.length === 0 ? ok(new PlainPassword(text)) : err({ kind: 'weak-password', broken });
  }

  /** For a login; any text may be tried. */
  static attempt(raw: string): PlainPassword {
    return new PlainPassword(raw.normalize('NFC'));
  }

  /** False for a text that no stored password can be: too long, or holding what none may hold. */
  get isPossible(): boolean {
    return PASSWORD_RULES['too-long'](this.#text) && PASSWORD_RULES.storable(this.#text);
  }

  /** The text itself, for the password hasher only. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '[password]';
  }

  toJSON(): string {
    return '[password]';
  }
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
