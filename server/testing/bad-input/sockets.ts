import { type AddressInfo, connect } from 'node:net';
import * as fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import type { Tally } from './tally.ts';
import { type Answer, findFault } from './judge.ts';
import { type Wire, percentEncode, recipes, render } from './recipe.ts';
import type { Recipe } from './recipe.ts';
import type { Route } from './routes.ts';
import type { World } from './world.ts';

/*
 * Sends raw bytes over real connections: invalid HTTP, and requests that two parsers could split differently (request
 * smuggling).
 */

interface RawRecipe {
  readonly recipe: Recipe;
  readonly shape: string;
  readonly pick: number;
}

interface RawExchange {
  readonly pieces: readonly Buffer[];
  readonly isCut?: boolean;
  /** Maximum number of responses. More responses mean that a request was smuggled. */
  readonly answers: number;
}

const toLatin1 = (text: string) => Buffer.from(text, 'latin1');

function serialize({ method, path, query, headers, body }: Wire, more: readonly string[] = []): Buffer {
  const has = (name: string) => headers.some(([other]) => other === name);
  const lines = [
    `${method} ${path}${query === '' ? '' : `?${query}`} HTTP/1.1`,
    ...(has('host') ? [] : ['host: localhost:3000']),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body && !has('content-length') && !more.some((line) => /^(?:content-length|transfer-encoding)/iu.test(line))
      ? [`content-length: ${body.length}`]
      : []),
    ...more,
    '',
    '',
  ];
  return Buffer.concat([toLatin1(lines.join('\r\n')), body ?? Buffer.alloc(0)]);
}

const smuggled = 'GET /api/institution HTTP/1.1\r\nhost: localhost:3000\r\nx: ';
const chunked = (...chunks: readonly string[]) =>
  chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');

type Shape = (wire: Wire, pick: number) => RawExchange;

const createExchange = (wire: Wire, more: readonly string[], body: Buffer | null = wire.body): RawExchange => ({
  pieces: [serialize({ ...wire, body }, more)],
  answers: 1,
});

const pickOne = <Item>(items: readonly [Item, ...Item[]], pick: number): Item => items[pick % items.length] ?? items[0];

export const shapes: Readonly<Record<string, Shape>> = {
  'as it is': (wire) => createExchange(wire, []),
  'duplicate headers': (wire, pick) =>
    createExchange(
      wire,
      pickOne(
        [
          ['host: localhost:3000', 'host: evil.example'],
          ['origin: http://localhost:3000', 'origin: http://evil.example'],
          ['content-type: application/json', 'content-type: text/plain'],
          ['cookie: sid=a', 'cookie: sid=b'],
          ['x-forwarded-for: 1.2.3.4', 'x-forwarded-for: '],
          ['connection: close', 'connection: keep-alive'],
        ],
        pick,
      ),
    ),
  'two lengths': (wire, pick) =>
    createExchange(
      wire,
      pickOne(
        [
          ['content-length: 2', 'content-length: 3'],
          ['content-length: 2', 'content-length: 2'],
          ['content-length: 2, 2'],
          ['content-length: -1'],
          ['content-length: +2'],
          ['content-length: 0x2'],
          ['content-length: 99999999999999999999'],
          ['content-length : 2'],
          ['content-length: 2 '],
          ['content-length:'],
        ],
        pick,
      ),
      toLatin1('{}'),
    ),
  'length and chunks': (wire, pick) =>
    createExchange(
      { ...wire, method: 'POST' },
      pickOne(
        [
          ['content-length: 4', 'transfer-encoding: chunked'],
          ['transfer-encoding: chunked', 'content-length: 4'],
          ['transfer-encoding: chunked', 'transfer-encoding: identity', 'content-length: 4'],
          ['transfer-encoding: xchunked', 'content-length: 4'],
          ['transfer-encoding : chunked', 'content-length: 4'],
          ['transfer-encoding:\tchunked', 'content-length: 4'],
          ['transfer-encoding: chunked, identity'],
          ['x: y\ntransfer-encoding: chunked', 'content-length: 4'],
        ],
        pick,
      ),
      toLatin1(`0\r\n\r\n${smuggled}`),
    ),
  'a second request in the body': (wire, pick) =>
    createExchange(
      { ...wire, method: 'POST' },
      [],
      toLatin1(`${pick % 2 === 0 ? '' : '{}'}\r\n\r\n${smuggled}\r\n\r\n`),
    ),
  'broken chunks': (wire, pick) =>
    createExchange(
      { ...wire, method: 'POST' },
      ['transfer-encoding: chunked', ...(pick % 3 === 0 ? ['expect: 100-continue'] : [])],
      toLatin1(
        pickOne(
          [
            'zz\r\n{}\r\n0\r\n\r\n',
            '-1\r\n{}\r\n0\r\n\r\n',
            'ffffffffffffffffff\r\n{}',
            '2\r\n{}0\r\n\r\n',
            '2;a=b;c\r\n{}\r\n0\r\nx: y\r\n\r\n',
            `2;${'a'.repeat(30_000)}\r\n{}\r\n0\r\n\r\n`,
            '2\n{}\n0\n\n',
            `${chunked('{}')}0\r\n${'t: u\r\n'.repeat(3_000)}\r\n`,
            '\r\n\r\n',
            '0x2\r\n{}\r\n0\r\n\r\n',
            '2 \r\n{}\r\n0\r\n\r\n',
          ],
          pick,
        ),
      ),
    ),
  chunks: (wire) => {
    const text = wire.body?.toString('latin1') ?? '{}';
    return {
      pieces: [
        serialize({ ...wire, body: null }, ['content-type: application/json', 'transfer-encoding: chunked']),
        toLatin1(`${chunked(...(text.match(/[^]{1,700}/gu) ?? ['{}']))}0\r\n\r\n`),
      ],
      answers: 1,
    };
  },
  'bare line ends': (wire, pick) => {
    const text = serialize(wire).toString('latin1');
    return {
      pieces: [toLatin1(text.replaceAll('\r\n', pickOne(['\n', '\r', '\r\r\n', '\n\r', '\r\n '], pick)))],
      answers: 1,
    };
  },
  'a header of 100 KB': (wire, pick) =>
    createExchange(
      wire,
      pickOne(
        [
          [`x: ${'a'.repeat(100_000)}`],
          Array.from({ length: 3_000 }, (_, index) => `x${index}: y`),
          [`${'n'.repeat(100_000)}: y`],
          [`cookie: ${'a=b; '.repeat(20_000)}`],
        ],
        pick,
      ),
    ),
  'a long address': (wire, pick) =>
    createExchange({ ...wire, path: `${wire.path}${'/a'.repeat(pick % 2 === 0 ? 2_000 : 40_000)}` }, []),
  'bytes that are no text': (wire, pick) =>
    createExchange(
      pickOne(
        [
          { ...wire, path: `${wire.path}\u00ff\u00fe` },
          { ...wire, query: 'q=\u00c0\u00af\u00ed\u00a0\u0080' },
          { ...wire, headers: [...wire.headers, ['x', '\u00ff\u00c3\u0028'] as [string, string]] },
          { ...wire, path: `${wire.path}\u0000` },
          { ...wire, headers: [...wire.headers, ['x', 'a\u0000b'] as [string, string]] },
          { ...wire, headers: [...wire.headers, ['x\u0080', 'b'] as [string, string]] },
        ],
        pick,
      ),
      [],
    ),
  'odd paths': (wire, pick) =>
    createExchange(
      {
        ...wire,
        method: 'GET',
        query: '',
        path: pickOne(
          [
            '//',
            '///etc/passwd',
            '/./',
            '/../..',
            '/..;/',
            '/.%2e/',
            '/\\..\\..',
            '/api//users',
            '/api/users/',
            '/API/USERS',
            '/media/../../secrets',
            '/media//',
            '/media/..%00/',
            '/%2fapi/users',
            '/user/../api/users',
            '/?',
            '/??q=1',
            '/#x',
            '/user/x;y=z',
            '*',
            'http://evil.example/',
            'http://localhost:3000/api/users',
            '/assets/..%2f..%2fpackage.json',
            '/search?q=%',
            '/gallery?album=%E0%A4%A',
            '/ x',
            '/\t',
            '/a?b#c?d',
            '/?'.repeat(500),
          ],
          pick,
        ),
        body: null,
      },
      [],
    ),
  'odd request lines': (wire, pick) => ({
    pieces: [
      toLatin1(
        pickOne(
          [
            'GET /\r\n\r\n',
            'GET / HTTP/0.9\r\n\r\n',
            'GET / HTTP/3.0\r\nhost: x\r\n\r\n',
            'GET  /  HTTP/1.1\r\nhost: x\r\n\r\n',
            'get / HTTP/1.1\r\nhost: x\r\n\r\n',
            'GET / HTTP/1.0\r\n\r\n',
            'GET / HTTP/1.1\r\n\r\n',
            'CONNECT localhost:22 HTTP/1.1\r\nhost: x\r\n\r\n',
            'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n',
            'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
            '\r\n\r\n\r\n',
            '\u0016\u0003\u0001\u0002\u0000\u0001\u0000',
            'A'.repeat(20_000),
            'TRACE / HTTP/1.1\r\nhost: x\r\n\r\n',
            'GET / HTTP/1.1\r\nhost: x\r\nupgrade: h2c\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n',
            `GET ${wire.path} HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: a\r\n\r\n`,
          ],
          pick,
        ),
      ),
    ],
    answers: 1,
  }),
  'half a request': (wire, pick) => {
    const bytes = serialize(wire);
    return { pieces: [bytes.subarray(0, 1 + (pick % Math.max(1, bytes.length - 1)))], isCut: true, answers: 1 };
  },
  'in pieces': (wire, pick) => {
    const bytes = serialize(wire);
    const at = 1 + (pick % Math.max(1, bytes.length - 1));
    return { pieces: [bytes.subarray(0, at), bytes.subarray(at)], answers: 1 };
  },
  'several in a row': (wire, pick) => {
    const count = 2 + (pick % 5);
    return { pieces: [Buffer.concat(Array.from({ length: count }, () => serialize(wire)))], answers: count };
  },
  'bytes changed': (wire, pick) => {
    const bytes = Buffer.from(serialize(wire));
    const steps = 1 + (pick % 4);
    for (let step = 0; step < steps; step++)
      bytes[(pick * 7_919 + step * 104_729) % bytes.length] = (pick * 31 + step * 17) % 256;
    return { pieces: [bytes], answers: 2 };
  },
  'more than was announced': (wire) => ({
    pieces: [Buffer.concat([serialize(wire), toLatin1('x'.repeat(500))])],
    answers: 2,
  }),
};

const shapeNames = Object.keys(shapes);

const idleTimeoutMs = 150;

export async function sendRawRequests(
  app: FastifyInstance,
  world: World,
  routes: readonly Route[],
  tally: Tally,
  { connections, seed }: { connections: number; seed: number },
): Promise<void> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const byName = new Map(routes.map((route) => [route.name, route]));
  const raw: fc.Arbitrary<RawRecipe> = fc.record({
    recipe: recipes(routes),
    shape: fc.constantFrom(...shapeNames),
    pick: fc.nat(99_999),
  });
  await fc.assert(
    fc.asyncProperty(raw, async ({ recipe, shape, pick }) => {
      const route = byName.get(recipe.route);
      if (!route) throw new Error(`Unknown route ${recipe.route}.`);
      // Changed bytes can change accounts in ways that recordResponse does not notice.
      world.markAllDirty();
      const { wire } = render(recipe, route, await world.prepareInput(route, recipe.caller, recipe.variant));
      const sent = shapes[shape]?.(addConnectionClose(wire, shape !== 'several in a row'), pick) ?? {
        pieces: [],
        answers: 0,
      };
      const before = performance.now();
      const answers = await exchange(port, sent);
      world.recordResponse(route, recipe.caller, answers[0]?.status ?? 400);
      tally.count('raw bytes', answers[0]?.status ?? 0, performance.now() - before, [`raw: ${shape}`], route.name);
      const fault =
        answers.length > sent.answers
          ? `There are ${answers.length} responses, but at most ${sent.answers} are expected.`
          : answers.map((answer) => findFault('', wire.method, null, answer)).find((one) => one !== null);
      if (fault) throw new Error(`${fault}\n${Buffer.concat(sent.pieces).toString('latin1').slice(0, 2_000)}`);
    }),
    { seed, numRuns: connections, includeErrorInReport: true },
  );
}

const addConnectionClose = (wire: Wire, isOne: boolean): Wire => ({
  ...wire,
  headers: [...wire.headers, ...(isOne ? [['connection', 'close'] as [string, string]] : [])].map(([name, value]) => [
    name,
    value.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/gu, (character) => percentEncode(character)),
  ]),
});

function exchange(port: number, { pieces, isCut = false, answers }: RawExchange): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    let idleTimer: NodeJS.Timeout | undefined;
    const finish = () => {
      clearTimeout(idleTimer);
      clearTimeout(deadlineTimer);
      socket.destroy();
      resolve(parseResponses(Buffer.concat(chunks).toString('latin1')));
    };
    const deadlineTimer = setTimeout(() => reject(new Error('A connection did not end within 20 seconds.')), 20_000);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      clearTimeout(idleTimer);
      // After the expected number of responses, waits briefly for an unexpected one.
      const enough = parseResponses(Buffer.concat(chunks).toString('latin1')).length >= answers;
      idleTimer = setTimeout(finish, enough ? 5 : idleTimeoutMs);
    });
    socket.on('close', finish);
    socket.on('error', finish);
    socket.on('connect', () => {
      for (const piece of pieces) socket.write(piece);
      if (isCut) setImmediate(finish);
      else idleTimer = setTimeout(finish, idleTimeoutMs);
    });
  });
}

function parseResponses(text: string): Answer[] {
  return text.split(/(?<![^\n}>])(?=HTTP\/1\.1 \d{3} )/u).flatMap((part) => {
    const status = Number(/^HTTP\/1\.1 (\d{3}) /u.exec(part)?.[1] ?? 0);
    if (status === 0 || status === 100) return [];
    const [head = '', body = ''] = part.split('\r\n\r\n', 2);
    const headers = Object.fromEntries(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
        }),
    );
    return [{ status, headers, body: 'content-encoding' in headers ? '' : body }];
  });
}
