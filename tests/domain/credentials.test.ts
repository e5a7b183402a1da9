import { expect } from 'chai';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { format, inspect } from 'node:util';
import {
  PlainPassword,
  parseEmailAddress,
  parseUsername,
  usernameKey,
} from '../../src/domain/credentials.js';
import { isStorable } from '../../src/domain/text.js';
import { must } from '../support/builders.js';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
const naughtyStrings = JSON.parse(fixture('strings/blns.json')) as string[];
const isEmail = (text: string) => parseEmailAddress(text).ok;

interface IsemailCase {
  readonly address: string;
  readonly category: string;
}
function isemailCases(): IsemailCase[] {
  const decode = (xml: string) =>
    xml
      .replace(/&#x([0-9A-F]+);/gi, (_, code: string) => String.fromCodePoint(parseInt(code, 16)))
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&')
      // Pictures of control characters stand for the characters themselves.
      .replace(/[\u2400-\u241f]/g, (picture) => String.fromCharCode(picture.charCodeAt(0) - 0x2400));
  const tests = fixture('email/isemail-tests.xml').matchAll(
    /<test id="\d+">\s*<address(?:\/>|>([^]*?)<\/address>)[^]*?<category>(\w+)<\/category>/g,
  );
  return [...tests].map(([, address = '', category = '']) => ({ address: decode(address), category }));
}

describe('An email address', () => {
  it('is stored in lower case', () => {
    expect(parseEmailAddress('Anna.Smith+Radio@Listeners.EXAMPLE')).to.deep.equal({
      ok: true,
      value: 'anna.smith+radio@listeners.example',
    });
  });

  for (const address of [
    'a@b',
    'anna@radio',
    'anna@mail-server-1.example',
    'anna@xn--bcher-kva.example',
    'anna@new.anything',
    "o'brien@listeners.example",
    "!#$%&'*+/=?^_`{|}~-@listeners.example",
    '1@2.example',
    `${'a'.repeat(64)}@listeners.example`,
    `anna@${'a'.repeat(63)}.example`,
    `${'a'.repeat(60)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.e`,
  ])
    it(`may be ${address.slice(0, 60)}`, () => {
      expect(parseEmailAddress(address)).to.deep.equal({ ok: true, value: address });
    });

  for (const [what, address] of [
    ['empty', ''],
    ['without @', 'anna'],
    ['without a local part', '@listeners.example'],
    ['without a domain', 'anna@'],
    ['with two @', 'anna@b@listeners.example'],
    ['a list', 'anna@a.example,ben@b.example'],
    ['a list with ;', 'anna@a.example;ben@b.example'],
    ['a name and an address', 'Anna <anna@a.example>'],
    ['in angle brackets', '<anna@a.example>'],
    ['quoted', '"anna"@a.example'],
    ['with a comment', 'anna(home)@a.example'],
    ['with white space before it', ' anna@a.example'],
    ['with white space after it', 'anna@a.example '],
    ['with a line feed at the end', 'anna@a.example\n'],
    ['with a header in it', 'anna@a.example\r\nBcc: ben@b.example'],
    ['with U+0000', 'anna\u0000@a.example'],
    ['with a dot first', '.anna@a.example'],
    ['with a dot last', 'anna.@a.example'],
    ['with two dots', 'an..na@a.example'],
    ['with a domain of one dot', 'anna@.'],
    ['with an empty label', 'anna@a..example'],
    ['with a dot at the end', 'anna@a.example.'],
    ['with a label that begins with a hyphen', 'anna@-a.example'],
    ['with a label that ends with a hyphen', 'anna@a-.example'],
    ['with an underscore in the domain', 'anna@a_b.example'],
    ['an IP address', 'anna@192.0.2.1'],
    ['an IP address in brackets', 'anna@[192.0.2.1]'],
    ['an IPv6 address', 'anna@[IPv6:2001:db8::1]'],
    ['not ASCII before the @', 'änna@a.example'],
    ['not ASCII after the @', 'anna@bücher.example'],
    ['full-width', 'ａnna@a.example'],
    ['with the Kelvin sign for a k before the @', 'an\u212a@a.example'],
    ['with the Kelvin sign for a k after the @', 'anna@\u212a.example'],
    ['with a dotted capital I', '\u0130@a.example'],
    ['with an invisible character', 'an\u200bna@a.example'],
    ['with a lone surrogate', 'an\ud800na@a.example'],
    ['with 65 characters before the @', `${'a'.repeat(65)}@a.example`],
    ['with a label of 64 characters', `anna@${'a'.repeat(64)}.example`],
    ['of 255 characters', `${'a'.repeat(61)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.e`],
  ] as const)
    it(`is refused: ${what}`, () => {
      expect(parseEmailAddress(address)).to.deep.equal({ ok: false, error: { kind: 'invalid-email' } });
    });

  it('is none of the 66 addresses that is_email calls wrong', () => {
    const wrong = isemailCases().filter(({ category }) => category === 'ISEMAIL_ERR');
    expect(wrong).to.have.length(66);
    expect(wrong.filter(({ address }) => isEmail(address))).to.deep.equal([]);
  });

  it('is every address that is_email calls valid without a reservation', () => {
    const valid = isemailCases().filter(
      ({ category }) => category === 'ISEMAIL_VALID_CATEGORY' || category === 'ISEMAIL_DNSWARN',
    );
    expect(valid).to.have.length.above(10);
    const refused = valid.map(({ address }) => address).filter((address) => !isEmail(address));
    expect(refused).to.deep.equal([]);
  });

  it('is none of the wrong ones of FuzzDB, but for one that only looks like an attack', () => {
    const wrong = fixture('email/fuzzdb-invalid.txt').split(/\r?\n/);
    expect(wrong).to.have.length.above(20);
    expect(wrong.filter(isEmail)).to.deep.equal(["sql'or'1'='1'or'test@email.com"]);
  });

  it('is every plain one of the right ones of FuzzDB: not those with quotes, IP addresses or other scripts', () => {
    const right = fixture('email/fuzzdb-valid.txt').split(/\r?\n/);
    const plain = right.filter((line) => /^[!-~]+$/.test(line) && !/["\\[\]]|@[\d.]+$/.test(line));
    expect(plain).to.have.length.above(15);
    expect(plain.filter((line) => !isEmail(line))).to.deep.equal([]);
    expect(right.filter((line) => !plain.includes(line)).filter(isEmail)).to.deep.equal([]);
  });

  it('is none of the naughty strings', () => {
    expect(naughtyStrings.filter(isEmail)).to.deep.equal([]);
  });

  it('is one lower-case ASCII recipient or refused, whatever the text', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.emailAddress(),
      fc.tuple(fc.string({ unit: 'binary', maxLength: 20 }), fc.domain()).map((parts) => parts.join('@')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseEmailAddress(text);
        if (!parsed.ok) return;
        expect(parsed.value)
          .to.match(/^[!-~]{3,254}$/)
          .and.to.equal(text.toLowerCase());
        expect(parsed.value.split('@')).to.have.length(2);
        expect(parsed.value).not.to.match(/[<>(),;:"\\[\]]/);
        expect(parseEmailAddress(parsed.value)).to.deep.equal(parsed);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('A username', () => {
  for (const [raw, name] of [
    ['Anna', 'Anna'],
    ['  Anna \n', 'Anna'],
    ['Anna Smith', 'Anna Smith'],
    ['A\u0308nna', 'Änna'],
    ['x', 'x'],
    ['安娜', '安娜'],
    ['🎵', '🎵'],
    ["Robert'); DROP TABLE users;--", "Robert'); DROP TABLE users;--"],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['🎵'.repeat(64), '🎵'.repeat(64)],
  ] as const)
    it(`may be ${JSON.stringify(raw.slice(0, 40))}`, () => {
      expect(parseUsername(raw)).to.deep.equal({ ok: true, value: name });
    });

  for (const [what, raw] of [
    ['empty', ''],
    ['white space only', ' \t\u00a0\u3000\n'],
    ['65 characters', 'x'.repeat(65)],
    ['65 characters beyond the first plane', '🎵'.repeat(65)],
    ['a control character', 'An\u0000na'],
    ['a line break inside', 'An\nna'],
    ['an escape sequence', '\u001b[31mAnna'],
    ['a control character of the second kind', 'An\u0085na'],
    ['a zero-width space', 'An\u200bna'],
    ['a right-to-left override', 'An\u202ena'],
    ['a soft hyphen', 'An\u00adna'],
    ['a byte order mark inside', 'An\ufeffna'],
    ['a line separator', 'An\u2028na'],
    ['a lone high surrogate', 'An\ud800na'],
    ['a lone low surrogate', 'An\udc00na'],
  ] as const)
    it(`is refused: ${what}`, () => {
      expect(parseUsername(raw)).to.deep.equal({ ok: false, error: { kind: 'invalid-username' } });
    });

  it('is a clean name or refused, for each of the naughty strings and any text', () => {
    const check = (text: string) => {
      const parsed = parseUsername(text);
      if (!parsed.ok) return;
      expect([...parsed.value].length).to.be.within(1, 64);
      expect(parsed.value).to.equal(parsed.value.trim().normalize('NFC'));
      expect(parsed.value).not.to.match(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      expect(isStorable(parsed.value)).to.equal(true);
      expect(parseUsername(parsed.value)).to.deep.equal(parsed);
    };
    naughtyStrings.forEach(check);
    fc.assert(fc.property(fc.string({ unit: 'binary' }), check), { numRuns: 1_000 });
  });

  it('is the same name in other letters of the same kind', () => {
    const key = (raw: string) => usernameKey(must(parseUsername(raw)));
    for (const other of ['anna', 'ANNA', ' Anna ', 'Ａｎｎａ', '𝐀𝐧𝐧𝐚', 'ⒶⓃⓃⒶ'])
      expect(key(other)).to.equal('anna');
    expect(key('A\u0308nna')).to.equal(key('änna'));
    expect(key('ﬁsh')).to.equal(key('FISH'));
    expect(key('Anna')).not.to.equal(key('Änna'));
  });
});

describe('A password', () => {
  const broken = (raw: string) => {
    const parsed = PlainPassword.parse(raw);
    return parsed.ok ? [] : parsed.error.broken;
  };

  for (const password of [
    'Abcdef1!',
    'Abcde1! ',
    'Ä1!aaaaa',
    'Ωmega1€x',
    'A١!aaaaa',
    'Pass word 1,',
    'A1_aaaaa',
    '🎵A1aaaaa',
    'A1!' + 'a'.repeat(69),
  ])
    it(`may be ${password.slice(0, 20)}`, () => {
      expect(broken(password)).to.deep.equal([]);
    });

  for (const [password, rules] of [
    ['', ['length', 'upper-case', 'number', 'special']],
    ['Abcde1!', ['length']],
    ['🎵🎵🎵A1!', ['length']],
    ['abcdef1!', ['upper-case']],
    ['Abcdefg!', ['number']],
    ['Abcdefg1', ['special']],
    ['Abcdef 1', ['special']],
    ['Abcdef1!\u0000', ['storable']],
    ['Abcdef1!\ud800', ['storable']],
    ['A1!' + 'a'.repeat(70), ['too-long']],
    ['A1!' + 'ä'.repeat(35), ['too-long']],
    ['A1!' + '🎵'.repeat(18), ['too-long']],
    ['aaaaaaaa', ['upper-case', 'number', 'special']],
  ] as const)
    it(`is refused: ${inspect(password.slice(0, 12))} breaks ${rules.join(', ')}`, () => {
      expect(broken(password)).to.deep.equal(rules);
    });

  it('counts its bytes after composing: 72 are enough, whatever was typed', () => {
    const composed = 'A1!a' + 'ä'.repeat(34);
    expect(broken(composed)).to.deep.equal([]);
    expect(broken(composed.normalize('NFD'))).to.deep.equal([]);
    expect(broken(composed + 'a')).to.deep.equal(['too-long']);
  });

  it('is the same in either normal form', () => {
    const typed = must(PlainPassword.parse('Pässwört1!'.normalize('NFD')));
    expect(typed.reveal()).to.equal('Pässwört1!'.normalize('NFC'));
    expect(PlainPassword.attempt('Pässwört1!'.normalize('NFD')).reveal()).to.equal(typed.reveal());
  });

  it('tried at login may be any text, and is possible only if it could have been stored', () => {
    expect(PlainPassword.attempt('').isPossible).to.equal(true);
    expect(PlainPassword.attempt('A1!' + 'a'.repeat(69)).isPossible).to.equal(true);
    expect(PlainPassword.attempt('A1!' + 'a'.repeat(70)).isPossible).to.equal(false);
    expect(PlainPassword.attempt('a\u0000').isPossible).to.equal(false);
    expect(PlainPassword.attempt('a\ud800').isPossible).to.equal(false);
  });

  it('that was accepted is possible, at most 72 bytes, and never cut', () => {
    const texts = fc.oneof(
      fc.constantFrom(...naughtyStrings),
      fc.string({ unit: 'binary', maxLength: 90 }).map((text) => `Aa1!${text}`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = PlainPassword.parse(text);
        const bytes = Buffer.byteLength(text.normalize('NFC'));
        const tooLong = !parsed.ok && parsed.error.broken.includes('too-long');
        expect(tooLong).to.equal(bytes > 72);
        if (!parsed.ok) return;
        expect(parsed.value.isPossible).to.equal(true);
        expect(parsed.value.reveal()).to.equal(text.normalize('NFC'));
      }),
      { numRuns: 1_000 },
    );
  });

  it('shows itself nowhere but where it is revealed', () => {
    const password = must(PlainPassword.parse('Secret-horse1'));
    const shown = [
      String(password),
      JSON.stringify({ password }),
      inspect({ password }, { showHidden: true, depth: 9 }),
      format('%s %o %j', password, password, password),
      Object.values(password).join(),
    ];
    expect(shown.join()).not.to.contain('horse');
    expect(shown[0]).to.equal('[password]');
  });

  it('that was refused is not repeated in the refusal', () => {
    expect(JSON.stringify(PlainPassword.parse('secret-horse'))).not.to.contain('horse');
  });
});
