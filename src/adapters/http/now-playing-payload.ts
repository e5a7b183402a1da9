import {
  type PlayFields,
  type ReportFields,
  type SongReport,
  readSongReport,
} from '../../domain/song-report.js';
import type { JsonObject } from './request-body.js';

/** Every form that senders use. (integrations.md) A new one is a function here, and a fixture. */
const FORMS = { simple, sam, 'azuracast-native': azuraCastNative } as const;
export type PayloadForm = keyof typeof FORMS;
export const PAYLOAD_FORMS = Object.keys(FORMS) as readonly PayloadForm[];

/** What the fields of a JSON body, a form or a query string say, and which form they have. */
export function reportIn(fields: JsonObject): { form: PayloadForm; report: SongReport } {
  const form = formOf(fields);
  return { form, report: readSongReport(FORMS[form](fields)) };
}

function formOf(fields: JsonObject): PayloadForm {
  const { now_playing: nowPlaying, songtype: songType } = fields;
  if (nowPlaying === null || isObject(nowPlaying)) return 'azuracast-native';
  return songType === undefined ? 'simple' : 'sam';
}

/** The specification's own table, AzuraCast's directory connector in all its versions, and the long tail. */
function simple(fields: JsonObject): ReportFields {
  const named = { title: fields['title'], artist: fields['artist'] };
  const isNamed = isText(named.title) || isText(named.artist);
  return {
    ...(isNamed ? named : splitSong(fields['song'])),
    art: fields['art'],
    nextTitle: fields['nextTitle'],
    nextArtist: fields['nextArtist'],
    nextArt: fields['nextArt'],
    songDuration: fields['songDuration'] ?? fields['duration'],
    songStartedAt: fields['songStartedAt'],
  };
}

/** SAM Broadcaster and SAM Cast: their `duration` is in milliseconds. */
function sam(fields: JsonObject): ReportFields {
  const { duration, songDuration } = fields;
  // Of an object `Number` would call whatever the sender put there as `toString`.
  const seconds = typeof duration === 'object' ? null : Number(duration) / 1_000;
  return simple({ ...fields, songDuration: songDuration ?? seconds });
}

/** What AzuraCast names its "Station Offline" by, whatever text the operator has set for it. */
const STATION_OFFLINE_ID = '5a6a865199cf5df73b1417326d2ff24f';

/** AzuraCast's Now Playing object, of any version. It is complete: what it leaves out is not there. */
function azuraCastNative(body: JsonObject): ReportFields {
  const nowPlaying = objectIn(body['now_playing']);
  const history = Array.isArray(body['song_history']) ? body['song_history'].map(objectIn) : [];
  const play = playFields(nowPlaying);
  const earlier = history.filter((row) => !isStationOffline(row)).map(playFields);
  return {
    ...play,
    ...nextFields(body, play),
    offAir: body['is_online'] === false || isStationOffline(nowPlaying) || !isText(play.title),
    earlier,
  };
}

function playFields(play: JsonObject): PlayFields {
  return {
    ...songFields(objectIn(play['song'])),
    songDuration: play['duration'],
    songStartedAt: play['played_at'],
    playId: play['sh_id'],
  };
}

function songFields({ title, artist, text, art }: JsonObject): PlayFields {
  if (isText(title)) return { title, artist, art };
  return isText(artist) ? { title: text, artist, art } : { ...splitSong(text), art };
}

/** Not while a DJ is live: it still names what the playlist would play. Nor what has just begun: that is left over. */
function nextFields(body: JsonObject, current: PlayFields): ReportFields {
  const next = body['playing_next'];
  if (next === undefined) return {};
  const isLive = [body['live'], body['now_playing']].some((part) => objectIn(part)['is_live'] === true);
  const { title, artist, art } = songFields(objectIn(objectIn(next)['song']));
  const isLeftOver = title === current.title && artist === current.artist;
  if (isLive || isLeftOver || !isText(title)) return { hasNoNext: true };
  return { nextTitle: title, nextArtist: artist, nextArt: art };
}

/** By its song; before 2020, by naming no play and no start. */
function isStationOffline(play: JsonObject): boolean {
  const isNoPlay = play['sh_id'] === 0 && !play['played_at'];
  return isNoPlay || objectIn(play['song'])['id'] === STATION_OFFLINE_ID;
}

/** "Artist - Title"; without a dash it is all title. */
function splitSong(song: unknown): PlayFields {
  if (!isText(song)) return {};
  const dash = song.indexOf(' - ');
  const artist = dash < 0 ? '' : song.slice(0, dash);
  const title = dash < 0 ? song : song.slice(dash + 3);
  return isText(title) ? { title, artist } : { title: artist };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
