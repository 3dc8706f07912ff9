import { expect, inject, test } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { writeCampusSettings } from '#server/testing/campus.ts';
import type { Device } from '#server/testing/device.ts';
import { createTestWeb } from '#server/testing/pages.ts';

const guestPaths = ['/login', '/login?from=/gallery', '/signup', '/privacy-policy', '/'];
const ownPaths = ['/settings', '/settings?section=security', '/confirm'];

/** What differs between two archives and two requests. */
const toComparable = (text: string) =>
  text
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gu, 'ID')
    .replaceAll(/\/media\/[\w-]+/gu, '/media/NAME')
    .replaceAll(/[\w.-]+@[\w-]+\.example/gu, 'ADDRESS')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, 'TIME');

async function readPages(environment: NodeJS.ProcessEnv): Promise<Map<string, { html: string; headers: object }>> {
  const archive: TestArchive = await openArchive(inject('databases'), environment, createTestWeb());
  const { device } = await archive.createMember();
  await archive.pool.query(`update membership_mode set mode = 'confirmed'`);
  await archive.pool.query(`update accounts set membership_status = 'unconfirmed'`);
  const pages = new Map<string, { html: string; headers: object }>();
  const read = async (path: string, by: Device) => {
    const { body, headers, statusCode } = await by.fetch('GET', path);
    expect(statusCode, path).toBe(200);
    const { 'content-length': _, 'x-request-id': __, date: ___, ...rest } = headers;
    pages.set(path, { html: toComparable(body), headers: rest });
  };
  for (const path of guestPaths) await read(path, archive.openDevice());
  for (const path of ownPaths) await read(path, device);
  await archive.close();
  return pages;
}

/** The parts of the pages that only an archive with campus sign-on has, outside the data for the scripts. */
const parts = [
  /<a class="[^"]*" href="\/auth\/campus[^"]*"[^>]*>Use your OUE account instead<\/a>/gu,
  /<section class="[^"]*"><div class="[^"]*"><h2 class="[^"]*">OUE account<\/h2>.*?<\/section>/gu,
  /<details (?:(?!<\/details>).)*OUE tells us whether.*?<\/details>/gu,
  /<h2>Your OUE account<\/h2><p>.*?<\/p>/gu,
];

const dataOf = (html: string) => {
  const [, json = ''] = /<script type="application\/json"[^>]*>(.*?)<\/script>/u.exec(html) ?? [];
  return JSON.parse(json, (key, value: unknown) =>
    ['campus', 'campusProvider', 'hasCampusSignOn'].includes(key)
      ? undefined
      : key === 'accepts'
        ? (value as string[]).filter((kind) => kind !== 'campus-sign-on')
        : value,
  ) as object;
};

test('campus sign-on adds its parts to pages, and changes nothing else in them or in their headers', async () => {
  const without = await readPages({});
  const settings = writeCampusSettings('https://login.oue.edu.ng');
  const withCampus = await readPages(settings.environment);
  settings.remove();
  const script = /<script type="application\/json".*?<\/script>/u;
  const added: string[] = [];
  for (const [path, page] of without) {
    expect(page.html, path).not.toMatch(/campus sign-on|campusProvider|hasCampus|auth\/campus|"campus"/iu);
    const other = withCampus.get(path);
    let html = other?.html ?? '';
    for (const part of parts)
      html = html.replaceAll(part, () => {
        added.push(path);
        return '';
      });
    expect(html.replace(script, ''), path).toBe(page.html.replace(script, ''));
    expect(dataOf(other?.html ?? ''), path).toEqual(dataOf(page.html));
    expect(other?.headers, path).toEqual(page.headers);
  }
  expect(added).toEqual([
    '/login',
    '/login?from=/gallery',
    '/signup',
    '/privacy-policy',
    '/settings?section=security',
    '/confirm',
  ]);
});

test('GET and POST /campus return 404 without campus sign-on', async () => {
  const archive = await openArchive(inject('databases'), {}, createTestWeb());
  const device = archive.openDevice();
  expect((await device.fetch('GET', '/campus')).statusCode).toBe(404);
  expect((await device.fetch('GET', '/auth/campus')).statusCode).toBe(404);
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await device.fetch('POST', '/campus', 'intent=connect', type)).statusCode).toBe(404);
  await archive.close();
});
