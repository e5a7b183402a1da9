import { expect } from 'chai';
import { MAX_ID, type OrganizationId, type StreamId, later } from '../../src/domain/ids.js';
import { organizationNameKey } from '../../src/domain/organization.js';
import { streamUrlKey } from '../../src/domain/stream.js';
import {
  aStreamProfile,
  aStreamUuid,
  anAddedOrganization,
  anAddedStream,
  anHttpUrl,
  anOrganizationProfile,
} from '../support/builders.js';
import { START } from '../support/manual-clock.js';
import type { StorageUnderTest } from './storage.js';

const NOBODY = MAX_ID as OrganizationId;

/** What every `BulkDirectory` promises. The storage was started. */
export function bulkDirectoryContract(storage: StorageUnderTest): void {
  describe('BulkDirectory', () => {
    it('keeps the lowest row of each key until the marks are cleared', async () => {
      const { bulk } = await storage.open();
      await bulk.clearMarks();
      const first = await bulk.mark([
        { key: 'a', row: 7 },
        { key: 'b', row: 3 },
        { key: 'a', row: 2 },
      ]);
      expect([...first].sort()).to.deep.equal([
        ['a', 2],
        ['b', 3],
      ]);
      const longKey = 'ü/'.repeat(5_000);
      const second = await bulk.mark([
        { key: 'a', row: 1 },
        { key: longKey, row: 9_000_000_000 },
      ]);
      expect(second.get('a')).to.equal(2);
      expect(second.get(longKey)).to.equal(9_000_000_000);
      await bulk.clearMarks();
      expect((await bulk.mark([{ key: 'a', row: 5 }])).get('a')).to.equal(5);
      expect((await bulk.mark([])).size).to.equal(0);
    });

    it('finds the first of the streams at an address, however it is written and however long it is', async () => {
      const { bulk, organizations } = await storage.open();
      const organization = await anAddedOrganization(organizations);
      const long = anHttpUrl(`https://a.example/${'電台'.repeat(1_000)}`);
      const { id } = await anAddedStream(organizations, organization, { url: 'HTTP://A.example:80/live/' });
      await anAddedStream(organizations, organization, { url: 'https://a.example/live' });
      const { id: longId } = await anAddedStream(organizations, organization, { url: long });
      const key = streamUrlKey(anHttpUrl('https://a.example/live'));
      const found = await bulk.streamsAt([key, streamUrlKey(long), 'b.example/none', key]);
      expect([...found.keys()]).to.have.members([key, streamUrlKey(long)]);
      expect(found.get(key)).to.deep.equal(await organizations.findStream(id));
      expect(found.get(streamUrlKey(long))).to.deep.equal(await organizations.findStream(longId));
    });

    it('finds a stream at the address that it was moved to', async () => {
      const { bulk, organizations } = await storage.open();
      const organization = await anAddedOrganization(organizations);
      const { id } = await anAddedStream(organizations, organization, { url: 'https://a.example/old' });
      await organizations.updateStream(id, aStreamProfile({ url: 'https://a.example/new' }));
      const found = await bulk.streamsAt(['a.example/old', 'a.example/new']);
      expect([...found].map(([key, stream]) => [key, stream.id])).to.deep.equal([['a.example/new', id]]);
    });

    it('finds streams by their UUIDs', async () => {
      const { bulk, organizations } = await storage.open();
      const { id, uuid } = await anAddedStream(organizations, await anAddedOrganization(organizations));
      const found = await bulk.streamsWith([uuid, aStreamUuid()]);
      expect([...found]).to.deep.equal([[uuid, await organizations.findStream(id)]]);
      expect((await bulk.streamsWith([])).size).to.equal(0);
    });

    it('adds organizations with all their fields, once each, and says how many', async () => {
      const { bulk, organizations } = await storage.open();
      await anAddedOrganization(organizations, { name: 'Taken' });
      const rich = anOrganizationProfile({
        name: `"'; -- %s \\n 📻`,
        description: 'a\n\tb',
        image: 'https://a.example/i.png',
        thumbnail: 'https://a.example/t.png',
        links: [
          { type: 'website', url: 'https://z.example' },
          { type: 'email', url: 'mailto:a@a.example' },
        ],
        isPublic: false,
        isActive: false,
      });
      const plain = anOrganizationProfile();
      const profiles = [
        rich,
        anOrganizationProfile({ name: 'TAKEN' }),
        plain,
        anOrganizationProfile({ name: plain.name.toUpperCase() }),
      ];
      expect(await bulk.addOrganizations(profiles, START)).to.equal(2);
      const [, first, second, ...more] = await organizations.list();
      expect(first).to.deep.equal({ ...rich, id: first?.id });
      expect(second).to.deep.equal({ ...plain, id: second?.id });
      expect(more).to.deep.equal([]);
      const found = await bulk.organizationsNamed([rich, plain].map(({ name }) => organizationNameKey(name)));
      expect([...found.values()]).to.have.deep.members([
        { id: first?.id, image: rich.image },
        { id: second?.id, image: null },
      ]);
      expect((await bulk.organizationsNamed(['nobody'])).size).to.equal(0);
      expect(await bulk.addOrganizations([], START)).to.equal(0);
    });

    it('gives images to those without only', async () => {
      const { bulk, organizations } = await storage.open();
      const image = 'https://a.example/own.png';
      const withImage = await anAddedOrganization(organizations, { image });
      const without = await anAddedOrganization(organizations);
      const given = anHttpUrl('https://a.example/given.png');
      await bulk.giveImages(
        new Map([
          [withImage, given],
          [without, given],
          [NOBODY, given],
        ]),
      );
      expect((await organizations.list()).map((one) => one.image)).to.deep.equal([image, given]);
    });

    it('adds streams in their order, with all their fields, and not to an organization that is gone', async () => {
      const { bulk, organizations, directory } = await storage.open();
      const organization = await anAddedOrganization(organizations);
      const streams = Array.from({ length: 30 }, (_, index) => ({
        ...aStreamProfile({
          name: index === 0 ? `"'; -- \\ 📻` : `Stream ${index}`,
          tags: index === 0 ? ['z', `"'\\`, 'a,b', '電'] : [],
          isEnabled: index !== 1,
        }),
        organization: index === 2 ? NOBODY : organization,
        uuid: aStreamUuid(),
        addedAt: later(START, -index),
      }));
      const added = await bulk.addStreams(streams);
      const kept = streams.filter((_, index) => index !== 2);
      expect([...added]).to.have.members(kept.map(({ uuid }) => uuid));
      const listed = await bulk.listStreams(0, 100);
      expect(
        listed.map(({ uuid, name, url, tags, isEnabled, addedAt }) => ({
          uuid,
          name,
          url,
          tags,
          isEnabled,
          addedAt,
        })),
      ).to.deep.equal(
        kept.map(({ uuid, name, url, tags, isEnabled, addedAt }) => ({
          uuid,
          name,
          url,
          tags,
          isEnabled,
          addedAt,
        })),
      );
      expect(await directory.streams()).to.have.length(28);
      const keys = kept.map(({ url }) => streamUrlKey(url));
      expect([...(await bulk.streamsAt(keys)).keys()]).to.have.members(keys);
    });

    it('changes names and tags, and nothing else', async () => {
      const { bulk, organizations } = await storage.open();
      const organization = await anAddedOrganization(organizations);
      const { id } = await anAddedStream(organizations, organization, { isEnabled: false });
      const { id: other } = await anAddedStream(organizations, organization);
      const [before, untouched] = await organizations.listStreams();
      const changes = { name: 'New "name"', tags: ['b', 'a'] };
      expect(
        await bulk.renameStreams([
          { id, ...changes },
          { id: MAX_ID as StreamId, ...changes },
        ]),
      ).to.equal(1);
      expect(await organizations.findStream(id)).to.deep.equal({ ...before, ...changes });
      expect(await organizations.findStream(other)).to.deep.equal(untouched);
    });

    it('lists in pages by ascending id, all or those of one organization', async () => {
      const { bulk, organizations } = await storage.open();
      const image = 'https://a.example/logo.png';
      const one = await anAddedOrganization(organizations, { name: 'One', image });
      const two = await anAddedOrganization(organizations, { name: 'Two', isActive: false });
      const ids: StreamId[] = [];
      for (const organization of [one, two, one, two, one])
        ids.push((await anAddedStream(organizations, organization)).id);
      const first = await bulk.listStreams(0, 2);
      expect(first.map(({ id }) => id)).to.deep.equal(ids.slice(0, 2));
      expect(first[0]).to.deep.equal({
        ...(await organizations.findStream(ids[0] as StreamId)),
        organizationName: 'One',
        organizationImage: image,
        addedAt: START,
      });
      expect(first[1]).to.include({ organizationName: 'Two', organizationImage: null, isActive: false });
      expect((await bulk.listStreams(ids[1] as StreamId, 100)).map(({ id }) => id)).to.deep.equal(
        ids.slice(2),
      );
      expect((await bulk.listStreams(0, 100, two)).map(({ id }) => id)).to.deep.equal([ids[1], ids[3]]);
      expect(await bulk.listOrganizations(0, 1)).to.deep.equal([await organizations.find(one)]);
      expect(await bulk.listOrganizations(one, 9)).to.deep.equal([await organizations.find(two)]);
      expect(await bulk.listOrganizations(0, 9, two)).to.deep.equal([await organizations.find(two)]);
      expect(await bulk.listOrganizations(two, 9)).to.deep.equal([]);
    });
  });
}
