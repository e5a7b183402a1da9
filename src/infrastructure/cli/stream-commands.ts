import { type Command, Option } from 'commander';
import type {
  OrganizationNotFound,
  StoredStream,
  UnknownStream,
} from '../../application/ports/organization-repository.js';
import type { OrganizationId, StreamId } from '../../domain/ids.js';
import type { InvalidFields } from '../../domain/organization.js';
import { err, ok } from '../../domain/result.js';
import {
  type CommonOptions,
  type RemoveOptions,
  type Terminal,
  action,
  agreed,
  id,
  invalidFields,
  noOrganization,
  noStream,
  removal,
  repeated,
  toggled,
  yesOrNo,
} from './commands.js';
import { brokenStreams, checkCommand } from './check-command.js';
import { labelled, table } from './table.js';

interface AddOptions extends CommonOptions {
  readonly organization: OrganizationId;
  readonly name: string;
  readonly url: string;
  readonly tag?: readonly string[];
  readonly inactive?: boolean;
}

interface UpdateOptions extends CommonOptions {
  readonly name?: string;
  readonly url?: string;
  readonly tag?: readonly string[];
  /** False: none. */
  readonly tags: boolean;
  readonly organization?: OrganizationId;
  readonly active?: boolean;
  readonly inactive?: boolean;
}

/** `stream add|list|show|update|remove` */
export function streamCommands(program: Command, terminal: Terminal): void {
  const stream = program.command('stream').description('what can be listened to');

  action(
    stream,
    'add',
    'add a stream',
    "stream add --organization 1 --name 'Radio Example' --url https://radio.example/live.mp3 --tag jazz",
  )
    .requiredOption('--organization <id>', 'the number of the organization that runs it', id<OrganizationId>)
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--url <url>', 'where the audio is')
    .option('--tag <tag>', 'a genre, language or the like, as often as needed', repeated(String))
    .option('--inactive', 'switch it off')
    .action((options: AddOptions) =>
      terminal.run(options, async ({ addStream }) => {
        const added = await addStream.execute(options.organization, {
          name: options.name,
          url: options.url,
          tags: options.tag,
          isEnabled: !options.inactive,
        });
        if (!added.ok)
          return err(
            added.error.kind === 'invalid-fields'
              ? invalidFields(added.error)
              : noOrganization(options.organization),
          );
        const { id: number, uuid, name } = added.value;
        return ok({
          json: { id: number, uuid, name },
          text: `Added stream ${number}, ${name}. Songs are pushed to it under the UUID ${uuid}.\n`,
        });
      }),
    );

  action(stream, 'list', 'list all streams', 'stream list')
    .option('--broken', 'those that did not answer when they were last checked, and why')
    .action((options: CommonOptions & { readonly broken?: boolean }) =>
      terminal.run(options, async (directory) => {
        const { organizations } = directory;
        if (options.broken) return brokenStreams(directory, terminal);
        const all = await organizations.listStreams();
        const rows = all.map((one) => [
          `${one.id}`,
          one.uuid,
          one.name,
          `${one.organization}`,
          yesOrNo(one.isActive),
        ]);
        const text = table(['id', 'uuid', 'name', 'organization', 'active'], rows, terminal.columns);
        return ok({ json: all.map(streamJson), text: all.length > 0 ? text : 'There is no stream yet.\n' });
      }),
    );

  action(stream, 'show', 'show one stream', 'stream show 1')
    .argument('<id>', 'its number', id<StreamId>)
    .action((number: StreamId, options: CommonOptions) =>
      terminal.run(options, async ({ organizations }) => {
        const found = await organizations.findStream(number);
        if (!found) return err(noStream(number));
        return ok({ json: streamJson(found), text: streamText(found) });
      }),
    );

  action(
    stream,
    'update',
    'change what is given and leave the rest; it shows everywhere at once',
    'stream update 1 --url https://radio.example/new.mp3 --tag jazz --tag live',
  )
    .argument('<id>', 'its number', id<StreamId>)
    .option('--name <name>', 'what it is called')
    .option('--url <url>', 'where the audio is')
    .option('--tag <tag>', 'its tags from now on, as often as needed', repeated(String))
    .option('--no-tags', 'take all tags away')
    .option('--organization <id>', 'move it to this organization', id<OrganizationId>)
    .option('--active', 'switch it on')
    .addOption(new Option('--inactive', 'switch it off').conflicts('active'))
    .action((number: StreamId, options: UpdateOptions, command: Command) => {
      if (options.tag && !options.tags)
        return command.error("error: '--tag' and '--no-tags' exclude each other");
      const changes = {
        name: options.name,
        url: options.url,
        tags: options.tags ? options.tag : [],
        organization: options.organization,
        isEnabled: toggled(options.active, options.inactive),
      };
      if (Object.values(changes).every((change) => change === undefined))
        return command.error('error: nothing to change was given');
      return terminal.run(options, async ({ updateStream }) => {
        const updated = await updateStream.execute(number, changes);
        if (!updated.ok) return err(updateRefusal(updated.error, number, options.organization));
        return ok({
          json: streamJson(updated.value),
          text: `Updated stream ${number}, ${updated.value.name}.\n`,
        });
      });
    });

  removal(stream, 'a stream with its votes and plays', 'stream remove 1')
    .argument('<id>', 'its number', id<StreamId>)
    .action((number: StreamId, options: RemoveOptions) =>
      terminal.run(options, async ({ organizations }) => {
        const found = await organizations.findStream(number);
        if (!found) return err(noStream(number));
        const question = `Remove stream ${number}, ${found.name}, with all votes and plays?`;
        const yes = await agreed(terminal, options, question);
        if (!yes.ok) return yes;
        const removed = await organizations.removeStream(number);
        if (!removed.ok) return err(noStream(number));
        return ok({
          json: { id: number, name: found.name },
          text: `Removed stream ${number}, ${found.name}.\n`,
        });
      }),
    );

  checkCommand(stream, terminal);
}

function updateRefusal(
  error: InvalidFields | UnknownStream | OrganizationNotFound,
  stream: StreamId,
  organization: OrganizationId | undefined,
): string {
  switch (error.kind) {
    case 'invalid-fields':
      return invalidFields(error);
    case 'unknown-stream':
      return noStream(stream);
    case 'organization-not-found':
      // Without a move it was there a moment ago.
      return organization === undefined ? noStream(stream) : noOrganization(organization);
  }
}

function streamJson({ id, uuid, name, url, tags, organization, isEnabled, isActive }: StoredStream) {
  return { id, uuid, name, url, tags, organization, isEnabled, isActive };
}

function streamText(stream: StoredStream): string {
  return labelled([
    ['id', `${stream.id}`],
    ['uuid', stream.uuid],
    ['name', stream.name],
    ['url', stream.url],
    ['tags', stream.tags.join(', ') || 'none'],
    ['organization', `${stream.organization}`],
    ['enabled', yesOrNo(stream.isEnabled)],
    ['active', yesOrNo(stream.isActive)],
  ]);
}
