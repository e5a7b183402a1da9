import { expect } from 'chai';
import fc from 'fast-check';
import { characters, cut, isStorable, oneLine, parseHttpUrl } from '../../src/domain/text.js';

const texts = fc.string({ unit: 'binary' });

describe('A text', () => {
  it('can be stored unless it holds U+0000 or a lone surrogate', () => {
    for (const text of ['', 'a', '\u0001', '🎵', '\uffff']) expect(isStorable(text)).to.equal(true);
    for (const text of ['\u0000', 'a\u0000b', '\ud83c', '\udfb5', '\udfb5\ud83c'])
      expect(isStorable(text)).to.equal(false);
  });

  it('is counted in characters, not in units', () => {
    expect(characters('')).to.equal(0);
    expect(characters('a🎵b')).to.equal(3);
  });

  it('is cut between characters', () => {
    expect(cut('a🎵b', 3)).to.equal('a🎵b');
    expect(cut('a🎵b', 2)).to.equal('a🎵');
    fc.assert(
      fc.property(texts, fc.nat(20), (text, count) => {
        const short = cut(text, count);
        expect(text.startsWith(short)).to.equal(true);
        expect(characters(short)).to.equal(Math.min(characters(text), count));
      }),
    );
  });

  it('becomes one line that can be stored', () => {
    expect(oneLine(' a\r\n\tb\u0000\u0085c\u2028d ')).to.equal('a b c d');
    fc.assert(
      fc.property(texts, (text) => {
        const line = oneLine(text);
        expect(line).not.to.match(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        expect(line).to.equal(line.trim());
        expect(isStorable(line)).to.equal(true);
        expect(oneLine(line)).to.equal(line);
      }),
    );
  });
});

describe('An http(s) URL', () => {
  for (const url of [
    'http://a',
    'https://radio.example/live.mp3?x=1#y',
    'HTTPS://RADIO.example',
    'http://[2001:db8::1]:8000/;',
    'http://192.0.2.1:8000/stream',
    'https://bücher.example/ü',
    `https://radio.example/${'x'.repeat(2_048 - 22)}`,
  ])
    it(`may be ${url.slice(0, 60)}`, () => {
      expect(parseHttpUrl(` ${url}\n`)).to.equal(url);
    });

  for (const url of [
    '',
    'radio.example',
    '//radio.example',
    'ftp://radio.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'http:radio.example',
    'http:/radio.example',
    'http:\\\\radio.example',
    'http://',
    'http://?',
    'http://a b',
    'http://a/\u0000',
    'http://a/\ud800',
    'http://a\\b',
    'http://a:99999',
    'http://[::1',
    'http://a/b\nc',
    `https://radio.example/${'x'.repeat(2_048 - 21)}`,
  ])
    it(`is not ${JSON.stringify(url.slice(0, 60))}`, () => {
      expect(parseHttpUrl(url)).to.equal(null);
    });

  it('is kept as given, and every reader of URLs can read it', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          texts.map((text) => `http://a/${text}`),
        ),
        (text) => {
          const url = parseHttpUrl(text);
          if (url === null) return;
          expect(url).to.equal(text.trim());
          expect(new URL(url).protocol).to.be.oneOf(['http:', 'https:']);
        },
      ),
    );
  });
});
