import { open, rename, rm } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { csvOf } from '../../adapters/station-lists/csv.js';
import { directoryJson } from '../../adapters/station-lists/directory-json.js';
import { m3uOf, plsOf } from '../../adapters/station-lists/playlist-text.js';
import type { BulkDirectory, StreamRecord } from '../../application/ports/bulk-directory.js';
import type { StoredOrganization } from '../../application/ports/organization-repository.js';
import type { OrganizationId } from '../../domain/ids.js';
import { err, ok } from '../../domain/result.js';
import { type CommonOptions, type Terminal, action, id, noOrganization } from './commands.js';

const EXPORT_FORMATS = ['json', 'm3u', 'pls', 'csv'] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

interface ExportOptions extends CommonOptions {
  readonly organization?: OrganizationId;
  readonly format?: ExportFormat;
}

/** `export [FILE]` */
export function exportCommand(program: Command, terminal: Terminal): void {
  action(
    program,
    'export',
    'write the directory to a file: all of it as JSON, its streams as CSV, its active streams as M3U or PLS',
    'export directory.json\n  $ radio-directory export --format m3u --organization 1 > radio.m3u',
  )
    .argument('[file]', 'where to; - or nothing: standard output', '-')
    .addOption(
      new Option('--format <format>', 'left out: by the ending of the file, else json').choices(
        EXPORT_FORMATS,
      ),
    )
    .option('--organization <id>', 'only this organization', id<OrganizationId>)
    .action(async (file: string, options: ExportOptions, command: Command) => {
      const format = options.format ?? formatOf(file);
      if (file === '-' && options.json && format !== 'json')
        command.error(`error: --json and --format ${format} cannot both be on standard output`, {
          exitCode: 2,
        });
      // The export itself is the one JSON value then.
      const printing = file === '-' ? { ...options, json: false } : options;
      await terminal.run(printing, async ({ bulk, organizations }) => {
        const { organization } = options;
        if (organization !== undefined && !(await organizations.find(organization)))
          return err(noOrganization(organization));
        const counts = { organizations: 0, streams: 0 };
        const text = FORMATS[format](
          counting(allOrganizations(bulk, organization), () => (counts.organizations += 1)),
          counting(allStreams(bulk, organization), () => (counts.streams += 1)),
        );
        if (file === '-') {
          await inPieces(text, (piece) => terminal.write(piece));
          return ok({ json: null, text: '' });
        }
        const problem = await written(file, text);
        if (problem !== null) return err(`${file} cannot be written: ${problem}.`);
        const { streams } = counts;
        return ok({ json: { file, format, streams }, text: `Wrote ${streams} streams to ${file}.\n` });
      });
    });
}

function formatOf(file: string): ExportFormat {
  const ending = /\.([a-z0-9]+)$/i.exec(file)?.[1]?.toLowerCase().replace('m3u8', 'm3u');
  return EXPORT_FORMATS.find((format) => format === ending) ?? 'json';
}

const FORMATS: Record<
  ExportFormat,
  (
    organizations: AsyncIterable<StoredOrganization>,
    streams: AsyncIterable<StreamRecord>,
  ) => AsyncIterable<string>
> = {
  json: directoryJson,
  m3u: (_, streams) => m3uOf(streams),
  pls: (_, streams) => plsOf(streams),
  csv: (_, streams) => csvOf(streams),
};

const PAGE = 500;

async function* allOrganizations(
  bulk: BulkDirectory,
  only?: OrganizationId,
): AsyncGenerator<StoredOrganization> {
  let page = await bulk.listOrganizations(0, PAGE, only);
  for (let last = page.at(-1); last; last = page.at(-1)) {
    yield* page;
    page = await bulk.listOrganizations(last.id, PAGE, only);
  }
}

async function* allStreams(bulk: BulkDirectory, only?: OrganizationId): AsyncGenerator<StreamRecord> {
  let page = await bulk.listStreams(0, PAGE, only);
  for (let last = page.at(-1); last; last = page.at(-1)) {
    yield* page;
    page = await bulk.listStreams(last.id, PAGE, only);
  }
}

async function* counting<T>(things: AsyncIterable<T>, count: () => void): AsyncGenerator<T> {
  for await (const thing of things) {
    count();
    yield thing;
  }
}

const PIECE_LENGTH = 65_536;

async function inPieces(
  text: AsyncIterable<string>,
  write: (piece: string) => Promise<unknown>,
): Promise<void> {
  let piece = '';
  for await (const part of text) {
    piece += part;
    if (piece.length < PIECE_LENGTH) continue;
    await write(piece);
    piece = '';
  }
  await write(piece);
}

/** Under another name until it is complete: a broken export never replaces a whole one. @returns why not, or null */
async function written(file: string, text: AsyncIterable<string>): Promise<string | null> {
  const unfinished = `${file}.unfinished`;
  try {
    const handle = await open(unfinished, 'w');
    try {
      await inPieces(text, (piece) => handle.writeFile(piece));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
    return null;
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof Error && 'syscall' in error) return error.message;
    throw error;
  }
}
