import type { Command } from 'commander';
import type { Finding } from '../doctor/finding.js';
import { type CommonOptions, type Terminal, action, counted } from './commands.js';

/** `doctor`: refused where something is wrong, after telling everything that it found. */
export function doctorCommand(program: Command, terminal: Terminal): void {
  action(
    program,
    'doctor',
    'look at the configuration and everything it names, and say what to do',
    'doctor',
  ).action(async (options: CommonOptions) => {
    const findings = await terminal.examine();
    const problems = findings.filter(({ state }) => state === 'problem').length;
    await terminal.write(
      options.json ? `${JSON.stringify({ ok: problems === 0, findings })}\n` : findingsText(findings),
    );
    if (problems > 0) terminal.refuse(`The doctor found ${counted(problems, 'problem')}.`);
  });
}

/** A line each. They are sentences to act upon, so none is cut. */
function findingsText(findings: readonly Finding[]): string {
  const width = (column: 'state' | 'check') => Math.max(...findings.map((finding) => finding[column].length));
  const [states, checks] = [width('state'), width('check')];
  return findings
    .map(({ state, check, message, advice }) =>
      [state.padEnd(states), check.padEnd(checks), [message, advice].filter(Boolean).join(' ')].join('  '),
    )
    .map((line) => `${line}\n`)
    .join('');
}
