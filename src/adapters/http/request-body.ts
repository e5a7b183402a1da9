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
export const WEBHOOK_BODY_LIMIT = 256 * KIBIBYTE;
const MAX_DEPTH = 32;

/** Bytes are read whatever their type: an empty body needs none. */
const readers = new Map(
  [BODY_LIMIT, WEBHOOK_BODY_LIMIT].map((limit) => [limit, express.raw({ limit, type: () => true })]),
);

/** The JSON object that a request carries; an empty one for a request without a body. */
export async function jsonBody(
  request: Request,
  response: Response,
  limit: number = BODY_LIMIT,
): Promise<JsonObject> {
  const bytes = await readBytes(request, response, limit);
  if (bytes.length === 0) return {};
  if (!isJson(request)) throw new UnsupportedMediaType();
  return parseObject(bytes);
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
