import {
  PlainPassword,
  parseEmailAddress,
  parseUsername,
  usernameKey,
} from '../../src/domain/credentials.js';
import { type HttpUrl, cut, oneLine, parseHttpUrl } from '../../src/domain/text.js';
import { parseId, parseStreamUuid } from '../../src/domain/ids.js';
import { organizationNameKey, parseOrganizationProfile } from '../../src/domain/organization.js';
import { readSongReport } from '../../src/domain/song-report.js';
import { distinctTags, parseStreamProfile, streamUrlKey } from '../../src/domain/stream.js';

const LENGTH = 50_000;
const UNITS = [
  ...[
    'a',
    'A',
    '1',
    '0',
    ' ',
    '\t',
    '\n',
    '\u0000',
    '.',
    '-',
    '@',
    '/',
    '\\',
    '%',
    ':',
    '+',
    'ä',
    '\u0308',
    '🎵',
    '\ud800',
  ],
  ...[
    'a.',
    '.a',
    'a-',
    '-a',
    'a@',
    '@a',
    '1.',
    'T0:',
    '0-',
    ' a',
    'a ',
    '\u00a0\u0085',
    '//',
    '/a',
    'http://',
    'mailto:',
  ],
];
const PREFIXES = ['', 'a@', 'http://a', 'http://a/', 'mailto:', '2026-05-08T02:27:49.', '12345678-'];
const ENDS = ['', '!', '\n', '\u0000', '@', 'Z'];

function* attacks(): Generator<string> {
  for (const prefix of PREFIXES)
    for (const unit of UNITS) for (const end of ENDS) yield prefix + unit.repeat(LENGTH / unit.length) + end;
}

/** Everything that looks into a text. That a call returns at all is the promise: mocha's time-out is the judge. */
const READERS: Record<string, (text: string) => unknown> = {
  'an email address': parseEmailAddress,
  'a username': parseUsername,
  'the key of a username': (text) => usernameKey(text as never),
  'a new password': (text) => PlainPassword.parse(text),
  'a tried password': (text) => PlainPassword.attempt(text).isPossible,
  'an id': parseId,
  'a UUID': parseStreamUuid,
  'a line': oneLine,
  'a cut text': (text) => cut(text, 512),
  'a URL': parseHttpUrl,
  'the key of a URL': (text) => {
    const url: HttpUrl | null = parseHttpUrl(text.slice(0, 2_048));
    return url && streamUrlKey(url);
  },
  'the key of a name': organizationNameKey,
  'an organization': (text) =>
    parseOrganizationProfile({
      name: text,
      description: text,
      image: text,
      links: [
        { type: text, url: text },
        { type: 'email', url: text },
      ],
    }),
  'a stream': (text) => parseStreamProfile({ name: text, url: text, tags: [text] }),
  tags: (text) => distinctTags([text]),
  'a song report': (text) =>
    readSongReport({ title: text, art: text, songDuration: text, songStartedAt: text }),
};

describe(`Texts of ${LENGTH.toLocaleString('en')} characters that are made to keep a pattern busy`, () => {
  for (const [what, read] of Object.entries(READERS))
    it(`are done with at once when read as ${what}`, () => {
      for (const attack of attacks()) read(attack);
    });
});
