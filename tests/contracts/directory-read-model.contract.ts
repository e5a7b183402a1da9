import { expect } from 'chai';
import type { Session } from '../../src/domain/account.js';
import { MAX_ID, MINUTE, type OrganizationId, type StreamId, later } from '../../src/domain/ids.js';
import { NEVER_REPORTED, applyReport } from '../../src/domain/now-playing.js';
import { organizationNameKey } from '../../src/domain/organization.js';
import { err, ok } from '../../src/domain/result.js';
import { isActive } from '../../src/domain/stream.js';
import {
  aNewAccount,
  aPlayId,
  aSongReport,
  aStreamProfile,
  anActivatedUser,
  anAddedOrganization,
  anAddedStream,
  anEmail,
  must,
} from '../support/builders.js';
import { START } from '../support/manual-clock.js';
import type { StorageUnderTest } from './storage.js';

const SESSION_ENDED = err({ kind: 'session-ended' });
const NOBODY = MAX_ID as OrganizationId;
const BOOLEANS = [true, false] as const;
const LOGO = 'https://radio.example/logo.png';

/** What every `DirectoryReadModel` promises. The storage was started. */
export function directoryReadModelContract(storage: StorageUnderTest): void {
  describe('DirectoryReadModel', () => {
    it('is empty over an empty store', async () => {
      const { directory } = await storage.open();
      expect(await directory.streams()).to.deep.equal([]);
      expect(await directory.organizations()).to.deep.equal([]);
      expect(await directory.randomOrganizations(100)).to.deep.equal([]);
      expect(await directory.statistics()).to.deep.equal({ users: 0, organizations: 0, stations: 0 });
    });

    describe('knowing what is active', () => activityContract(storage));
    describe('listing streams', () => streamContract(storage));
    describe('showing a history', () => historyContract(storage));
    describe('listing organizations', () => organizationContract(storage));
    describe('drawing random organizations', () => randomContract(storage));

    it('counts activated users, listed organizations and active streams', async () => {
      const { accounts, organizations, directory } = await storage.open();
      for (let count = 0; count < 3; count += 1) await anActivatedUser(accounts);
      const { user } = await anActivatedUser(accounts);
      must(await accounts.register(aNewAccount()));
      must(await accounts.update({ id: user }, () => ok({ account: null, mails: [], at: START })));
      const listed = await anAddedOrganization(organizations);
      await anAddedOrganization(organizations);
      const hidden = await anAddedOrganization(organizations, { isPublic: false });
      for (const organization of [listed, listed, hidden]) await anAddedStream(organizations, organization);
      await anAddedStream(organizations, listed, { isEnabled: false });
      expect(await directory.statistics()).to.deep.equal({ users: 3, organizations: 2, stations: 2 });
    });
  });
}

function activityContract(storage: StorageUnderTest): void {
  for (const organizationIsActive of BOOLEANS)
    for (const isPublic of BOOLEANS)
      for (const isEnabled of BOOLEANS) {
        const state = [
          isEnabled ? 'an enabled stream' : 'a stream that is not enabled',
          `of ${organizationIsActive ? 'an active' : 'an inactive'}`,
          isPublic ? 'public organization' : 'private organization',
        ].join(' ');
        const profile = { isActive: organizationIsActive, isPublic };
        const active = isActive({ isEnabled }, profile);
        it(`${active ? 'lists' : 'hides'} ${state}`, async () => {
          const { organizations, directory } = await storage.open();
          const organization = await anAddedOrganization(organizations, profile);
          const { id } = await anAddedStream(organizations, organization, { isEnabled });
          const isListed = organizationIsActive && isPublic;
          const expected = active ? [id] : [];
          const ids = (streams: readonly { readonly id: StreamId }[] | null | undefined) =>
            streams?.map((stream) => stream.id);
          expect(ids(await directory.streams())).to.deep.equal(expected);
          expect(ids(await directory.streamsOf(organization))).to.deep.equal(isListed ? expected : undefined);
          const listed = await directory.organizations();
          expect(listed.map((found) => [found.id, ids(found.streams)])).to.deep.equal(
            isListed ? [[organization, expected]] : [],
          );
          expect((await directory.history(id)) !== null).to.equal(active);
          expect((await directory.organization(organization)) !== null).to.equal(isListed);
          expect(await directory.randomOrganizations(10)).to.have.length(isListed ? 1 : 0);
          expect(await directory.statistics()).to.deep.equal({
            users: 0,
            organizations: isListed ? 1 : 0,
            stations: active ? 1 : 0,
          });
          expect(await organizations.findStream(id)).to.include({ isEnabled, isActive: active });
          expect((await organizations.listStreams())[0]).to.include({ isEnabled, isActive: active });
        });
      }
}

function streamContract(storage: StorageUnderTest): void {
  it('shows every field of a stream, and never its history', async () => {
    const { organizations, nowPlaying, directory } = await storage.open();
    const organization = await anAddedOrganization(organizations, { name: 'Radio Žižkov 📻', image: LOGO });
    const fields = { name: 'Джаз "24/7"', url: 'https://stream.example/a?b=c', tags: ['z', 'a, b', '🎷'] };
    const { id, uuid } = await anAddedStream(organizations, organization, fields);
    const listed = {
      ...fields,
      id,
      uuid,
      isActive: true,
      organization: { id: organization, name: 'Radio Žižkov 📻', image: LOGO },
      nowPlaying: NEVER_REPORTED,
      highlights: [],
    };
    expect(await directory.streams()).to.deep.equal([listed]);
    for (const [index, title] of ['So What', 'Nardis'].entries()) {
      const at = later(START, index * MINUTE + 321);
      const report = aSongReport({
        title,
        durationSeconds: 61.5,
        next: { title: 'Jolene', artist: null, cover: null },
      });
      const updated = await nowPlaying.update(uuid, organization, (before) =>
        applyReport(before, report, at, aPlayId),
      );
      const stored = must(updated).applied.nowPlaying;
      const expected = [{ ...listed, nowPlaying: { ...stored, past: [] } }];
      expect(await directory.streams()).to.deep.equal(expected);
      expect(await directory.streamsOf(organization)).to.deep.equal(expected);
    }
  });

  it('lists streams by ascending id, also after a change', async () => {
    const { organizations, directory } = await storage.open();
    const one = await anAddedOrganization(organizations);
    const other = await anAddedOrganization(organizations);
    const ids: StreamId[] = [];
    for (const organization of [other, one, other, one, one])
      ids.push((await anAddedStream(organizations, organization)).id);
    await organizations.updateStream(ids[1] as StreamId, aStreamProfile({ name: 'Renamed' }));
    expect((await directory.streams()).map((stream) => stream.id)).to.deep.equal(ids);
    const ofOne = await directory.streamsOf(one);
    expect(ofOne?.map((stream) => stream.id)).to.deep.equal([ids[1], ids[3], ids[4]]);
    expect(ofOne?.[0]?.name).to.equal('Renamed');
  });

  it('tells an organization without streams from none', async () => {
    const { organizations, directory } = await storage.open();
    const organization = await anAddedOrganization(organizations);
    expect(await directory.streamsOf(organization)).to.deep.equal([]);
    expect(await directory.streamsOf(NOBODY)).to.equal(null);
  });

  it('refers to all streams of an organization, active or not, listed or not', async () => {
    const { organizations, directory } = await storage.open();
    const organization = await anAddedOrganization(organizations, { isActive: false, isPublic: false });
    const other = await anAddedOrganization(organizations);
    const expected = [];
    for (const isEnabled of [true, false, true]) {
      const fields = { name: 'Jazz', url: 'https://stream.example/jazz' };
      expected.push({
        ...(await anAddedStream(organizations, organization, { ...fields, isEnabled })),
        ...fields,
      });
      await anAddedStream(organizations, other);
    }
    expect(await directory.streamReferences(organization)).to.deep.equal(expected);
    expect(await directory.streamReferences(NOBODY)).to.deep.equal([]);
  });

  it('shows members the streams of all their organizations, active or not, and no others', async () => {
    const { accounts, organizations, directory } = await storage.open();
    const email = anEmail();
    const anna = await anActivatedUser(accounts, { email });
    const ben = await anActivatedUser(accounts);
    const mine = await anAddedOrganization(organizations);
    const hidden = await anAddedOrganization(organizations, { isActive: false, isPublic: false });
    const foreign = await anAddedOrganization(organizations);
    for (const organization of [mine, hidden]) must(await organizations.addMember(organization, email));
    const expected: [StreamId, boolean][] = [];
    for (const [organization, isEnabled] of [
      [hidden, true],
      [mine, true],
      [foreign, true],
      [mine, false],
    ] as const) {
      const { id } = await anAddedStream(organizations, organization, { isEnabled });
      if (organization !== foreign) expected.push([id, organization === mine && isEnabled]);
    }
    const streams = must(await directory.streamsOfMember(anna));
    expect(streams.map((stream) => [stream.id, stream.isActive])).to.deep.equal(expected);
    expect(streams[1]).to.deep.equal((await directory.streamsOf(mine))?.[0]);
    expect(await directory.streamsOfMember(ben)).to.deep.equal(ok([]));
  });

  it('shows former members nothing', async () => {
    const { accounts, organizations, directory } = await storage.open();
    const email = anEmail();
    const anna = await anActivatedUser(accounts, { email });
    const organization = await anAddedOrganization(organizations);
    await anAddedStream(organizations, organization);
    must(await organizations.addMember(organization, email));
    must(await organizations.removeMember(organization, email));
    expect(await directory.streamsOfMember(anna)).to.deep.equal(ok([]));
  });

  it('shows nothing to a session that has ended', async () => {
    const { accounts, directory } = await storage.open();
    const anna = await anActivatedUser(accounts);
    const pending = must(await accounts.register(aNewAccount()));
    for (const session of [
      { ...anna, credentialVersion: anna.credentialVersion + 1 },
      { ...anna, user: MAX_ID as Session['user'] },
      { ...anna, user: pending },
    ])
      expect(await directory.streamsOfMember(session)).to.deep.equal(SESSION_ENDED);
    must(await accounts.update({ id: anna.user }, () => ok({ account: null, mails: [], at: START })));
    expect(await directory.streamsOfMember(anna)).to.deep.equal(SESSION_ENDED);
  });
}

function historyContract(storage: StorageUnderTest): void {
  it('shows a stream that never reported, with its organization’s image or none', async () => {
    const { organizations, directory } = await storage.open();
    for (const [fields, organizationImage] of [
      [{ image: LOGO }, LOGO],
      [{}, null],
    ] as const) {
      const organization = await anAddedOrganization(organizations, fields);
      const { id } = await anAddedStream(organizations, organization);
      expect(await directory.history(id)).to.deep.equal({ organizationImage, nowPlaying: NEVER_REPORTED });
    }
  });

  it('shows all that is kept, newest first', async () => {
    const { organizations, nowPlaying, directory } = await storage.open();
    const organization = await anAddedOrganization(organizations);
    const { id, uuid } = await anAddedStream(organizations, organization);
    for (const [index, title] of ['first', 'second', 'third', 'fourth', 'fifth'].entries())
      must(
        await nowPlaying.update(uuid, organization, (before) =>
          applyReport(before, aSongReport({ title }), later(START, index * MINUTE + index), aPlayId),
        ),
      );
    const history = await directory.history(id);
    expect(history?.nowPlaying.current?.title).to.equal('fifth');
    expect(history?.nowPlaying.past.map((play) => play.title)).to.deep.equal([
      'fourth',
      'third',
      'second',
      'first',
    ]);
    expect(history?.nowPlaying.past.map((play) => play.startedAt)).to.deep.equal(
      [3, 2, 1, 0].map((index) => later(START, index * MINUTE + index)),
    );
  });

  it('knows no history of an unknown stream', async () => {
    const { directory } = await storage.open();
    expect(await directory.history(MAX_ID as StreamId)).to.equal(null);
  });
}

function organizationContract(storage: StorageUnderTest): void {
  const fields = {
    name: 'Café FM 📻',
    description: 'Hudba\n🎶',
    image: LOGO,
    thumbnail: 'https://radio.example/small.png',
    links: [
      { type: 'other', url: 'https://radio.example/z' },
      { type: 'website', url: 'https://radio.example/a' },
      { type: 'email', url: 'mailto:studio@radio.example' },
    ],
  };

  it('shows every public field of an organization, links in their order', async () => {
    const { organizations, directory } = await storage.open();
    const id = await anAddedOrganization(organizations, fields);
    const { uuid, id: stream } = await anAddedStream(organizations, id, {
      name: 'Jazz',
      url: 'https://stream.example/jazz',
    });
    expect(await directory.organization(id)).to.deep.equal({ ...fields, id });
    expect(await directory.randomOrganizations(1)).to.deep.equal([{ ...fields, id }]);
    expect(await directory.organizations()).to.deep.equal([
      {
        ...fields,
        id,
        streams: [{ id: stream, uuid, name: 'Jazz', url: 'https://stream.example/jazz' }],
      },
    ]);
  });

  it('lists organizations and their active streams by ascending id', async () => {
    const { organizations, directory } = await storage.open();
    const [one, other, bare] = [
      await anAddedOrganization(organizations, { name: 'z' }),
      await anAddedOrganization(organizations, { name: 'a' }),
      await anAddedOrganization(organizations, { name: 'm' }),
    ];
    const ids: StreamId[] = [];
    for (const organization of [other, one, other, one])
      ids.push((await anAddedStream(organizations, organization)).id);
    await anAddedStream(organizations, one, { isEnabled: false });
    const listed = await directory.organizations();
    expect(listed.map(({ id, streams }) => [id, streams.map((stream) => stream.id)])).to.deep.equal([
      [one, [ids[1], ids[3]]],
      [other, [ids[0], ids[2]]],
      [bare, []],
    ]);
  });

  it('finds an organization by its name in any case and normal form', async () => {
    const { organizations, directory } = await storage.open();
    const id = await anAddedOrganization(organizations, fields);
    for (const name of ['Café FM 📻', 'CAFÉ fm 📻', 'Cafe\u0301 FM 📻', '  café fm 📻 '])
      expect(await directory.organizationNamed(organizationNameKey(name))).to.deep.equal({ ...fields, id });
    for (const name of ['Cafe FM 📻', 'Café FM', 'Café FM 📻 2', '%'])
      expect(await directory.organizationNamed(organizationNameKey(name))).to.equal(null);
  });

  it('finds no private, inactive or unknown organization', async () => {
    const { organizations, directory } = await storage.open();
    for (const hidden of [{ isPublic: false }, { isActive: false }]) {
      const name = `Hidden ${JSON.stringify(hidden)}`;
      const id = await anAddedOrganization(organizations, { name, ...hidden });
      expect(await directory.organization(id)).to.equal(null);
      expect(await directory.organizationNamed(organizationNameKey(name))).to.equal(null);
    }
    expect(await directory.organization(NOBODY)).to.equal(null);
  });
}

function randomContract(storage: StorageUnderTest): void {
  /** The chance that a uniform draw of five fails a test below is under 10^-17. */
  const DRAWS = 200;

  async function drawing(limit: number) {
    const { organizations, directory } = await storage.open();
    const ids: OrganizationId[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await anAddedOrganization(organizations));
    await anAddedOrganization(organizations, { isPublic: false });
    await anAddedOrganization(organizations, { isActive: false });
    const draw = async () => (await directory.randomOrganizations(limit)).map(({ id }) => id);
    return { ids, draw };
  }

  for (const [limit, size] of [
    [1, 1],
    [4, 4],
    [5, 5],
    [100, 5],
  ] as const)
    it(`draws ${size} of 5, without repeats, when asked for ${limit}`, async () => {
      const { ids, draw } = await drawing(limit);
      for (let count = 0; count < 20; count += 1) {
        const drawn = await draw();
        expect(drawn).to.have.length(size);
        expect(new Set(drawn)).to.have.property('size', size);
        expect(ids).to.include.members(drawn);
      }
    });

  it('draws every organization sooner or later', async () => {
    const { ids, draw } = await drawing(1);
    const drawn = new Set<OrganizationId | undefined>();
    for (let count = 0; count < DRAWS; count += 1) drawn.add((await draw())[0]);
    expect([...drawn]).to.have.members(ids);
  });

  it('puts every organization into the first and the last place sooner or later', async () => {
    const { ids, draw } = await drawing(5);
    const [first, last] = [new Set<OrganizationId | undefined>(), new Set<OrganizationId | undefined>()];
    for (let count = 0; count < DRAWS; count += 1) {
      const drawn = await draw();
      first.add(drawn[0]);
      last.add(drawn.at(-1));
    }
    expect([...first]).to.have.members(ids);
    expect([...last]).to.have.members(ids);
  });
}
