export interface Work {
  readonly done: number;
  /** null: nobody knows how much there is. */
  readonly total: number | null;
  /** What is counted, with its noun. */
  readonly count: number;
  readonly noun: string;
  readonly elapsedMilliseconds: number;
}

const BAR_WIDTH = 20;

/** A bar where the end is known; what was done, how fast, and how long the rest will take. */
export function progressText({ done, total, count, noun, elapsedMilliseconds }: Work): string {
  const seconds = Math.max(elapsedMilliseconds, 1) / 1_000;
  const rate = `${count} ${noun}, ${Math.round(count / seconds)}/s`;
  if (total === null || total === 0) return rate;
  const share = Math.min(1, done / total);
  const filled = Math.floor(share * BAR_WIDTH);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${Math.floor(share * 100)} %`;
  const left = share > 0 ? `, ${duration((seconds / share) * (1 - share))} left` : '';
  return `${bar}  ${rate}${left}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 100 ? `${whole} s` : `${Math.ceil(whole / 60)} min`;
}
