import type { RequestHandler } from 'express';
import { sendStatus } from './error-responses.js';

const MAX_HEADER_LINES = 2_000;
const MAX_URL_LENGTH = 2_048;
/** A name of 200 characters, each of up to four bytes, percent-encoded. */
const MAX_NAME_URL_LENGTH = 4_096;
/** Some senders put a whole song into the query. */
const MAX_WEBHOOK_URL_LENGTH = 8_192;

/** Refuses what no endpoint should have to think about. */
export const acceptableRequest: RequestHandler = (request, response, next) => {
  const { rawHeaders, originalUrl } = request;
  const limit = urlLimit(originalUrl);
  if (rawHeaders.length / 2 > MAX_HEADER_LINES) return sendStatus(response, 431);
  if (originalUrl.length > limit) return sendStatus(response, 414);
  if (!hasOneHost(request.httpVersion, rawHeaders))
    return sendStatus(response, 400, 'The request must have one valid Host header.');
  if (!isDecodable(request.path)) return sendStatus(response, 400, 'The path is not valid percent-encoding.');
  next();
};

function urlLimit(url: string): number {
  if (/^\/stream\/update\//i.test(url)) return MAX_WEBHOOK_URL_LENGTH;
  return /^\/organization\/name\//i.test(url) ? MAX_NAME_URL_LENGTH : MAX_URL_LENGTH;
}

/** RFC 9112, section 3.2. HTTP/1.0 knew no such header. */
function hasOneHost(httpVersion: string, rawHeaders: readonly string[]): boolean {
  const hosts = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host',
  );
  const [host] = hosts;
  if (host === undefined) return httpVersion === '1.0';
  return hosts.length === 1 && /^[\w.~!$&'()*+,;=:[\]%-]*$/.test(host);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
