import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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

  it('is the same for all that create it at one time', async () => {
    const module = JSON.stringify(new URL('../../src/infrastructure/jwt-secret-file.ts', import.meta.url));
    const data = Array.from({ length: 50 }, (_, number) => join(folder, `shared-${number}`));
    const program = `
      const { jwtSecretFrom } = await import(${module});
      console.log('ready');
      await new Promise((go) => process.stdin.once('data', go));
      console.log(${JSON.stringify(data)}.map(jwtSecretFrom).join());
      process.exit();`;
    const options = ['--import', 'tsx', '--input-type=module', '--eval', program];
    const processes = Array.from({ length: 4 }, () => spawn(process.execPath, options));
    const outputs = processes.map(({ stdout }) => text(stdout));
    await Promise.all(processes.map(({ stdout }) => once(stdout, 'data')));
    for (const { stdin } of processes) stdin.write('go');
    const secrets = (await Promise.all(outputs)).map((output) => output.split('\n')[1]);
    expect(new Set(secrets)).to.deep.equal(new Set([data.map(jwtSecretFrom).join()]));
    for (const each of data) expect(readdirSync(each)).to.deep.equal(['jwt-secret']);
  });

  it('differs between directories', () => {
    expect(jwtSecretFrom(join(folder, 'one'))).to.not.equal(jwtSecretFrom(join(folder, 'two')));
  });
});
