import { expect } from 'chai';
import { type Instant, later } from '../../src/domain/ids.js';
import { type AudioFinding, CHECK_OUTCOMES, checked, isBroken } from '../../src/domain/stream-check.js';

const NOW = 1_700_000_000_000 as Instant;
const finding = (outcome: AudioFinding['outcome']): AudioFinding => ({
  outcome,
  detail: '',
  codec: null,
  bitrate: null,
});

describe('The check of a stream', () => {
  it('finds everything broken but audio', () => {
    expect(CHECK_OUTCOMES.filter((outcome) => !isBroken({ outcome }))).to.deep.equal(['audio']);
  });

  it('remembers since when a stream has been broken, whatever is wrong with it by now', () => {
    const first = checked(null, finding('stalled'), NOW);
    const second = checked(first, finding('refused'), later(NOW, 1_000));
    expect(second).to.include({ outcome: 'refused', checkedAt: NOW + 1_000, brokenSince: NOW });
  });

  it('forgets that as soon as it answers', () => {
    const answering = checked(checked(null, finding('stalled'), NOW), finding('audio'), later(NOW, 1_000));
    expect(answering.brokenSince).to.equal(null);
    const again = checked(answering, finding('refused'), later(NOW, 2_000));
    expect(again.brokenSince).to.equal(NOW + 2_000);
  });
});
