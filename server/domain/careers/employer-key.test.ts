import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editDistance } from '../search/spelling.ts';
import { proposeMerges, toEmployerKey } from './employer-key.ts';

describe('toEmployerKey', () => {
  test.each([
    ['GT Bank Ltd.', 'gtbank'],
    ['GTBank', 'gtbank'],
    ['gt-bank', 'gtbank'],
    ['The Guardian', 'guardian'],
    ['Shenzhen Trading Co., Ltd.', 'shenzhentrading'],
    ['Acme L.L.C.', 'acme'],
    ['Ọ̀yọ́ Farms PLC', 'oyofarms'],
    ['Booking.com', 'bookingcom'],
    ['Intel 471', 'intel471'],
    ['李小龍有限公司', '李小龍有限公司'],
  ])('converts %j to %j', (name, key) => expect(toEmployerKey(name)).toBe(key));

  test.each([
    ['MTN Nigeria', 'mtnnigeria'],
    ['Dangote Group', 'dangotegroup'],
    ['Nestlé SA', 'nestlesa'],
    ['Siemens AG', 'siemensag'],
    ['Limited Brands', 'limitedbrands'],
    ['Over the Top', 'overthetop'],
  ])('keeps all words of %j', (name, key) => expect(toEmployerKey(name)).toBe(key));

  test.each([
    ['The Company', 'thecompany'],
    ['Co. Ltd', 'coltd'],
    ['The', 'the'],
    ['The The', 'the'],
    ['★ ★', '★★'],
    ['+++', '+++'],
    ['’', '’'],
    ['\u093E', '\u093E'],
  ])('converts %j, which has no other words, to %j', (name, key) => expect(toEmployerKey(name)).toBe(key));

  test('returns a key of 1 to 100 code points for each name that is not blank', () => {
    expect(toEmployerKey(' ')).toBe('');
    expect(toEmployerKey('ﷺ'.repeat(100))).toHaveLength(100);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), (name) => {
        fc.pre(name.trim() !== '');
        const { length } = [...toEmployerKey(name)];
        return length >= 1 && length <= 100;
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });
});

const proposeKeys = (employers: { key: string; name: string }[]) =>
  proposeMerges(employers).map(({ one, other }) => ({ key: one.key, sameAs: other.key }));
const propose = (...names: string[]) => proposeKeys(names.map((name) => ({ key: toEmployerKey(name), name })));

describe('proposeMerges', () => {
  test.each([
    ['Dangote', 'Dangotte'],
    ['Andela', 'Adnela'],
    ['Guaranty Trust Bank Plc', 'GTB'],
    ['GTB', 'Guaranty Trust Bank'],
    ['Central Bank of Nigeria', 'CBN'],
    ['Bank of America', 'BoA'],
    ['Nigerian National Petroleum Corporation', 'NNPC'],
  ])('merges the smaller of %j and %j into the larger', (larger, smaller) =>
    expect(propose(larger, smaller)).toEqual([{ key: toEmployerKey(smaller), sameAs: toEmployerKey(larger) }]),
  );

  test.each([
    ['a common beginning', 'Intel', 'Intel 471'],
    ['another number', 'Channel 4', 'Channel 5'],
    ['keys of four letters', 'Uber', 'Ubet'],
    ['keys of four and five letters', 'Apple', 'Appl'],
    ['two edits', 'Dangote', 'Dengota'],
    ['two initials', 'PG', 'Procter Gamble'],
    ['equal initials', 'African Business Council', 'Abuja Building Council'],
  ])('ignores %s: %j and %j', (_, a, b) => expect(propose(a, b)).toEqual([]));

  test('finds each pair of keys that are one edit apart', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 5, maxLength: 7 });
    fc.assert(
      fc.property(fc.uniqueArray(key, { minLength: 2, maxLength: 12 }), (keys) => {
        const expected = keys.flatMap((key, at) =>
          keys
            .slice(0, at)
            .filter((other) => editDistance(key, other, 1) === 1)
            .map((sameAs) => ({ key, sameAs })),
        );
        const pairs = proposeKeys(keys.map((key) => ({ key, name: key })));
        expect(new Set(pairs.map((pair) => JSON.stringify(pair)))).toEqual(
          new Set(expected.map((pair) => JSON.stringify(pair))),
        );
        expect(pairs).toHaveLength(expected.length);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});
