import { expect } from 'chai';
import fc from 'fast-check';
import {
  DEFAULT_IMAGE,
  LINK_TYPES,
  isListed,
  organizationImage,
  organizationNameKey,
  organizationThumbnail,
  parseOrganizationProfile,
} from '../../src/domain/organization.js';
import { must } from '../support/builders.js';

const refusedFields = (fields: Parameters<typeof parseOrganizationProfile>[0]) => {
  const parsed = parseOrganizationProfile(fields);
  return parsed.ok ? [] : parsed.error.fields.map(({ field }) => field);
};

describe('An organization', () => {
  for (const [isActive, isPublic, listed] of [
    [true, true, true],
    [true, false, false],
    [false, true, false],
    [false, false, false],
  ] as const)
    it(`is ${listed ? '' : 'not '}listed when active is ${isActive} and public is ${isPublic}`, () => {
      expect(isListed({ isActive, isPublic })).to.equal(listed);
    });

  it('needs a name only; the rest is empty, public and active', () => {
    expect(parseOrganizationProfile({ name: 'Radio' })).to.deep.equal({
      ok: true,
      value: {
        name: 'Radio',
        description: '',
        image: null,
        thumbnail: null,
        links: [],
        isPublic: true,
        isActive: true,
      },
    });
  });

  it('says of itself what it was told', () => {
    const fields = {
      name: 'Radio',
      description: ' First line\nsecond line ',
      image: 'https://radio.example/logo.png',
      thumbnail: 'https://radio.example/small.png',
      links: [{ type: 'website', url: 'https://radio.example/' }],
      isPublic: false,
      isActive: false,
    };
    expect(must(parseOrganizationProfile(fields))).to.deep.equal({
      ...fields,
      description: 'First line\nsecond line',
    });
  });

  it('has a name of one line, composed, of 1 to 200 characters', () => {
    expect(must(parseOrganizationProfile({ name: ' Ra\u0308dio \r\n One ' })).name).to.equal('Rädio One');
    expect(refusedFields({ name: 'x'.repeat(200) })).to.deep.equal([]);
    expect(refusedFields({ name: '🎵'.repeat(200) })).to.deep.equal([]);
    for (const name of ['', ' \n ', 'x'.repeat(201), 'a\u0000b', 'a\ud800b'])
      expect(refusedFields({ name })).to.deep.equal(['name']);
  });

  it('has a description of at most 5,000 characters', () => {
    expect(refusedFields({ name: 'Radio', description: '🎵'.repeat(5_000) })).to.deep.equal([]);
    for (const description of ['x'.repeat(5_001), 'a\u0000b', 'a\ud800b'])
      expect(refusedFields({ name: 'Radio', description })).to.deep.equal(['description']);
  });

  it('may have a link of every type, and of no other', () => {
    const links = LINK_TYPES.map((type) => ({ type, url: `https://radio.example/${type}` }));
    expect(must(parseOrganizationProfile({ name: 'Radio', links })).links).to.deep.equal(links);
    for (const type of ['', 'Website', 'myspace', '__proto__', 'constructor'])
      expect(
        refusedFields({ name: 'Radio', links: [{ type, url: 'https://radio.example/' }] }),
      ).to.deep.equal(['link']);
  });

  it('may be written to: a mailto address is an email link, and no other', () => {
    const link = (type: string, url: string) => refusedFields({ name: 'Radio', links: [{ type, url }] });
    expect(link('email', 'mailto:hello@radio.example')).to.deep.equal([]);
    expect(link('website', 'mailto:hello@radio.example')).to.deep.equal(['link']);
    for (const url of [
      'mailto:',
      'mailto:a b@radio.example',
      'mailto:a@b\r\nBcc:c@d',
      'javascript:alert(1)',
      'hello@radio.example',
    ])
      expect(link('email', url)).to.deep.equal(['link']);
  });

  it('is told of every field that is wrong, at once', () => {
    const fields = {
      name: '',
      description: '\u0000',
      image: 'logo.png',
      thumbnail: 'ftp://radio.example/',
      links: [
        { type: 'website', url: 'https://radio.example/' },
        { type: 'pigeon', url: 'https://radio.example/' },
      ],
    };
    expect(refusedFields(fields)).to.have.members(['name', 'description', 'image', 'thumbnail', 'link']);
  });

  it('always shows an image: its own, or one that is drawn in the address', () => {
    const image = 'https://radio.example/logo.png';
    const thumbnail = 'https://radio.example/small.png';
    expect(organizationImage({ image })).to.equal(image);
    expect(organizationThumbnail({ image, thumbnail })).to.equal(thumbnail);
    expect(organizationThumbnail({ image, thumbnail: null })).to.equal(image);
    expect(organizationThumbnail({ image: null, thumbnail: null })).to.equal(DEFAULT_IMAGE);
    expect(organizationImage({ image: null })).to.equal(DEFAULT_IMAGE);
    expect(new URL(DEFAULT_IMAGE).href).to.equal(DEFAULT_IMAGE);
    expect(decodeURIComponent(DEFAULT_IMAGE)).to.match(/^data:image\/svg\+xml,<svg xmlns='http.*<\/svg>$/);
  });
});

describe('The name of an organization', () => {
  it('is found in any case, any normal form and with white space around it', () => {
    for (const [one, other] of [
      ['Radio One', ' radio ONE\n'],
      ['RÄDIO', 'ra\u0308dio'],
      ['Ａ', 'ａ'],
    ] as const)
      expect(organizationNameKey(one)).to.equal(organizationNameKey(other));
    expect(organizationNameKey('Radio One')).not.to.equal(organizationNameKey('RadioOne'));
    expect(organizationNameKey('Ａ'), 'compatibility forms stay apart').not.to.equal(
      organizationNameKey('A'),
    );
  });

  it('that was stored is found by itself, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (raw) => {
        const parsed = parseOrganizationProfile({ name: raw });
        fc.pre(parsed.ok);
        const { name } = parsed.value;
        expect(must(parseOrganizationProfile({ name })).name).to.equal(name);
        expect(organizationNameKey(` ${name.normalize('NFD')} `)).to.equal(organizationNameKey(name));
      }),
    );
  });
});
