import { type ExecProtocolOptionsStream, PGlite } from '@electric-sql/pglite';

/** First bytes of the messages that PostgreSQL answers for good; the others are parts of a longer exchange. */
const FINAL_MESSAGES = new Set([...'QSXp\0'].map((letter) => letter.charCodeAt(0)));
const SYNC = Uint8Array.of('S'.charCodeAt(0), 0, 0, 0, 4);

/**
 * PGlite for several connections. Its socket server keeps connections apart only while one is in a transaction; between
 * the Parse, Bind and Execute of one statement it lets in messages of others, which then run each other's statements
 * (seen as soon as parameters exceed a socket buffer). So the exchange counts as a transaction until it is complete.
 */
export class SharedPGlite extends PGlite {
  #isExchanging = false;

  override isInTransaction(): boolean {
    return this.#isExchanging || super.isInTransaction();
  }

  override async execProtocolRawStream(
    message: Uint8Array,
    options: ExecProtocolOptionsStream,
  ): Promise<void> {
    await super.execProtocolRawStream(message, options);
    this.#isExchanging = !FINAL_MESSAGES.has(message[0] ?? 0);
  }

  /** The socket server's ROLLBACK for a connection that was lost: its exchange may be left incomplete. */
  override async exec(...statements: Parameters<PGlite['exec']>): ReturnType<PGlite['exec']> {
    if (this.#isExchanging) await this.execProtocolRawStream(SYNC, { onRawData: () => {} });
    return super.exec(...statements);
  }
}
