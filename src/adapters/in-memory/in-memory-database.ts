import type { OwedMail } from '../../application/ports/mail-outbox.js';
import type {
  OrganizationToken,
  StoredOrganization,
} from '../../application/ports/organization-repository.js';
import { type Account, type AccountChange, type Session, isCurrent } from '../../domain/account.js';
import { type EmailAddress, usernameKey } from '../../domain/credentials.js';
import type { Pin } from '../../domain/highlights.js';
import type {
  Instant,
  OrganizationId,
  OrganizationTokenId,
  PlayId,
  StreamId,
  StreamUuid,
  UserId,
} from '../../domain/ids.js';
import type { Month } from '../../domain/month.js';
import { NEVER_REPORTED, type NowPlaying } from '../../domain/now-playing.js';
import type { TokenHash, TokenPurpose } from '../../domain/one-time-token.js';
import { isListed, organizationNameKey } from '../../domain/organization.js';
import { type Highlight, type StreamProfile, isActive } from '../../domain/stream.js';
import { NO_VOTES, type VoteState, type VoteTally, recount } from '../../domain/vote.js';
import { Table } from './table.js';

export interface StreamRow extends StreamProfile {
  readonly id: StreamId;
  readonly uuid: StreamUuid;
  readonly organization: OrganizationId;
  readonly addedAt: Instant;
  readonly highlights: readonly Highlight[];
}

export interface MailRow extends OwedMail {
  readonly dueAt: Instant;
  /** Taken by a worker that has not said yet what became of it; `dueAt` is when its lease ends. */
  readonly isClaimed: boolean;
  readonly isGivenUp: boolean;
  /** Why the last attempt failed. */
  readonly problem: string | null;
}

interface OrganizationTokenRow extends OrganizationToken {
  readonly organization: OrganizationId;
  readonly hash: TokenHash;
}

export interface Vote {
  readonly state: VoteState;
  readonly castAt: Instant;
}

/** The plays of one stream, with the number that each play has for ever. */
interface PlayedStream {
  readonly nowPlaying: NowPlaying;
  readonly numbers: ReadonlyMap<PlayId, number>;
}

/** One of an account's unique keys in {@link InMemoryDatabase.accounts}. */
export const accountKey = {
  email: (email: EmailAddress) => `email ${email}`,
  username: (key: string) => `username ${key}`,
  token: (purpose: TokenPurpose, hash: TokenHash) => `${purpose} token ${hash}`,
};

/**
 * What all in-memory repositories of one directory share. Every method runs to its end without waiting for anything,
 * so whoever calls them without an `await` in between makes one atomic step.
 */
export class InMemoryDatabase {
  readonly accounts = new Table<UserId, Account>((account) => [
    accountKey.email(account.email),
    accountKey.username(usernameKey(account.username)),
    ...account.tokens.map(({ purpose, hash }) => accountKey.token(purpose, hash)),
  ]);
  readonly mails = new Map<string, MailRow>();
  /** Ascending instants. The email that failed last comes last. */
  readonly loginFailures = new Map<EmailAddress, readonly Instant[]>();
  readonly organizations = new Table<OrganizationId, StoredOrganization>(({ name }) => [
    organizationNameKey(name),
  ]);
  readonly organizationTokens = new Table<OrganizationTokenId, OrganizationTokenRow>(({ hash }) => [hash]);
  readonly streams = new Table<StreamId, StreamRow>(({ uuid }) => [uuid]);
  /** The end of the last exclusive work, see `OrganizationRepository.exclusively`. */
  exclusiveWork: Promise<unknown> = Promise.resolve();
  /** One per month and highlight: the key holds both. */
  readonly highlightPins = new Map<string, Pin & { readonly month: Month }>();
  /** See `HighlightRepository.recompute`. */
  highlightsComputedAt: Instant | null = null;
  readonly #members = new Map<OrganizationId, Set<UserId>>();
  readonly #votes = new Map<StreamId, Map<UserId, Vote>>();
  readonly #tallies = new Map<StreamId, VoteTally>();
  readonly #played = new Map<StreamId, PlayedStream>();
  #lastPlayNumber = 0;

  /** The account that a session is a login of; undefined once the session has ended. */
  accountOf(session: Session): Account | undefined {
    const account = this.accounts.get(session.user);
    return account && isCurrent(session, account) ? account : undefined;
  }

  /** Owes the mails of a change to its account. */
  owe(user: UserId, { mails, at }: AccountChange): void {
    for (const kind of mails) {
      const id = crypto.randomUUID();
      const times = { owedSince: at, triedSince: at, dueAt: at };
      const state = { attempts: 0, isClaimed: false, isGivenUp: false, problem: null };
      this.mails.set(id, { id, user, kind, ...times, ...state });
    }
  }

  /** Removes an account with all that hangs on it: tokens, mails, memberships, votes. */
  removeAccount(user: UserId): void {
    for (const mail of this.mails.values()) if (mail.user === user) this.mails.delete(mail.id);
    for (const members of this.#members.values()) members.delete(user);
    for (const [stream, votes] of this.#votes) {
      const vote = votes.get(user);
      if (vote) this.setVote(stream, user, { ...vote, state: 'none' });
    }
    this.accounts.remove(user);
  }

  /** Removes a stream with all that hangs on it: votes, plays, highlights and their pins. */
  removeStream(id: StreamId): boolean {
    this.#votes.delete(id);
    this.#tallies.delete(id);
    this.#played.delete(id);
    for (const [key, pin] of this.highlightPins) if (pin.stream === id) this.highlightPins.delete(key);
    return this.streams.remove(id);
  }

  /** Removes an organization with all that hangs on it: streams, API tokens, memberships. */
  removeOrganization(id: OrganizationId): boolean {
    for (const stream of this.streams.all()) if (stream.organization === id) this.removeStream(stream.id);
    for (const token of this.organizationTokens.all())
      if (token.organization === id) this.organizationTokens.remove(token.id);
    this.#members.delete(id);
    return this.organizations.remove(id);
  }

  isActive(stream: StreamRow): boolean {
    const organization = this.organizations.get(stream.organization);
    return organization !== undefined && isActive(stream, organization);
  }

  activeStream(id: StreamId): StreamRow | undefined {
    const stream = this.streams.get(id);
    return stream && this.isActive(stream) ? stream : undefined;
  }

  listedOrganizations(): StoredOrganization[] {
    return this.organizations.all().filter(isListed);
  }

  membersOf(organization: OrganizationId): ReadonlySet<UserId> {
    return this.#members.get(organization) ?? new Set();
  }

  addMember(organization: OrganizationId, user: UserId): void {
    this.#members.set(organization, new Set(this.membersOf(organization)).add(user));
  }

  removeMember(organization: OrganizationId, user: UserId): boolean {
    return this.#members.get(organization)?.delete(user) ?? false;
  }

  voteOf(stream: StreamId, user: UserId): VoteState {
    return this.#votes.get(stream)?.get(user)?.state ?? 'none';
  }

  /** The votes that stand. */
  votesFor(stream: StreamId): readonly Vote[] {
    return [...(this.#votes.get(stream)?.values() ?? [])];
  }

  tallyOf(stream: StreamId): VoteTally {
    return this.#tallies.get(stream) ?? NO_VOTES;
  }

  setVote(stream: StreamId, user: UserId, vote: Vote): void {
    const tally = recount(this.tallyOf(stream), this.voteOf(stream, user), vote.state);
    const votes = this.#votes.get(stream) ?? new Map<UserId, Vote>();
    if (vote.state === 'none') votes.delete(user);
    else votes.set(user, vote);
    this.#votes.set(stream, votes);
    this.#tallies.set(stream, tally);
  }

  playedOn(stream: StreamId): PlayedStream {
    return this.#played.get(stream) ?? { nowPlaying: NEVER_REPORTED, numbers: new Map() };
  }

  /** Plays that were there before keep their numbers, new ones get numbers that no play ever had. */
  setNowPlaying(stream: StreamId, nowPlaying: NowPlaying): void {
    const known = this.playedOn(stream).numbers;
    const plays = [...nowPlaying.past].reverse();
    if (nowPlaying.current) plays.push(nowPlaying.current);
    const numbers = new Map(plays.map(({ id }) => [id, known.get(id) ?? (this.#lastPlayNumber += 1)]));
    this.#played.set(stream, { nowPlaying, numbers });
  }
}
