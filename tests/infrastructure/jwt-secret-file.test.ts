import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { jwtSecretFrom } from '../../src/infrastructure/jwt-secret-file.js';

describe('The signing secret in DATA_DIR', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secret-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is created once, long enough, readable by its owner only, with nothing left beside it', () => {
    const secret = jwtSecretFrom(join(folder, 'new'));
    expect(Buffer.byteLength(secret)).to.be.at.least(32);
    expect(jwtSecretFrom(join(folder, 'new'))).to.equal(secret);
    expect(readdirSync(join(folder, 'new'))).to.deep.equal(['jwt-secret']);
    expect(statSync(join(folder, 'new', 'jwt-secret')).mode & 0o777).to.equal(0o600);
    expect(readFileSync(join(folder, 'new', 'jwt-secret'), 'utf8').trim()).to.equal(secret);
  });

  it('differs between directories', () => {
    expect(jwtSecretFrom(join(folder, 'one'))).to.not.equal(jwtSecretFrom(join(folder, 'two')));
  });
});
