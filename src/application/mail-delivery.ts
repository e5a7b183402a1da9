import { type MailKind, isOwed, issueToken, withdrawToken } from '../domain/account.js';
import { DAY, MINUTE, SECOND, later } from '../domain/ids.js';
import type { TokenHash, TokenPurpose } from '../domain/one-time-token.js';
import { ok } from '../domain/result.js';
import { MailNotTaken } from './errors.js';
import type { AccountRepository } from './ports/account-repository.js';
import type { Clock } from './ports/clock.js';
import type { MailOutbox, OwedMail } from './ports/mail-outbox.js';
import type { Mailer } from './ports/mailer.js';
import type { Secrets } from './ports/secrets.js';

const TOKEN_IN: Record<MailKind, TokenPurpose | null> = {
  activation: 'activation',
  reset: 'reset',
  'password-changed': null,
};
/** Longer than any attempt can take. */
const LEASE = MINUTE;
/** As many mails at once as a mailer has connections, so that none waits for its turn while its lease runs. */
const BATCH = 5;
const GIVEN_UP_AFTER = 3 * DAY;

/**
 * What became of one attempt to send one mail. `refused` and `given-up` are kept for an operator, `released` and
 * `postponed` are due again. `interrupted`: the storage failed meanwhile; due again when the lease ends, unless it was sent.
 */
export const MAIL_OUTCOMES = [
  'sent',
  'dropped',
  'postponed',
  'released',
  'refused',
  'given-up',
  'interrupted',
] as const;

export interface MailAttempt {
  readonly mail: OwedMail;
  readonly outcome: (typeof MAIL_OUTCOMES)[number];
  readonly problem?: unknown;
}

/** Sends the mails that are due. Any number of workers may run at once, on any number of nodes. */
export class DeliverMails {
  /** Sent, but the storage has not taken note: nothing else is sent before it has. */
  readonly #sent = new Set<string>();

  constructor(
    private readonly outbox: MailOutbox,
    private readonly accounts: AccountRepository,
    private readonly mailer: Mailer,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /**
   * One batch; an empty answer means that nothing is due.
   * @param abort ends attempts under way and returns what they were about, so that another worker can send it
   */
  async execute(abort?: AbortSignal): Promise<readonly MailAttempt[]> {
    for (const id of this.#sent) await this.#settle(id);
    const due = await this.outbox.claim(this.clock.now(), LEASE, BATCH);
    return Promise.all(due.map((mail) => this.#recorded(mail, abort)));
  }

  /** Rejects never: one mail's trouble is not the others'. */
  async #recorded(mail: OwedMail, abort: AbortSignal | undefined): Promise<MailAttempt> {
    try {
      return { mail, ...(await this.#deliver(mail, abort)) };
    } catch (problem) {
      return { mail, outcome: 'interrupted', problem };
    }
  }

  async #deliver(mail: OwedMail, abort: AbortSignal | undefined): Promise<Omit<MailAttempt, 'mail'>> {
    const account = await this.accounts.find({ id: mail.user });
    if (!account || !isOwed(account, mail.kind)) {
      await this.outbox.remove(mail.id);
      return { outcome: 'dropped' };
    }
    if (abort?.aborted) return this.#release(mail);
    const token = await this.#issueToken(mail);
    const { id, kind } = mail;
    const { email: to, username } = account;
    try {
      await this.mailer.send({ id, kind, to, username, token: token?.text ?? null }, abort);
    } catch (problem) {
      if (token !== null && problem instanceof MailNotTaken) await this.#withdraw(mail, token.hash);
      return this.#failed(mail, problem, abort);
    }
    this.#sent.add(id);
    await this.#settle(id);
    return { outcome: 'sent' };
  }

  async #settle(id: string): Promise<void> {
    await this.outbox.remove(id);
    this.#sent.delete(id);
  }

  /** A fresh token for each attempt: its text exists only here and in the mail, its hash is stored before the mail leaves. */
  async #issueToken(mail: OwedMail): Promise<{ text: string; hash: TokenHash } | null> {
    const purpose = TOKEN_IN[mail.kind];
    if (purpose === null) return null;
    const text = this.secrets.token();
    const hash = this.secrets.hash(text);
    const now = this.clock.now();
    const issued = await this.accounts.update({ id: mail.user }, (account) =>
      ok(issueToken(account, purpose, hash, now)),
    );
    if (!issued.ok) throw new Error('The account was removed while its mail was being written.');
    return { text, hash };
  }

  async #withdraw(mail: OwedMail, hash: TokenHash): Promise<void> {
    const now = this.clock.now();
    await this.accounts.update({ id: mail.user }, (account) => ok(withdrawToken(account, hash, now)));
  }

  async #release(mail: OwedMail): Promise<Omit<MailAttempt, 'mail'>> {
    await this.outbox.release(mail.id, this.clock.now());
    return { outcome: 'released' };
  }

  async #failed(
    mail: OwedMail,
    problem: unknown,
    abort: AbortSignal | undefined,
  ): Promise<Omit<MailAttempt, 'mail'>> {
    const now = this.clock.now();
    const reason = problem instanceof Error ? problem.message : String(problem);
    const isFinal = problem instanceof MailNotTaken && problem.isFinal;
    if (isFinal || now - mail.triedSince >= GIVEN_UP_AFTER) {
      await this.outbox.giveUp(mail.id, now, reason);
      return { outcome: isFinal ? 'refused' : 'given-up', problem };
    }
    if (abort?.aborted) return this.#release(mail);
    await this.outbox.postpone(mail.id, later(now, pauseAfter(mail.attempts)), reason);
    return { outcome: 'postponed', problem };
  }
}

/** Milliseconds to wait: 1 s, doubling up to 5 min. */
function pauseAfter(attempts: number): number {
  return Math.min(SECOND * 2 ** Math.min(attempts, 20), 5 * MINUTE);
}
