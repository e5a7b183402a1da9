import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { parse as parseYaml } from 'yaml';
import { VARIABLE_NAMES } from '../../src/infrastructure/config.js';
import { aCommandLine } from '../support/command-line.js';
import { type Block, DOCUMENTS, blocksMarked, blocksOf } from '../support/documents.js';

/** What runs the blocks of a mark, and fails if it has left one out. */
const RUN_BY: Readonly<Record<string, string>> = {
  acceptance: 'tests/acceptance/first-five-minutes.test.ts',
  gate: '.ci/run',
};
/** This one runs every command of its page, and compares each answer. */
const RUN_WHOLE: Readonly<Record<string, string>> = { 'docs/senders.md': 'tests/http/senders-page.test.ts' };

/** Why else a block may stand there; to be said in its mark: `<!-- not run: … -->`. */
const REASONS = ['shows the tree', 'needs Docker'];

const page = (document: string) => readFileSync(document, 'utf8');

describe('The documents', () => {
  for (const document of DOCUMENTS)
    describe(document, () => {
      const problemOf = ({ language, mark, text }: Block): string | null => {
        if (language === 'json') return reads(text, JSON.parse) ? null : 'is no JSON';
        if (language === 'yaml') return reads(text, parseYaml) ? null : 'is no YAML';
        if (language === 'sh' && RUN_WHOLE[document] !== undefined) return null;
        if (mark === null) return 'is neither run nor says why not: put a mark above it';
        if (mark.kind === 'not run') return REASONS.includes(mark.name) ? null : `${mark.name} is no reason`;
        if (mark.kind === 'example')
          return existsSync(mark.name) && page(mark.name) === text ? null : `differs from ${mark.name}`;
        return RUN_BY[mark.kind] === undefined ? `nothing runs what is marked "${mark.kind}"` : null;
      };

      it('has no code that is not tested, unless it says why', () => {
        const wrong = blocksOf(document).flatMap((block) => {
          const problem = problemOf(block);
          return problem === null ? [] : [`${document}:${block.line} ${problem}`];
        });
        expect(wrong).to.deep.equal([]);
      });

      it('links to what exists', () => {
        const links = [...page(document).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(
          ([, link = '']) => link,
        );
        const broken = links.filter((link) => {
          const [path = '', heading] = link.split('#');
          const target = path === '' ? document : join(dirname(document), path);
          if (!existsSync(target)) return true;
          return heading !== undefined && !headingsOf(page(target)).includes(heading);
        });
        expect(broken).to.deep.equal([]);
      });

      it('names files and scripts that exist', () => {
        const text = page(document);
        const paths = text.matchAll(/(?<![\w/.-])(?:src|tests|docs|bench|scripts|\.ci)\/[\w./-]*[\w/]/g);
        expect([...paths].map(([path]) => path).filter((path) => !existsSync(path))).to.deep.equal([]);
        const { scripts } = JSON.parse(page('package.json')) as { scripts: Record<string, string> };
        const named = [...text.matchAll(/\bnpm (?:run (\S+?)|(test|start))(?![\w:-])/g)];
        const unknown = named
          .map(([, name, short]) => name ?? short ?? '')
          .filter((name) => !(name in scripts));
        expect(unknown).to.deep.equal([]);
      });
    });

  it('begin with commands that the gate runs', () => {
    const gate = page('.ci/run') + page('.ci/smoke');
    for (const document of DOCUMENTS)
      for (const commands of blocksMarked(document, 'gate').values())
        for (const command of commands.trim().split('\n'))
          expect(gate).to.match(new RegExp(`\\b${command}\\b`));
  });

  it('name folders in which mocha finds tests', () => {
    const { extension } = JSON.parse(page('.mocharc.json')) as { extension: string[] };
    const commands = DOCUMENTS.flatMap((document) => [...page(document).matchAll(/`npx mocha ([^`]+)`/g)]);
    const named = commands.flatMap(([, targets = '']) => targets.split(' '));
    const folders = named.filter((target) => statSync(target).isDirectory());
    expect(folders).to.not.be.empty;
    const isTest = (file: string) => extension.some((ending) => file.endsWith(`.${ending}`));
    expect(folders.filter((folder) => !readdirSync(folder).some(isTest))).to.deep.equal([]);
  });

  it('and the tests that they rely on exist', () => {
    for (const test of [...Object.values(RUN_BY), ...Object.values(RUN_WHOLE)])
      expect(existsSync(test), test).to.equal(true);
  });
});

describe('CONTRIBUTING.md', () => {
  const sections = page('CONTRIBUTING.md').split('\n## ').slice(1);
  const shown = sections.flatMap((section) => {
    const commits = [...section.matchAll(/`([0-9a-f]{7})`/g)].map(([, hash = '']) => hash);
    const list = [...section.matchAll(/^- .*(?:\n {2}.*)*/gm)]
      .map(([item]) => item.split(': ')[0] ?? '')
      .join();
    const [heading = ''] = section.split('\n');
    return commits.length === 0 ? [] : [{ heading, commits, files: quoted(list) }];
  });

  it('shows an endpoint, an adapter, a sender and a migration on commits of this repository', () => {
    expect(shown.map(({ heading }) => heading)).to.deep.equal([
      'An endpoint',
      'An adapter',
      'A sender',
      'A migration',
    ]);
  });

  for (const { heading, commits, files } of shown)
    it(`lists files that its commits changed: ${heading}`, () => {
      expect(files.length).to.be.above(2);
      expect(files.filter((file) => !existsSync(file))).to.deep.equal([]);
      if (!hasHistory())
        return console.log('      (this copy has no history: only looked whether the files exist)');
      for (const commit of commits) git('merge-base', '--is-ancestor', commit, 'HEAD');
      const changed = commits.flatMap((commit) =>
        git('show', '--format=', '--name-only', commit).split('\n'),
      );
      expect(files.filter((file) => !changed.includes(file))).to.deep.equal([]);
    });
});

describe('The tables of the README', () => {
  it('list the variables that there are, and so does .env.example', () => {
    const inTable = firstCells('Configuration').flatMap((cell) => quoted(cell));
    expect(inTable).to.have.members([...VARIABLE_NAMES]);
    const inExample = [...page('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(inExample).to.have.members([...VARIABLE_NAMES]);
  });

  it('list the commands that there are', async () => {
    // `organization token add`, `list` is short for `organization token list`.
    const inTable = firstCells('Command line').flatMap((cell) => {
      let group = '';
      return quoted(cell).map((command) => {
        const name = command.replace(/ [A-Z]+$/, '');
        if (name.includes(' ')) group = name.slice(0, name.lastIndexOf(' ') + 1);
        return name.includes(' ') ? name : group + name;
      });
    });
    expect(inTable).to.have.members(await commandsBelow([]));
  });
});

/** Neither in a shallow clone nor where git refuses to look. */
function hasHistory(): boolean {
  try {
    return git('rev-parse', '--is-shallow-repository') === 'false';
  } catch {
    return false;
  }
}

/** What git prints; throws where it refuses. */
function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

/** The first column of the table below a heading of the README, without its head. */
function firstCells(heading: string): string[] {
  const section = page('README.md').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| (`.*?) *\|/gm)].map(([, cell = '']) => cell);
}

function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, inner = '']) => inner);
}

/** What the help lists, and the help of each group of commands in it. */
async function commandsBelow(group: readonly string[]): Promise<string[]> {
  const { stdout } = await aCommandLine().type([...group, '--help']);
  const [, list = ''] = stdout.split('\nCommands:\n');
  const commands = [...list.matchAll(/^ {2}([a-z]+)( \[options\])?/gm)].filter(([, name]) => name !== 'help');
  const found: string[] = [];
  for (const [, name = '', options] of commands) {
    if (options === undefined) found.push(...(await commandsBelow([...group, name])));
    else found.push([...group, name].join(' '));
  }
  return found;
}

/** As the anchors that GitHub gives them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

function reads(text: string, parse: (text: string) => unknown): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}
