import { type ReportFields, type SongReport, readSongReport } from '../../domain/song-report.js';
import type { JsonObject } from './request-body.js';

/** What a webhook body says, whichever of the known forms it has. */
export function reportIn(body: JsonObject): SongReport {
  return readSongReport(simpleForm(body));
}

/** The specification's own table; `duration` is what many senders call `songDuration`. */
function simpleForm(body: JsonObject): ReportFields {
  return {
    title: body['title'],
    artist: body['artist'],
    art: body['art'],
    nextTitle: body['nextTitle'],
    nextArtist: body['nextArtist'],
    nextArt: body['nextArt'],
    songDuration: body['songDuration'] ?? body['duration'],
    songStartedAt: body['songStartedAt'],
  };
}
