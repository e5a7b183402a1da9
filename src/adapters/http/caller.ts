import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { OrganizationId, OrganizationTokenId, UserId } from '../../domain/ids.js';

/** Whom the credentials of a request name. */
export type Caller =
  | { readonly caller: 'anonymous' }
  | { readonly caller: 'user'; readonly user: UserId }
  | {
      readonly caller: 'organization';
      readonly organization: OrganizationId;
      readonly token: OrganizationTokenId;
    };

const callers = new WeakMap<IncomingMessage, Caller>();

/** The credentials of this request were found good. */
export function isFrom(request: IncomingMessage, caller: Caller): void {
  callers.set(request, caller);
}

export function callerOf(request: IncomingMessage): Caller {
  return callers.get(request) ?? { caller: 'anonymous' };
}

/** The client's IP address; behind a proxy that we trust, the one that it names. null: its connection is gone. */
export function clientAddress(request: IncomingMessage): string | null {
  const named = 'ip' in request ? request.ip : undefined;
  // A proxy that we trust may still forward nonsense.
  const address = typeof named === 'string' && isIP(named) !== 0 ? named : request.socket.remoteAddress;
  return address !== undefined && isIP(address) !== 0 ? address : null;
}
