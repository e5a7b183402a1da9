import type { Command } from 'commander';
import type { OrganizationId, OrganizationTokenId } from '../../domain/ids.js';
import { err, ok } from '../../domain/result.js';
import { type CommonOptions, type Terminal, action, id, invalidFields, noOrganization } from './commands.js';
import { table } from './table.js';

/** `organization token add|list|revoke` */
export function tokenCommands(organization: Command, terminal: Terminal): void {
  const token = organization
    .command('token')
    .description('API tokens that an organization pushes songs with');

  action(
    token,
    'add',
    'make a token; this is the only time it is shown',
    "organization token add 1 --label 'studio computer'",
  )
    .argument('<id>', 'the number of the organization', id<OrganizationId>)
    .option('--label <text>', 'what the token is for', '')
    .action((number: OrganizationId, options: CommonOptions & { readonly label: string }) =>
      terminal.run(options, async ({ issueOrganizationToken }) => {
        const issued = await issueOrganizationToken.execute(number, options.label);
        if (!issued.ok)
          return err(
            issued.error.kind === 'invalid-fields' ? invalidFields(issued.error) : noOrganization(number),
          );
        const { id: tokenId, token: text } = issued.value;
        return ok({
          json: { id: tokenId, token: text },
          text: `Added token ${tokenId} to organization ${number}. It is shown this once only:\n\n  ${text}\n\n`,
        });
      }),
    );

  action(token, 'list', 'list the tokens of an organization, not their texts', 'organization token list 1')
    .argument('<id>', 'the number of the organization', id<OrganizationId>)
    .action((number: OrganizationId, options: CommonOptions) =>
      terminal.run(options, async ({ organizations }) => {
        const found = await organizations.listTokens(number);
        if (!found.ok) return err(noOrganization(number));
        const tokens = found.value.map((one) => ({
          id: one.id,
          label: one.label,
          createdAt: new Date(one.createdAt).toISOString(),
        }));
        const rows = tokens.map((one) => [`${one.id}`, one.label, one.createdAt]);
        const text = table(['id', 'label', 'created'], rows, terminal.columns);
        return ok({ json: tokens, text: rows.length > 0 ? text : `Organization ${number} has no token.\n` });
      }),
    );

  action(token, 'revoke', 'end a token at once', 'organization token revoke 3')
    .argument('<token_id>', 'the number of the token', id<OrganizationTokenId>)
    .action((number: OrganizationTokenId, options: CommonOptions) =>
      terminal.run(options, async ({ organizations }) => {
        const revoked = await organizations.revokeToken(number);
        if (!revoked.ok) return err(`There is no token ${number}.`);
        return ok({ json: { id: number }, text: `Revoked token ${number}. It no longer works.\n` });
      }),
    );
}
