import type { Statistics } from '../../application/ports/directory-read-model.js';
import type { MailCounts } from '../../application/ports/mail-outbox.js';

/** What the storage holds. */
export interface Figures {
  readonly directory: Statistics;
  readonly mails: MailCounts;
  /** Milliseconds since the oldest mail is owed that was not given up; 0: there is none. */
  readonly oldestMailAge: number;
}

/** The storage is asked no more often than this, in milliseconds ... */
const PAUSE = 10_000;
/** ... and waited for no longer than this: a scrape must not hang for a database that has stopped. */
const PATIENCE = 800;

/** Asks the storage for its figures, whoever may want them and however often. */
export class StorageFigures {
  #askedAt = -Infinity;
  #question: Promise<void> | null = null;
  #answer: Figures | null = null;

  constructor(
    private readonly ask: () => Promise<Figures>,
    private readonly pauseMilliseconds = PAUSE,
  ) {}

  /** The last answer; null: there was none, or none in time. */
  async current(): Promise<Figures | null> {
    const now = performance.now();
    if (this.#question === null && now - this.#askedAt >= this.pauseMilliseconds) {
      this.#askedAt = now;
      this.#question = this.#put();
    }
    if (this.#question === null) return this.#answer;
    return (await inTime(this.#question, this.#askedAt + PATIENCE - now)) ? this.#answer : null;
  }

  async #put(): Promise<void> {
    try {
      this.#answer = await this.ask();
    } catch {
      this.#answer = null;
    } finally {
      this.#question = null;
    }
  }
}

async function inTime(question: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([question.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
