import { expect } from 'chai';
import { migrateUp } from '../../src/adapters/postgres/migrations.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { PostgresStreamList } from '../../src/adapters/postgres/postgres-stream-list.js';
import type { OrganizationId, StreamId, StreamUuid } from '../../src/domain/ids.js';
import { applyReport } from '../../src/domain/now-playing.js';
import { ok } from '../../src/domain/result.js';
import {
  aPlayId,
  aSongReport,
  aStreamProfile,
  anAddedOrganization,
  anAddedStream,
  anOrganizationProfile,
  must,
} from '../support/builders.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { filledDirectory } from '../support/filled-directory.js';
import { onEachPostgres } from '../support/each-postgres.js';
import { untilTrue } from '../support/nodes.js';
import { startPostgres } from '../support/postgres-server.js';
import { START } from '../support/manual-clock.js';
import { empty, storageOn } from '../support/postgres-storage.js';

/** Remembers the longest answer of all. */
class WatchedDatabase extends PostgresDatabase {
  mostRows = 0;

  override async rows<Row>(...statement: Parameters<PostgresDatabase['rows']>): Promise<Row[]> {
    const rows = await super.rows<Row>(...statement);
    this.mostRows = Math.max(this.mostRows, rows.length);
    return rows;
  }
}

onEachPostgres('The stream list', (connection, kind) => {
  let db: WatchedDatabase;
  let list: PostgresStreamList;
  let radio: OrganizationId;
  let streams: { id: StreamId; uuid: StreamUuid }[];
  const stored = () => storageOn(db);

  before(async () => {
    db = new WatchedDatabase(connection());
    await migrateUp(db);
  });
  beforeEach(async () => {
    await empty(db);
    const { organizations } = stored();
    radio = await anAddedOrganization(organizations);
    streams = [];
    for (let count = 0; count < 5; count += 1) streams.push(await anAddedStream(organizations, radio));
    list = new PostgresStreamList(db, 2);
  });
  after(() => db.close());

  const idAt = (index: number): StreamId => streams[index]?.id ?? (0 as StreamId);
  const push = async (index: number, title: string) => {
    const report = aSongReport({ title });
    const uuid = streams[index]?.uuid ?? ('' as StreamUuid);
    must(
      await stored().nowPlaying.update(uuid, radio, (before) => applyReport(before, report, START, aPlayId)),
    );
  };
  /** What a new copy, which knows nothing yet, would show. */
  const expectUpToDate = async () => {
    const shown = await list.read();
    expect(shown).to.deep.equal(await new PostgresStreamList(db).read());
    return shown;
  };

  it('is the same object as long as nothing changes, however many pages it took', async () => {
    const first = await expectUpToDate();
    expect(first.map(({ id }) => id)).to.deep.equal(streams.map(({ id }) => id));
    expect(await list.read()).to.equal(first);
  });

  it('takes up a song, and leaves every other stream the object that it was', async () => {
    const before = await list.read();
    await push(2, 'So What');
    const after = await expectUpToDate();
    expect(after[2]?.nowPlaying.current?.title).to.equal('So What');
    for (const index of [0, 1, 3, 4]) expect(after[index]).to.equal(before[index]);
  });

  const CHANGES: Readonly<Record<string, () => Promise<unknown>>> = {
    'a new stream': () => anAddedStream(stored().organizations, radio),
    'a stream with a new name': () => stored().organizations.updateStream(idAt(1), aStreamProfile()),
    'a stream that is switched off': () =>
      stored().organizations.updateStream(idAt(1), aStreamProfile({ isEnabled: false })),
    'a stream that was removed': () => stored().organizations.removeStream(idAt(0)),
    'an organization with a new name and logo': () =>
      stored().organizations.update(radio, () =>
        ok(anOrganizationProfile({ name: 'Renamed', image: 'https://radio.example/logo.png' })),
      ),
    'an organization that is hidden': () =>
      stored().organizations.update(radio, () => ok(anOrganizationProfile({ isPublic: false }))),
    'an organization that was removed': () => stored().organizations.remove(radio),
    'an honour': () =>
      db.rows(`insert into stream_highlights (stream_id, flag) values ($1, 'top-voted')`, [idAt(3)]),
  };
  for (const [what, change] of Object.entries(CHANGES))
    it(`takes up ${what}, and its end`, async () => {
      const before = await list.read();
      await change();
      expect(await expectUpToDate()).to.not.deep.equal(before);
      await db.rows('delete from stream_highlights');
      await db.rows('update organizations set is_public = true');
      await db.rows('update streams set is_enabled = true');
      await expectUpToDate();
    });

  it('takes up more changes than a page holds without a longer statement', async () => {
    await list.read();
    for (const index of [0, 1, 2, 3]) await push(index, `Song ${index}`);
    db.mostRows = 0;
    const shown = await list.read();
    expect(shown.map(({ nowPlaying }) => nowPlaying.current?.title)).to.deep.equal([
      ...['Song 0', 'Song 1', 'Song 2', 'Song 3'],
      undefined,
    ]);
    expect(db.mostRows).to.be.at.most(3);
    await expectUpToDate();
  });

  // PGlite runs one transaction after the other.
  const onServer = kind === 'server' ? it : () => {};
  onServer(
    'takes up a change that began before it was read and was committed after a later one',
    async () => {
      let commit = () => {};
      let begun = () => {};
      const hasBegun = new Promise<void>((resolve) => (begun = resolve));
      const mayCommit = new Promise<void>((resolve) => (commit = resolve));
      const slow = db.transaction(async (statements) => {
        await statements.rows(`update streams set name = 'Slow' where id = $1`, [idAt(0)]);
        begun();
        await mayCommit;
      });
      await hasBegun;
      await list.read();
      await push(4, 'Meanwhile');
      expect((await expectUpToDate())[0]?.name).to.not.equal('Slow');
      commit();
      await slow;
      expect((await expectUpToDate())[0]?.name).to.equal('Slow');
    },
  );

  it('never answers with what was read before it was asked', async () => {
    await list.read();
    for (let round = 0; round < 10; round += 1) {
      const early = list.read();
      await push(0, `Song ${round}`);
      const [, late, shared] = await Promise.all([early, list.read(), list.read()]);
      expect(late[0]?.nowPlaying.current?.title).to.equal(`Song ${round}`);
      expect(shared).to.equal(late);
    }
  });
});

describe('The stream list behind an address', function () {
  this.timeout(60_000);

  it('is read anew where another server has taken the place of the one that was there', async function () {
    const [one, other] = [await startPostgres(), await startPostgres()];
    if (!one?.faults || !other?.faults) return this.skip();
    // The numbers of its transactions are far beyond those of the other.
    await filledDirectory(one.url, { streams: 20, users: 20 });
    await filledDirectory(other.url, { streams: 2, users: 0 });
    const at = (url: string) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) });
    const proxy = await new FaultProxy(at(one.url)).open();
    const db = new PostgresDatabase({ url: proxy.through(one.url) });
    const list = new PostgresStreamList(db);
    expect(await list.read()).to.have.length(20);

    proxy.target = at(other.url);
    proxy.reset();
    await untilTrue(() =>
      db.rows('select 1').then(
        () => true,
        () => false,
      ),
    );
    expect(await list.read()).to.have.length(2);
    await db.close();
    await proxy.close();
    for (const server of [one, other]) await server.stop();
  });
});
