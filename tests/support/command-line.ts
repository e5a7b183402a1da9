import { Readable } from 'node:stream';
import { expect } from 'chai';
import { InMemoryAccountRepository } from '../../src/adapters/in-memory/in-memory-account-repository.js';
import { InMemoryBulkDirectory } from '../../src/adapters/in-memory/in-memory-bulk-directory.js';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryHighlightRepository } from '../../src/adapters/in-memory/in-memory-highlight-repository.js';
import { InMemoryMailOutbox } from '../../src/adapters/in-memory/in-memory-mail-outbox.js';
import { InMemoryOrganizationRepository } from '../../src/adapters/in-memory/in-memory-organization-repository.js';
import { InMemoryStreamChecks } from '../../src/adapters/in-memory/in-memory-stream-checks.js';
import { HttpAudioProbe } from '../../src/adapters/audio-probe/http-audio-probe.js';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import { CheckStreams } from '../../src/application/check-streams.js';
import { ActivateAccountByHand, RemoveAccount } from '../../src/application/accounts.js';
import { PinHighlight, RecomputeHighlights, UnpinHighlight } from '../../src/application/highlights.js';
import { ImportStations } from '../../src/application/import-stations.js';
import {
  AddOrganization,
  AddStream,
  IssueOrganizationToken,
  UpdateOrganization,
  UpdateStream,
} from '../../src/application/organizations.js';
import { type CommandLineEnvironment, runCommandLine } from '../../src/infrastructure/command-line.js';
import type { Directory } from '../../src/infrastructure/directory.js';
import { ManualClock } from './manual-clock.js';

/** A directory in memory, and a way to run commands on it as somebody would type them. */
export function aCommandLine() {
  const db = new InMemoryDatabase();
  const organizations = new InMemoryOrganizationRepository(db);
  const bulk = new InMemoryBulkDirectory(db);
  const streamChecks = new InMemoryStreamChecks(db);
  const clock = new ManualClock();
  const mailOutbox = new InMemoryMailOutbox(db);
  const secrets = new RandomSecrets();
  const accounts = new InMemoryAccountRepository(db);
  const highlights = new InMemoryHighlightRepository(db);
  const recomputeHighlights = new RecomputeHighlights(highlights, clock);
  const state = { opened: 0, closed: 0, pending: ['2_b', '3_c'], applied: ['1_a'] };
  const directory: Directory = {
    organizations,
    addOrganization: new AddOrganization(organizations, clock),
    accounts,
    updateOrganization: new UpdateOrganization(organizations),
    updateStream: new UpdateStream(organizations),
    activateAccountByHand: new ActivateAccountByHand(accounts, clock),
    removeAccount: new RemoveAccount(accounts, clock),
    recomputeHighlights,
    pinHighlight: new PinHighlight(highlights, recomputeHighlights, clock),
    unpinHighlight: new UnpinHighlight(highlights, recomputeHighlights, clock),
    addStream: new AddStream(organizations, secrets, clock),
    issueOrganizationToken: new IssueOrganizationToken(organizations, secrets, clock),
    importStations: new ImportStations(organizations, bulk, secrets, clock),
    bulk,
    streamChecks,
    checkStreams: (options) =>
      new CheckStreams(bulk, streamChecks, new HttpAudioProbe({ ...options, userAgent: 'test/1' }), clock),
    mailOutbox,
    retryMails: (which) => mailOutbox.retry(which, clock.now()),
    migrations: {
      up: async () => {
        const applied = state.pending.splice(0);
        state.applied.push(...applied);
        return applied;
      },
      down: async () => state.applied.splice(-1),
      status: async () => [
        ...state.applied.map((name) => ({ name, isApplied: true, isKnown: !name.startsWith('9') })),
        ...state.pending.map((name) => ({ name, isApplied: false, isKnown: true })),
      ],
    },
    close: async () => void (state.closed += 1),
  };
  const type = async (argv: readonly string[], overrides: Partial<CommandLineEnvironment> = {}) => {
    const printed = { stdout: '', stderr: '' };
    const code = await runCommandLine(argv, {
      variables: {},
      openDirectory: async () => {
        state.opened += 1;
        return directory;
      },
      serve: async () => {},
      diagnose: async () => [],
      stdout: { write: (text: string) => (printed.stdout += text) },
      stderr: { write: (text: string) => (printed.stderr += text) },
      stdin: Readable.from([]),
      onInterrupt: () => () => {},
      isTerminal: false,
      ask: null,
      columns: undefined,
      ...overrides,
    });
    return { code, ...printed };
  };
  return {
    db,
    accounts,
    mailOutbox,
    clock,
    state,
    type,
    /** With `--json`: fails unless the command does its work and prints one JSON value and nothing else. */
    async json(...argv: readonly string[]): Promise<unknown> {
      const { code, stdout, stderr } = await type([...argv, '--json']);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      expect(stdout).to.match(/^.+\n$/);
      return JSON.parse(stdout);
    },
    /** Fails unless the command is refused with one sentence on standard error. */
    async refusal(...argv: readonly string[]): Promise<string> {
      for (const args of [argv, [...argv, '--json']]) {
        const { code, stdout, stderr } = await type(args);
        expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
        expect(stderr).to.match(/^.+\.\n$/);
      }
      return (await type(argv)).stderr.trimEnd();
    },
  };
}
