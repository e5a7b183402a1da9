import { expect } from 'chai';
import fc from 'fast-check';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { JwtAccessTokens, MIN_SECRET_BYTES } from '../../src/adapters/node/jwt-access-tokens.js';
import { DAY, MAX_ID, SECOND, type UserId, later } from '../../src/domain/ids.js';
import { err, ok } from '../../src/domain/result.js';
import { aSession } from '../support/builders.js';
import { START } from '../support/manual-clock.js';

const SECRET = 'a secret of more than thirty-two bytes, the first one';
const OTHER_SECRET = 'a secret of more than thirty-two bytes, another one';
const ANNA = aSession({ user: 7 as UserId, credentialVersion: 3 });
const NOW = START;
const now = NOW / SECOND;

const tokens = new JwtAccessTokens([SECRET]);
const issued = tokens.issue(ANNA, NOW, later(NOW, DAY));
const [issuedHeader = '', issuedPayload = '', issuedSignature = ''] = issued.split('.');

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string) =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
const HEADER = decode(issuedHeader);
const CLAIMS = decode(issuedPayload);

/** A token whose signature is right, whatever it says. */
function signed(header: unknown, claims: unknown, { secret = SECRET, hash = 'sha256' } = {}): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`;
}
const withHeader = (changes: object) => signed({ ...HEADER, ...changes }, CLAIMS);
const withClaims = (changes: object) => signed(HEADER, { ...CLAIMS, ...changes });

describe('JwtAccessTokens', () => {
  it('gives back the session it was issued for', () => {
    expect(tokens.verify(issued, NOW)).to.deep.equal(ok(ANNA));
  });

  it('writes HS256, a key id and every claim, the user as a string', () => {
    expect(HEADER).to.have.all.keys('alg', 'typ', 'kid').and.include({ alg: 'HS256', typ: 'JWT' });
    expect(CLAIMS).to.deep.equal({
      sub: '7',
      ver: 3,
      iat: now,
      exp: now + DAY / SECOND,
      iss: 'radio-directory',
      aud: 'radio-directory',
    });
  });

  it('keeps the secret out of the key id', () => {
    expect(issued).not.to.contain(SECRET);
    expect(HEADER['kid']).to.match(/^[\w-]{12}$/);
  });

  it('holds until the millisecond it expires', () => {
    expect(tokens.verify(issued, later(NOW, DAY - 1))).to.deep.equal(ok(ANNA));
    for (const days of [1, 400])
      expect(tokens.verify(issued, later(NOW, days * DAY))).to.deep.equal(err({ kind: 'expired' }));
  });

  it('holds on a node whose clock is a few seconds behind', () => {
    expect(tokens.verify(issued, later(NOW, -5 * SECOND))).to.deep.equal(ok(ANNA));
  });

  it('accepts what the forgeries below are made from', () => {
    expect(signed(HEADER, CLAIMS)).to.equal(issued);
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsaPublicKey = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const unsigned = (alg: unknown) => `${encode({ ...HEADER, alg })}.${issuedPayload}.`;
  const rs256 = () => {
    const input = `${encode({ ...HEADER, alg: 'RS256' })}.${issuedPayload}`;
    return `${input}.${sign('sha256', Buffer.from(input), rsa.privateKey).toString('base64url')}`;
  };
  const without = (claim: string) =>
    signed(HEADER, Object.fromEntries(Object.entries(CLAIMS).filter(([name]) => name !== claim)));
  const kidOf = (secret: string) =>
    decode(new JwtAccessTokens([secret]).issue(ANNA, NOW, later(NOW, DAY)).split('.')[0] ?? '')['kid'];

  const FORGED: Record<string, string> = {
    'an empty text': '',
    'two dots': '..',
    'a word': 'anna',
    'one part too many': `${issued}.${issuedSignature}`,
    'a stripped signature': `${issuedHeader}.${issuedPayload}.`,
    'a missing signature': `${issuedHeader}.${issuedPayload}`,
    'half a signature': issued.slice(0, -20),
    'another signature': `${issuedHeader}.${issuedPayload}.${'A'.repeat(43)}`,
    'a padded signature': `${issued}=`,
    'white space around it': ` ${issued} `,
    'a line break at the end': `${issued}\n`,
    'U+0000 at the end': `${issued}\u0000`,
    'other claims under the signature': `${issuedHeader}.${encode({ ...CLAIMS, sub: '1' })}.${issuedSignature}`,
    'no claims': signed(HEADER, null),
    'claims that are a text': signed(HEADER, 'anna'),
    'claims that are a list': signed(HEADER, [CLAIMS]),
    ...Object.fromEntries(
      ['none', 'None', 'NONE', 'nOnE', 'none ', ' none', '', null, 0, false, [], ['none'], {}].map((alg) => [
        `unsigned, alg ${JSON.stringify(alg)}`,
        unsigned(alg),
      ]),
    ),
    ...Object.fromEntries(
      ['none', 'None', 'hs256', 'Hs256', 'HS256 ', null, ['HS256']].map((alg) => [
        `signed, alg ${JSON.stringify(alg)}`,
        withHeader({ alg }),
      ]),
    ),
    HS384: signed({ ...HEADER, alg: 'HS384' }, CLAIMS, { hash: 'sha384' }),
    HS512: signed({ ...HEADER, alg: 'HS512' }, CLAIMS, { hash: 'sha512' }),
    'HS512 under the name HS256': signed(HEADER, CLAIMS, { hash: 'sha512' }),
    RS256: rs256(),
    'HS256 with an RSA public key as the secret': signed(HEADER, CLAIMS, { secret: rsaPublicKey }),
    'the empty secret': signed(HEADER, CLAIMS, { secret: '' }),
    'another secret': signed(HEADER, CLAIMS, { secret: OTHER_SECRET }),
    'another secret and its key id': signed({ ...HEADER, kid: kidOf(OTHER_SECRET) }, CLAIMS, {
      secret: OTHER_SECRET,
    }),
    'the key id of another secret': withHeader({ kid: kidOf(OTHER_SECRET) }),
    'no key id': signed({ alg: 'HS256', typ: 'JWT' }, CLAIMS),
    'a key id that is a path': withHeader({ kid: '../../dev/null' }),
    'a key id that is a property': withHeader({ kid: '__proto__' }),
    'a key id that is a list': withHeader({ kid: [HEADER['kid']] }),
    'another type': withHeader({ typ: 'at+jwt' }),
    'the type in small letters': withHeader({ typ: 'jwt' }),
    'no type': signed({ alg: 'HS256', kid: HEADER['kid'] }, CLAIMS),
    jku: withHeader({ jku: 'https://attacker.example/keys' }),
    jwk: withHeader({ jwk: { kty: 'oct', k: 'AA' } }),
    x5u: withHeader({ x5u: 'https://attacker.example/certificate' }),
    crit: withHeader({ crit: ['exp'] }),
    'crit and the extension': withHeader({ crit: ['b64'], b64: false }),
    'no exp': without('exp'),
    'exp null': withClaims({ exp: null }),
    'exp as text': withClaims({ exp: String(now + 60) }),
    'exp with a fraction': withClaims({ exp: now + 60.5 }),
    'exp before all time': withClaims({ exp: -1 }),
    'exp beyond all numbers': withClaims({ exp: 1e300 }),
    expired: withClaims({ iat: now - 61, exp: now - 1 }),
    'exp now': withClaims({ exp: now }),
    'exp before iat': withClaims({ iat: now + 5, exp: now + 1 }),
    'no iat': without('iat'),
    'iat as text': withClaims({ iat: String(now) }),
    'iat in the future': withClaims({ iat: now + 60 }),
    'nbf in the future': withClaims({ nbf: now + 60 }),
    'nbf as text': withClaims({ nbf: 'later' }),
    'no iss': without('iss'),
    'another iss': withClaims({ iss: 'https://attacker.example' }),
    'iss as a list': withClaims({ iss: ['radio-directory'] }),
    'no aud': without('aud'),
    'another aud': withClaims({ aud: 'somebody-else' }),
    'aud as a list': withClaims({ aud: ['radio-directory', 'somebody-else'] }),
    'no sub': without('sub'),
    ...Object.fromEntries(
      [
        7,
        null,
        {},
        { $ne: null },
        ['7'],
        true,
        '',
        '0',
        '-1',
        '07',
        '7 ',
        '7.0',
        '1e1',
        'anna',
        `${MAX_ID}0`,
      ].map((sub) => [`sub ${JSON.stringify(sub)}`, withClaims({ sub })]),
    ),
    'no ver': without('ver'),
    ...Object.fromEntries(
      ['3', 0, -3, 3.5, null, [3], 1e300].map((ver) => [`ver ${JSON.stringify(ver)}`, withClaims({ ver })]),
    ),
  };
  for (const [forgery, token] of Object.entries(FORGED))
    it(`refuses ${forgery}`, () => {
      expect(tokens.verify(token, NOW).ok).to.equal(false);
    });

  for (const [reason, forgeries] of Object.entries({
    'not-ours': ['an empty text', 'a word', 'no key id', 'RS256', 'crit'],
    'bad-signature': [
      'a stripped signature',
      'another signature',
      'another secret',
      'other claims under the signature',
    ],
    expired: ['expired', 'exp now'],
    'wrong-claims': [
      'no exp',
      'iat in the future',
      'nbf in the future',
      'another iss',
      'no aud',
      'no sub',
      'no ver',
    ],
  }))
    it(`says of some that they are ${reason}`, () => {
      for (const forgery of forgeries)
        expect(tokens.verify(FORGED[forgery] ?? '', NOW), forgery).to.deep.equal(err({ kind: reason }));
    });

  it('refuses a token with any one character changed', () => {
    fc.assert(
      fc.property(fc.nat(issued.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, other) => {
        fc.pre(issued[at] !== other);
        expect(tokens.verify(issued.slice(0, at) + other + issued.slice(at + 1), NOW).ok).to.equal(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('refuses whatever text comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(tokens.verify(text, NOW).ok).to.equal(false);
      }),
    );
  });

  it('accepts none of the 401 signatures of Wycheproof', () => {
    const corpus = JSON.parse(
      readFileSync(new URL('../fixtures/jwt/json_web_signature_test.json', import.meta.url), 'utf8'),
    ) as { testGroups: { tests: { jws: string }[] }[] };
    const cases = corpus.testGroups.flatMap((group) => group.tests);
    expect(cases).to.have.length(401);
    const accepted = cases.filter(({ jws }) => tokens.verify(jws, NOW).ok);
    expect(accepted).to.deep.equal([]);
  });

  it('lets secrets be rotated: the first signs, all verify, a dropped one no longer does', () => {
    const before = new JwtAccessTokens([SECRET]);
    const during = new JwtAccessTokens([OTHER_SECRET, SECRET]);
    const after = new JwtAccessTokens([OTHER_SECRET]);

    const old = before.issue(ANNA, NOW, later(NOW, DAY));
    const fresh = during.issue(ANNA, NOW, later(NOW, DAY));

    expect(during.verify(old, NOW)).to.deep.equal(ok(ANNA));
    expect(during.verify(fresh, NOW)).to.deep.equal(ok(ANNA));
    expect(after.verify(fresh, NOW)).to.deep.equal(ok(ANNA));
    expect(after.verify(old, NOW)).to.deep.equal(err({ kind: 'not-ours' }));
    expect(before.verify(fresh, NOW)).to.deep.equal(err({ kind: 'not-ours' }));
  });

  it('verifies whatever the order in which a node lists the secrets', () => {
    const one = new JwtAccessTokens([SECRET, OTHER_SECRET]);
    const other = new JwtAccessTokens([OTHER_SECRET, SECRET]);
    expect(other.verify(one.issue(ANNA, NOW, later(NOW, DAY)), NOW)).to.deep.equal(ok(ANNA));
  });

  it('counts the length of a secret in bytes and refuses a short one without repeating it', () => {
    const short = 's'.repeat(MIN_SECRET_BYTES - 1);
    expect(() => new JwtAccessTokens([SECRET, short]))
      .to.throw('at least 32 bytes')
      .and.to.have.property('message')
      .that.does.not.contain(short);
    expect(() => new JwtAccessTokens([])).to.throw('at least one secret');
    expect(new JwtAccessTokens(['ß'.repeat(MIN_SECRET_BYTES / 2)])).to.be.instanceOf(JwtAccessTokens);
  });

  it('gives back every session that can exist', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: MAX_ID }),
        fc.integer({ min: 1, max: MAX_ID }),
        (user, version) => {
          const session = aSession({ user: user as UserId, credentialVersion: version });
          const at = later(NOW, 999);
          expect(tokens.verify(tokens.issue(session, at, later(at, DAY)), at)).to.deep.equal(ok(session));
        },
      ),
    );
  });
});
