import * as fc from 'fast-check';

const pieces = [
  // One character that case folding expands to many characters and bytes.
  ['㌖', '㌀', 'ﷺ', 'ﷲ', 'ﬃ', 'Ⅷ', '㎨', '½', 'ẞ', 'ß', 'İ', 'ı', 'ŉ', 'ǰ', 'ΐ', 'ﬔ', '㋿', '🄫'],
  // The same text composed, decomposed, and as compatibility characters.
  [
    'é',
    'é'.normalize('NFD'),
    'Å',
    'Å',
    'ọ́',
    'ọ́'.normalize('NFD'),
    '각',
    '각'.normalize('NFD'),
    'ﬁ',
    'ＡＢ',
    'ǆ',
    'が',
    'ｶﾞ',
  ],
  // Combining marks, single and stacked.
  ['\u0301', `a${'\u0323\u0301'.repeat(20)}`, '\u0e47', '\u{1d165}', '\u20dd', '\ufe0f'],
  // Four bytes in UTF-8, two code units in UTF-16.
  ['😀', '👩‍🎓', '🇳🇬', '𐐀', '𠀋', '𝒜', '𞤀', '\u{10fffd}'],
  // Invisible characters.
  ['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u3164', '\u{e0041}', '\u{e0100}'],
  // Right-to-left text.
  ['שלום', 'مرحبا', '\u202e', '\u2066', '\u061c'],
  // Characters that are valid in JSON, but that PostgreSQL cannot store.
  ['\ud800', '\udc00', '\0', '\u0007', '\u0085', '\ufffe', '\uffff'],
  // Characters with a meaning in SQL, COPY, tsquery, CSV, JSON and HTML.
  [
    "'",
    "''",
    '"',
    '\\',
    '\\N',
    '\\.',
    '\\x41',
    '\t',
    '\n',
    '\r\n',
    ',',
    ';',
    '=1+1',
    '+',
    '@',
    '%',
    '_',
    '&',
    '|',
    '!',
    ':*',
    '(',
    '<b>',
    '{}',
    '$1',
    '&amp;',
  ],
  // Letters whose case mapping changes the length or depends on the position, and non-Latin digits.
  ['ς', 'Σ', 'ᾳ', 'ﬅ', '٣', '०', '２', '²', '𝟘'],
  [' ', '\u00a0', '\u3000', '\u2028', '-', '/', '.', '’', '@x.com/', 'https://x.com/'],
  ['a', 'A', 'ada', 'Ọládélé', '1', '2015', 'CSC/15/0012'],
].flat();

const piece = fc.constantFrom(...pieces);
const few = fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));

/** @param max maximum length in code points */
export const hostileText = (max: number): fc.Arbitrary<string> =>
  fc.oneof(
    few,
    fc.array(piece, { minLength: 1, maxLength: 2 * max }).map((parts) => parts.join('')),
    // One text repeated up to the maximum length.
    fc.tuple(piece, fc.integer({ min: max - 2, max: max + 1 })).map(([one, times]) => one.repeat(times)),
    // Texts that become longer by folding, at the maximum length.
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('㌖', 'ﷺ', 'ﬃ'), few, fc.nat({ max }))
        .map(([one, rest, at]) => [...`${one.repeat(at)}${rest}${one.repeat(max)}`].slice(0, max).join('')),
    },
    fc.string({ unit: 'binary', minLength: 1, maxLength: max }),
  );
