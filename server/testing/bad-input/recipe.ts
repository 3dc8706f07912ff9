import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import {
  type Loose,
  Pairs,
  Raw,
  type ValueKind,
  brokenEncodings,
  contentTypes,
  hostileCookies,
  hostileCursor,
  hostileHeaders,
  hostileId,
  hostileValues,
  planted,
  valueKinds,
} from './hostile.ts';
import { createRandom } from '#server/seed/random.ts';
import type { Route, Schema } from './routes.ts';
import { type CallerKind, type ValidInput, callerKinds, origin } from './world.ts';

/** A request as plain data, so that it can be repeated. Cookies and ids are filled in when it is rendered. */
export interface Recipe {
  readonly route: string;
  readonly caller: CallerKind;
  readonly variant: number;
  readonly breaks: readonly { readonly kind: BreakKind; readonly at: number; readonly pick: number }[];
}

export interface Wire {
  method: string;
  path: string;
  query: string;
  headers: [name: string, value: string][];
  body: Buffer | null;
}

export interface Rendered {
  readonly wire: Wire;
  readonly broken: ReadonlySet<string>;
  readonly isOnRoute: boolean;
}

const bodyKinds = ['missing field', 'unknown field', 'duplicate field', 'broken JSON'] as const;
const requestKinds = [
  'unknown query',
  'repeated query',
  'broken encoding',
  'wrong method',
  'HEAD',
  'OPTIONS',
  'content type',
  'content length',
  'compressed body',
  'multipart',
  'body where none belongs',
  'duplicate header',
  'absurd header',
  'absurd cookie',
  'duplicate cookie',
  'origin',
  'wild',
] as const;
export type BreakKind =
  | ValueKind
  | (typeof bodyKinds)[number]
  | (typeof requestKinds)[number]
  | 'absurd cursor'
  | 'absurd id';

export const allKinds: readonly string[] = [
  ...valueKinds,
  ...bodyKinds,
  ...requestKinds,
  'absurd cursor',
  'absurd id',
  ...Object.keys(hostileHeaders).map((name) => `header ${name}`),
];

function listBreakKinds({ body, query, params }: Route): BreakKind[] {
  return [
    // Invalid values are the most important kind.
    ...Array.from({ length: 3 }, () => valueKinds).flat(),
    ...(body ? [...bodyKinds, ...bodyKinds, ...bodyKinds] : []),
    ...requestKinds,
    'absurd header',
    'absurd header',
    'absurd header',
    ...('after' in query ? Array.from({ length: 40 }, () => 'absurd cursor' as const) : []),
    ...(params.length > 0 ? Array.from({ length: 10 }, () => 'absurd id' as const) : []),
  ];
}

export function recipes(routes: readonly Route[]): fc.Arbitrary<Recipe> {
  return fc.oneof(
    ...routes.map((route) =>
      fc.record({
        route: fc.constant(route.name),
        caller: fc.oneof(
          { arbitrary: fc.constant<CallerKind>(isStaffRoute(route) ? 'staff' : 'member'), weight: 8 },
          ...callerKinds.map((kind) => ({ arbitrary: fc.constant(kind), weight: kind === 'verified' ? 3 : 1 })),
        ),
        variant: fc.nat(9_999),
        breaks: fc.oneof(
          { arbitrary: fc.constant([]), weight: 2 },
          { arbitrary: fc.array(createBreak(route), { minLength: 1, maxLength: 1 }), weight: 6 },
          { arbitrary: fc.array(createBreak(route), { minLength: 2, maxLength: 3 }), weight: 3 },
        ),
      }),
    ),
  );
}

const isStaffRoute = ({ path }: Route) => /^\/(?:api\/)?staff\b/u.test(path);

const createBreak = (route: Route) =>
  fc.record({ kind: fc.constantFrom(...listBreakKinds(route)), at: fc.nat(999), pick: fc.nat(9_999) });

/** Maximum length of a path or query in characters. Node.js rejects heads above 16 KB, which the raw requests test. */
const maxPartLength = 7_000;

/** Joins the query up to the maximum length. Repeated long values would otherwise take hundreds of megabytes. */
function writeQuery(query: Draft['query']): string {
  let text = '';
  for (const [name, value] of query) {
    if (text.length > maxPartLength) break;
    text += `${text === '' ? '' : '&'}${name}=${value}`;
  }
  return text.slice(0, maxPartLength);
}

export function render({ variant, breaks }: Recipe, route: Route, given: ValidInput): Rendered {
  const draft = createDraft(route, given, variant);
  const broken = new Set<string>();
  for (const one of breaks) broken.add(apply(draft, route, given, one));
  const wire: Wire = {
    method: draft.method,
    path: draft.path
      .replaceAll(/\{(\w+)\}/gu, (_, name: string) => draft.params.get(name) ?? '')
      .slice(0, maxPartLength),
    query: writeQuery(draft.query),
    headers: [...draft.headers],
    body: draft.bytes ?? (draft.body === undefined ? null : encode(draft.body)),
  };
  if (wire.body && draft.isCompressed) wire.body = gzipSync(wire.body);
  if (wire.body && draft.breakJson) wire.body = draft.breakJson(wire.body);
  if (draft.cookie) wire.headers.push(['cookie', draft.cookie]);
  if (draft.contentType !== null && wire.body) wire.headers.push(['content-type', draft.contentType]);
  return { wire, broken, isOnRoute: draft.isOnRoute };
}

interface Draft {
  method: string;
  path: string;
  readonly params: Map<string, string>;
  readonly query: [name: string, value: string][];
  headers: [name: string, value: string][];
  cookie: string;
  contentType: string | null;
  body: Loose | undefined;
  bytes: Buffer | null;
  isCompressed: boolean;
  breakJson: ((body: Buffer) => Buffer) | null;
  isOnRoute: boolean;
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : 'x');

function createDraft(route: Route, given: ValidInput, variant: number): Draft {
  const { values } = given;
  return {
    method: route.method,
    path: route.path,
    params: new Map(route.params.map((name) => [name, percentEncode(toText(values[name]))])),
    // Uses half of the parameters, selected by the variant: all filters together match no one.
    query: Object.keys(route.query)
      .filter((name, index) => name === 'q' || ((variant >> index) & 1) === 0)
      .map((name) => [name, percentEncode(toText(values[name]))]),
    headers: [
      ['host', new URL(origin).host],
      ['origin', origin],
      ['user-agent', 'A browser'],
    ],
    cookie: given.cookie,
    contentType: 'application/json',
    body: route.body ? toLoose(given.body ?? sample(route.body, '', values, variant)) : undefined,
    bytes: null,
    isCompressed: false,
    breakJson: null,
    isOnRoute: true,
  };
}

function sample(schema: Schema, name: string, values: ValidInput['values'], variant: number): unknown {
  if (name in values) return values[name];
  const { type, properties, items, enum: choices, anyOf } = schema;
  if (anyOf?.[0]) return sample(anyOf[0], name, values, variant);
  if (choices) return choices[variant % choices.length];
  if (properties)
    return Object.fromEntries(
      Object.entries(properties).map(([key, property]) => [key, sample(property, key, values, variant)]),
    );
  if (type === 'object') return {};
  if (type === 'array') return items ? [sample(items, '', values, variant)] : [];
  if (type === 'boolean') return variant % 2 === 0;
  if (type === 'integer' || type === 'number') return 2010;
  return 'Lagos';
}

const isValueKind = (kind: BreakKind): kind is ValueKind => kind in hostileValues;

function apply(draft: Draft, route: Route, given: ValidInput, { kind, at, pick }: Recipe['breaks'][number]): string {
  const { body } = draft;
  if (isValueKind(kind)) {
    breakValue(draft, route, kind, at, pick);
    return kind;
  }
  switch (kind) {
    case 'missing field': {
      const fields = findFields(body).filter(({ isKey }) => isKey);
      pickAt(fields, at)?.remove();
      break;
    }
    case 'unknown field': {
      const objects = findObjects(body);
      const names = [
        'isAdmin',
        'id',
        '',
        'constructor',
        'a'.repeat(10_000),
        '\u0000',
        '\uD800',
        'PASSWORD',
        'role',
        '$where',
      ];
      pickAt(objects, at)?.pairs.push([names[pick % names.length] ?? '', pick % 3 === 0 ? new Pairs([]) : true]);
      break;
    }
    case 'duplicate field': {
      const object = pickAt(findObjects(body), at);
      const pair = object && pickAt(object.pairs, pick);
      if (pair) object.pairs.push([pair[0], pick % 2 === 0 ? pair[1] : null]);
      break;
    }
    case 'broken JSON':
      draft.breakJson = jsonBreaks[pick % jsonBreaks.length] ?? null;
      break;
    case 'unknown query':
      draft.query.push([
        percentEncode(['x', '__proto__', 'after[]', 'constructor', '', 'limit%00'][pick % 6] ?? ''),
        String(at),
      ]);
      break;
    case 'repeated query': {
      const [name, value] = pickAt(draft.query, at) ?? ['q', 'x'];
      if (pick % 4 === 3) draft.query.push([`${name}[]`, value], [`${name}[a]`, value]);
      else for (let times = pick % 4 === 2 ? 1_500 : 1; times > 0; times--) draft.query.push([name, value]);
      break;
    }
    case 'broken encoding': {
      const broken = brokenEncodings[pick % brokenEncodings.length] ?? '%';
      const param = pickAt([...draft.params.keys()], at);
      if (param !== undefined && at % 2 === 0) draft.params.set(param, `${draft.params.get(param)}${broken}`);
      else if (at % 3 === 0) draft.path += `/${broken}`;
      else draft.query.push([at % 2 === 0 ? 'x' : broken, broken]);
      draft.isOnRoute = false;
      break;
    }
    case 'wrong method':
      draft.method =
        ['PATCH', 'PUT', 'POST', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY', 'LINK', 'GET', 'MKCOL'][pick % 10] ?? 'PATCH';
      draft.isOnRoute = false;
      break;
    case 'HEAD':
    case 'OPTIONS':
      draft.method = kind;
      draft.isOnRoute = false;
      break;
    case 'content type':
      draft.contentType = contentTypes[pick % contentTypes.length] ?? '';
      draft.bytes ??= body === undefined ? Buffer.from('{}') : null;
      break;
    case 'content length':
      draft.headers.push([
        'content-length',
        ['0', '-1', '1e9', 'abc', '999999999999999999999', '5', '', '7 , 7', '0x10', '+3'][pick % 10] ?? '',
      ]);
      draft.bytes ??= body === undefined ? Buffer.from('{}') : null;
      break;
    case 'compressed body':
      draft.headers.push([
        'content-encoding',
        ['gzip', 'br', 'deflate', 'identity', 'zstd', 'gzip, gzip', '__proto__'][pick % 7] ?? '',
      ]);
      draft.isCompressed = at % 4 !== 0;
      draft.bytes ??= body === undefined ? Buffer.alloc(at % 2 === 0 ? 10 : 300_000, 'a') : null;
      break;
    case 'multipart':
      draft.contentType = multipartTypes[at % multipartTypes.length] ?? '';
      draft.bytes = multipartBodies[pick % multipartBodies.length] ?? null;
      break;
    case 'body where none belongs':
      draft.bytes =
        [
          Buffer.from('{}'),
          Buffer.from('null'),
          Buffer.from('"a"'),
          Buffer.from([0xff]),
          Buffer.alloc(70_000, '['),
          Buffer.from(''),
        ][pick % 6] ?? null;
      break;
    case 'duplicate header': {
      const names = [
        'origin',
        'content-type',
        'host',
        'user-agent',
        'sec-fetch-site',
        'x-forwarded-for',
        'accept',
        'accept-encoding',
        'if-none-match',
        'range',
      ];
      const name = names[pick % names.length] ?? 'origin';
      draft.headers.push(
        [name, name === 'content-type' ? 'application/json' : origin],
        [name, at % 2 === 0 ? 'text/plain' : 'evil.example'],
      );
      break;
    }
    case 'absurd header': {
      const names = Object.keys(hostileHeaders) as (keyof typeof hostileHeaders)[];
      const name = names[at % names.length] ?? 'accept';
      const choices = hostileHeaders[name];
      draft.headers = draft.headers.filter(([other]) => other !== name);
      draft.headers.push([name, choices[pick % choices.length] ?? '']);
      return `header ${name}`;
    }
    case 'absurd cookie':
      draft.cookie = hostileCookies[pick % hostileCookies.length] ?? '';
      break;
    case 'duplicate cookie':
      draft.cookie =
        at % 2 === 0 ? `${draft.cookie}; ${draft.cookie}` : `sid=${planted.cookie}${pick}; ${draft.cookie}`;
      break;
    case 'origin':
      draft.headers = draft.headers.filter(([name]) => name !== 'origin');
      if (pick % 3 !== 0)
        draft.headers.push(['origin', ['null', 'https://evil.example', '', `${origin}, ${origin}`][pick % 4] ?? '']);
      break;
    case 'wild':
      randomize(draft, pick * 1_000 + at);
      break;
    case 'absurd cursor':
      setQuery(draft, 'after', percentEncode(hostileCursor(toText(given.values['after']), pick)));
      break;
    case 'absurd id': {
      const [name = 'id'] = route.params;
      draft.params.set(name, hostileId(toText(given.values[name]), pick));
      draft.isOnRoute = false;
      break;
    }
  }
  return kind;
}

function randomize(draft: Draft, seed: number): void {
  const random = createRandom(seed);
  const text = (maxLength: number) =>
    Array.from({ length: random.integer(0, maxLength) }, () =>
      String.fromCodePoint(
        random.pick([random.integer(0, 127), random.integer(0, 0xd7ff), random.integer(0xe000, 0x10ffff)]),
      ),
    ).join('');
  const json = (depth: number): Loose => {
    const sort = random.integer(0, depth > 4 ? 4 : 6);
    if (sort === 0) return random.pick([null, true, false]);
    if (sort === 1) return (random.next() - 0.5) * 10 ** random.integer(0, 300);
    if (sort < 5) return text(40);
    const items = Array.from({ length: random.integer(0, 5) }, () => [text(12), json(depth + 1)] as const);
    return sort === 5 ? items.map(([, value]) => value) : new Pairs([...items]);
  };
  draft.isOnRoute = false;
  if (random.chance(0.3)) draft.path = draft.path.split('/').slice(0, random.integer(2, 5)).join('/') || '/';
  if (random.chance(0.5)) draft.path += `/${percentEncode(text(30))}`;
  for (let times = random.integer(0, 4); times > 0; times--)
    draft.query.push([percentEncode(text(8)), percentEncode(text(60))]);
  if (random.chance(0.7)) draft.body = json(0);
  if (random.chance(0.3))
    draft.bytes = Buffer.from(Array.from({ length: random.integer(0, 2_000) }, () => random.integer(0, 255)));
  if (random.chance(0.3)) draft.method = random.pick(['POST', 'PUT', 'DELETE', 'PATCH', 'GET']);
  if (random.chance(0.3)) draft.contentType = percentEncode(text(20));
  for (let times = random.integer(0, 4); times > 0; times--)
    draft.headers.push([`x-${random.integer(0, 99)}`, percentEncode(text(100))]);
}

function breakValue(draft: Draft, route: Route, kind: ValueKind, at: number, pick: number): void {
  const fields = findFields(draft.body);
  const queries = Object.keys(route.query);
  const places = [
    ...fields,
    ...fields,
    ...queries,
    ...(draft.params.size > 0 ? [...draft.params.keys()].map((name) => `/${name}`) : []),
  ];
  const place = pickAt(places, at) ?? 'x';
  if (typeof place === 'object') {
    place.set(hostileValues[kind](place.text, pick));
  } else if (place.startsWith('/')) {
    const name = place.slice(1);
    const before = draft.params.get(name)?.replace(/%.*/u, '') ?? '';
    draft.params.set(name, percentEncodeValue(hostileValues[kind](before, pick)));
    draft.isOnRoute = false;
  } else {
    const before = draft.query.find(([name]) => name === place)?.[1] ?? '';
    setQuery(draft, place, percentEncodeValue(hostileValues[kind](before.replaceAll(/%../gu, ' '), pick)));
  }
}

function setQuery(draft: Draft, name: string, value: string): void {
  const pair = draft.query.find(([other]) => other === name);
  if (pair) pair[1] = value;
  else draft.query.push([name, value]);
}

const pickAt = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % Math.max(1, items.length)];

interface Field {
  readonly text: string;
  readonly isKey: boolean;
  set(value: Loose): void;
  remove(): void;
}

function findFields(body: Loose | undefined): Field[] {
  return findObjects(body).flatMap(({ pairs }) =>
    pairs.map(([key, value]) => ({
      text: typeof value === 'string' ? value.slice(0, 2_000) : '',
      isKey: true,
      set: (next: Loose) => {
        const index = pairs.findIndex(([other]) => other === key);
        if (index >= 0) pairs[index] = [key, next];
      },
      remove: () => {
        const index = pairs.findIndex(([other]) => other === key);
        if (index >= 0) pairs.splice(index, 1);
      },
    })),
  );
}

function findObjects(value: Loose | undefined): Pairs[] {
  if (!(value instanceof Pairs)) return [];
  return [value, ...value.pairs.flatMap(([, inner]) => findObjects(inner))];
}

function toLoose(value: unknown): Loose {
  if (Array.isArray(value)) return value.map(toLoose);
  if (typeof value !== 'object' || value === null) return value as Loose;
  return new Pairs(
    Object.entries(value).flatMap(([key, inner]) => (inner === undefined ? [] : [[key, toLoose(inner)] as const])),
  );
}

function encode(value: Loose): Buffer {
  if (value instanceof Raw) return value.bytes;
  if (value instanceof Pairs)
    return joinParts(
      '{',
      value.pairs.map(([key, inner]) => Buffer.concat([Buffer.from(`${JSON.stringify(key)}:`), encode(inner)])),
      '}',
    );
  if (Array.isArray(value)) return joinParts('[', value.map(encode), ']');
  return Buffer.from(JSON.stringify(value));
}

function joinParts(open: string, parts: readonly Buffer[], close: string): Buffer {
  return Buffer.concat([
    Buffer.from(open),
    ...parts.flatMap((createPart, index) => (index === 0 ? [createPart] : [Buffer.from(','), createPart])),
    Buffer.from(close),
  ]);
}

const unreserved = /^[\w.~!'()*-]$/u;

/** Percent-encodes any text, including lone surrogates, for which `encodeURIComponent` throws. */
export function percentEncode(text: string): string {
  let out = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (unreserved.test(character)) out += character;
    else if (code >= 0xd800 && code <= 0xdfff)
      out += percentEncodeBytes(Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]));
    else out += percentEncodeBytes(Buffer.from(character));
  }
  return out;
}

const percentEncodeBytes = (bytes: Buffer) =>
  [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

const percentEncodeValue = (value: Loose): string => {
  if (value instanceof Raw) return percentEncodeBytes(value.bytes.subarray(0, 20_000));
  return percentEncode(typeof value === 'string' ? value : encode(value).toString());
};

const jsonBreaks: readonly ((body: Buffer) => Buffer)[] = [
  (body) => body.subarray(0, -1),
  (body) => body.subarray(0, body.length >> 1),
  (body) => Buffer.concat([body, body]),
  (body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
  (body) => Buffer.from(body.toString().replace('{', '{,')),
  (body) => Buffer.from(body.toString().replaceAll('"', `'`)),
  (body) => Buffer.from(body.toString().replace('}', ',}')),
  (body) => Buffer.concat([Buffer.from('//\n'), body]),
  (body) => Buffer.from(body.toString(), 'utf16le'),
  () => Buffer.from(' '.repeat(60_000)),
  () => Buffer.from('null'),
  () => Buffer.from('"text"'),
  () => Buffer.from('[]'),
  () => Buffer.from('{"__proto__":null}'),
  () => Buffer.from([0]),
  () => Buffer.from('{'.repeat(60_000)),
  (body) => Buffer.concat([body, Buffer.alloc(64_000, ' ')]),
];

const multipartTypes = [
  'multipart/form-data; boundary=frontier',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  `multipart/form-data; boundary=${'b'.repeat(4_000)}`,
  'multipart/mixed; boundary="a b"',
  'Multipart/Form-Data; boundary=frontier; boundary=other',
];

const part = (head: string, content: string) => `--frontier\r\n${head}\r\n\r\n${content}\r\n`;
const multipartBodies = [
  `${part('Content-Disposition: form-data; name="imgURL"; filename="a.png"\r\nContent-Type: image/png', 'PNG')}--frontier--\r\n`,
  part('Content-Disposition: form-data; name="email"', planted.address),
  part('Content-Disposition: form-data; name="__proto__"', '1'),
  part('Content-Disposition: form-data; name="a"; filename="../../../etc/passwd"', 'x'),
  part('', ''),
  '--frontier--',
  '--frontier\r\n'.repeat(3_000),
  'no boundary at all',
  `--frontier\r\nContent-Disposition: form-data; name="${'n'.repeat(50_000)}"\r\n\r\n`,
].map((text) => Buffer.from(text));
