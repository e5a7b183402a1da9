import type { Brand } from './ids.js';

/** Text that every store and every JSON reader can hold: no U+0000, no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Counts what people call characters (code points), not UTF-16 units. */
export function characters(text: string): number {
  return [...text].length;
}

/** The first `count` code points. */
export function cut(text: string, count: number): string {
  return text.length <= count ? text : [...text].slice(0, count).join('');
}

/** One line: control characters and runs of white space become single blanks, ends are trimmed. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** An absolute http or https address of at most 2,048 characters. */
export type HttpUrl = Brand<string, 'HttpUrl'>;
export const MAX_URL_LENGTH = 2_048;

/** The address as given, less surrounding white space; null if it is not an {@link HttpUrl}. */
export function parseHttpUrl(raw: string): HttpUrl | null {
  const url = raw.trim();
  if (url.length > MAX_URL_LENGTH || !/^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(url) || !isStorable(url))
    return null;
  return URL.canParse(url) ? (url as HttpUrl) : null;
}
