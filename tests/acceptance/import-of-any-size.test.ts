import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { openEmbeddedDatabase } from '../../src/adapters/postgres/embedded-database.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { type TestDatabase, sharedPostgres } from '../support/postgres-server.js';
import { PROGRAM, cleanEnvironment } from '../support/running-service.js';
import { fixture } from '../support/station-lists.js';

const ALL = fixture('radio-browser/stations-all-light.ndjson.gz');
const ROWS = 53_895;
const STREAMS = 44_710;
const MINUTES = 60_000;

function program(environment: Record<string, string>, ...argv: string[]): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...argv], { env: { ...cleanEnvironment(), ...environment } });
}

async function ended(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const printed = { stdout: '', stderr: '' };
  child.stdout?.on('data', (bytes: Buffer) => (printed.stdout += bytes.toString()));
  child.stderr?.on('data', (bytes: Buffer) => (printed.stderr += bytes.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...printed };
}

/** Until the import that runs on this folder has stored more streams than this. */
async function storedMoreThan(before: number, folder: string): Promise<void> {
  while (!existsSync(join(folder, '.s.PGSQL.5432'))) await pause(20);
  const visited = await openEmbeddedDatabase(folder, { role: 'either' });
  const db = new PostgresDatabase(visited.connection);
  try {
    for (let count = 0; count <= before;) {
      const [table] = await db.rows<{ exists: boolean }>(
        `select to_regclass('stream_checks') is not null as exists`,
      );
      if (!table?.exists) await pause(20);
      else count = (await db.rows('select from streams')).length;
    }
  } finally {
    await db.close();
    await visited.close();
  }
}

describe('An import of a whole country and more', () => {
  it('ends the same after Ctrl-C and kill -9 in the middle of it, on the embedded directory', async function () {
    this.timeout(4 * MINUTES);
    const folder = await mkdtemp(join(tmpdir(), 'radio-directory-import-'));
    const environment = { DATA_DIR: folder };
    const length = process.env['FULL'] ? ROWS : 4_000;
    const lines = gunzipSync(readFileSync(ALL)).toString('utf8').split('\n').slice(0, length);
    const list = join(folder, 'stations.ndjson');
    await writeFile(list, lines.join('\n'));
    const begin = (rows: number) => {
      const child = program(environment, 'import', '-', '--format', 'radio-browser');
      child.stdin?.on('error', () => {});
      child.stdin?.write(`${lines.slice(0, rows).join('\n')}\n`);
      return { child, end: ended(child) };
    };

    const interrupted = begin(1_200);
    await storedMoreThan(0, folder);
    // As npx does: the terminal tells both, and npx tells the program once more.
    interrupted.child.kill('SIGINT');
    await pause(50);
    interrupted.child.kill('SIGINT');
    const { code, stderr } = await interrupted.end;
    expect(code).to.equal(1);
    expect(stderr).to.match(/^Interrupted\. Added \d+ streams and 1 organization, /);

    const killed = begin(3_000);
    await storedMoreThan(Number(/Added (\d+)/.exec(stderr)?.[1]), folder);
    killed.child.kill('SIGKILL');
    await killed.end;

    const start = performance.now();
    const whole = await ended(program(environment, 'import', list, '--json', '--organization', '1'));
    const seconds = (performance.now() - start) / 1_000;
    expect(whole).to.include({ code: 0, stderr: '' });
    process.stdout.write(
      `      ${length} rows in ${seconds.toFixed(1)} s, ${Math.round(length / seconds)}/s (PGlite)\n`,
    );

    const again = await ended(program(environment, 'import', list, '--json', '--organization', '1'));
    expect(JSON.parse(again.stdout)).to.include({ added: 0, updated: 0 });
    const keys = await ended(program(environment, 'export', '--format', 'csv'));
    const urls = keys.stdout.split('\r\n').slice(1, -1);
    const { skipped } = JSON.parse(again.stdout) as { skipped: number };
    expect(urls).to.have.length(length - skipped);
    expect(new Set(urls.map((row) => row.slice(0, 36))).size).to.equal(urls.length);
    await rm(folder, { recursive: true });
  });

  describe('on PostgreSQL', () => {
    let database: TestDatabase | undefined;
    before('needs PostgreSQL on this machine, or TEST_DATABASE_URL', async function () {
      this.timeout(MINUTES);
      const server = await sharedPostgres();
      if (!server) this.skip();
      database = await server.createDatabase();
    });
    after(() => database?.drop());

    it('takes all 53,895 stations, and adds nothing the second time', async function () {
      this.timeout(4 * MINUTES);
      const environment = { DATABASE_URL: database?.url ?? '' };
      expect(await ended(program(environment, 'migrate', 'up', '--json'))).to.include({ code: 0 });
      const start = performance.now();
      const first = await ended(program(environment, 'import', ALL, '--json'));
      const seconds = (performance.now() - start) / 1_000;
      expect(first).to.include({ code: 0, stderr: '' });
      expect(JSON.parse(first.stdout)).to.deep.equal({
        added: STREAMS,
        updated: 0,
        skipped: ROWS - STREAMS,
        organizations: 1,
      });
      process.stdout.write(
        `      ${ROWS} rows in ${seconds.toFixed(1)} s, ${Math.round(ROWS / seconds)}/s (PostgreSQL)\n`,
      );
      const second = await ended(program(environment, 'import', ALL, '--json'));
      expect(JSON.parse(second.stdout)).to.deep.equal({
        added: 0,
        updated: 0,
        skipped: ROWS - STREAMS,
        organizations: 0,
      });
    });
  });
});
