import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Recomputed } from '../../application/highlights.js';
import { MONTHLY_HIGHLIGHTS, type MonthlyHighlight } from '../../domain/highlights.js';
import type { StreamId } from '../../domain/ids.js';
import { type Month, parseMonth } from '../../domain/month.js';
import { err, ok } from '../../domain/result.js';
import type { Directory } from '../directory.js';
import { type CommonOptions, type Terminal, action, id } from './commands.js';
import { table } from './table.js';

interface MonthOptions extends CommonOptions {
  readonly month?: Month;
}

const FLAGS = `${MONTHLY_HIGHLIGHTS.join(' or ')}`;

/** `highlights recompute|pin|unpin` */
export function highlightCommands(program: Command, terminal: Terminal): void {
  const highlights = program
    .command('highlights')
    .description('streams of the month, newcomers, popular and top-voted streams');

  action(
    highlights,
    'recompute',
    'compute the highlights from the votes now; the server does it every hour',
    'highlights recompute',
  ).action((options: CommonOptions) =>
    terminal.run(options, async (directory) => {
      const recomputed = await directory.recomputeHighlights.execute();
      const named = await withNames(directory, recomputed);
      const rows = named.map(({ flag, stream, name }) => [flag, `${stream}`, name]);
      const text = table(['flag', 'stream', 'name'], rows, terminal.columns);
      return ok({
        json: { month: recomputed.month, highlights: named },
        text: rows.length > 0 ? text : 'No stream has earned a highlight yet.\n',
      });
    }),
  );

  action(
    highlights,
    'pin',
    'decide who holds a monthly highlight, whatever the votes say',
    'highlights pin stream-of-the-month 7 --month 2027-01',
  )
    .argument('<flag>', FLAGS, flag)
    .argument('<stream_id>', 'the number of the stream', id<StreamId>)
    .addOption(monthOption())
    .action((highlight: MonthlyHighlight, stream: StreamId, options: MonthOptions) =>
      terminal.run(options, async ({ pinHighlight, organizations }) => {
        const pinned = await pinHighlight.execute(highlight, stream, options.month ?? null);
        if (!pinned.ok)
          return err(
            pinned.error.kind === 'unknown-stream'
              ? `There is no stream ${stream}.`
              : `The month ${options.month} is over.`,
          );
        const found = await organizations.findStream(stream);
        const idle = found?.isActive === false ? ' It holds the flag only while it is active.' : '';
        return ok({
          json: { flag: highlight, month: pinned.value, stream },
          text: `Stream ${stream} is ${highlight} in ${pinned.value}.${idle}\n`,
        });
      }),
    );

  action(
    highlights,
    'unpin',
    'leave a monthly highlight to the votes again',
    'highlights unpin stream-of-the-month --month 2027-01',
  )
    .argument('<flag>', FLAGS, flag)
    .argument('[stream_id]', 'unpin only if this stream is pinned', id<StreamId>)
    .addOption(monthOption())
    .action((highlight: MonthlyHighlight, stream: StreamId | undefined, options: MonthOptions) =>
      terminal.run(options, async ({ unpinHighlight }) => {
        const unpinned = await unpinHighlight.execute(highlight, options.month ?? null, stream ?? null);
        if (!unpinned.ok) {
          const who = stream === undefined ? 'No stream' : `Stream ${stream}`;
          const negation = stream === undefined ? 'is' : 'is not';
          return err(`${who} ${negation} pinned as ${highlight} for ${unpinned.error.month}.`);
        }
        const { month } = unpinned.value;
        return ok({
          json: { flag: highlight, month, stream: unpinned.value.stream },
          text: `Stream ${unpinned.value.stream} is no longer pinned as ${highlight} for ${month}.\n`,
        });
      }),
    );
}

function monthOption(): Option {
  return new Option(
    '--month <month>',
    'YYYY-MM in UTC, in which it is shown; left out: this month',
  ).argParser((text) => {
    const month = parseMonth(text);
    if (month === null) throw new InvalidArgumentError('It must be a month such as 2027-01.');
    return month;
  });
}

/** Also as the field of the interface is called: `isStreamOfTheMonth`. */
function flag(text: string): MonthlyHighlight {
  const letters = (name: string) => name.toLowerCase().replace(/^is|[^a-z]/g, '');
  const found = MONTHLY_HIGHLIGHTS.find((highlight) => letters(highlight) === letters(text));
  if (found === undefined) throw new InvalidArgumentError(`It must be ${FLAGS}.`);
  return found;
}

async function withNames({ organizations }: Directory, { highlights }: Recomputed) {
  return Promise.all(
    highlights.map(async ({ highlight, stream }) => ({
      flag: highlight,
      stream,
      name: (await organizations.findStream(stream))?.name ?? '',
    })),
  );
}
