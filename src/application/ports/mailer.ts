import type { MailKind } from '../../domain/account.js';
import type { EmailAddress, Username } from '../../domain/credentials.js';

/** One mail to one account's owner. */
export interface Mail {
  /** Stable over all attempts to send this mail: becomes its Message-ID, so that receivers can drop copies. */
  readonly id: string;
  readonly kind: MailKind;
  readonly to: EmailAddress;
  readonly username: Username;
  /** The one-time token to put into the link; null for `password-changed`. */
  readonly token: string | null;
}

export interface Mailer {
  /** Resolves when the mail was taken over by the next system for good; rejects when it was not. Goes to exactly `to`. */
  send(mail: Mail): Promise<void>;
}
