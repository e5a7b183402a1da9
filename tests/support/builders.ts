import { randomBytes, randomUUID } from 'node:crypto';
import type { AccountRepository } from '../../src/application/ports/account-repository.js';
import type { OrganizationRepository } from '../../src/application/ports/organization-repository.js';
import {
  type NewAccount,
  type PasswordHash,
  type Session,
  activate,
  issueToken,
  logIn,
} from '../../src/domain/account.js';
import {
  type EmailAddress,
  type Username,
  parseEmailAddress,
  parseUsername,
} from '../../src/domain/credentials.js';
import type { Instant, OrganizationId, PlayId, StreamId, StreamUuid, UserId } from '../../src/domain/ids.js';
import type { Play } from '../../src/domain/now-playing.js';
import type { TokenHash, TokenPurpose } from '../../src/domain/one-time-token.js';
import {
  type OrganizationProfile,
  type ProfileFields,
  parseOrganizationProfile,
} from '../../src/domain/organization.js';
import { type Result, ok } from '../../src/domain/result.js';
import type { SongReport } from '../../src/domain/song-report.js';
import { type StreamFields, type StreamProfile, parseStreamProfile } from '../../src/domain/stream.js';
import { type HttpUrl, parseHttpUrl } from '../../src/domain/text.js';
import { START } from './manual-clock.js';

/** The value of a result that is no refusal; fails the test with the refusal otherwise. */
export function must<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(`Refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

let built = 0;
/** Different on every call, so that things built with defaults never stand in each other's way. */
const next = (): number => (built += 1);

export function anEmail(raw = `listener-${next()}@radio.example`): EmailAddress {
  return must(parseEmailAddress(raw));
}

export function aUsername(raw = `Listener ${next()}`): Username {
  return must(parseUsername(raw));
}

export function anHttpUrl(raw = `https://radio.example/${next()}`): HttpUrl {
  const url = parseHttpUrl(raw);
  if (url === null) throw new Error(`No http(s) URL: ${raw}`);
  return url;
}

export function aTokenHash(): TokenHash {
  return randomBytes(32).toString('base64url') as TokenHash;
}

export function aStreamUuid(): StreamUuid {
  return randomUUID() as StreamUuid;
}

export function aPasswordHash(): PasswordHash {
  return `$2b$04$${randomBytes(40).toString('hex').slice(0, 53)}` as PasswordHash;
}

export function aNewAccount({
  username = `Listener ${next()}`,
  email = `listener-${next()}@radio.example`,
  passwordHash = aPasswordHash(),
  registeredAt = START,
}: {
  username?: string;
  email?: string;
  passwordHash?: PasswordHash;
  registeredAt?: Instant;
} = {}): NewAccount {
  return { username: aUsername(username), email: anEmail(email), passwordHash, registeredAt };
}

export function aSession(overrides: Partial<Session> = {}): Session {
  return { user: 1 as UserId, credentialVersion: 1, ...overrides };
}

export function anOrganizationProfile(fields: Partial<ProfileFields> = {}): OrganizationProfile {
  return must(parseOrganizationProfile({ name: `Organization ${next()}`, ...fields }));
}

export function aStreamProfile(fields: Partial<StreamFields> = {}): StreamProfile {
  const number = next();
  return must(
    parseStreamProfile({
      name: `Stream ${number}`,
      url: `https://stream.example/${number}.mp3`,
      tags: ['jazz'],
      ...fields,
    }),
  );
}

/** Names a song and nothing else, unless told. */
export function aSongReport(overrides: Partial<SongReport> = {}): SongReport {
  return {
    title: 'So What',
    artist: 'Miles Davis',
    cover: null,
    durationSeconds: null,
    startedAt: null,
    playId: null,
    next: { title: null, artist: null, cover: null },
    offAir: false,
    earlier: [],
    ...overrides,
  };
}

export function aPlayId(): PlayId {
  return randomUUID() as PlayId;
}

export function aPlay(overrides: Partial<Play> = {}): Play {
  return {
    id: aPlayId(),
    title: `Song ${next()}`,
    artist: 'Miles Davis',
    cover: null,
    durationSeconds: 240,
    startedAt: START,
    announcedStart: null,
    senderPlayId: null,
    ...overrides,
  };
}

/** Puts a one-time token into an account, as a mail worker does; returns its hash. */
export async function issuedToken(
  accounts: AccountRepository,
  user: UserId,
  purpose: TokenPurpose,
  now: Instant = START,
): Promise<TokenHash> {
  const hash = aTokenHash();
  must(await accounts.update({ id: user }, (account) => ok(issueToken(account, purpose, hash, now))));
  return hash;
}

/** Activates an account the way its owner does; returns a session of it. */
export async function activated(
  accounts: AccountRepository,
  user: UserId,
  now: Instant = START,
): Promise<Session> {
  const token = await issuedToken(accounts, user, 'activation', now);
  const account = must(
    await accounts.update({ token, purpose: 'activation' }, (found) => activate(found, token, now)),
  );
  return must(logIn(account));
}

/** Registers and activates; returns a session. */
export async function anActivatedUser(
  accounts: AccountRepository,
  overrides: Parameters<typeof aNewAccount>[0] = {},
): Promise<Session> {
  const account = aNewAccount(overrides);
  return activated(accounts, must(await accounts.register(account)), account.registeredAt);
}

export async function anAddedOrganization(
  organizations: OrganizationRepository,
  fields: Partial<ProfileFields> = {},
): Promise<OrganizationId> {
  return must(await organizations.add(anOrganizationProfile(fields), START));
}

export async function anAddedStream(
  organizations: OrganizationRepository,
  organization: OrganizationId,
  fields: Partial<StreamFields> = {},
): Promise<{ id: StreamId; uuid: StreamUuid }> {
  const uuid = aStreamUuid();
  const id = must(await organizations.addStream(organization, uuid, aStreamProfile(fields), START));
  return { id, uuid };
}
