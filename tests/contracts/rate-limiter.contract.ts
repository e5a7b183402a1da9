import { expect } from 'chai';
import fc from 'fast-check';
import type { Clock } from '../../src/application/ports/clock.js';
import type { RateLimiter, RateWindow } from '../../src/application/ports/rate-limiter.js';
import { SECOND } from '../../src/domain/ids.js';
import { ManualClock } from '../support/manual-clock.js';

/** The three windows of the specification (spec.md 8.1). */
const GLOBAL: readonly RateWindow[] = [
  { seconds: 1, limit: 3 },
  { seconds: 10, limit: 20 },
  { seconds: 60, limit: 100 },
];
const STRICT: readonly RateWindow[] = [{ seconds: 60, limit: 5 }];

/**
 * What every `RateLimiter` promises.
 * @param open one that counted nothing yet and reads this clock, where it reads one at all
 */
export function rateLimiterContract(name: string, open: (clock: Clock) => Promise<RateLimiter>): void {
  describe(`RateLimiter: ${name}`, () => {
    async function opened() {
      const clock = new ManualClock();
      return { clock, limiter: await open(clock) };
    }

    it('admits as many as the limit, then says how long to wait, to the millisecond', async () => {
      const { clock, limiter } = await opened();
      const states = [];
      for (let count = 0; count < 7; count += 1) {
        const { admitted, windows } = await limiter.admit('anna', [{ name: 'login', windows: STRICT }]);
        states.push([admitted, windows[0]?.remaining, windows[0]?.waitMilliseconds]);
        clock.advance(10);
      }
      expect(states).to.deep.equal([
        [true, 4, 0],
        [true, 3, 0],
        [true, 2, 0],
        [true, 1, 0],
        [true, 0, 60_000 - 40],
        [false, 0, 60_000 - 50],
        [false, 0, 60_000 - 60],
      ]);
    });

    it('admits one request after the wait that it named, none a millisecond before', async () => {
      const { clock, limiter } = await opened();
      const quotas = [{ name: 'login', windows: STRICT }];
      for (let count = 0; count < 5; count += 1) {
        await limiter.admit('anna', quotas);
        clock.advance(777);
      }
      const wait = (await limiter.admit('anna', quotas)).windows[0]?.waitMilliseconds ?? 0;
      clock.advance(wait - 1);
      expect((await limiter.admit('anna', quotas)).admitted).to.equal(false);
      clock.advance(1);
      expect((await limiter.admit('anna', quotas)).admitted).to.equal(true);
      expect((await limiter.admit('anna', quotas)).windows[0]).to.include({
        remaining: 0,
        waitMilliseconds: 777,
      });
    });

    for (const { seconds, limit } of GLOBAL)
      it(`keeps the window of ${seconds} s closed to its last millisecond, among longer and shorter ones`, async () => {
        const { clock, limiter } = await opened();
        const windows = [
          { seconds: seconds * 2, limit: limit * 2 },
          { seconds, limit },
          { seconds: seconds / 2, limit: limit * 2 },
        ];
        for (let count = 0; count < limit; count += 1)
          await limiter.admit('anna', [{ name: 'all', windows }]);
        clock.advance(seconds * SECOND - 1);
        expect((await limiter.admit('anna', [{ name: 'all', windows }])).admitted).to.equal(false);
        clock.advance(1);
        const { admitted, windows: states } = await limiter.admit('anna', [{ name: 'all', windows }]);
        expect(admitted).to.equal(true);
        expect(states.map((state) => state.remaining)).to.deep.equal([limit - 1, limit - 1, limit * 2 - 1]);
      });

    it('counts each client for itself', async () => {
      const { limiter } = await opened();
      for (let count = 0; count < 6; count += 1)
        await limiter.admit('anna', [{ name: 'login', windows: STRICT }]);
      for (const client of [
        'ben',
        'Anna',
        'anna ',
        '',
        '2001:db8::/64',
        '{anna}',
        'anna}',
        '%7D',
        '}',
        '音楽 🎵',
      ])
        expect(await limiter.admit(client, [{ name: 'login', windows: STRICT }])).to.deep.equal({
          admitted: true,
          windows: [{ seconds: 60, limit: 5, remaining: 4, waitMilliseconds: 0 }],
        });
    });

    it('counts each quota of a client for itself', async () => {
      const { limiter } = await opened();
      for (let count = 0; count < 6; count += 1)
        await limiter.admit('anna', [{ name: 'login', windows: STRICT }]);
      for (const name of ['Login', 'login ', '', 'POST /user', '{login}', 'login}'])
        expect(await limiter.admit('anna', [{ name, windows: STRICT }])).to.have.property('admitted', true);
    });

    it('does not take one client with its quota for another', async () => {
      const { limiter } = await opened();
      for (const [client, name] of [
        ['a', 'b:c'],
        ['a:b', 'c'],
        ['a b', 'c'],
        ['a', 'b c'],
        ['a}', ':c'],
        ['a', '}:c'],
      ] as const)
        expect(
          (await limiter.admit(client, [{ name, windows: [{ seconds: 60, limit: 1 }] }])).admitted,
        ).to.equal(true);
    });

    it('answers for every window of every quota, in their order', async () => {
      const { limiter } = await opened();
      const { windows } = await limiter.admit('anna', [
        { name: 'login', windows: STRICT },
        { name: 'all', windows: GLOBAL },
      ]);
      expect(windows).to.deep.equal(
        [...STRICT, ...GLOBAL].map((window) => ({
          ...window,
          remaining: window.limit - 1,
          waitMilliseconds: 0,
        })),
      );
    });

    it('admits what no quota limits', async () => {
      const { limiter } = await opened();
      expect(await limiter.admit('anna', [])).to.deep.equal({ admitted: true, windows: [] });
    });

    it('counts a request that one quota refuses in none of the others', async () => {
      const { clock, limiter } = await opened();
      const login = { name: 'login', windows: STRICT };
      const all = { name: 'all', windows: [{ seconds: 60, limit: 100 }] };
      for (let count = 0; count < 50; count += 1) await limiter.admit('anna', [all, login]);
      const { admitted, windows } = await limiter.admit('anna', [all, login]);
      expect(admitted).to.equal(false);
      expect(windows.map((window) => window.remaining)).to.deep.equal([95, 0]);
      expect(windows.map((window) => window.waitMilliseconds)).to.deep.equal([0, 60_000]);
      clock.advance(60_000);
      expect((await limiter.admit('anna', [all, login])).admitted).to.equal(true);
    });

    it('admits exactly the limit of many concurrent requests', async () => {
      const { limiter } = await opened();
      const answers = await Promise.all(
        Array.from({ length: 60 }, () =>
          limiter.admit('anna', [
            { name: 'all', windows: GLOBAL },
            { name: 'login', windows: STRICT },
          ]),
        ),
      );
      expect(answers.filter((answer) => answer.admitted)).to.have.length(3);
    });

    it('answers any sequence of requests as a log of all admitted ones would', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(arrivals(), { maxLength: 300 }), async (sequence) => {
          const { clock, limiter } = await opened();
          const log = new Map<string, number[]>();
          for (const { pause, client } of sequence) {
            clock.advance(pause);
            const now: number = clock.now();
            const admittedAt = log.get(client) ?? [];
            const admitted = GLOBAL.every((window) => room(window, admittedAt, now) > 0);
            const answer = await limiter.admit(client, [{ name: 'all', windows: GLOBAL }]);
            expect(answer.admitted).to.equal(admitted);
            if (admitted) log.set(client, [...admittedAt, now]);
            for (const [index, window] of GLOBAL.entries()) {
              const { remaining, waitMilliseconds } = answer.windows[index] ?? expect.fail();
              expect(remaining).to.equal(room(window, log.get(client) ?? [], now));
              expect(waitMilliseconds).to.equal(waitFor(window, log.get(client) ?? [], now));
            }
          }
        }),
        { numRuns: 20 },
      );
    });

    it('never admits more than the limit in any interval of a window', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat({ max: 400 }), { minLength: 500, maxLength: 1_500, size: 'max' }),
          async (pauses) => {
            const { clock, limiter } = await opened();
            const admittedAt: number[] = [];
            for (const pause of pauses) {
              clock.advance(pause);
              const { admitted } = await limiter.admit('anna', [{ name: 'all', windows: GLOBAL }]);
              if (admitted) admittedAt.push(clock.now());
            }
            for (const { seconds, limit } of GLOBAL)
              for (const [index, at] of admittedAt.entries())
                expect((admittedAt[index + limit] ?? Infinity) - at).to.be.at.least(seconds * SECOND);
          },
        ),
        { numRuns: 10 },
      );
    });
  });
}

/** Bursts, edges of windows and long pauses. */
function arrivals() {
  return fc.record({
    pause: fc.oneof(
      { weight: 6, arbitrary: fc.nat({ max: 400 }) },
      { weight: 2, arbitrary: fc.constantFrom(0, 999, 1_000, 1_001) },
      { weight: 1, arbitrary: fc.constantFrom(9_999, 10_000, 59_999, 60_000) },
    ),
    client: fc.constantFrom('anna', 'anna', 'anna', 'ben'),
  });
}

function room({ seconds, limit }: RateWindow, admittedAt: readonly number[], now: number): number {
  return limit - admittedAt.filter((at) => now - at < seconds * SECOND).length;
}

/** The first millisecond with room, looked for the slow way: room comes only when a request leaves. */
function waitFor(window: RateWindow, admittedAt: readonly number[], now: number): number {
  const leaving = admittedAt.map((at) => at + window.seconds * SECOND).filter((at) => at > now);
  const free = [now, ...leaving].find((at) => room(window, admittedAt, at) > 0);
  return (free ?? Infinity) - now;
}
