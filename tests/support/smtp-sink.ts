import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

/**
 * `gone`: nobody listens. `silent`: never says a word. `busy`: 421 as greeting. `greylisting`: 451 for every recipient.
 * `misconfigured`: 550 for the sender. `forgetful`: takes each mail, and
 * of every third one hangs up on the first copy before saying so.
 */
export type SinkMood = 'willing' | 'gone' | 'silent' | 'busy' | 'greylisting' | 'misconfigured' | 'forgetful';

export interface TakenMail {
  readonly messageId: string;
  readonly to: string;
  readonly kind: 'activate' | 'resetPassword' | null;
  readonly token: string | null;
}

/** A real SMTP server, and everything it took. */
export class SmtpSink {
  readonly taken: TakenMail[] = [];
  /** Recipients that are refused for good, by their addresses. */
  readonly unknown = new Set<string>();
  /** Message-IDs of the mails that it took and hung up on. */
  readonly forgotten = new Set<string>();
  /** Called before a mail is acknowledged. */
  beforeAcknowledging: (mail: TakenMail) => Promise<void> = () => Promise.resolve();
  conversations = 0;
  #server = this.#create();
  #mood: SinkMood = 'willing';
  #port = 0;

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  async open(): Promise<this> {
    const server = this.#server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  get openConnections(): number {
    return (this.#server.connections as Set<unknown>).size;
  }

  async close(): Promise<void> {
    for (const connection of this.#server.connections as Set<{ _socket: Socket }>)
      connection._socket.destroy();
    await new Promise<void>((closed) => this.#server.close(closed));
  }

  /** Ends the conversations under way, as a restart would. */
  async become(mood: SinkMood): Promise<void> {
    if (this.#mood !== 'gone') await this.close();
    this.#mood = mood;
    if (mood === 'gone') return;
    this.#server = this.#create();
    await this.open();
  }

  /** The copies of each mail, by Message-ID, in the order in which they came. */
  copies(): ReadonlyMap<string, readonly TakenMail[]> {
    const copies = new Map<string, TakenMail[]>();
    for (const mail of this.taken) copies.set(mail.messageId, [...(copies.get(mail.messageId) ?? []), mail]);
    return copies;
  }

  #create(): SMTPServer {
    const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });
    const server = new SMTPServer({
      logger: false,
      closeTimeout: 1,
      disabledCommands: ['STARTTLS', 'AUTH'],
      disableReverseLookup: true,
      onConnect: (_session, callback) => {
        this.conversations += 1;
        if (this.#mood === 'silent') return;
        callback(this.#mood === 'busy' ? refusal(421, 'Too busy') : null);
      },
      onMailFrom: (_address, _session, callback) =>
        callback(this.#mood === 'misconfigured' ? refusal(550, 'Who are you?') : null),
      onRcptTo: ({ address }, _session, callback) => {
        if (this.unknown.has(address)) callback(refusal(550, `5.1.1 <${address}>: unknown`));
        else callback(this.#mood === 'greylisting' ? refusal(451, 'Come back later') : null);
      },
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => void this.#take(Buffer.concat(chunks), session, callback));
      },
    });
    // Broken connections are what this is about.
    server.on('error', () => undefined);
    return server;
  }

  async #take(raw: Buffer, session: SMTPServerSession, callback: (error: null) => void): Promise<void> {
    const { messageId = '', text = '' } = await PostalMime.parse(raw);
    const [, kind = null, token = null] = /\/user\/(activate|resetPassword)\/([\w-]{43})/.exec(text) ?? [];
    const mail = {
      messageId,
      to: session.envelope.rcptTo[0]?.address ?? '',
      kind: kind as TakenMail['kind'],
      token,
    };
    const isFirst = !this.taken.some((other) => other.messageId === messageId);
    this.taken.push(mail);
    await this.beforeAcknowledging(mail);
    if (this.#mood !== 'forgetful' || !isFirst || this.taken.length % 3 !== 0) return callback(null);
    this.forgotten.add(messageId);
    this.#hangUp(session);
  }

  #hangUp({ id }: SMTPServerSession): void {
    const connections = this.#server.connections as Set<{ id: string; _socket: Socket }>;
    for (const connection of connections) if (connection.id === id) connection._socket.destroy();
  }
}
