import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import type { Admission, RateLimiter, RateQuota } from '../../application/ports/rate-limiter.js';
import type { OrganizationTokenId, StreamUuid } from '../../domain/ids.js';
import { clientAddress } from './caller.js';
import type { HttpLog, HttpMetrics } from './dependencies.js';
import { sendError } from './error-responses.js';

const ALL_ROUTES: RateQuota = {
  name: 'all',
  windows: [
    { seconds: 1, limit: 3 },
    { seconds: 10, limit: 20 },
    { seconds: 60, limit: 100 },
  ],
};
const IPV6_CLIENT_PREFIX = 64;

/**
 * Which windows apply to which request, and the 429.
 *
 * Of express-rate-limit only the client's key is used. Its middleware counts one window per instance and counts before
 * it decides, so three windows and a strict one would cost four steps that are not atomic together, refused requests
 * would lengthen the wait, and its headers would tell the time of another clock than the limiter's.
 */
export class Throttling {
  constructor(
    private readonly limiter: RateLimiter | null,
    private readonly log: HttpLog,
    private readonly metrics?: HttpMetrics,
  ) {
    for (const policy of policyNames([ALL_ROUTES, strictQuota('', 0)])) metrics?.limitExceeded(policy, 0);
  }

  /** The global limits, counted per client address. */
  readonly perAddress: RequestHandler = async (request, response, next) => {
    if (await this.admitsAddress(request, response)) next();
  };

  /** The global limits and, on top, so many requests a minute to this route. */
  strict(route: string, limit: number): RequestHandler {
    return async (request, response, next) => {
      if (await this.#admits(response, addressKey(request), [ALL_ROUTES, strictQuota(route, limit)])) next();
    };
  }

  /** False: refused, and the refusal was sent. */
  admitsAddress(request: Request, response: Response): Promise<boolean> {
    return this.#admits(response, addressKey(request), [ALL_ROUTES]);
  }

  /**
   * Counts per organization token and stream, for one automation host sends for many streams. False: see above.
   * @param stream null: none that could exist
   */
  admitsSender(response: Response, token: OrganizationTokenId, stream: StreamUuid | null): Promise<boolean> {
    return this.#admits(response, `token:${token}:${stream ?? 'malformed'}`, [ALL_ROUTES]);
  }

  async #admits(response: Response, client: string, quotas: readonly RateQuota[]): Promise<boolean> {
    if (this.limiter === null) return true;
    let admission: Admission;
    try {
      admission = await this.limiter.admit(client, quotas);
    } catch (error) {
      const requestId = response.get('X-Request-Id');
      this.log.warn({ requestId, err: error }, 'The rate limiter failed: the request was not counted.');
      return true;
    }
    const policies = policyNames(quotas);
    setRateLimitHeaders(response, policies, admission);
    if (admission.admitted) return true;
    admission.windows.forEach(({ waitMilliseconds }, index) => {
      if (waitMilliseconds > 0) this.metrics?.limitExceeded(policies[index] ?? '');
    });
    sendError(response, { kind: 'too-many-requests', retryAfterSeconds: wait(admission) });
    return false;
  }
}

function strictQuota(name: string, limit: number): RateQuota {
  return { name, windows: [{ seconds: 60, limit }] };
}

/** IPv6 by /64, of which one customer usually has the whole; an IPv4 address as itself also where IPv6 writes it. */
function addressKey(request: Request): string {
  const address = clientAddress(request);
  return `address:${address === null ? 'unknown' : ipKeyGenerator(address, IPV6_CLIENT_PREFIX)}`;
}

/** Whole seconds, after which every window has room again. */
function wait({ windows }: Admission): number {
  return Math.max(1, ...windows.map((window) => Math.ceil(window.waitMilliseconds / 1_000)));
}

/** One for each window. */
function policyNames(quotas: readonly RateQuota[]): readonly string[] {
  return quotas.flatMap((quota) =>
    quota.windows.map(({ seconds }) => (quota === ALL_ROUTES ? `${seconds}s` : `${seconds}s-strict`)),
  );
}

/** draft-ietf-httpapi-ratelimit-headers-08; `t` is when one more request would be admitted. */
function setRateLimitHeaders(response: Response, policies: readonly string[], { windows }: Admission): void {
  const list = (item: (window: Admission['windows'][number]) => string) =>
    windows.map((window, index) => `"${policies[index]}";${item(window)}`).join(', ');
  response.set(
    'RateLimit-Policy',
    list(({ limit, seconds }) => `q=${limit};w=${seconds}`),
  );
  response.set(
    'RateLimit',
    list(({ remaining, waitMilliseconds }) => `r=${remaining};t=${Math.ceil(waitMilliseconds / 1_000)}`),
  );
}
