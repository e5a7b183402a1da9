import { expect } from 'chai';
import { pino } from 'pino';
import { setTimeout as pause } from 'node:timers/promises';
import { ContainerModule } from 'inversify';
import { BcryptPasswordHasher } from '../../src/adapters/node/bcrypt-password-hasher.js';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import { migrateUp } from '../../src/adapters/postgres/migrations.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { SmtpMailer } from '../../src/adapters/smtp/smtp-mailer.js';
import { DeliverMails } from '../../src/application/mail-delivery.js';
import type { Clock } from '../../src/application/ports/clock.js';
import { HOUR, type Instant, MINUTE, SECOND, later } from '../../src/domain/ids.js';
import { loadConfig } from '../../src/infrastructure/config.js';
import { PORT } from '../../src/infrastructure/container.js';
import { MailWorker } from '../../src/infrastructure/mail-worker.js';
import { type Service, createService } from '../../src/infrastructure/service.js';
import { aNewAccount, must } from '../support/builders.js';
import { FaultProxy, STORMS } from '../support/fault-proxy.js';
import { FULL, figure, quantile, seededRandom } from '../support/figures.js';
import { type TestDatabase, sharedPostgres } from '../support/postgres-server.js';
import { storageOn } from '../support/postgres-storage.js';
import { startService } from '../support/running-service.js';
import { type SinkMood, SmtpSink, type TakenMail } from '../support/smtp-sink.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FROM = 'Radio <radio@radio.example>';
const PUBLIC_URL = 'https://radio.example';

/** Real time, only faster. */
class FastClock implements Clock {
  readonly #startedAt = Date.now();

  constructor(private readonly speed: number) {}

  now(): Instant {
    return later(this.#startedAt as Instant, (Date.now() - this.#startedAt) * this.speed);
  }
}

describe('Mail', function () {
  this.timeout(600_000);
  let database: TestDatabase;
  let db: PostgresDatabase;
  let sink: SmtpSink;

  before('needs PostgreSQL on this machine, or TEST_DATABASE_URL', async function () {
    if (!(await sharedPostgres())) this.skip();
  });
  beforeEach(async () => {
    const server = await sharedPostgres();
    if (!server) throw new Error('There was a PostgreSQL just now.');
    database = await server.createDatabase();
    db = new PostgresDatabase({ url: database.url });
    await migrateUp(db);
    sink = await new SmtpSink().open();
  });
  afterEach(async () => {
    await sink.close();
    await db.close();
    await database.drop();
  });

  const untilNoneWaits = async () => {
    const outbox = storageOn(db).mailOutbox;
    while ((await outbox.list()).some(({ state }) => state === 'waiting')) await pause(50);
    return outbox.list();
  };

  describe('while the mail server is away for an hour', () => {
    const REGISTRATIONS = 200;
    const UNKNOWN = 5;
    const speed = FULL ? 60 : 900;
    let service: Service;
    let url: string;
    const logged: string[] = [];

    beforeEach(async () => {
      logged.length = 0;
      const clock = new FastClock(speed);
      const config = loadConfig({
        DATABASE_URL: database.url,
        HOST: '127.0.0.1',
        PORT: '0',
        MANAGEMENT_PORT: '',
        RATE_LIMITS: 'off',
        JWT_SECRETS: 'a-secret-of-the-tests-of-more-than-32-bytes',
      });
      const scaled = new ContainerModule(({ rebind }) => {
        rebind(PORT.clock).toConstantValue(clock);
        rebind(PORT.passwordHasher).toConstantValue(new BcryptPasswordHasher({ cost: 4, queueLength: 500 }));
        rebind(PORT.mailer).toConstantValue(
          new SmtpMailer({ url: sink.url, from: FROM, publicUrl: PUBLIC_URL, timeout: 1_000 }),
        );
      });
      const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
      service = await createService(config, log, [scaled]);
      url = `http://127.0.0.1:${(await service.listen()).port}`;
    });
    afterEach(() => service.close());

    const post = (path: string, body: unknown = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });

    it('registers everybody, and delivers every mail when it is back', async () => {
      const times: number[] = [];
      const register = async (number: number) => {
        const email = `${number < UNKNOWN ? 'unknown' : 'listener'}-${number}@listeners.example`;
        if (number < UNKNOWN) sink.unknown.add(email);
        const asked = performance.now();
        const password = 'Sunny-Day-2026';
        const { status } = await post('/user', { username: `Listener ${number}`, email, password });
        times.push(performance.now() - asked);
        return status;
      };
      const moods: SinkMood[] = ['gone', 'silent', 'busy', 'greylisting', 'misconfigured'];
      const statuses: number[] = [];
      for (const [turn, mood] of moods.entries()) {
        await sink.become(mood);
        const endsAt = Date.now() + HOUR / speed / moods.length;
        const share = REGISTRATIONS / moods.length;
        for (let number = turn * share; number < (turn + 1) * share; number += 1)
          statuses.push(await register(number));
        await pause(Math.max(0, endsAt - Date.now()));
      }
      expect(statuses).to.deep.equal(statuses.map(() => 201));
      expect(sink.taken).to.deep.equal([]);

      await sink.become('forgetful');
      const returned = Date.now();
      const parked = await untilNoneWaits();
      const milliseconds = Date.now() - returned;

      expect(
        parked.map(({ email, state, lastProblem }) => [email, state, lastProblem?.includes('550')]),
      ).to.have.deep.members([...sink.unknown].map((email) => [email, 'given-up', true]));
      const refusals = logged.filter((line) => line.includes('mail refused for good'));
      expect(refusals).to.have.length(UNKNOWN);
      const copies = [...sink.copies().values()];
      expect(copies).to.have.length(REGISTRATIONS - UNKNOWN);
      // Where the server hung up after the first copy, nobody could know that it had it.
      for (const [id, mails] of sink.copies())
        expect(mails, id).to.have.length(sink.forgotten.has(id) ? 2 : 1);
      expect(sink.forgotten)
        .to.have.property('size')
        .above(REGISTRATIONS / 10);
      const works = async (mail: TakenMail | undefined) =>
        (await post(`/user/activate/${mail?.token ?? 'missing'}`)).status;
      const activated = await Promise.all(copies.map((mails, number) => works(mails[number % mails.length])));
      expect(activated).to.deep.equal(copies.map(() => 200));
      expect(
        logged.some((line) => copies.flat().some(({ token }) => token && line.includes(token))),
      ).to.equal(false);
      figure('P10', {
        registrations: statuses.length,
        'slowest ms': Math.round(Math.max(...times)),
        'p99 ms': Math.round(quantile(times, 0.99)),
        'hour in s': HOUR / speed / 1_000,
        conversations: sink.conversations,
        delivered: copies.length,
        'refused and kept': parked.length,
        'dropped after DATA and sent twice': sink.forgotten.size,
        'other duplicates': 0,
        'tokens that work': activated.length,
        'all delivered after (minutes of the scaled hour)': ((milliseconds * speed) / MINUTE).toFixed(1),
      });
    });

    it('delivers exactly one copy of each where the server answers or is not there', async () => {
      await sink.become('greylisting');
      const people = Array.from({ length: 20 }, (_, number) => `listener-${number}@listeners.example`);
      for (const [number, email] of people.entries())
        expect(
          (await post('/user', { username: `L ${number}`, email, password: 'Sunny-Day-2026' })).status,
        ).to.equal(201);
      await sink.become('gone');
      await pause((10 * MINUTE) / speed);
      await sink.become('willing');
      expect(await untilNoneWaits()).to.deep.equal([]);
      expect(sink.taken.map(({ to }) => to)).to.have.members(people);
      figure('P10', { mails: people.length, duplicates: sink.taken.length - people.length });
    });
  });

  describe('with workers that are killed', () => {
    it('is sent once or twice, always under one Message-ID', async () => {
      const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));
      const random = seededRandom(seed);
      const rounds = FULL ? 50 : 3;
      const perRound = 20;
      const { accounts } = storageOn(db);
      const dataDir = mkdtempSync(join(tmpdir(), 'radio-directory-'));
      sink.beforeAcknowledging = () => pause(Math.floor(random() * 8));
      const start = () =>
        startService(dataDir, {
          DATABASE_URL: database.url,
          SMTP_URL: sink.url,
          MAIL_FROM: FROM,
          LOG_LEVEL: 'warn',
          JWT_SECRETS: 'a-secret-of-the-tests-of-more-than-32-bytes',
        });
      let registered = 0;
      try {
        for (let round = 0; round < rounds; round += 1) {
          const worker = await start();
          await untilNoneWaits();
          const now = Date.now() as Instant;
          for (let user = 0; user < perRound; user += 1)
            must(await accounts.register(aNewAccount({ registeredAt: now })));
          registered += perRound;
          const fatal = sink.taken.length + 1 + Math.floor(random() * (perRound - 5));
          while (sink.taken.length < fatal) await pause(1);
          await pause(random() * 5);
          await worker.end('SIGKILL');
          // The minute of the lease goes by.
          await db.rows(
            'update mails set not_before = not_before - make_interval(secs => 60) where is_claimed',
          );
        }
        const last = await start();
        await untilNoneWaits();
        expect(await last.end('SIGTERM')).to.equal(0);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }

      const copies = [...sink.copies().values()];
      expect(copies).to.have.length(registered);
      expect(new Set(sink.taken.map(({ to }) => to))).to.have.property('size', registered);
      for (const mails of copies) expect(mails.length).to.be.within(1, 2);
      figure('P11', {
        seed,
        'kills -9': rounds,
        mails: registered,
        lost: registered - copies.length,
        'sent twice': copies.filter((mails) => mails.length === 2).length,
        'more than twice': 0,
      });
    });
  });

  describe('with several workers on one database', () => {
    const aWorker = (url = sink.url, clock: Clock = new FastClock(1)) => {
      const own = new PostgresDatabase({ url: database.url });
      const { accounts, mailOutbox } = storageOn(own);
      const mailer = new SmtpMailer({ url, from: FROM, publicUrl: PUBLIC_URL, timeout: 2_000 });
      const deliver = new DeliverMails(mailOutbox, accounts, mailer, new RandomSecrets(), clock);
      const worker = new MailWorker(deliver, pino({ level: 'silent' }), undefined, 10);
      const end = async (patience?: number) => {
        await worker.stop(patience);
        mailer.close();
        await own.close();
      };
      return { worker, end };
    };

    it('sends no mail twice', async () => {
      const mails = FULL ? 2_000 : 200;
      const { accounts } = storageOn(db);
      const workers = Array.from({ length: 4 }, () => aWorker());
      for (const { worker } of workers) worker.start();
      const now = Date.now() as Instant;
      const startedAt = performance.now();
      for (let user = 0; user < mails; user += 1)
        must(await accounts.register(aNewAccount({ registeredAt: now })));
      expect(await untilNoneWaits()).to.deep.equal([]);
      const seconds = (performance.now() - startedAt) / SECOND;
      for (const { end } of workers) await end();
      expect(sink.taken).to.have.length(mails);
      expect(sink.copies()).to.have.property('size', mails);
      figure('Outbox', { workers: 4, mails, duplicates: 0, 'mails/s': Math.round(mails / seconds) });
    });

    it('reaches everybody through a slow, bad network, and nobody more than twice', async () => {
      const { hostname, port } = new URL(sink.url);
      const proxy = await new FaultProxy({ host: hostname, port: Number(port) }, seededRandom(13)).open();
      const { accounts } = storageOn(db);
      const worker = aWorker(proxy.through(sink.url), new FastClock(30));
      worker.worker.start();
      let registered = 0;
      for (const weather of [...STORMS, { blackhole: true }]) {
        proxy.weather = weather;
        proxy.reset();
        for (let user = 0; user < 10; user += 1)
          must(await accounts.register(aNewAccount({ registeredAt: Date.now() as Instant })));
        registered += 10;
        await pause(FULL ? 10_000 : 1_000);
        const sentMeanwhile = sink.taken.length;
        proxy.weather = {};
        proxy.reset();
        const back = performance.now();
        expect(await untilNoneWaits()).to.deep.equal([]);
        figure(`P13 SMTP with ${JSON.stringify(weather)}`, {
          mails: registered,
          'taken before it was over': sentMeanwhile,
          'all sent after ms': Math.round(performance.now() - back),
        });
      }
      await worker.end();
      await proxy.close();
      const copies = [...sink.copies().values()];
      expect(copies).to.have.length(registered);
      expect(new Set(sink.taken.map(({ to }) => to))).to.have.property('size', registered);
      for (const mails of copies) expect(mails.length).to.be.within(1, 2);
    });

    it('hands what one has not sent when it is stopped to the others, before its lease ends', async () => {
      const { accounts, mailOutbox } = storageOn(db);
      await sink.become('silent');
      for (let user = 0; user < 3; user += 1)
        must(await accounts.register(aNewAccount({ registeredAt: Date.now() as Instant })));
      const stopped = aWorker();
      stopped.worker.start();
      while (sink.conversations < 3) await pause(5);
      await stopped.end(0);
      for (const mail of await mailOutbox.list()) expect(mail.state).to.equal('waiting');

      await sink.become('willing');
      const other = aWorker();
      other.worker.start();
      expect(await untilNoneWaits()).to.deep.equal([]);
      await other.end();
      expect(sink.taken).to.have.length(3);
    }).timeout(30_000);
  });
});
