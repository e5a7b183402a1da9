/** Prints what a promise was measured at, in one line below its test. */
export function figure(promise: string, values: Readonly<Record<string, unknown>>): void {
  const text = Object.entries(values).map(([name, value]) => `${name} ${String(value)}`);
  console.log(`      ${promise}: ${text.join(', ')}`);
}

/** The long form of a test, which `npm run test:faults` asks for. */
export const FULL = process.env['FULL'] === '1';

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The value below which so much of the values lie, between 0 and 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
