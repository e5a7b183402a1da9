import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { PORT, adapterFor, createService, loadConfig } from 'radio-directory';
import type { Mail, Mailer } from 'radio-directory/application';

class OurMailer implements Mailer {
  readonly sent: Mail[] = [];

  async send(mail: Mail): Promise<void> {
    this.sent.push(mail);
  }
}

it('sends mails our way', async () => {
  const mailer = new OurMailer();
  const config = loadConfig({ DATABASE_URL: 'memory:', PORT: '0', LOG_LEVEL: 'silent' });
  const service = await createService(config, undefined, [adapterFor(PORT.mailer, () => mailer)]);
  try {
    const { port } = await service.listen();
    await fetch(`http://localhost:${port}/user`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'Anna', email: 'anna@example.com', password: 'Sunny-Day-2026' }),
    });
    while (mailer.sent.length === 0) await pause(50);
    assert.equal(mailer.sent[0]?.kind, 'activation');
  } finally {
    await service.close();
  }
});
