import { readdirSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openArchive, smallPicture, type TestArchive } from '#server/testing/archive.ts';

/* Security headers of responses, access to files, and unusual requests. */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

describe('Strict-Transport-Security', () => {
  test('is sent only if PUBLIC_URL uses https', { tags: ['asvs-3.4.1'] }, async () => {
    const secure = await openArchive(inject('databases'), { PUBLIC_URL: 'https://alumni.example.edu' });
    try {
      for (const path of ['/api/institution', '/api/nothing', '/healthz', '/robots.txt']) {
        const { headers } = await secure.openDevice().fetch('GET', path);
        expect(headers['strict-transport-security'], path).toBe('max-age=31536000');
        expect((await archive.openDevice().fetch('GET', path)).headers, path).not.toHaveProperty(
          'strict-transport-security',
        );
      }
    } finally {
      await secure.close();
    }
  });
});

describe('uploaded pictures', () => {
  test('are served as re-encoded WebP with nosniff and a strict CSP', { tags: ['asvs-3.4.4'] }, async () => {
    const { device, uid } = await archive.createMember();
    const { imgURL } = await device.call('GET /api/users/{id}', { params: { id: uid }, query: {} });
    const { statusCode, headers, rawPayload } = await device.fetch('GET', imgURL ?? '');
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
    });
    // Re-encoded: the stored file contains no part of the uploaded one.
    expect(rawPayload.subarray(8, 12).toString()).toBe('WEBP');
    const sent = Buffer.from((await smallPicture()).split(',')[1] ?? '', 'base64');
    expect(rawPayload.includes(sent.subarray(0, 16))).toBe(false);
  });

  test('cannot be listed, and give no access to other files', { tags: ['asvs-13.4.1', 'asvs-13.4.3'] }, async () => {
    const device = archive.openDevice();
    const name = readdirSync(archive.context.media.store.location).find((found) => !found.startsWith('.')) ?? '';
    for (const path of [
      '/media',
      '/media/',
      `/media/${name}`,
      `/media/${name}/`,
      '/media/.removed',
      '/media/.removed/',
      '/media/../token-key.json',
      '/media/%2e%2e/token-key.json',
      '/media/..%2ftoken-key.json',
      '/media/%252e%252e/token-key.json',
      '/media/..%5ctoken-key.json',
      '/media/.env',
      '/.env',
      '/.git/config',
      '/package.json',
      '/server/main.ts',
      '/data/media',
    ])
      expect((await device.fetch('GET', path)).statusCode, path).toBeGreaterThanOrEqual(400);
  });

  test('with a name longer than a file name can be are not found', async () => {
    const path = `/media/${'a'.repeat(300)}/192.webp`;
    expect((await archive.openDevice().fetch('GET', path)).statusCode).toBe(404);
  });

  test('cannot be written to /media', async () => {
    const { device } = await archive.createMember();
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      expect((await device.fetch(method, '/media/x/192.webp', { x: 1 })).statusCode, method).toBe(404);
  });
});

test('every response disables unused browser features with Permissions-Policy', async () => {
  for (const path of ['/api/institution', '/api/nothing', '/healthz', '/media/nothing'])
    expect((await archive.openDevice().fetch('GET', path)).headers['permissions-policy'], path).toMatch(
      /camera=\(\), .*geolocation=\(\), .*microphone=\(\), /u,
    );
});

describe('unusual requests', () => {
  async function send(request: string): Promise<string> {
    if (!archive.app.server.listening) await archive.app.listen({ port: 0, host: '127.0.0.1' });
    const socket = connect((archive.app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.end(request);
    return text(socket);
  }

  test('with TRACE are not answered', { tags: ['asvs-13.4.4'] }, async () => {
    const response = await send(
      'TRACE / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:3000\r\nX-Secret: open sesame\r\nConnection: close\r\n\r\n',
    );
    expect(response).toMatch(/^HTTP\/1\.1 4\d\d /u);
    expect(response).not.toContain('open sesame');
  });

  test('with two lengths are refused', { tags: ['asvs-4.2.1'] }, async () => {
    const smuggled = 'GET /api/institution HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const response = await send(
      'POST /api/identity/sign-in HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:3000\r\nContent-Type: application/json\r\n' +
        `Content-Length: ${5 + smuggled.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    );
    expect(response.match(/^HTTP\/1\.1 .*$/gmu)).toEqual(['HTTP/1.1 400 Bad Request']);
  });

  test.each([
    '{"email":"ada@mail.example","password":"x","__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{}}}',
  ])('with a prototype in the body are refused: %s', { tags: ['asvs-15.3.6'] }, async (body) => {
    const device = archive.openDevice();
    const { statusCode } = await device.fetch('POST', '/api/identity/sign-in', body, {
      'content-type': 'application/json',
    });
    expect([400, 422]).toContain(statusCode);
    expect({}).not.toHaveProperty('isAdmin');
  });

  test('with a repeated parameter are refused', { tags: ['asvs-15.3.7'] }, async () => {
    const { statusCode } = await archive.openDevice().fetch('GET', '/api/users?limit=24&limit=48');
    expect(statusCode).toBe(400);
  });

  /** The request is logged, unlike one in the same process. @returns its lines of the log */
  async function logOf(firstLine: string, headers = ''): Promise<string[]> {
    archive.logged.length = 0;
    await send(`${firstLine} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`);
    await expect.poll(() => archive.logged.length).toBeGreaterThan(0);
    return archive.logged.map((line) => line.trimEnd());
  }

  test('with line breaks in the path are one line of the log', { tags: ['asvs-16.4.1'] }, async () => {
    const lines = await logOf('GET /api/users/x%0d%0a%7B%22level%22:50%7D');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/[\r\n]/u);
  });

  test.each([
    ['GET /api/identity/sessions', '', 401],
    ['POST /api/identity/sign-out', 'Origin: https://other.example\r\nContent-Length: 0\r\n', 403],
    ['GET /api/nothing', '', 404],
  ])(
    'that are refused are logged with their status: %s',
    { tags: ['asvs-16.3.2'] },
    async (request, headers, status) => {
      const [line = ''] = await logOf(request, headers);
      expect(JSON.parse(line)).toMatchObject({ path: request.split(' ')[1], status });
    },
  );

  test(
    'with forged forwarded addresses count for their connection',
    { tags: ['asvs-4.1.3', 'asvs-15.3.4'] },
    async () => {
      const device = archive.openDevice();
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 6; attempt++) {
        const body = { email: 'forged@mail.example', password: 'wrong horse battery' };
        const { statusCode } = await device.fetch('POST', '/api/identity/sign-in', body, {
          'x-forwarded-for': `192.0.2.${attempt}`,
        });
        statuses.push(statusCode);
      }
      expect(statuses.at(-1)).toBe(429);
      expect(statuses.slice(0, 5)).not.toContain(429);
    },
  );
});
