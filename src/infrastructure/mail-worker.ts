import { setTimeout as pause } from 'node:timers/promises';
import type { DeliverMails, MailAttempt } from '../application/accounts.js';
import type { Logger } from './logger.js';

/** How often the outbox is looked at, in milliseconds. */
const INTERVAL = 500;

/** Sends mails as they fall due, until it is stopped. */
export class MailWorker {
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(
    private readonly deliverMails: DeliverMails,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when the attempts under way have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const attempts = await this.#deliver();
      if (attempts === 0) await pause(INTERVAL, undefined, { signal }).catch(() => undefined);
    }
  }

  async #deliver(): Promise<number> {
    try {
      const attempts = await this.deliverMails.execute();
      attempts.forEach((attempt) => this.#report(attempt));
      return attempts.length;
    } catch (error) {
      this.log.warn({ err: error }, 'the mail outbox cannot be read; trying again');
      return 0;
    }
  }

  #report({ mail, outcome, problem }: MailAttempt): void {
    const facts = { mail: mail.id, kind: mail.kind, user: mail.user, attempt: mail.attempts + 1 };
    if (outcome === 'postponed')
      this.log.warn({ ...facts, err: problem }, 'mail not sent; it will be tried again');
    else if (outcome === 'given-up')
      this.log.error({ ...facts, err: problem }, 'mail given up after three days');
    else this.log.info(facts, outcome === 'sent' ? 'mail sent' : 'mail dropped: no longer needed');
  }
}
