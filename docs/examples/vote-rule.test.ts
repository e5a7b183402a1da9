import assert from 'node:assert/strict';
import { castVote } from 'radio-directory/domain';

describe('A listener', () => {
  it('changes a vote by casting the other one, and takes it back by casting it again', () => {
    assert.deepEqual(castVote('up', 'down'), { outcome: 'updated', next: 'down' });
    assert.deepEqual(castVote('up', 'up'), { outcome: 'removed', next: 'none' });
  });
});
