import { fieldLengths } from '#contract/field-lengths.ts';
import { earliestYear } from '#contract/filter-limits.ts';
import * as pageSizes from '#contract/page-sizes.ts';
import * as quotas from '#contract/quotas.ts';

/*
 * Lists invalid values for requests, by kind. The number `pick` selects one value of a kind, so that a request can be
 * repeated.
 */

export const planted = {
  password: 'Planted-passw0rd-lQ7',
  code: 'planted-code-Zx81',
  cookie: 'planted-cookie-Vb52',
  address: 'planted-address-kt36',
  markup: '<img src=x onerror=planted()>',
} as const;

/** Bytes in place of a value. In JSON they are written unchanged, elsewhere each byte as %XX. */
export class Raw {
  readonly bytes: Buffer;

  /** @param content a JSON token such as `1e400`, or bytes that are not valid UTF-8 */
  constructor(content: string | Buffer) {
    this.bytes = Buffer.from(content as string, 'utf8');
  }
}

export type Loose = null | boolean | number | string | Raw | Pairs | readonly Loose[];

export class Pairs {
  readonly pairs: (readonly [key: string, value: Loose])[];

  constructor(pairs: (readonly [key: string, value: Loose])[]) {
    this.pairs = pairs;
  }
}

const nestJson = (open: string, close: string, depth = 10_000) => new Raw(open.repeat(depth) + close.repeat(depth));

const quoteBytes = (bytes: readonly number[]) =>
  new Raw(Buffer.concat([Buffer.from('"a'), Buffer.from(bytes), Buffer.from('z"')]));

const lengths = [
  ...new Set(
    [...Object.values(fieldLengths), ...Object.values(pageSizes), ...Object.values(quotas), earliestYear]
      .flatMap((limit) => (limit > 1 && limit <= 6_000 ? [limit - 1, limit, limit + 1, 4 * limit, 4 * limit + 1] : []))
      .concat(
        39,
        40,
        41,
        59,
        60,
        61,
        199,
        200,
        201,
        599,
        600,
        601,
        1_000,
        1_001,
        1_016,
        1_017,
        1_400,
        1_401,
        8_001,
        60_000,
      ),
  ),
].toSorted((one, other) => one - other);

type Make = (before: string, pick: number) => Loose;

const oneOf =
  (...values: readonly (Loose | ((before: string) => Loose))[]): Make =>
  (before, pick) => {
    const value = values[pick % values.length] ?? null;
    return typeof value === 'function' ? value(before) : value;
  };

const insertText = (...texts: readonly string[]): Make =>
  oneOf(
    ...texts.flatMap((text) => [
      (before: string) => before.slice(0, before.length / 2) + text + before.slice(before.length / 2),
      (before: string) => before + text,
      (before: string) => text + before,
      text,
    ]),
  );

export const hostileValues = {
  'wrong type': oneOf(
    null,
    true,
    0,
    17,
    '',
    [],
    ['a', 1],
    new Pairs([]),
    new Pairs([['a', 'b']]),
    [[]],
    'true',
    '[object Object]',
  ),
  'deep JSON': oneOf(
    nestJson('[', ']'),
    nestJson('{"a":', '}').bytes.length > 0 ? nestJson('{"a":', '}') : null,
    nestJson('[{"":', '}]', 5_000),
    new Raw('['.repeat(10_000)),
  ),
  'absurd number': oneOf(
    ...[
      '1e400',
      '-1e400',
      '-0',
      '9007199254740993',
      '1'.repeat(100),
      `-${'9'.repeat(100)}`,
      '1e-400',
      '0.1',
      '1.0',
      '2147483648',
      '-2147483649',
      '32768',
      '9223372036854775808',
      '1e5',
      '010',
      '0x7c6',
      '+1',
      'NaN',
      'Infinity',
      '1_000',
      '1e',
      '.5',
      `0.${'3'.repeat(500)}`,
    ].map((token) => new Raw(token)),
  ),
  NUL: insertText('\u0000', '\u0000'.repeat(500)),
  'lone surrogate': insertText('\uD800', '\uDC00', '\uDFFF\uD800', '\uD83D'),
  'invalid UTF-8': oneOf(
    quoteBytes([0xff]),
    quoteBytes([0xc0, 0xaf]),
    quoteBytes([0xed, 0xa0, 0x80]),
    quoteBytes([0xf4, 0x90, 0x80, 0x80]),
    quoteBytes([0xe2, 0x82]),
    quoteBytes([0x80, 0xfe, 0x00]),
  ),
  'turned direction': insertText('\u202E', '\u202Egpj.exe', '\u2066a\u2069\u200F', '\u061C'),
  'zero width': insertText(
    '\u200B',
    '\u200D\u200C',
    '\uFEFF',
    '\u2060\u00AD',
    '\u180E\u3164\u2800',
    '\u{E0041}\u{E007F}',
  ),
  'combining flood': oneOf(
    (before) => `${before}${'\u0301'.repeat(29_000)}`,
    `e${'\u0301\u0323'.repeat(100)}`,
    'Z\u0351\u036B\u0343'.repeat(20),
    '\u1100\u1161\u11A8'.repeat(300),
    '\uFDFA'.repeat(1_500),
    '👨‍👩‍👧‍👦'.repeat(60),
  ),
  length: (_, pick) =>
    ['a', 'é', '😀', ' ', '\u0130'][pick % 5]?.repeat(
      (lengths[Math.floor(pick / 5) % lengths.length] ?? 1) / (pick % 5 === 2 ? 2 : 1),
    ) ?? '',
  'prototype key': oneOf(
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    new Raw('{"__proto__":{"isAdmin":true}}'),
    new Raw('{"constructor":{"prototype":{"isAdmin":true}}}'),
  ),
  markup: oneOf(
    planted.markup,
    `"'>${planted.markup}`,
    `</script>${planted.markup}`,
    `</title>${planted.markup}`,
    `javascript:planted()//${planted.markup}`,
    `{{7*7}}\${7*7}<%= 7*7 %>${planted.markup}`,
  ),
  'another script’s digits': oneOf('٢٠١٠', '२०१०', '２０１０', '𝟐𝟎𝟏𝟎', '²⁰', 'Ⅻ', '１２３４５６'),
  'absurd date': oneOf(
    '0000-00-00',
    '2020-02-30',
    '9999-12-31',
    '-000001-01-01',
    '+275760-09-13',
    '1900-00-01',
    '2020-1-1',
    '1999-12-31T23:59:60Z',
    '1899-12-31',
    '10000-01-01',
    '٢٠٢٠-٠١-٠١',
    'today',
    'infinity',
  ),
  'query language': oneOf(
    `' OR 1=1 --`,
    `"; drop table accounts; --`,
    `\\'; select pg_sleep(20) --`,
    `%' AND 1=(CAST(version() AS int))--`,
    `a & b | !c <-> (d:*`,
    `$1 $$ {$ne:null}`,
    '../../../../etc/passwd',
    '%s%s%n',
    '%',
    '_%_',
    '\\',
  ),
} as const satisfies Record<string, Make>;

export type ValueKind = keyof typeof hostileValues;
export const valueKinds = Object.keys(hostileValues) as ValueKind[];

function withPartsChanged(own: string): string[] {
  const parts = JSON.parse(Buffer.from(own, 'base64url').toString()) as unknown[];
  const others = [
    null,
    17,
    -1,
    1e300,
    '',
    '\u0000',
    '\uD800',
    '9'.repeat(19),
    '9'.repeat(200),
    [],
    {},
    true,
    'x'.repeat(300),
  ];
  return parts.flatMap((_, index) =>
    others.map((other) => Buffer.from(JSON.stringify(parts.with(index, other))).toString('base64url')),
  );
}

export function hostileCursor(own: string, pick: number): string {
  const word = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const id = '00000000-0000-4000-8000-000000000000';
  const middle = own.length >> 1;
  const cursors = [
    own.slice(0, -1),
    own.slice(1),
    own.slice(0, middle) + (own[middle] === 'A' ? 'B' : 'A') + own.slice(middle + 1),
    own + own,
    `${own}=`,
    own.toUpperCase(),
    word([]),
    word({}),
    word(null),
    word([null, null]),
    word(['9'.repeat(30), id]),
    word(['9223372036854775807', id]),
    word([true, '9223372036854775807', id]),
    word([true, '9'.repeat(30), id]),
    word([true, '٣'.repeat(9), id]),
    ...withPartsChanged(own),
    word([id, id]),
    word(['a', id]),
    word(['\u0000', id]),
    word(['\uD800', id]),
    word(['a', 'b']),
    word(['a', id, 'c']),
    word([['a'], [id]]),
    word([{ toString: 'x' }, id]),
    word(['2020-01-01T00:00:00.000Z', id]),
    word(['0000-00-00', id]),
    word(['infinity', id]),
    word(['99999-01-01T00:00:00Z', id]),
    word([false, '2020-01-01T00:00:00.000Z', id]),
    word([true, '2020-13-41T99:00:00.000Z', id]),
    word([1e300, id]),
    word([Number.MAX_SAFE_INTEGER, id]),
    word([-1, id]),
    Buffer.from('[1e400,"x"]').toString('base64url'),
    Buffer.from('['.repeat(150)).toString('base64url'),
    Buffer.from([0xff, 0xfe, 0]).toString('base64url'),
    word(['a'.repeat(400), id]),
    word('x'.repeat(700)),
    'A'.repeat(601),
    '!'.repeat(20),
    '',
  ];
  return cursors[pick % cursors.length] ?? '';
}

export function hostileId(own: string, pick: number): string {
  const ids = [
    '0',
    '-1',
    '1e400',
    'null',
    'undefined',
    'me',
    own.toUpperCase(),
    own.replaceAll('-', ''),
    `{${own}}`,
    `urn:uuid:${own}`,
    `${own}%00`,
    `${own}%20`,
    `%20${own}`,
    `${own}%0A`,
    `${own},${own}`,
    `${own}/..%2f`,
    own.slice(0, -1),
    `${own}0`,
    own.replace(/./u, 'g'),
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '-'.repeat(36),
    '%2e%2e',
    '%2e%2e%2fsession',
    '..%5c',
    '__proto__',
    '%F0%9F%98%80',
    'a'.repeat(200),
    'a'.repeat(201),
    'b'.repeat(4_000),
    '%EF%BC%91',
    '*',
    '$1',
    `'%20or%201=1--`,
  ];
  return ids[pick % ids.length] ?? '0';
}

export const brokenEncodings = [
  '%',
  '%z',
  '%zz',
  '%E0%A4%A',
  '%C0%AF',
  '%ED%A0%80',
  '%00',
  '%FF%FE',
  '%u0041',
  '%25%30%30',
  '%2',
  '+%',
  '%c3%28',
];

export const hostileHeaders = {
  accept: [
    '*/*;q=x',
    '',
    ',,,,',
    'application/xml',
    'text/html;level=1;q=0.0000',
    'a/b,'.repeat(2_000),
    '\u00ff/\u00fe',
    'image/webp',
  ],
  range: [
    'bytes=0-0',
    'bytes=5-2',
    'bytes=-1',
    'bytes=999999999999999999999-',
    `bytes=${'0-0,'.repeat(1_000)}0-1`,
    'bytes=a-b',
    'lines=1-2',
    'bytes=',
  ],
  'if-none-match': ['*', '""', 'W/"', `"${'x'.repeat(8_000)}"`, '\u00ff', '"a", W/"b",'],
  'if-modified-since': ['0', 'Thu, 01 Jan 1970', 'Thu, 99 Foo 99999 25:61:61 GMT', '-1', 'NaN'],
  'x-forwarded-for': [
    '',
    ',',
    '127.0.0.1',
    `${'1.2.3.4, '.repeat(1_500)}5.6.7.8`,
    '::ffff:127.0.0.1',
    '999.999.999.999',
    '<script>',
    '[::1]:80',
    "' or 1=1--",
    'fe80::1%eth0',
    ':::::',
    '1::2::3',
    '\u00ff',
  ],
  'x-forwarded-host': ['evil.example', '', 'a,b,c', '[', '\u00ff', 'h'.repeat(8_000)],
  'x-forwarded-proto': ['gopher', 'https,http', '', 'javascript'],
  forwarded: ['for=_hidden;by=;host="', 'for="[::1"', ';;;;', 'for=1;'.repeat(1_000)],
  host: ['', 'evil.example', '[', 'localhost:3000, evil.example', 'localhost:99999', '\u00ff', '@', 'x'.repeat(8_000)],
  'user-agent': [
    '',
    '\u00ff\u00fe\u0080',
    planted.markup,
    'x'.repeat(10_000),
    '%00%0a',
    '\uD83D'.length === 1 ? '\u00ed\u00a0\u00bd' : '',
  ],
  'accept-encoding': [
    'br;q=x',
    '*;q=0',
    'identity;q=0',
    'gzip,'.repeat(3_000),
    'deflate, gzip;q=1.0, *;q=0.5',
    'zstd',
    '',
    '\u00ff',
    '__proto__',
    'constructor',
  ],
  'accept-language': ['x'.repeat(8_000), '\u00ff', ';q='],
  'sec-fetch-site': ['cross-site', 'same-origin', '', 'SAME-ORIGIN', 'none', '\u00ff'],
  origin: [
    'null',
    '',
    'http://localhost:3000.evil.example',
    'HTTP://LOCALHOST:3000',
    'http://localhost:3000/',
    'file://',
    '\u00ff',
    '*',
  ],
  connection: ['__proto__', 'upgrade', 'close, keep-alive', 'host, cookie', ''],
  upgrade: ['websocket', 'h2c', '\u00ff', 'TLS/1.0'],
  expect: ['100-continue', '200-maybe', ''],
  referer: ['javascript:planted()', 'http://[', '\u00ff', 'x'.repeat(8_000)],
  authorization: ['Basic Og==', 'Bearer null', 'Digest x', '\u00ff', 'Bearer '.repeat(1_000)],
  'x-http-method-override': ['DELETE', 'PUT', '__proto__'],
  'content-language': ['\u00ff'],
  'last-event-id': ['-1', '\u00ff', '9'.repeat(400)],
  'accept-version': ['1.x', '*', '__proto__'],
} as const satisfies Record<string, readonly string[]>;

export type HeaderKind = keyof typeof hostileHeaders;

export const contentTypes = [
  '',
  'application/json; charset=utf-16',
  'application/json; charset=utf-7; charset=x',
  'application/json;',
  'APPLICATION/JSON',
  'application/jsonx',
  'application/problem+json',
  'text/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/xml',
  'application/octet-stream',
  'application/cbor',
  'application/json, text/plain',
  'json',
  '/',
  '\u00ff/\u00fe',
  '__proto__',
  'constructor/prototype',
  `application/json; ${'a=b;'.repeat(1_000)}`,
  'application/json; boundary="',
];

export const hostileCookies = [
  'sid=',
  `sid=${planted.cookie}`,
  `sid=${planted.cookie}; sid=${planted.cookie}2`,
  `sid=%00${planted.cookie}`,
  `sid=%zz${planted.cookie}`,
  `sid=%E0%A4%A`,
  `sid="${planted.cookie}"`,
  `sid=${'a'.repeat(8_000)}`,
  `sid=\u00ff\u00fe${planted.cookie}`,
  '__proto__=1; constructor=2; toString=3',
  ';;;;=;=;',
  '=',
  'a=b; '.repeat(1_500),
  `device=${planted.cookie}; pending=${planted.cookie}; passkey=${planted.cookie}`,
  'device=%00; pending=%00; passkey=%00',
  `__Host-sid=${planted.cookie}`,
  'sid=[object Object]',
  `pending=${'é'.repeat(10)}`,
];
