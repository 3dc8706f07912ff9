import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { Problem } from '#contract/problem.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await archive.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => archive.close());

async function talk(...pieces: readonly string[]): Promise<string> {
  const { port } = archive.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  for (const piece of pieces) socket.write(piece);
  return text(socket);
}

const host = 'Host: localhost:3000\r\n';
const long = (length: number) => `/api/search?q=${'x'.repeat(length)}`;

describe('createClientErrors', () => {
  test.each([
    ['a URL of 20 KB', [`GET ${long(20_000)} HTTP/1.1\r\n${host}\r\n`], 431],
    ['a URL of 2 MB', [`GET ${long(2_000_000)} HTTP/1.1\r\n${host}\r\n`], 431],
    ['a page request with a URL of 20 KB', [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`], 431],
    ['headers of 20 KB', [`GET /api/institution HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`], 431],
    ['bytes that are not HTTP', ['\u0016\u0003\u0001\u0000\r\n\r\n'], 400],
  ])('responds to %s with problem+json and closes the connection', async (_, pieces, status) => {
    const response = await talk(...pieces);
    const [head = '', body = ''] = response.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
    expect(head.split('\r\n').map((line) => line.toLowerCase())).toEqual(
      expect.arrayContaining([
        'connection: close',
        'content-type: application/problem+json',
        'cache-control: no-store',
        'x-content-type-options: nosniff',
      ]),
    );
    expect(Problem.parse(JSON.parse(body))).toMatchObject({ code: 'malformed-request', status });
  });

  test('passes a request with a URL of 15 KB to the application', async () => {
    expect(await talk(`GET ${long(15_000)} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /u);
  });

  test('sends the error only after an earlier response on the same connection is complete', async () => {
    const response = await talk(`GET /healthz HTTP/1.1\r\n${host}\r\n`, `GET ${long(20_000)} HTTP/1.1\r\n${host}\r\n`);
    for (const part of response.split('HTTP/1.1 ').slice(1)) {
      const [head = '', body = ''] = part.split('\r\n\r\n');
      expect(body).toHaveLength(Number(/content-length: (\d+)/iu.exec(head)?.[1]));
    }
  });
});
