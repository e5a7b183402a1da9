import { expect } from 'chai';
import { getEventListeners, once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { types } from 'node:util';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SmtpMailer, type SmtpOptions } from '../../src/adapters/smtp/smtp-mailer.js';
import type { Mail } from '../../src/application/ports/mailer.js';
import { anEmail, aUsername } from '../support/builders.js';

const TOKEN = 'A-token_of-43-characters-0123456789-abcdefg';
const PUBLIC_URL = 'https://radio.example/api';

function aMail(overrides: Partial<Mail> = {}): Mail {
  const to = anEmail('anna@listeners.example');
  return { id: 'mail-1', kind: 'activation', to, username: aUsername('Anna'), token: TOKEN, ...overrides };
}

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly raw: string;
}

/** A real SMTP server on a free port; without TLS unless told. */
class Inbox {
  readonly received: Received[] = [];
  readonly #server: SMTPServer;

  constructor(options: SMTPServerOptions = {}) {
    this.#server = new SMTPServer({
      logger: false,
      closeTimeout: 20,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          this.received.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            secure: session.secure,
            user: session.user as string | undefined,
            raw: Buffer.concat(chunks).toString(),
          });
          callback(null, 'Taken');
        });
      },
      ...options,
    });
    // Broken connections are what some tests are about.
    this.#server.on('error', () => undefined);
  }

  async open(port = 0): Promise<number> {
    const server = this.#server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  get last(): Received {
    const last = this.received.at(-1);
    if (!last) throw new Error('No mail arrived.');
    return last;
  }
}

describe('SmtpMailer', () => {
  const closing: (() => void | Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function anInbox(options?: SMTPServerOptions): Promise<{ inbox: Inbox; port: number }> {
    const inbox = new Inbox(options);
    const port = await inbox.open();
    closing.push(() => inbox.close());
    return { inbox, port };
  }
  function aMailer(url: string, options: Partial<SmtpOptions> = {}): SmtpMailer {
    const from = 'Radio <radio@radio.example>';
    const mailer = new SmtpMailer({ url, from, publicUrl: PUBLIC_URL, ...options });
    closing.push(() => mailer.close());
    return mailer;
  }
  const failureOf = (sent: Promise<unknown>): Promise<unknown> =>
    sent.then(
      () => 'delivered',
      (error: unknown) => error,
    );

  it('delivers to exactly the stored address, as text and as HTML', async () => {
    const { inbox, port } = await anInbox();

    await aMailer(`smtp://127.0.0.1:${port}`).send(aMail());

    expect(inbox.received).to.have.length(1);
    expect(inbox.last).to.deep.include({ from: 'radio@radio.example', to: ['anna@listeners.example'] });
    const mail = await PostalMime.parse(inbox.last.raw);
    expect(mail.from).to.deep.include({ address: 'radio@radio.example', name: 'Radio' });
    expect(mail.to).to.have.length(1);
    expect(mail.to?.[0]).to.deep.include({ address: 'anna@listeners.example', name: '' });
    expect(mail.cc ?? []).to.deep.equal([]);
    expect(mail.subject).to.equal('Activate your account');
    expect(mail.text).to.contain(`${PUBLIC_URL}/user/activate/${TOKEN}\n`);
    expect(mail.html).to.contain(`href="${PUBLIC_URL}/user/activate/${TOKEN}"`);
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).to.equal('auto-generated');
  });

  for (const address of [
    "o'brien@listeners.example",
    'anna+radio@listeners.example',
    '{jacco}/van=tuijl!|$%&*?^_`~-#@address.example',
    'anna@mail-server-1',
    `${'a'.repeat(64)}@${'b'.repeat(63)}.example`,
  ])
    it(`keeps ${address} one recipient as it is`, async () => {
      const { inbox, port } = await anInbox();
      await aMailer(`smtp://127.0.0.1:${port}`).send(aMail({ to: anEmail(address) }));
      expect(inbox.last.to).to.deep.equal([address]);
    });

  for (const hostile of [
    'anna@a.example, ben@b.example',
    '<anna@a.example> ben@b.example',
    'anna@a.example\r\nRCPT TO:<ben@b.example>',
    'anna@a.example\r\nBcc: ben@b.example',
    'list: anna@a.example, ben@b.example;',
  ])
    it(`writes to nobody else even if ${JSON.stringify(hostile)} were stored`, async () => {
      const { inbox, port } = await anInbox();
      await failureOf(aMailer(`smtp://127.0.0.1:${port}`).send(aMail({ to: hostile as Mail['to'] })));
      expect(inbox.received.flatMap(({ to }) => to)).not.to.include('ben@b.example');
      for (const { to, raw } of inbox.received) {
        expect(to).to.have.length(1);
        expect(raw).not.to.match(/^bcc:/im);
      }
    });

  it('repeats the Message-ID when a mail is sent again, and gives every mail its own', async () => {
    const { inbox, port } = await anInbox();
    const mailer = aMailer(`smtp://127.0.0.1:${port}`);

    await mailer.send(aMail({ id: 'mail-1' }));
    await mailer.send(aMail({ id: 'mail-1', token: 'another-token' }));
    await mailer.send(aMail({ id: 'mail-2' }));

    const ids = await Promise.all(
      inbox.received.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId),
    );
    expect(ids).to.deep.equal(['<mail-1@radio.example>', '<mail-1@radio.example>', '<mail-2@radio.example>']);
  });

  it('delivers many mails at once over a few connections', async () => {
    let connections = 0;
    const { inbox, port } = await anInbox({
      onConnect: (_session, callback) => {
        connections += 1;
        callback();
      },
    });
    const mailer = aMailer(`smtp://127.0.0.1:${port}`);

    const mails = Array.from({ length: 30 }, (_, number) =>
      aMail({ id: `mail-${number}`, to: anEmail(`listener-${number}@listeners.example`) }),
    );
    await Promise.all(mails.map((mail) => mailer.send(mail)));

    expect(inbox.received.flatMap(({ to }) => to)).to.have.members(mails.map(({ to }) => to));
    expect(connections).to.be.within(1, 5);
  });

  it('logs in with the name and password of the URL', async () => {
    const { inbox, port } = await anInbox({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, callback) =>
        password === 'p@ss' ? callback(null, { user: username }) : callback(new Error('Wrong password')),
    });

    await aMailer(`smtp://radio:p%40ss@127.0.0.1:${port}`).send(aMail());
    expect(inbox.last.user).to.equal('radio');

    const failure = await failureOf(aMailer(`smtp://radio:wrong@127.0.0.1:${port}`).send(aMail()));
    expect(failure).to.be.instanceOf(Error);
    expect(inbox.received).to.have.length(1);
  });

  it('encrypts where STARTTLS is offered, and from the first byte with smtps', async () => {
    const starttls = await anInbox({ disabledCommands: ['AUTH'] });
    const smtps = await anInbox({ disabledCommands: ['AUTH'], secure: true });

    await aMailer(`smtp://127.0.0.1:${starttls.port}?tls.rejectUnauthorized=false`).send(aMail());
    await aMailer(`smtps://127.0.0.1:${smtps.port}?tls.rejectUnauthorized=false`).send(aMail());

    expect(starttls.inbox.last.secure).to.equal(true);
    expect(smtps.inbox.last.secure).to.equal(true);
  });

  it('sends nothing to a server whose certificate nobody vouches for', async () => {
    const { inbox, port } = await anInbox({ disabledCommands: ['AUTH'] });
    const failure = await failureOf(aMailer(`smtp://127.0.0.1:${port}`).send(aMail()));
    expect(failure).to.be.instanceOf(Error);
    expect(inbox.received).to.deep.equal([]);
  });

  const refusal = (code: number) => Object.assign(new Error('No'), { responseCode: code });
  const REFUSING: Record<string, SMTPServerOptions> = {
    'refuses connections': { onConnect: (_session, callback) => callback(refusal(421)) },
    'refuses the sender': { onMailFrom: (_address, _session, callback) => callback(refusal(550)) },
    'refuses the recipient for now': { onRcptTo: (_address, _session, callback) => callback(refusal(450)) },
    'refuses the recipient for good': { onRcptTo: (_address, _session, callback) => callback(refusal(550)) },
    'refuses the message': {
      onData: (stream, _session, callback) => void stream.on('end', () => callback(refusal(552))).resume(),
    },
  };
  for (const [what, options] of Object.entries(REFUSING))
    it(`rejects when the server ${what}`, async () => {
      const { port } = await anInbox(options);
      expect(await failureOf(aMailer(`smtp://127.0.0.1:${port}`).send(aMail()))).to.be.instanceOf(Error);
    });

  it('rejects when the server hangs up after the message, without sending it twice', async () => {
    const sockets: Socket[] = [];
    let messages = 0;
    const { port } = await anInbox({
      onData: (stream) =>
        void stream
          .on('end', () => {
            messages += 1;
            for (const socket of sockets) socket.destroy();
          })
          .resume(),
    });
    const relay = createServer((client) => {
      const server = connect(port, '127.0.0.1');
      sockets.push(client, server);
      for (const socket of [client, server]) socket.on('error', () => undefined);
      client.pipe(server).pipe(client);
    });
    await once(relay.listen(0, '127.0.0.1'), 'listening');
    closing.push(() => void relay.close());

    const { port: relayed } = relay.address() as AddressInfo;
    const failure = await failureOf(aMailer(`smtp://127.0.0.1:${relayed}`).send(aMail()));

    expect(failure).to.be.instanceOf(Error);
    expect(messages).to.equal(1);
  });

  for (const greeting of ['', '220 inbox.example ESMTP\r\n'])
    it(`rejects after one try when the server hangs up ${greeting ? 'after' : 'before'} its greeting`, async () => {
      let tries = 0;
      const rude = createServer((socket) => {
        tries += 1;
        socket.on('error', () => undefined);
        socket.end(greeting);
      });
      await once(rude.listen(0, '127.0.0.1'), 'listening');
      closing.push(() => void rude.close());
      const { port } = rude.address() as AddressInfo;

      expect(await failureOf(aMailer(`smtp://127.0.0.1:${port}`).send(aMail()))).to.be.instanceOf(Error);
      expect(tries).to.equal(1);
    });

  it('rejects while nobody listens, and delivers once somebody does', async () => {
    const gone = new Inbox();
    const port = await gone.open();
    await gone.close();
    const mailer = aMailer(`smtp://127.0.0.1:${port}`);
    expect(await failureOf(mailer.send(aMail()))).to.be.instanceOf(Error);

    const back = new Inbox();
    await back.open(port);
    closing.push(() => back.close());
    await mailer.send(aMail());

    expect(back.received).to.have.length(1);
  });

  it('delivers again after the server closed the connection that was kept open', async () => {
    const first = new Inbox();
    const port = await first.open();
    const mailer = aMailer(`smtp://127.0.0.1:${port}`);
    await mailer.send(aMail());
    await first.close();

    const second = new Inbox();
    await second.open(port);
    closing.push(() => second.close());
    const attempts = [await failureOf(mailer.send(aMail())), await failureOf(mailer.send(aMail()))];

    expect(attempts).to.include('delivered');
    expect(second.received).not.to.deep.equal([]);
  });

  it('gives up on a server that never says a word', async () => {
    const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    closing.push(() => void silent.close());
    const { port } = silent.address() as AddressInfo;

    const mailer = aMailer(`smtp://127.0.0.1:${port}`, { timeout: 50 });

    expect(await failureOf(mailer.send(aMail()))).to.be.instanceOf(Error);
  });

  it('breaks off when it is told to, also before it begins', async () => {
    const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    closing.push(() => void silent.close());
    const mailer = aMailer(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    const abort = new AbortController();
    const sending = failureOf(mailer.send(aMail(), abort.signal));
    await once(silent, 'connection');

    abort.abort();

    expect(await sending).to.be.instanceOf(Error);
    expect(await failureOf(mailer.send(aMail(), abort.signal))).to.be.instanceOf(Error);
  });

  it('leaves nothing behind on a signal that outlives many mails', async () => {
    const { port } = await anInbox();
    const { signal } = new AbortController();

    await aMailer(`smtp://127.0.0.1:${port}`).send(aMail(), signal);

    const held = Object.getOwnPropertySymbols(signal)
      .map((key): unknown => Reflect.get(signal, key))
      .filter((value) => types.isSet(value) && value.size > 0);
    expect(getEventListeners(signal, 'abort').length + held.length).to.equal(0);
  });

  it('tells whether the server takes us', async () => {
    const { port } = await anInbox();
    await aMailer(`smtp://127.0.0.1:${port}`).verify();
    const refusing = await anInbox({ onConnect: (_session, callback) => callback(refusal(421)) });
    expect(await failureOf(aMailer(`smtp://127.0.0.1:${refusing.port}`).verify())).to.be.instanceOf(Error);
  });

  it('cannot be made with a sender that is no address', () => {
    for (const from of ['', 'Radio', 'radio@a.example, radio@b.example', 'a@b.example\r\nBcc: c@d.example'])
      expect(() => new SmtpMailer({ url: 'smtp://127.0.0.1', from, publicUrl: PUBLIC_URL })).to.throw(
        'Mails cannot be sent from',
      );
  });
});
