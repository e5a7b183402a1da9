import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Nothing can listen there. Its message tells an operator what to do. */
export class AddressUnusable extends Error {
  override readonly name = 'AddressUnusable';

  /** @param advice what to set to have another address */
  constructor({ host, port }: Address, advice: string, cause: NodeJS.ErrnoException) {
    const reasons: Record<string, string> = {
      EADDRINUSE: 'another process listens there already',
      EACCES: 'this user may not use it',
      EADDRNOTAVAIL: 'this machine has no such address',
    };
    super(
      `Cannot listen on port ${port} of ${host}: ${reasons[cause.code ?? ''] ?? cause.message}. ${advice}`,
      { cause },
    );
  }
}

/**
 * Connections that the kernel holds for us until the event loop takes them: as many as the server takes at all, so that
 * a burst waits milliseconds, and not the seconds after which a client knocks again. The kernel may allow less.
 */
const BACKLOG = 3_000;

/** Resolves to the address that others reach the server at. */
export async function listenOn(server: Server, wanted: Address, advice: string): Promise<Address> {
  server.listen({ port: wanted.port, host: wanted.host, backlog: BACKLOG });
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw error.code === undefined ? error : new AddressUnusable(wanted, advice, error);
  });
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port };
}

/** Takes no new connections, and resolves when the requests in flight have been answered or the grace is over. */
export async function stopListening(server: Server, graceMilliseconds: number): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const cut = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
  await closed;
  clearTimeout(cut);
}
