import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pLimit from 'p-limit';
import { type Answer, type Ask, type Clients, query, statuses, wrongTallies } from '../support/checker.js';
import { FULL, figure, seededRandom } from '../support/figures.js';
import { type FilledDirectory, filledDirectory, mailedTokens } from '../support/filled-directory.js';
import { type Nodes, startNodes, untilTrue } from '../support/nodes.js';
import { type PostgresServer, type TestDatabase, sharedPostgres } from '../support/postgres-server.js';
import { PROGRAM, cleanEnvironment } from '../support/running-service.js';

const run = promisify(execFile);
const PASSWORD = 'Sunny-Day-2026';
const NODES = 3;

describe('Several nodes on one PostgreSQL', function () {
  this.timeout(FULL ? 300_000 : 60_000);
  let server: PostgresServer | null;
  let database: TestDatabase;
  let directory: FilledDirectory;
  let running: Nodes;

  before('needs PostgreSQL on this machine, or TEST_DATABASE_URL', async function () {
    server = await sharedPostgres();
    if (!server) return this.skip();
    database = await server.createDatabase();
    running = await startNodes(NODES, database.url, { LOG_LEVEL: 'info' });
  });
  after(async () => {
    await running?.stop();
    await database?.drop();
  });

  const clients = (index: number): Clients => {
    const node = running.nodes[index % NODES];
    if (!node) throw new Error('There is no such node.');
    return node.clients;
  };
  const onEach = <T>(ask: (index: number) => Promise<T>) =>
    Promise.all(running.nodes.map((_, index) => ask(index)));
  const stream = (index = 0) => directory.streams[index] ?? { id: 0, uuid: '' };
  const user = (index = 0) => directory.users[index] ?? { jwt: '', session: { user: 0 } };
  /** So many at a time that they meet, and not more than the nodes take before they refuse some. */
  const together = pLimit(NODES * 16);
  const atOnce = (count: number, ask: (number: number) => Ask) =>
    Promise.all(Array.from({ length: count }, (_, number) => together(() => insist(number, ask(number)))));
  /** What a node has no time for it has not done: whoever is told so asks again. */
  const insist = async (index: number, ask: Ask): Promise<Answer | null> => {
    const answer = await clients(index).ask(ask);
    return answer?.status === 503 ? insist(index, ask) : answer;
  };
  const vote = (jwt: string, voteType: 'up' | 'down', at = 0): Ask => ({
    method: 'POST',
    path: `/stream/${stream(at).id}/vote`,
    bearer: jwt,
    body: { voteType },
  });
  const votes = async (index: number, at: number, jwt?: string) => {
    const answer = await clients(index).ask({
      path: `/stream/${stream(at).id}/votes`,
      ...(jwt === undefined ? {} : { bearer: jwt }),
    });
    return JSON.parse(answer?.body ?? '{}') as Record<string, unknown>;
  };
  const command = async (...args: string[]): Promise<Record<string, unknown>> => {
    const { stdout } = await run(process.execPath, [PROGRAM, ...args, '--json'], {
      env: { ...cleanEnvironment(), DATABASE_URL: database.url },
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const message = (answer: Answer | null) =>
    (JSON.parse(answer?.body ?? '{}') as { message?: string }).message;

  it('three that start at once on an empty database migrate it once', async () => {
    const applied = running.nodes.map(
      ({ service }) => service.output().split('"migration applied"').length - 1,
    );
    const [count] = await query<{ count: number }>(
      database.url,
      'select count(*)::integer as count from knex_migrations',
    );
    figure('migrations', { applied: applied.join(' '), recorded: count?.count });
    expect(applied.filter((migrations) => migrations > 0)).to.deep.equal([count?.count]);
    directory = await filledDirectory(database.url, { streams: 20, users: FULL ? 500 : 50, reports: 1 });
  });

  it('a song that was pushed through one shows on every other within a second', async () => {
    const delays: number[] = [];
    const songs = FULL ? 300 : 20;
    for (let song = 0; song < songs; song += 1) {
      const title = `Pushed ${song}.`;
      const { id, uuid } = stream(song % 20);
      const pushed = await clients(song).ask({
        method: 'POST',
        path: `/stream/update/${uuid}`,
        bearer: directory.token,
        body: { title, artist: 'Somebody' },
      });
      expect(pushed?.status).to.equal(200);
      const startedAt = performance.now();
      const shown = await onEach(async (index) => [
        await clients(index).ask({ path: '/stream' }),
        await clients(index).ask({ path: `/stream/${id}/history` }),
      ]);
      delays.push(performance.now() - startedAt);
      for (const answer of shown.flat()) expect(answer?.body).to.include(title);
    }
    figure('song to every node', { songs, asked: 'once', 'slowest ms': Math.round(Math.max(...delays)) });
  });

  it('a change by the command line shows on all of them within a second', async () => {
    const list = (path: string) => async (index: number) => (await clients(index).ask({ path }))?.body ?? '';
    const organization = String((await command('organization', 'add', '--name', 'New Radio'))['id']);
    const url = 'https://stream.example/new';
    const id = String(
      (await command('stream', 'add', '--organization', organization, '--name', 'Late Show', '--url', url))[
        'id'
      ],
    );
    const delays: Record<string, number> = {};
    const shows = async (what: string, path: string, text: string, isShown: boolean) => {
      const startedAt = performance.now();
      await untilTrue(async () =>
        (await onEach(list(path))).every((body) => body.includes(text) === isShown),
      );
      delays[what] = Math.round(performance.now() - startedAt);
    };
    await shows('new stream', '/stream', '"Late Show"', true);
    await command('organization', 'update', organization, '--name', 'Old Radio');
    await shows('renamed', '/stream', '"Old Radio"', true);
    await shows('renamed, organization', `/organization/${organization}`, '"Old Radio"', true);
    await command('stream', 'update', id, '--name', 'Early Show');
    await shows('stream renamed', '/stream', '"Early Show"', true);
    await command('organization', 'update', organization, '--inactive');
    await shows('inactive', '/stream', '"Early Show"', false);
    await command('organization', 'update', organization, '--active');
    await shows('active again', '/stream', '"Early Show"', true);
    await command('stream', 'remove', id, '--yes');
    await shows('removed', '/stream', '"Early Show"', false);
    figure('command line to every node, ms', delays);
    expect(Math.max(...Object.values(delays))).to.be.below(1_000);
  });

  it('one vote toggled everywhere at once is toggled exactly that often', async () => {
    const count = FULL ? 1_000 : 100;
    const { jwt } = user();
    const startedAt = performance.now();
    const answers = await atOnce(count, () => vote(jwt, 'up'));
    const milliseconds = Math.round(performance.now() - startedAt);
    const saved = answers.filter((answer) => message(answer) === 'Vote saved').length;
    const removed = answers.filter((answer) => message(answer) === 'Vote removed').length;
    figure('P4 toggles', { count, answers: statuses(answers), saved, removed, ms: milliseconds });
    expect([saved, removed]).to.deep.equal([count / 2, count / 2]);
    expect(await votes(1, 0, jwt)).to.deep.equal({ upvotes: 0, downvotes: 0, score: 0, userVote: null });
  });

  it('random votes of one user, one after the other on any node, are what a model says', async () => {
    const seed = Date.now() % 1_000_000;
    const random = seededRandom(seed);
    const count = FULL ? 1_000 : 60;
    const { jwt } = user(1);
    let model: 'up' | 'down' | null = null;
    for (let number = 0; number < count; number += 1) {
      const direction: 'up' | 'down' = random() < 0.5 ? 'up' : 'down';
      const expected = model === null ? 'Vote saved' : model === direction ? 'Vote removed' : 'Vote updated';
      model = model === direction ? null : direction;
      expect(message(await clients(Math.floor(random() * NODES)).ask(vote(jwt, direction, 1)))).to.equal(
        expected,
      );
    }
    const { userVote, score } = await votes(2, 1, jwt);
    figure('P4 random votes', { count, seed, divergences: 0 });
    expect({ userVote, score }).to.deep.equal({
      userVote: model,
      score: model === null ? 0 : model === 'up' ? 1 : -1,
    });
  });

  it('whoever votes for one stream, its score is always the difference of its votes', async () => {
    const each = FULL ? 20 : 4;
    const seed = Date.now() % 1_000_000;
    const random = seededRandom(seed);
    let reads = 0;
    let isOver = false;
    const reader = async (index: number) => {
      while (!isOver) {
        const { upvotes, downvotes, score, statusCode } = await votes(index, 2);
        // Where everybody wants the same row, a node may have no connection left for a moment.
        if (statusCode === 503) continue;
        expect(score).to.equal(Number(upvotes) - Number(downvotes));
        reads += 1;
      }
    };
    const readers = onEach(reader);
    const answers = (
      await Promise.all(
        directory.users.map(async ({ jwt }, index) => {
          const own: (Answer | null)[] = [];
          for (let number = 0; number < each; number += 1)
            own.push(
              await together(() => clients(index + number).ask(vote(jwt, random() < 0.5 ? 'up' : 'down', 2))),
            );
          return own;
        }),
      )
    ).flat();
    isOver = true;
    await readers;
    const wrong = await wrongTallies(database.url);
    figure('P5 votes', { seed, answers: statuses(answers), reads, mismatches: wrong });
    for (const answer of answers) expect(answer?.status).to.be.oneOf([200, 503]);
    expect(reads).to.be.above(0);
    expect(wrong).to.equal(0);
  });

  it('equal registrations everywhere at once make one account and one mail', async () => {
    const count = FULL ? 100 : 10;
    const email = 'anna.everywhere@listener.example';
    const spelled = (number: number) =>
      [...email].map((letter, at) => ((number >> (at % 4)) & 1 ? letter.toUpperCase() : letter)).join('');
    const answers = await Promise.all(
      Array.from({ length: count }, async (_, number) => {
        const body = { username: `Anna ${number}`, email: spelled(number), password: PASSWORD };
        for (;;) {
          const answer = await clients(number).ask({ method: 'POST', path: '/user', body });
          if (answer?.status !== 503) return answer;
          await new Promise((retry) => setTimeout(retry, 100 + number * 10));
        }
      }),
    );
    const [owed] = await query<{ mails: number }>(
      database.url,
      'select count(*)::integer as mails from mails m join accounts a on a.id = m.account_id where a.email = $1',
      [email],
    );
    figure('P6 equal registrations', { answers: statuses(answers), mails: owed?.mails });
    expect(answers.filter((answer) => answer?.status === 201)).to.have.length(1);
    expect(answers.filter((answer) => answer?.status === 409)).to.have.length(count - 1);
    expect(owed?.mails).to.equal(1);
  });

  for (const purpose of ['activation', 'reset'] as const)
    it(`one ${purpose} token used everywhere at once works once`, async () => {
      const [mailed] = await mailedTokens(database.url, purpose, 1);
      const count = purpose === 'activation' || FULL ? 50 : 6;
      const answers = await atOnce(count, () =>
        purpose === 'activation'
          ? { method: 'POST', path: `/user/activate/${mailed?.token}` }
          : { method: 'PUT', path: `/user/resetPassword/${mailed?.token}`, body: { password: PASSWORD } },
      );
      figure(`P7 ${purpose}`, { answers: statuses(answers) });
      expect(answers.filter((answer) => answer !== null && answer.status < 300)).to.have.length(1);
      for (const answer of answers) expect(answer?.status).to.be.oneOf([200, 201, 400]);
    });

  it('a login ends on every node with the reset of its password, a token with its revocation', async () => {
    const [mailed] = await mailedTokens(database.url, 'reset', 1);
    const [account] = await query<{ email: string }>(
      database.url,
      'select email from accounts where id = $1',
      [mailed?.user],
    );
    const logIn = (password: string) =>
      clients(0).ask({ method: 'POST', path: '/user/login', body: { email: account?.email, password } });
    const reset = (token: string) =>
      clients(1).ask({ method: 'PUT', path: `/user/resetPassword/${token}`, body: { password: PASSWORD } });
    expect((await reset(mailed?.token ?? ''))?.status).to.equal(201);
    const before = JSON.parse((await logIn(PASSWORD))?.body ?? '{}') as { access_token: string };
    expect(
      (await onEach((index) => clients(index).ask(vote(before.access_token, 'up', 3)))).map(
        (answer) => answer?.status,
      ),
    ).to.deep.equal([200, 200, 200]);

    const again = 'a-second-token-of-the-same-account-0123456789';
    await query(
      database.url,
      `insert into one_time_tokens (account_id, purpose, hash, expires_at)
       values ($1, 'reset', translate(rtrim(encode(sha256($2::bytea), 'base64'), '='), '+/', '-_'), now() + interval '1 hour')`,
      [mailed?.user, again],
    );
    expect((await reset(again))?.status).to.equal(201);
    const refused = await onEach((index) => clients(index).ask(vote(before.access_token, 'up', 3)));
    const after = JSON.parse((await logIn(PASSWORD))?.body ?? '{}') as { access_token: string };
    const welcome = await onEach((index) => clients(index).ask(vote(after.access_token, 'down', 3)));

    const { id, token } = await command('organization', 'token', 'add', String(directory.organization));
    const push = (index: number) =>
      clients(index).ask({
        method: 'POST',
        path: `/stream/update/${stream().uuid}`,
        bearer: String(token),
        body: { title: `By token ${index}`, artist: 'Somebody' },
      });
    const pushed = await onEach(push);
    await command('organization', 'token', 'revoke', String(id));
    const revoked = await onEach(push);
    figure('P30 revocation', {
      'after the reset': statuses(refused),
      'new login': statuses(welcome),
      'token before': statuses(pushed),
      'token after': statuses(revoked),
    });
    expect(refused.map((answer) => answer?.status)).to.deep.equal([401, 401, 401]);
    expect(welcome.map((answer) => answer?.status)).to.deep.equal([200, 200, 200]);
    expect(pushed.map((answer) => answer?.status)).to.deep.equal([200, 200, 200]);
    expect(revoked.map((answer) => answer?.status)).to.deep.equal([401, 401, 401]);
  });

  it('one report sent everywhere at once is one play; shuffled reports leave the latest', async () => {
    const added = await command(
      ...['stream', 'add', '--organization', String(directory.organization)],
      ...['--name', 'Shuffled', '--url', 'https://stream.example/shuffled'],
    );
    const { id, uuid } = added as { id: number; uuid: string };
    const start = Math.floor(Date.now() / 1_000) - 3_600;
    const report = (number: number): Ask => ({
      method: 'POST',
      path: `/stream/update/${uuid}`,
      bearer: directory.token,
      body: { title: `Hour ${number}`, artist: 'Somebody', songStartedAt: start + number * 10 },
    });
    const titles = async () =>
      (
        await query<{ title: string }>(
          database.url,
          `select title from plays where stream_id = $1 and title like 'Hour %' order by started_at`,
          [id],
        )
      ).map(({ title }) => title);

    const same = await atOnce(100, () => report(0));
    const once = await titles();

    const count = FULL ? 1_000 : 60;
    const random = seededRandom(35);
    const numbers = Array.from({ length: count }, (_, number) => number % 300);
    const shuffled = numbers
      .map((number) => ({ number, at: random() }))
      .sort((one, other) => one.at - other.at)
      .map(({ number }) => number);
    const answers: (Answer | null)[] = [];
    for (let from = 0; from < count; from += 50)
      answers.push(
        ...(await Promise.all(
          shuffled.slice(from, from + 50).map((number, index) => insist(index, report(number))),
        )),
      );
    const history = JSON.parse((await clients(1).ask({ path: `/stream/${id}/history` }))?.body ?? '{}') as {
      current: { title: string };
    };
    const left = await titles();
    figure('P35 reports', {
      'same ×100': statuses(same),
      plays: once.length,
      shuffled: statuses(answers),
      current: history.current.title,
    });
    expect(same.every((answer) => answer?.status === 200)).to.equal(true);
    expect(once).to.deep.equal(['Hour 0']);
    expect(answers.every((answer) => answer?.status === 200)).to.equal(true);
    expect(history.current.title).to.equal(`Hour ${Math.max(...numbers)}`);
    expect(new Set(left).size).to.equal(left.length);
  });
});
