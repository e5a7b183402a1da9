import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import pLimit from 'p-limit';
import type { TokenPurpose } from '../../src/domain/one-time-token.js';
import {
  type Answer,
  type Clients,
  type VoteLogged,
  checkVotes,
  outcomeOf,
  query,
  statuses,
} from '../support/checker.js';
import { FULL, figure } from '../support/figures.js';
import { type FilledDirectory, filledDirectory, mailedTokens } from '../support/filled-directory.js';
import { type Nodes, startNodes, untilTrue } from '../support/nodes.js';
import {
  type PostgresFaults,
  type PostgresServer,
  type TestDatabase,
  startPostgres,
} from '../support/postgres-server.js';

const STREAMS = FULL ? 100 : 20;
const USERS = FULL ? 250 : 50;
/** Pairs of a user and a stream: the first ones are for the storm, the others for the time after it. */
const PAIRS = STREAMS * USERS;
const STORM = PAIRS * 0.8;
const PASSWORD = 'Sunny-Day-2026';

describe('What was acknowledged', function () {
  this.timeout(FULL ? 900_000 : 60_000);
  let server: PostgresServer | null;
  let faults: PostgresFaults;
  let database: TestDatabase;
  let directory: FilledDirectory;
  let running: Nodes;

  before('needs PostgreSQL on this machine, and one of our own', async function () {
    server = await startPostgres();
    if (!server?.faults) return this.skip();
    faults = server.faults;
    database = await server.createDatabase();
    directory = await filledDirectory(database.url, { streams: STREAMS, users: USERS });
    running = await startNodes(2, database.url);
  });
  after(async () => {
    await running?.stop();
    await server?.stop();
  });

  /** What all the clients of all the tests were told. */
  const votes: VoteLogged[] = [];
  const names: string[] = [];

  const clients = (number: number): Clients => {
    const node = running.nodes[number % running.nodes.length];
    if (!node) throw new Error('There is no node.');
    return node.clients;
  };

  const works = async () => (await clients(0).ask({ path: '/stats' }))?.status === 200;

  /** Work of many clients, who wait for the service when it is not there, so that an outage does not use it all up. */
  const each = async (count: number, atOnce: number, ask: (number: number) => Promise<Answer | null>) => {
    const limit = pLimit(atOnce);
    const answers: (Answer | null)[] = [];
    const work = Array.from({ length: count }, (_, number) =>
      limit(async () => {
        const answer = await ask(number);
        answers.push(answer);
        if (answer === null || answer.status >= 500) await untilTrue(works, 30_000);
      }),
    );
    const done = Promise.all(work);
    return { answers, done };
  };

  const castVote = async (number: number): Promise<Answer | null> => {
    const user = directory.users[Math.floor(number / STREAMS)];
    const stream = directory.streams[number % STREAMS];
    if (!user || !stream) throw new Error('There are not so many pairs.');
    const direction = number % 3 === 0 ? 'down' : 'up';
    const answer = await clients(number).ask({
      method: 'POST',
      path: `/stream/${stream.id}/vote`,
      bearer: user.jwt,
      body: { voteType: direction },
    });
    votes.push({ user: user.session.user, stream: stream.id, direction, outcome: outcomeOf(answer) });
    return answer;
  };

  /** Who is not told repeats it, as people do. */
  const register = async (number: number): Promise<Answer | null> => {
    const username = `anna-${number}`;
    const body = { username, email: `${username}@listener.example`, password: PASSWORD };
    for (let attempt = 0; ; attempt += 1) {
      const answer = await clients(number).ask({ method: 'POST', path: '/user', body });
      if (answer?.status === 201) names.push(username);
      if (answer !== null && answer.status < 500) return answer;
      await pause(250);
    }
  };

  const push = async (number: number, acknowledged: string[]): Promise<Answer | null> => {
    const title = `Song ${number}`;
    const answer = await clients(number).ask({
      method: 'POST',
      path: `/stream/update/${directory.streams[number % STREAMS]?.uuid}`,
      bearer: directory.token,
      body: { title, artist: 'Somebody' },
    });
    if (outcomeOf(answer) === 'ok') acknowledged.push(title);
    return answer;
  };

  /** Kills and restarts PostgreSQL whenever another part of the work is done. */
  const killing = async (times: number, answered: () => number, count: number) => {
    for (let kill = 1; kill <= times; kill += 1) {
      await untilTrue(async () => answered() >= (count * kill) / (times + 1), 600_000);
      await faults.kill();
      await pause(150);
      await faults.restart();
    }
  };

  const registrationsFound = async () => {
    const rows = await query<{ name: string; mails: number }>(
      database.url,
      `select a.username as name, count(m.id)::integer as mails
       from accounts a left join mails m on m.account_id = a.id where a.username like 'anna-%' group by a.username`,
    );
    const mails = new Map(rows.map(({ name, mails: count }) => [name, count]));
    return {
      acknowledged: names.length,
      lost: names.filter((name) => !mails.has(name)).length,
      withoutTheirMail: rows.filter(({ mails: count }) => count !== 1).length,
    };
  };

  const songsFound = async (acknowledged: readonly string[], tried: number) => {
    const plays = await query<{ title: string }>(database.url, 'select title from plays');
    const titles = new Set(plays.map(({ title }) => title));
    const [broken] = await query<{ count: number }>(
      database.url,
      `select count(*)::integer as count from now_playing n where current_play is null
         and exists (select from plays p where p.stream_id = n.stream_id)`,
    );
    return {
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((title) => !titles.has(title)).length,
      twice: plays.length - titles.size,
      invented: plays.filter(({ title }) => Number(title.slice(5)) >= tried).length,
      historiesWithoutSong: broken?.count ?? NaN,
    };
  };

  it('of votes survives kill -9 of PostgreSQL, and nothing else is there', async () => {
    const kills = FULL ? 5 : 1;
    const { answers, done } = await each(STORM, 50, castVote);
    await killing(kills, () => answers.length, STORM);
    await done;
    const found = await checkVotes(database.url, votes);
    figure('P1 votes', { ...found, kills, answers: statuses(answers) });
    expect(found).to.include({ lost: 0, phantom: 0, wrongTallies: 0 });
    expect(found.unknown, 'votes that met the outage').to.be.above(0);
    expect(found.acknowledged).to.be.above(STORM / 2);
    expect(answers.filter((answer) => answer && ![200, 503].includes(answer.status))).to.deep.equal([]);
  });

  /** Uses one-time tokens, each once; tells afterwards what came of it. */
  const useTokens = async (purpose: TokenPurpose, count: number, atOnce: number) => {
    const tokens = await mailedTokens(database.url, purpose, count);
    const use = (number: number): Promise<Answer | null> => {
      const { token = '' } = tokens[number] ?? {};
      return clients(number).ask(
        purpose === 'activation'
          ? { method: 'POST', path: `/user/activate/${token}` }
          : { method: 'PUT', path: `/user/resetPassword/${token}`, body: { password: PASSWORD } },
      );
    };
    const acknowledged: number[] = [];
    const begin = () =>
      each(count, atOnce, async (number) => {
        const answer = await use(number);
        if (outcomeOf(answer) === 'ok') acknowledged.push(number);
        return answer;
      });
    const check = async () => {
      const isDone = purpose === 'activation' ? 'activated_at is not null' : 'credential_version > 1';
      const rows = await query<{ id: number }>(database.url, `select id from accounts where ${isDone}`);
      const users = new Set(rows.map(({ id }) => id));
      const again = await Promise.all(acknowledged.slice(0, 5).map(use));
      return {
        acknowledged: acknowledged.length,
        lost: acknowledged.filter((number) => !users.has(tokens[number]?.user ?? 0)).length,
        usableAgain: again.filter((answer) => answer?.status !== 400).length,
      };
    };
    return { begin, check };
  };

  it('of registrations, activations, resets and songs survives kill -9 of PostgreSQL', async () => {
    const counts = FULL
      ? { registrations: 500, activations: 500, resets: 500, songs: 500 }
      : { registrations: 6, activations: 40, resets: 6, songs: 100 };
    const kills = FULL ? 5 : 1;
    const titles: string[] = [];
    const activations = await useTokens('activation', counts.activations, 4);
    const resets = await useTokens('reset', counts.resets, 2);

    const storms = {
      registrations: await each(counts.registrations, 4, register),
      activations: await activations.begin(),
      resets: await resets.begin(),
      songs: await each(counts.songs, 4, (number) => push(number, titles)),
    };
    const all = Object.values(storms);
    const count = Object.values(counts).reduce((sum, one) => sum + one);
    await killing(kills, () => all.reduce((sum, { answers }) => sum + answers.length, 0), count);
    await Promise.all(all.map(({ done }) => done));

    const found = {
      registrations: await registrationsFound(),
      activations: await activations.check(),
      resets: await resets.check(),
      songs: await songsFound(titles, counts.songs),
    };
    for (const [what, { answers }] of Object.entries(storms))
      figure(`P2 ${what}`, {
        ...found[what as keyof typeof found],
        kills,
        answers: statuses(answers),
      });
    expect(found.registrations).to.include({ lost: 0, withoutTheirMail: 0 });
    expect(found.activations).to.include({ lost: 0, usableAgain: 0 });
    expect(found.resets).to.include({ lost: 0, usableAgain: 0 });
    expect(found.songs).to.include({ lost: 0, twice: 0, invented: 0, historiesWithoutSong: 0 });
    for (const { acknowledged } of Object.values(found)) expect(acknowledged).to.be.above(0);
  });

  it('by a node that is killed -9 is there when its successor comes, and nothing is half done', async () => {
    const kills = FULL ? 10 : 1;
    const votedBefore = votes.length;
    const namedBefore = names.length;
    const titles: string[] = [];
    const pids = new Set<number | undefined>();
    const answers: (Answer | null)[] = [];
    let number = STORM;
    let isOver = false;
    const worker = async (work: (number: number) => Promise<Answer | null>) => {
      while (!isOver && number < PAIRS) {
        const answer = await work(number++);
        answers.push(answer);
        if (answer === null) await pause(100);
      }
    };
    const load = [
      ...Array.from({ length: 8 }, () => worker(castVote)),
      ...Array.from({ length: 4 }, () => worker((index) => push(index, titles))),
      ...Array.from({ length: 2 }, () => worker(register)),
    ];
    for (let kill = 0; kill < kills; kill += 1) {
      await pause(FULL ? 2_000 : 800);
      const killed = running;
      for (const { service } of killed.nodes) {
        pids.add(service.process.pid);
        await service.end('SIGKILL');
      }
      running = await startNodes(2, database.url);
      await killed.stop();
    }
    await pause(500);
    isOver = true;
    await Promise.all(load);
    const voted = await checkVotes(database.url, votes);
    const registrations = await registrationsFound();
    const songs = await songsFound(titles, number);
    figure('P3 kills of the service', { kills: pids.size, answers: statuses(answers) });
    figure('P3 votes', voted);
    figure('P3 registrations', registrations);
    figure('P3 songs', songs);
    expect(voted).to.include({ lost: 0, phantom: 0, wrongTallies: 0 });
    expect(registrations).to.include({ lost: 0, withoutTheirMail: 0 });
    expect(songs).to.include({ historiesWithoutSong: 0, twice: 0, invented: 0 });
    // Only the last plays of a stream are kept, so that older ones may be gone by now.
    if (titles.length < STREAMS * 20) expect(songs.lost).to.equal(0);
    expect(votes.length).to.be.above(votedBefore);
    expect(names.length).to.be.above(namedBefore);
    expect(songs.acknowledged).to.be.above(0);
  });
});
