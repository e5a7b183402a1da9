import { setTimeout as pause } from 'node:timers/promises';
import { MailNotTaken } from '../application/errors.js';
import type { DeliverMails, MailAttempt } from '../application/mail-delivery.js';
import type { Logger } from './logger.js';

/** How often the outbox is looked at, in milliseconds. */
const INTERVAL = 500;
/** After this long, attempts under way at a stop are broken off. */
const PATIENCE = 10_000;
/** So much later an attempt is left behind whose mailer, a host's own, did not heed that. Its lease ends by itself. */
const HEED = 1_000;

const MESSAGES = {
  sent: ['info', 'mail sent'],
  dropped: ['info', 'mail dropped: no longer needed'],
  released: ['info', 'mail left to another worker'],
  postponed: ['warn', 'mail not sent; it will be tried again'],
  interrupted: ['warn', 'the storage failed while a mail was being sent'],
  refused: ['error', "mail refused for good and given up; see 'radio-directory mail list'"],
  'given-up': ['error', "mail given up after three days; see 'radio-directory mail list'"],
} as const satisfies Record<MailAttempt['outcome'], readonly [level: 'info' | 'warn' | 'error', string]>;

/** Sends mails as they fall due, until it is stopped. */
export class MailWorker {
  readonly #stopping = new AbortController();
  readonly #abort = new AbortController();
  #running: Promise<void> | null = null;
  #isOutboxDown = false;

  constructor(
    private readonly deliverMails: DeliverMails,
    private readonly log: Logger,
    private readonly metrics?: { mailAttempted(attempt: MailAttempt): void },
    private readonly intervalMilliseconds = INTERVAL,
  ) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Takes no more mails. Resolves when the attempts under way have ended, were broken off, or will not be. */
  async stop(patienceMilliseconds = PATIENCE): Promise<void> {
    this.#stopping.abort();
    const breakOff = setTimeout(() => this.#abort.abort(), patienceMilliseconds);
    let leave: NodeJS.Timeout | undefined;
    const left = new Promise<void>((resolve) => {
      leave = setTimeout(() => {
        this.log.warn('a mail that the mailer does not let go of is left to it');
        resolve();
      }, patienceMilliseconds + HEED);
    });
    await Promise.race([this.#running, left]);
    clearTimeout(breakOff);
    clearTimeout(leave);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const attempts = await this.#deliver();
      if (attempts === 0)
        await pause(this.intervalMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  }

  async #deliver(): Promise<number> {
    try {
      const attempts = await this.deliverMails.execute(this.#abort.signal);
      this.#isOutboxDown = false;
      attempts.forEach((attempt) => this.#report(attempt));
      return attempts.length;
    } catch (error) {
      if (!this.#isOutboxDown) this.log.warn({ err: error }, 'the mail outbox cannot be read; trying again');
      this.#isOutboxDown = true;
      return 0;
    }
  }

  #report(attempt: MailAttempt): void {
    this.metrics?.mailAttempted(attempt);
    const { mail, outcome, problem } = attempt;
    const [level, message] = MESSAGES[outcome];
    const facts = { mail: mail.id, kind: mail.kind, user: mail.user, attempt: mail.attempts + 1 };
    this.log[level](problem === undefined ? facts : { ...facts, reason: reasonOf(problem) }, message);
  }
}

const ADDRESS = /[\w.!#$%&'*+/=?^`{|}~-]{1,64}(?:@|%40)[\w.-]+/g;

/** A mail server's words often name the recipient, whom no log may know: `mail list` has them as they were. */
function reasonOf(problem: unknown): string {
  const { message, stack = message } = problem instanceof Error ? problem : new Error(String(problem));
  return (problem instanceof MailNotTaken ? message : stack).replace(ADDRESS, '[email]');
}
