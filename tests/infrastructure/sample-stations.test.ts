import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { InMemoryBulkDirectory } from '../../src/adapters/in-memory/in-memory-bulk-directory.js';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryOrganizationRepository } from '../../src/adapters/in-memory/in-memory-organization-repository.js';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import { ImportStations, type SkippedRow } from '../../src/application/import-stations.js';
import { sampleStations } from '../../src/infrastructure/sample-stations.js';
import { ManualClock } from '../support/manual-clock.js';
import { fixture } from '../support/station-lists.js';

type StationRecord = Readonly<Record<string, unknown>>;
const recordsIn = (path: string | URL) => JSON.parse(readFileSync(path, 'utf8')) as StationRecord[];

describe('The sample stations', () => {
  const sample = recordsIn(new URL('../../src/infrastructure/sample-stations.json', import.meta.url));
  const source = new Map(
    recordsIn(fixture('radio-browser/stations-sample.json')).map((record) => [record['stationuuid'], record]),
  );

  it('are a few dozen, each field as Radio Browser has it', () => {
    expect(sample.length).to.be.within(36, 48);
    for (const record of sample) {
      expect(record).to.have.all.keys(
        'stationuuid',
        'name',
        'url',
        'url_resolved',
        'homepage',
        'favicon',
        'tags',
      );
      expect(source.get(record['stationuuid'])).to.deep.include(record);
    }
  });

  it('answered when they were last checked, and have a logo and a homepage that browsers load', () => {
    for (const record of sample) {
      expect(source.get(record['stationuuid'])).to.include({ lastcheckok: 1 });
      expect(record['favicon']).to.match(/^https:/);
      expect(record['homepage']).to.match(/^https:/);
      expect(record['url']).to.not.match(/\/\/[^/]*@/);
    }
    expect(sample.filter(({ url }) => String(url).startsWith('https:')).length).to.be.above(
      sample.length * 0.75,
    );
  });

  it('come from many countries', () => {
    const countries = sample.map(({ stationuuid }) => source.get(stationuuid)?.['countrycode']);
    expect(new Set(countries).size).to.be.at.least(15);
  });

  it('are imported without a skip, each operator with its logo, some with several streams', async () => {
    const db = new InMemoryDatabase();
    const organizations = new InMemoryOrganizationRepository(db);
    const bulk = new InMemoryBulkDirectory(db);
    const importStations = new ImportStations(organizations, bulk, new RandomSecrets(), new ManualClock());
    const skipped: SkippedRow[] = [];

    const summary = await importStations.execute(sampleStations(), {
      fallbackOrganizationName: 'Sample stations',
      onSkipped: (row) => void skipped.push(row),
    });

    expect(skipped).to.deep.equal([]);
    expect(summary.added).to.equal(sample.length);
    const operators = await organizations.list();
    expect(operators.filter(({ image, links }) => image === null || links.length === 0)).to.deep.equal([]);
    const streams = await Promise.all(operators.map(({ id }) => organizations.listStreams(id)));
    expect(streams.filter((ofOne) => ofOne.length > 1).length).to.be.at.least(4);
    expect((await organizations.listStreams()).every(({ isActive }) => isActive)).to.be.true;
  });
});
