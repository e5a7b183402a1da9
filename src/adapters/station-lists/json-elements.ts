import { MAX_ENTRY_LENGTH } from './text-chunks.js';

export interface JsonElement {
  /** The text of one element of an array; longer ones than {@link MAX_ENTRY_LENGTH} are cut. */
  readonly text: string;
  /** The last string before the array: in an object the name of the property that it is. */
  readonly property: string;
}

/**
 * Splits the arrays that lie `depth` levels deep (1: the outermost) into the texts of their elements, so that one broken
 * element costs no other, and no document is too long. @returns whether the document was complete
 */
export async function* jsonElements(
  chunks: AsyncIterable<string>,
  depth: number,
): AsyncGenerator<JsonElement, boolean> {
  let level = 0;
  let text = '';
  let property = '';
  let inString = false;
  let escaped = false;
  let isComplete = false;
  for await (const chunk of chunks) {
    let start = 0;
    for (let i = 0; i < chunk.length && !isComplete; i++) {
      const character = chunk[i];
      if (inString) {
        if (escaped) escaped = false;
        else if (character === '\\') escaped = true;
        else if (character === '"') {
          inString = false;
          if (level < depth) property = text + chunk.slice(start, i);
        }
        continue;
      }
      if (character === '"') {
        inString = true;
        if (level < depth) [text, start] = ['', i + 1];
      } else if (character === '[' || character === '{') {
        level += 1;
        if (level === depth) [text, start] = ['', i + 1];
      } else if (character === ']' || character === '}') {
        // `[]`, and a comma before the end, leave a blank that stands for nothing.
        if (level === depth) {
          const last = text + chunk.slice(start, i);
          if (last.trim() !== '') yield { text: last, property };
          [text, start] = ['', i + 1];
        }
        level -= 1;
        isComplete = level === 0;
      } else if (character === ',' && level === depth) {
        yield { text: text + chunk.slice(start, i), property };
        [text, start] = ['', i + 1];
      }
    }
    if (!isComplete && (level >= depth || inString) && text.length <= MAX_ENTRY_LENGTH)
      text += chunk.slice(start);
  }
  return isComplete;
}
