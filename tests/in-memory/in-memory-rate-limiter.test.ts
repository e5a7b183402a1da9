import { expect } from 'chai';
import { InMemoryRateLimiter } from '../../src/adapters/in-memory/in-memory-rate-limiter.js';
import { HOUR, SECOND } from '../../src/domain/ids.js';
import { ManualClock } from '../support/manual-clock.js';

const WINDOWS = [
  { seconds: 1, limit: 3 },
  { seconds: 60, limit: 100 },
];

function limiting() {
  const clock = new ManualClock();
  return { clock, limiter: new InMemoryRateLimiter(clock) };
}

describe('InMemoryRateLimiter', () => {
  it('forgets keys that nobody used within their longest window, though every request brings a new one', async () => {
    const { clock, limiter } = limiting();
    let most = 0;
    for (let arrival = 0; arrival < 20_000; arrival += 1) {
      clock.advance(0.1 * SECOND);
      await limiter.admit(`address ${arrival}`, [{ name: 'all', windows: WINDOWS }]);
      most = Math.max(most, limiter.size);
    }
    // 600 arrive within a minute.
    expect(most).to.be.within(600, 1_300);
  });

  it('keeps no key for a refused request', async () => {
    const { limiter } = limiting();
    const full = { name: 'full', windows: [{ seconds: 60, limit: 1 }] };
    await limiter.admit('anna', [full]);
    for (let count = 0; count < 100; count += 1)
      await limiter.admit('anna', [full, { name: `other ${count}`, windows: WINDOWS }]);
    expect(limiter.size).to.equal(1);
  });

  it('keeps a key as long as its longest window, whatever windows it was asked for last', async () => {
    const { clock, limiter } = limiting();
    const long = { name: 'all', windows: [{ seconds: 60, limit: 2 }] };
    const short = { name: 'all', windows: [{ seconds: 1, limit: 2 }] };
    clock.advance(50 * SECOND);
    await limiter.admit('anna', [long]);
    clock.advance(5 * SECOND);
    await limiter.admit('anna', [short]);
    clock.advance(10 * SECOND);
    await limiter.admit('ben', [{ name: 'all', windows: WINDOWS }]);
    expect(await limiter.admit('anna', [long])).to.deep.equal({
      admitted: false,
      windows: [{ seconds: 60, limit: 2, remaining: 0, waitMilliseconds: 45 * SECOND }],
    });
  });

  it('tells how a client stands without counting', async () => {
    const { limiter } = limiting();
    const quotas = [{ name: 'all', windows: [{ seconds: 60, limit: 1 }] }];
    const free = { admitted: true, windows: [{ seconds: 60, limit: 1, remaining: 1, waitMilliseconds: 0 }] };
    expect([limiter.peek('anna', quotas), limiter.peek('anna', quotas)]).to.deep.equal([free, free]);
    await limiter.admit('anna', quotas);
    expect(limiter.peek('anna', quotas)).to.deep.equal(await limiter.admit('anna', quotas));
    expect(limiter.peek('ben', quotas)).to.deep.equal(free);
    expect(limiter.size).to.equal(1);
  });

  it('locks nobody out and lets nobody through when the clock is set back', async () => {
    const { clock, limiter } = limiting();
    const quotas = [{ name: 'all', windows: [{ seconds: 60, limit: 1 }] }];
    await limiter.admit('anna', quotas);
    clock.advance(-HOUR);
    expect((await limiter.admit('anna', quotas)).windows[0]?.waitMilliseconds).to.equal(60 * SECOND);
    clock.advance(60 * SECOND - 1);
    expect((await limiter.admit('anna', quotas)).admitted).to.equal(false);
    clock.advance(1);
    expect((await limiter.admit('anna', quotas)).admitted).to.equal(true);
  });
});
