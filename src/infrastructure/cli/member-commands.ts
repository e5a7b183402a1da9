import type { Command } from 'commander';
import type { OrganizationId } from '../../domain/ids.js';
import { err, ok } from '../../domain/result.js';
import { type CommonOptions, type Terminal, action, emailIn, id, noOrganization } from './commands.js';
import { table } from './table.js';

/** `organization member add|list|remove` */
export function memberCommands(organization: Command, terminal: Terminal): void {
  const member = organization
    .command('member')
    .description('users who see the streams of an organization as theirs');

  action(member, 'add', 'make a user a member', 'organization member add 1 anna@radio.example')
    .argument('<id>', 'the number of the organization', id<OrganizationId>)
    .argument('<email>', 'of an account that exists')
    .action((number: OrganizationId, rawEmail: string, options: CommonOptions) =>
      terminal.run(options, async ({ organizations }) => {
        const email = emailIn(rawEmail);
        if (!email.ok) return email;
        const added = await organizations.addMember(number, email.value);
        if (!added.ok)
          return err(
            added.error.kind === 'organization-not-found'
              ? noOrganization(number)
              : `There is no account with the email ${email.value}; register it first.`,
          );
        return ok({
          json: { organization: number, email: email.value },
          text: `${email.value} is a member of organization ${number} now.\n`,
        });
      }),
    );

  action(member, 'list', 'list the members of an organization', 'organization member list 1')
    .argument('<id>', 'the number of the organization', id<OrganizationId>)
    .action((number: OrganizationId, options: CommonOptions) =>
      terminal.run(options, async ({ organizations }) => {
        const found = await organizations.listMembers(number);
        if (!found.ok) return err(noOrganization(number));
        const members = found.value.map(({ email, username }) => ({ email, username }));
        const rows = members.map(({ email, username }) => [email, username]);
        const text = table(['email', 'username'], rows, terminal.columns);
        return ok({
          json: members,
          text: rows.length > 0 ? text : `Organization ${number} has no member.\n`,
        });
      }),
    );

  action(
    member,
    'remove',
    'end a membership; the account stays',
    'organization member remove 1 anna@radio.example',
  )
    .argument('<id>', 'the number of the organization', id<OrganizationId>)
    .argument('<email>', 'of the member')
    .action((number: OrganizationId, rawEmail: string, options: CommonOptions) =>
      terminal.run(options, async ({ organizations }) => {
        const email = emailIn(rawEmail);
        if (!email.ok) return email;
        const removed = await organizations.removeMember(number, email.value);
        if (!removed.ok) return err(`${email.value} is no member of organization ${number}.`);
        return ok({
          json: { organization: number, email: email.value },
          text: `${email.value} is no longer a member of organization ${number}.\n`,
        });
      }),
    );
}
