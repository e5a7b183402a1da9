import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Response } from 'express';
import { type ApplicationError, Unavailable } from '../../application/errors.js';
import type { HttpLog } from './dependencies.js';
import { type BrokenRule, ruleOf } from './input-rules.js';
import { BadRequest } from './valid.js';

/** What only the HTTP interface refuses. */
export type HttpError =
  | Unauthorized
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'method-not-allowed' }
  | { readonly kind: 'too-many-requests'; readonly retryAfterSeconds: number };
export interface Unauthorized {
  readonly kind: 'unauthorized';
  readonly credentials: 'missing' | 'invalid';
}
type Refusal = ApplicationError | HttpError;

const TOO_MANY_REQUESTS = [429, 'ThrottlerException: Too Many Requests'] as const;

/** `null` as message: the refusal itself says what is wrong. */
const RESPONSES = {
  forbidden: [403, 'Forbidden'],
  'invalid-email': [400, null],
  'invalid-registration': [400, null],
  'invalid-token': [400, 'Invalid or expired token'],
  'method-not-allowed': [405, 'Method Not Allowed'],
  'not-found': [404, 'Not Found'],
  overloaded: [503, 'Service Unavailable'],
  'session-ended': [401, 'Unauthorized'],
  'stream-not-found': [404, 'Not Found'],
  'stream-of-another-organization': [403, 'Forbidden'],
  'too-many-failures': TOO_MANY_REQUESTS,
  'too-many-requests': TOO_MANY_REQUESTS,
  unauthorized: [401, 'Unauthorized'],
  'unknown-stream-uuid': [404, 'Not Found'],
  'user-not-activated': [403, 'User not activated'],
  'username-or-email-taken': [409, 'Username or email already in use'],
  'weak-password': [400, null],
  'wrong-credentials': [401, 'Invalid email or password'],
} as const satisfies Record<Refusal['kind'], readonly [statusCode: number, message: string | null]>;

/** Seconds after which a client may find an overloaded or recovering service ready. */
const RECOVERY_SECONDS = 1;

export function sendError(response: Response, refusal: Refusal): void {
  const [statusCode, message] = RESPONSES[refusal.kind];
  if (statusCode === 401) response.set('WWW-Authenticate', challenge(refusal));
  if (statusCode === 503) response.set('Retry-After', String(RECOVERY_SECONDS));
  if ('retryAfterSeconds' in refusal) response.set('Retry-After', String(refusal.retryAfterSeconds));
  sendStatus(response, statusCode, message ?? sentence(refusal));
}

/** The one shape of every error body. */
export function sendStatus(response: Response, statusCode: number, message = STATUS_CODES[statusCode]): void {
  response.status(statusCode).json({ statusCode, message });
}

/** RFC 6750, section 3. */
function challenge(refusal: Refusal): string {
  const rejected =
    refusal.kind === 'session-ended' ||
    (refusal.kind === 'unauthorized' && refusal.credentials === 'invalid');
  return rejected ? 'Bearer error="invalid_token"' : 'Bearer';
}

function sentence(refusal: Refusal): string {
  return `${brokenRules(refusal).map(ruleOf).join('; ')}.`;
}

function brokenRules(refusal: Refusal): readonly BrokenRule[] {
  if (refusal.kind === 'invalid-registration') return refusal.problems;
  return refusal.kind === 'invalid-email' || refusal.kind === 'weak-password' ? [refusal] : [];
}

/** Last middleware. What was thrown is bad input, an outage or a bug; the log gets the latter two, the client only a status. */
export function lastResort(log: HttpLog): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    const requestId = response.get('X-Request-Id');
    const statusCode = statusOf(error);
    if (statusCode === 500) log.error({ requestId, err: error }, 'A request failed unexpectedly.');
    if (statusCode === 503)
      log.warn({ requestId, err: error }, 'A request failed: the service is not ready.');
    if (response.headersSent) return next(error);
    // What a handler prepared for its success must not stick to the failure.
    response.set('Cache-Control', 'no-store').removeHeader('ETag');
    if (statusCode === 503) response.set('Retry-After', String(RECOVERY_SECONDS));
    sendStatus(response, statusCode, error instanceof BadRequest ? error.message : undefined);
  };
}

/** What an answer to something thrown says. */
export function statusOf(error: unknown): number {
  if (error instanceof Unavailable) return 503;
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  return status >= 400 && status < 500 ? status : 500;
}
