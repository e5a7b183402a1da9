import { expect } from 'chai';
import { DAY, HOUR, later } from '../../src/domain/ids.js';
import {
  MAX_LIVE_TOKENS,
  type OneTimeToken,
  type TokenHash,
  type TokenPurpose,
  holdsLive,
  withNewToken,
} from '../../src/domain/one-time-token.js';
import { START } from '../support/manual-clock.js';

const hash = (name: string) => name as TokenHash;
const issue = (tokens: readonly OneTimeToken[], purpose: TokenPurpose, name: string, now = START) =>
  withNewToken(tokens, purpose, hash(name), now);

describe('A one-time token', () => {
  for (const [purpose, lifetime] of [
    ['activation', DAY],
    ['reset', HOUR],
  ] as const)
    it(`for ${purpose} is valid until the millisecond it expires`, () => {
      const tokens = issue([], purpose, 'one');
      expect(holdsLive(tokens, purpose, hash('one'), later(START, lifetime - 1))).to.equal(true);
      expect(holdsLive(tokens, purpose, hash('one'), later(START, lifetime))).to.equal(false);
    });

  it('is good for its own purpose only', () => {
    const tokens = issue([], 'activation', 'one');
    expect(holdsLive(tokens, 'reset', hash('one'), START)).to.equal(false);
    expect(holdsLive(tokens, 'activation', hash('other'), START)).to.equal(false);
  });

  it(`gives way when ${MAX_LIVE_TOKENS} later ones of its purpose are live`, () => {
    let tokens = issue([], 'activation', 'activation');
    for (const number of [1, 2, 3, 4, 5, 6])
      tokens = issue(tokens, 'reset', `reset ${number}`, later(START, number));
    const live = tokens.filter(({ purpose }) => purpose === 'reset').map((token) => token.hash);
    expect(live).to.have.members([2, 3, 4, 5, 6].map((number) => `reset ${number}`));
    expect(holdsLive(tokens, 'activation', hash('activation'), START)).to.equal(true);
  });

  it('gives way by age, in whatever order a store gives the tokens back', () => {
    let tokens: readonly OneTimeToken[] = [];
    for (const number of [1, 2, 3, 4, 5])
      tokens = issue(tokens, 'reset', `reset ${number}`, later(START, number));
    const held = issue(tokens.toReversed(), 'reset', 'reset 6', later(START, 6));
    expect(holdsLive(held, 'reset', hash('reset 1'), later(START, 7))).to.equal(false);
    expect(holdsLive(held, 'reset', hash('reset 5'), later(START, 7))).to.equal(true);
  });

  it('is cleared away once expired, when another is issued', () => {
    const tokens = issue(issue([], 'reset', 'old'), 'reset', 'new', later(START, HOUR));
    expect(tokens.map((token) => token.hash)).to.deep.equal(['new']);
  });
});
