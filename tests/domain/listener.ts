import { type Instant, SECOND, later } from '../../src/domain/ids.js';
import {
  type AppliedReport,
  NEVER_REPORTED,
  type NowPlaying,
  type Play,
  applyReport,
} from '../../src/domain/now-playing.js';
import type { SongReport } from '../../src/domain/song-report.js';
import { aPlayId, aSongReport } from '../support/builders.js';
import { START } from '../support/manual-clock.js';

/** The instant so many seconds after the start of a test. */
export const at = (seconds: number): Instant => later(START, Math.round(seconds * SECOND));

export const song = (title: string, overrides: Partial<SongReport> = {}): SongReport =>
  aSongReport({ title, artist: 'Artist', ...overrides });

/** A stream with a memory: reports go in, its state and the outcomes come out. */
export class Listener {
  state: NowPlaying;
  outcomes: AppliedReport['outcome'][] = [];
  constructor(state: NowPlaying = NEVER_REPORTED) {
    this.state = state;
  }
  hear(seconds: number, report: SongReport): this {
    const { outcome, nowPlaying } = applyReport(this.state, report, at(seconds), aPlayId);
    this.outcomes.push(outcome);
    this.state = nowPlaying;
    return this;
  }
  get outcome() {
    return this.outcomes.at(-1);
  }
  /** `title@seconds`, the current play first. */
  get plays(): string[] {
    const { current, past } = this.state;
    const named = ({ title, startedAt }: Play) => `${title}@${(startedAt - START) / SECOND}`;
    return [current ? named(current) : '-', ...past.map(named)];
  }
}
