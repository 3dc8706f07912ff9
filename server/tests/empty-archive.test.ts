import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openArchive, type TestArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { createTestWeb } from '#server/testing/pages.ts';
import { makeStaff } from '#server/testing/staff.ts';

/* The pages of an archive that no one has joined yet. */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), {}, createTestWeb());
});
afterAll(() => archive.close());

async function readMain(device: Device, path: string): Promise<{ html: string; words: string }> {
  const { statusCode, body } = await device.fetch('GET', path);
  expect(statusCode).toBe(200);
  const [html = ''] = /<main.*<\/main>/su.exec(body) ?? [];
  const words = html
    .replaceAll(/<!--.*?-->/gu, '')
    .replaceAll(/<[^>]+>/gu, ' ')
    .replaceAll(/\s+/gu, ' ');
  return { html, words };
}

describe('in an empty archive', () => {
  test(
    'GET / says what the archive is and what to do next, without anything to filter by',
    { tags: ['spec-2.1', 'spec-2.2'] },
    async () => {
      const { html, words } = await readMain(archive.openDevice(), '/');
      expect(html).toMatch(/<h1[^>]*>View all students in your department<\/h1>/u);
      expect(words).toContain(' 0 students ');
      expect(words).toContain('This is the archive of the students and graduates of Olumo University of Education.');
      expect(words).toContain('Nobody has joined yet');
      expect(html).toContain('href="/signup"');
      expect(words).not.toContain('npm run archive');
      expect(html).not.toMatch(/<(?:form|button)/u);
      expect(words).not.toMatch(/Show all departments|All departments|Filters|Class years|match these filters/u);
    },
  );

  test('GET / asks a signed-in user without a profile to complete it', async () => {
    const { device } = await archive.signUpVerified();
    const { words } = await readMain(device, '/');
    expect(words).toContain('Complete your profile');
    expect(words).toContain('Nobody has joined yet');
    expect(words).toContain('People appear here when they have completed their profile.');
    expect(words).not.toContain('Sign up');
  });

  test('GET / shows only staff how to import people', async () => {
    const visitor = await archive.signUpVerified();
    const command = 'you can import people: npm run archive -- import --help';
    expect((await readMain(visitor.device, '/')).words).not.toContain(command);
    await makeStaff(archive, visitor, 'owner');
    expect((await readMain(visitor.device, '/')).words).toContain(command);
  });

  test.each(['/search', '/home'])('GET %s invites guests to sign up', async (path) => {
    const { html, words } = await readMain(archive.openDevice(), path);
    expect(words).toContain('Nobody has joined yet');
    expect(words).toContain('Sign up');
    // The search field of /home would find no one.
    expect(html).not.toContain('Find your classmates');
  });

  test('GET / shows the cards and their number after the first person has joined', async () => {
    const member = await archive.createMember();
    const { words } = await readMain(member.device, '/');
    expect(words).toContain(' 1 student ');
    expect(words).not.toContain('Nobody has joined yet');
  });
});
