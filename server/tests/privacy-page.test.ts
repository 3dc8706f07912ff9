import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, inject, test } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { enterConfirmedMode } from '#server/testing/membership.ts';
import { createTestWeb } from '#server/testing/pages.ts';

let archive: TestArchive | undefined;
const folder = mkdtempSync(join(tmpdir(), 'archive-privacy-page-'));
afterEach(async () => {
  await archive?.close();
  archive = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function readPage(environment: NodeJS.ProcessEnv, isConfirmed = false): Promise<string> {
  archive = await openArchive(inject('databases'), environment, createTestWeb());
  if (isConfirmed) await enterConfirmedMode(archive);
  const { statusCode, body } = await archive.openDevice().fetch('GET', '/privacy-policy');
  expect(statusCode).toBe(200);
  const [main = ''] = /<article.*<\/article>/su.exec(body) ?? [];
  return main
    .replaceAll(/<!--.*?-->/gu, '')
    .replaceAll(/<[^>]+>/gu, ' ')
    .replaceAll(/\s+/gu, ' ');
}

test('GET /privacy-policy shows the settings of institution.json and the retention periods', async () => {
  const file = join(folder, 'institution.json');
  const privacy = {
    controller: 'Olumo University of Education',
    controllerAddress: '1 College Road, Abeokuta',
    contact: 'privacy@oue.example',
    supervisoryAuthority: 'Nigeria Data Protection Commission, ndpc.example',
    legalBasis: ['Accounts: performance of a contract', 'Profiles: your consent'],
    backupDays: 35,
  };
  const institution = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...institution, privacy, hideUnusedAfterMonths: 36, allowsInvitations: true }));
  const words = await readPage({ INSTITUTION_FILE: file });
  for (const text of Object.values(privacy).flat()) expect(words).toContain(String(text));
  expect(words).toContain('Backups, for 35 days.');
  expect(words).toContain('A session ends 30 days after you last used it.');
  expect(words).toContain('for at most 25 hours');
  expect(words).toContain('If you do not use your account for 36 months');
  expect(words).toContain('can invite people on the registrar’s list');
});

test.each([
  ['absent', {}],
  [
    'the placeholders of earlier versions',
    { controller: 'PLACEHOLDER: legal name', legalBasis: ['PLACEHOLDER: basis'] },
  ],
])('GET /privacy-policy leaves out the sections whose texts are %s', async (_, privacy) => {
  const file = join(folder, 'without-controller.json');
  const institution = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...institution, privacy }));
  const words = await readPage({ INSTITUTION_FILE: file });
  expect(words).not.toMatch(/placeholder|undefined|null/iu);
  expect(words).not.toMatch(/who is responsible|legal basis|not yet/iu);
  expect(words).toContain('You can complain to the data protection authority of your country.');
});

test('institution.json as it comes names no controller', async () => {
  expect(await readPage({})).not.toContain('Who is responsible');
});

test('GET /privacy-policy explains the roster and how to object, only if members are confirmed', async () => {
  expect(await readPage({})).not.toMatch(/the list|registrar/u);
  await archive?.close();
  const words = await readPage({}, true);
  expect(words).toContain('Are you on our list?');
  expect(words).toContain('This site does not say who is on the list.');
  expect(words).toContain('has confirmed that they studied there. Unless you choose otherwise');
});

test('GET /privacy-policy names the purpose of the tracer answers first, only if they are asked for', async () => {
  const purpose = 'can report what became of its graduates';
  expect(await readPage({})).not.toMatch(/became of|graduates do now|voluntary/u);
  await archive?.close();
  const file = join(folder, 'tracer.json');
  const institution = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...institution, tracerReport: true }));
  const words = await readPage({ INSTITUTION_FILE: file });
  expect(words).toContain(purpose);
  expect(words.indexOf(purpose)).toBeLessThan(words.indexOf('Who sees what'));
});

test('GET /privacy-policy lists work and place, and who sees them', async () => {
  const words = await readPage({});
  expect(words).toContain('your work, your city and country, and what you are willing to help with');
  expect(words).toContain('Your profile with your work and place');
  expect(words).toContain('only if at least 5 people');
});
