import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_ID, parseId, parseStreamUuid } from '../../src/domain/ids.js';

describe('An id in a path', () => {
  it('is any positive integer up to 2147483647', () => {
    expect(MAX_ID).to.equal(2_147_483_647);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MAX_ID }), (id) => {
        expect(parseId(String(id))).to.equal(id);
      }),
    );
  });

  for (const text of [
    ...[
      '',
      '0',
      '-1',
      '+1',
      '01',
      '1.0',
      '1.5',
      '1e3',
      '0x1',
      ' 1',
      '1 ',
      '1\n',
      '1\u0000',
      '1,000',
      '１',
      '١',
    ],
    ...[
      'NaN',
      'Infinity',
      'null',
      'undefined',
      'true',
      '[1]',
      '{}',
      '2147483648',
      '9999999999',
      '4294967297',
    ],
    ...['18446744073709551617', '9'.repeat(400)],
  ])
    it(`is not ${JSON.stringify(text.slice(0, 30))}`, () => {
      expect(parseId(text)).to.equal(null);
    });

  it('is spelt in one way only', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.double().map(String)), (text) => {
        const id = parseId(text);
        if (id !== null) expect(String(id)).to.equal(text);
      }),
    );
  });
});

describe('The UUID of a stream', () => {
  const UUID = '123e4567-e89b-42d3-a456-426614174000';

  it('is lower case, whatever case it is sent in', () => {
    expect(parseStreamUuid(UUID)).to.equal(UUID);
    expect(parseStreamUuid(UUID.toUpperCase())).to.equal(UUID);
  });

  it('may be of any version', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        expect(parseStreamUuid(uuid)).to.equal(uuid);
      }),
    );
    expect(parseStreamUuid('00000000-0000-0000-0000-000000000000')).not.to.equal(null);
  });

  for (const text of [
    '',
    'stream',
    UUID.replaceAll('-', ''),
    `{${UUID}}`,
    `urn:uuid:${UUID}`,
    ` ${UUID}`,
    `${UUID}\n`,
    `${UUID}0`,
    UUID.slice(1),
    UUID.replace('1', 'g'),
    UUID.replace('1', '１'),
  ])
    it(`is not ${JSON.stringify(text)}`, () => {
      expect(parseStreamUuid(text)).to.equal(null);
    });
});
