/** Longer lines and list entries are no stations; they are cut, so that a file of any size needs little memory. */
export const MAX_ENTRY_LENGTH = 1_048_576;

const BYTE_ORDER_MARK = '\uFEFF';

/** The first `length` characters (fewer if there are no more) without byte order mark, and the whole text again from its start. */
export async function peek(
  chunks: AsyncIterable<string>,
  length: number,
): Promise<{ head: string; all: AsyncIterable<string> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let text = '';
  let done = false;
  while (!done && text.length < length + 1) {
    const next = await iterator.next();
    if (next.done) done = true;
    else text += next.value;
  }
  if (text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
  async function* all(): AsyncGenerator<string> {
    try {
      yield text;
      for (let next = done ? null : await iterator.next(); next && !next.done; next = await iterator.next())
        yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { head: text.slice(0, length), all: all() };
}

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Without its end, cut to {@link MAX_ENTRY_LENGTH}. */
  readonly text: string;
}

/** Lines ended by LF, CR LF or CR, without the byte order mark. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let number = 0;
  let rest = '';
  let afterCarriageReturn = false;
  for await (const chunk of chunks) {
    if (chunk === '') continue;
    // The line feed of a pair that two chunks share.
    const fresh = afterCarriageReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    afterCarriageReturn = chunk.endsWith('\r');
    const texts = (rest + fresh).split(/\r\n|\n|\r/);
    rest = (texts.pop() ?? '').slice(0, MAX_ENTRY_LENGTH);
    for (const text of texts) yield line(++number, text);
  }
  if (rest !== '') yield line(number + 1, rest);
}

function line(number: number, text: string): Line {
  const start = number === 1 && text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  return { number, text: text.slice(start, start + MAX_ENTRY_LENGTH) };
}
