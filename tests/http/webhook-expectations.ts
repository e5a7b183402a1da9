import { START } from '../support/manual-clock.js';
import type { Shown } from '../support/shown.js';

const NOW = START / 1_000;
export const NOTHING: Shown['song'] = {
  title: '',
  artist: '',
  cover: null,
  songDuration: 0,
  songStartedAt: 0,
  next: null,
};
export const UNTOUCHED: Shown = { song: NOTHING, history: [] };

const ART = 'https://example.com/api/station/azuratest_radio/art';
export const GRIND = {
  title: 'GRIND',
  artist: 'Cochise',
  cover: `${ART}/36c1d6cda4e7d71b97b237bb-1705365756.jpg`,
};
const MEGAMAN = {
  title: 'MEGAMAN',
  artist: 'Cochise',
  cover: `${ART}/53bff3de9429ad36ad9bd533-1703965646.jpg`,
};
export const ALUKO = {
  title: 'Aluko River',
  artist: 'Chet Porter',
  cover: 'https://picsum.photos/1200/1200',
  songDuration: 180,
  songStartedAt: 1_609_480_800,
};
const MEGAMAN_PLAYED = 'Cochise - MEGAMAN, 2021-01-01T05:54:12.000Z';
const GRIND_PLAYED = 'Cochise - GRIND, 2021-01-01T05:56:36.000Z';
export const ALUKO_PLAYED = 'Chet Porter - Aluko River, 2021-01-01T06:00:00.000Z';
export const EARLIER = [GRIND_PLAYED, MEGAMAN_PLAYED];
export const NORMAL: Shown = { song: { ...ALUKO, next: GRIND }, history: EARLIER };
const SILENCE: Shown = { song: NOTHING, history: EARLIER };
const DJ_ART = 'https://example.com/api/station/azuratest_radio/streamer/1/art-1591548300.jpg';
const NO_ART = 'https://example.com/static/img/generic_song.jpg';

/** What a stream that never reported shows after the body. */
export const NATIVE: Record<string, Shown> = {
  'built-autodj-normal.json': NORMAL,
  'built-custom-fields-object.json': NORMAL,
  'built-jingle-hidden.json': NORMAL,
  'built-listener-event-same-song.json': NORMAL,
  'built-long-lyrics.json': NORMAL,
  'built-request.json': NORMAL,
  'built-no-next.json': { song: { ...ALUKO, next: null }, history: EARLIER },
  'built-history-15.json': {
    song: { ...ALUKO, next: GRIND },
    history: [
      'Artist 001 - Title 001, 2021-01-01T05:56:40.000Z',
      'Artist 002 - Title 002, 2021-01-01T05:53:20.000Z',
      'Artist 003 - Title 003, 2021-01-01T05:50:00.000Z',
    ],
  },
  'built-next-song.json': {
    song: { ...GRIND, songDuration: 175, songStartedAt: 1_609_480_980, next: MEGAMAN },
    history: [ALUKO_PLAYED, ...EARLIER],
  },
  'built-empty-title.json': {
    song: {
      title: 'Only Text Field',
      artist: '',
      cover: NO_ART,
      songDuration: 200,
      songStartedAt: 1_609_480_800,
      next: GRIND,
    },
    history: EARLIER,
  },
  'built-live-dj-no-metadata.json': {
    song: {
      title: 'Live Broadcast',
      artist: '',
      cover: DJ_ART,
      songDuration: 0,
      songStartedAt: 1_609_481_200,
      next: null,
    },
    history: EARLIER,
  },
  'built-live-dj-with-metadata.json': {
    song: {
      title: 'Test Song (Live Edit)',
      artist: 'Test Artist',
      cover: DJ_ART,
      songDuration: 0,
      songStartedAt: 1_609_481_440,
      next: null,
    },
    history: [' - Live Broadcast, 2021-01-01T06:06:40.000Z', ALUKO_PLAYED, GRIND_PLAYED],
  },
  'built-live-dj-unknown.json': {
    song: {
      title: 'Unknown',
      artist: 'Unknown',
      cover: NO_ART,
      songDuration: 0,
      songStartedAt: 1_735_435_260,
      next: null,
    },
    history: EARLIER,
  },
  'built-php-escaped.raw.json': {
    song: {
      title: 'Hoppípolla — “Live” 🎵',
      artist: 'Sigur Rós',
      cover: MEGAMAN.cover,
      songDuration: 213,
      songStartedAt: 1_609_480_800,
      next: { title: 'Группа крови', artist: 'Кино', cover: NO_ART },
    },
    history: EARLIER,
  },
  'built-null-artist-title.json': SILENCE,
  'built-offline-autodj-stopped.json': SILENCE,
  'built-offline-remote-only.json': { song: NOTHING, history: [ALUKO_PLAYED, ...EARLIER] },
  'built-now-playing-null.json': UNTOUCHED,
  // The song that is to come is the one on air: left over.
  'openapi-example.json': { song: { ...ALUKO, next: null }, history: [] },
  'partial-2017-issue-324-duration-zero.json': {
    song: {
      title: 'Sunset Flow',
      artist: 'soulostar',
      cover: null,
      songDuration: 0,
      songStartedAt: 1_512_907_547,
      next: null,
    },
    history: [],
  },
  'partial-2019-issue-1252-stream-offline.json': UNTOUCHED,
  'partial-2021-issue-3733-request.json': {
    song: {
      title: 'Hommes des cavernes modernes',
      artist: 'OTH',
      cover: 'https://radio.example.com/api/station/1/art/4da3624174d8217627522ca5-1610730001.jpg',
      songDuration: 182,
      songStartedAt: 1_611_872_408,
      next: null,
    },
    history: [
      'RADIO EN SELF SERVICE - Prennez le controle sur https://radio.example.com, 2021-01-28T22:07:33.000Z',
    ],
  },
  'real-2019-no-next-live-filler.json': {
    song: {
      title: '10 Bản Nhạc Không Lời Tuyển Chọn',
      artist: 'V.A',
      cover: 'http://radio.example.com/static/img/generic_song.jpg',
      songDuration: 2_247,
      songStartedAt: 1_576_054_225,
      next: null,
    },
    // The rows came in another order than they were played.
    history: [
      'AzuraCast.com - AzuraCast is Live!, 2019-12-11T08:50:22.000Z',
      'V.A - 10 Bản Nhạc Không Lời Tuyển Chọn, 2019-12-11T05:43:12.000Z',
      'AzuraCast.com - AzuraCast is Live!, 2019-12-11T05:43:08.000Z',
    ],
  },
  'real-2024-local-install.json': {
    song: {
      title: 'MEGAMAN',
      artist: 'Cochise',
      cover: 'http://localhost/api/station/yet_another_radio/art/53bff3de9429ad36ad9bd533-1703965646.jpg',
      songDuration: 127,
      songStartedAt: 1_707_691_998,
      next: {
        title: 'GRIND',
        artist: 'Cochise',
        cover: 'http://localhost/api/station/yet_another_radio/art/36c1d6cda4e7d71b97b237bb-1705365756.jpg',
      },
    },
    history: ['Cochise - GRIND, 2024-02-11T22:49:54.000Z', 'Cochise - MEGAMAN, 2024-02-11T22:47:30.000Z'],
  },
  'testdata-2026-full.json': {
    song: {
      title: 'Test Song',
      artist: 'Test Artist',
      cover: 'http://radio.example.com/api/station/1/art/abc123def456.jpg',
      songDuration: 245,
      songStartedAt: 1_751_990_400,
      next: {
        title: 'Next Song',
        artist: 'Next Artist',
        cover: 'https://radio.example.com/api/station/1/art/next789.jpg',
      },
    },
    history: [
      'History Artist One - History Song One, 2025-07-08T15:55:00.000Z',
      'History Artist Two - History Song Two, 2025-07-08T15:50:00.000Z',
    ],
  },
  'testdata-2026-minimal.json': UNTOUCHED,
};
/** The public API's array of all stations of a host, which no web hook sends. */
export const NO_OBJECT = 'testdata-2026-host-list.json';

const FLAT = {
  title: 'Aluko River',
  artist: 'Chet Porter',
  cover: null,
  songDuration: 0,
  songStartedAt: NOW,
  next: null,
};
const FLAT_TIMED = {
  ...FLAT,
  songDuration: 180,
  songStartedAt: 1_609_480_800,
  next: { ...GRIND, cover: null },
};
/** The song that the request leaves on a stream that never reported. */
export const DIRECTORY_CONNECTOR: Record<string, Shown['song']> = {
  'simple-bearer.json': { ...FLAT, title: 'Song Name', artist: 'Artist Name' },
  'third-party-script-2026.json': {
    ...FLAT,
    title: 'Song Name',
    artist: 'Artist Name',
    cover: 'https://cdn.example.com/cover.jpg',
    next: { title: 'Next Song', artist: 'Next Artist', cover: 'https://cdn.example.com/next.jpg' },
  },
  'v0-2024-05-11-query-string.json': FLAT,
  'v1-0.20.0-to-0.23.6.json': FLAT,
  'v1-nulls.json': NOTHING,
  'v2-rolling-2026-05-iso-start.json': FLAT_TIMED,
  'v3-0.23.7-no-art.json': FLAT_TIMED,
  'v3-0.23.7-with-art.json': { ...ALUKO, next: GRIND },
  'v3-live-dj.json': {
    ...FLAT_TIMED,
    title: 'Live Broadcast',
    artist: '',
    songDuration: 0,
    songStartedAt: 1_609_481_200,
  },
  'v3-no-next.json': { ...ALUKO, next: null },
  'v3-now-playing-null.json': NOTHING,
  'v3-offline-remote-only.json': NOTHING,
};

const named = (title: string, artist: string, songDuration = 0) => ({ ...FLAT, title, artist, songDuration });
export const OTHER_SYSTEMS: Record<string, Shown['song']> = {
  'TuneIn AIR (also what AzuraCast, LibreTime, Liquidsoap scripts send)': named('Bad Romance', 'Lady Gaga'),
  'TuneIn AIR, commercial break': NOTHING,
  'radio.de push': named('Song Title', 'Song Artist'),
  'radio.de push, commercial': NOTHING,
  GetMeRadio: named('Frozen', 'Madonna'),
  'Icecast 2 metadata update (what source clients send)': named('ACDC Back In Black', ''),
  'Icecast 2 URL auth listener_add': NOTHING,
  'Icecast 2 YP touch': NOTHING,
  'SAM Cast / SAM Broadcaster HTTP event adaptor (duration is MILLISECONDS)': named(
    'mytitle',
    'myartist',
    240,
  ),
  'iono.fm capture, query form': named('Back In Black', 'AC/DC', 255),
  'iono.fm capture, JSON form': named('Back In Black', 'AC/DC', 255),
  // Its names of the fields are its own (aw, sn): docs/senders.md says how to have it send ours.
  'Spinitron spin/create-v1': NOTHING,
  'Radioplayer ingest v2 (as Radio Creator Replacer is configured to send it)': named('Title', 'Artist', 200),
  'AzuraCast now-playing update API': named('Title', 'Artist'),
  'RadioDJ receiver (Ventra Radio)': named("Livin' On A Prayer", 'Bon Jovi', 249),
  'atomicradio script to RadioReg': {
    ...named('Song', 'Artist'),
    cover: 'https://cdn.example.com/a.webp',
    next: { title: 'Next', artist: 'Next Artist', cover: 'https://cdn.example.com/b.webp' },
  },
  'Radio Mast stream-down alert webhook': NOTHING,
};
