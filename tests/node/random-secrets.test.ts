import { expect } from 'chai';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import { SystemClock } from '../../src/adapters/node/system-clock.js';
import { parseStreamUuid } from '../../src/domain/ids.js';

describe('RandomSecrets', () => {
  const secrets = new RandomSecrets();

  it('makes tokens of 32 bytes, base64url, and no two alike', () => {
    const made = Array.from({ length: 1_000 }, () => secrets.token());
    expect(new Set(made)).to.have.property('size', 1_000);
    for (const token of made) expect(token).to.match(/^[A-Za-z0-9_-]{43}$/);
  });

  it('hashes with SHA-256, base64url', () => {
    // FIPS 180-2, appendix B.1
    expect(Buffer.from(secrets.hash('abc'), 'base64url').toString('hex')).to.equal(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(secrets.hash('abc')).to.match(/^[A-Za-z0-9_-]{43}$/);
  });

  it('makes UUIDs of version 4 that can stand in a path, and no two alike', () => {
    const made = Array.from({ length: 1_000 }, () => secrets.uuid());
    expect(new Set(made)).to.have.property('size', 1_000);
    for (const uuid of made) {
      expect(uuid).to.match(/^.{14}4.{4}[89ab]/);
      expect(parseStreamUuid(uuid)).to.equal(uuid);
    }
  });
});

describe('SystemClock', () => {
  it('tells the milliseconds since 1970', () => {
    const before = Date.now();
    const now = new SystemClock().now();
    expect(now).to.be.within(before, Date.now());
  });
});
