import { ImportStations } from '../application/import-stations.js';
import { AddOrganization, AddStream, IssueOrganizationToken } from '../application/organizations.js';
import type { OrganizationRepository } from '../application/ports/organization-repository.js';
import type { Config } from './config.js';
import { PORT, createContainer, nodeServices, useCases } from './container.js';
import { type Migrations, openStorage } from './storage.js';

/** What the command line works on: the directory without its server. */
export interface Directory {
  readonly organizations: OrganizationRepository;
  readonly addOrganization: AddOrganization;
  readonly addStream: AddStream;
  readonly issueOrganizationToken: IssueOrganizationToken;
  readonly importStations: ImportStations;
  readonly migrations: Migrations;
  close(): Promise<void>;
}

/** Also while a server runs on the same storage. The embedded database is brought up to date; a PostgreSQL server's schema is left as it is. */
export async function openDirectory(config: Config): Promise<Directory> {
  const storage = await openStorage(config, 'visitor');
  const container = createContainer(useCases, storage.module, nodeServices({ jwtSecrets: () => [] }));
  const close = async () => {
    await container.unbindAllAsync();
    await storage.close();
  };
  try {
    if (config.database.kind === 'embedded') await storage.migrations.up();
    return {
      organizations: container.get(PORT.organizations),
      addOrganization: container.get(AddOrganization),
      addStream: container.get(AddStream),
      issueOrganizationToken: container.get(IssueOrganizationToken),
      importStations: container.get(ImportStations),
      migrations: storage.migrations,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
