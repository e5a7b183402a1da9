import { expect } from 'chai';
import fc from 'fast-check';
import { KEPT_PLAYS, isChange } from '../../src/domain/now-playing.js';
import type { ReportedPlay, SongReport } from '../../src/domain/song-report.js';
import { aPlayId, aSongReport } from '../support/builders.js';
import { Listener, at, song } from './listener.js';

/** A play as the sender lists it when it is over. */
const row = (title: string, seconds: number | null, playId: string | null = null): ReportedPlay => ({
  title,
  artist: 'Artist',
  cover: null,
  durationSeconds: 180,
  startedAt: seconds === null ? null : at(seconds),
  playId,
});
const play = (title: string, seconds: number, playId: string | null, earlier: readonly ReportedPlay[] = []) =>
  song(title, { startedAt: at(seconds), playId, earlier });
const silence = (earlier: readonly ReportedPlay[]) =>
  aSongReport({ title: null, artist: null, offAir: true, earlier });

describe("The sender's own id of a play", () => {
  it('tells two plays of one song apart, however close their starts, or with none known', () => {
    const listener = new Listener()
      .hear(0, play('A', 0, '1'))
      .hear(3, play('A', 3, '2'))
      .hear(4, song('A', { playId: '3' }));
    expect(listener.outcomes).to.deep.equal(['new-play', 'new-play', 'new-play']);
    expect(listener.plays).to.deep.equal(['A@4', 'A@3', 'A@0']);
  });

  it('makes one play of reports whose starts differ, or that have none', () => {
    const listener = new Listener()
      .hear(100, play('A', 100, '1'))
      .hear(110, play('A', 60, '1'))
      .hear(120, play('A', 120, '1'))
      .hear(130, song('A', { playId: '1' }));
    expect(listener.outcomes.slice(1)).to.deep.equal(['repeat', 'repeat', 'repeat']);
    expect(listener.plays).to.deep.equal(['A@100']);
  });

  it('counts for its song only', () => {
    const listener = new Listener().hear(0, play('A', 0, '1')).hear(180, play('B', 180, '1'));
    expect(listener.plays).to.deep.equal(['B@180', 'A@0']);
  });

  it('is learnt from a later report of the play', () => {
    const listener = new Listener()
      .hear(0, play('A', 0, null))
      .hear(10, play('A', 0, '1'))
      .hear(13, play('A', 3, '2'));
    expect(listener.outcomes).to.deep.equal(['new-play', 'details', 'new-play']);
  });

  it('shows a report of a play that is over to be late, also without a start', () => {
    const listener = new Listener()
      .hear(0, play('A', 0, '1'))
      .hear(180, play('B', 180, '2'))
      .hear(190, song('A', { playId: '1' }))
      .hear(190, song('A'));
    expect(listener.outcomes).to.deep.equal(['new-play', 'new-play', 'stale', 'new-play']);
  });

  it('proves that a song goes on after an outage, also without a start', () => {
    const listener = new Listener()
      .hear(0, play('A', 0, '1'))
      .hear(60, silence([]))
      .hear(120, song('A', { playId: '1' }));
    expect(listener.plays).to.deep.equal(['A@0']);
  });
});

describe('A report that knows what comes next', () => {
  const named = { next: { title: 'B', artist: 'Artist', cover: null } };

  it('takes the next song away when nothing follows', () => {
    const listener = new Listener().hear(0, song('A', named)).hear(10, song('A', { next: 'none' }));
    expect(listener.outcome).to.equal('details');
    expect(listener.state.next).to.equal(null);
    expect(listener.hear(20, song('A', { next: 'none' })).outcome).to.equal('repeat');
  });

  it('does so also where it names no song, and for a new play', () => {
    const listener = new Listener()
      .hear(0, song('A', named))
      .hear(10, aSongReport({ title: null, artist: null, next: 'none' }));
    expect(listener.outcome).to.equal('details');
    expect(listener.state.next).to.equal(null);
    expect(listener.hear(20, song('C', { next: 'none' })).state.next).to.equal(null);
  });
});

describe('Earlier plays in a report', () => {
  it('enter the history where they are missing, in order of their starts', () => {
    const listener = new Listener()
      .hear(0, play('A', 0, '1'))
      .hear(540, play('D', 540, '4', [row('C', 360, '3'), row('A', 0, '1'), row('B', 180, '2')]));
    expect(listener.outcomes).to.deep.equal(['new-play', 'new-play']);
    expect(listener.plays).to.deep.equal(['D@540', 'C@360', 'B@180', 'A@0']);
    expect(listener.state.past[1]).to.include({ title: 'B', durationSeconds: 180, senderPlayId: '2' });
  });

  it('are what a stream begins with', () => {
    const listener = new Listener().hear(360, play('C', 360, '3', [row('B', 180, '2'), row('A', 0, '1')]));
    expect(listener.plays).to.deep.equal(['C@360', 'B@180', 'A@0']);
  });

  it('are details when nothing else is new, and come in once', () => {
    const report = play('B', 180, '2', [row('A', 0, '1')]);
    const listener = new Listener()
      .hear(180, play('B', 180, '2'))
      .hear(190, report)
      .hear(200, report);
    expect(listener.outcomes).to.deep.equal(['new-play', 'details', 'repeat']);
    expect(listener.plays).to.deep.equal(['B@180', 'A@0']);
  });

  it('are recognised by song and start within 5 s where an id is unknown', () => {
    const listener = new Listener()
      .hear(0, play('A', 0, null))
      .hear(180, play('B', 180, null, [row('A', 5, '1')]))
      .hear(360, play('C', 360, '3', [row('B', 175), row('A', 5.001)]));
    expect(listener.plays).to.deep.equal(['C@360', 'B@180', 'A@5.001', 'A@0']);
  });

  it('are compared with the current play too', () => {
    const listener = new Listener().hear(100, play('A', 100, '1', [row('A', 100, '1'), row('A', 103)]));
    expect(listener.plays).to.deep.equal(['A@100']);
  });

  it('without a start, without a title or of silence never enter', () => {
    const odd = [
      row('A', null, '1'),
      { ...row('', 0, '2'), title: null },
      { ...row('Station Offline', 0, '3'), artist: null },
    ];
    expect(new Listener().hear(100, play('B', 100, '4', odd)).plays).to.deep.equal(['B@100']);
  });

  it('come in with a report that nothing is on air, too', () => {
    const listener = new Listener()
      .hear(0, play('A', 0, '1'))
      .hear(400, silence([row('B', 180, '2'), row('A', 0, '1')]))
      .hear(410, silence([row('B', 180, '2'), row('A', 0, '1')]));
    expect(listener.outcomes).to.deep.equal(['new-play', 'off-air', 'repeat']);
    expect(listener.plays).to.deep.equal(['-', 'B@180', 'A@0']);
  });

  it('do not come in with a stale report', () => {
    const listener = new Listener()
      .hear(400, play('C', 400, '3'))
      .hear(410, play('B', 180, '2', [row('A', 0, '1')]));
    expect(listener.outcome).to.equal('stale');
    expect(listener.plays).to.deep.equal(['C@400']);
  });

  it('stand before what followed them, also where the clock of the sender is fast', () => {
    const listener = new Listener()
      .hear(0, play('A', 60, '1'))
      .hear(20, play('C', 80, '3', [row('B', 70, '2'), row('A', 60, '1')]))
      .hear(30, play('D', 90, '4', [row('C', 80, '3'), row('B', 70, '2'), row('A', 60, '1')]));
    expect(listener.plays).to.deep.equal(['D@30', 'C@20', 'B@19.999', 'A@0']);
  });

  it('stand before what followed them, also where that is over itself', () => {
    const listener = new Listener()
      .hear(0, play('A', 60, '1'))
      .hear(20, play('C', 80, '3'))
      .hear(40, play('D', 100, '4', [row('C', 80, '3'), row('B', 70, '2'), row('A', 60, '1')]));
    expect(listener.plays).to.deep.equal(['D@40', 'C@20', 'B@19.999', 'A@0']);
  });

  it('are late when they are reported afterwards', () => {
    const listener = new Listener()
      .hear(380, play('C', 384, '3', [row('B', 379, '2'), row('A', 0, '1')]))
      .hear(381, play('B', 379, '2', [row('A', 0, '1')]));
    expect(listener.outcome).to.equal('stale');
    expect(listener.plays).to.deep.equal(['C@380', 'B@379', 'A@0']);
  });

  it(`are not more than the ${KEPT_PLAYS} that are kept, and older ones are no change`, () => {
    const rows = Array.from({ length: 30 }, (_, index) => row(`Song ${index}`, index * 180, `${index + 1}`));
    const listener = new Listener().hear(6_000, play('Now', 6_000, '31', rows));
    expect(listener.state.past.map(({ title }) => title)).to.deep.equal(
      Array.from({ length: KEPT_PLAYS }, (_, index) => `Song ${29 - index}`),
    );
    expect(listener.hear(6_010, play('Now', 6_000, '31', rows.slice(0, 12))).outcome).to.equal('repeat');
  });

  it('get identities of their own', () => {
    const { state } = new Listener().hear(360, play('C', 360, '3', [row('B', 180, '2'), row('A', 0, '1')]));
    const ids = [state.current, ...state.past].map((found) => found?.id);
    expect(new Set(ids)).to.have.property('size', 3);
    expect(ids).not.to.include(aPlayId());
  });
});

describe('A day of a sender that lists its last plays in every report', () => {
  /** Plays of four songs, some of them in a row, some shorter than starts are told apart. */
  const broadcast = fc
    .record({
      rows: fc.integer({ min: 0, max: 15 }),
      plays: fc.array(
        fc.record({
          song: fc.nat(3),
          length: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 400 })),
        }),
        { minLength: 1, maxLength: 35 },
      ),
      clockError: fc.oneof(
        fc.constant(0),
        fc.integer({ min: -5, max: 5 }),
        fc.integer({ min: -3_600, max: 3_600 }),
      ),
    })
    .chain(({ rows, plays, clockError }) =>
      fc.record({
        rows: fc.constant(rows),
        plays: fc.constant(plays),
        clockError: fc.constant(clockError),
        /** How many plays in a row nothing is heard of, and how many plays late a report may come. */
        lost: fc.nat(rows),
        chances: fc.infiniteStream(fc.nat(1_000)),
      }),
    );

  it('leaves the true history, for any interleaving, repetition, reordering and loss that the lists span', () => {
    fc.assert(
      fc.property(broadcast, ({ rows, plays, clockError, lost, chances }) => {
        const chance = (): number => Number(chances.next().value ?? 0);
        let clock = 0;
        const truth = plays.map(({ song: number, length }, index) => {
          const start = clock;
          clock += length;
          return { title: `Song ${number}`, start, end: clock, playId: `${index + 1}` };
        });
        const listed = truth.map(({ title, start, playId }) => row(title, start + clockError, playId));

        const sent: { readonly order: number; readonly at: number; readonly report: SongReport }[] = [];
        let inARow = 0;
        truth.forEach(({ title, start, end, playId }, index) => {
          const isLost = index < truth.length - 1 && inARow < lost && chance() < 400;
          inARow = isLost ? inARow + 1 : 0;
          if (isLost) return;
          const report = play(
            title,
            start + clockError,
            playId,
            listed.slice(Math.max(0, index - rows), index),
          );
          for (let now = start; now < end; now += 10) {
            const copies = 1 + (chance() % 3);
            for (let copy = 0; copy < copies; copy += 1) {
              const offAir = chance() < 50;
              const order = index + (chance() % (rows - lost + 1));
              sent.push({ order, at: now, report: { ...report, offAir } });
            }
          }
          sent.push({ order: index, at: end - 1, report });
        });
        sent.sort((one, other) => one.order - other.order);

        const listener = new Listener();
        let now = 0;
        for (const { at: sentAt, report } of sent) {
          now = Math.max(now, sentAt);
          listener.hear(now, report);
        }
        const { current, past } = listener.state;
        const heard = [...(current ? [current] : []), ...past].map(({ title, senderPlayId }) => [
          title,
          senderPlayId,
        ]);
        const played = truth.toReversed().map(({ title, playId }) => [title, playId]);
        expect(heard.slice(0, KEPT_PLAYS)).to.deep.equal(played.slice(0, KEPT_PLAYS));
      }),
      { numRuns: 500 },
    );
  });

  it('hears nothing new in any report again', () => {
    fc.assert(
      fc.property(broadcast, ({ rows, plays, clockError }) => {
        const listener = new Listener();
        let start = 0;
        const listed: ReportedPlay[] = [];
        plays.forEach(({ song: number, length }, index) => {
          const report = play(
            `Song ${number}`,
            start + clockError,
            `${index + 1}`,
            listed.slice(-rows || Infinity),
          );
          listener.hear(start, report).hear(start, report);
          expect(isChange(listener.outcome ?? 'empty')).to.equal(false);
          listed.push(row(`Song ${number}`, start + clockError, `${index + 1}`));
          start += length;
        });
      }),
    );
  });
});
