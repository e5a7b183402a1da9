import { expect } from 'chai';
import { Unavailable } from '../../src/application/errors.js';
import { aNewAccount, must } from '../support/builders.js';
import { aCommandLine } from '../support/command-line.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const JAZZ_URL = 'https://a.example/jazz';

const ADD_STREAM = ['stream', 'add', '--organization', '1', '--name', 'Jazz', '--url', JAZZ_URL] as const;

describe('The command line', () => {
  let line: ReturnType<typeof aCommandLine>;
  const addOrganization = (name = 'Radio A') => line.json('organization', 'add', '--name', name);
  beforeEach(() => {
    line = aCommandLine();
  });

  describe('organization', () => {
    it('adds one with everything it can have, and shows and lists it', async () => {
      const added = await line.json(
        ...[
          'organization',
          'add',
          '--name',
          'Radio A',
          '--description',
          'All jazz',
          '--private',
          '--inactive',
        ],
        ...['--image', 'https://a.example/i.png', '--thumbnail', 'https://a.example/t.png'],
        ...['--link', 'website=https://a.example/?x=y', '--link', 'email=mailto:a@a.example'],
      );
      expect(added).to.deep.equal({ id: 1, name: 'Radio A' });
      const whole = {
        id: 1,
        name: 'Radio A',
        description: 'All jazz',
        image: 'https://a.example/i.png',
        thumbnail: 'https://a.example/t.png',
        links: [
          { type: 'website', url: 'https://a.example/?x=y' },
          { type: 'email', url: 'mailto:a@a.example' },
        ],
        isPublic: false,
        isActive: false,
      };
      expect(await line.json('organization', 'show', '1')).to.deep.equal(whole);
      expect(await line.json('organization', 'list')).to.deep.equal([whole]);
    });

    it('says in a sentence what it added, and prints what it shows and lists for people', async () => {
      const added = await line.type([
        'organization',
        'add',
        '--name',
        'Radio A',
        '--link',
        'website=https://a.example',
      ]);
      expect(added).to.deep.equal({ code: 0, stdout: 'Added organization 1, Radio A.\n', stderr: '' });
      expect((await line.type(['organization', 'show', '1'])).stdout.split('\n')).to.include.members([
        'id            1',
        'name          Radio A',
        'link website  https://a.example',
        'public        yes',
      ]);
      expect((await line.type(['organization', 'list'])).stdout).to.equal(
        'id  name     public  active\n1   Radio A  yes     yes\n',
      );
    });

    it('says that there is none yet', async () => {
      expect(await line.json('organization', 'list')).to.deep.equal([]);
      expect((await line.type(['organization', 'list'])).stdout).to.equal('There is no organization yet.\n');
    });

    it('is refused for a taken name, wrong fields and an unknown number', async () => {
      await addOrganization();
      expect(await line.refusal('organization', 'add', '--name', 'radio a')).to.equal(
        "There is an organization called 'radio a' already.",
      );
      expect(await line.refusal('organization', 'add', '--name', ' ', '--image', 'x')).to.equal(
        'The name must be 1 to 200 characters. The image must be an http or https URL of at most 2048 characters.',
      );
      expect(
        await line.refusal('organization', 'add', '--name', 'B', '--link', 'myspace=http://b.example'),
      ).to.match(/^The link must be TYPE=URL with a type of website, /);
      expect(await line.refusal('organization', 'show', '7')).to.equal('There is no organization 7.');
    });
  });

  describe('organization token', () => {
    it('adds a token that is shown once, lists tokens without their texts, revokes one', async () => {
      await addOrganization();
      const added = (await line.json('organization', 'token', 'add', '1', '--label', 'studio')) as {
        token: string;
      };
      expect(added).to.have.all.keys('id', 'token').and.include({ id: 1 });
      expect(added.token).to.match(/^rdo_[A-Za-z0-9_-]{43}$/);
      expect(await line.json('organization', 'token', 'list', '1')).to.deep.equal([
        { id: 1, label: 'studio', createdAt: '2026-01-15T12:00:00.000Z' },
      ]);
      expect(await line.json('organization', 'token', 'revoke', '1')).to.deep.equal({ id: 1 });
      expect(await line.json('organization', 'token', 'list', '1')).to.deep.equal([]);
    });

    it('says so to people', async () => {
      await addOrganization();
      const { stdout } = await line.type(['organization', 'token', 'add', '1']);
      expect(stdout).to.match(
        /^Added token 1 to organization 1\. It is shown this once only:\n\n {2}rdo_\S{43}\n\n$/,
      );
      expect((await line.type(['organization', 'token', 'list', '1'])).stdout).to.match(
        /^id {2}label {2}created\n1 /,
      );
      const revoked = await line.type(['organization', 'token', 'revoke', '1']);
      expect(revoked.stdout).to.equal('Revoked token 1. It no longer works.\n');
      const empty = await line.type(['organization', 'token', 'list', '1']);
      expect(empty.stdout).to.equal('Organization 1 has no token.\n');
    });

    it('is refused for unknown numbers and a label that is too long', async () => {
      expect(await line.refusal('organization', 'token', 'add', '7')).to.equal('There is no organization 7.');
      expect(await line.refusal('organization', 'token', 'list', '7')).to.equal(
        'There is no organization 7.',
      );
      expect(await line.refusal('organization', 'token', 'revoke', '7')).to.equal('There is no token 7.');
      await addOrganization();
      expect(await line.refusal('organization', 'token', 'add', '1', '--label', 'x'.repeat(101))).to.equal(
        'The label must be at most 100 characters.',
      );
    });
  });

  describe('organization member', () => {
    const member = (...argv: readonly string[]) => ['organization', 'member', ...argv];

    it('adds, lists and removes an account', async () => {
      await addOrganization();
      must(await line.accounts.register(aNewAccount({ username: 'Anna', email: 'anna@a.example' })));
      const anna = { organization: 1, email: 'anna@a.example' };
      expect(await line.json(...member('add', '1', 'Anna@A.example'))).to.deep.equal(anna);
      expect(await line.json(...member('list', '1'))).to.deep.equal([
        { email: 'anna@a.example', username: 'Anna' },
      ]);
      expect((await line.type(member('list', '1'))).stdout).to.equal(
        'email           username\nanna@a.example  Anna\n',
      );
      expect(await line.json(...member('remove', '1', 'anna@a.example'))).to.deep.equal(anna);
      expect(await line.json(...member('list', '1'))).to.deep.equal([]);
      expect((await line.type(member('list', '1'))).stdout).to.equal('Organization 1 has no member.\n');
    });

    it('is refused for who has no account, is no member, or is no email address', async () => {
      expect(await line.refusal(...member('list', '1'))).to.equal('There is no organization 1.');
      must(await line.accounts.register(aNewAccount({ email: 'anna@a.example' })));
      expect(await line.refusal(...member('add', '1', 'anna@a.example'))).to.equal(
        'There is no organization 1.',
      );
      await addOrganization();
      expect(await line.refusal(...member('add', '1', 'ben@a.example'))).to.equal(
        'There is no account with the email ben@a.example; register it first.',
      );
      expect(await line.refusal(...member('add', '1', 'ben'))).to.equal("'ben' is no email address.");
      expect(await line.refusal(...member('remove', '1', 'anna@a.example'))).to.equal(
        'anna@a.example is no member of organization 1.',
      );
    });
  });

  describe('stream', () => {
    it('adds one, and shows and lists it', async () => {
      await addOrganization();
      const added = (await line.json(...ADD_STREAM, '--tag', 'jazz', '--tag', 'live', '--inactive')) as {
        uuid: string;
      };
      expect(added).to.deep.equal({ id: 1, uuid: added.uuid, name: 'Jazz' });
      expect(added.uuid).to.match(UUID);
      const whole = {
        ...{ id: 1, uuid: added.uuid, name: 'Jazz', url: JAZZ_URL, tags: ['jazz', 'live'] },
        ...{ organization: 1, isEnabled: false, isActive: false },
      };
      expect(await line.json('stream', 'show', '1')).to.deep.equal(whole);
      expect(await line.json('stream', 'list')).to.deep.equal([whole]);
    });

    it('says so to people', async () => {
      expect((await line.type(['stream', 'list'])).stdout).to.equal('There is no stream yet.\n');
      await addOrganization();
      expect((await line.type(ADD_STREAM)).stdout).to.match(
        /^Added stream 1, Jazz\. Songs are pushed to it under the UUID [0-9a-f-]{36}\.\n$/,
      );
      const shown = (await line.type(['stream', 'show', '1'])).stdout.split('\n');
      expect(shown).to.include.members([
        'id            1',
        `url           ${JAZZ_URL}`,
        'tags          none',
      ]);
      const [head, row] = (await line.type(['stream', 'list'])).stdout.split('\n');
      expect(head).to.match(/^id {2}uuid +name {2}organization {2}active$/);
      expect(row).to.match(/^1 {3}[0-9a-f-]{36} {2}Jazz {2}1 +yes$/);
    });

    it('is refused for an unknown organization, wrong fields and an unknown number', async () => {
      expect(await line.refusal(...ADD_STREAM)).to.equal('There is no organization 1.');
      await addOrganization();
      expect(
        await line.refusal('stream', 'add', '--organization', '1', '--name', 'x', '--url', 'ftp://a.example'),
      ).to.equal('The url must be an http or https URL of at most 2048 characters.');
      expect(await line.refusal('stream', 'show', '7')).to.equal('There is no stream 7.');
    });
  });

  describe('migrate', () => {
    it('goes up and down and tells how things are', async () => {
      expect(await line.json('migrate', 'status')).to.deep.equal({
        applied: ['1_a'],
        pending: ['2_b', '3_c'],
      });
      expect((await line.type(['migrate', 'status'])).stdout).to.equal(
        'Applied: 1_a\nPending: 2_b\nPending: 3_c\n',
      );
      expect(await line.json('migrate', 'up')).to.deep.equal({ applied: ['2_b', '3_c'] });
      expect((await line.type(['migrate', 'up'])).stdout).to.equal('The schema was up to date.\n');
      expect(await line.json('migrate', 'down')).to.deep.equal({ reverted: ['3_c'] });
      expect((await line.type(['migrate', 'down'])).stdout).to.equal('Took back: 2_b\n');
    });

    it('applies nothing where a newer version has changed the schema, and says so', async () => {
      await line.json('migrate', 'up');
      line.state.applied.push('999_future');
      expect(await line.json('migrate', 'up')).to.deep.equal({ applied: [] });
      expect((await line.type(['migrate', 'up'])).stdout).to.equal(
        'Nothing to apply: a newer version has changed the schema (999_future).\n',
      );
    });
  });

  describe('serve', () => {
    it('runs the server with the configuration of the environment until it ends', async () => {
      const ports: number[] = [];
      const { code } = await line.type(['serve'], {
        variables: { PORT: '4711' },
        serve: async ({ port }) => void ports.push(port),
      });
      expect({ code, ports }).to.deep.equal({ code: 0, ports: [4711] });
    });
  });

  describe('help', () => {
    const COMMANDS = [
      ...['serve', 'migrate up', 'migrate down', 'migrate status', 'import', 'export', 'stream check'],
      ...['organization add', 'organization list', 'organization show'],
      ...['organization token add', 'organization token list', 'organization token revoke'],
      ...['organization member add', 'organization member list', 'organization member remove'],
      ...['stream add', 'stream list', 'stream show'],
    ];
    for (const command of COMMANDS)
      it(`of ${command} names --json and shows an example of it`, async () => {
        const { code, stdout, stderr } = await line.type([...command.split(' '), '--help']);
        expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
        expect(stdout).to.include('--json').and.include(`$ radio-directory ${command}`);
        expect(line.state.opened).to.equal(0);
      });

    it('lists the commands of the program and of each group', async () => {
      const { code, stdout } = await line.type(['--help']);
      expect(code).to.equal(0);
      for (const word of ['serve', 'migrate', 'organization', 'stream', 'import', 'Example:'])
        expect(stdout).to.include(word);
      expect((await line.type(['organization', '--help'])).stdout).to.include('member');
      expect(await line.type(['help', 'import'])).to.include({ code: 0, stderr: '' });
    });

    it('prints the version', async () => {
      const { code, stdout } = await line.type(['--version']);
      expect(code).to.equal(0);
      expect(stdout).to.match(/^\d+\.\d+\.\d+\n$/);
    });
  });

  describe('wrong usage', () => {
    for (const argv of [
      [],
      ['organization'],
      ['organization', 'token'],
      ['frobnicate'],
      ['organization', 'frobnicate'],
      ['organization', 'add'],
      ['organization', 'add', '--name'],
      ['organization', 'add', '--name', 'A', '--link', 'https://a.example'],
      ['organization', 'show'],
      ['organization', 'show', 'one'],
      ['organization', 'show', '0'],
      ['organization', 'show', '1.5'],
      ['organization', 'show', '2147483648'],
      ['organization', 'show', '1', '2'],
      ['organization', 'list', '--frobnicate'],
      ['organization', 'member', 'add', '1'],
      ['organization', 'token', 'revoke', 'x'],
      ['stream', 'add', '--name', 'A', '--url', JAZZ_URL],
      ['stream', 'add', '--organization', 'x', '--name', 'A', '--url', JAZZ_URL],
      ['import'],
      ['import', 'x.m3u', '--format', 'asx'],
      ['import', 'x.m3u', '--organization', 'x'],
      ['migrate', 'sideways'],
      ['serve', 'now'],
    ])
      it(`exits 2 and opens nothing: radio-directory ${argv.join(' ')}`, async () => {
        const { code, stdout, stderr } = await line.type(argv);
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
        expect(stderr).to.not.equal('');
        expect(line.state.opened).to.equal(0);
      });
  });

  it('exits 78 and lists every mistake of the configuration', async () => {
    for (const argv of [['serve'], ['stream', 'list', '--json']]) {
      const { code, stdout, stderr } = await line.type(argv, {
        variables: { PORT: 'seven', LOG_LEVEL: 'loud' },
      });
      expect({ code, stdout }).to.deep.equal({ code: 78, stdout: '' });
      expect(stderr).to.include('PORT').and.include('LOG_LEVEL');
    }
  });

  it('says in one sentence that the storage cannot be reached', async () => {
    const { code, stdout, stderr } = await line.type(['stream', 'list'], {
      openDirectory: () => Promise.reject(new Unavailable('PostgreSQL', new Error('connection refused'))),
    });
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.equal('PostgreSQL is not available: connection refused\n');
  });

  it('closes the directory after every command that opened it, refused or not', async () => {
    await line.type(['stream', 'list']);
    await line.type(['stream', 'show', '1']);
    expect(line.state).to.include({ opened: 2, closed: 2 });
  });

  it('fits its tables into the columns of the terminal, whatever the names hold', async () => {
    await addOrganization(`Radio ${'long '.repeat(30)}`);
    await addOrganization('ラジオ日本 '.repeat(20));
    await addOrganization('plain');
    const { stdout } = await line.type(['organization', 'list'], { columns: 40 });
    const wide = /[\u3000-\u9fff]/g;
    for (const text of stdout.trimEnd().split('\n'))
      expect(text.length + (text.match(wide)?.length ?? 0), text).to.be.at.most(40);
    expect(stdout).to.match(/^1 {3}Radio long .*… {2}yes/m);
    expect(stdout).to.match(/^3 {3}plain +yes +yes$/m);
    expect((await line.type(['organization', 'list'])).stdout).to.not.include('…');
  });
});
