import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, stat, watch, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import {
  DataDirectoryInUse,
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from '../../src/adapters/postgres/embedded-database.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { Unavailable } from '../../src/application/errors.js';

const WRITER = fileURLToPath(new URL('../support/embedded-writer.ts', import.meta.url));

describe('The embedded database', function () {
  this.timeout(60_000);
  let folder: string;
  const toClose: { close(): Promise<void> }[] = [];
  const children: ChildProcess[] = [];

  /** A directory whose first start lies behind it: that is the slow one. */
  let used: string;
  before(async () => {
    used = await mkdtemp(join(tmpdir(), 'radio-directory-embedded-'));
    await (await openEmbeddedDatabase(used, { role: 'owner' })).close();
  });
  after(() => rm(used, { recursive: true }));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'radio-directory-embedded-'));
    await cp(used, folder, { recursive: true });
  });
  afterEach(async () => {
    for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
    for (const resource of toClose.splice(0).reverse()) await resource.close();
    await rm(folder, { recursive: true });
  });

  const open = async (
    dataDir = folder,
    options: Parameters<typeof openEmbeddedDatabase>[1] = { role: 'owner' },
  ) => {
    const embedded = await openEmbeddedDatabase(dataDir, { farewellMilliseconds: 0, ...options });
    toClose.push(embedded);
    return embedded;
  };
  const using = ({ connection }: EmbeddedDatabase) => {
    const db = new PostgresDatabase(connection);
    toClose.push(db);
    return db;
  };
  /** Resolves with the numbers it acknowledged, once it was killed. */
  const writerKilledAfter = async (acknowledgements: number): Promise<number[]> => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--no-warnings', WRITER, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const numbers: number[] = [];
    for await (const line of createInterface(child.stdout)) {
      if (line !== 'open') numbers.push(Number(line));
      if (numbers.length === acknowledgements) child.kill('SIGKILL');
    }
    return numbers;
  };

  it('keeps what was stored, and is new until somebody has settled in it', async () => {
    const dataDir = join(folder, 'data');
    const first = await openEmbeddedDatabase(dataDir, { role: 'owner' });
    const db = new PostgresDatabase(first.connection);
    await db.rows(`create table kept as select 'here' as what`);
    await db.close();
    await first.close();
    const second = await openEmbeddedDatabase(dataDir, { role: 'owner' });
    await second.settle();
    await second.close();

    const third = await open(dataDir);

    expect([first.isNew, second.isNew, third.isNew]).to.deep.equal([true, true, false]);
    expect(await using(third).rows('select what from kept')).to.deep.equal([{ what: 'here' }]);
  });

  it('refuses a second owner, and says which folder, who has it and what to do', async () => {
    await open();

    const refusal: unknown = await open().catch((error: unknown) => error);

    expect(refusal).to.be.instanceOf(DataDirectoryInUse);
    expect(refusal).to.have.property(
      'message',
      `The data directory ${folder} is in use by process ${process.pid}. ` +
        'Stop that process first, or give this one a DATA_DIR of its own.',
    );
  });

  it('lets a guest read and write while its owner runs', async () => {
    const owner = using(await open());
    await owner.rows('create table visits (n integer)');

    const guest = await open(folder, { role: 'either' });
    await using(guest).rows('insert into visits values (1)');

    expect([guest.isOwner, guest.isNew]).to.deep.equal([false, false]);
    expect(await owner.rows('select n from visits')).to.deep.equal([{ n: 1 }]);
  });

  it('makes an owner of whoever comes first', async () => {
    const embedded = await open(folder, { role: 'either' });

    expect(embedded.isOwner).to.equal(true);
    expect(await using(embedded).rows('select 1 as one')).to.deep.equal([{ one: 1 }]);
  });

  it('lets a guest wait for an owner that is still starting', async () => {
    await rm(join(folder, 'lock'));
    const isLocked = happensIn(folder, 'lock');
    const opening = open();
    await isLocked;
    const visiting = open(folder, { role: 'either' });

    const [owner, guest] = await Promise.all([opening, visiting]);

    expect([owner.isOwner, guest.isOwner]).to.deep.equal([true, false]);
    expect(await using(guest).rows('select 1 as one')).to.deep.equal([{ one: 1 }]);
  });

  it('tells a guest when the owner does not answer', async () => {
    await open();
    await rm(join(folder, '.s.PGSQL.5432'));

    const refusal: unknown = await open(folder, { role: 'either', startMilliseconds: 0 }).catch(
      (error: unknown) => error,
    );

    expect(refusal).to.be.instanceOf(DataDirectoryInUse);
    expect(refusal)
      .to.have.property('message')
      .that.includes(`process ${process.pid}, which does not answer on ${folder}`);
  });

  it('waits for its guests before it stops', async () => {
    const owner = await openEmbeddedDatabase(folder, { role: 'owner' });
    const guest = new PostgresDatabase((await open(folder, { role: 'either' })).connection);
    await guest.rows('create table visits (n integer)');

    const closing = owner.close();
    for (let n = 0; n < 20; n += 1) await guest.rows('insert into visits values ($1)', [n]);
    await guest.close();
    await closing;

    const [{ count } = {}] = await using(await open()).rows<{ count: string }>('select count(*) from visits');
    expect(count).to.equal('20');
  });

  it('is not available to a guest after its owner has gone, and closes for a guest that stays', async () => {
    const owner = await openEmbeddedDatabase(folder, { role: 'owner', farewellMilliseconds: 0 });
    const guest = using(await open(folder, { role: 'either' }));
    await guest.rows('select 1');
    await owner.close();

    const failure: unknown = await guest.rows('select 1').catch((error: unknown) => error);

    expect(failure).to.be.instanceOf(Unavailable);
  });

  it('goes on for others when a connection is lost inside a transaction', async () => {
    const embedded = await open();
    const db = using(embedded);
    await db.rows('create table kept (n integer)');
    const guest = await connected(embedded);

    await guest.query('begin');
    await guest.query('insert into kept values (1)');
    const waiting = db.rows('select n from kept');
    await guest.end();

    expect(await waiting).to.deep.equal([]);
  });

  for (const statement of ['select $1::text', 'select nonsense where $1'])
    it(`goes on for others when a connection is lost inside a statement: ${statement}`, async () => {
      const embedded = await open();
      const db = using(embedded);
      const guest = await connected(embedded);
      await guest.query('begin');

      const lost = guest.query(statement, ['x'.repeat(5_000_000)]).catch(String);
      const waiting = db.rows('select $1::integer as n', [1]);
      await guest.end();

      expect(await lost).to.match(/^error: column|^Error: Connection terminated/);
      expect(await waiting).to.deep.equal([{ n: 1 }]);
      expect(await db.rows('select $1::integer as n', [2])).to.deep.equal([{ n: 2 }]);
    });

  it('frees the folder when its owner is killed, and has lost nothing that was acknowledged', async () => {
    const acknowledged: number[] = [];
    for (let round = 0; round < 3; round += 1) acknowledged.push(...(await writerKilledAfter(150)));

    const stored = await using(await open()).rows<{ n: number }>('select n from acknowledged order by n');

    expect(acknowledged.length).to.be.at.least(450);
    expect(stored.map(({ n }) => n)).to.include.members(acknowledged);
  });

  it('refuses another process while its owner lives', async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--no-warnings', WRITER, folder]);
    children.push(child);
    await once(child.stdout, 'data');

    const refusal: unknown = await open().catch((error: unknown) => error);
    const guest = using(await open(folder, { role: 'either' }));

    expect(refusal).to.have.property('message').that.includes(`in use by process ${child.pid}.`);
    expect(await guest.rows('select 1 as one')).to.deep.equal([{ one: 1 }]);
    await guest.close();
    toClose.splice(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await open()).isOwner).to.equal(true);
  });

  it('takes a folder whose first start was cut off for an empty one', async () => {
    const unfinished = join(folder, 'data', 'postgres.unfinished');
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(unfinished, 'PG_VERSION'), '18');

    const embedded = await open(join(folder, 'data'));

    expect(embedded.isNew).to.equal(true);
    expect(await using(embedded).rows('select 1 as one')).to.deep.equal([{ one: 1 }]);
    expect(existsSync(unfinished)).to.equal(false);
  });

  it('works in a folder whose name is too long for a socket', async () => {
    const long = join(folder, 'x'.repeat(200));
    const links = async () =>
      (await readdir(tmpdir())).filter((name) => name.startsWith('radio-directory-link-'));
    const before = await links();
    await cp(used, long, { recursive: true });
    const owner = await openEmbeddedDatabase(long, { role: 'owner', farewellMilliseconds: 0 });
    const guest = await openEmbeddedDatabase(long, { role: 'either' });
    const db = new PostgresDatabase(guest.connection);

    expect(await db.rows('select 1 as one')).to.deep.equal([{ one: 1 }]);

    await db.close();
    await guest.close();
    await owner.close();
    expect(await links()).to.have.members(before);
  });

  it('lets nobody else on the machine in', async () => {
    const dataDir = join(folder, 'data');
    await open(dataDir);

    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect(await modeOf(dataDir)).to.equal('700');
    expect(await modeOf(join(dataDir, '.s.PGSQL.5432'))).to.equal('600');
    expect(await modeOf(join(dataDir, 'lock'))).to.equal('600');
  });
});

async function connected({ connection }: EmbeddedDatabase): Promise<Client> {
  if (!('socketFolder' in connection)) throw new Error('An embedded database is reached by a socket.');
  const client = new Client({ host: connection.socketFolder, user: 'postgres', database: 'postgres' });
  await client.connect();
  return client;
}

/** Resolves when something happens to a file of this name. */
async function happensIn(folder: string, name: string): Promise<void> {
  for await (const { filename } of watch(folder)) if (filename === name) return;
}
