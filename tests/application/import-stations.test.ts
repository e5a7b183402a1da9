import { expect } from 'chai';
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
import type { StoredOrganization } from '../../src/application/ports/organization-repository.js';
import type { OrganizationId } from '../../src/domain/ids.js';
import { anAddedOrganization, anAddedStream } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';
import { asList, fixtureText } from '../support/station-lists.js';

const REAL_LIST = 'radio-browser/stations-sample.json';

function aDirectory(organizations = new InMemoryOrganizationRepository(new InMemoryDatabase())) {
  const importStations = new ImportStations(organizations, new RandomSecrets(), new ManualClock());
  return {
    organizations,
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

  it('uses an organization that has the name already, and leaves it as it is', async () => {
    const { organizations, ...directory } = aDirectory();
    const organization = await anAddedOrganization(organizations, { name: 'A.EXAMPLE', isPublic: false });
    const before = await organizations.find(organization);
    const { summary } = await directory.import(asList(aStation({ favicon: 'https://a.example/f.png' })));
    expect(summary).to.deep.equal({ ...NOTHING, added: 1 });
    expect(await organizations.find(organization)).to.deep.equal(before);
    expect(await organizations.listStreams(organization)).to.have.length(1);
  });

  it('uses an organization that somebody else adds under the name in the middle of it', async () => {
    class OvertakenRepository extends InMemoryOrganizationRepository {
      override async list(): Promise<readonly StoredOrganization[]> {
        const known = [...(await super.list())];
        await anAddedOrganization(this, { name: 'A.example' });
        return known;
      }
    }
    const { organizations, ...directory } = aDirectory(new OvertakenRepository(new InMemoryDatabase()));
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

  it('tells how far it is: rows read, then streams stored', async () => {
    const told: ImportProgress[] = [];
    await aDirectory().import(asList(aStation(), { row: 0, reason: 'none' }, aStation()), {
      onProgress: (progress) => void told.push(progress),
    });
    expect(told).to.deep.equal([
      { read: 1, stored: 0, total: null },
      { read: 2, stored: 0, total: null },
      { read: 3, stored: 0, total: null },
      { read: 3, stored: 1, total: 2 },
      { read: 3, stored: 2, total: 2 },
    ]);
  });

  it('stores nothing of a list that breaks off while it is read', async () => {
    const { organizations, ...directory } = aDirectory();
    async function* torn(): AsyncGenerator<StationRow> {
      yield aStation();
      throw new Error('disk gone');
    }
    let problem: unknown;
    await directory.import(torn()).catch((error: unknown) => (problem = error));
    expect(problem).to.be.an('error').with.property('message', 'disk gone');
    expect(await organizations.listStreams()).to.deep.equal([]);
  });
});
