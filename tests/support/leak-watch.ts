import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request } from 'express';
import { atTheEndOfEachTest } from './end-of-test.js';
import { leaksIn } from './leaks.js';

/** Shorter texts, and plain words, stand in logs by chance. */
const MIN_LENGTH = 8;

/** What the test under way and the one before it must not find again: their last lines may come late. */
let secrets = new Set<string>();
let earlier = new Set<string>();
let written: string[] = [];
/** What clients named their requests by, to be found in the log. */
let names = new Set<unknown>();

/** From now on this text may stand in no log and in no answer that refuses something. */
export function keepSecret(text: unknown): void {
  if (typeof text === 'string' && text.length >= MIN_LENGTH && !/^[a-z ]+$/.test(text)) secrets.add(text);
}

/** Where the logs of the tests go. */
export const overhearing = { write: (line: string): void => void written.push(line) };

atTheEndOfEachTest(() => {
  for (const name of names) secrets.delete(String(name));
  const leaks = leaksIn(written.join('\n'), [...secrets, ...earlier]);
  [earlier, secrets, names, written] = [secrets, new Set(), new Set(), []];
  if (leaks.length > 0) throw new Error(`Written where others read it:\n${leaks.join('\n')}`);
});

/** The same app: what its clients send as credentials and get as tokens are secrets, its refusals must tell none. */
export function overheard(app: Express, hashes: () => Iterable<string>): Express {
  return new Proxy(app, {
    apply(target, self, args: [Request, ServerResponse]) {
      overhear(...args, hashes);
      return Reflect.apply(target, self, args) as unknown;
    },
  });
}

function overhear(request: Request, response: ServerResponse, hashes: () => Iterable<string>): void {
  credentialsOf(request).forEach(keepSecret);
  names.add(request.headers['x-request-id']);
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  response.end = (...args: unknown[]) => {
    const [body] = args;
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body.toString() : '';
    const sent = objectIn(request.body);
    [sent['password'], sent['email'], objectIn(text)['access_token']].forEach(keepSecret);
    if (request.originalUrl.startsWith('/user')) for (const hash of hashes()) keepSecret(hash);
    if (response.statusCode >= 400) written.push(text);
    return end(...args);
  };
}

function credentialsOf({ headers, url = '' }: IncomingMessage): unknown[] {
  const [, scheme = '', value = ''] = /^(\S+) +(.*)$/.exec(headers.authorization ?? '') ?? [];
  const pair = scheme.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString() : '';
  const [, token = ''] = /^\/user\/(?:activate|verify|resetPassword)\/([^/?]+)/.exec(url) ?? [];
  return [value, pair.slice(pair.indexOf(':') + 1), headers['x-api-key'], token, decoded(token)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

function objectIn(json: unknown): Record<string, unknown> {
  try {
    return (JSON.parse(String(json)) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
