import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { InMemoryAccountRepository } from '../../src/adapters/in-memory/in-memory-account-repository.js';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryMailOutbox } from '../../src/adapters/in-memory/in-memory-mail-outbox.js';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import { DeliverMails } from '../../src/application/mail-delivery.js';
import { createService, loadConfig } from '../../src/infrastructure/index.js';
import { MailWorker } from '../../src/infrastructure/mail-worker.js';
import { aNewAccount, must } from '../support/builders.js';
import { leaksIn } from '../support/leaks.js';
import { ManualClock } from '../support/manual-clock.js';
import { SmtpSink } from '../support/smtp-sink.js';

describe('The log of the mail worker', () => {
  it('says once with which words a mail was refused, and not to whom it went', async function () {
    // A connection that was forgotten ends after 20 s.
    this.timeout(15_000);
    const email = "o'brien+{radio}@listener.example";
    const lines: string[] = [];
    const sink = await new SmtpSink().open();
    sink.unknown.add(email);
    const service = await createService(
      loadConfig({
        DATABASE_URL: 'memory:',
        SMTP_URL: sink.url,
        HOST: '127.0.0.1',
        PORT: '0',
        DATA_DIR: '/nonexistent',
      }),
      pino({}, { write: (line: string) => void lines.push(line) }),
    );
    const told = () => lines.filter((line) => line.includes('mail refused for good'));
    try {
      const { port } = await service.listen();
      await fetch(`http://127.0.0.1:${port}/user`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ username: 'Anna', email, password: 'Sunny-Day-2026' }),
      });
      while (told().length === 0) await pause(20);
    } finally {
      await service.close();
    }
    // Those that it keeps open between mails too.
    while (sink.openConnections > 0) await pause(20);
    await sink.close();
    expect(leaksIn(lines.join(''), [email])).to.deep.equal([]);
    const { reason } = JSON.parse(told().join('')) as { reason: string };
    expect(reason).to.match(/550 5\.1\.1 <\[email\]>: unknown$/);
    expect(told().join('').split('5.1.1')).to.have.length(2);
  });
});

describe('The mail worker', () => {
  it('says once for each outage that the outbox cannot be read, and goes on', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const db = new InMemoryDatabase();
    let isDown = true;
    let questions = 0;
    class Interrupted extends InMemoryMailOutbox {
      override async claim(...question: Parameters<InMemoryMailOutbox['claim']>) {
        questions += 1;
        if (isDown) throw new Error('connection refused');
        return super.claim(...question);
      }
    }
    const accounts = new InMemoryAccountRepository(db);
    const sent: string[] = [];
    const mailer = { send: async ({ to }: { to: string }) => void sent.push(to) };
    const clock = new ManualClock();
    const deliver = new DeliverMails(new Interrupted(db), accounts, mailer, new RandomSecrets(), clock);
    const worker = new MailWorker(deliver, log, undefined, 1);
    worker.start();
    const untilAskedAgain = async () => {
      const before = questions;
      while (questions < before + 5) await pause(5);
    };
    await untilAskedAgain();
    expect(lines).to.have.length(1);
    isDown = false;
    must(await accounts.register(aNewAccount()));
    while (sent.length === 0) await pause(5);
    isDown = true;
    await untilAskedAgain();
    expect(lines).to.have.length(2);
    await worker.stop();
  });

  it('stops also where a host’s mailer neither sends a mail nor lets go of it, and says so', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const db = new InMemoryDatabase();
    const accounts = new InMemoryAccountRepository(db);
    const clock = new ManualClock();
    let letGo: (() => void) | undefined;
    const send = () => new Promise<void>((sent) => (letGo = sent));
    const outbox = new InMemoryMailOutbox(db);
    const worker = new MailWorker(
      new DeliverMails(outbox, accounts, { send }, new RandomSecrets(), clock),
      log,
    );
    must(await accounts.register(aNewAccount()));
    worker.start();
    while (letGo === undefined) await pause(5);
    await worker.stop(0);
    expect(lines.join('')).to.include('does not let go');
    letGo();
  });
});
