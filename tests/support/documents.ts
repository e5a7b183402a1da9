import { existsSync, readFileSync, readdirSync } from 'node:fs';

/** What people read to use this, run it and change it. */
export const DOCUMENTS: readonly string[] = [
  ...['README.md', 'CONTRIBUTING.md'].filter((name) => existsSync(name)),
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** A fenced block of a document. */
export interface Block {
  readonly document: string;
  /** Of its first fence, from 1. */
  readonly line: number;
  /** Empty if it names none. */
  readonly language: string;
  readonly text: string;
  /** What the comment above it says is done with it: `<!-- kind: name -->`. Readers do not see it. */
  readonly mark: { readonly kind: string; readonly name: string } | null;
}

export function blocksOf(document: string): readonly Block[] {
  const page = readFileSync(document, 'utf8');
  const fenced = /(?:<!-- ([^:>]+): ([^>]+) -->\n\n)?^ *```(\w*)\n([^]*?)^ *```$/gm;
  return [...page.matchAll(fenced)].map((match) => {
    const [all, kind, name, language = '', text = ''] = match;
    const before = page.slice(0, match.index + all.indexOf('```'));
    const mark = kind === undefined || name === undefined ? null : { kind, name };
    return { document, line: before.split('\n').length, language, text, mark };
  });
}

/** The blocks whose mark is of this kind, by its name. */
export function blocksMarked(document: string, kind: string): ReadonlyMap<string, string> {
  const marked = blocksOf(document).filter(({ mark }) => mark?.kind === kind);
  return new Map(marked.map(({ mark, text }) => [mark?.name ?? '', text]));
}
