import { createHmac } from 'node:crypto';
import type { Request } from 'express';
import type { Session } from '../../domain/account.js';
import type { OrganizationId, OrganizationTokenId, UserId } from '../../domain/ids.js';
import { clientAddress } from './caller.js';
import type { HttpDependencies } from './dependencies.js';

/**
 * What happens to accounts, logins and tokens, and the reasons for what is refused. All of it is logged; good tokens are in
 * the line of the request that carries them, missing ones in its status. (ASVS 16.3.1 to 16.3.3)
 */
export const SECURITY_EVENTS = {
  'account-registered': [],
  'registration-refused': ['username-or-email-taken', 'overloaded'],
  'account-activated': [],
  'account-disowned': [],
  /** By what the token was for. */
  'one-time-token-refused': ['activation', 'disowning', 'reset'],
  'logged-in': [],
  'login-refused': [
    'unknown-email',
    'wrong-password',
    'user-not-activated',
    'too-many-failures',
    'overloaded',
  ],
  'reset-requested': [],
  'password-reset': [],
  'access-token-refused': ['not-ours', 'bad-signature', 'expired', 'wrong-claims', 'session-ended'],
  'organization-token-refused': [],
  'access-denied': ['stream-of-another-organization', 'another-organization'],
} as const satisfies Record<string, readonly string[]>;

export type SecurityEvent = keyof typeof SECURITY_EVENTS;

/** Who or what it is about, as far as it is known. */
export interface Subject {
  readonly user?: UserId;
  /** Is hashed before it is written. */
  readonly email?: string;
  readonly organization?: OrganizationId;
  readonly token?: OrganizationTokenId;
}

/** Writes down what happens to accounts, logins and tokens; never an email, a password or a token itself. */
export class SecurityLog {
  constructor(private readonly dependencies: Pick<HttpDependencies, 'log' | 'logKey' | 'metrics'>) {
    for (const [event, reasons] of Object.entries(SECURITY_EVENTS))
      for (const reason of reasons.length === 0 ? [''] : reasons)
        dependencies.metrics?.securityEvent(event, reason, 0);
  }

  record<E extends SecurityEvent>(
    request: Request,
    event: E,
    { email, ...subject }: Subject,
    ...[reason]: (typeof SECURITY_EVENTS)[E] extends readonly [] ? [] : [(typeof SECURITY_EVENTS)[E][number]]
  ): void {
    const { log, metrics } = this.dependencies;
    metrics?.securityEvent(event, reason);
    log.info(
      {
        requestId: request.res?.get('X-Request-Id'),
        event,
        ...(reason === undefined ? {} : { reason }),
        ...subject,
        ...(email === undefined ? {} : { emailHash: this.#pseudonym(email) }),
        address: clientAddress(request),
      },
      'security event',
    );
  }

  /** The token was good, and its account has since set another password, or is gone. */
  sessionEnded(request: Request, { user }: Session): void {
    this.record(request, 'access-token-refused', { user }, 'session-ended');
  }

  /** The same for the same mailbox on every node, and not to be found by hashing addresses without the key. */
  #pseudonym(email: string): string {
    const mailbox = email.trim().toLowerCase();
    return createHmac('sha256', this.dependencies.logKey).update(mailbox).digest('base64url').slice(0, 22);
  }
}
