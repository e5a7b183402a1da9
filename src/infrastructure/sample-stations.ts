import { createReadStream } from 'node:fs';
import type { StationRow } from '../application/import-stations.js';
import { radioBrowserStations } from '../adapters/station-lists/radio-browser.js';

/** Beside this file in the sources; the same path leads there from the built file. */
const SAMPLE = new URL('../../src/infrastructure/sample-stations.json', import.meta.url);

/** Well-known public stations from Radio Browser's list, for a new directory to begin with. */
export function sampleStations(): AsyncIterable<StationRow> {
  return radioBrowserStations(createReadStream(SAMPLE, 'utf8'));
}
