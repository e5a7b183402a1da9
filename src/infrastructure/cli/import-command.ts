import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { type Command, Option } from 'commander';
import type {
  ImportProgress,
  ImportSummary,
  SkippedRow,
  StationRow,
} from '../../application/import-stations.js';
import {
  HEAD_LENGTH,
  STATION_LIST_FORMATS,
  type StationListFormat,
  detectFormat,
  stationsIn,
} from '../../adapters/station-lists/detect.js';
import { peek } from '../../adapters/station-lists/text-chunks.js';
import type { OrganizationId } from '../../domain/ids.js';
import { type Result, err, ok } from '../../domain/result.js';
import { cut, oneLine } from '../../domain/text.js';
import { type CommonOptions, type Terminal, action, id, noOrganization } from './commands.js';

interface ImportOptions extends CommonOptions {
  readonly organization?: OrganizationId;
  readonly format: StationListFormat | 'auto';
}

/** So many skipped rows are told with their reasons, the rest only counted. */
const REASONS_SHOWN = 20;
const REASON_LENGTH = 200;

/** `import FILE` */
export function importCommand(program: Command, terminal: Terminal): void {
  action(
    program,
    'import',
    'add the stations of a list as streams, and their operators as organizations',
    'import stations.json',
  )
    .argument('<file>', 'a Radio Browser list (JSON), an M3U or a PLS playlist')
    .option('--organization <id>', 'put all streams into this organization', id<OrganizationId>)
    .addOption(
      new Option('--format <format>', 'what the file holds')
        .choices(['auto', ...STATION_LIST_FORMATS])
        .default('auto'),
    )
    .action(async (file: string, options: ImportOptions) => {
      const rows = await openList(file, options.format);
      if (!rows.ok) return terminal.refuse(rows.error);
      await terminal.run(options, async ({ importStations, organizations }) => {
        const { organization } = options;
        if (organization !== undefined && !(await organizations.find(organization)))
          return err(noOrganization(organization));
        const reasons: SkippedRow[] = [];
        const summary = await importStations.execute(rows.value, {
          organization,
          fallbackOrganizationName: basename(file, extname(file)),
          onSkipped: (skipped) => void (reasons.length < REASONS_SHOWN && reasons.push(skipped)),
          onProgress: (progress) => terminal.progress(progressLine(progress)),
        });
        terminal.progress('');
        return ok({ json: summary, text: summaryText(summary, reasons) });
      });
    });
}

async function openList(
  file: string,
  format: ImportOptions['format'],
): Promise<Result<AsyncIterable<StationRow>, string>> {
  try {
    if ((await stat(file)).isDirectory()) return err(`${file} is a folder, not a file.`);
    const { head, all } = await peek(createReadStream(file, 'utf8'), HEAD_LENGTH);
    const detected = format === 'auto' ? detectFormat(head, file) : ok(format);
    if (detected.ok) return ok(stationsIn(detected.value, all));
    return err(`${file} ${detected.error.reason}. Radio Browser lists (JSON), M3U and PLS can be imported.`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return err(`There is no file ${file}.`);
    if (code === 'EACCES') return err(`${file} may not be read.`);
    throw error;
  }
}

const BAR_WIDTH = 24;

function progressLine({ read, stored, total }: ImportProgress): string {
  if (total === null) return `Reading: ${read} rows`;
  const filled = Math.floor((stored / total) * BAR_WIDTH);
  return `Storing: [${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${stored} of ${total} streams`;
}

function summaryText(
  { added, updated, skipped, organizations }: ImportSummary,
  reasons: readonly SkippedRow[],
) {
  const counts =
    `Added ${counted(added, 'stream')} and ${counted(organizations, 'organization')}, ` +
    `updated ${counted(updated, 'stream')}, skipped ${counted(skipped, 'row')}.\n`;
  const lines = reasons.map(({ row, reason }) => `  row ${row}: ${cut(oneLine(reason), REASON_LENGTH)}\n`);
  const rest = skipped - reasons.length;
  return counts + lines.join('') + (rest > 0 ? `  and ${rest} more\n` : '');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
