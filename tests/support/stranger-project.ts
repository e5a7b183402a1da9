import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment } from './running-service.js';

const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  devDependencies: Record<string, string>;
};
/** What somebody has who tests a program of their own in TypeScript; the versions that `npm ci` has fetched already. */
const TOOLS = ['@types/mocha', '@types/node', 'mocha', 'typescript'];

/** What npm must know on this machine to reach a registry, beside its `.npmrc`. */
export function npmEnvironment(): Record<string, string> {
  const reach = /^(npm_config_(registry|cache|cafile|.*proxy)|https?_proxy|no_proxy|node_extra_ca_certs)$/i;
  const entries = Object.entries(process.env).filter(([name]) => reach.test(name));
  return { ...cleanEnvironment(), ...(Object.fromEntries(entries) as Record<string, string>) };
}

export interface Finished {
  /** null: it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project of its own, with the packed package and the tools of its developer installed. */
export interface StrangerProject {
  readonly folder: string;
  /** Leaves a file in the project. */
  write(name: string, text: string): void;
  /** Runs a program there; kills what has not ended by itself after four minutes. */
  run(program: string, ...args: string[]): Promise<Finished>;
  remove(): void;
}

/** Needs `npm run build` before, and a registry or npm's cache. */
export async function strangerProject(): Promise<StrangerProject> {
  const folder = mkdtempSync(join(tmpdir(), 'radio-directory-stranger-'));
  const npm = (cwd: string, ...args: string[]) =>
    promisify(execFile)('npm', [...args, '--no-audit', '--no-fund'], { cwd, env: npmEnvironment() });
  const project: StrangerProject = {
    folder,
    write: (name, text) => writeFileSync(join(folder, name), text),
    run: (program, ...args) =>
      new Promise((resolve) => {
        const options = { cwd: folder, env: cleanEnvironment(), timeout: 240_000 };
        const child = execFile(program, args, options, (_error, stdout, stderr) =>
          resolve({ code: child.exitCode, stdout, stderr }),
        );
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  try {
    await npm('.', 'pack', '--ignore-scripts', '--pack-destination', folder);
    const tarballs = readdirSync(folder).map((name) => `./${name}`);
    project.write('package.json', JSON.stringify({ name: 'stranger', private: true, type: 'module' }));
    const tools = TOOLS.map((name) => `${name}@${devDependencies[name]}`);
    await npm(folder, 'install', '--prefer-offline', ...tarballs, ...tools);
    return project;
  } catch (error) {
    project.remove();
    throw error;
  }
}
