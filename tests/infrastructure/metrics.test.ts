import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { type Service, createService, loadConfig } from '../../src/infrastructure/index.js';
import { Exposition } from '../support/exposition.js';
import { type FilledDirectory, filledDirectory } from '../support/filled-directory.js';
import { alerts, dashboard } from '../support/monitoring-files.js';
import { type PostgresServer, startPostgres } from '../support/postgres-server.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { SmtpSink } from '../support/smtp-sink.js';

/** Prometheus gives up a scrape after 10 s. */
const SCRAPE_TIMEOUT = 10_000;

describe('The metrics of a service', function () {
  this.timeout(60_000);
  let postgres: PostgresServer | null;
  let replica: PostgresServer;
  let redis: RedisServer | null;
  let sink: SmtpSink;
  let directory: FilledDirectory;
  let service: Service;
  let url: string;

  before('needs PostgreSQL and Redis on this machine, and some of our own', async function () {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    if (!postgres?.startReplica || !redis?.faults) return this.skip();
    const database = await postgres.createDatabase();
    directory = await filledDirectory(database.url, { streams: 2, users: 3 });
    replica = await postgres.startReplica();
    const onReplica = new URL(database.url);
    onReplica.port = new URL(replica.url).port;
    sink = await new SmtpSink().open();
    service = await createService(
      loadConfig({
        DATABASE_URL: database.url,
        DATABASE_REPLICA_URL: onReplica.href,
        REDIS_URL: redis.url,
        SMTP_URL: sink.url,
        HOST: '127.0.0.1',
        PORT: '0',
        DATA_DIR: '/nonexistent',
        JWT_SECRETS: 'a secret of the tests of more than thirty-two bytes',
      }),
      pino({ level: 'silent' }),
    );
    url = `http://127.0.0.1:${(await service.listen()).port}`;
  });
  after(async () => {
    await service?.close();
    await sink?.close();
    await replica?.stop();
    await postgres?.stop();
    await redis?.stop();
  });

  const scrape = async () => {
    const late = pause(SCRAPE_TIMEOUT, null, { ref: false });
    const text = await Promise.race([service.metrics(), late]);
    return new Exposition(text ?? expect.fail('The scrape took too long.'));
  };
  const until = async (name: string, labels: Record<string, string>, reached: (value: number) => boolean) => {
    while (!reached((await scrape()).value(name, labels))) await pause(20);
  };
  const register = (email: string) =>
    fetch(`${url}/user`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: email, email, password: 'Sunny-Day-2026' }),
    });

  it('show what its databases and its directory hold', async () => {
    const seen = await scrape();
    expect(seen.value('entries', { kind: 'users' })).to.equal(3);
    expect(seen.value('entries', { kind: 'organizations' })).to.equal(1);
    expect(seen.value('entries', { kind: 'streams' })).to.equal(2);
    expect(seen.value('mails', { state: 'given-up' })).to.equal(0);
    for (const database of ['primary', 'replica']) {
      expect(seen.value('database_connections_limit', { database })).to.equal(10);
      const [used, free] = ['used', 'free'].map((state) =>
        seen.value('database_connections', { database, state }),
      );
      expect((used ?? 0) + (free ?? 0)).to.be.within(1, 10);
      expect(seen.value('database_outages_total', { database })).to.equal(0);
    }
  });

  it('show a replica that is read, and one that is lost', async () => {
    await until('replica_state', { state: 'in-use' }, (value) => value === 1);
    expect((await scrape()).value('replica_lag_seconds', { database: 'replica' })).to.be.within(0, 5);
    replica.faults?.freeze();
    await until('replica_state', { state: 'lost' }, (value) => value === 1);
    expect((await scrape()).value('replica_state', { state: 'in-use' })).to.equal(0);
    expect((await scrape()).value('database_outages_total', { database: 'replica' })).to.be.above(0);
    replica.faults?.thaw();
    await until('replica_state', { state: 'in-use' }, (value) => value === 1);
  });

  it('count the mails that were sent, and those that were given up', async () => {
    sink.unknown.add('nobody@listener.example');
    expect((await register('anna@listener.example')).status).to.equal(201);
    expect((await register('nobody@listener.example')).status).to.equal(201);
    await until('mail_attempts_total', { kind: 'activation', outcome: 'sent' }, (value) => value === 1);
    await until('mail_attempts_total', { kind: 'activation', outcome: 'refused' }, (value) => value === 1);
  });

  it('show that limits are shared, and that they are not while Redis is away', async () => {
    const store = { store: 'redis' };
    const before = await scrape();
    expect(before.value('rate_limit_shared', store)).to.equal(1);
    await redis?.faults?.kill();
    await until('rate_limit_shared', store, (value) => {
      void fetch(`${url}/stats`);
      return value === 0;
    });
    await redis?.faults?.restart();
    await until('rate_limit_shared', store, (value) => value === 1);
    const after = await scrape();
    const changes = (to: string) =>
      after.value('rate_limit_sharing_changes_total', { to }) -
      before.value('rate_limit_sharing_changes_total', { to });
    expect([changes('alone'), changes('shared')]).to.deep.equal([1, 1]);
  });

  it('are what the dashboard and the alerts ask for, with the labels that they name', async () => {
    const [stream] = directory.streams;
    await fetch(`${url}/stream`);
    const push = (token: string) =>
      fetch(`${url}/stream/update/${stream?.uuid}`, {
        method: 'POST',
        headers: { 'X-API-KEY': token, 'Content-Type': 'application/json' },
        body: '{"title":"So What"}',
      });
    expect((await push(directory.token)).status).to.equal(200);
    // What other tests asked for may fill the limit of this address for a second.
    while ((await push('nonsense')).status !== 401) await pause(300);
    const body = JSON.stringify({ email: 'nobody@listener.example', password: 'Wrong-Horse-1' });
    const logIn = () =>
      fetch(`${url}/user/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      });
    while ((await logIn()).status !== 401) await pause(300);
    for (let request = 0; request < 5; request += 1) await fetch(`${url}/stats`);

    const { series } = await scrape();
    // Prometheus adds these to all that it scrapes, and `up` itself.
    const labelsOf = (metric: string) => {
      const labels = new Map<string, Set<string>>([
        ['job', new Set(['radio-directory'])],
        ['instance', new Set()],
      ]);
      for (const { name, labels: told } of series)
        if (name === metric)
          for (const [label, text] of Object.entries(told))
            labels.set(label, (labels.get(label) ?? new Set()).add(text));
      return labels;
    };
    for (const { where, metrics, grouping } of [...alerts(), ...dashboard()]) {
      for (const { name, labels } of metrics) {
        if (name !== 'up')
          expect(
            series.map((one) => one.name),
            where,
          ).to.include(name);
        for (const { name: label, text } of labels) {
          const told = labelsOf(name).get(label) ?? expect.fail(`${where}: ${name} has no label ${label}.`);
          if (text !== null) expect([...told], `${where}: ${name}{${label}}`).to.include(text);
        }
      }
      const all = metrics.flatMap(({ name }) => [...labelsOf(name).keys()]);
      for (const label of grouping) expect(all, where).to.include(label);
    }
  });

  it('have alerts, each with its own paragraph on what to do', () => {
    const page = readFileSync('docs/monitoring.md', 'utf8');
    for (const { alert } of alerts()) expect(page).to.match(new RegExp(`^\\*\\*${alert}\\*\\*`, 'm'));
  });

  it('are all explained', async () => {
    const page = readFileSync('docs/monitoring.md', 'utf8');
    const ours = (await scrape()).series.map(({ name }) => name.replace(/_(bucket|sum|count)$/, ''));
    for (const name of new Set(ours))
      if (name.startsWith('radio_directory_')) expect(page).to.include(`\`${name.slice(16)}\``);
  });

  it('still come while its databases are frozen, and say so', async () => {
    expect((await fetch(`${url}/stream`)).status).to.equal(200);
    const listed = { method: 'GET', route: '/stream', status: '200' };
    const before = await scrape();
    expect(before.value('stream_list_stale')).to.equal(0);
    postgres?.faults?.freeze();
    replica.faults?.freeze();
    try {
      await until('storage_up', {}, (value) => value === 0);
      expect((await fetch(`${url}/stream`)).status).to.equal(200);
      const seen = await scrape();
      expect(seen.value('stream_list_stale')).to.equal(1);
      expect(seen.value('stream_list_stale_answers_total')).to.equal(1);
      const lists = (exposition: Exposition) =>
        exposition.value('http_request_duration_seconds_count', listed);
      expect(lists(seen) - lists(before)).to.equal(1);
      expect(seen.series.filter(({ name }) => name === 'radio_directory_entries')).to.deep.equal([]);
      await until('database_outages_total', { database: 'primary' }, (value) => value > 0);
      const waiting = Array.from({ length: 12 }, (_, number) => fetch(`${url}/stream/${number + 1}/history`));
      await until('database_waiting', { database: 'primary' }, (value) => value > 0);
      await Promise.all(waiting);
    } finally {
      postgres?.faults?.thaw();
      replica.faults?.thaw();
    }
  });
});
