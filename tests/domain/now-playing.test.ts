import { expect } from 'chai';
import { MINUTE, SECOND, later } from '../../src/domain/ids.js';
import {
  KEPT_PLAYS,
  NEVER_REPORTED,
  SHOWN_PLAYS,
  applyReport,
  isChange,
  onAir,
} from '../../src/domain/now-playing.js';
import type { SongReport } from '../../src/domain/song-report.js';
import { aPlayId, aSongReport, anHttpUrl } from '../support/builders.js';
import { START } from '../support/manual-clock.js';
import { Listener, at, song } from './listener.js';

const NO_SONG = { title: null, artist: null, cover: null };
const details = (overrides: Partial<SongReport>) => aSongReport({ title: null, artist: null, ...overrides });
const next = (title: string) => ({ title, artist: 'Next artist', cover: null });
const COVER = anHttpUrl('https://covers.example/1.jpg');
const OTHER_COVER = anHttpUrl('https://covers.example/2.jpg');

describe('A report without title and artist (rule 1)', () => {
  const playing = () =>
    new Listener().hear(0, song('A', { durationSeconds: 100, cover: COVER, next: next('B') }));

  for (const [field, report, expected] of [
    ['the next song', { next: next('C') }, { next: next('C') }],
    ['the duration', { durationSeconds: 200 }, { current: { durationSeconds: 200 } }],
    ['the art', { cover: OTHER_COVER }, { current: { cover: OTHER_COVER } }],
  ] as const)
    it(`changes ${field} and nothing else`, () => {
      const { state: before } = playing();
      const listener = new Listener(before).hear(10, details(report));
      const wanted = {
        ...before,
        ...expected,
        current: { ...before.current, ...('current' in expected ? expected.current : {}) },
        reportedAt: at(10),
      };
      expect(listener.state).to.deep.equal(wanted);
      expect(listener.outcome).to.equal('details');
    });

  it('that says what is known is a repeat, and a sign of life', () => {
    const listener = playing().hear(10, details({ durationSeconds: 100 }));
    expect(listener.outcome).to.equal('repeat');
    expect(listener.state.reportedAt).to.equal(at(10));
  });

  it('that carries nothing changes nothing at all', () => {
    const { state } = playing();
    for (const report of [details({}), details({ startedAt: at(5) })]) {
      const applied = applyReport(state, report, at(10), aPlayId);
      expect(applied).to.deep.equal({ outcome: 'empty', nowPlaying: state });
    }
  });

  it('gives the next song new art without being told its name again', () => {
    const listener = playing().hear(10, details({ next: { ...NO_SONG, cover: COVER } }));
    expect(listener.state.next).to.deep.equal({ ...next('B'), cover: COVER });
  });

  it('puts nothing on air where nothing is', () => {
    const listener = new Listener().hear(0, details({ durationSeconds: 200, cover: COVER, next: next('B') }));
    expect(listener.state).to.deep.include({ current: null, next: next('B'), past: [] });
  });

  it('of an older play is stale', () => {
    const { state } = new Listener().hear(100, song('A', { startedAt: at(100) }));
    const applied = applyReport(
      state,
      details({ startedAt: at(94.999), durationSeconds: 7 }),
      at(110),
      aPlayId,
    );
    expect(applied).to.deep.equal({ outcome: 'stale', nowPlaying: state });
  });
});

describe('A report of the current song (rule 2)', () => {
  for (const [when, startedAt] of [
    ['of unknown start', null],
    ['of the same start', at(100)],
    ['5 s earlier', at(95)],
    ['5 s later', at(105)],
  ] as const)
    it(`${when} is the same play`, () => {
      const listener = new Listener()
        .hear(110, song('A', { startedAt: at(100) }))
        .hear(120, song('A', { startedAt }));
      expect(listener.outcome).to.equal('repeat');
      expect(listener.plays).to.deep.equal(['A@100']);
    });

  it('5.001 s later is a new play', () => {
    const listener = new Listener()
      .hear(110, song('A', { startedAt: at(100) }))
      .hear(120, song('A', { startedAt: at(105.001) }));
    expect(listener.outcome).to.equal('new-play');
    expect(listener.plays).to.deep.equal(['A@105.001', 'A@100']);
  });

  it('fills in what was unknown, and replaces nothing that was known', () => {
    const listener = new Listener()
      .hear(0, song('A'))
      .hear(10, song('A', { durationSeconds: 180, cover: COVER }));
    expect(listener.outcome).to.equal('details');
    expect(listener.state.current).to.include({ durationSeconds: 180, cover: COVER });

    listener.hear(20, song('A', { durationSeconds: 90, cover: OTHER_COVER }));
    expect(listener.outcome).to.equal('repeat');
    expect(listener.state.current).to.include({ durationSeconds: 180, cover: COVER });
  });

  it('changes the next song, or leaves it when it names none', () => {
    const listener = new Listener().hear(0, song('A', { next: next('B') })).hear(10, song('A'));
    expect(listener.outcome).to.equal('repeat');
    expect(listener.state.next).to.deep.equal(next('B'));
    listener.hear(20, song('A', { next: next('C') }));
    expect(listener.outcome).to.equal('details');
    expect(listener.state.next).to.deep.equal(next('C'));
  });

  it('keeps the art of the next song until another next song is named', () => {
    const listener = new Listener()
      .hear(0, song('A', { next: { ...next('B'), cover: COVER } }))
      .hear(10, song('A', { next: next('B') }));
    expect(listener.state.next?.cover).to.equal(COVER);
    expect(listener.hear(20, song('A', { next: next('C') })).state.next?.cover).to.equal(null);
  });

  it('is recognised by title and artist together', () => {
    const listener = new Listener()
      .hear(0, song('A', { artist: 'One' }))
      .hear(10, song('A', { artist: 'Other' }))
      .hear(20, song('A', { artist: null }));
    expect(listener.plays).to.deep.equal(['A@20', 'A@10', 'A@0']);
  });
});

describe('A report of an older start (rule 3)', () => {
  it('is stale when it lies more than 5 s before the current one, and changes nothing', () => {
    const { state } = new Listener().hear(100, song('B', { startedAt: at(100) }));
    for (const late of [song('A', { startedAt: at(94.999) }), song('B', { startedAt: at(94.999) })])
      expect(applyReport(state, late, at(110), aPlayId)).to.deep.equal({
        outcome: 'stale',
        nowPlaying: state,
      });
  });

  it('is a new play when it lies exactly 5 s before', () => {
    const listener = new Listener()
      .hear(100, song('B', { startedAt: at(100) }))
      .hear(110, song('A', { startedAt: at(95) }));
    expect(listener.plays).to.deep.equal(['A@95', 'B@100']);
  });

  it('stands in the history where its start belongs, although it came later', () => {
    const listener = new Listener()
      .hear(100, song('B', { startedAt: at(100) }))
      .hear(110, song('A', { startedAt: at(95) }))
      .hear(200, song('C', { startedAt: at(200) }));
    expect(listener.plays).to.deep.equal(['C@200', 'B@100', 'A@95']);
  });

  it('is stale also while nothing is on air', () => {
    const listener = new Listener()
      .hear(100, song('B', { startedAt: at(100) }))
      .hear(200, aSongReport({ title: null, artist: null, offAir: true }))
      .hear(210, song('A', { startedAt: at(50) }));
    expect(listener.outcome).to.equal('stale');
    expect(listener.plays).to.deep.equal(['-', 'B@100']);
  });

  it('is stale when it repeats a play that is over, however close the two starts lie', () => {
    const listener = new Listener()
      .hear(100, song('Jingle', { startedAt: at(100) }))
      .hear(103, song('A', { startedAt: at(103) }))
      .hear(104, song('Jingle', { startedAt: at(100) }));
    expect(listener.outcome).to.equal('stale');
    expect(listener.plays).to.deep.equal(['A@103', 'Jingle@100']);
  });

  it('is stale when it repeats a play that is over, also from a sender whose clock is fast', () => {
    const fast = (seconds: number) => ({ startedAt: at(seconds + 60) });
    const listener = new Listener()
      .hear(1, song('Jingle', fast(0)))
      .hear(21, song('A', fast(20)))
      .hear(22, song('Jingle', fast(0)))
      .hear(31, song('A', fast(20)));
    expect(listener.outcomes).to.deep.equal(['new-play', 'new-play', 'stale', 'repeat']);
    expect(listener.plays).to.deep.equal(['A@21', 'Jingle@1']);
  });

  it('is never concluded from the clock that received it, even one that was set back', () => {
    const listener = new Listener().hear(100, song('A')).hear(40, song('B'));
    expect(listener.outcome).to.equal('new-play');
    expect(listener.state.current?.title).to.equal('B');
  });
});

describe('The start of a play (rule 4)', () => {
  it('is the time of receipt when none is given', () => {
    expect(new Listener().hear(7, song('A')).plays).to.deep.equal(['A@7']);
  });

  it('is the time of receipt when it is said to lie in the future', () => {
    for (const ahead of [0.001, 4, 60, 1e6])
      expect(new Listener().hear(7, song('A', { startedAt: at(7 + ahead) })).plays).to.deep.equal(['A@7']);
  });

  it('is kept when it lies in the past, however far', () => {
    expect(new Listener().hear(7, song('A', { startedAt: at(-9_000) })).plays).to.deep.equal(['A@-9000']);
  });

  it('does not move while a sender whose clock is 60 s ahead repeats the song every 10 s', () => {
    const listener = new Listener();
    for (let second = 0; second <= 180; second += 10) listener.hear(second, song('A', { startedAt: at(60) }));
    for (let second = 190; second <= 300; second += 10)
      listener.hear(second, song('B', { startedAt: at(250) }));

    expect(listener.plays).to.deep.equal(['B@190', 'A@0']);
    expect(listener.outcomes.filter(isChange)).to.deep.equal(['new-play', 'new-play']);
  });

  it('tells one play from the next of the same song, also from a sender whose clock is ahead', () => {
    const listener = new Listener()
      .hear(0, song('A', { startedAt: at(60) }))
      .hear(30, song('A', { startedAt: at(90) }))
      .hear(40, song('A', { startedAt: at(90) }));
    expect(listener.plays).to.deep.equal(['A@30', 'A@0']);
  });
});

describe('A report of another song (rule 5)', () => {
  it('moves the current song into the history with its own start', () => {
    const listener = new Listener()
      .hear(3, song('A', { startedAt: at(0), durationSeconds: 180, cover: COVER }))
      .hear(183, song('B', { startedAt: at(180) }));
    expect(listener.plays).to.deep.equal(['B@180', 'A@0']);
    expect(listener.state.past[0]).to.include({ durationSeconds: 180, cover: COVER, startedAt: at(0) });
  });

  it('says what is next, and without a word of it nothing is', () => {
    const listener = new Listener().hear(0, song('A', { next: next('B') })).hear(180, song('B'));
    expect(listener.state.next).to.equal(null);
    listener.hear(360, song('C', { next: next('D') }));
    expect(listener.state.next).to.deep.equal(next('D'));
    listener.hear(540, song('D', { next: { ...NO_SONG, cover: COVER } }));
    expect(listener.state.next).to.equal(null);
  });

  it('takes nothing over from the song before', () => {
    const listener = new Listener()
      .hear(0, song('A', { durationSeconds: 180, cover: COVER }))
      .hear(180, aSongReport({ title: 'B', artist: null }));
    expect(listener.state.current).to.deep.include({ artist: '', cover: null, durationSeconds: 0 });
  });

  it(`keeps the last ${KEPT_PLAYS} plays, more than the ${SHOWN_PLAYS} that are shown`, () => {
    const listener = new Listener();
    for (let number = 0; number <= 30; number += 1) listener.hear(number * 180, song(`Song ${number}`));
    expect(listener.state.past.map(({ title }) => title)).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => `Song ${29 - index}`),
    );
  });
});

describe('A report that nothing is on air (rule 6)', () => {
  const SILENT: Record<string, SongReport> = {
    'Station Offline': aSongReport({ title: 'Station Offline', artist: null }),
    'station offline in other letters': aSongReport({ title: 'STATION offline', artist: null }),
    'an artist without a title': aSongReport({ title: null, artist: 'Artist' }),
    'off air, with the last song still named': song('A', { offAir: true, startedAt: at(0) }),
    'off air, with no song named': aSongReport({ title: null, artist: null, offAir: true }),
  };
  for (const [what, report] of Object.entries(SILENT)) {
    it(`(${what}) ends the current song and shows none`, () => {
      const listener = new Listener()
        .hear(0, song('A', { startedAt: at(0), next: next('B') }))
        .hear(60, report);
      expect(listener.outcome).to.equal('off-air');
      expect(listener.state).to.deep.include({ current: null, next: null });
      expect(listener.plays).to.deep.equal(['-', 'A@0']);
    });

    it(`(${what}) never enters the history, and repeated changes nothing`, () => {
      const listener = new Listener().hear(0, report).hear(10, report).hear(20, song('B'));
      expect(listener.outcomes).to.deep.equal(['repeat', 'repeat', 'new-play']);
      expect(listener.plays).to.deep.equal(['B@20']);
    });
  }

  it('is not meant by a song of that name with an artist', () => {
    const listener = new Listener().hear(0, aSongReport({ title: 'Station Offline', artist: 'The Band' }));
    expect(listener.state.current).to.include({ title: 'Station Offline', artist: 'The Band' });
  });

  it('is followed by the same play when the song still runs after the outage', () => {
    const before = new Listener().hear(0, song('A', { startedAt: at(0), durationSeconds: 600 }));
    const id = before.state.current?.id;
    const listener = before
      .hear(60, SILENT['Station Offline'] ?? song('?'))
      .hear(120, song('A', { startedAt: at(0), next: next('B') }));

    expect(listener.outcome).to.equal('new-play');
    expect(listener.plays).to.deep.equal(['A@0']);
    expect(listener.state.current?.id).to.equal(id);
    expect(listener.state.next).to.deep.equal(next('B'));
  });

  it('is followed by a new play when the start is unknown or another', () => {
    for (const startedAt of [null, at(110)]) {
      const listener = new Listener()
        .hear(0, song('A', { startedAt: at(0) }))
        .hear(60, SILENT['Station Offline'] ?? song('?'))
        .hear(120, song('A', { startedAt }));
      expect(listener.plays).to.deep.equal([startedAt === null ? 'A@120' : 'A@110', 'A@0']);
    }
  });
});

describe('A silent sender (rule 7)', () => {
  const shown = (listener: Listener, milliseconds: number) => {
    const { current, next: following } = onAir(listener.state, later(START, milliseconds));
    return current === null && following === null ? 'silence' : current?.title;
  };

  it('of a song of known length is believed until 15 minutes after its end', () => {
    const listener = new Listener().hear(0, song('A', { durationSeconds: 180, next: next('B') }));
    expect(shown(listener, 180 * SECOND + 15 * MINUTE - 1)).to.equal('A');
    expect(shown(listener, 180 * SECOND + 15 * MINUTE)).to.equal('silence');
  });

  it('of a song of unknown length is believed for 60 minutes', () => {
    const listener = new Listener().hear(0, song('A', { next: next('B') }));
    expect(shown(listener, 60 * MINUTE - 1)).to.equal('A');
    expect(shown(listener, 60 * MINUTE)).to.equal('silence');
  });

  it('is believed longer for every repeat', () => {
    const listener = new Listener().hear(0, song('A', { durationSeconds: 180 })).hear(1_000, song('A'));
    expect(shown(listener, 1_000 * SECOND + 15 * MINUTE - 1)).to.equal('A');
    expect(shown(listener, 1_000 * SECOND + 15 * MINUTE)).to.equal('silence');
  });

  it('is not believed longer for a stale or an empty report', () => {
    const listener = new Listener()
      .hear(0, song('A', { startedAt: at(0) }))
      .hear(1_000, song('Z', { startedAt: at(-100) }))
      .hear(1_000, details({}));
    expect(shown(listener, 60 * MINUTE)).to.equal('silence');
  });

  it('leaves the song to enter the history when the next one comes', () => {
    const listener = new Listener().hear(0, song('A', { durationSeconds: 180 })).hear(90_000, song('B'));
    expect(listener.plays).to.deep.equal(['B@90000', 'A@0']);
  });

  it('is heard again with the same play when it repeats it', () => {
    const listener = new Listener()
      .hear(0, song('A', { startedAt: at(0) }))
      .hear(5_000, song('A', { startedAt: at(0) }));
    expect(shown(listener, 5_001 * SECOND)).to.equal('A');
    expect(listener.plays).to.deep.equal(['A@0']);
  });

  it('was never heard: nothing is shown', () => {
    expect(onAir(NEVER_REPORTED, START)).to.deep.equal({ current: null, next: null });
  });
});
