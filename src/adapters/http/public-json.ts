import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

type Encoding = 'br' | 'gzip' | 'identity';

/** Bytes below which compression saves no packet. */
const WORTH_COMPRESSING = 1_024;
/** Brotli's own default is made for files that are compressed once and takes a hundred times as long. */
const BROTLI_QUALITY = 4;

const compress: Record<Encoding, (body: Buffer) => Buffer | Promise<Buffer>> = {
  br: (body) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body) => promisify(gzip)(body),
  identity: (body) => body,
};

/** What anybody may see, as JSON. Encoded and tagged once for each encoding, however often it is sent. */
export class PublicJson {
  readonly #body: Buffer;
  readonly #encoded = new Map<Encoding, { readonly tag: string; body: Promise<Buffer> | null }>();

  constructor(json: string) {
    this.#body = Buffer.from(json);
  }

  /**
   * Caches may keep the answer but must ask each time, and are told when theirs is still good.
   * @param varies request headers, besides `Accept-Encoding`, that another answer would depend on
   */
  async send(request: Request, response: Response, varies: readonly string[] = []): Promise<void> {
    const encoding = this.#body.length < WORTH_COMPRESSING ? 'identity' : accepted(request);
    const encoded = this.#in(encoding);
    response.vary([...varies, 'Accept-Encoding'].join(', '));
    response.set({ 'Cache-Control': 'public, no-cache', ETag: encoded.tag });
    if (matches(request.get('If-None-Match'), encoded.tag)) {
      response.status(304).end();
      return;
    }
    const body = await (encoded.body ??= Promise.resolve(compress[encoding](this.#body)));
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.set({
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(body.length),
    });
    response.status(200).end(body);
  }

  /** Resolves when no encoding of it is being made. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#encoded.values()].flatMap(({ body }) => body ?? []));
  }

  #in(encoding: Encoding) {
    const known = this.#encoded.get(encoding);
    if (known) return known;
    const encoded = { tag: tag(this.#body, encoding), body: null };
    this.#encoded.set(encoding, encoded);
    return encoded;
  }
}

/** See {@link PublicJson}. */
export function sendPublicJson(
  request: Request,
  response: Response,
  value: unknown,
  varies: readonly string[] = [],
): Promise<void> {
  return new PublicJson(JSON.stringify(value)).send(request, response, varies);
}

function accepted(request: Request): Encoding {
  const best = request.acceptsEncodings(['br', 'gzip', 'identity']);
  return best === 'br' || best === 'gzip' ? best : 'identity';
}

/** Strong: the bytes of one encoding have one tag. */
function tag(body: Buffer, encoding: Encoding): string {
  const hash = createHash('sha256').update(body).digest('base64url');
  return encoding === 'identity' ? `"${hash}"` : `"${hash}-${encoding}"`;
}

/** RFC 9110, section 13.1.2: a list or `*`, by weak comparison. */
function matches(ifNoneMatch: string | undefined, entityTag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((candidate) => candidate.trim().replace(/^W\//, ''));
  return tags.includes(entityTag) || tags.includes('*');
}
