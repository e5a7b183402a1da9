import { readFileSync } from 'node:fs';
import { type Readable, Writable } from 'node:stream';
import { Command, CommanderError } from 'commander';
import { type CommonOptions, type Terminal, action } from './cli/commands.js';
import { doctorCommand } from './cli/doctor-command.js';
import { exportCommand } from './cli/export-command.js';
import { highlightCommands } from './cli/highlight-commands.js';
import { importCommand } from './cli/import-command.js';
import { mailCommands } from './cli/mail-commands.js';
import { migrateCommands } from './cli/migrate-commands.js';
import { organizationCommands } from './cli/organization-commands.js';
import { streamCommands } from './cli/stream-commands.js';
import { userCommands } from './cli/user-commands.js';
import { type Config, ConfigurationError, loadConfig } from './config.js';
import type { Directory } from './directory.js';
import type { Finding } from './doctor/finding.js';
import { onFirstSignal } from './signals.js';

/** Where a command runs: the process, or a test. */
export interface CommandLineEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  openDirectory(config: Config, opening?: { readonly migrates: boolean }): Promise<Directory>;
  serve(config: Config, announce?: (addresses: object) => void): Promise<void>;
  diagnose(variables: CommandLineEnvironment['variables']): Promise<readonly Finding[]>;
  readonly stdin: Readable;
  /** Calls the listener once when the process is told to stop; the answer takes it off again. */
  onInterrupt(listener: () => void): () => void;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Somebody is watching standard error: progress is shown there. */
  readonly isTerminal: boolean;
  /** Puts a question to the person at the terminal; null: there is none. */
  readonly ask: ((question: string) => Promise<string>) | null;
  /** Width of standard output; undefined where it is no terminal, and nothing is cut. */
  readonly columns: number | undefined;
}
export interface Output {
  write(text: string): unknown;
}

const EXIT = { done: 0, refused: 1, wrongUsage: 2, wrongConfiguration: 78 } as const;

/**
 * Runs one command and answers the exit code: 0 done, 1 refused, 2 wrong usage, 78 wrong configuration.
 * @param argv without the program's own name
 * @param environment what is left out is the process's own
 */
export async function runCommandLine(
  argv: readonly string[],
  environment: Partial<CommandLineEnvironment> = {},
): Promise<number> {
  const env: CommandLineEnvironment = { ...ofProcess(), ...environment };
  let exitCode: number = EXIT.done;
  const progress = new ProgressLine(env);
  const terminal: Terminal = {
    columns: env.columns ?? Infinity,
    ask: async (question) => (env.ask ? env.ask(question) : null),
    progress: (text) => progress.show(text),
    input: env.stdin,
    write: async (text) => {
      if (env.stdout instanceof Writable) await written(env.stdout, text);
      else env.stdout.write(text);
    },
    interruptible: async (work) => {
      const interruption = new AbortController();
      const stop = env.onInterrupt(() => interruption.abort());
      return work(interruption.signal).finally(stop);
    },
    examine: () => env.diagnose(env.variables),
    refuse: (sentence) => {
      env.stderr.write(`${sentence}\n`);
      exitCode = EXIT.refused;
    },
    run: async (options, work, opening) => {
      const directory = await env.openDirectory(loadConfig(env.variables), opening);
      const outcome = await work(directory).finally(() => directory.close());
      if (!outcome.ok) return terminal.refuse(outcome.error);
      env.stdout.write(options.json ? `${JSON.stringify(outcome.value.json)}\n` : outcome.value.text);
    },
  };
  try {
    await createProgram(env, terminal).parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    progress.show('');
    // Commander has printed the help, the version or what is wrong already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUsage;
    // Whoever read the output, such as `head`, has seen enough.
    if (isClosedPipe(error)) return EXIT.refused;
    if (error instanceof ConfigurationError) {
      env.stderr.write(`${error.message}\n`);
      return EXIT.wrongConfiguration;
    }
    env.stderr.write(`${explained(error)}\n`);
    return EXIT.refused;
  }
}

function createProgram(env: CommandLineEnvironment, terminal: Terminal): Command {
  const width = () => env.columns ?? 80;
  const program = new Command('radio-directory')
    .description('A directory of internet radio streams.')
    .version(version(), '--version', 'print the version')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => env.stdout.write(text),
      writeErr: (text) => env.stderr.write(text),
      getOutHelpWidth: width,
      getErrHelpWidth: width,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', '\nExample:\n  $ radio-directory serve');
  action(program, 'serve', 'run the server until it is told to stop', 'serve').action(
    ({ json }: CommonOptions) => {
      const announce = (addresses: object) => env.stdout.write(`${JSON.stringify(addresses)}\n`);
      return env.serve(loadConfig(env.variables), json ? announce : undefined);
    },
  );
  migrateCommands(program, terminal);
  organizationCommands(program, terminal);
  streamCommands(program, terminal);
  highlightCommands(program, terminal);
  userCommands(program, terminal);
  doctorCommand(program, terminal);
  importCommand(program, terminal);
  exportCommand(program, terminal);
  mailCommands(program, terminal);
  return program;
}

/** The adapters are loaded when a command needs them: help and wrong usage wait for no database driver. */
function ofProcess(): CommandLineEnvironment {
  return {
    variables: process.env,
    openDirectory: async (config, opening) => (await import('./directory.js')).openDirectory(config, opening),
    serve: async (config, announce) => (await import('./serve.js')).serve(config, announce),
    diagnose: async (variables) => (await import('./doctor/diagnose.js')).diagnose(variables),
    stdin: process.stdin,
    onInterrupt: onFirstSignal,
    stdout: process.stdout,
    stderr: process.stderr,
    isTerminal: process.stderr.isTTY,
    ask: process.stdin.isTTY && process.stderr.isTTY ? askAtTerminal : null,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  };
}

function written(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The callback has the error too; the event, unheard, would end the process at once.
    if (output.listenerCount('error') === 0) output.on('error', () => {});
    output.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

async function askAtTerminal(question: string): Promise<string> {
  return (await import('./cli/ask.js')).ask(question, process.stdin, process.stderr);
}

/** One line of standard error that is written over and over, at most ten times a second. */
class ProgressLine {
  #shownAt = 0;
  #isShown = false;

  constructor(private readonly env: CommandLineEnvironment) {}

  show(text: string): void {
    if (!this.env.isTerminal) return;
    const now = Date.now();
    if (text !== '' && now - this.#shownAt < 100) return;
    if (text === '' && !this.#isShown) return;
    this.env.stderr.write(`\r\u001b[K${text}`);
    this.#isShown = text !== '';
    this.#shownAt = now;
  }
}

/** Known by name: importing their classes would load the adapters for every command. */
const FORESEEN = [
  ...['Refused', 'Unavailable', 'DataDirectoryInUse', 'DataDirectoryUnusable', 'AddressUnusable'],
  ...['DatabaseUnusable', 'SchemaIsNewer'],
];

/** A sentence for what an operator can put right; for anything else what it takes to find the bug. */
function explained(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return FORESEEN.includes(error.name) ? error.message : (error.stack ?? error.message);
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
