import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { BadRequest } from './valid.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** What a client must send differently, other than its contents. */
class UnsupportedMediaType extends Error {
  readonly status = 415;
}

const KIBIBYTE = 1_024;
/** Bytes after decompression. */
const BODY_LIMIT = 16 * KIBIBYTE;
const WEBHOOK_BODY_LIMIT = 256 * KIBIBYTE;
const MAX_DEPTH = 32;
/** What Windows-1252 has from 0x80 to 0x9f. (Node 20's own decoder takes it for Latin-1.) */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Bytes are read whatever their type: an empty body needs none. */
const readers = new Map(
  [BODY_LIMIT, WEBHOOK_BODY_LIMIT].map((limit) => [limit, express.raw({ limit, type: () => true })]),
);

/** The JSON object that a request carries; an empty one for a request without a body. */
export async function jsonBody(request: Request, response: Response): Promise<JsonObject> {
  const bytes = await readBytes(request, response, BODY_LIMIT);
  if (bytes.length === 0) return {};
  if (!isJson(request)) throw new UnsupportedMediaType();
  return parseObject(bytes);
}

/** What a webhook call carries: a JSON object, a form or, without a body, a query string. */
export async function webhookFields(request: Request, response: Response): Promise<JsonObject> {
  const bytes = await readBytes(request, response, WEBHOOK_BODY_LIMIT);
  if (bytes.length === 0) return parseForm(queryString(request));
  if (isJson(request)) return parseObject(bytes);
  if (request.is('application/x-www-form-urlencoded')) return parseForm(bytes.toString('latin1'));
  throw new UnsupportedMediaType();
}

function queryString({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?');
  return start < 0 ? '' : originalUrl.slice(start + 1);
}

/** Of fields that come twice, the first. `__proto__` and its like are fields like all others. */
function parseForm(text: string): JsonObject {
  const pairs = text.split('&').map((pair) => {
    const equals = pair.indexOf('=');
    return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  const decoded = pairs.map(([name = '', value = '']) => [decodeForm(name), decodeForm(value)] as const);
  return Object.fromEntries(decoded.reverse());
}

/**
 * UTF-8, or what was the habit before it on Windows, where many playout programs run.
 * @param text one character for each byte
 */
function decodeForm(text: string): string {
  const latin1 = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  const bytes = Buffer.from(latin1, 'latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return latin1.replace(/[\u0080-\u009f]/g, (character) =>
    WINDOWS_1252.charAt(character.charCodeAt(0) - 0x80),
  );
}

async function readBytes(request: Request, response: Response, limit: number): Promise<Buffer> {
  const read = readers.get(limit);
  if (!read) throw new Error(`No reader for bodies of ${limit} bytes.`);
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else if (error instanceof Error && 'status' in error && error.status !== 400) reject(error);
      else reject(new BadRequest('The body is not what its headers say.'));
    });
  });
  const body: unknown = request.body;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function isJson(request: Request): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.get('Content-Type') ?? '')?.[1];
  return (
    Boolean(request.is(['application/json', '+json'])) && /^(utf-?8|us-ascii)$/i.test(charset ?? 'utf-8')
  );
}

function parseObject(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw new BadRequest('The body is not valid UTF-8.');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    throw new BadRequest('The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadRequest('The body must be a JSON object.');
  if (isDeeper(value, MAX_DEPTH))
    throw new BadRequest(`The body must not be nested deeper than ${MAX_DEPTH} levels.`);
  // joi copies with Object.assign, which would turn this field into the copy's prototype.
  Reflect.deleteProperty(value, '__proto__');
  return value as JsonObject;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
