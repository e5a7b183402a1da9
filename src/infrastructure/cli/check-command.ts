import { type Command, InvalidArgumentError } from 'commander';
import type { CheckedStream, CheckSummary } from '../../application/check-streams.js';
import type { StoredStream } from '../../application/ports/organization-repository.js';
import type { StreamId } from '../../domain/ids.js';
import { err, ok } from '../../domain/result.js';
import { type StreamCheck, isBroken } from '../../domain/stream-check.js';
import type { Directory } from '../directory.js';
import { type CommonOptions, type Outcome, type Terminal, action, id, repeated } from './commands.js';
import { progressText } from './progress-text.js';
import { table } from './table.js';

interface CheckOptions extends CommonOptions {
  readonly all?: boolean;
  readonly concurrency: number;
  readonly timeout: number;
  readonly allowPrivate?: boolean;
}

/** `stream check [ID…]` */
export function checkCommand(stream: Command, terminal: Terminal): void {
  action(
    stream,
    'check',
    'ask streams for audio, and remember which do not answer; stream list --broken lists those',
    'stream check 1 2\n  $ radio-directory stream check --all --concurrency 50',
  )
    .argument('[id...]', 'the numbers of the streams', repeated(id<StreamId>))
    .option('--all', 'every stream of the directory')
    .option(
      '--concurrency <n>',
      'addresses asked at once; on one host never more than 2',
      between(1, 500),
      20,
    )
    .option('--timeout <seconds>', 'how long an address may take', between(1, 300), 10)
    .option('--allow-private', 'also ask addresses of this machine and its network')
    .action((ids: readonly StreamId[], options: CheckOptions, command: Command) => {
      if (ids.length > 0 === (options.all === true))
        command.error('error: name the streams to check, or --all', { exitCode: 2 });
      return terminal.interruptible((interrupted) =>
        terminal.run(options, async (directory) => {
          const streams: StoredStream[] = [];
          for (const number of new Set(ids)) {
            const found = await directory.organizations.findStream(number);
            if (!found) return err(`There is no stream ${number}.`);
            streams.push(found);
          }
          return checked(directory, options.all ? 'all' : streams, options, terminal, interrupted);
        }),
      );
    });
}

async function checked(
  { checkStreams, organizations }: Directory,
  streams: readonly StoredStream[] | 'all',
  options: CheckOptions,
  terminal: Terminal,
  interrupted: AbortSignal,
): Promise<Outcome> {
  const total = streams === 'all' ? (await organizations.listStreams()).length : streams.length;
  const start = performance.now();
  const shown: CheckedStream[] = [];
  let count = 0;
  const summary = await checkStreams({
    timeoutMilliseconds: options.timeout * 1_000,
    allowPrivate: options.allowPrivate ?? false,
  }).execute(streams, {
    concurrency: options.concurrency,
    isStopped: () => interrupted.aborted,
    onChecked: (one) => {
      count += 1;
      if (streams !== 'all' || isBroken(one.check)) shown.push(one);
      const elapsedMilliseconds = performance.now() - start;
      terminal.progress(progressText({ done: count, total, count, noun: 'streams', elapsedMilliseconds }));
    },
  });
  terminal.progress('');
  if (interrupted.aborted) return err(`Interrupted. ${countsText(summary)}`);
  const results = shown.sort((one, other) => one.stream.id - other.stream.id);
  return ok({
    json: {
      ...summary,
      streams: results.map(({ stream, check }) => ({ ...named(stream), ...checkJson(check) })),
    },
    text: `${checksTable(results, terminal.columns)}${countsText(summary)}\n`,
  });
}

function countsText({ checked, answering, broken }: CheckSummary): string {
  return `Checked ${checked} streams: ${answering} answer, ${broken} do not.`;
}

/** `stream list --broken` */
export async function brokenStreams(
  { streamChecks, organizations }: Directory,
  { columns }: Terminal,
): Promise<Outcome> {
  const broken: CheckedStream[] = [];
  for (const [number, check] of await streamChecks.broken()) {
    const stream = await organizations.findStream(number);
    if (stream) broken.push({ stream, check });
  }
  return ok({
    json: broken.map(({ stream, check }) => ({ ...named(stream), ...checkJson(check) })),
    text: checksTable(broken, columns) || 'No stream was found broken when it was last checked.\n',
  });
}

function named({ id: number, name, url }: StoredStream) {
  return { id: number, name, url };
}

function checkJson({ outcome, detail, codec, bitrate, checkedAt, brokenSince }: StreamCheck) {
  return {
    outcome,
    detail,
    codec,
    bitrate,
    checkedAt: new Date(checkedAt).toISOString(),
    brokenSince: brokenSince === null ? null : new Date(brokenSince).toISOString(),
  };
}

function checksTable(results: readonly CheckedStream[], columns: number): string {
  if (results.length === 0) return '';
  const rows = results.map(({ stream, check }) => [
    `${stream.id}`,
    stream.name,
    check.outcome,
    check.outcome === 'audio' ? audioText(check) : check.detail,
    check.brokenSince === null ? '' : new Date(check.brokenSince).toISOString().slice(0, 16),
    stream.url,
  ]);
  return table(['id', 'name', 'outcome', 'detail', 'broken since', 'url'], rows, columns);
}

function audioText({ codec, bitrate }: StreamCheck): string {
  return [codec, bitrate === null ? null : `${bitrate} kbit/s`].filter((part) => part !== null).join(', ');
}

function between(lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (!(number >= lowest && number <= highest))
      throw new InvalidArgumentError(`It must be a whole number from ${lowest} to ${highest}.`);
    return number;
  };
}
