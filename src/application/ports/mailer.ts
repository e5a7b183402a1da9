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
  /**
   * Resolves when the mail was taken over by the next system for good. Rejects with {@link MailNotTaken} when it
   * certainly was not, with anything else when nobody can tell. Goes to exactly `to`. Takes less than a minute, its
   * lease: then another worker may send the mail too, and meanwhile others wait for this one.
   * @param abort ends the attempt at once
   */
  send(mail: Mail, abort?: AbortSignal): Promise<void>;
}
