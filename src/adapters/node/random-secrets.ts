import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Secrets } from '../../application/ports/secrets.js';
import type { PlayId, StreamUuid } from '../../domain/ids.js';
import type { TokenHash } from '../../domain/one-time-token.js';

export class RandomSecrets implements Secrets {
  token(): string {
    return randomBytes(32).toString('base64url');
  }

  hash(token: string): TokenHash {
    return createHash('sha256').update(token).digest('base64url') as TokenHash;
  }

  uuid(): PlayId & StreamUuid {
    return randomUUID() as string as PlayId & StreamUuid;
  }
}
