import { expect } from 'chai';
import { progressText } from '../../src/infrastructure/cli/progress-text.js';

const work = { done: 0, total: 1_000, count: 0, noun: 'rows', elapsedMilliseconds: 0 };

describe('The progress of a long command', () => {
  it('is a bar with rate and time left where the end is known', () => {
    expect(progressText({ ...work, done: 250, count: 4_000, elapsedMilliseconds: 2_000 })).to.equal(
      '[#####---------------] 25 %  4000 rows, 2000/s, 6 s left',
    );
    expect(progressText({ ...work, done: 1_000, count: 9, elapsedMilliseconds: 1_000 })).to.equal(
      '[####################] 100 %  9 rows, 9/s, 0 s left',
    );
    expect(progressText({ ...work, done: 1, count: 10, elapsedMilliseconds: 1_000 })).to.match(
      /, 17 min left$/,
    );
  });

  it('is count and rate where nobody knows the end', () => {
    expect(progressText({ ...work, total: null, count: 500, elapsedMilliseconds: 1_000 })).to.equal(
      '500 rows, 500/s',
    );
  });

  it('makes sense before anything is done, and when a file grows meanwhile', () => {
    expect(progressText(work)).to.equal('[--------------------] 0 %  0 rows, 0/s');
    expect(progressText({ ...work, done: 2_000, elapsedMilliseconds: 1_000 })).to.match(/^\[#{20}\] 100 %/);
  });
});
