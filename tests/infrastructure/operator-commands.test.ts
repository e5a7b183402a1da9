import { expect } from 'chai';
import { castVote } from '../../src/domain/vote.js';
import type { StreamId } from '../../src/domain/ids.js';
import { InMemoryDirectoryReadModel } from '../../src/adapters/in-memory/in-memory-directory-read-model.js';
import { InMemoryVoteRepository } from '../../src/adapters/in-memory/in-memory-vote-repository.js';
import { aNewAccount, anActivatedUser, anEmail, must } from '../support/builders.js';
import { aCommandLine } from '../support/command-line.js';

const FIRST_URL = 'https://a.example/1';

describe('The command line for operators', () => {
  let line: ReturnType<typeof aCommandLine>;
  beforeEach(() => {
    line = aCommandLine();
  });
  const addOrganization = (name = 'Radio A', ...more: readonly string[]) =>
    line.json('organization', 'add', '--name', name, ...more);
  const addStream = (organization = '1', ...more: readonly string[]) =>
    line.json('stream', 'add', '--organization', organization, '--name', 'Jazz', '--url', FIRST_URL, ...more);
  /** Somebody sits at the terminal and answers every question with this. */
  const answering = (answer: string, ...argv: readonly string[]) => {
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return answer;
    };
    return line.type(argv, { ask }).then((typed) => ({ ...typed, questions }));
  };
  const wrongUsage = async (...argv: readonly string[]) => {
    const opened = line.state.opened;
    const { code, stdout, stderr } = await line.type(argv);
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
    expect(line.state.opened).to.equal(opened);
    return stderr;
  };

  describe('organization update', () => {
    const whole = {
      id: 1,
      name: 'Radio A',
      description: 'All jazz',
      image: 'https://a.example/i.png',
      thumbnail: 'https://a.example/t.png',
      links: [{ type: 'website', url: 'https://a.example' }],
      isPublic: true,
      isActive: true,
    };
    beforeEach(() =>
      addOrganization(
        'Radio A',
        ...['--description', 'All jazz', '--image', whole.image, '--thumbnail', whole.thumbnail],
        ...['--link', 'website=https://a.example'],
      ),
    );

    for (const [options, changed] of [
      [['--name', 'Radio B'], { name: 'Radio B' }],
      [['--name', 'RADIO A'], { name: 'RADIO A' }],
      [['--description', ''], { description: '' }],
      [['--image', 'https://b.example/i.png'], { image: 'https://b.example/i.png' }],
      [['--no-image'], { image: null }],
      [['--no-thumbnail'], { thumbnail: null }],
      [['--no-links'], { links: [] }],
      [
        ['--link', 'discord=https://d.example', '--link', 'email=mailto:a@a.example'],
        {
          links: [
            { type: 'discord', url: 'https://d.example' },
            { type: 'email', url: 'mailto:a@a.example' },
          ],
        },
      ],
      [['--private'], { isPublic: false }],
      [['--inactive'], { isActive: false }],
      [
        ['--name', 'C', '--inactive', '--private', '--thumbnail', 'https://c.example/t'],
        { name: 'C', isActive: false, isPublic: false, thumbnail: 'https://c.example/t' },
      ],
    ] as const)
      it(`changes what is given and nothing else: ${options.join(' ')}`, async () => {
        const after = { ...whole, ...changed };
        expect(await line.json('organization', 'update', '1', ...options)).to.deep.equal(after);
        expect(await line.json('organization', 'show', '1')).to.deep.equal(after);
      });

    it('brings back what was switched off or hidden', async () => {
      await line.json('organization', 'update', '1', '--inactive', '--private');
      expect(await line.json('organization', 'update', '1', '--active', '--public')).to.deep.equal(whole);
    });

    it('says so to people', async () => {
      const { stdout } = await line.type(['organization', 'update', '1', '--name', 'Radio B']);
      expect(stdout).to.equal('Updated organization 1, Radio B.\n');
    });

    it('is refused for a taken name, wrong fields and an unknown number', async () => {
      await addOrganization('Radio B');
      expect(await line.refusal('organization', 'update', '1', '--name', 'radio b')).to.equal(
        "There is an organization called 'radio b' already.",
      );
      expect(await line.refusal('organization', 'update', '1', '--image', 'x')).to.equal(
        'The image must be an http or https URL of at most 2048 characters.',
      );
      expect(await line.refusal('organization', 'update', '7', '--private')).to.equal(
        'There is no organization 7.',
      );
      expect(await line.json('organization', 'show', '1')).to.deep.equal(whole);
    });

    for (const options of [
      [],
      ['--public', '--private'],
      ['--active', '--inactive'],
      ['--link', 'website=https://a.example', '--no-links'],
    ])
      it(`is wrong usage with ${options.join(' ') || 'nothing to change'}`, async () => {
        expect(await wrongUsage('organization', 'update', '1', ...options)).to.match(/^error: /);
      });
  });

  describe('stream update', () => {
    let whole: Record<string, unknown>;
    beforeEach(async () => {
      await addOrganization();
      await addOrganization('Radio B');
      await addStream('1', '--tag', 'jazz');
      whole = (await line.json('stream', 'show', '1')) as Record<string, unknown>;
    });

    for (const [options, changed] of [
      [['--name', 'Blues'], { name: 'Blues' }],
      [['--url', 'https://b.example/2'], { url: 'https://b.example/2' }],
      [['--tag', 'blues', '--tag', 'live'], { tags: ['blues', 'live'] }],
      [['--no-tags'], { tags: [] }],
      [['--organization', '2'], { organization: 2 }],
      [['--inactive'], { isEnabled: false, isActive: false }],
      [['--inactive', '--organization', '2'], { isEnabled: false, isActive: false, organization: 2 }],
    ] as const)
      it(`changes what is given and nothing else: ${options.join(' ')}`, async () => {
        const after = { ...whole, ...changed };
        expect(await line.json('stream', 'update', '1', ...options)).to.deep.include(after);
        expect(await line.json('stream', 'show', '1')).to.deep.include(after);
      });

    it('brings back what was switched off, and says so to people', async () => {
      await line.json('stream', 'update', '1', '--inactive');
      expect((await line.type(['stream', 'update', '1', '--active'])).stdout).to.equal(
        'Updated stream 1, Jazz.\n',
      );
      expect(await line.json('stream', 'show', '1')).to.deep.equal(whole);
    });

    it('is refused for wrong fields and unknown numbers', async () => {
      expect(await line.refusal('stream', 'update', '1', '--url', 'ftp://x.example')).to.match(
        /^The url must be /,
      );
      expect(await line.refusal('stream', 'update', '1', '--organization', '7')).to.equal(
        'There is no organization 7.',
      );
      expect(await line.refusal('stream', 'update', '7', '--name', 'x')).to.equal('There is no stream 7.');
      expect(await line.json('stream', 'show', '1')).to.deep.equal(whole);
    });

    for (const options of [
      [],
      ['--active', '--inactive'],
      ['--tag', 'x', '--no-tags'],
      ['--organization', 'x'],
    ])
      it(`is wrong usage with ${options.join(' ') || 'nothing to change'}`, async () => {
        expect(await wrongUsage('stream', 'update', '1', ...options)).to.match(/^error: /);
      });
  });

  describe('remove', () => {
    beforeEach(async () => {
      await addOrganization();
      await addStream();
      await addStream();
      must(await line.accounts.register(aNewAccount({ username: 'Anna', email: 'anna@a.example' })));
      await line.json('organization', 'member', 'add', '1', 'anna@a.example');
    });
    const THINGS = [
      [
        ['organization', 'remove', '1'],
        'Remove organization 1, Radio A, with 2 streams and all votes and plays? [y/N] ',
        'Removed organization 1, Radio A, with 2 streams.\n',
        { id: 1, name: 'Radio A', streams: 2 },
      ],
      [
        ['stream', 'remove', '2'],
        'Remove stream 2, Jazz, with all votes and plays? [y/N] ',
        'Removed stream 2, Jazz.\n',
        { id: 2, name: 'Jazz' },
      ],
      [
        ['user', 'remove', 'Anna@a.example'],
        'Remove anna@a.example (Anna), member of 1 organization, with all votes? [y/N] ',
        'Removed anna@a.example.\n',
        { id: 1, email: 'anna@a.example' },
      ],
    ] as const;
    const shown = async (argv: readonly string[]) =>
      (await line.type([argv[0] ?? '', 'show', argv[2] ?? ''])).code === 0;

    for (const [argv, question, said, json] of THINGS) {
      const command = argv.join(' ');

      for (const answer of ['y', 'YES', ' yes '])
        it(`does it once somebody has said '${answer}': ${command}`, async () => {
          const { code, stdout, stderr, questions } = await answering(answer, ...argv);
          expect({ code, stdout, stderr, questions }).to.deep.equal({
            ...{ code: 0, stdout: said, stderr: '' },
            questions: [question],
          });
          expect(await shown(argv)).to.equal(false);
        });

      for (const answer of ['', 'n', 'no', 'yellow'])
        it(`leaves all as it was at '${answer}': ${command}`, async () => {
          const { code, stdout, stderr } = await answering(answer, ...argv);
          expect({ code, stdout, stderr }).to.deep.equal({
            ...{ code: 1, stdout: '' },
            stderr: 'Nothing was removed.\n',
          });
          expect(await shown(argv)).to.equal(true);
        });

      it(`asks nobody with --yes: ${command}`, async () => {
        const { questions } = await answering('n', ...argv, '--yes', '--json');
        expect(questions).to.deep.equal([]);
        expect(await shown(argv)).to.equal(false);
      });

      it(`answers what was removed as JSON: ${command}`, async () => {
        expect(await line.json(...argv, '-y')).to.deep.equal(json);
      });

      it(`is refused where nobody can be asked: ${command}`, async () => {
        expect(await line.refusal(...argv)).to.equal(
          'Nothing was removed, as nobody can be asked here; repeat it with --yes.',
        );
        expect(await shown(argv)).to.equal(true);
      });
    }

    it('is refused for what is not there', async () => {
      expect(await line.refusal('organization', 'remove', '7', '--yes')).to.equal(
        'There is no organization 7.',
      );
      expect(await line.refusal('stream', 'remove', '7', '--yes')).to.equal('There is no stream 7.');
      expect(await line.refusal('user', 'remove', 'ben@a.example', '--yes')).to.equal(
        'There is no account with the email ben@a.example.',
      );
    });
  });

  describe('user', () => {
    const register = (email: string, username: string) =>
      line.accounts.register(aNewAccount({ email, username }));

    it('says that there is none yet', async () => {
      expect(await line.json('user', 'list')).to.deep.equal([]);
      expect((await line.type(['user', 'list'])).stdout).to.equal('There is no account yet.\n');
    });

    it('lists and shows accounts, never their secrets', async () => {
      must(await register('anna@a.example', 'Anna'));
      await anActivatedUser(line.accounts, { email: 'ben@a.example', username: 'Ben' });
      const at = '2026-01-15T12:00:00.000Z';
      const anna = {
        ...{ id: 1, email: 'anna@a.example', username: 'Anna', state: 'awaiting-activation' },
        ...{ registeredAt: at, activatedAt: null },
      };
      const ben = {
        ...{ id: 2, email: 'ben@a.example', username: 'Ben', state: 'activated' },
        ...{ registeredAt: at, activatedAt: at },
      };
      expect(await line.json('user', 'list')).to.deep.equal([anna, ben]);
      expect(await line.json('user', 'show', 'Anna@A.example')).to.deep.equal({ ...anna, organizations: [] });
      expect((await line.type(['user', 'list'])).stdout).to.equal(
        'id  email           username  state                registered\n' +
          `1   anna@a.example  Anna      awaiting activation  ${at}\n` +
          `2   ben@a.example   Ben       activated            ${at}\n`,
      );
    });

    it('shows the organizations of an account', async () => {
      must(await register('anna@a.example', 'Anna'));
      for (const [index, name] of ['Radio A', 'Radio B'].entries()) {
        await addOrganization(name);
        await line.json('organization', 'member', 'add', `${index + 1}`, 'anna@a.example');
      }
      expect(await line.json('user', 'show', 'anna@a.example')).to.deep.include({
        organizations: [
          { id: 1, name: 'Radio A' },
          { id: 2, name: 'Radio B' },
        ],
      });
      const { stdout } = await line.type(['user', 'show', 'anna@a.example']);
      expect(stdout)
        .to.match(/^state +awaiting activation$/m)
        .and.match(/^organization +2 Radio B$/m);
    });

    it('activates an account once', async () => {
      must(await register('anna@a.example', 'Anna'));
      expect(await line.json('user', 'activate', 'anna@a.example')).to.deep.equal({
        id: 1,
        email: 'anna@a.example',
      });
      expect(await line.json('user', 'show', 'anna@a.example')).to.include({ state: 'activated' });
      expect(await line.refusal('user', 'activate', 'anna@a.example')).to.equal(
        'anna@a.example is activated already.',
      );
      must(await register('ben@a.example', 'Ben'));
      expect((await line.type(['user', 'activate', 'ben@a.example'])).stdout).to.equal(
        'ben@a.example is activated and can log in now.\n',
      );
    });

    it('is refused for who has no account and for what is no email address', async () => {
      for (const command of ['show', 'activate'])
        expect(await line.refusal('user', command, 'ben@a.example')).to.equal(
          'There is no account with the email ben@a.example.',
        );
      for (const command of ['show', 'activate', 'remove'])
        expect(await line.refusal('user', command, 'ben')).to.equal("'ben' is no email address.");
    });
  });

  describe('highlights', () => {
    const listed = async () =>
      (await new InMemoryDirectoryReadModel(line.db).streams()).map(({ highlights }) => highlights);
    beforeEach(async () => {
      await addOrganization();
      await addStream();
      await addStream();
    });
    const vote = async (stream: number) => {
      const session = await anActivatedUser(line.accounts, { email: anEmail() });
      const votes = new InMemoryVoteRepository(line.db);
      const now = line.clock.now();
      must(await votes.update(session, stream as StreamId, now, (current) => castVote(current, 'up')));
    };

    it('are computed, listed and told', async () => {
      expect(await line.json('highlights', 'recompute')).to.deep.equal({ month: '2026-01', highlights: [] });
      expect((await line.type(['highlights', 'recompute'])).stdout).to.equal(
        'No stream has earned a highlight yet.\n',
      );
      await vote(2);
      expect(await line.json('highlights', 'recompute')).to.deep.equal({
        month: '2026-01',
        highlights: [
          { flag: 'recent-popular', stream: 2, name: 'Jazz' },
          { flag: 'top-voted', stream: 2, name: 'Jazz' },
        ],
      });
      expect(await listed()).to.deep.equal([[], ['recent-popular', 'top-voted']]);
      expect((await line.type(['highlights', 'recompute'])).stdout).to.equal(
        'flag            stream  name\nrecent-popular  2       Jazz\ntop-voted       2       Jazz\n',
      );
    });

    it('are pinned and unpinned for this month at once', async () => {
      expect(await line.json('highlights', 'pin', 'stream-of-the-month', '1')).to.deep.equal({
        ...{ flag: 'stream-of-the-month', month: '2026-01', stream: 1 },
      });
      expect(await listed()).to.deep.equal([['stream-of-the-month'], []]);
      await line.json('highlights', 'pin', 'stream-of-the-month', '2');
      expect(await listed()).to.deep.equal([[], ['stream-of-the-month']]);
      expect(await line.refusal('highlights', 'unpin', 'stream-of-the-month', '1')).to.equal(
        'Stream 1 is not pinned as stream-of-the-month for 2026-01.',
      );
      expect(await line.json('highlights', 'unpin', 'stream-of-the-month', '2')).to.deep.equal({
        ...{ flag: 'stream-of-the-month', month: '2026-01', stream: 2 },
      });
      expect(await listed()).to.deep.equal([[], []]);
      expect(await line.refusal('highlights', 'unpin', 'stream-of-the-month')).to.equal(
        'No stream is pinned as stream-of-the-month for 2026-01.',
      );
    });

    it('are pinned for a month to come', async () => {
      const pin = ['highlights', 'pin', 'newcomer-of-the-month', '2', '--month', '2026-02'];
      expect((await line.type(pin)).stdout).to.equal('Stream 2 is newcomer-of-the-month in 2026-02.\n');
      expect(await listed()).to.deep.equal([[], []]);
      line.clock.set(Date.UTC(2026, 1) as ReturnType<typeof line.clock.now>);
      await line.json('highlights', 'recompute');
      expect(await listed()).to.deep.equal([[], ['newcomer-of-the-month']]);
      const unpin = ['highlights', 'unpin', 'newcomer-of-the-month', '--month', '2026-02'];
      expect((await line.type(unpin)).stdout).to.equal(
        'Stream 2 is no longer pinned as newcomer-of-the-month for 2026-02.\n',
      );
      expect(await listed()).to.deep.equal([[], []]);
    });

    it('are known by the names of the interface too', async () => {
      for (const flag of ['isStreamOfTheMonth', 'stream-of-the-month', 'StreamOfTheMonth'])
        expect(await line.json('highlights', 'pin', flag, '1')).to.include({ flag: 'stream-of-the-month' });
    });

    it('warn of a pinned stream that is not active', async () => {
      await line.json('stream', 'update', '1', '--inactive');
      const { stdout } = await line.type(['highlights', 'pin', 'stream-of-the-month', '1']);
      expect(stdout).to.match(/It holds the flag only while it is active\.\n$/);
    });

    it('refuse unknown streams and months that are over', async () => {
      expect(await line.refusal('highlights', 'pin', 'stream-of-the-month', '7')).to.equal(
        'There is no stream 7.',
      );
      expect(
        await line.refusal('highlights', 'pin', 'stream-of-the-month', '1', '--month', '2025-12'),
      ).to.equal('The month 2025-12 is over.');
    });

    for (const argv of [
      ['pin', 'top-voted', '1'],
      ['pin', 'stream-of-the-month'],
      ['pin', 'stream-of-the-month', 'x'],
      ['pin', 'stream-of-the-month', '1', '--month', '2026-13'],
      ['unpin'],
      ['unpin', 'recent-popular'],
      ['recompute', 'now'],
    ])
      it(`are used wrongly by: ${argv.join(' ')}`, async () => {
        expect(await wrongUsage('highlights', ...argv)).to.match(/^error: /);
      });
  });

  describe('doctor', () => {
    const ok = { check: 'configuration', state: 'ok', message: 'Well.', advice: null } as const;
    const warning = { check: 'smtp', state: 'warning', message: 'Unset.', advice: 'Set it.' } as const;
    const problem = { check: 'database', state: 'problem', message: 'Down.', advice: 'Start it.' } as const;
    const examining = (
      findings: readonly (typeof ok | typeof warning | typeof problem)[],
      ...more: string[]
    ) => line.type(['doctor', ...more], { diagnose: async () => findings, variables: { PORT: 'wrong' } });

    it('tells what it found in a line each, and exits with 0 where nothing is wrong', async () => {
      expect(await examining([ok, warning])).to.deep.equal({
        code: 0,
        stdout: 'ok       configuration  Well.\nwarning  smtp           Unset. Set it.\n',
        stderr: '',
      });
    });

    it('exits with 1 where something is wrong', async () => {
      const { code, stdout, stderr } = await examining([ok, problem, problem]);
      expect({ code, stderr }).to.deep.equal({ code: 1, stderr: 'The doctor found 2 problems.\n' });
      expect(stdout).to.match(/^problem {2}database {7}Down\. Start it\.$/m);
    });

    it('tells all of it as one JSON value, wrong or not', async () => {
      const { code, stdout } = await examining([ok, problem], '--json');
      expect(code).to.equal(1);
      expect(JSON.parse(stdout)).to.deep.equal({ ok: false, findings: [ok, problem] });
      expect(JSON.parse((await examining([ok], '--json')).stdout)).to.deep.equal({
        ok: true,
        findings: [ok],
      });
    });
  });

  describe('help', () => {
    for (const command of [
      ...['organization update', 'organization remove', 'stream update', 'stream remove'],
      ...['user list', 'user show', 'user activate', 'user remove'],
      ...['highlights recompute', 'highlights pin', 'highlights unpin', 'doctor'],
    ])
      it(`of ${command} names --json and shows an example of it`, async () => {
        const { code, stdout, stderr } = await line.type([...command.split(' '), '--help']);
        expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
        expect(stdout).to.include('--json').and.include(`$ radio-directory ${command}`);
        expect(line.state.opened).to.equal(0);
      });
  });
});
