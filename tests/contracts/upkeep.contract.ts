import { expect } from 'chai';
import { MAX_ID, type OrganizationId, type StreamId, later } from '../../src/domain/ids.js';
import { activateByHand } from '../../src/domain/account.js';
import { applyReport } from '../../src/domain/now-playing.js';
import { organizationNameKey } from '../../src/domain/organization.js';
import { err, ok } from '../../src/domain/result.js';
import { castVote } from '../../src/domain/vote.js';
import {
  aNewAccount,
  aPlayId,
  aSongReport,
  aStreamProfile,
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
const NOTHING = MAX_ID as StreamId;
const OLD_LOGO = 'https://radio.example/old.png';
const NEW_LOGO = 'https://radio.example/new.png';

/** What the ports promise of changing and removing what is there: everybody sees it at once, everywhere. */
export function upkeepContract(storage: StorageUnderTest): void {
  describe('Changing and removing', () => {
    describe('an organization', () => organizationUpkeep(storage));
    describe('a stream', () => streamUpkeep(storage));
    describe('an account', () => accountUpkeep(storage));
  });
}

function organizationUpkeep(storage: StorageUnderTest): void {
  it('shows a new name, logo and links at once in every listing, in the history and by name', async () => {
    const { organizations, directory, organization, stream } = await opened(storage);
    // Whoever keeps a copy of a listing has it from before the change.
    await directory.streams();
    const profile = anOrganizationProfile({
      name: 'Radio Nova',
      description: 'new',
      image: NEW_LOGO,
      thumbnail: 'https://radio.example/small.png',
      links: [
        { type: 'discord', url: 'https://discord.example/nova' },
        { type: 'website', url: 'https://nova.example' },
      ],
    });

    const updated = await organizations.update(organization, () => ok(profile));

    const { isActive, isPublic, ...shown } = profile;
    expect(updated).to.deep.equal(ok({ ...profile, id: organization }));
    expect({ isActive, isPublic }).to.deep.equal({ isActive: true, isPublic: true });
    expect(await organizations.find(organization)).to.deep.equal({ ...profile, id: organization });
    const place = { id: organization, name: 'Radio Nova', image: NEW_LOGO };
    expect((await directory.streams())[0]?.organization).to.deep.equal(place);
    expect((await directory.streamsOf(organization))?.[0]?.organization).to.deep.equal(place);
    expect((await directory.history(stream))?.organizationImage).to.equal(NEW_LOGO);
    const whole = { ...shown, id: organization };
    expect(await directory.organization(organization)).to.deep.equal(whole);
    expect(await directory.organizationNamed(organizationNameKey('RADIO nova'))).to.deep.equal(whole);
    expect(await directory.organizationNamed(organizationNameKey('Radio Jazz'))).to.equal(null);
    expect((await directory.organizations())[0]).to.deep.include(shown);
    expect(await directory.randomOrganizations(1)).to.deep.equal([whole]);
  });

  it('decides on what is stored, and keeps a name that only changes its case', async () => {
    const { organizations, organization } = await opened(storage);
    const before = await organizations.find(organization);
    const updated = await organizations.update(organization, (found) => {
      expect(found).to.deep.equal(before);
      return ok({ ...found, ...anOrganizationProfile({ name: 'RADIO JAZZ' }) });
    });
    expect(must(updated).name).to.equal('RADIO JAZZ');
    expect(await organizations.findNamed(organizationNameKey('radio jazz'))).to.include({ id: organization });
  });

  it('changes nothing when it is refused: by the rule, for a taken name, for an unknown id', async () => {
    const { organizations, organization } = await opened(storage);
    await anAddedOrganization(organizations, { name: 'Radio Folk' });
    const before = await organizations.list();
    const refusal = err({ kind: 'no' as const });
    expect(await organizations.update(organization, () => refusal)).to.deep.equal(refusal);
    const renamed = anOrganizationProfile({ name: 'radio FOLK', links: [] });
    expect(await organizations.update(organization, () => ok(renamed))).to.deep.equal(
      err({ kind: 'organization-name-taken' }),
    );
    expect(await organizations.update(NOBODY, () => ok(renamed))).to.deep.equal(
      err({ kind: 'organization-not-found' }),
    );
    expect(await organizations.list()).to.deep.equal(before);
  });

  it('runs concurrent changes one after the other', async () => {
    const { organizations, organization } = await opened(storage);
    await Promise.all(
      Array.from({ length: 10 }, () =>
        organizations.update(organization, (before) =>
          ok({ ...before, description: `${before.description}x` }),
        ),
      ),
    );
    expect((await organizations.find(organization))?.description).to.equal('x'.repeat(10));
  });

  for (const hidden of [{ isActive: false }, { isPublic: false }])
    it(`hides it with its streams at once and brings both back: ${JSON.stringify(hidden)}`, async () => {
      const { organizations, directory, votes, anna, organization, stream } = await opened(storage);
      const set = (change: object) =>
        organizations.update(organization, (before) => ok({ ...before, ...change }));
      const seen = async () => ({
        streams: (await directory.streams()).length,
        organizations: (await directory.organizations()).length,
        named: (await directory.organizationNamed(organizationNameKey('Radio Jazz'))) !== null,
        history: (await directory.history(stream)) !== null,
        votes: (await votes.view(stream, anna)).ok,
        statistics: await directory.statistics(),
      });
      const before = await seen();
      must(await set(hidden));
      expect(await seen()).to.deep.equal({
        ...{ streams: 0, organizations: 0, named: false, history: false, votes: false },
        statistics: { users: 1, organizations: 0, stations: 0 },
      });
      must(await set({ isActive: true, isPublic: true }));
      expect(await seen()).to.deep.equal(before);
      expect(await votes.view(stream, anna)).to.deep.equal(ok(anUpvote));
    });

  it('removes it with streams, votes, plays, tokens and memberships, and nothing of others', async () => {
    const store = await opened(storage);
    const { organizations, directory, votes, nowPlaying, anna, email, organization, stream, uuid } = store;
    const other = await anAddedOrganization(organizations, { name: 'Radio Folk' });
    const folk = await anAddedStream(organizations, other);
    must(await organizations.addMember(other, email));
    must(await votes.update(anna, folk.id, START, (current) => castVote(current, 'up')));
    const [token, othersToken] = [aTokenHash(), aTokenHash()];
    must(await organizations.addToken(organization, token, '', START));
    must(await organizations.addToken(other, othersToken, '', START));
    await directory.streams();

    expect(await organizations.remove(organization)).to.deep.equal(ok());

    expect((await organizations.list()).map(({ id }) => id)).to.deep.equal([other]);
    expect((await organizations.listStreams()).map(({ id }) => id)).to.deep.equal([folk.id]);
    expect((await directory.streams()).map(({ id }) => id)).to.deep.equal([folk.id]);
    expect(await directory.statistics()).to.deep.equal({ users: 1, organizations: 1, stations: 1 });
    expect(await directory.history(stream)).to.equal(null);
    expect(await organizations.tokenOwner(token)).to.equal(null);
    expect(await organizations.tokenOwner(othersToken)).to.include({ organization: other });
    const mine = must(await directory.streamsOfMember(anna));
    expect(mine.map(({ id }) => id)).to.deep.equal([folk.id]);
    expect(await votes.view(stream, anna)).to.deep.equal(err({ kind: 'stream-not-found' }));
    expect(await votes.view(folk.id, anna)).to.deep.equal(ok(anUpvote));
    const report = nowPlaying.update(uuid, organization, (before) =>
      applyReport(before, aSongReport(), START, aPlayId),
    );
    expect(await report).to.deep.equal(err({ kind: 'unknown-stream-uuid' }));
    expect(await organizations.remove(organization)).to.deep.equal(err({ kind: 'organization-not-found' }));
    await anAddedOrganization(organizations, { name: 'Radio Jazz' });
  });

  it('lists the organizations that a user is a member of', async () => {
    const { organizations, anna, email, organization } = await opened(storage);
    const hidden = await anAddedOrganization(organizations, { isActive: false });
    await anAddedOrganization(organizations);
    must(await organizations.addMember(hidden, email));
    const ids = async () => (await organizations.listOfMember(anna.user)).map(({ id }) => id);
    expect(await ids()).to.deep.equal([organization, hidden]);
    must(await organizations.removeMember(organization, email));
    expect(await organizations.listOfMember(anna.user)).to.deep.equal([await organizations.find(hidden)]);
  });
}

function streamUpkeep(storage: StorageUnderTest): void {
  it('shows a new name, URL, tags and organization at once in every listing and in the history', async () => {
    const { organizations, directory, votes, nowPlaying, anna, organization, stream, uuid } =
      await opened(storage);
    const other = await anAddedOrganization(organizations, { name: 'Radio Folk', image: NEW_LOGO });
    await directory.streams();
    const profile = aStreamProfile({
      name: 'Moved',
      url: 'https://elsewhere.example/live',
      tags: ['folk', 'live'],
    });

    const changed = await organizations.changeStream(stream, () => ok({ ...profile, organization: other }));

    expect(must(changed)).to.deep.equal({
      ...profile,
      id: stream,
      uuid,
      organization: other,
      isActive: true,
    });
    expect(await organizations.findStream(stream)).to.deep.equal(must(changed));
    const { name, url, tags } = profile;
    const shown = { name, url, tags };
    const place = { id: other, name: 'Radio Folk', image: NEW_LOGO };
    expect((await directory.streams())[0]).to.deep.include({ ...shown, organization: place });
    expect(await directory.streamsOf(organization)).to.deep.equal([]);
    expect((await directory.streamsOf(other))?.[0]).to.deep.include(shown);
    expect((await directory.history(stream))?.organizationImage).to.equal(NEW_LOGO);
    const listed = await directory.organizations();
    expect(listed.map(({ streams }) => streams.map(({ url }) => url))).to.deep.equal([[], [profile.url]]);
    expect(await directory.streamReferences(organization)).to.deep.equal([]);
    expect(await votes.view(stream, anna)).to.deep.equal(ok(anUpvote));
    const reported = (owner: OrganizationId) =>
      nowPlaying.update(uuid, owner, (before) =>
        applyReport(before, aSongReport({ title: 'Nardis' }), later(START, 1), aPlayId),
      );
    expect(await reported(organization)).to.deep.equal(err({ kind: 'stream-of-another-organization' }));
    expect((await reported(other)).ok).to.equal(true);
  });

  it('decides on what is stored, and changes nothing when it is refused', async () => {
    const { organizations, organization, stream } = await opened(storage);
    const before = await organizations.findStream(stream);
    const refusal = err({ kind: 'no' as const });
    const refused = await organizations.changeStream(stream, (found) => {
      expect(found).to.deep.equal(before);
      return refusal;
    });
    expect(refused).to.deep.equal(refusal);
    const profile = aStreamProfile({ name: 'Moved' });
    expect(
      await organizations.changeStream(stream, () => ok({ ...profile, organization: NOBODY })),
    ).to.deep.equal(err({ kind: 'organization-not-found' }));
    expect(await organizations.changeStream(NOTHING, () => ok({ ...profile, organization }))).to.deep.equal(
      err({ kind: 'unknown-stream' }),
    );
    expect(await organizations.findStream(stream)).to.deep.equal(before);
  });

  it('hides a stream at once and brings it back with its votes and songs', async () => {
    const { organizations, directory, votes, anna, stream } = await opened(storage);
    const [before] = await directory.streams();
    const set = (isEnabled: boolean) =>
      organizations.changeStream(stream, (found) => ok({ ...found, isEnabled }));
    must(await set(false));
    expect(await directory.streams()).to.deep.equal([]);
    expect(await directory.history(stream)).to.equal(null);
    expect(await directory.statistics()).to.deep.equal({ users: 1, organizations: 1, stations: 0 });
    must(await set(true));
    expect(await directory.streams()).to.deep.equal([before]);
    expect(await votes.view(stream, anna)).to.deep.equal(ok(anUpvote));
  });

  it('removes a stream with its votes and plays, and nothing of others', async () => {
    const { organizations, directory, votes, nowPlaying, anna, organization, stream, uuid } =
      await opened(storage);
    const folk = await anAddedStream(organizations, organization);
    must(await votes.update(anna, folk.id, START, (current) => castVote(current, 'up')));
    await directory.streams();

    expect(await organizations.removeStream(stream)).to.deep.equal(ok());

    expect((await directory.streams()).map(({ id }) => id)).to.deep.equal([folk.id]);
    expect(await directory.statistics()).to.deep.equal({ users: 1, organizations: 1, stations: 1 });
    expect(await directory.history(stream)).to.equal(null);
    expect(await organizations.findStream(stream)).to.equal(null);
    expect(await votes.view(stream, anna)).to.deep.equal(err({ kind: 'stream-not-found' }));
    expect(await votes.view(folk.id, anna)).to.deep.equal(ok(anUpvote));
    const report = nowPlaying.update(uuid, organization, (before) =>
      applyReport(before, aSongReport(), START, aPlayId),
    );
    expect(await report).to.deep.equal(err({ kind: 'unknown-stream-uuid' }));
    expect(await organizations.removeStream(stream)).to.deep.equal(err({ kind: 'unknown-stream' }));
  });
}

function accountUpkeep(storage: StorageUnderTest): void {
  it('lists accounts by ascending id, activated or not', async () => {
    const { accounts } = await storage.open();
    const ben = aNewAccount({ username: 'Ben 📻', registeredAt: later(START, 17) });
    const anna = aNewAccount({ registeredAt: START });
    const ids = [must(await accounts.register(ben)), must(await accounts.register(anna))];
    const activatedAt = later(START, 1_234);
    must(await accounts.update({ email: anna.email }, (account) => activateByHand(account, activatedAt)));
    const seen = (account: typeof ben) => ({
      username: account.username,
      email: account.email,
      registeredAt: account.registeredAt,
    });
    expect(await accounts.list()).to.deep.equal([
      { ...seen(ben), id: ids[0], state: 'awaiting-activation', activatedAt: null },
      { ...seen(anna), id: ids[1], state: 'activated', activatedAt },
    ]);
  });

  it('removes an account with its votes and memberships, and counts it no longer', async () => {
    const { accounts, organizations, directory, votes, email, organization, stream } = await opened(storage);
    const ben = await anActivatedUser(accounts);
    must(await votes.update(ben, stream, START, (current) => castVote(current, 'down')));

    must(await accounts.update({ email }, () => ok({ account: null, mails: [], at: START })));

    expect(await directory.statistics()).to.deep.equal({ users: 1, organizations: 1, stations: 1 });
    expect(await votes.view(stream, ben)).to.deep.equal(
      ok({ tally: { upvotes: 0, downvotes: 1 }, vote: 'down' }),
    );
    expect(must(await organizations.listMembers(organization))).to.deep.equal([]);
    expect((await accounts.list()).map(({ id }) => id)).to.deep.equal([ben.user]);
  });
}

const anUpvote = { tally: { upvotes: 1, downvotes: 0 }, vote: 'up' } as const;

/** A directory with one organization, its stream with a song and an up vote, and the member who cast it. */
async function opened(storage: StorageUnderTest) {
  const store = await storage.open();
  const organization = await anAddedOrganization(store.organizations, {
    name: 'Radio Jazz',
    image: OLD_LOGO,
  });
  const { id: stream, uuid } = await anAddedStream(store.organizations, organization);
  const email = anEmail();
  const anna = await anActivatedUser(store.accounts, { email });
  must(await store.organizations.addMember(organization, email));
  must(await store.votes.update(anna, stream, START, (current) => castVote(current, 'up')));
  must(
    await store.nowPlaying.update(uuid, organization, (before) =>
      applyReport(before, aSongReport(), START, aPlayId),
    ),
  );
  return { ...store, organization, stream, uuid, email, anna };
}
