import { type KeyObject, createHmac, createSecretKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { AccessTokens, RefusedAccessToken } from '../../application/ports/access-tokens.js';
import type { Session } from '../../domain/account.js';
import { type Instant, SECOND, type UserId, parseId } from '../../domain/ids.js';
import { type Result, err, ok } from '../../domain/result.js';

const ALGORITHM = 'HS256';
const TYPE = 'JWT';
const ISSUER = 'radio-directory';
const AUDIENCE = 'radio-directory';
/** Seconds that the clocks of two nodes of one service may lie apart. */
const CLOCK_SKEW = 10;

/** RFC 7518, 3.2: an HS256 key is at least as long as its hash. */
export const MIN_SECRET_BYTES = 32;

interface SigningKey {
  readonly id: string;
  readonly secret: KeyObject;
}

/** JSON Web Tokens, HS256. The first secret signs, all verify, so that secrets can be rotated. */
export class JwtAccessTokens implements AccessTokens {
  readonly #signing: SigningKey;
  readonly #byId: ReadonlyMap<string, KeyObject>;

  /** @param secrets at least one, each of {@link MIN_SECRET_BYTES} or more; throws otherwise */
  constructor(secrets: readonly string[]) {
    const keys = secrets.map(signingKey);
    const [first] = keys;
    if (!first) throw new Error('Access tokens need at least one secret.');
    this.#signing = first;
    this.#byId = new Map(keys.map(({ id, secret }) => [id, secret]));
  }

  issue(session: Session, now: Instant, expiresAt: Instant): string {
    const claims = { ver: session.credentialVersion, iat: seconds(now), exp: seconds(expiresAt) };
    return jwt.sign(claims, this.#signing.secret, {
      algorithm: ALGORITHM,
      keyid: this.#signing.id,
      issuer: ISSUER,
      audience: AUDIENCE,
      subject: String(session.user),
    });
  }

  verify(token: string, now: Instant): Result<Session, RefusedAccessToken> {
    const verified = this.#verifiedClaims(token, now);
    if (!verified.ok) return verified;
    // What jsonwebtoken leaves unchecked: it takes tokens without `exp`, of any subject and from the future.
    const { sub, ver, iat, exp, aud } = verified.value;
    const user = typeof sub === 'string' ? parseId(sub) : null;
    const wellTimed =
      isPositiveInteger(iat) && isPositiveInteger(exp) && iat <= seconds(now) + CLOCK_SKEW && iat <= exp;
    if (user === null || !wellTimed || !isPositiveInteger(ver) || aud !== AUDIENCE)
      return err({ kind: 'wrong-claims' });
    return ok({ user: user as UserId, credentialVersion: ver });
  }

  /** Refuses whatever jsonwebtoken, or the header, gives a reason to refuse. */
  #verifiedClaims(token: string, now: Instant): Result<Record<string, unknown>, RefusedAccessToken> {
    try {
      const header = jwt.decode(token, { complete: true })?.header;
      const secret = header && isOurs(header) ? this.#byId.get(header.kid) : undefined;
      if (!secret) return err({ kind: 'not-ours' });
      const claims = jwt.verify(token, secret, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        clockTimestamp: now / SECOND,
      });
      return typeof claims === 'string' ? err({ kind: 'wrong-claims' }) : ok(claims);
    } catch (error) {
      if (error instanceof jwt.TokenExpiredError) return err({ kind: 'expired' });
      const isUnsigned = error instanceof Error && /signature/.test(error.message);
      return err({ kind: isUnsigned ? 'bad-signature' : 'wrong-claims' });
    }
  }
}

/** A header exactly as we write it: nothing that names another key, demands an extension or changes the meaning. */
function isOurs(header: object): header is { kid: string } {
  const { alg, typ, kid, ...rest } = header as Record<string, unknown>;
  return alg === ALGORITHM && typ === TYPE && typeof kid === 'string' && Object.keys(rest).length === 0;
}

/** The id follows from the secret alone, so that all nodes agree on it in whatever order they list their secrets. */
function signingKey(text: string): SigningKey {
  const bytes = Buffer.from(text);
  if (bytes.length < MIN_SECRET_BYTES)
    throw new Error(`A secret for access tokens must be at least ${MIN_SECRET_BYTES} bytes long.`);
  const id = createHmac('sha256', bytes).update('kid').digest('base64url').slice(0, 12);
  return { id, secret: createSecretKey(bytes) };
}

function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function seconds(instant: Instant): number {
  return Math.floor(instant / SECOND);
}
