import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { InMemoryDirectoryReadModel } from '../../src/adapters/in-memory/in-memory-directory-read-model.js';
import { migrateUp } from '../../src/adapters/postgres/migrations.js';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { IdentifySender, UpdateNowPlaying, newOrganizationToken } from '../../src/application/now-playing.js';
import type { DirectoryReadModel } from '../../src/application/ports/directory-read-model.js';
import { MINUTE, SECOND, type StreamId, type StreamUuid, later } from '../../src/domain/ids.js';
import { KEPT_PLAYS } from '../../src/domain/now-playing.js';
import { anAddedOrganization, anAddedStream, must } from '../support/builders.js';
import { onEachPostgres } from '../support/each-postgres.js';
import { type HttpService, httpService } from '../support/http-service.js';
import { START } from '../support/manual-clock.js';
import { storageOn } from '../support/postgres-storage.js';
import { shownOn } from '../support/shown.js';

/** A service, and a stream that never reported. */
interface Station extends Pick<HttpService, 'http' | 'clock'> {
  readonly directory: DirectoryReadModel;
  readonly token: string;
  readonly stream: { readonly id: StreamId; readonly uuid: StreamUuid };
}

/** What the station does for a while. */
interface Programme {
  readonly what: 'song' | 'live' | 'hidden jingle' | 'stopped' | 'station offline';
  readonly title?: string;
  readonly seconds: number;
  /** No report of it gets through. */
  readonly lost?: true;
  /** The song before goes on: what was in between was an outage. */
  readonly goesOn?: true;
}

const EVENING: readonly Programme[] = [
  { what: 'song', title: 'Intro', seconds: 40 },
  { what: 'song', title: 'So What', seconds: 180 },
  { what: 'hidden jingle', seconds: 20 },
  { what: 'song', title: 'Nardis', seconds: 150 },
  { what: 'song', title: 'Nardis', seconds: 150 },
  { what: 'song', title: 'Lost one', seconds: 120, lost: true },
  { what: 'song', title: 'Lost two', seconds: 4, lost: true },
  { what: 'song', title: 'Jolene', seconds: 170 },
  { what: 'live', title: 'Live Broadcast', seconds: 90 },
  { what: 'live', title: 'Set, part one', seconds: 200 },
  { what: 'live', title: 'Set, part two', seconds: 160 },
  { what: 'song', title: 'So What', seconds: 180 },
  { what: 'stopped', seconds: 600 },
  { what: 'song', title: 'Blue in Green', seconds: 120 },
  { what: 'song', title: 'A long mix', seconds: 300 },
  { what: 'station offline', seconds: 60 },
  { what: 'song', title: 'A long mix', seconds: 200, goesOn: true },
  { what: 'song', title: 'Lost three', seconds: 200, lost: true },
  ...['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven'].map(
    (title) => ({ what: 'song', title, seconds: 95 }) as const,
  ),
];

/** AzuraCast names a start that lies so many seconds later than the song really began. */
const PLAYBACK_DELAY_SECONDS = 5;
const LISTED_PLAYS = 5;
const HISTORY_SHOWN = 3;
const TEMPLATE = JSON.parse(
  readFileSync('tests/fixtures/azuracast/built-autodj-normal.json', 'utf8'),
) as Record<string, object>;
const OFFLINE = JSON.parse(
  readFileSync('tests/fixtures/azuracast/built-offline-remote-only.json', 'utf8'),
) as Record<string, object>;

interface Broadcast {
  readonly title: string;
  readonly shId: number;
  /** Seconds since the evening began. */
  readonly start: number;
  readonly seconds: number;
}

/** The body of AzuraCast's web hook, so many seconds into the evening. */
function nowPlayingObject(what: Programme['what'], plays: readonly Broadcast[], now: number) {
  const row = ({ title, shId, start, seconds }: Broadcast) => ({
    sh_id: shId,
    played_at: START / SECOND + start + PLAYBACK_DELAY_SECONDS,
    duration: what === 'live' ? 0 : seconds,
    playlist: '',
    streamer: what === 'live' ? 'DJ' : '',
    is_request: false,
    song: {
      id: '',
      art: '',
      custom_fields: [],
      text: `Artist - ${title}`,
      artist: 'Artist',
      title,
      lyrics: 'la',
    },
  });
  const [current, ...earlier] = plays.toReversed();
  if (what === 'station offline')
    return { ...OFFLINE, song_history: plays.toReversed().slice(0, LISTED_PLAYS).map(row) };
  return {
    ...TEMPLATE,
    live: { ...TEMPLATE['live'], is_live: what === 'live' },
    listeners: { total: now % 17, unique: now % 13, current: now % 17 },
    now_playing: current && { ...row(current), elapsed: now - current.start, remaining: 0 },
    song_history: earlier.slice(0, LISTED_PLAYS).map(row),
    is_online: what !== 'stopped',
  };
}

/** Random enough, and the same every time. */
function dice(): (sides: number) => number {
  let state = 20_260_115;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

async function replay({ http, clock, token, stream, directory }: Station): Promise<void> {
  const roll = dice();
  const send = async (body: object) => {
    const answer = await http
      .post(`/stream/update/${stream.uuid}`)
      .auth('station', token)
      .set('User-Agent', 'GuzzleHttp/7')
      .send(body);
    expect(answer.status).to.equal(200);
  };
  const plays: Broadcast[] = [];
  let late: { readonly due: number; readonly body: object }[] = [];
  let now = 0;
  for (const { what, title, seconds, lost, goesOn } of EVENING) {
    if (title !== undefined && !goesOn) plays.push({ title, shId: 100 + plays.length, start: now, seconds });
    const end = now + seconds;
    for (; now < end; now = Math.min(end, now + 10)) {
      clock.set(later(START, (now + 1) * SECOND));
      const arriving = late.filter(({ due }) => due <= now).toReversed();
      late = late.filter(({ due }) => due > now);
      for (const { body } of arriving) await send(body);
      if (lost) continue;
      const body = nowPlayingObject(what, plays, now);
      const isTimeless = what === 'station offline';
      // Never so late that the check at the end would come before the newest report of the programme.
      if (!isTimeless && roll(4) === 0 && now > end - seconds + 20)
        late.push({ due: now + 10 + roll(60), body });
      else await send(body);
      if (roll(4) === 0) await send(body);
      if (!isTimeless && roll(5) === 0) late.push({ due: now + 10 + roll(60), body });
      if (roll(4) === 0) await send({ ...body, listeners: { total: 1, unique: 1, current: 1 } });
    }
    if (lost) continue;
    await send(nowPlayingObject(what, plays, now - 1));
    const isSilent = what === 'stopped' || what === 'station offline';
    const shown = await shownOn(http, stream.id);
    const over = isSilent ? plays : plays.slice(0, -1);
    expect(shown.song.title, `on air after ${now} s`).to.equal(isSilent ? '' : plays.at(-1)?.title);
    expect(shown.song.next === null, 'no next song').to.equal(isSilent || what === 'live');
    expect(shown.history.map((line) => line.slice(0, line.lastIndexOf(',')))).to.deep.equal(
      over
        .toReversed()
        .slice(0, HISTORY_SHOWN)
        .map((play) => `Artist - ${play.title}`),
    );
  }
  const history = await directory.history(stream.id);
  const kept = [history?.nowPlaying.current, ...(history?.nowPlaying.past ?? [])];
  const expected = plays.toReversed().slice(0, KEPT_PLAYS + 1);
  expect(kept.map((play) => [play?.title, play?.senderPlayId])).to.deep.equal(
    expected.map((play) => [play.title, String(play.shId)]),
  );
  for (const [index, play] of expected.entries()) {
    const startedAt = kept[index]?.startedAt ?? 0;
    expect((startedAt - START) / SECOND).to.be.within(play.start, play.start + PLAYBACK_DELAY_SECONDS);
  }
}

function webhookSuite(open: () => Promise<Station>): void {
  it('leaves exactly the plays that happened after a whole evening', async function () {
    this.timeout(120_000);
    await replay(await open());
  });

  describe('of a sender that falls silent', () => {
    const reported = async (body: object) => {
      const station = await open();
      station.clock.set(START);
      const { http, clock, token, stream } = station;
      const push = (report: object) =>
        http.post(`/stream/update/${stream.uuid}`).auth('station', token).send(report).expect(200);
      await push({ title: 'A', artist: 'B', songStartedAt: START / SECOND, nextTitle: 'N', ...body });
      const titleAfter = async (milliseconds: number) => {
        clock.set(later(START, milliseconds));
        return (await shownOn(http, stream.id)).song.title;
      };
      return { push, titleAfter, history: async () => (await shownOn(http, stream.id)).history };
    };

    it('shows the song until 15 minutes after its end', async () => {
      const { titleAfter } = await reported({ songDuration: 180 });
      expect(await titleAfter(3 * MINUTE + 15 * MINUTE - 1)).to.equal('A');
      expect(await titleAfter(3 * MINUTE + 15 * MINUTE)).to.equal('');
    });

    it('shows a song of unknown length for 60 minutes', async () => {
      const { titleAfter } = await reported({});
      expect(await titleAfter(60 * MINUTE - 1)).to.equal('A');
      expect(await titleAfter(60 * MINUTE)).to.equal('');
    });

    it('shows it longer for every sign of life, but not for a stale report', async () => {
      const { push, titleAfter } = await reported({ songDuration: 180 });
      await titleAfter(15 * MINUTE);
      await push({ title: 'A', artist: 'B', songStartedAt: START / SECOND });
      expect(await titleAfter(30 * MINUTE - 1)).to.equal('A');
      await push({ title: 'Z', songStartedAt: START / SECOND - 60 });
      expect(await titleAfter(30 * MINUTE)).to.equal('');
    });

    it('puts the song into the history when the next one comes, and shows it again when it goes on', async () => {
      const { push, titleAfter, history } = await reported({ songDuration: 180 });
      expect(await titleAfter(120 * MINUTE)).to.equal('');
      expect(await history()).to.deep.equal([]);
      await push({ title: 'A', artist: 'B', songStartedAt: START / SECOND });
      expect(await titleAfter(121 * MINUTE)).to.equal('A');
      await push({ title: 'C', artist: 'D' });
      expect(await titleAfter(122 * MINUTE)).to.equal('C');
      expect(await history()).to.deep.equal([`B - A, ${new Date(START).toISOString()}`]);
    });
  });
}

describe('The webhook on in-memory storage', () => {
  webhookSuite(async () => {
    const service = httpService();
    const organization = await service.addOrganization();
    return {
      http: service.http,
      clock: service.clock,
      directory: new InMemoryDirectoryReadModel(service.db),
      token: await service.addToken(organization),
      stream: await service.addStream(organization),
    };
  });
});

onEachPostgres('The webhook', (connection) => {
  let db: PostgresDatabase;
  before(async function () {
    this.timeout(60_000);
    db = new PostgresDatabase(connection());
    await migrateUp(db);
  });
  after(() => db.close());

  webhookSuite(async () => {
    const { organizations, nowPlaying, directory } = storageOn(db);
    const secrets = new RandomSecrets();
    const service = httpService({
      replace: ({ clock }) => ({
        identifySender: new IdentifySender(organizations, secrets),
        updateNowPlaying: new UpdateNowPlaying(nowPlaying, secrets, clock),
        directory,
      }),
    });
    const organization = await anAddedOrganization(organizations);
    const token = newOrganizationToken(secrets);
    must(await organizations.addToken(organization, secrets.hash(token), 'test', START));
    const stream = await anAddedStream(organizations, organization);
    return { http: service.http, clock: service.clock, directory, token, stream };
  });
});
