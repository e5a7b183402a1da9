import type { Command } from 'commander';
import { ok } from '../../domain/result.js';
import { type CommonOptions, type Terminal, action } from './commands.js';

/** The embedded directory is otherwise brought up to date by every command. */
const AS_IT_IS = { migrates: false };

/** `migrate up|down|status` */
export function migrateCommands(program: Command, terminal: Terminal): void {
  const migrate = program.command('migrate').description('the schema of the database');

  action(migrate, 'up', 'bring the schema up to date', 'migrate up').action((options: CommonOptions) =>
    terminal.run(
      options,
      async ({ migrations }) => {
        const applied = await migrations.up();
        const newer = (await migrations.status()).filter(({ isKnown }) => !isKnown).map(({ name }) => name);
        const none =
          newer.length === 0
            ? 'The schema was up to date.'
            : `Nothing to apply: a newer version has changed the schema (${newer.join(', ')}).`;
        return ok({ json: { applied }, text: listed('Applied', applied, none) });
      },
      AS_IT_IS,
    ),
  );

  action(
    migrate,
    'down',
    'take the newest migration back, with the data that only it can hold',
    'migrate down',
  ).action((options: CommonOptions) =>
    terminal.run(
      options,
      async ({ migrations }) => {
        const reverted = await migrations.down();
        return ok({
          json: { reverted },
          text: listed('Took back', reverted, 'There was nothing to take back.'),
        });
      },
      AS_IT_IS,
    ),
  );

  action(migrate, 'status', 'show which migrations are applied', 'migrate status').action(
    (options: CommonOptions) =>
      terminal.run(
        options,
        async ({ migrations }) => {
          const all = await migrations.status();
          const named = (isApplied: boolean) =>
            all.filter((migration) => migration.isApplied === isApplied).map(({ name }) => name);
          const applied = named(true);
          const pending = named(false);
          const text =
            listed('Applied', applied, 'No migration is applied.') +
            listed('Pending', pending, 'None is pending.');
          return ok({ json: { applied, pending }, text });
        },
        AS_IT_IS,
      ),
  );
}

function listed(label: string, names: readonly string[], none: string): string {
  return names.length === 0 ? `${none}\n` : names.map((name) => `${label}: ${name}\n`).join('');
}
