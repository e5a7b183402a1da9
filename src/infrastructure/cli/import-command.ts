import { basename, extname } from 'node:path';
import { type Command, Option } from 'commander';
import type { ImportSummary, SkippedRow } from '../../application/import-stations.js';
import { STATION_LIST_FORMATS, type StationListFormat } from '../../adapters/station-lists/detect.js';
import type { OrganizationId } from '../../domain/ids.js';
import { err, ok } from '../../domain/result.js';
import { cut, oneLine } from '../../domain/text.js';
import type { Directory } from '../directory.js';
import { type CommonOptions, type Outcome, type Terminal, action, id, noOrganization } from './commands.js';
import { progressText } from './progress-text.js';
import { SkipReport } from './skip-report.js';
import { type StationFile, openStationFile } from './station-file.js';

interface ImportOptions extends CommonOptions {
  readonly organization?: OrganizationId;
  readonly format: StationListFormat | 'auto';
  readonly report?: string;
}

/** So many skipped rows are told with their reasons, the rest only counted. */
const REASONS_SHOWN = 20;
const REASON_LENGTH = 200;

/** `import FILE` */
export function importCommand(program: Command, terminal: Terminal): void {
  action(
    program,
    'import',
    'add the stations of a list as streams, and their operators as organizations; again adds nothing twice',
    'import stations.json.gz --report skipped.csv\n  $ curl -s https://lists.example/rock.m3u | radio-directory import - --organization 1',
  )
    .argument(
      '<file>',
      'a Radio Browser list (JSON array or lines), an M3U, PLS or CSV list, or an export of a directory; gzipped or not; - for standard input',
    )
    .option('--organization <id>', 'put all streams into this organization', id<OrganizationId>)
    .addOption(
      new Option('--format <format>', 'what the file holds')
        .choices(['auto', ...STATION_LIST_FORMATS])
        .default('auto'),
    )
    .option(
      '--report <file>',
      'write down what was skipped and why: CSV if the name ends so, else JSON lines',
    )
    .action((name: string, options: ImportOptions) =>
      terminal.interruptible(async (interrupted) => {
        const file = await openStationFile(name, options.format, terminal.input);
        if (!file.ok) return terminal.refuse(file.error);
        interrupted.addEventListener('abort', () => file.value.stop());
        const report = options.report === undefined ? ok(null) : SkipReport.create(options.report);
        if (!report.ok) return terminal.refuse(report.error);
        await terminal
          .run(options, (directory) =>
            imported(directory, file.value, report.value, { name, options, terminal, interrupted }),
          )
          .finally(() => {
            file.value.stop();
            report.value?.close();
          });
      }),
    );
}

interface Invocation {
  readonly name: string;
  readonly options: ImportOptions;
  readonly terminal: Terminal;
  readonly interrupted: AbortSignal;
}

async function imported(
  { importStations, organizations }: Directory,
  file: StationFile,
  report: SkipReport | null,
  { name, options, terminal, interrupted }: Invocation,
): Promise<Outcome> {
  const { organization } = options;
  if (organization !== undefined && !(await organizations.find(organization)))
    return err(noOrganization(organization));
  const reasons: SkippedRow[] = [];
  const start = performance.now();
  const summary = await importStations.execute(file.rows, {
    organization,
    fallbackOrganizationName: name === '-' ? '' : nameWithoutEndings(name),
    onSkipped: (skipped) => {
      if (reasons.length < REASONS_SHOWN) reasons.push(skipped);
      report?.add(skipped);
    },
    onProgress: ({ rows }) =>
      terminal.progress(
        progressText({
          done: file.read.bytes,
          total: file.read.totalBytes,
          count: rows,
          noun: 'rows',
          elapsedMilliseconds: performance.now() - start,
        }),
      ),
  });
  terminal.progress('');
  const goesOn = 'The same command goes on from there, and adds nothing twice';
  if (interrupted.aborted) return err(`Interrupted. ${countsText(summary)} ${goesOn}.`);
  if (file.problem !== null) {
    const shownName = name === '-' ? 'Standard input' : name;
    return err(`${shownName} ${file.problem}. ${countsText(summary)} ${goesOn} once the file is whole.`);
  }
  return ok({ json: summary, text: summaryText(summary, reasons) });
}

/** `stations.ndjson.gz` is the list `stations`. */
function nameWithoutEndings(path: string): string {
  const name = basename(path).replace(/\.gz$/i, '');
  return basename(name, extname(name));
}

function summaryText(summary: ImportSummary, reasons: readonly SkippedRow[]): string {
  const lines = reasons.map(({ row, reason }) => `  row ${row}: ${cut(oneLine(reason), REASON_LENGTH)}\n`);
  const rest = summary.skipped - reasons.length;
  return `${countsText(summary)}\n${lines.join('')}${rest > 0 ? `  and ${rest} more\n` : ''}`;
}

function countsText({ added, updated, skipped, organizations }: ImportSummary): string {
  return (
    `Added ${counted(added, 'stream')} and ${counted(organizations, 'organization')}, ` +
    `updated ${counted(updated, 'stream')}, skipped ${counted(skipped, 'row')}.`
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
