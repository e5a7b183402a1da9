import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { blocksMarked, blocksOf } from '../support/documents.js';
import { PROGRAM, type RunningService, cleanEnvironment, startService } from '../support/running-service.js';

const run = promisify(execFile);

const blocks = blocksMarked('README.md', 'acceptance');

describe("The newcomer's first five minutes, as the README tells them", function () {
  this.timeout(120_000);
  let folder: string;
  let service: RunningService;
  /** What the blocks so far have set. */
  let shellSoFar = '';
  const pasted = new Set<string>();

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'five-minutes-'));
    mkdirSync(join(folder, 'data'));
    const npx = join(folder, 'npx');
    writeFileSync(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
    chmodSync(npx, 0o755);
    service = await startService(join(folder, 'data'));
  });

  after(async () => {
    await service?.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs one block in a shell that has run the ones before; gives what it printed, which must be what the block says. */
  const paste = async (name: string): Promise<string> => {
    const block = blocks.get(name);
    if (block === undefined) throw new Error(`The README has no block "${name}".`);
    pasted.add(name);
    const script = `exec 3>&1 >/dev/null\n. ./so-far 2>/dev/null || true\nexec >&3\n${block}\ndeclare -p > ./declared; declare -f >> ./declared`;
    const here = script.replaceAll('http://localhost:3000', service.url);
    writeFileSync(join(folder, 'so-far'), shellSoFar);
    const { stdout } = await run('bash', ['-c', here], {
      cwd: folder,
      env: { ...cleanEnvironment(), PATH: `${folder}:${process.env['PATH']}` },
    });
    shellSoFar = readFileSync(join(folder, 'declared'), 'utf8').replace(
      /^declare -[a-zA-Z]*[rAa][a-zA-Z]* .*$/gm,
      '',
    );
    for (const [, answer] of block.matchAll(/^# (\{[^…\n]*\})$/gm)) expect(stdout).to.include(answer);
    await pause(1_100); // as slow as anybody pastes: three requests a second are allowed
    return stdout;
  };

  it('list real streams at once, the first of them as the README shows it', async () => {
    const streams = JSON.parse(await paste('list')) as unknown[];
    expect(streams.length).to.be.at.least(24);
    const [shown] = blocksOf('README.md').filter(({ language }) => language === 'json');
    expect(streams.slice(0, 1)).to.deep.equal(JSON.parse(shown?.text ?? ''));
  });

  it('register, find the mail, and activate', async () => {
    await paste('register');
    expect(service.output()).to.match(/activation mail is in .*\.eml/);
  });

  it('log in and vote', async () => {
    await paste('vote');
  });

  it('create an organization, a stream and a token while the server runs', async () => {
    await paste('organization');
    expect(shellSoFar)
      .to.match(/ORG_TOKEN="?rdo_[\w-]{43}/)
      .and.match(/UUID="?[0-9a-f-]{36}/);
  });

  it('push songs and see them in the list and in the history', async () => {
    const printed = await paste('push');
    expect(printed).to.include('{"message":"Stream updated"}{"message":"Stream updated"}');
    expect(printed).to.match(/"name":"Anna at night".*"song":\{"title":"Naima","artist":"John Coltrane"/);
    expect(printed).to.match(
      /"current":\{"id":"[0-9a-f-]{36}","title":"Naima".*"next":\{"title":"Blue in Green".*"history":\[\{"id":\d+,"title":"So What"/,
    );
  });

  it('were pasted whole', () => {
    expect([...pasted]).to.have.members([...blocks.keys()]);
  });
});
