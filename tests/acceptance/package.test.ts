import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { figure } from '../support/figures.js';
import { cleanEnvironment, startService } from '../support/running-service.js';
import { type StrangerProject, strangerProject } from '../support/stranger-project.js';

const EXPORTS = Object.keys(
  (JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, string> }).exports,
).map((path) => `radio-directory${path.slice(1)}`);
const EXAMPLES = readdirSync('docs/examples');

const compilerOptions = {
  strict: true,
  target: 'es2023',
  module: 'nodenext',
  types: ['node', 'mocha'],
  skipLibCheck: false,
  rootDir: '.',
  outDir: 'out',
};

interface Holdings {
  readonly resources: readonly string[];
  readonly listeners: readonly (readonly [event: string, count: number])[];
  readonly globals: readonly string[];
}
/** What this process holds, and what would keep it alive; needs nothing but Node. */
const HOLDINGS = `
const holdings = () => ({
  resources: process.getActiveResourcesInfo().filter((name) => !/^(Pipe|TTY)Wrap$/.test(name)).sort(),
  listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]).sort(),
  globals: Object.getOwnPropertyNames(globalThis).sort(),
});
/** What has been closed already takes a few turns of the event loop to disappear. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 100));
`;

describe('The package, installed in the project of a stranger', function () {
  this.timeout(300_000);
  let project: StrangerProject;
  before(async () => {
    project = await strangerProject();
    for (const name of EXAMPLES) project.write(name, readFileSync(join('docs/examples', name), 'utf8'));
  });
  after(() => project?.remove());

  const succeeds = async (...[program = '', ...args]: string[]): Promise<string> => {
    const { code, stdout, stderr } = await project.run(program, ...args);
    expect(code, stdout + stderr).to.equal(0);
    return stdout;
  };

  it('has declarations for strict TypeScript, as Node resolves them and as bundlers do', async () => {
    const uses = EXPORTS.map((name, index) => `export * as export${index} from '${name}';\n`);
    project.write('every-export.ts', uses.join(''));
    project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    await succeeds('node_modules/.bin/tsc', '-p', '.');
    // The same declarations: what they say in themselves is checked already.
    await succeeds(
      ...['node_modules/.bin/tsc', '-p', '.', '--noEmit', '--skipLibCheck'],
      ...['--module', 'esnext', '--moduleResolution', 'bundler'],
    );
  });

  it('runs the examples of the documentation', async () => {
    const mocha = ['--timeout', '60000', '--reporter', 'json', 'out/*.test.js'];
    const report = JSON.parse(await succeeds('node_modules/.bin/mocha', ...mocha)) as {
      passes: { fullTitle: string; duration: number }[];
    };
    expect(report.passes).to.have.length(EXAMPLES.filter((name) => name.endsWith('.test.ts')).length);
    for (const { fullTitle, duration } of report.passes) figure(`"${fullTitle}"`, { 'took ms': duration });
    // The example before it has loaded what it needs; it then takes a tenth of that.
    const inMemory = report.passes.find(({ fullTitle }) => fullTitle === 'serves the directory from memory');
    expect(inMemory?.duration).to.be.below(300);
  });

  it('starts no work, leaves no trace and reads no variable when any part of it is imported', async () => {
    project.write(
      'imports.mjs',
      `${HOLDINGS}
      const read = [];
      const note = (target, name) => {
        const reader = new Error().stack.split('\\n')[3] ?? '';
        if (reader.includes('/radio-directory/dist/')) read.push(String(name) + reader);
      };
      process.env = new Proxy(process.env, {
        get: (target, name) => (note(target, name), target[name]),
        has: (target, name) => (note(target, name), name in target),
        ownKeys: (target) => (note(target, 'all'), Reflect.ownKeys(target)),
      });
      await settled();
      const before = holdings();
      const began = performance.now();
      await import(process.argv[2]);
      const milliseconds = Math.round(performance.now() - began);
      await settled();
      console.log(JSON.stringify({ before, after: holdings(), read, milliseconds }));`,
    );
    const took: Record<string, number> = {};
    for (const name of EXPORTS) {
      // Node lets such a process write no file and start no other process or thread.
      const confined = ['--no-warnings', '--experimental-permission', '--allow-fs-read=*', '--allow-addons'];
      const output = await succeeds('node', ...confined, 'imports.mjs', name);
      const { before, after, read, milliseconds } = JSON.parse(output) as {
        before: Holdings;
        after: Holdings;
        read: string[];
        milliseconds: number;
      };
      expect(after, name).to.deep.equal(before);
      expect(read, name).to.deep.equal([]);
      took[name] = milliseconds;
    }
    figure('importing, in ms', took);
  });

  it('runs several directories in one process, and leaves nothing behind when they are closed', async () => {
    project.write(
      'several.mjs',
      `${HOLDINGS}
      import { mkdtempSync } from 'node:fs';
      import { createService, loadConfig } from 'radio-directory';
      const common = { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', SAMPLE_DATA: 'on' };
      await settled();
      const before = holdings();
      const kinds = [{ DATABASE_URL: 'memory:' }, { DATABASE_URL: 'memory:' }, {}, {}];
      const services = await Promise.all(
        kinds.map((kind) => createService(loadConfig({ ...common, DATA_DIR: mkdtempSync('data-'), ...kind }))),
      );
      const listed = [];
      for (const service of services) {
        const { port } = await service.listen();
        const response = await fetch('http://127.0.0.1:' + port + '/stream', { headers: { Connection: 'close' } });
        listed.push((await response.json()).length);
        await service.metrics();
      }
      await Promise.all(services.map((service) => service.close()));
      await settled();
      console.log(JSON.stringify({ before, after: holdings(), listed }));`,
    );
    const output = await succeeds('node', '--no-warnings', 'several.mjs');
    const { before, after, listed } = JSON.parse(output) as {
      before: Holdings;
      after: Holdings;
      listed: number[];
    };
    expect(listed).to.have.length(4);
    for (const streams of listed) expect(streams).to.be.above(24);
    expect(after).to.deep.equal(before);
  });

  it('has the program, which serves the sample stations from a new folder', async () => {
    expect(await succeeds('npx', 'radio-directory', '--help')).to.match(/^Usage: radio-directory/);
    const dataDir = mkdtempSync(join(project.folder, 'served-'));
    const service = await startService(
      dataDir,
      {},
      join(project.folder, 'node_modules/.bin/radio-directory'),
    );
    try {
      expect(await (await fetch(`${service.url}/stream`)).json()).to.have.length.above(24);
    } finally {
      expect(await service.end('SIGTERM')).to.equal(0);
    }
  });

  it('keeps its tests, sources and maps to itself', () => {
    const files = readdirSync(join(project.folder, 'node_modules/radio-directory'), {
      recursive: true,
      encoding: 'utf8',
    });
    expect(files).to.include.members(['README.md', '.env.example', 'dist/domain/vote.d.ts']);
    expect(files.filter((name) => /\.(map|test\.\w+)$|(?<!\.d)\.c?ts$/.test(name))).to.deep.equal([]);
  });
});

describe('The domain and the application', () => {
  it('load where nothing is installed, and from Node itself take nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'radio-directory-core-'));
    try {
      cpSync('package.json', join(folder, 'package.json'));
      for (const layer of ['domain', 'application'])
        cpSync(join('dist', layer), join(folder, layer), { recursive: true });
      // Every module must be named by a path that leads from one of them to another.
      const rule = `export const resolve = (specifier, context, next) => {
        if (!specifier.startsWith('.')) throw new Error(context.parentURL + ' imports ' + specifier);
        return next(specifier, context);
      };`;
      writeFileSync(
        join(folder, 'load.mjs'),
        `import { register } from 'node:module';
        register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(rule)}));
        const { castVote } = await import('./domain/index.js');
        const { CastVote } = await import('./application/index.js');
        console.log(castVote('none', 'up').outcome, CastVote.name);`,
      );
      const { stdout } = await promisify(execFile)(process.execPath, ['load.mjs'], {
        cwd: folder,
        env: cleanEnvironment(),
      });
      expect(stdout).to.equal('saved CastVote\n');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
