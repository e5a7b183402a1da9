import { Unavailable } from '../application/errors.js';
import type { DirectoryReadModel, ListedStream } from '../application/ports/directory-read-model.js';
import type { Session } from '../domain/account.js';
import type { OrganizationId, StreamId } from '../domain/ids.js';
import type { Logger } from './logger.js';

/** Milliseconds that a reader waits for the database, while it answers and once it does not. */
const PATIENCE = 1_000;
const PATIENCE_IN_AN_OUTAGE = 50;
/** Milliseconds after a failure in which nobody tries again. */
const PAUSE = 250;

const TOO_LATE = Symbol('too late');

/** A directory whose stream list outlives its database: while that does not answer, the list is what it was last. */
export class LastGoodStreams implements DirectoryReadModel {
  #last: readonly ListedStream[] | null = null;
  #isOutage = false;
  #failedAt = -Infinity;
  #staleAnswers = 0;

  constructor(
    private readonly directory: DirectoryReadModel,
    private readonly log: Logger,
  ) {}

  /** The list is the last one that could be read. */
  get isStale(): boolean {
    return this.#isOutage;
  }

  /** How many lists were answered that could not be read anew. */
  get staleAnswers(): number {
    return this.#staleAnswers;
  }

  async streams(): Promise<readonly ListedStream[]> {
    const last = this.#last;
    if (last === null) return this.#ask();
    if (this.#isOutage && performance.now() - this.#failedAt < PAUSE) return this.#again(last);
    const patience = this.#isOutage ? PATIENCE_IN_AN_OUTAGE : PATIENCE;
    const answer = await within(patience, this.#ask());
    if (answer !== TOO_LATE) return answer;
    this.#begin(new Error(`no answer within ${patience} ms`));
    return this.#again(last);
  }

  streamsOf(organization: OrganizationId) {
    return this.directory.streamsOf(organization);
  }

  streamsOfMember(session: Session) {
    return this.directory.streamsOfMember(session);
  }

  streamReferences(organization: OrganizationId) {
    return this.directory.streamReferences(organization);
  }

  history(stream: StreamId) {
    return this.directory.history(stream);
  }

  organizations() {
    return this.directory.organizations();
  }

  organization(id: OrganizationId) {
    return this.directory.organization(id);
  }

  organizationNamed(nameKey: string) {
    return this.directory.organizationNamed(nameKey);
  }

  randomOrganizations(limit: number) {
    return this.directory.randomOrganizations(limit);
  }

  statistics() {
    return this.directory.statistics();
  }

  /** Rejects while nothing was ever read, and with what is no outage. */
  async #ask(): Promise<readonly ListedStream[]> {
    try {
      this.#last = await this.directory.streams();
    } catch (error) {
      if (this.#last === null || !(error instanceof Unavailable)) throw error;
      this.#failedAt = performance.now();
      this.#begin(error);
      return this.#again(this.#last);
    }
    if (this.#isOutage) this.log.info('the stream list is up to date again');
    this.#isOutage = false;
    return this.#last;
  }

  #again(last: readonly ListedStream[]): readonly ListedStream[] {
    this.#staleAnswers += 1;
    return last;
  }

  #begin(reason: Error): void {
    if (!this.#isOutage)
      this.log.warn(
        { err: reason },
        'the stream list is the last one that could be read, until the database answers',
      );
    this.#isOutage = true;
  }
}

async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T | typeof TOO_LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof TOO_LATE>((resolve) => {
    timer = setTimeout(() => resolve(TOO_LATE), milliseconds);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
