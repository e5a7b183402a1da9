import { expect } from 'chai';
import { MINUTE, later } from '../../src/domain/ids.js';
import { aNewAccount, must } from '../support/builders.js';
import { aCommandLine } from '../support/command-line.js';
import { START } from '../support/manual-clock.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('The command line: mail', () => {
  let line: ReturnType<typeof aCommandLine>;
  beforeEach(() => {
    line = aCommandLine();
  });

  /** One that waits and one that was given up. */
  const twoMails = async () => {
    for (const email of ['anna@a.example', 'ben@b.example'])
      must(await line.accounts.register(aNewAccount({ email })));
    const [waiting, refused] = await line.mailOutbox.claim(START, MINUTE, 2);
    if (!waiting || !refused) expect.fail('Two mails are owed.');
    await line.mailOutbox.postpone(waiting.id, later(START, MINUTE), '451 try later');
    await line.mailOutbox.giveUp(refused.id, START, '550 no such user');
    return { waiting: waiting.id, refused: refused.id };
  };

  it('lists every mail that was not sent, for programs and for people', async () => {
    expect(await line.json('mail', 'list')).to.deep.equal([]);
    expect((await line.type(['mail', 'list'])).stdout).to.equal('Every mail was sent.\n');

    const { waiting, refused } = await twoMails();
    const common = { kind: 'activation', since: '2026-01-15T12:00:00.000Z', attempts: 1 };
    expect(await line.json('mail', 'list')).to.deep.equal([
      { id: waiting, email: 'anna@a.example', ...common, state: 'waiting', lastProblem: '451 try later' },
      { id: refused, email: 'ben@b.example', ...common, state: 'given-up', lastProblem: '550 no such user' },
    ]);
    const [headings, ...rows] = (await line.type(['mail', 'list'])).stdout.trimEnd().split('\n');
    expect(headings?.split(/ {2,}/)).to.deep.equal([
      ...['id', 'kind', 'email', 'since', 'attempts', 'state', 'last problem'],
    ]);
    expect(rows[1]?.split(/ {2,}/)).to.deep.equal([
      ...[
        refused,
        'activation',
        'ben@b.example',
        '2026-01-15T12:00:00.000Z',
        '1',
        'given-up',
        '550 no such user',
      ],
    ]);
  });

  it('retries one mail, given up or waiting', async () => {
    const { waiting, refused } = await twoMails();
    expect(await line.json('mail', 'retry', refused)).to.deep.equal({ retried: 1 });
    expect((await line.type(['mail', 'retry', waiting.toUpperCase()])).stdout).to.equal(
      '1 mail will be tried again now.\n',
    );
    const due = await line.mailOutbox.claim(START, MINUTE, 10);
    expect(due.map(({ id }) => id)).to.have.members([waiting, refused]);
  });

  it('retries all that were given up and leaves the others alone', async () => {
    const { refused } = await twoMails();
    expect(await line.json('mail', 'retry', '--all')).to.deep.equal({ retried: 1 });
    expect((await line.type(['mail', 'retry', '--all'])).stdout).to.equal(
      '0 mails will be tried again now.\n',
    );
    expect((await line.mailOutbox.claim(START, MINUTE, 10)).map(({ id }) => id)).to.deep.equal([refused]);
  });

  it('is refused for a mail that is not there', async () => {
    expect(await line.refusal('mail', 'retry', UNKNOWN)).to.equal(`There is no mail ${UNKNOWN}.`);
  });

  it('is wrong usage without a mail, with two answers to which, and with what is no id', async () => {
    for (const args of [[], ['1'], [UNKNOWN, '--all'], ['all']]) {
      const { code, stdout, stderr } = await line.type(['mail', 'retry', ...args]);
      expect({ code, stdout }, args.join(' ')).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr, args.join(' ')).to.match(/^error: /);
    }
  });

  it('explains itself', async () => {
    for (const args of [['mail'], ['mail', 'list'], ['mail', 'retry']]) {
      const { code, stdout } = await line.type([...args, '--help']);
      expect(code).to.equal(0);
      expect(stdout).to.match(/^Usage: /);
    }
  });
});
