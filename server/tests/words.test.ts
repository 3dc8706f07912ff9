import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { createTestWeb } from '#server/testing/pages.ts';
import { createStaff } from '#server/testing/staff.ts';
import type { Device } from '#server/testing/device.ts';

const folder = mkdtempSync(join(tmpdir(), 'archive-words-'));
let archive: TestArchive;
beforeAll(async () => {
  const file = join(folder, 'institution.json');
  const institution = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
  const words = { college: 'School', department: 'Programme' };
  const colleges = [{ code: 'SCI', name: 'Faculty of Science', departments: ['Physics', 'Botany'] }];
  writeFileSync(file, JSON.stringify({ ...institution, words, colleges, departmentAbbreviations: {} }));
  archive = await openArchive(inject('databases'), { INSTITUTION_FILE: file }, createTestWeb());
});
afterAll(async () => {
  await archive.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns what a person can read, with labels that only screen readers read. */
async function readPage(device: Device, path: string): Promise<string> {
  const { statusCode, body } = await device.fetch('GET', path);
  expect(statusCode).toBe(200);
  return body
    .replaceAll(/<script.*?<\/script>|<!--.*?-->/gsu, '')
    .replaceAll(/<[^>]*>/gu, (tag) => ` ${/ aria-label="([^"]*)"/u.exec(tag)?.[1] ?? ''} `)
    .replaceAll(/\s+/gu, ' ');
}

test('pages show the words of institution.json for college and department', async () => {
  const registrar = await createStaff(archive, 'registrar', {}, { college: 'SCI', department: 'Physics' });
  const { device } = registrar;
  const newcomer = await archive.signUpVerified();
  const pages: [path: string, device: Device, ...texts: string[]][] = [
    ['/', device, 'View all students in your programme', 'My programme'],
    ['/?department=all&filters=faces', device, 'All programmes', 'All schools', ' School ', ' Programme '],
    ['/search', device, ' Programmes '],
    ['/onboarding?step=3', newcomer.device, ' School ', ' Programme '],
    [`/user/${registrar.uid}`, device, ' School ', ' Programme '],
    ['/staff/people', device, ' School ', ' Programme '],
    ['/login', archive.openDevice(), 'people from your programme'],
  ];
  for (const [path, viewer, ...texts] of pages) {
    const page = await readPage(viewer, path);
    for (const text of texts) expect(page, path).toContain(text);
    expect(page, path).not.toMatch(/college|department/iu);
  }
});
