import { expect } from 'chai';
import fc from 'fast-check';
import type { Instant } from '../../src/domain/ids.js';
import { type Month, endOf, monthOf, parseMonth, previousMonth, startOf } from '../../src/domain/month.js';

const at = (iso: string) => Date.parse(iso) as Instant;
const instants = fc
  .integer({ min: 0, max: Date.UTC(9999, 10, 30) })
  .map((milliseconds) => milliseconds as Instant);

describe('A month', () => {
  for (const text of ['1970-01', '2026-02', '9999-12'])
    it(`is written ${text}`, () => expect(parseMonth(text)).to.equal(text));

  for (const text of [
    '',
    '2026',
    '2026-0',
    '2026-00',
    '2026-13',
    '2026-1',
    '26-01',
    '2026-01-01',
    ' 2026-01',
  ])
    it(`is not written '${text}'`, () => expect(parseMonth(text)).to.equal(null));

  for (const [iso, month] of [
    ['2026-01-01T00:00:00.000Z', '2026-01'],
    ['2025-12-31T23:59:59.999Z', '2025-12'],
    ['2026-01-01T00:30:00.000+01:00', '2025-12'],
    ['2024-02-29T12:00:00.000Z', '2024-02'],
    ['2024-02-29T23:59:59.999Z', '2024-02'],
    ['2024-03-01T00:00:00.000Z', '2024-03'],
    ['2100-02-28T23:59:59.999Z', '2100-02'],
    ['1970-01-01T00:00:00.000Z', '1970-01'],
  ] as const)
    it(`at ${iso} is ${month}, in UTC`, () => expect(monthOf(at(iso))).to.equal(month));

  it('comes after the one before it, also over a year’s turn', () => {
    expect(previousMonth('2026-01' as Month)).to.equal('2025-12');
    expect(previousMonth('2026-03' as Month)).to.equal('2026-02');
  });

  for (const [month, days] of [
    ['2023-02', 28],
    ['2024-02', 29],
    ['2100-02', 28],
    ['2000-02', 29],
    ['2026-12', 31],
  ] as const)
    it(`${month} has ${days} days`, () => {
      expect((endOf(month as Month) - startOf(month as Month)) / 86_400_000).to.equal(days);
    });

  it('holds exactly the instants from its start until the next one starts', () => {
    fc.assert(
      fc.property(instants, (instant) => {
        const month = monthOf(instant);
        expect(month).to.equal(new Date(instant).toISOString().slice(0, 7));
        expect(parseMonth(month)).to.equal(month);
        expect(startOf(month)).to.be.at.most(instant);
        expect(endOf(month)).to.be.above(instant);
        expect(monthOf(endOf(month))).to.not.equal(month);
        expect(previousMonth(monthOf(endOf(month)))).to.equal(month);
      }),
    );
  });
});
