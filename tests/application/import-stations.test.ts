import { expect } from 'chai';
import { InMemoryBulkDirectory } from '../../src/adapters/in-memory/in-memory-bulk-directory.js';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryOrganizationRepository } from '../../src/adapters/in-memory/in-memory-organization-repository.js';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import { radioBrowserStations } from '../../src/adapters/station-lists/radio-browser.js';
import {
  type ImportOptions,
  type ImportProgress,
  ImportStations,
  type ListedStation,
  type SkippedRow,
  type StationRow,
} from '../../src/application/import-stations.js';
import type { Instant, OrganizationId } from '../../src/domain/ids.js';
import { anAddedOrganization, anAddedStream } from '../support/builders.js';
import { ManualClock, START } from '../support/manual-clock.js';
import { all, asList, fixtureText } from '../support/station-lists.js';

const REAL_LIST = 'radio-browser/stations-sample.json';

function aDirectory(db = new InMemoryDatabase(), bulk = new InMemoryBulkDirectory(db)) {
  const organizations = new InMemoryOrganizationRepository(db);
  const importStations = new ImportStations(organizations, bulk, new RandomSecrets(), new ManualClock());
  return {
    organizations,
    bulk,
    async import(rows: AsyncIterable<StationRow>, options: Partial<ImportOptions> = {}) {
      const skipped: SkippedRow[] = [];
      const onSkipped = (row: SkippedRow) => void skipped.push(row);
      const fallbackOrganizationName = 'my stations';
      const summary = await importStations.execute(rows, { fallbackOrganizationName, onSkipped, ...options });
      return { summary, skipped };
    },
  };
}

let rows = 0;
function aStation(fields: Partial<ListedStation> = {}): ListedStation {
  const row = (rows += 1);
  return {
    row,
    name: `Station ${row}`,
    url: `https://a.example/${row}.mp3`,
    tags: [],
    homepage: 'https://a.example/',
    favicon: null,
    ...fields,
  };
}

const NOTHING = { added: 0, updated: 0, skipped: 0, organizations: 0 };

describe('Importing stations', () => {
  describe('from a real list of 1,584', () => {
    const directory = aDirectory();
    const importList = () => directory.import(radioBrowserStations(fixtureText(REAL_LIST)));
    let first: Awaited<ReturnType<typeof importList>>;
    before(async () => {
      first = await importList();
    });

    it('adds what can be listened to, once, and the operators', async () => {
      expect(first.summary).to.deep.equal({ added: 1_392, updated: 0, skipped: 192, organizations: 979 });
      expect(await directory.organizations.listStreams()).to.have.length(1_392);
      expect(await directory.organizations.list()).to.have.length(979);
    });

    it('says of every skipped row why', () => {
      const reasons = (pattern: RegExp) => first.skipped.filter(({ reason }) => pattern.test(reason));
      expect(reasons(/^same address as row \d+$/)).to.have.length(175);
      expect(reasons(/^the url must be an http or https URL of at most 2048 characters$/)).to.have.length(16);
      expect(reasons(/^the name is blank$/)).to.deep.equal([{ row: 435, reason: 'the name is blank' }]);
      expect(first.skipped).to.have.length(192);
    });

    it('keeps every name, tag and image within its limits and on one line', async () => {
      for (const { name, url, tags } of await directory.organizations.listStreams()) {
        expect([...name].length, name).to.be.within(1, 200);
        expect(name)
          .to.equal(name.trim())
          .and.not.match(/\p{Cc}/u);
        expect(url.length).to.be.at.most(2_048);
        expect(tags.length).to.be.at.most(30);
        for (const tag of tags) expect([...tag].length, tag).to.be.within(1, 64);
      }
      for (const { image } of await directory.organizations.list())
        if (image !== null) expect(image).to.match(/^https?:\/\//);
    });

    it('gathers the streams of one operator', async () => {
      const soma = await directory.organizations.findNamed('somafm.com');
      expect(soma).to.include({ image: 'https://somafm.com/img3/digitalis-400.jpg' });
      expect(soma?.links).to.deep.equal([{ type: 'website', url: 'https://somafm.com' }]);
      const streams = await directory.organizations.listStreams(soma?.id);
      expect(streams.map(({ name }) => name)).to.include.members([
        'SomaFM Groove Salad (128k MP3)',
        'SomaFM Digitalis (64k MP3)',
      ]);
    });

    it('adds and changes nothing the second time', async () => {
      const before = await directory.organizations.listStreams();
      const second = await importList();
      expect(second.summary).to.deep.equal({ ...NOTHING, skipped: 192 });
      expect(second.skipped).to.deep.equal(first.skipped);
      expect(await directory.organizations.listStreams()).to.deep.equal(before);
    });
  });

  it('finds the operator by the host of the homepage, whatever its case, with or without www', async () => {
    const { organizations, ...directory } = aDirectory();
    await directory.import(
      asList(
        ...['https://www.A.example/jazz', 'http://a.example:8080/', 'HTTPS://a.example./x?y#z'].map(
          (homepage) => aStation({ homepage }),
        ),
        aStation({ homepage: 'https://www.com/' }),
      ),
    );
    const [operator, other, ...more] = await organizations.list();
    expect(operator).to.include({ name: 'a.example', isPublic: true, isActive: true, description: '' });
    expect(operator?.links).to.deep.equal([{ type: 'website', url: 'https://www.a.example' }]);
    expect(other?.name).to.equal('www.com');
    expect(more).to.deep.equal([]);
  });

  it('puts stations without a usable homepage into the organization of the file', async () => {
    const { organizations, ...directory } = aDirectory();
    const homepages = [null, '', 'somewhere', 'mailto:a@a.example', `https://a.example/${'x'.repeat(3_000)}`];
    await directory.import(asList(...homepages.map((homepage) => aStation({ homepage }))));
    const [operator, ...others] = await organizations.list();
    expect(operator).to.deep.include({ name: 'my stations', links: [], image: null });
    expect(others).to.deep.equal([]);
    expect(await organizations.listStreams(operator?.id)).to.have.length(5);
  });

  it('finds a name for the organization of a file whose name cannot be one', async () => {
    for (const [fallbackOrganizationName, name] of [
      [' \t', 'Imported stations'],
      ['a\nb', 'a b'],
      ['x'.repeat(300), 'x'.repeat(200)],
    ] as const) {
      const { organizations, ...directory } = aDirectory();
      await directory.import(asList(aStation({ homepage: null })), { fallbackOrganizationName });
      expect((await organizations.list()).map((one) => one.name)).to.deep.equal([name]);
    }
  });

  it('takes the first favicon that is an address as the image, also from a later station', async () => {
    const { organizations, ...directory } = aDirectory();
    const favicons = [
      null,
      'data:image/png;base64,AAAA',
      'icon.png',
      'https://a.example/2.png',
      'https://a.example/3.png',
    ];
    await directory.import(asList(...favicons.map((favicon) => aStation({ favicon }))));
    expect((await organizations.list()).map(({ image }) => image)).to.deep.equal(['https://a.example/2.png']);
  });

  it('puts all streams into one organization if told, and adds none then', async () => {
    const { organizations, ...directory } = aDirectory();
    const organization = await anAddedOrganization(organizations);
    const { summary } = await directory.import(
      asList(aStation(), aStation({ homepage: null }), aStation({ homepage: 'https://b.example' })),
      { organization },
    );
    expect(summary).to.deep.equal({ ...NOTHING, added: 3 });
    expect(await organizations.list()).to.have.length(1);
    expect(await organizations.listStreams(organization)).to.have.length(3);
  });

  it('skips every row, with the reason, if that organization does not exist', async () => {
    const { summary, skipped } = await aDirectory().import(asList(aStation({ row: 1 })), {
      organization: 7 as OrganizationId,
    });
    expect(summary).to.deep.equal({ ...NOTHING, skipped: 1 });
    expect(skipped).to.deep.equal([{ row: 1, reason: 'there is no organization 7' }]);
  });

  it('cuts names and tags that are too long, by characters, and cleans them', async () => {
    const { organizations, ...directory } = aDirectory();
    await directory.import(
      asList(
        aStation({ name: '📻'.repeat(378) }),
        aStation({
          name: ' \tA\u0000\u0007B\r\n\ud800 ',
          tags: ['Jazz', 'jazz ', '', 'So\nul', '🎷'.repeat(65)],
        }),
        aStation({ tags: Array.from({ length: 92 }, (_, index) => `tag ${index}`) }),
        aStation({ name: `${'x'.repeat(199)} y` }),
      ),
    );
    const [long, odd, many, blankEnd] = await organizations.listStreams();
    expect(long?.name).to.equal('📻'.repeat(200));
    expect(odd?.name).to.equal('A B \ufffd');
    expect(odd?.tags).to.deep.equal(['Jazz', 'So ul', '🎷'.repeat(64)]);
    expect(many?.tags).to.have.length(30);
    expect(blankEnd?.name).to.equal('x'.repeat(199));
  });

  it('skips names that show nothing, addresses that lead nowhere, and what was no station', async () => {
    const TOO_ODD = 'the url must be an http or https URL of at most 2048 characters';
    const { summary, skipped } = await aDirectory().import(
      asList(
        ...['', ' \u0000\n', '\u200b\u2060\ufeff'].map((name, index) => aStation({ row: 1 + index, name })),
        ...[
          '',
          'mms://a.example/1',
          'a.example/1',
          'http://',
          'http://a b/',
          `http://a.example/${'x'.repeat(14_955)}`,
          'javascript:alert(1)',
          'http://a.example/\u0000',
        ].map((url, index) => aStation({ row: 11 + index, url })),
        { row: 30, reason: 'a file name' },
      ),
    );
    expect(summary).to.deep.equal({ ...NOTHING, skipped: 12 });
    expect(skipped).to.deep.equal([
      ...[1, 2, 3].map((row) => ({ row, reason: 'the name is blank' })),
      ...[11, 12, 13, 14, 15, 16, 17, 18].map((row) => ({ row, reason: TOO_ODD })),
      { row: 30, reason: 'a file name' },
    ]);
  });

  it('takes two spellings of one address for one stream', async () => {
    const { summary, skipped } = await aDirectory().import(
      asList(
        aStation({ row: 1, url: 'http://a.example/live' }),
        aStation({ row: 2, url: 'HTTPS://A.example:443/live/#now' }),
        aStation({ row: 3, url: 'http://a.example/live?x=1' }),
      ),
    );
    expect(summary).to.include({ added: 2, skipped: 1 });
    expect(skipped).to.deep.equal([{ row: 2, reason: 'same address as row 1' }]);
  });

  it('lets name and tags follow the list, and leaves address, UUID and switch as the operator has them', async () => {
    const { organizations, ...directory } = aDirectory();
    const organization = await anAddedOrganization(organizations, { name: 'A.Example' });
    const url = 'http://a.example/live/';
    const { id } = await anAddedStream(organizations, organization, { name: 'Old', url, isEnabled: false });
    const before = await organizations.findStream(id);
    const station = aStation({ name: 'New', url: 'https://a.example/live', tags: ['soul'] });

    const { summary } = await directory.import(asList(station));

    expect(summary).to.deep.equal({ ...NOTHING, updated: 1 });
    expect(await organizations.findStream(id)).to.deep.equal({ ...before, name: 'New', tags: ['soul'] });
    expect((await directory.import(asList(station))).summary).to.deep.equal(NOTHING);
    const retagged = await directory.import(asList({ ...station, tags: ['soul', 'funk'] }));
    expect(retagged.summary).to.deep.equal({ ...NOTHING, updated: 1 });
  });

  it('leaves a stream of another organization alone and says whose address it is', async () => {
    const { organizations, ...directory } = aDirectory();
    const organization = await anAddedOrganization(organizations);
    const { id } = await anAddedStream(organizations, organization, { url: 'https://a.example/live' });
    const before = await organizations.findStream(id);

    const { summary, skipped } = await directory.import(
      asList(aStation({ row: 1, url: 'https://a.example/live' })),
    );

    expect(summary).to.deep.equal({ ...NOTHING, skipped: 1 });
    expect(skipped).to.deep.equal([
      { row: 1, reason: `stream ${id} of another organization has this address` },
    ]);
    expect(await organizations.findStream(id)).to.deep.equal(before);
    expect(await organizations.list()).to.have.length(1);
  });

  it('uses an organization that has the name already, and at most gives it the image that it lacks', async () => {
    const { organizations, ...directory } = aDirectory();
    const organization = await anAddedOrganization(organizations, { name: 'A.EXAMPLE', isPublic: false });
    const before = await organizations.find(organization);
    const { summary } = await directory.import(asList(aStation({ favicon: 'https://a.example/f.png' })));
    expect(summary).to.deep.equal({ ...NOTHING, added: 1 });
    expect(await organizations.find(organization)).to.deep.equal({
      ...before,
      image: 'https://a.example/f.png',
    });
    expect(await organizations.listStreams(organization)).to.have.length(1);
    await directory.import(asList(aStation({ favicon: 'https://a.example/other.png' })));
    expect(await organizations.find(organization)).to.include({ image: 'https://a.example/f.png' });
  });

  it('uses an organization that somebody else adds under the name in the middle of it', async () => {
    const db = new InMemoryDatabase();
    class OvertakenDirectory extends InMemoryBulkDirectory {
      override async addOrganizations(...profiles: Parameters<InMemoryBulkDirectory['addOrganizations']>) {
        await anAddedOrganization(new InMemoryOrganizationRepository(db), { name: 'A.example' });
        return super.addOrganizations(...profiles);
      }
    }
    const { organizations, ...directory } = aDirectory(db, new OvertakenDirectory(db));
    const { summary } = await directory.import(asList(aStation(), aStation()));
    expect(summary).to.deep.equal({ ...NOTHING, added: 2 });
    expect(new Set((await organizations.listStreams()).map((stream) => stream.organization)).size).to.equal(
      1,
    );
  });

  it('adds everything once when two import the same list at the same time', async () => {
    const { organizations, ...directory } = aDirectory();
    const stations = Array.from({ length: 20 }, () => aStation());
    const imports = await Promise.all([1, 2, 3].map(() => directory.import(asList(...stations))));
    expect(imports.map(({ summary }) => summary.added).sort((one, other) => one - other)).to.deep.equal([
      0, 0, 20,
    ]);
    expect(imports.reduce((sum, { summary }) => sum + summary.organizations, 0)).to.equal(1);
    expect(await organizations.listStreams()).to.have.length(20);
  });

  it('tells after every batch how far it is', async () => {
    const told: ImportProgress[] = [];
    await aDirectory().import(aList(1_200), { onProgress: (progress) => void told.push(progress) });
    expect(told.map(({ rows: dealtWith, added }) => [dealtWith, added])).to.deep.equal([
      [500, 500],
      [1_000, 1_000],
      [1_200, 1_200],
    ]);
  });

  it('holds one batch of rows at a time, however long the list is', async () => {
    let read = 0;
    let stored = 0;
    let mostUnstored = 0;
    async function* counted(): AsyncGenerator<StationRow> {
      for await (const row of aList(5_000)) {
        read += 1;
        mostUnstored = Math.max(mostUnstored, read - stored);
        yield row;
      }
    }
    await aDirectory().import(counted(), { onProgress: ({ rows: dealtWith }) => void (stored = dealtWith) });
    expect(stored).to.equal(5_000);
    expect(mostUnstored).to.be.at.most(501);
  });

  it('recognises an address that the list named long before', async () => {
    async function* rowsWithAnEcho(): AsyncGenerator<StationRow> {
      yield aStation({ row: 1, url: 'https://a.example/live', name: 'First' });
      yield* aList(1_000);
      yield aStation({ row: 9_999, url: 'http://A.example/live/', name: 'Echo' });
    }
    const directory = aDirectory();
    const { summary, skipped } = await directory.import(rowsWithAnEcho());
    expect(summary).to.include({ added: 1_001, updated: 0, skipped: 1 });
    expect(skipped).to.deep.equal([{ row: 9_999, reason: 'same address as row 1' }]);
    expect(await directory.organizations.listStreams()).to.deep.include.members([
      { ...(await directory.organizations.listStreams())[0], name: 'First' },
    ]);
  });

  it('gives an operator the image that only a later batch has', async () => {
    async function* lateImage(): AsyncGenerator<StationRow> {
      yield* aList(700);
      yield aStation({ favicon: 'https://a.example/late.png' });
    }
    const { organizations, ...directory } = aDirectory();
    await directory.import(lateImage());
    expect((await organizations.list()).map(({ image }) => image)).to.deep.equal([
      'https://a.example/late.png',
    ]);
  });

  it('keeps what it stored of a list that breaks off, and goes on from there the next time', async () => {
    const { organizations, ...directory } = aDirectory();
    const stations = await all(aList(1_300));
    async function* torn(): AsyncGenerator<StationRow> {
      yield* stations.slice(0, 800);
      throw new Error('disk gone');
    }
    let problem: unknown;
    await directory.import(torn()).catch((error: unknown) => (problem = error));
    expect(problem).to.be.an('error').with.property('message', 'disk gone');
    expect(await organizations.listStreams()).to.have.length(500);
    const { summary } = await directory.import(asList(...stations));
    expect(summary).to.deep.equal({ ...NOTHING, added: 800 });
    expect(await organizations.listStreams()).to.have.length(1_300);
  });

  describe('that come with a UUID, from another directory', () => {
    const uuid = '00000000-0000-4000-8000-000000000001';
    const other = '00000000-0000-4000-8000-000000000002';

    it('keeps UUID, switch, time and operator', async () => {
      const { organizations, ...directory } = aDirectory();
      const addedAt = (START - 5_000) as Instant;
      const organization = 'Radio "A"';
      const station = aStation({ uuid, organization, isEnabled: false, addedAt, homepage: null });
      const { summary } = await directory.import(asList(station));
      expect(summary).to.deep.equal({ ...NOTHING, added: 1, organizations: 1 });
      expect((await organizations.list()).map(({ name }) => name)).to.deep.equal([organization]);
      expect((await organizations.listStreams())[0]).to.include({ uuid, isEnabled: false });
      expect((await directory.bulk.listStreams(0, 10))[0]).to.include({ addedAt });
    });

    it('takes a time in the future for now', async () => {
      const directory = aDirectory();
      await directory.import(asList(aStation({ uuid, addedAt: (START + 1_000_000) as Instant })));
      expect((await directory.bulk.listStreams(0, 10))[0]).to.include({ addedAt: START });
    });

    it('adds two streams at one address if they had been two, once', async () => {
      const { organizations, ...directory } = aDirectory();
      const url = 'https://a.example/live';
      const stations = [aStation({ uuid, url }), aStation({ uuid: other, url })];
      expect((await directory.import(asList(...stations))).summary).to.include({ added: 2, skipped: 0 });
      expect((await directory.import(asList(...stations))).summary).to.deep.equal(NOTHING);
      expect(await organizations.listStreams()).to.have.length(2);
    });

    it('knows a stream by its UUID even at another address, and else by its address', async () => {
      const { organizations, ...directory } = aDirectory();
      await directory.import(asList(aStation({ uuid, url: 'https://a.example/1', name: 'One' })));
      await directory.import(asList(aStation({ uuid, url: 'https://a.example/2', name: 'Two' })));
      await directory.import(asList(aStation({ uuid: other, url: 'https://a.example/1', name: 'Three' })));
      expect(await organizations.listStreams()).to.have.length(1);
      expect((await organizations.listStreams())[0]).to.include({
        uuid,
        url: 'https://a.example/1',
        name: 'Three',
      });
    });

    it('skips a UUID that the list has named before', async () => {
      const { skipped } = await aDirectory().import(
        asList(aStation({ row: 1, uuid }), aStation({ row: 2, uuid })),
      );
      expect(skipped).to.deep.equal([{ row: 2, reason: 'same UUID as row 1' }]);
    });

    it('adds organizations that the list describes, and leaves those that are there as they are', async () => {
      const { organizations, ...directory } = aDirectory();
      await anAddedOrganization(organizations, { name: 'There', description: 'mine' });
      const { summary, skipped } = await directory.import(
        asList(
          { row: 1, profile: { name: 'THERE', description: 'theirs' } },
          { row: 2, profile: { name: 'New', description: 'new', isPublic: false } },
          { row: 3, profile: { name: '' } },
        ),
      );
      expect(summary).to.deep.equal({ ...NOTHING, organizations: 1, skipped: 1 });
      expect(skipped).to.deep.equal([{ row: 3, reason: 'the name must be 1 to 200 characters' }]);
      const [there, added] = await organizations.list();
      expect(there).to.include({ name: 'There', description: 'mine' });
      expect(added).to.include({ name: 'New', description: 'new', isPublic: false });
    });
  });
});

async function* aList(length: number): AsyncGenerator<StationRow> {
  for (let count = 0; count < length; count++) yield aStation();
}
