import { expect } from 'chai';
import fc from 'fast-check';
import { type PlayId, SECOND } from '../../src/domain/ids.js';
import {
  KEPT_PLAYS,
  NEVER_REPORTED,
  type NowPlaying,
  applyReport,
  isChange,
} from '../../src/domain/now-playing.js';
import { type SongReport, readSongReport } from '../../src/domain/song-report.js';
import { aPlayId, anHttpUrl } from '../support/builders.js';
import { START } from '../support/manual-clock.js';
import { Listener, at, song } from './listener.js';

const COVER = anHttpUrl('https://covers.example/1.jpg');
const OTHER_COVER = anHttpUrl('https://covers.example/2.jpg');

describe('Whatever is reported', () => {
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
  const titles = fc.constantFrom(null, 'A', 'B', 'C', 'Station Offline');
  const artists = fc.constantFrom(null, 'X', 'Y');
  const covers = maybe(fc.constantFrom(COVER, OTHER_COVER));
  const names = fc.record({ title: titles, artist: artists, cover: covers });
  /** A report, how long after the one before it came, and where its start lies, in seconds. */
  const heard = fc.record({
    pause: fc.oneof(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 300 })),
    start: maybe(fc.oneof(fc.integer({ min: -8, max: 8 }), fc.integer({ min: -300, max: 90 }))),
    song: names,
    durationSeconds: maybe(fc.integer({ min: 1, max: 600 })),
    next: fc.oneof(names, fc.constant('none' as const)),
    offAir: fc.boolean(),
    playId: maybe(fc.constantFrom('1', '2', '3')),
    earlier: fc.array(
      fc.record({
        song: names,
        start: maybe(fc.integer({ min: -300, max: 20 })),
        playId: maybe(fc.constantFrom('1', '2', '3', '4')),
      }),
      { maxLength: 4 },
    ),
  });
  type Heard = typeof heard extends fc.Arbitrary<infer T> ? T : never;
  const reportOf = (one: Heard, now: number): SongReport => ({
    ...one.song,
    durationSeconds: one.durationSeconds,
    startedAt: one.start === null ? null : at(now + one.start),
    next: one.next,
    offAir: one.offAir,
    playId: one.playId,
    earlier: one.earlier.map(({ song: named, start, playId }) => ({
      ...named,
      durationSeconds: null,
      startedAt: start === null ? null : at(now + start),
      playId,
    })),
  });
  const days = fc.array(heard, { minLength: 1, maxLength: 60 });
  const evening = (
    day: readonly Heard[],
    after: (listener: Listener, report: SongReport, now: number) => void,
  ) => {
    const listener = new Listener();
    let now = 0;
    for (const one of day) {
      now += one.pause;
      const report = reportOf(one, now);
      listener.hear(now, report);
      after(listener, report, now);
    }
  };

  it('the history holds no silence, no copy of a play and not the current one, newest first', () => {
    fc.assert(
      fc.property(days, (day) =>
        evening(day, ({ state: { current, past } }) => {
          expect(past.length).to.be.at.most(KEPT_PLAYS);
          for (const { title, artist } of past) {
            expect(title).not.to.equal('');
            expect(title === 'Station Offline' && artist === '').to.equal(false);
          }
          const ids = [...(current ? [current] : []), ...past].map(({ id }) => id);
          expect(new Set(ids)).to.have.property('size', ids.length);
          const starts = past.map(({ startedAt }) => startedAt);
          expect(starts).to.deep.equal(starts.toSorted((one, other) => other - one));
        }),
      ),
    );
  });

  it('no play stands there twice, as far as starts tell plays apart', () => {
    const known = heard.map((one) => ({
      ...one,
      start: Math.min(one.start ?? 0, 0),
      playId: null,
      earlier: [],
    }));
    fc.assert(
      fc.property(fc.array(known, { minLength: 1, maxLength: 60 }), (day) =>
        evening(day, ({ state: { current, past } }) => {
          const plays = [...(current ? [current] : []), ...past];
          const copies = plays.filter((play, index) =>
            plays.some(
              (other, position) =>
                position > index &&
                other.title === play.title &&
                other.artist === play.artist &&
                Math.abs(other.startedAt - play.startedAt) <= 5 * SECOND,
            ),
          );
          expect(copies).to.deep.equal([]);
        }),
      ),
    );
  });

  it('no play starts in the future', () => {
    fc.assert(
      fc.property(days, (day) =>
        evening(day, ({ state: { current, past } }, _report, now) => {
          for (const play of [...(current ? [current] : []), ...past])
            expect(play.startedAt).to.be.at.most(at(now));
        }),
      ),
    );
  });

  it('hearing it again changes nothing', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: 0, max: 10 }), (day, pause) =>
        evening(day, ({ state }, report, now) => {
          const again = applyReport(state, report, at(now + pause), aPlayId);
          expect(isChange(again.outcome)).to.equal(false);
          expect({ ...again.nowPlaying, reportedAt: null }).to.deep.equal({ ...state, reportedAt: null });
        }),
      ),
    );
  });

  it('the outcome says truly whether anything changed', () => {
    fc.assert(
      fc.property(days, (day) => {
        let before: NowPlaying = NEVER_REPORTED;
        evening(day, ({ state, outcome }) => {
          const same =
            JSON.stringify({ ...before, reportedAt: 0 }) === JSON.stringify({ ...state, reportedAt: 0 });
          expect(isChange(outcome ?? 'empty')).to.equal(!same);
          before = state;
        });
      }),
    );
  });

  it('nothing throws, whatever JSON stands in the fields', () => {
    const field = fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.constant(undefined),
    );
    const body = fc.record({
      title: field,
      artist: field,
      art: field,
      nextTitle: field,
      nextArtist: field,
      nextArt: field,
      songDuration: field,
      songStartedAt: field,
    });
    fc.assert(
      fc.property(fc.array(body, { maxLength: 10 }), (bodies) => {
        const listener = new Listener();
        bodies.forEach((fields, index) => listener.hear(index * 60, readSongReport(fields)));
        expect(listener.outcomes).to.have.length(bodies.length);
      }),
    );
  });

  it('the history is what was played, for any fixed error of the clock, any pace of repeats and late copies', () => {
    const broadcast = fc.record({
      lengths: fc.array(fc.integer({ min: 12, max: 400 }), { minLength: 1, maxLength: 15 }),
      error: fc.integer({ min: -3_600, max: 3_600 }),
      pace: fc.integer({ min: 1, max: 12 }),
      /** How many reports back the copy lies that arrives after a report; 0: none. */
      copies: fc.infiniteStream(fc.nat(3)),
    });
    fc.assert(
      fc.property(broadcast, ({ lengths, error, pace, copies }) => {
        const listener = new Listener();
        const sent: SongReport[] = [];
        const played: string[] = [];
        let start = 0;
        lengths.forEach((length, index) => {
          const title = `Song ${index % 4}`;
          played.unshift(title);
          for (let now = start; now < start + length; now += pace) {
            sent.push(song(title, { startedAt: at(start + error) }));
            listener.hear(now, song(title, { startedAt: at(start + error) }));
            const copy = sent.at(-1 - (copies.next().value ?? 0));
            if (copy) listener.hear(now, copy);
          }
          start += length;
        });
        const { current, past } = listener.state;
        expect([current, ...past].map((play) => play?.title)).to.deep.equal(played);
      }),
    );
  });

  it('the history is what was heard of, where reports are lost or repeated but stay in order', () => {
    const broadcast = fc.array(
      fc.record({ length: fc.integer({ min: 12, max: 400 }), heard: fc.array(fc.nat(3), { maxLength: 40 }) }),
      { minLength: 1, maxLength: 18 },
    );
    fc.assert(
      fc.property(broadcast, (plays) => {
        const listener = new Listener();
        const expected: string[] = [];
        let start = 0;
        plays.forEach(({ length, heard: copies }, index) => {
          const title = `Song ${index % 3}`;
          copies.slice(0, Math.ceil(length / 10)).forEach((count, step) => {
            for (let copy = 0; copy < count; copy += 1)
              listener.hear(start + step * 10, song(title, { startedAt: at(start) }));
          });
          if (listener.plays[0] === `${title}@${start}`) expected.unshift(`${title}@${start}`);
          start += length;
        });
        const wasHeard = plays.map(({ length, heard: copies }) =>
          copies.slice(0, Math.ceil(length / 10)).some((count) => count > 0),
        );
        expect(expected).to.have.length(wasHeard.filter(Boolean).length);
        expect(listener.plays).to.deep.equal(expected.length === 0 ? ['-'] : expected);
      }),
    );
  });

  it('a play gets the identity that it was given', () => {
    const id = 'a-play' as PlayId;
    expect(applyReport(NEVER_REPORTED, song('A'), START, () => id).nowPlaying.current?.id).to.equal(id);
  });
});
