import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openArchive, type TestArchive } from '#server/testing/archive.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

describe('POST /api/browser-errors', () => {
  test('logs the error of a guest and returns the reference of the line', { tags: ['spec-8.22'] }, async () => {
    const device = archive.openDevice();
    const body = { message: 'No profile of ada@mail.example', stack: 'Error\n    at show (/assets/pages.js:1:2)' };
    const { reference } = await device.call('POST /api/browser-errors', { body });
    const lines = archive.logged.filter((line) => line.includes(reference) && line.includes('in the browser'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 50,
      requestId: reference,
      err: { type: 'BrowserError', message: 'No profile of [address]', stack: body.stack },
    });
  });

  test('refuses long texts and unknown fields', async () => {
    const device = archive.openDevice();
    for (const body of [
      { message: 'x'.repeat(501), stack: '' },
      { message: '', stack: 'x'.repeat(4001) },
      { message: '', stack: '', url: '/join/7K3QMX9R2D' },
    ])
      expect(await device.code('POST /api/browser-errors', { body })).toBe('validation-failed');
  });

  test('refuses many errors from one network', async () => {
    const device = archive.openDevice();
    const body = { message: '', stack: '' };
    for (let count = 0; count < 120; count++) await device.call('POST /api/browser-errors', { body });
    expect(await device.code('POST /api/browser-errors', { body })).toBe('auth/too-many-requests');
  });
});
