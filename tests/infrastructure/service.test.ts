import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PORT, type Service, adapterFor, createService, loadConfig } from '../../src/infrastructure/index.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { createLogger } from '../../src/infrastructure/logger.js';
import { sharedPostgres } from '../support/postgres-server.js';
import { startRedis } from '../support/redis-server.js';
import { cleanEnvironment } from '../support/running-service.js';

/** As the README shows it to embedders. */
const inMemory = () =>
  createService(
    loadConfig({
      DATABASE_URL: 'memory:',
      HOST: '127.0.0.1',
      PORT: '0',
      MANAGEMENT_PORT: '',
      LOG_LEVEL: 'silent',
      DATA_DIR: '/nonexistent',
    }),
  );

describe('The service in the process of another program', () => {
  const open: Service[] = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });
  const started = async () => {
    const service = await inMemory();
    open.push(service);
    const { port } = await service.listen();
    return { service, url: `http://127.0.0.1:${port}` };
  };

  it('serves from memory and touches no folder', async () => {
    const { url } = await started();
    expect(await (await fetch(`${url}/stream`)).json()).to.deep.equal([]);
    expect(await (await fetch(`${url}/stats`)).json()).to.deep.equal({
      users: 0,
      organizations: 0,
      stations: 0,
    });
  });

  it('runs twice beside itself, each with a directory and logins of its own', async () => {
    const one = await started();
    const other = await started();
    expect(one.url).to.not.equal(other.url);
    expect((await fetch(other.url)).status).to.equal(200);
  });

  it('stops taking requests when closed', async () => {
    const { service, url } = await started();
    await service.close();
    open.pop();
    const refused = await fetch(url).then(
      () => false,
      () => true,
    );
    expect(refused).to.equal(true);
  });

  it('ends also a start to listen that is under way when it is closed', async () => {
    const service = await inMemory();
    const listening = service.listen();
    await service.close();
    const { port } = await listening;
    const failure: unknown = await fetch(`http://127.0.0.1:${port}`).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(TypeError).with.nested.property('cause.code', 'ECONNREFUSED');
  });

  it('listens no more once it is closed', async () => {
    const service = await inMemory();
    await service.close();
    open.push(service);
    const failure: unknown = await service.listen().catch((error: unknown) => error);
    expect(String(failure)).to.equal('Error: This service is closed. Create another one to listen again.');
  });

  const logged = async (
    variables: Record<string, string>,
    modules: Parameters<typeof createService>[2] = [],
  ) => {
    const lines: string[] = [];
    const log = createLogger('info', { write: (line: string) => void lines.push(line) });
    const config = loadConfig({
      ...{ DATABASE_URL: 'memory:', HOST: '127.0.0.1', PORT: '0', DATA_DIR: '/nonexistent' },
      ...variables,
    });
    const service = await createService(config, log, modules);
    open.push(service);
    const { port } = await service.listen();
    const post = (path: string, body: object) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    return { service, lines, post };
  };

  it('warns of limits that are off, and of a trust in everybody', async () => {
    const { lines } = await logged({ RATE_LIMITS: 'off', TRUST_PROXY: 'true' });
    const warnings = lines.filter((line) => line.includes('"level":40'));
    expect(warnings).to.have.length(2);
    expect(warnings.join()).to.include('RATE_LIMITS=off').and.include('TRUST_PROXY=true');
  });

  it('names a mailbox in the log alike on all nodes, and by nothing that others could compute', async () => {
    const nameOf = async (secret: string) => {
      const { lines, post } = await logged({ JWT_SECRETS: secret });
      await post('/user/requestPasswordChange', { email: 'anna@listener.example' });
      return /"emailHash":"([\w-]+)"/.exec(lines.join(''))?.[1];
    };
    const name = await nameOf('x'.repeat(32));
    expect(name).to.be.a('string');
    expect(await nameOf('x'.repeat(32))).to.equal(name);
    expect(await nameOf('y'.repeat(32))).to.not.equal(name);
  });

  it('closes when the mail that is being sent has been sent', async () => {
    let isBegun = false;
    let isSent = false;
    const mailer = {
      send: async () => {
        isBegun = true;
        await pause(500);
        isSent = true;
      },
    };
    const { service, post } = await logged({}, [adapterFor(PORT.mailer, () => mailer)]);
    await post('/user', { username: 'Anna', email: 'anna@listener.example', password: 'Sunny-Day-2026' });
    while (!isBegun) await pause(5);
    await service.close();
    expect(isSent).to.equal(true);
  });

  it('starts on the schema of a newer version, with a warning', async function () {
    this.timeout(60_000);
    const database = await (await sharedPostgres())?.createDatabase();
    if (!database) return this.skip();
    const config = loadConfig({
      DATABASE_URL: database.url,
      JWT_SECRETS: 'x'.repeat(32),
      SAMPLE_DATA: 'off',
    });
    await (await createService(config, createLogger('silent'))).close();
    const db = new PostgresDatabase({ url: database.url });
    await db.rows(
      `insert into knex_migrations (name, batch, migration_time) values ('999-future', 2, now())`,
    );
    await db.close();

    const warnings: string[] = [];
    const log = createLogger('warn', { write: (line: string) => void warnings.push(line) });
    await (await createService(config, log)).close();

    expect(warnings).to.have.length(1);
    expect(warnings.join()).to.include('"migrations":["999-future"]').and.include('a newer version');
    await database.drop();
  });

  it('leaves nothing open when it cannot start, so that the process ends by itself', async function () {
    this.timeout(60_000);
    const [postgres, redis] = [await sharedPostgres(), await startRedis()];
    if (!postgres || !redis) return this.skip();
    const database = await postgres.createDatabase();
    const program = `
      import { PORT, adapterFor, createService, loadConfig } from ${JSON.stringify(resolve('dist/infrastructure/index.js'))};
      const broken = adapterFor(PORT.mailer, () => { throw new Error('no mailer today'); });
      await createService(loadConfig(process.env), undefined, [broken]).catch(({ message }) => console.log(message));`;
    const dataDir = mkdtempSync(join(tmpdir(), 'radio-directory-'));
    const storages = [
      { DATABASE_URL: database.url, DATABASE_REPLICA_URL: postgres.url, REDIS_URL: redis.url },
      { REDIS_URL: redis.url },
    ];
    for (const storage of storages) {
      const env = { ...cleanEnvironment(), DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...storage };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '--eval', program],
        { env, timeout: 20_000 },
      );
      expect(stdout).to.equal('no mailer today\n');
    }
    rmSync(dataDir, { recursive: true });
    await database.drop();
    await redis.stop();
  });
});
