import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type TestArchive, openArchive } from '../../testing/archive.ts';
import type { Device } from '../../testing/device.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

test('a home town is optional, visible to members by default, and part of the exports of its owner', async () => {
  const { device, uid, document } = await archive.createMember();
  const other = await archive.createMember();
  const params = { id: uid };
  const readAs = async (viewer: Device) => (await viewer.call('GET /api/users/{id}', { params, query: {} })).hometown;
  expect(await readAs(device)).toBeUndefined();

  const { imgURL } = await device.call('GET /api/users/{id}', { params, query: {} });
  const save = (hometown: string) =>
    device.ask('PUT /api/users/{id}', { params, body: { ...document, imgURL, hometown, version: 'any' } });
  expect((await save('Visit www.ada.com now')).json()).toMatchObject({
    code: 'validation-failed',
    errors: [{ pointer: '/hometown', message: 'Web and email addresses are not allowed here' }],
  });
  expect((await save('  Abẹ́òkúta ')).statusCode).toBe(200);
  expect([await readAs(device), await readAs(other.device), await readAs(archive.openDevice())]).toEqual([
    'Abẹ́òkúta',
    'Abẹ́òkúta',
    undefined,
  ]);

  const { rawPayload } = await device.ask('GET /api/users/{id}/export', { params });
  const files = unzipSync(rawPayload);
  expect(JSON.parse(strFromU8(files['profile.json'] ?? new Uint8Array()))).toMatchObject({
    archive: { hometown: 'Abẹ́òkúta', visibility: { hometown: 'members' } },
  });
  expect(strFromU8(files['profile.vcf'] ?? new Uint8Array()).replaceAll('\r\n ', '')).toContain('Home town: Abẹ́òkúta');

  await device.call('PUT /api/users/{id}/privacy', {
    params,
    body: { visibility: { hometown: 'me' }, version: 'any' },
  });
  expect([await readAs(device), await readAs(other.device)]).toEqual(['Abẹ́òkúta', undefined]);
  expect((await save('')).statusCode).toBe(200);
  expect(await readAs(device)).toBeUndefined();
});
