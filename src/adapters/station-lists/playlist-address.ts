import { MAX_URL_LENGTH } from '../../domain/text.js';

/** Anything with a scheme; whether the directory takes it is not for the playlist to say. */
export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(text);
}

/** Host and path: the name of a station that its playlist does not name. */
export function nameFromAddress(url: string): string {
  if (url.length > MAX_URL_LENGTH || !URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return host + pathname.replace(/\/+$/, '');
}
