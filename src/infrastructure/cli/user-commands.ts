import type { Command } from 'commander';
import type { ListedAccount } from '../../application/ports/account-repository.js';
import type { StoredOrganization } from '../../application/ports/organization-repository.js';
import type { EmailAddress } from '../../domain/credentials.js';
import { err, ok } from '../../domain/result.js';
import {
  type CommonOptions,
  type Outcome,
  type RemoveOptions,
  type Terminal,
  action,
  agreed,
  counted,
  emailIn,
  iso,
  removal,
} from './commands.js';
import { labelled, table } from './table.js';

const STATES = { activated: 'activated', 'awaiting-activation': 'awaiting activation' } as const;

/** `user list|show|activate|remove` */
export function userCommands(program: Command, terminal: Terminal): void {
  const user = program.command('user').description('accounts of those who vote and run organizations');

  action(user, 'list', 'list all accounts', 'user list').action((options: CommonOptions) =>
    terminal.run(options, async ({ accounts }) => {
      const all = await accounts.list();
      const rows = all.map((one) => [
        `${one.id}`,
        one.email,
        one.username,
        STATES[one.state],
        iso(one.registeredAt),
      ]);
      const text = table(['id', 'email', 'username', 'state', 'registered'], rows, terminal.columns);
      return ok({ json: all.map(accountJson), text: all.length > 0 ? text : 'There is no account yet.\n' });
    }),
  );

  action(user, 'show', 'show one account and its organizations', 'user show anna@radio.example')
    .argument('<email>', 'of the account')
    .action((rawEmail: string, options: CommonOptions) =>
      terminal.run(options, async ({ accounts, organizations }) => {
        const email = emailIn(rawEmail);
        if (!email.ok) return email;
        const found = await accounts.find({ email: email.value });
        if (!found) return noAccount(email.value);
        const account = { ...found, activatedAt: found.state === 'activated' ? found.activatedAt : null };
        const own = await organizations.listOfMember(found.id);
        return ok({
          json: { ...accountJson(account), organizations: own.map(({ id, name }) => ({ id, name })) },
          text: accountText(account, own),
        });
      }),
    );

  action(
    user,
    'activate',
    'activate an account whose mail does not arrive',
    'user activate anna@radio.example',
  )
    .argument('<email>', 'of the account')
    .action((rawEmail: string, options: CommonOptions) =>
      terminal.run(options, async ({ activateAccountByHand }) => {
        const email = emailIn(rawEmail);
        if (!email.ok) return email;
        const activated = await activateAccountByHand.execute(email.value);
        if (!activated.ok)
          return activated.error.kind === 'account-not-found'
            ? noAccount(email.value)
            : err(`${email.value} is activated already.`);
        return ok({
          json: { id: activated.value, email: email.value },
          text: `${email.value} is activated and can log in now.\n`,
        });
      }),
    );

  removal(user, 'an account with its votes and memberships; its logins end', 'user remove anna@radio.example')
    .argument('<email>', 'of the account')
    .action((rawEmail: string, options: RemoveOptions) =>
      terminal.run(options, async ({ accounts, organizations, removeAccount }) => {
        const email = emailIn(rawEmail);
        if (!email.ok) return email;
        const found = await accounts.find({ email: email.value });
        if (!found) return noAccount(email.value);
        const { length } = await organizations.listOfMember(found.id);
        const yes = await agreed(
          terminal,
          options,
          `Remove ${email.value} (${found.username}), member of ${counted(length, 'organization')}, with all votes?`,
        );
        if (!yes.ok) return yes;
        const removed = await removeAccount.execute(email.value);
        if (!removed.ok) return noAccount(email.value);
        return ok({ json: { id: found.id, email: email.value }, text: `Removed ${email.value}.\n` });
      }),
    );
}

function noAccount(email: EmailAddress): Outcome {
  return err(`There is no account with the email ${email}.`);
}

function accountJson({ id, email, username, state, registeredAt, activatedAt }: ListedAccount) {
  return {
    id,
    email,
    username,
    state,
    registeredAt: iso(registeredAt),
    activatedAt: activatedAt === null ? null : iso(activatedAt),
  };
}

function accountText(account: ListedAccount, organizations: readonly StoredOrganization[]): string {
  return labelled([
    ['id', `${account.id}`],
    ['email', account.email],
    ['username', account.username],
    ['state', STATES[account.state]],
    ['registered', iso(account.registeredAt)],
    ['activated', account.activatedAt === null ? 'no' : iso(account.activatedAt)],
    ...(organizations.length === 0 ? [['organization', 'none'] as const] : []),
    ...organizations.map(({ id, name }) => ['organization', `${id}  ${name}`] as const),
  ]);
}
