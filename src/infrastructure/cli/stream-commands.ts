import type { Command } from 'commander';
import type { StoredStream } from '../../application/ports/organization-repository.js';
import type { OrganizationId, StreamId } from '../../domain/ids.js';
import { err, ok } from '../../domain/result.js';
import {
  type CommonOptions,
  type Terminal,
  action,
  id,
  invalidFields,
  noOrganization,
  repeated,
  yesOrNo,
} from './commands.js';
import { labelled, table } from './table.js';

interface AddOptions extends CommonOptions {
  readonly organization: OrganizationId;
  readonly name: string;
  readonly url: string;
  readonly tag?: readonly string[];
  readonly inactive?: boolean;
}

/** `stream add|list|show` */
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

  action(stream, 'list', 'list all streams', 'stream list').action((options: CommonOptions) =>
    terminal.run(options, async ({ organizations }) => {
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
        if (!found) return err(`There is no stream ${number}.`);
        return ok({ json: streamJson(found), text: streamText(found) });
      }),
    );
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
