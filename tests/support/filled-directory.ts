import pLimit from 'p-limit';
import { JwtAccessTokens } from '../../src/adapters/node/jwt-access-tokens.js';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import { migrateUp } from '../../src/adapters/postgres/migrations.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { newOrganizationToken } from '../../src/application/now-playing.js';
import { type Session, issueToken } from '../../src/domain/account.js';
import {
  DAY,
  type Instant,
  type OrganizationId,
  type StreamId,
  type StreamUuid,
  type UserId,
  later,
} from '../../src/domain/ids.js';
import type { TokenPurpose } from '../../src/domain/one-time-token.js';
import { ok } from '../../src/domain/result.js';
import { applyReport } from '../../src/domain/now-playing.js';
import {
  aNewAccount,
  aPlayId,
  activated,
  aSongReport,
  anActivatedUser,
  anAddedOrganization,
  anAddedStream,
  must,
} from './builders.js';
import { storageOn } from './postgres-storage.js';

/** What the services on a filled directory must have as `JWT_SECRETS` for its logins to hold. */
export const JWT_SECRET = 'a secret of the tests of more than thirty-two bytes';

export interface FilledDirectory {
  readonly organization: OrganizationId;
  /** API token of the organization, which has all the streams. */
  readonly token: string;
  readonly streams: readonly { readonly id: StreamId; readonly uuid: StreamUuid }[];
  readonly users: readonly { readonly session: Session; readonly jwt: string }[];
}

/** Migrates an empty database and puts one organization with so many streams, and so many activated users, into it. */
export async function filledDirectory(
  url: string,
  counts: { readonly streams: number; readonly users: number; readonly reports?: number },
): Promise<FilledDirectory> {
  const db = new PostgresDatabase({ url });
  try {
    await migrateUp(db);
    const { accounts, organizations, nowPlaying } = storageOn(db);
    const secrets = new RandomSecrets();
    const now = Date.now() as Instant;
    const organization = await anAddedOrganization(organizations, { name: 'Radio' });
    const token = newOrganizationToken(secrets);
    must(await organizations.addToken(organization, secrets.hash(token), '', now));
    const atOnce = pLimit(8);
    const times = <T>(count: number, make: () => Promise<T>) =>
      Promise.all(Array.from({ length: count }, () => atOnce(make)));
    const streams = await times(counts.streams, () => anAddedStream(organizations, organization));
    for (let report = counts.reports ?? 0; report > 0; report -= 1) {
      const at = later(now, -report * 60_000);
      await Promise.all(
        streams.map(({ uuid }) =>
          atOnce(() =>
            nowPlaying.update(uuid, organization, (before) =>
              applyReport(before, aSongReport({ title: `Song ${report}` }), at, aPlayId),
            ),
          ),
        ),
      );
    }
    const accessTokens = new JwtAccessTokens([JWT_SECRET]);
    const users = await times(counts.users, async () => {
      const session = await anActivatedUser(accounts, { registeredAt: now });
      return { session, jwt: accessTokens.issue(session, now, later(now, DAY)) };
    });
    return { organization, token, streams, users };
  } finally {
    await db.close();
  }
}

/** Accounts that were mailed a token each: to be activated, or to get a new password. */
export async function mailedTokens(
  url: string,
  purpose: TokenPurpose,
  count: number,
): Promise<readonly { readonly user: UserId; readonly token: string }[]> {
  const db = new PostgresDatabase({ url });
  try {
    const { accounts } = storageOn(db);
    const secrets = new RandomSecrets();
    const now = Date.now() as Instant;
    const atOnce = pLimit(8);
    return await Promise.all(
      Array.from({ length: count }, () =>
        atOnce(async () => {
          const account = aNewAccount({ registeredAt: now });
          const user = must(await accounts.register(account));
          if (purpose === 'reset') await activated(accounts, user, now);
          const token = secrets.token();
          const hash = secrets.hash(token);
          must(await accounts.update({ id: user }, (found) => ok(issueToken(found, purpose, hash, now))));
          return { user, token };
        }),
      ),
    );
  } finally {
    await db.close();
  }
}
