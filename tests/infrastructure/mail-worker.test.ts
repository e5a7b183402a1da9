import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { createService, loadConfig } from '../../src/infrastructure/index.js';
import { leaksIn } from '../support/leaks.js';
import { SmtpSink } from '../support/smtp-sink.js';

describe('The log of the mail worker', () => {
  it('says once with which words a mail was refused, and not to whom it went', async () => {
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
      await sink.close();
    }
    expect(leaksIn(lines.join(''), [email])).to.deep.equal([]);
    const { reason } = JSON.parse(told().join('')) as { reason: string };
    expect(reason).to.match(/550 5\.1\.1 <\[email\]>: unknown$/);
    expect(told().join('').split('5.1.1')).to.have.length(2);
  });
});
