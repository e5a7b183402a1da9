import { expect } from 'chai';
import fc from 'fast-check';
import {
  NO_VOTES,
  type VoteDirection,
  type VoteState,
  type VoteTransition,
  castVote,
  recount,
  score,
} from '../../src/domain/vote.js';

type Row = readonly [VoteState, VoteDirection, VoteTransition['outcome'], VoteState];
/** spec.md 3.1, row by row */
const SPECIFIED: readonly Row[] = [
  ['none', 'up', 'saved', 'up'],
  ['none', 'down', 'saved', 'down'],
  ['up', 'up', 'removed', 'none'],
  ['down', 'down', 'removed', 'none'],
  ['up', 'down', 'updated', 'down'],
  ['down', 'up', 'updated', 'up'],
];
const directions = fc.constantFrom<VoteDirection>('up', 'down');
const states = fc.constantFrom<VoteState>('none', 'up', 'down');

describe('A vote', () => {
  for (const [current, cast, outcome, next] of SPECIFIED)
    it(`${current} + ${cast} is ${outcome}, leaving ${next}`, () => {
      expect(castVote(current, cast)).to.deep.equal({ outcome, next });
    });

  it('ends at none or at the last direction cast, whatever came before', () => {
    fc.assert(
      fc.property(states, fc.array(directions, { minLength: 1 }), (start, casts) => {
        const end = casts.reduce<VoteState>((current, cast) => castVote(current, cast).next, start);
        expect(end).to.be.oneOf(['none', casts.at(-1)]);
      }),
    );
  });

  it('is taken back by casting it twice, from wherever that starts', () => {
    fc.assert(
      fc.property(states, directions, (start, cast) => {
        const ends = new Set([1, 2, 3, 4].map((times) => castTimes(start, cast, times)));
        expect(ends).to.deep.equal(new Set(['none', cast]));
      }),
    );
  });
});

function castTimes(start: VoteState, cast: VoteDirection, times: number): VoteState {
  return Array.from({ length: times }).reduce<VoteState>((current) => castVote(current, cast).next, start);
}

describe('A tally', () => {
  it('scores up votes less down votes', () => {
    expect(score({ upvotes: 3, downvotes: 5 })).to.equal(-2);
    expect(score(NO_VOTES)).to.equal(0);
  });

  it('always equals the votes, whoever casts what in whatever order', () => {
    const casts = fc.array(fc.tuple(fc.nat(5), directions), { maxLength: 100 });
    fc.assert(
      fc.property(casts, (history) => {
        const votes = new Map<number, VoteState>();
        let tally = NO_VOTES;
        for (const [user, cast] of history) {
          const before = votes.get(user) ?? 'none';
          const after = castVote(before, cast).next;
          votes.set(user, after);
          tally = recount(tally, before, after);
        }
        const held = [...votes.values()];
        expect(tally).to.deep.equal({
          upvotes: held.filter((vote) => vote === 'up').length,
          downvotes: held.filter((vote) => vote === 'down').length,
        });
      }),
    );
  });
});
