import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Candidate,
  type HeldHighlight,
  MONTHLY_HIGHLIGHTS,
  MOST_HOLDERS,
  type Pin,
  decideHighlights,
  isDue,
  untilNextLook,
  voteWindowsAt,
} from '../../src/domain/highlights.js';
import { DAY, HOUR, type Instant, MINUTE, type StreamId, later } from '../../src/domain/ids.js';
import { HIGHLIGHTS, type Highlight } from '../../src/domain/stream.js';

const at = (iso: string) => Date.parse(iso) as Instant;
const id = (number: number) => number as StreamId;
const NOW = at('2026-03-10T12:00:00Z');
const WINDOWS = voteWindowsAt(NOW);
const LAST_MONTH = at('2026-02-14T00:00:00Z');

const votes = (upvotes: number, downvotes = 0) => ({ upvotes, downvotes });
const candidate = (stream: number, overrides: Partial<Candidate> = {}): Candidate => ({
  stream: id(stream),
  isActive: true,
  addedAt: at('2020-01-01T00:00:00Z'),
  lastMonth: votes(0),
  recentUpvotes: 0,
  allTime: votes(0),
  ...overrides,
});
const holders = (held: readonly HeldHighlight[], highlight: Highlight) =>
  held.filter((one) => one.highlight === highlight).map(({ stream }) => stream);
const decided = (highlight: Highlight, candidates: readonly Candidate[], pins: readonly Pin[] = []) =>
  holders(decideHighlights(WINDOWS, candidates, pins), highlight);

describe('Highlights', () => {
  it('are held by nobody where nobody voted', () => {
    expect(decideHighlights(WINDOWS, [], [])).to.deep.equal([]);
    expect(decideHighlights(WINDOWS, [candidate(1), candidate(2)], [])).to.deep.equal([]);
  });

  it('look at the previous month in UTC, also on a leap day and at a year’s turn', () => {
    const lastMonth = (now: string) => {
      const { month, lastMonth: window } = voteWindowsAt(at(now));
      return [month, new Date(window.start).toISOString(), new Date(window.end).toISOString()];
    };
    expect(lastMonth('2024-03-31T23:59:59.999Z')).to.deep.equal([
      '2024-03',
      '2024-02-01T00:00:00.000Z',
      '2024-03-01T00:00:00.000Z',
    ]);
    expect(lastMonth('2024-02-29T12:00:00Z')[1]).to.equal('2024-01-01T00:00:00.000Z');
    expect(lastMonth('2026-01-01T00:00:00Z')).to.deep.equal([
      '2026-01',
      '2025-12-01T00:00:00.000Z',
      '2026-01-01T00:00:00.000Z',
    ]);
    expect(voteWindowsAt(NOW).recentAfter).to.equal(later(NOW, -7 * DAY));
  });

  it('make the stream with the highest score of last month the stream of the month', () => {
    const candidates = [
      candidate(1, { lastMonth: votes(9, 8), allTime: votes(500) }),
      candidate(2, { lastMonth: votes(5, 2) }),
      candidate(3, { lastMonth: votes(2) }),
    ];
    expect(decided('stream-of-the-month', candidates)).to.deep.equal([2]);
  });

  for (const tally of [votes(0), votes(3, 3), votes(1, 4)])
    it(`give no score of ${tally.upvotes} up and ${tally.downvotes} down anything but popularity`, () => {
      const one = candidate(1, { addedAt: LAST_MONTH, lastMonth: tally, allTime: tally });
      expect(decideHighlights(WINDOWS, [one], [])).to.deep.equal([]);
    });

  it('make only streams added last month newcomers, from its first instant to its last', () => {
    const { start, end } = WINDOWS.lastMonth;
    const added = (stream: number, addedAt: number, upvotes: number) =>
      candidate(stream, { addedAt: addedAt as Instant, lastMonth: votes(upvotes) });
    const before = added(1, start - 1, 9);
    const first = added(2, start, 3);
    const last = added(3, end - 1, 4);
    const after = added(4, end, 9);
    expect(decided('newcomer-of-the-month', [before, first, after])).to.deep.equal([2]);
    expect(decided('newcomer-of-the-month', [before, first, last, after])).to.deep.equal([3]);
    expect(decided('newcomer-of-the-month', [before, after])).to.deep.equal([]);
  });

  it('call the ten with most recent up votes popular, and the ten with the highest score of all time top-voted', () => {
    const many = Array.from({ length: 12 }, (_, index) =>
      candidate(index + 1, { recentUpvotes: index, allTime: votes(20 - index, 10) }),
    );
    expect(decided('recent-popular', many)).to.have.members([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(decided('recent-popular', many.slice(0, 3))).to.have.members([2, 3]);
    expect(decided('top-voted', many)).to.have.members([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('give every tie to the lower id', () => {
    const equal = Array.from({ length: 15 }, (_, index) =>
      candidate(15 - index, {
        addedAt: LAST_MONTH,
        lastMonth: votes(1),
        recentUpvotes: 1,
        allTime: votes(1),
      }),
    );
    const lowest = Array.from({ length: 10 }, (_, index) => index + 1);
    expect(decided('stream-of-the-month', equal)).to.deep.equal([1]);
    expect(decided('newcomer-of-the-month', equal)).to.deep.equal([1]);
    expect(decided('recent-popular', equal)).to.deep.equal(lowest);
    expect(decided('top-voted', equal)).to.deep.equal(lowest);
  });

  for (const highlight of MONTHLY_HIGHLIGHTS)
    it(`let a pin win over the rule: ${highlight}`, () => {
      const best = candidate(1, { addedAt: LAST_MONTH, lastMonth: votes(9) });
      const pin = { highlight, stream: id(2) };
      expect(decided(highlight, [best, candidate(2)], [pin])).to.deep.equal([2]);
      expect(decided(highlight, [best, candidate(2, { isActive: false })], [pin])).to.deep.equal([1]);
      const others = MONTHLY_HIGHLIGHTS.filter((other) => other !== highlight);
      for (const other of others) expect(decided(other, [best, candidate(2)], [pin])).to.deep.equal([1]);
    });

  const tallies = fc.record({ upvotes: fc.nat({ max: 6 }), downvotes: fc.nat({ max: 6 }) });
  const candidates = fc
    .array(
      fc.record({
        isActive: fc.boolean(),
        addedAt: fc
          .integer({ min: WINDOWS.lastMonth.start - 2 * DAY, max: NOW })
          .map((instant) => instant as Instant),
        lastMonth: tallies,
        recentUpvotes: fc.nat({ max: 4 }),
        allTime: tallies,
      }),
      { maxLength: 25 },
    )
    .map((all) => all.map((one, index) => ({ ...one, stream: id(index + 1) })));
  const pins = fc.uniqueArray(
    fc.record({
      highlight: fc.constantFrom(...MONTHLY_HIGHLIGHTS),
      stream: fc.integer({ min: 1, max: 30 }).map(id),
    }),
    { selector: ({ highlight }) => highlight },
  );

  it('are held by active streams only, by no more than there may be, each once', () => {
    fc.assert(
      fc.property(candidates, pins, (all, pinned) => {
        const held = decideHighlights(WINDOWS, all, pinned);
        for (const highlight of HIGHLIGHTS) {
          const streams = holders(held, highlight);
          const isMonthly = MONTHLY_HIGHLIGHTS.some((monthly) => monthly === highlight);
          expect(streams.length).to.be.at.most(isMonthly ? 1 : MOST_HOLDERS);
          expect(new Set(streams).size).to.equal(streams.length);
          for (const stream of streams)
            expect(all.find((one) => one.stream === stream)).to.include({ isActive: true });
        }
      }),
    );
  });

  it('leave nobody out who is better than a holder', () => {
    const score = ({ upvotes, downvotes }: Candidate['allTime']) => upvotes - downvotes;
    const values = {
      'stream-of-the-month': (one: Candidate) => score(one.lastMonth),
      'newcomer-of-the-month': (one: Candidate) =>
        one.addedAt >= WINDOWS.lastMonth.start && one.addedAt < WINDOWS.lastMonth.end
          ? score(one.lastMonth)
          : 0,
      'recent-popular': (one: Candidate) => one.recentUpvotes,
      'top-voted': (one: Candidate) => score(one.allTime),
    };
    fc.assert(
      fc.property(candidates, (all) => {
        const held = decideHighlights(WINDOWS, all, []);
        for (const highlight of HIGHLIGHTS) {
          const value = values[highlight];
          const streams = holders(held, highlight);
          const worthy = all.filter((one) => one.isActive && value(one) > 0);
          const most = MONTHLY_HIGHLIGHTS.some((monthly) => monthly === highlight) ? 1 : MOST_HOLDERS;
          expect(streams.length).to.equal(Math.min(most, worthy.length));
          const holding = worthy.filter(({ stream }) => streams.includes(stream));
          const others = worthy.filter(({ stream }) => !streams.includes(stream));
          for (const holder of holding)
            for (const other of others)
              expect(
                value(holder) > value(other) ||
                  (value(holder) === value(other) && holder.stream < other.stream),
              ).to.equal(true);
        }
      }),
    );
  });

  it('do not depend on the order in which streams are counted', () => {
    const shuffled = candidates.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, pins, ([all, mixed], pinned) => {
        expect(decideHighlights(WINDOWS, mixed, pinned)).to.deep.equal(
          decideHighlights(WINDOWS, all, pinned),
        );
      }),
    );
  });

  describe('are due', () => {
    for (const [what, computedAt, now, due] of [
      ['the first time', null, NOW, true],
      ['not a moment later', NOW, NOW, false],
      ['not within the hour', NOW, later(NOW, HOUR - 1), false],
      ['after an hour', NOW, later(NOW, HOUR), true],
      ['after a month’s turn', at('2026-02-28T23:59:59.999Z'), at('2026-03-01T00:00:00Z'), true],
      [
        'not for a clock that is a little slow',
        at('2026-03-01T00:00:00Z'),
        at('2026-02-28T23:59:58Z'),
        false,
      ],
      ['after a clock was set back', NOW, later(NOW, -HOUR), true],
    ] as const)
      it(what, () => expect(isDue(computedAt, now)).to.equal(due));

    it('looked at every minute, and at the very turn of a month', () => {
      expect(untilNextLook(NOW)).to.equal(MINUTE);
      expect(untilNextLook(at('2026-02-28T23:59:59.250Z'))).to.equal(750);
      fc.assert(
        fc.property(fc.integer({ min: 0, max: Date.UTC(2100, 0) }), (now) => {
          expect(untilNextLook(now as Instant)).to.be.within(1, MINUTE);
        }),
      );
    });
  });
});
