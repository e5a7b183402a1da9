import { type Command, InvalidArgumentError, Option } from 'commander';
import type {
  OrganizationNameTaken,
  StoredOrganization,
} from '../../application/ports/organization-repository.js';
import type { OrganizationId } from '../../domain/ids.js';
import { type InvalidFields, LINK_TYPES } from '../../domain/organization.js';
import { err, ok } from '../../domain/result.js';
import {
  type CommonOptions,
  type RemoveOptions,
  type Terminal,
  action,
  agreed,
  counted,
  id,
  invalidFields,
  noOrganization,
  removal,
  repeated,
  toggled,
  yesOrNo,
} from './commands.js';
import { memberCommands } from './member-commands.js';
import { labelled, table } from './table.js';
import { tokenCommands } from './token-commands.js';

interface AddOptions extends CommonOptions {
  readonly name: string;
  readonly description?: string;
  readonly image?: string;
  readonly thumbnail?: string;
  readonly link?: readonly { readonly type: string; readonly url: string }[];
  readonly private?: boolean;
  readonly inactive?: boolean;
}

interface UpdateOptions extends CommonOptions {
  readonly name?: string;
  readonly description?: string;
  readonly image?: string | false;
  readonly thumbnail?: string | false;
  readonly link?: AddOptions['link'];
  /** False: none. */
  readonly links: boolean;
  readonly public?: boolean;
  readonly private?: boolean;
  readonly active?: boolean;
  readonly inactive?: boolean;
}

/** `organization add|list|show|update|remove`, with its tokens and members. */
export function organizationCommands(program: Command, terminal: Terminal): void {
  const organization = program.command('organization').description('those who run the streams');

  action(
    organization,
    'add',
    'add an organization',
    "organization add --name 'Radio Example' --link website=https://radio.example",
  )
    .requiredOption('--name <name>', 'what it is called; no other has this name')
    .option('--description <text>', 'what it says of itself')
    .option('--image <url>', 'its logo')
    .option('--thumbnail <url>', 'a small logo')
    .option(
      '--link <type=url>',
      `a link, as often as needed; types: ${LINK_TYPES.join(', ')}`,
      repeated(link),
    )
    .option('--private', 'keep it and its streams out of all listings')
    .option('--inactive', 'switch it and its streams off')
    .action((options: AddOptions) =>
      terminal.run(options, async ({ addOrganization }) => {
        const added = await addOrganization.execute({
          name: options.name,
          description: options.description,
          image: options.image,
          thumbnail: options.thumbnail,
          links: options.link,
          isPublic: !options.private,
          isActive: !options.inactive,
        });
        if (!added.ok) return err(refusal(added.error, options.name));
        const { id: number, name } = added.value;
        return ok({ json: { id: number, name }, text: `Added organization ${number}, ${name}.\n` });
      }),
    );

  action(organization, 'list', 'list all organizations', 'organization list').action(
    (options: CommonOptions) =>
      terminal.run(options, async ({ organizations }) => {
        const all = await organizations.list();
        const rows = all.map((one) => [`${one.id}`, one.name, yesOrNo(one.isPublic), yesOrNo(one.isActive)]);
        const text = table(['id', 'name', 'public', 'active'], rows, terminal.columns);
        return ok({
          json: all.map(organizationJson),
          text: all.length > 0 ? text : 'There is no organization yet.\n',
        });
      }),
  );

  action(organization, 'show', 'show one organization', 'organization show 1')
    .argument('<id>', 'its number', id<OrganizationId>)
    .action((number: OrganizationId, options: CommonOptions) =>
      terminal.run(options, async ({ organizations }) => {
        const found = await organizations.find(number);
        if (!found) return err(noOrganization(number));
        return ok({ json: organizationJson(found), text: organizationText(found) });
      }),
    );

  action(
    organization,
    'update',
    'change what is given and leave the rest; it shows everywhere at once',
    "organization update 1 --name 'Radio Nova' --link website=https://nova.example",
  )
    .argument('<id>', 'its number', id<OrganizationId>)
    .option('--name <name>', 'what it is called; no other has this name')
    .option('--description <text>', 'what it says of itself')
    .option('--image <url>', 'its logo')
    .option('--no-image', 'take its logo away')
    .option('--thumbnail <url>', 'a small logo')
    .option('--no-thumbnail', 'take its small logo away')
    .option('--link <type=url>', 'its links from now on, as often as needed', repeated(link))
    .option('--no-links', 'take all links away')
    .option('--public', 'show it and its streams in the listings')
    .addOption(new Option('--private', 'keep it and its streams out of all listings').conflicts('public'))
    .option('--active', 'switch it and its streams on')
    .addOption(new Option('--inactive', 'switch it and its streams off').conflicts('active'))
    .action((number: OrganizationId, options: UpdateOptions, command: Command) => {
      if (options.link && !options.links)
        return command.error("error: '--link' and '--no-links' exclude each other");
      const changes = {
        name: options.name,
        description: options.description,
        image: options.image === false ? '' : options.image,
        thumbnail: options.thumbnail === false ? '' : options.thumbnail,
        links: options.links ? options.link : [],
        isPublic: toggled(options.public, options.private),
        isActive: toggled(options.active, options.inactive),
      };
      if (Object.values(changes).every((change) => change === undefined))
        return command.error('error: nothing to change was given');
      return terminal.run(options, async ({ updateOrganization }) => {
        const updated = await updateOrganization.execute(number, changes);
        if (!updated.ok)
          return err(
            updated.error.kind === 'organization-not-found'
              ? noOrganization(number)
              : refusal(updated.error, options.name ?? ''),
          );
        return ok({
          json: organizationJson(updated.value),
          text: `Updated organization ${number}, ${updated.value.name}.\n`,
        });
      });
    });

  removal(
    organization,
    'an organization with its streams, votes, plays, tokens and members',
    'organization remove 1',
  )
    .argument('<id>', 'its number', id<OrganizationId>)
    .action((number: OrganizationId, options: RemoveOptions) =>
      terminal.run(options, async ({ organizations }) => {
        const found = await organizations.find(number);
        if (!found) return err(noOrganization(number));
        const { length: streams } = await organizations.listStreams(number);
        const yes = await agreed(
          terminal,
          options,
          `Remove organization ${number}, ${found.name}, with ${counted(streams, 'stream')} and all votes and plays?`,
        );
        if (!yes.ok) return yes;
        const removed = await organizations.remove(number);
        if (!removed.ok) return err(noOrganization(number));
        return ok({
          json: { id: number, name: found.name, streams },
          text: `Removed organization ${number}, ${found.name}, with ${counted(streams, 'stream')}.\n`,
        });
      }),
    );

  tokenCommands(organization, terminal);
  memberCommands(organization, terminal);
}

function link(text: string): { type: string; url: string } {
  const equals = text.indexOf('=');
  if (equals < 1)
    throw new InvalidArgumentError('It must be TYPE=URL, such as website=https://radio.example.');
  return { type: text.slice(0, equals), url: text.slice(equals + 1) };
}

function refusal(error: InvalidFields | OrganizationNameTaken, name: string): string {
  switch (error.kind) {
    case 'invalid-fields':
      return invalidFields(error);
    case 'organization-name-taken':
      return `There is an organization called '${name.trim()}' already.`;
  }
}

function organizationJson(organization: StoredOrganization) {
  const { id, name, description, image, thumbnail, links, isPublic, isActive } = organization;
  return { id, name, description, image, thumbnail, links, isPublic, isActive };
}

function organizationText(organization: StoredOrganization): string {
  return labelled([
    ['id', `${organization.id}`],
    ['name', organization.name],
    ['description', organization.description],
    ['image', organization.image ?? 'none'],
    ['thumbnail', organization.thumbnail ?? 'none'],
    ...organization.links.map(({ type, url }) => [`link ${type}`, url] as const),
    ['public', yesOrNo(organization.isPublic)],
    ['active', yesOrNo(organization.isActive)],
  ]);
}
