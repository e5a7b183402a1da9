/** The directory that all examples show: one organization, one stream of it, at 2026-01-15T12:00:00Z. */

export const STREAM_UUID = '3f0c54a2-7a0e-4b4c-9d0a-0d6a3b1c2d3e';
export const EMAIL_TOKEN = 'q0Jv3bYyR1mW8dQe5uZt2xKc7fLh9aSn4oPi6gBrTwE';

const LOGO = 'https://nova.example/logo.png';

export const ORGANIZATION_PROFILE = {
  name: 'Radio Nova',
  description: 'Jazz from the Danube, day and night.',
  image: LOGO,
  thumbnail: 'https://nova.example/logo-small.png',
  links: [
    { type: 'website', url: 'https://nova.example/' },
    { type: 'mastodon', url: 'https://social.example/@nova' },
  ],
} as const;
export const STREAM_PROFILE = {
  name: 'Nova Jazz',
  url: 'https://stream.nova.example/jazz.mp3',
  tags: ['jazz', 'bebop'],
} as const;

export const EARLIER_REPORT = {
  title: 'Blue Train',
  artist: 'John Coltrane',
  songDuration: 643,
  songStartedAt: 1768477640,
} as const;
export const REPORT = {
  title: 'So What',
  artist: 'Miles Davis',
  art: 'https://covers.example/kind-of-blue.jpg',
  nextTitle: 'Waltz for Debby',
  nextArtist: 'Bill Evans Trio',
  nextArt: 'https://covers.example/waltz-for-debby.jpg',
  songDuration: 562,
  songStartedAt: 1768478283,
} as const;

const next = { title: REPORT.nextTitle, artist: REPORT.nextArtist, cover: REPORT.nextArt };
const streamReference = { id: 1, name: STREAM_PROFILE.name, url: STREAM_PROFILE.url };

export const STREAM = {
  ...streamReference,
  tags: STREAM_PROFILE.tags,
  organization: { id: 1, name: ORGANIZATION_PROFILE.name, image: LOGO },
  song: {
    title: REPORT.title,
    artist: REPORT.artist,
    cover: REPORT.art,
    songDuration: REPORT.songDuration,
    songStartedAt: REPORT.songStartedAt,
    next,
  },
  isStreamOfTheMonth: false,
  isNewcomerOfTheMonth: false,
  isRecentPopularStream: false,
  isTopVotedStream: false,
} as const;
export const MEMBER_STREAM = { ...STREAM, uuid: STREAM_UUID, isActive: true } as const;
export const STREAM_CREDENTIALS = { ...streamReference, streamUUID: STREAM_UUID } as const;

export const HISTORY = {
  current: {
    id: '6d3c8d4e-2f55-4c0b-8b3b-6f0b2a4a9c11',
    title: REPORT.title,
    artist: REPORT.artist,
    cover: REPORT.art,
  },
  next,
  history: [
    {
      id: 1,
      title: EARLIER_REPORT.title,
      artist: EARLIER_REPORT.artist,
      cover: LOGO,
      playedAt: '2026-01-15T11:47:20.000Z',
    },
  ],
} as const;

const { links, ...profile } = ORGANIZATION_PROFILE;
export const ORGANIZATION_SUMMARY = { id: 1, ...profile } as const;
export const ORGANIZATION = { ...ORGANIZATION_SUMMARY, links } as const;
export const LISTED_ORGANIZATION = { ...ORGANIZATION, streams: [streamReference] } as const;

export const NATIVE_REPORT = {
  station: { id: 1, name: 'Nova Jazz', shortcode: 'nova_jazz' },
  is_online: true,
  live: { is_live: false, streamer_name: '' },
  now_playing: {
    sh_id: 4712,
    played_at: REPORT.songStartedAt,
    duration: REPORT.songDuration,
    song: { text: 'Miles Davis - So What', artist: REPORT.artist, title: REPORT.title, art: REPORT.art },
  },
  playing_next: {
    song: {
      text: 'Bill Evans Trio - Waltz for Debby',
      artist: REPORT.nextArtist,
      title: REPORT.nextTitle,
      art: REPORT.nextArt,
    },
  },
  song_history: [
    {
      sh_id: 4711,
      played_at: EARLIER_REPORT.songStartedAt,
      duration: EARLIER_REPORT.songDuration,
      song: {
        text: 'John Coltrane - Blue Train',
        artist: EARLIER_REPORT.artist,
        title: EARLIER_REPORT.title,
      },
    },
  ],
} as const;
