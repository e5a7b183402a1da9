import { type Command, InvalidArgumentError } from 'commander';
import { parseId } from '../../domain/ids.js';
import type { InvalidFields } from '../../domain/organization.js';
import type { Result } from '../../domain/result.js';
import type { Directory } from '../directory.js';

/** What a command says when it has done its work: the value for `--json`, and what a person reads instead. */
export interface Answer {
  readonly json: unknown;
  readonly text: string;
}

/** An answer, or the sentence that says why not. */
export type Outcome = Result<Answer, string>;

export interface CommonOptions {
  readonly json?: boolean;
}

/** What commands need of the place they run in. */
export interface Terminal {
  /** Opens the directory, does the work, closes the directory, and prints the outcome. */
  run(options: CommonOptions, work: (directory: Directory) => Promise<Outcome>): Promise<void>;
  /** For a command that is refused before it needs the directory. */
  refuse(sentence: string): void;
  /** Shows how far the work is, if somebody is watching; the next call replaces the text, `''` clears it. */
  progress(text: string): void;
  /** Width for tables; Infinity when nobody is watching. */
  readonly columns: number;
}

/** A command that does something (others only group them): takes `--json`, and its help shows an example. */
export function action(parent: Command, usage: string, description: string, example: string): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'print one JSON value and nothing else')
    .addHelpText('after', `\nExample:\n  $ radio-directory ${example}`);
}

/** For commander: an id as argument or option. Anything that cannot be one is wrong usage. */
export function id<Id extends number>(text: string): Id {
  const parsed = parseId(text);
  if (parsed === null) throw new InvalidArgumentError('It must be a positive whole number.');
  return parsed as Id;
}

/** For commander: an option that may be given several times. */
export function repeated<T>(
  parse: (text: string) => T,
): (text: string, before: readonly T[] | undefined) => T[] {
  return (text, before = []) => [...before, parse(text)];
}

export function invalidFields({ fields }: InvalidFields): string {
  return `${fields.map(({ field, rule }) => `The ${field} ${rule}.`).join(' ')}`;
}

export function noOrganization(id: number): string {
  return `There is no organization ${id}.`;
}

export function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
