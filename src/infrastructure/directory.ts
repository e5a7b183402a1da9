import { readFileSync } from 'node:fs';
import { CheckStreams } from '../application/check-streams.js';
import { ActivateAccountByHand, RemoveAccount } from '../application/accounts.js';
import { PinHighlight, RecomputeHighlights, UnpinHighlight } from '../application/highlights.js';
import { ImportStations } from '../application/import-stations.js';
import {
  AddOrganization,
  AddStream,
  IssueOrganizationToken,
  UpdateOrganization,
  UpdateStream,
} from '../application/organizations.js';
import type { AccountRepository } from '../application/ports/account-repository.js';
import type { BulkDirectory } from '../application/ports/bulk-directory.js';
import type { MailOutbox } from '../application/ports/mail-outbox.js';
import type { OrganizationRepository } from '../application/ports/organization-repository.js';
import type { StreamChecks } from '../application/ports/stream-checks.js';
import { HttpAudioProbe } from '../adapters/audio-probe/http-audio-probe.js';
import type { Config } from './config.js';
import { PORT, createContainer, nodeServices, useCases } from './container.js';
import { type Migrations, openStorage } from './storage.js';

/** Says who asks, so that whoever minds can tell us. */
const USER_AGENT = `radio-directory/${version()} (stream check)`;

/** What the command line works on: the directory without its server. */
export interface Directory {
  readonly accounts: AccountRepository;
  readonly organizations: OrganizationRepository;
  readonly addOrganization: AddOrganization;
  readonly updateOrganization: UpdateOrganization;
  readonly addStream: AddStream;
  readonly updateStream: UpdateStream;
  readonly activateAccountByHand: ActivateAccountByHand;
  readonly removeAccount: RemoveAccount;
  readonly recomputeHighlights: RecomputeHighlights;
  readonly pinHighlight: PinHighlight;
  readonly unpinHighlight: UnpinHighlight;
  readonly issueOrganizationToken: IssueOrganizationToken;
  readonly importStations: ImportStations;
  readonly bulk: BulkDirectory;
  readonly streamChecks: StreamChecks;
  readonly checkStreams: (options: ProbeOptions) => CheckStreams;
  readonly mailOutbox: MailOutbox;
  /** See {@link MailOutbox.retry}. */
  readonly retryMails: (which: Parameters<MailOutbox['retry']>[0]) => Promise<number>;
  readonly migrations: Migrations;
  close(): Promise<void>;
}

export interface ProbeOptions {
  readonly timeoutMilliseconds: number;
  readonly allowPrivate: boolean;
}

/** Also while a server runs on the same storage. The embedded database is brought up to date, unless told not to; a PostgreSQL server's schema is left as it is. */
export async function openDirectory(
  config: Config,
  { migrates = true }: { readonly migrates?: boolean } = {},
): Promise<Directory> {
  const storage = await openStorage(config, 'visitor');
  const container = createContainer(useCases, storage.module, nodeServices({ jwtSecrets: () => [] }));
  const close = async () => {
    await container.unbindAllAsync();
    await storage.close();
  };
  try {
    if (migrates && config.database.kind === 'embedded') await storage.migrations.up();
    const mailOutbox = container.get(PORT.mailOutbox);
    const clock = container.get(PORT.clock);
    const bulk = container.get(PORT.bulk);
    const streamChecks = container.get(PORT.streamChecks);
    return {
      accounts: container.get(PORT.accounts),
      organizations: container.get(PORT.organizations),
      addOrganization: container.get(AddOrganization),
      updateOrganization: container.get(UpdateOrganization),
      addStream: container.get(AddStream),
      updateStream: container.get(UpdateStream),
      activateAccountByHand: container.get(ActivateAccountByHand),
      removeAccount: container.get(RemoveAccount),
      recomputeHighlights: container.get(RecomputeHighlights),
      pinHighlight: container.get(PinHighlight),
      unpinHighlight: container.get(UnpinHighlight),
      issueOrganizationToken: container.get(IssueOrganizationToken),
      importStations: container.get(ImportStations),
      bulk,
      streamChecks,
      checkStreams: (options) =>
        new CheckStreams(
          bulk,
          streamChecks,
          new HttpAudioProbe({ ...options, userAgent: USER_AGENT }),
          clock,
        ),
      mailOutbox,
      retryMails: (which) => mailOutbox.retry(which, clock.now()),
      migrations: storage.migrations,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
