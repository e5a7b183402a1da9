import type { AudioFinding } from '../../domain/stream-check.js';
import type { HttpUrl } from '../../domain/text.js';

/** Asks addresses for audio, as a listener's player does. */
export interface AudioProbe {
  /** Ends within a time that the adapter was given; whatever the other side does is a finding, never a rejection. */
  probe(url: HttpUrl): Promise<AudioFinding>;
}
