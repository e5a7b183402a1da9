import { type Command, InvalidArgumentError } from 'commander';
import type { StoredMail } from '../../application/ports/mail-outbox.js';
import { err, ok } from '../../domain/result.js';
import { type CommonOptions, type Terminal, action } from './commands.js';
import { table } from './table.js';

/** `mail list|retry` */
export function mailCommands(program: Command, terminal: Terminal): void {
  const mail = program
    .command('mail')
    .description('mails that are still to be sent, and those that were given up');

  action(mail, 'list', 'list the mails that have not been sent', 'mail list').action(
    (options: CommonOptions) =>
      terminal.run(options, async ({ mailOutbox }) => {
        const mails = await mailOutbox.list();
        const rows = mails.map((one) => [
          one.id,
          one.kind,
          one.email,
          since(one),
          `${one.attempts}`,
          one.state,
          one.lastProblem ?? '',
        ]);
        const headings = ['id', 'kind', 'email', 'since', 'attempts', 'state', 'last problem'];
        const text = table(headings, rows, terminal.columns);
        return ok({ json: mails.map(mailJson), text: mails.length > 0 ? text : 'Every mail was sent.\n' });
      }),
  );

  action(
    mail,
    'retry',
    'try a mail again at once, or all that were given up; they get three more days',
    'mail retry --all',
  )
    .argument('[id]', 'of the mail, as `mail list` shows it', mailId)
    .option('--all', 'all mails that were given up')
    .action(
      (id: string | undefined, options: CommonOptions & { readonly all?: boolean }, command: Command) => {
        if ((id === undefined) === (options.all === undefined))
          return command.error("error: either the id of a mail or '--all' must be given");
        return terminal.run(options, async ({ retryMails }) => {
          const retried = await retryMails(id === undefined ? 'given-up' : { id });
          if (id !== undefined && retried === 0) return err(`There is no mail ${id}.`);
          return ok({ json: { retried }, text: `${counted(retried)} will be tried again now.\n` });
        });
      },
    );
}

function mailId(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new InvalidArgumentError('It must be an id as `mail list` shows it.');
  return text.toLowerCase();
}

function mailJson(mail: StoredMail) {
  const { id, kind, email, attempts, state, lastProblem } = mail;
  return { id, kind, email, since: since(mail), attempts, state, lastProblem };
}

function since({ owedSince }: StoredMail): string {
  return new Date(owedSince).toISOString();
}

function counted(mails: number): string {
  return mails === 1 ? '1 mail' : `${mails} mails`;
}
