import { setTimeout as pause } from 'node:timers/promises';
import type { DeliverMails, MailAttempt } from '../application/mail-delivery.js';
import type { Logger } from './logger.js';

/** How often the outbox is looked at, in milliseconds. */
const INTERVAL = 500;
/** After this long, attempts under way at a stop are broken off. */
const PATIENCE = 10_000;

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
    private readonly intervalMilliseconds = INTERVAL,
  ) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Takes no more mails. Resolves when the attempts under way have ended or were broken off. */
  async stop(patienceMilliseconds = PATIENCE): Promise<void> {
    this.#stopping.abort();
    const breakOff = setTimeout(() => this.#abort.abort(), patienceMilliseconds);
    await this.#running;
    clearTimeout(breakOff);
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

  #report({ mail, outcome, problem }: MailAttempt): void {
    const [level, message] = MESSAGES[outcome];
    const facts = { mail: mail.id, kind: mail.kind, user: mail.user, attempt: mail.attempts + 1 };
    this.log[level](problem === undefined ? facts : { ...facts, err: problem }, message);
  }
}
