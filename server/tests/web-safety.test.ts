import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openArchive, smallPicture, type TestArchive } from '../testing/archive.ts';

/* Security headers of responses, and access to files. */

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
  test('are served as re-encoded WebP with nosniff and a strict CSP', async () => {
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
    const name = readdirSync(archive.context.media.folder).find((found) => !found.startsWith('.')) ?? '';
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
