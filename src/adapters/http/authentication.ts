import type { Request } from 'express';
import type { IdentifySender } from '../../application/now-playing.js';
import type { AccessTokens } from '../../application/ports/access-tokens.js';
import type { Clock } from '../../application/ports/clock.js';
import type { Session } from '../../domain/account.js';
import type { OrganizationId, OrganizationTokenId } from '../../domain/ids.js';
import { type Result, err, ok } from '../../domain/result.js';
import { isFrom } from './caller.js';
import type { Unauthorized } from './error-responses.js';
import type { SecurityLog } from './security-log.js';

/** An API token that was sent, and whose it is. */
export interface Sender {
  readonly token: OrganizationTokenId;
  readonly organization: OrganizationId;
}

/** Reads credentials from requests. */
export class Authentication {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly identifySender: IdentifySender,
    private readonly clock: Clock,
    private readonly security: SecurityLog,
  ) {}

  /** The login that the request's JWT states. Whether it still counts, only the storage knows: `session-ended`. */
  session(request: Request): Result<Session, Unauthorized> {
    const token = bearerToken(request);
    if (token === null) return unauthorized('missing');
    const session = this.accessTokens.verify(token, this.clock.now());
    if (!session.ok) {
      this.security.record(request, 'access-token-refused', {}, session.error.kind);
      return unauthorized('invalid');
    }
    isFrom(request, { caller: 'user', user: session.value.user });
    return session;
  }

  /** Whose organization token the request carries, in any of the forms that senders can send. (contract.md 38) */
  async sender(request: Request): Promise<Result<Sender, Unauthorized>> {
    const sent = [bearerToken(request), apiKey(request), basicPassword(request)];
    const tokens = sent.filter((token) => token !== null);
    for (const token of tokens) {
      const sender = await this.identifySender.execute(token);
      if (sender === null) continue;
      isFrom(request, { caller: 'organization', ...sender });
      return ok(sender);
    }
    if (tokens.length === 0) return unauthorized('missing');
    this.security.record(request, 'organization-token-refused', {});
    return unauthorized('invalid');
  }
}

function unauthorized(credentials: Unauthorized['credentials']): Result<never, Unauthorized> {
  return err({ kind: 'unauthorized', credentials });
}

function bearerToken(request: Request): string | null {
  return credentials(request, 'bearer');
}

function basicPassword(request: Request): string | null {
  const encoded = credentials(request, 'basic');
  if (encoded === null) return null;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1).trim();
}

function apiKey(request: Request): string | null {
  return request.get('X-API-KEY')?.trim() || null;
}

/** What follows the scheme, which is matched in any letter case. */
function credentials(request: Request, scheme: 'bearer' | 'basic'): string | null {
  const [, sentScheme, value] = /^([^ ]+) +([^ ].*)$/.exec(request.get('Authorization') ?? '') ?? [];
  return sentScheme?.toLowerCase() === scheme ? (value?.trim() ?? null) : null;
}
