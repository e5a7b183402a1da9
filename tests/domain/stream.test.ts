import { expect } from 'chai';
import fc from 'fast-check';
import { distinctTags, isActive, parseStreamProfile, streamUrlKey } from '../../src/domain/stream.js';
import { anHttpUrl, must } from '../support/builders.js';

const refusedFields = (fields: Parameters<typeof parseStreamProfile>[0]) => {
  const parsed = parseStreamProfile(fields);
  return parsed.ok ? [] : parsed.error.fields.map(({ field }) => field);
};
const STREAM = { name: 'Jazz', url: 'https://radio.example/jazz.mp3' };

describe('A stream', () => {
  for (const [isEnabled, organizationActive, isPublic, active] of [
    [true, true, true, true],
    [true, true, false, false],
    [true, false, true, false],
    [true, false, false, false],
    [false, true, true, false],
    [false, true, false, false],
    [false, false, true, false],
    [false, false, false, false],
  ] as const)
    it(`is ${active ? '' : 'not '}active when enabled is ${isEnabled} and its organization is ${organizationActive ? '' : 'not '}active and ${isPublic ? '' : 'not '}public`, () => {
      expect(isActive({ isEnabled }, { isActive: organizationActive, isPublic })).to.equal(active);
    });

  it('needs a name and an address; it is enabled and has no tags', () => {
    expect(must(parseStreamProfile(STREAM))).to.deep.equal({ ...STREAM, tags: [], isEnabled: true });
    expect(must(parseStreamProfile({ ...STREAM, isEnabled: false })).isEnabled).to.equal(false);
  });

  it('has a name of one line, composed, of 1 to 200 characters', () => {
    expect(must(parseStreamProfile({ ...STREAM, name: ' Ja\u0308zz\t FM ' })).name).to.equal('Jäzz FM');
    expect(refusedFields({ ...STREAM, name: '🎵'.repeat(200) })).to.deep.equal([]);
    for (const name of ['', ' ', 'x'.repeat(201), 'a\u0000', '\ud800'])
      expect(refusedFields({ ...STREAM, name })).to.deep.equal(['name']);
  });

  it('has an http(s) address', () => {
    for (const url of [
      '',
      'radio.example',
      'rtsp://radio.example',
      'mms://radio.example',
      'javascript:alert(1)',
    ])
      expect(refusedFields({ ...STREAM, url })).to.deep.equal(['url']);
  });

  it('has at most 30 tags of at most 64 characters', () => {
    const tags = (count: number) => Array.from({ length: count }, (_, number) => `tag ${number}`);
    expect(refusedFields({ ...STREAM, tags: tags(30) })).to.deep.equal([]);
    expect(refusedFields({ ...STREAM, tags: [...tags(30), 'TAG 1', ' '] })).to.deep.equal([]);
    expect(refusedFields({ ...STREAM, tags: tags(31) })).to.deep.equal(['tag']);
    expect(refusedFields({ ...STREAM, tags: ['🎵'.repeat(64)] })).to.deep.equal([]);
    expect(refusedFields({ ...STREAM, tags: ['x'.repeat(65)] })).to.deep.equal(['tag']);
  });

  it('is told of every field that is wrong, at once', () => {
    expect(refusedFields({ name: '', url: '', tags: ['x'.repeat(65)] })).to.deep.equal([
      'name',
      'url',
      'tag',
    ]);
  });
});

describe('Tags', () => {
  it('keep their order and first spelling; empty ones and copies in any case are dropped', () => {
    expect(
      distinctTags([' Jazz ', 'jazz', 'JAZZ', '', ' ', 'Hip\n Hop', 'ca\u0308fe', 'CÄFE']),
    ).to.deep.equal(['Jazz', 'Hip Hop', 'cäfe']);
  });

  it('are distinct, clean and stay so', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 5 })), (raw) => {
        const tags = distinctTags(raw);
        expect(new Set(tags.map((tag) => tag.toLowerCase()))).to.have.property('size', tags.length);
        expect(tags).not.to.include('');
        expect(distinctTags(tags)).to.deep.equal(tags);
      }),
    );
  });
});

describe('Two addresses of streams', () => {
  const key = (url: string) => streamUrlKey(anHttpUrl(url));

  for (const [one, other] of [
    ['http://radio.example/live', 'https://radio.example/live'],
    ['http://Radio.EXAMPLE/live', 'http://radio.example/live'],
    ['http://radio.example:80/live', 'http://radio.example/live'],
    ['https://radio.example:443/live', 'http://radio.example/live'],
    ['http://radio.example:443/live', 'https://radio.example/live'],
    ['http://radio.example/live#now', 'http://radio.example/live'],
    ['http://radio.example/live//', 'http://radio.example/live'],
    ['http://radio.example', 'http://radio.example/'],
  ] as const)
    it(`are one: ${one} and ${other}`, () => {
      expect(key(one)).to.equal(key(other));
    });

  for (const [one, other] of [
    ['http://radio.example/live', 'http://radio.example/Live'],
    ['http://radio.example:8000/live', 'http://radio.example/live'],
    ['http://radio.example/live?id=1', 'http://radio.example/live?id=2'],
    ['http://one.example/live', 'http://other.example/live'],
    ['http://radio.example/;', 'http://radio.example/'],
  ] as const)
    it(`are two: ${one} and ${other}`, () => {
      expect(key(one)).not.to.equal(key(other));
    });
});
