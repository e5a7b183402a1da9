import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type Copy, DockerfileParser } from 'dockerfile-ast';
import { npmEnvironment } from './stranger-project.js';

/** The user without rights, in the place of the image's own; null: whoever is not root stays who they are. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;

/** The last stage of a Dockerfile, as a folder instead of an image. */
export interface Stage {
  /** Where `/` of the image is. */
  readonly root: string;
  readonly workDir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly healthCheck: readonly string[];
  /** ENTRYPOINT and CMD. */
  readonly command: readonly string[];
}

/**
 * Does what a Dockerfile says without Docker: every stage is a folder, commands run in it on this machine. Knows the
 * instructions that ours uses. What it copies from the outside must be let through by name in `.dockerignore`.
 */
export async function dockerfileStages(): Promise<{ readonly last: Stage; remove(): void }> {
  const top = mkdtempSync(join(tmpdir(), 'radio-directory-image-'));
  chmodSync(top, 0o755);
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
  const roots = new Map<string, string>();
  let stage = { root: '', workDir: '', environment: {}, user: 'root', healthCheck: [''], command: [''] };
  const inside = (path: string) =>
    path.startsWith('/') ? join(stage.root, path) : join(stage.workDir, path);
  const copy = (paths: readonly string[], from: string | undefined) => {
    const target = paths.at(-1) ?? '';
    for (const path of paths.slice(0, -1)) {
      if (from === undefined && !ignored.includes(`!${path}`))
        throw new Error(`.dockerignore hides ${path}.`);
      const source = from === undefined ? path : join(roots.get(from) ?? '', path);
      const isFolder = target.endsWith('/');
      cpSync(source, isFolder ? join(inside(target), basename(path)) : inside(target), { recursive: true });
    }
  };
  const run = (shell: string) => {
    const owner = NOBODY === null ? '' : ` --owner=${NOBODY.uid} --group=${NOBODY.gid}`;
    const here = shell.replace(' --owner=node --group=node', owner).replaceAll(' /', ` ${stage.root}/`);
    return promisify(execFile)('sh', ['-ec', here], { cwd: stage.workDir, env: npmEnvironment() });
  };
  for (const instruction of DockerfileParser.parse(readFileSync('Dockerfile', 'utf8')).getInstructions()) {
    const text = instruction.getRawArgumentsContent() ?? '';
    const words = instruction.getArguments().map((word) => word.getValue());
    switch (instruction.getKeyword()) {
      case 'FROM': {
        const root = mkdtempSync(join(top, 'stage-'));
        chmodSync(root, 0o755);
        stage = { ...stage, root, workDir: root };
        roots.set(words[2] ?? '', root);
        break;
      }
      case 'WORKDIR':
        stage.workDir = inside(text);
        mkdirSync(stage.workDir, { recursive: true });
        break;
      case 'COPY':
        copy(words, (instruction as Copy).getFromFlag()?.getValue() ?? undefined);
        break;
      case 'RUN':
        await run(text);
        break;
      case 'ENV':
        stage.environment = Object.fromEntries(words.map((word) => word.split('=') as [string, string]));
        break;
      case 'USER':
        stage.user = text;
        break;
      case 'HEALTHCHECK':
        stage.healthCheck = JSON.parse(text.slice(text.indexOf('['))) as string[];
        break;
      case 'ENTRYPOINT':
        stage.command = JSON.parse(text) as string[];
        break;
      case 'CMD':
        stage.command = [...stage.command, ...(JSON.parse(text) as string[])];
        break;
      case 'EXPOSE':
      case 'VOLUME':
        break;
      default:
        throw new Error(`The Dockerfile has a new instruction: ${instruction.getKeyword()}.`);
    }
  }
  return { last: stage, remove: () => rmSync(top, { recursive: true, force: true }) };
}
