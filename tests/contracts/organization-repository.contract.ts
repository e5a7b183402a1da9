import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import {
  MAX_ID,
  type OrganizationId,
  type OrganizationTokenId,
  type StreamId,
  later,
} from '../../src/domain/ids.js';
import { LINK_TYPES, organizationNameKey } from '../../src/domain/organization.js';
import { err, ok } from '../../src/domain/result.js';
import { MAX_TAGS } from '../../src/domain/stream.js';
import {
  aNewAccount,
  aStreamProfile,
  aStreamUuid,
  aTokenHash,
  anActivatedUser,
  anAddedOrganization,
  anAddedStream,
  anEmail,
  anOrganizationProfile,
  must,
} from '../support/builders.js';
import { START } from '../support/manual-clock.js';
import type { StorageUnderTest } from './storage.js';

const NOBODY = MAX_ID as OrganizationId;
const ORGANIZATION_NOT_FOUND = err({ kind: 'organization-not-found' });
const TOKEN_NOT_FOUND = err({ kind: 'token-not-found' });
const MEMBER_NOT_FOUND = err({ kind: 'member-not-found' });
const ODD_TEXTS = [
  '📻 Радио 收音机',
  'إذاعة القرآن',
  `"'; -- %s \\n $1`,
  'Ünï\u0323co\u0308de',
  '𝄞'.repeat(200),
];

/** What every `OrganizationRepository` promises. The storage was started. */
export function organizationRepositoryContract(storage: StorageUnderTest): void {
  describe('OrganizationRepository', () => {
    describe('with organizations', () => organizationContract(storage));
    describe('with streams', () => streamContract(storage));
    describe('with API tokens', () => tokenContract(storage));
    describe('with members', () => memberContract(storage));
    describe('working exclusively', () => exclusiveContract(storage));
  });
}

function organizationContract(storage: StorageUnderTest): void {
  it('keeps every field of a profile', async () => {
    const { organizations } = await storage.open();
    const rich = anOrganizationProfile({
      name: 'Radio Žižkov',
      description: 'Hudba 🎶\n\n“all day”',
      image: 'https://radio.example/logo.png',
      thumbnail: 'https://radio.example/small.png',
      links: LINK_TYPES.map((type) => ({ type, url: `https://radio.example/${type}` })),
      isPublic: false,
      isActive: false,
    });
    const bare = anOrganizationProfile();
    for (const profile of [rich, bare]) {
      const id = must(await organizations.add(profile, START));
      const stored = { ...profile, id };
      expect(await organizations.find(id)).to.deep.equal(stored);
      expect(await organizations.findNamed(organizationNameKey(profile.name))).to.deep.equal(stored);
    }
  });

  for (const name of ODD_TEXTS)
    it(`keeps the name ${name.slice(0, 20)}`, async () => {
      const { organizations } = await storage.open();
      const profile = anOrganizationProfile({ name, description: name });
      const id = must(await organizations.add(profile, START));
      expect(await organizations.find(id)).to.deep.equal({ ...profile, id });
      expect(await organizations.findNamed(organizationNameKey(name))).to.include({ id });
    });

  it('finds nothing by an unknown id or name', async () => {
    const { organizations } = await storage.open();
    await anAddedOrganization(organizations, { name: 'Radio Jazz' });
    expect(await organizations.find(NOBODY)).to.equal(null);
    for (const name of ['radio', 'radio jaz', 'radio jazz fm', 'radio%', ''])
      expect(await organizations.findNamed(organizationNameKey(name))).to.equal(null);
  });

  for (const [taken, wanted] of [
    ['Radio Jazz', 'rADIO jAZZ'],
    ['Cafe\u0301 FM', 'Café FM'],
    ['ÉTOILE', 'e\u0301toile'],
    ['Радио', 'РАДИО'],
    ['İstanbul', 'i̇stanbul'],
  ] as const)
    it(`takes the names ${taken} and ${wanted} for one`, async () => {
      const { organizations } = await storage.open();
      const id = await anAddedOrganization(organizations, { name: taken });
      const refused = await organizations.add(anOrganizationProfile({ name: wanted }), START);
      expect(refused).to.deep.equal(err({ kind: 'organization-name-taken' }));
      expect((await organizations.list()).map((organization) => organization.id)).to.deep.equal([id]);
    });

  it('gives one of many concurrent organizations the name', async () => {
    const { organizations } = await storage.open();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        organizations.add(anOrganizationProfile({ name: index % 2 ? 'Radio Jazz' : 'RADIO JAZZ' }), START),
      ),
    );
    expect(answers.filter((answer) => answer.ok)).to.have.length(1);
    expect(await organizations.list()).to.have.length(1);
  });

  it('lists all, listed in public or not, by ascending id', async () => {
    const { organizations } = await storage.open();
    const ids = [];
    for (const fields of [{ name: 'z' }, { name: 'a', isActive: false }, { name: 'm', isPublic: false }])
      ids.push(await anAddedOrganization(organizations, fields));
    const listed = (await organizations.list()).map((organization) => organization.id);
    expect(listed).to.deep.equal(ids);
    expect(listed).to.deep.equal([...ids].sort((one, other) => one - other));
  });
}

function streamContract(storage: StorageUnderTest): void {
  it('keeps every field of a profile, tags in their order', async () => {
    const { organizations } = await storage.open();
    const organization = await anAddedOrganization(organizations);
    const uuid = aStreamUuid();
    const profile = aStreamProfile({
      name: 'Джаз 🎷 "24/7"',
      url: `https://stream.example:8443/jazz,live.mp3?q='%00"&x={a}`,
      tags: ['zebra', 'Acid Jazz', 'a,b', '"quoted"', 'back\\slash', '{curly}', 'NULL', 'موسيقى', '🎺'],
    });
    const id = must(await organizations.addStream(organization, uuid, profile, START));
    expect(await organizations.findStream(id)).to.deep.equal({
      ...profile,
      id,
      uuid,
      organization,
      isActive: true,
    });
  });

  for (const name of ODD_TEXTS)
    it(`keeps the stream name ${name.slice(0, 20)}`, async () => {
      const { organizations } = await storage.open();
      const organization = await anAddedOrganization(organizations);
      const { id } = await anAddedStream(organizations, organization, { name });
      expect((await organizations.findStream(id))?.name).to.equal(name.normalize('NFC'));
    });

  it('adds no stream to an unknown organization', async () => {
    const { organizations } = await storage.open();
    const refused = await organizations.addStream(NOBODY, aStreamUuid(), aStreamProfile(), START);
    expect(refused).to.deep.equal(ORGANIZATION_NOT_FOUND);
    expect(await organizations.listStreams()).to.deep.equal([]);
  });

  it('never lets two streams have one UUID', async () => {
    const { organizations } = await storage.open();
    const organization = await anAddedOrganization(organizations);
    const { id, uuid } = await anAddedStream(organizations, organization);
    const outcome = await organizations
      .addStream(organization, uuid, aStreamProfile(), START)
      .catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(Error);
    expect((await organizations.listStreams()).map((stream) => stream.id)).to.deep.equal([id]);
  });

  it('replaces a profile as a whole, and nothing else', async () => {
    const { organizations } = await storage.open();
    const organization = await anAddedOrganization(organizations);
    const { id, uuid } = await anAddedStream(organizations, organization, { tags: ['jazz', 'live'] });
    const other = await anAddedStream(organizations, organization);
    const before = await organizations.findStream(other.id);
    const profile = aStreamProfile({ name: 'Renamed', tags: [], isEnabled: false });
    expect(await organizations.updateStream(id, profile)).to.equal(true);
    expect(await organizations.findStream(id)).to.deep.equal({
      ...profile,
      id,
      uuid,
      organization,
      isActive: false,
    });
    expect(await organizations.findStream(other.id)).to.deep.equal(before);
  });

  it('finds and updates no unknown stream', async () => {
    const { organizations } = await storage.open();
    const unknown = MAX_ID as StreamId;
    expect(await organizations.findStream(unknown)).to.equal(null);
    expect(await organizations.updateStream(unknown, aStreamProfile())).to.equal(false);
  });

  it('lists the streams of one organization or of all, by ascending id, also after a change', async () => {
    const { organizations } = await storage.open();
    const one = await anAddedOrganization(organizations);
    const other = await anAddedOrganization(organizations, { isPublic: false });
    const ids: StreamId[] = [];
    for (const organization of [one, other, one, other])
      ids.push((await anAddedStream(organizations, organization)).id);
    await organizations.updateStream(
      ids[0] as StreamId,
      aStreamProfile({ tags: Array.from({ length: MAX_TAGS }, (_, index) => `tag ${index}`) }),
    );
    const listed = async (organization?: OrganizationId) =>
      (await organizations.listStreams(organization)).map((stream) => stream.id);
    expect(await listed()).to.deep.equal(ids);
    expect(await listed(one)).to.deep.equal([ids[0], ids[2]]);
    expect(await listed(other)).to.deep.equal([ids[1], ids[3]]);
    expect(await listed(NOBODY)).to.deep.equal([]);
  });
}

function tokenContract(storage: StorageUnderTest): void {
  it('knows whose token a hash is, of several', async () => {
    const { organizations } = await storage.open();
    const one = await anAddedOrganization(organizations);
    const other = await anAddedOrganization(organizations);
    for (const organization of [one, one, other]) {
      const hash = aTokenHash();
      const token = must(await organizations.addToken(organization, hash, 'studio', START));
      expect(await organizations.tokenOwner(hash)).to.deep.equal({ token, organization });
    }
    expect(await organizations.tokenOwner(aTokenHash())).to.equal(null);
  });

  it('knows the owner of a token also while the organization is not listed', async () => {
    const { organizations } = await storage.open();
    const organization = await anAddedOrganization(organizations, { isActive: false, isPublic: false });
    const hash = aTokenHash();
    const token = must(await organizations.addToken(organization, hash, '', START));
    expect(await organizations.tokenOwner(hash)).to.deep.equal({ token, organization });
  });

  it('lists the tokens of one organization by ascending id, with label and millisecond', async () => {
    const { organizations } = await storage.open();
    const organization = await anAddedOrganization(organizations);
    const other = await anAddedOrganization(organizations);
    const added = [];
    for (const [index, label] of ['Studio 📻', '', 'old'].entries()) {
      const createdAt = later(START, 17 * index + 1);
      const id = must(await organizations.addToken(organization, aTokenHash(), label, createdAt));
      added.push({ id, label, createdAt });
    }
    must(await organizations.addToken(other, aTokenHash(), 'other', START));
    expect(await organizations.listTokens(organization)).to.deep.equal(ok(added));
    expect(await organizations.listTokens(NOBODY)).to.deep.equal(ORGANIZATION_NOT_FOUND);
  });

  it('adds no token to an unknown organization', async () => {
    const { organizations } = await storage.open();
    const hash = aTokenHash();
    expect(await organizations.addToken(NOBODY, hash, 'x', START)).to.deep.equal(ORGANIZATION_NOT_FOUND);
    expect(await organizations.tokenOwner(hash)).to.equal(null);
  });

  it('revokes one token at once and leaves the others', async () => {
    const { organizations } = await storage.open();
    const organization = await anAddedOrganization(organizations);
    const [revoked, kept] = [aTokenHash(), aTokenHash()];
    const id = must(await organizations.addToken(organization, revoked, 'old', START));
    const keptId = must(await organizations.addToken(organization, kept, 'new', START));
    expect(await organizations.revokeToken(id)).to.deep.equal(ok());
    expect(await organizations.tokenOwner(revoked)).to.equal(null);
    expect(await organizations.tokenOwner(kept)).to.deep.equal({ token: keptId, organization });
    expect(must(await organizations.listTokens(organization)).map((token) => token.id)).to.deep.equal([
      keptId,
    ]);
    expect(await organizations.revokeToken(id)).to.deep.equal(TOKEN_NOT_FOUND);
    expect(await organizations.revokeToken(MAX_ID as OrganizationTokenId)).to.deep.equal(TOKEN_NOT_FOUND);
  });

  it('never gives a revoked token’s id to another', async () => {
    const { organizations } = await storage.open();
    const organization = await anAddedOrganization(organizations);
    const id = must(await organizations.addToken(organization, aTokenHash(), 'old', START));
    must(await organizations.revokeToken(id));
    expect(must(await organizations.addToken(organization, aTokenHash(), 'new', START))).to.be.above(id);
  });
}

function memberContract(storage: StorageUnderTest): void {
  it('lists members with email and username, by ascending id, each once', async () => {
    const { accounts, organizations } = await storage.open();
    const organization = await anAddedOrganization(organizations);
    const other = await anAddedOrganization(organizations);
    const [anna, ben] = [aNewAccount({ username: 'Zoë 🎧' }), aNewAccount({ username: 'Ben' })];
    for (const account of [anna, ben]) must(await accounts.register(account));
    for (const { email } of [ben, anna, anna])
      expect(await organizations.addMember(organization, email)).to.deep.equal(ok());
    expect(await organizations.listMembers(organization)).to.deep.equal(
      ok([anna, ben].map(({ email, username }) => ({ email, username }))),
    );
    expect(await organizations.listMembers(other)).to.deep.equal(ok([]));
  });

  it('adds a member once, however many ask at the same time', async () => {
    const { accounts, organizations } = await storage.open();
    const organization = await anAddedOrganization(organizations);
    const email = anEmail();
    await anActivatedUser(accounts, { email });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => organizations.addMember(organization, email)),
    );
    expect(answers).to.deep.equal(answers.map(() => ok()));
    expect(must(await organizations.listMembers(organization))).to.have.length(1);
  });

  it('refuses unknown organizations and emails', async () => {
    const { accounts, organizations } = await storage.open();
    const organization = await anAddedOrganization(organizations);
    const email = anEmail();
    await anActivatedUser(accounts, { email });
    expect(await organizations.addMember(NOBODY, email)).to.deep.equal(ORGANIZATION_NOT_FOUND);
    expect(await organizations.listMembers(NOBODY)).to.deep.equal(ORGANIZATION_NOT_FOUND);
    expect(await organizations.addMember(organization, anEmail())).to.deep.equal(
      err({ kind: 'account-not-found' }),
    );
    expect(must(await organizations.listMembers(organization))).to.be.empty;
  });

  it('removes a member of one organization, who stays one of others', async () => {
    const { accounts, organizations } = await storage.open();
    const one = await anAddedOrganization(organizations);
    const other = await anAddedOrganization(organizations);
    const email = anEmail();
    await anActivatedUser(accounts, { email });
    for (const organization of [one, other]) must(await organizations.addMember(organization, email));
    expect(await organizations.removeMember(one, email)).to.deep.equal(ok());
    expect(must(await organizations.listMembers(one))).to.be.empty;
    expect(must(await organizations.listMembers(other))).to.have.length(1);
    expect(await organizations.removeMember(one, email)).to.deep.equal(MEMBER_NOT_FOUND);
    expect(await organizations.removeMember(one, anEmail())).to.deep.equal(MEMBER_NOT_FOUND);
    expect(await organizations.removeMember(NOBODY, email)).to.deep.equal(MEMBER_NOT_FOUND);
  });
}

function exclusiveContract(storage: StorageUnderTest): void {
  it('runs one work after the other, each with its own answer', async () => {
    const { organizations } = await storage.open();
    const log: string[] = [];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        organizations.exclusively(async () => {
          log.push(`begin ${index}`);
          for (let turn = 0; turn < 5; turn += 1) await setImmediate();
          log.push(`end ${index}`);
          return index;
        }),
      ),
    );
    expect(answers).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (let place = 0; place < log.length; place += 2)
      expect(log[place + 1]).to.equal(log[place]?.replace('begin', 'end'));
    expect(log).to.have.length(20);
  });

  it('lets work use the same repository', async () => {
    const { organizations } = await storage.open();
    const added = await Promise.all(
      Array.from({ length: 5 }, () =>
        organizations.exclusively(async () => {
          const before = await organizations.list();
          await anAddedOrganization(organizations);
          return before.length;
        }),
      ),
    );
    expect(added).to.have.members([0, 1, 2, 3, 4]);
  });

  it('passes the failure of a work on to its caller only', async () => {
    const { organizations } = await storage.open();
    const failure = new Error('the file cannot be read');
    const [failed, next] = await Promise.allSettled([
      organizations.exclusively(() => Promise.reject(failure)),
      organizations.exclusively(async () => 'done'),
    ]);
    expect(failed).to.deep.include({ status: 'rejected', reason: failure });
    expect(next).to.deep.equal({ status: 'fulfilled', value: 'done' });
  });
}
