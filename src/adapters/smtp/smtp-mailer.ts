import { createTransport } from 'nodemailer';
import type { Mail, Mailer } from '../../application/ports/mailer.js';
import { SECOND } from '../../domain/ids.js';
import { type MailOrigin, composeMail, sender } from './mail-messages.js';

export interface SmtpOptions extends MailOrigin {
  /** `smtp://user:password@host:587`, encrypted where the server offers STARTTLS, or `smtps://...`, always encrypted. */
  readonly url: string;
  /** Milliseconds for one mail, from the wait for a connection to the server's word that it has it. */
  readonly timeout?: number | undefined;
}

/** Hands mails to one SMTP server over a few connections that stay open between mails. */
export class SmtpMailer implements Mailer {
  readonly #origin: MailOrigin;
  readonly #timeout: number;
  readonly #transport;

  /** @throws where `from` is no address; connects with the first mail only */
  constructor({ url, timeout = 30 * SECOND, ...origin }: SmtpOptions) {
    sender(origin.from);
    this.#origin = origin;
    this.#timeout = timeout;
    this.#transport = createTransport({
      pool: true,
      url,
      maxConnections: 5,
      // A mail whose connection broke is the caller's to repeat: it knows whether it is still worth sending.
      maxRequeues: 0,
      dnsTimeout: 5 * SECOND,
      connectionTimeout: 5 * SECOND,
      greetingTimeout: 10 * SECOND,
      socketTimeout: 20 * SECOND,
    });
  }

  async send(mail: Mail): Promise<void> {
    // A server that answers byte by byte is never idle: only the whole time bounds it.
    const signal = AbortSignal.timeout(this.#timeout);
    await this.#transport.sendMail({ ...composeMail(mail, this.#origin), signal });
  }

  /** Resolves when the server takes our connection and credentials; rejects with the reason otherwise. */
  async verify(): Promise<void> {
    await this.#transport.verify();
  }

  /** Closes the connections; mails on their way are finished. */
  close(): void {
    this.#transport.close();
  }
}
