import type { Mail, Mailer } from '../../src/application/ports/mailer.js';
import type { MailKind } from '../../src/domain/account.js';
import { keepSecret } from './leak-watch.js';

/** Delivers into a list. */
export class RecordingMailer implements Mailer {
  readonly mails: Mail[] = [];

  async send(mail: Mail): Promise<void> {
    keepSecret(mail.token);
    this.mails.push(mail);
  }

  /** The token in the last mail of this kind to this address. */
  token(kind: MailKind, email: string): string {
    const token = this.mails.findLast((mail) => mail.kind === kind && mail.to === email.toLowerCase())?.token;
    if (!token) throw new Error(`No ${kind} mail with a token went to ${email}.`);
    return token;
  }
}
