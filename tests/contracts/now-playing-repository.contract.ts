import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Instant,
  MINUTE,
  type OrganizationId,
  SECOND,
  type StreamId,
  type StreamUuid,
  later,
} from '../../src/domain/ids.js';
import { KEPT_PLAYS, NEVER_REPORTED, type NowPlaying, applyReport } from '../../src/domain/now-playing.js';
import { err } from '../../src/domain/result.js';
import { MAX_PLAY_ID_LENGTH, MAX_TEXT_LENGTH, type SongReport } from '../../src/domain/song-report.js';
import {
  aPlay,
  aPlayId,
  aSongReport,
  aStreamUuid,
  anAddedOrganization,
  anAddedStream,
  anHttpUrl,
  must,
} from '../support/builders.js';
import { START } from '../support/manual-clock.js';
import type { Storage, StorageUnderTest } from './storage.js';

/** What every `NowPlayingRepository` promises. The storage was started. */
export function nowPlayingRepositoryContract(storage: StorageUnderTest): void {
  describe('NowPlayingRepository', () => {
    updateContract(storage);
    describe('numbering plays', () => numberContract(storage));
  });
}

function updateContract(storage: StorageUnderTest): void {
  it('begins with a stream that never reported', async () => {
    const store = await opened(storage);
    expect(await stored(store)).to.deep.equal(NEVER_REPORTED);
  });

  it('answers with the stream and what was decided', async () => {
    const { nowPlaying, organization, jazz } = await opened(storage);
    const applied = applyReport(NEVER_REPORTED, aSongReport(), START, aPlayId);
    const answer = must(await nowPlaying.update(jazz.uuid, organization, () => applied));
    expect(answer).to.deep.equal({ stream: jazz.id, applied });
  });

  it('stores every field, instants to the millisecond, durations with their fractions', async () => {
    const store = await opened(storage);
    const whole: NowPlaying = {
      current: aPlay({
        cover: anHttpUrl(`https://radio.example/${'ä'.repeat(1_000)}?q=%00&x='"`),
        durationSeconds: 243.726,
        startedAt: later(START, 1),
        announcedStart: later(START, 4_321),
        senderPlayId: `${'x'.repeat(MAX_PLAY_ID_LENGTH - 1)}7`,
      }),
      next: { title: 'Freddie Freeloader', artist: '', cover: anHttpUrl() },
      reportedAt: later(START, 999),
      past: [
        aPlay({ startedAt: later(START, -1), cover: anHttpUrl(), senderPlayId: '1428' }),
        aPlay({ startedAt: later(START, -2) }),
      ],
    };
    const sparse: NowPlaying = {
      current: null,
      next: { title: 'Blue in Green', artist: 'Bill Evans', cover: null },
      reportedAt: later(START, 1_000),
      past: [],
    };
    for (const nowPlaying of [whole, sparse, { ...sparse, next: null }, whole, NEVER_REPORTED]) {
      await store.nowPlaying.update(store.jazz.uuid, store.organization, () => ({
        outcome: 'new-play',
        nowPlaying,
      }));
      expect(await stored(store)).to.deep.equal(nowPlaying);
    }
  });

  for (const [what, text] of [
    ['emoji', '🎵👩‍👩‍👧‍👦🏳️‍🌈'],
    ['right-to-left text', 'أغنية ‏שלום‎ عليكم'],
    ['combining marks as they came', 'Z͑ͫ̓ͪ̂ͫ̽͏̴a\u0301é'],
    ['quotes, percent and backslashes', `'; DROP TABLE plays;-- "%s" \\u0000 \\\\ $1 {}`],
    ['the longest text', '𝄞'.repeat(MAX_TEXT_LENGTH)],
    ['the empty text', ''],
  ] as const)
    it(`keeps ${what} in titles and artists`, async () => {
      const store = await opened(storage);
      const nowPlaying: NowPlaying = {
        current: aPlay({ title: text, artist: text }),
        next: { title: text, artist: text, cover: null },
        reportedAt: START,
        past: [aPlay({ title: text, artist: text })],
      };
      await store.nowPlaying.update(store.jazz.uuid, store.organization, () => ({
        outcome: 'new-play',
        nowPlaying,
      }));
      expect(await stored(store)).to.deep.equal(nowPlaying);
    });

  it('refuses an unknown UUID, and the stream of another organization, with nothing written', async () => {
    const store = await opened(storage);
    const stranger = await anAddedOrganization(store.organizations);
    await report(store, store.jazz.uuid, aSongReport());
    const before = await stored(store);
    const decide = () => expect.fail('There is nothing to decide about.');
    expect(await store.nowPlaying.update(aStreamUuid(), store.organization, decide)).to.deep.equal(
      err({ kind: 'unknown-stream-uuid' }),
    );
    expect(await store.nowPlaying.update(store.jazz.uuid, stranger, decide)).to.deep.equal(
      err({ kind: 'stream-of-another-organization' }),
    );
    expect(await stored(store)).to.deep.equal(before);
  });

  for (const [what, organizationFields, isEnabled] of [
    ['that is not enabled', {}, false],
    ['of an inactive organization', { isActive: false }, true],
    ['of a private organization', { isPublic: false }, true],
  ] as const)
    it(`takes reports for a stream ${what}`, async () => {
      const store = await storage.open();
      const organization = await anAddedOrganization(store.organizations, organizationFields);
      const jazz = await anAddedStream(store.organizations, organization, { isEnabled });
      await report({ ...store, organization }, jazz.uuid, aSongReport({ title: 'Nardis' }));
      expect((await stored({ ...store, organization, jazz })).current?.title).to.equal('Nardis');
    });

  it('keeps streams apart', async () => {
    const store = await opened(storage);
    await report(store, store.jazz.uuid, aSongReport({ title: 'Nardis' }));
    await report(store, store.folk.uuid, aSongReport({ title: 'Jolene' }));
    expect((await stored(store)).current?.title).to.equal('Nardis');
    expect((await stored({ ...store, jazz: store.folk })).current?.title).to.equal('Jolene');
  });

  it('leaves one play after many concurrent reports of one song', async () => {
    const store = await opened(storage);
    const song = aSongReport({ startedAt: START });
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => report(store, store.jazz.uuid, song)),
    );
    expect(outcomes.filter((outcome) => outcome === 'new-play')).to.have.length(1);
    expect(outcomes.filter((outcome) => outcome === 'repeat')).to.have.length(49);
    expect(await stored(store)).to.deep.include({ past: [] });
  });

  it('applies concurrent reports of one stream one after the other: no play is lost', async () => {
    const store = await opened(storage);
    const titles = Array.from({ length: 15 }, (_, index) => `Song ${index}`);
    await Promise.all(titles.map((title) => report(store, store.jazz.uuid, aSongReport({ title }))));
    const { current, past } = await stored(store);
    expect([current, ...past].map((play) => play?.title)).to.have.members(titles);
  });

  it('holds, after any sequence of reports, what the rule makes of them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(reports(), { maxLength: 30 }), async (sequence) => {
        const store = await opened(storage);
        let model = NEVER_REPORTED;
        let now = START;
        const numbers = new Map<string, number>();
        for (const { pause, song } of sequence) {
          now = later(now, pause);
          const ids = Array.from({ length: 5 }, aPlayId);
          const inTurn = () => {
            const unused = [...ids];
            return () => unused.shift() ?? aPlayId();
          };
          const at = now;
          model = applyReport(model, song(at), at, inTurn()).nowPlaying;
          await store.nowPlaying.update(store.jazz.uuid, store.organization, (before) =>
            applyReport(before, song(at), at, inTurn()),
          );
          const history = await store.directory.history(store.jazz.id);
          const past = history?.nowPlaying.past ?? [];
          expect({ ...history?.nowPlaying, past: past.map(({ number: _, ...play }) => play) }).to.deep.equal(
            model,
          );
          for (const play of past) expect(play.number).to.equal(numbers.get(play.id) ?? play.number);
          for (const play of past) numbers.set(play.id, play.number);
        }
        expect(new Set(numbers.values())).to.have.property('size', numbers.size);
      }),
      { numRuns: 15 },
    );
  });
}

function numberContract(storage: StorageUnderTest): void {
  it('gives each a positive integer that no other play has, on any stream', async () => {
    const store = await opened(storage);
    for (let index = 0; index < 4; index += 1)
      for (const { uuid } of [store.jazz, store.folk])
        await report(store, uuid, aSongReport({ title: `Song ${index}` }), later(START, index * MINUTE));
    const numbers = [...(await numbered(store, store.jazz)), ...(await numbered(store, store.folk))].map(
      (play) => play.number,
    );
    expect(numbers).to.have.length(6);
    expect(new Set(numbers)).to.have.property('size', 6);
    for (const number of numbers) expect(Number.isInteger(number) && number > 0).to.equal(true);
  });

  it('lets a play keep its number while others come and go', async () => {
    const store = await opened(storage);
    const seen = new Map<string, number>();
    for (let index = 0; index < KEPT_PLAYS + 5; index += 1) {
      await report(
        store,
        store.jazz.uuid,
        aSongReport({ title: `Song ${index}` }),
        later(START, index * MINUTE),
      );
      for (const { title, number } of await numbered(store, store.jazz)) {
        expect(number).to.equal(seen.get(title) ?? number);
        seen.set(title, number);
      }
    }
    expect(new Set(seen.values())).to.have.property('size', KEPT_PLAYS + 4);
  });

  it('drops plays that are no longer in the answer', async () => {
    const store = await opened(storage);
    const plays = [aPlay(), aPlay(), aPlay()];
    const put = (past: typeof plays) =>
      store.nowPlaying.update(store.jazz.uuid, store.organization, () => ({
        outcome: 'new-play',
        nowPlaying: { current: null, next: null, reportedAt: START, past },
      }));
    await put(plays);
    const numbers = (await numbered(store, store.jazz)).map((play) => play.number);
    await put(plays.slice(1, 2));
    expect(await numbered(store, store.jazz)).to.deep.equal([{ ...plays[1], number: numbers[1] }]);
    await put([]);
    expect(await numbered(store, store.jazz)).to.deep.equal([]);
  });

  it('lets a play that goes on after an outage keep its id and its number', async () => {
    const store = await opened(storage);
    const song = aSongReport({ startedAt: START, durationSeconds: 600 });
    await report(store, store.jazz.uuid, song, START);
    await report(store, store.jazz.uuid, aSongReport({ offAir: true }), later(START, MINUTE));
    const [ended] = await numbered(store, store.jazz);
    await report(store, store.jazz.uuid, song, later(START, 2 * MINUTE));
    const resumed = await store.directory.history(store.jazz.id);
    expect(resumed?.nowPlaying.current?.id).to.equal(ended?.id);
    expect(resumed?.nowPlaying.past).to.deep.equal([]);
    await report(store, store.jazz.uuid, aSongReport({ title: 'Nardis' }), later(START, 3 * MINUTE));
    expect(await numbered(store, store.jazz)).to.deep.equal([ended]);
  });
}

interface Opened extends Storage {
  readonly organization: OrganizationId;
  readonly jazz: { readonly id: StreamId; readonly uuid: StreamUuid };
}

/** A store with two active streams. */
async function opened(storage: StorageUnderTest) {
  const store = await storage.open();
  const organization = await anAddedOrganization(store.organizations);
  const jazz = await anAddedStream(store.organizations, organization);
  const folk = await anAddedStream(store.organizations, organization);
  return { ...store, organization, jazz, folk };
}

async function report(
  { nowPlaying, organization }: Pick<Opened, 'nowPlaying' | 'organization'>,
  stream: StreamUuid,
  song: SongReport,
  now: Instant = START,
) {
  const updated = await nowPlaying.update(stream, organization, (before) =>
    applyReport(before, song, now, aPlayId),
  );
  return must(updated).applied.outcome;
}

/** What the next report for the stream would be decided on. */
async function stored({ nowPlaying, organization, jazz }: Opened): Promise<NowPlaying> {
  let found: NowPlaying | undefined;
  await nowPlaying.update(jazz.uuid, organization, (before) => {
    found = before;
    return { outcome: 'repeat', nowPlaying: before };
  });
  return found ?? expect.fail('Nothing was decided.');
}

async function numbered({ directory }: Storage, { id }: { readonly id: StreamId }) {
  return (await directory.history(id))?.nowPlaying.past ?? expect.fail('The stream is not active.');
}

/** Songs of a small choice, so that repeats, outages, late and early reports all happen. */
function reports() {
  return fc.record({
    pause: fc.constantFrom(0, 1, 5 * SECOND, MINUTE, 20 * MINUTE),
    song: fc
      .record({
        title: fc.constantFrom(null, 'So What', 'Nardis', 'Jolene'),
        artist: fc.constantFrom(null, 'Miles Davis'),
        nextTitle: fc.constantFrom(null, 'Nardis'),
        durationSeconds: fc.constantFrom(null, 180.5),
        delay: fc.constantFrom(null, -MINUTE, -4 * SECOND, 0, 6 * SECOND),
        offAir: fc.nat({ max: 4 }).map((number) => number === 0),
        playId: fc.constantFrom(null, '1', '2'),
        earlier: fc.array(
          fc.record({
            title: fc.constantFrom('So What', 'Nardis', 'Blue in Green'),
            playId: fc.constantFrom(null, '1', '2', '3'),
            delay: fc.constantFrom(null, -20 * MINUTE, -MINUTE, -MINUTE - 1, 0, 6 * SECOND),
          }),
          { maxLength: 3 },
        ),
      })
      .map(
        ({ title, artist, nextTitle, durationSeconds, delay, offAir, playId, earlier }) =>
          (now: Instant) =>
            aSongReport({
              title,
              artist,
              durationSeconds,
              startedAt: delay === null ? null : later(now, delay),
              next: { title: nextTitle, artist: null, cover: null },
              offAir,
              playId,
              earlier: earlier.map((play) => ({
                title: play.title,
                artist: 'Miles Davis',
                cover: null,
                durationSeconds: null,
                startedAt: play.delay === null ? null : later(now, play.delay),
                playId: play.playId,
              })),
            }),
      ),
  });
}
