import { createTransport } from 'nodemailer';
import type { Mail, Mailer } from '../../application/ports/mailer.js';
import { MailNotTaken } from '../../application/errors.js';
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

  async send(mail: Mail, abort?: AbortSignal): Promise<void> {
    // Not `AbortSignal.any`: Node 20 keeps what it made on `abort`, which may outlive any number of mails.
    const ending = new AbortController();
    const end = () => ending.abort();
    // A server that answers byte by byte is never idle: only the whole time bounds it.
    const timer = setTimeout(end, this.#timeout);
    abort?.addEventListener('abort', end);
    if (abort?.aborted) end();
    try {
      await this.#transport.sendMail({ ...composeMail(mail, this.#origin), signal: ending.signal });
    } catch (error) {
      throw isRefusal(error) ? new MailNotTaken(isFinal(error), error) : error;
    } finally {
      clearTimeout(timer);
      abort?.removeEventListener('abort', end);
    }
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

/** What nodemailer adds to its errors. */
interface SmtpError extends Error {
  /** What the server answered: 4xx for now, 5xx for good. */
  readonly responseCode?: number;
  /** The part of the conversation that failed. */
  readonly command?: string;
  readonly syscall?: string;
}

/** The server answered no, or was never reached. A conversation that breaks off leaves open what became of the mail. */
function isRefusal(error: unknown): error is SmtpError {
  if (!(error instanceof Error)) return false;
  const { responseCode, syscall } = error as SmtpError;
  return responseCode !== undefined || syscall === 'connect' || syscall === 'getaddrinfo';
}

/** For good, and about this mail: what is said before the recipient is named is about us, and an operator can change it. */
function isFinal({ responseCode = 0, command = '' }: SmtpError): boolean {
  // 500 to 504 complain of the conversation, 530 to 538 of our credentials.
  return ['RCPT TO', 'DATA'].includes(command) && (responseCode === 521 || responseCode >= 550);
}
