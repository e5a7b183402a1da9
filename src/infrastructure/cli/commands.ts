import type { Readable } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import { type EmailAddress, parseEmailAddress } from '../../domain/credentials.js';
import { type Instant, parseId } from '../../domain/ids.js';
import type { InvalidFields } from '../../domain/organization.js';
import { type Result, err, ok } from '../../domain/result.js';
import type { Directory } from '../directory.js';
import type { Finding } from '../doctor/finding.js';

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
  /**
   * Opens the directory, does the work, closes the directory, and prints the outcome.
   * @param opening see `openDirectory`
   */
  run(
    options: CommonOptions,
    work: (directory: Directory) => Promise<Outcome>,
    opening?: { readonly migrates: boolean },
  ): Promise<void>;
  /** What the doctor finds. Needs neither a right configuration nor a directory. */
  examine(): Promise<readonly Finding[]>;
  /** For a command that is refused before it needs the directory. */
  refuse(sentence: string): void;
  /** Shows how far the work is, if somebody is watching; the next call replaces the text, `''` clears it. */
  progress(text: string): void;
  /** Standard input. */
  readonly input: Readable;
  /** Writes to standard output, and waits while its reader is slow. */
  write(text: string): Promise<void>;
  /** While `work` runs, Ctrl-C or SIGTERM aborts its signal instead of ending the process. A second one ends it. */
  interruptible<T>(work: (interrupted: AbortSignal) => Promise<T>): Promise<T>;
  /** What the person at the terminal answers; null: nobody is there to be asked. */
  ask(question: string): Promise<string | null>;
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

export interface RemoveOptions extends CommonOptions {
  readonly yes?: boolean;
}

/** `remove`: like {@link action}, for what cannot be taken back. */
export function removal(parent: Command, what: string, example: string): Command {
  return action(parent, 'remove', `remove ${what}; asks first`, example).option('-y, --yes', 'do not ask');
}

/** Asks whether to go on with a removal, unless `--yes` was given. */
export async function agreed(
  terminal: Terminal,
  { yes }: RemoveOptions,
  question: string,
): Promise<Result<undefined, string>> {
  if (yes) return ok();
  const answer = await terminal.ask(`${question} [y/N] `);
  if (answer === null) return err('Nothing was removed, as nobody can be asked here; repeat it with --yes.');
  return /^y(es)?$/i.test(answer.trim()) ? ok() : err('Nothing was removed.');
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

/** What a pair of options such as `--public` and `--private` says; undefined: neither was given. */
export function toggled(on: boolean | undefined, off: boolean | undefined): boolean | undefined {
  if (on) return true;
  return off ? false : undefined;
}

export function emailIn(text: string): Result<EmailAddress, string> {
  const email = parseEmailAddress(text.trim());
  return email.ok ? email : err(`'${text}' is no email address.`);
}

export function iso(instant: Instant): string {
  return new Date(instant).toISOString();
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function noStream(id: number): string {
  return `There is no stream ${id}.`;
}

export function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
