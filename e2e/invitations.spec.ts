import { readFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { createMember, expect, test, toast } from './fixtures.ts';
import { makeStaff } from './staff-data.ts';
import type { TestServer } from './test-server.ts';

/** Runs `work` on a server that allows invitations, instead of the usual one, which would drop the mails. */
async function withInvitations(page: Page, server: TestServer, work: (origin: string) => Promise<void>): Promise<void> {
  const file = join(mkdtempSync(join(tmpdir(), 'archive-e2e-institution-')), 'institution.json');
  const institution = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'institution.json'), 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...institution, allowsInvitations: true }));
  await server.withoutServer(async () => {
    const second = await server.startSecondServer({ INSTITUTION_FILE: file });
    try {
      await work(second.url);
    } finally {
      await page.goto('about:blank');
      await second.stop();
    }
  });
}

const addEntry = (server: TestServer, matricNumber: string, email: string | null, phone: string | null = null) =>
  server.query(
    `insert into roster_entries (matric_key, matric_number, last_name, first_name, words, first_import, last_import, department,
       year_graduated, email, phone) values (upper($1), $1, 'Okafor', 'Ada', '{}', 1, 1, 'Physics', 2003, $2, $3)`,
    matricNumber,
    email,
    phone,
  );

test(
  'a registrar counts, previews and sends invitations and downloads the call list, and a person says that it is not them',
  { tag: ['@desk', '@release'] },
  async ({ page, server }) => {
    await addEntry(server, 'INV1', 'invited@roster.example');
    await addEntry(server, 'INV2', null, '+234 805 111 2222');
    await makeStaff(server, (await createMember(page, server)).uid, 'registrar');
    await page.goto('/staff/coverage');
    await expect(page.getByRole('link', { name: 'Announcements' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Invitations' })).toBeHidden();
    await withInvitations(page, server, async (origin) => {
      await page.goto(`${origin}/staff/invitations`);
      await page.getByLabel('Department').selectOption('Physics');
      await page.getByLabel('Year of graduation').fill('2003');
      await page.getByRole('button', { name: 'Count the people' }).click();
      await expect(page.getByRole('heading', { name: 'Physics, 2003: 1 person to invite now' })).toBeVisible();
      await expect(page.getByRole('article')).toContainText('This is not me');
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Invite 1 person' }).click();
      await expect(toast(page, 'Sending has begun')).toBeVisible();
      const { text } = await server.inbox.next('invited@roster.example', /^You are invited/u);
      await expect(page.getByRole('heading', { name: '0 people to invite now' })).toBeVisible();

      await page.goto(`${origin}/staff/coverage/2003%20Physics`);
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download the call list' }).click();
      const file = readFileSync(await (await downloading).path(), 'utf8');
      expect(file).toBe('Name,Matric number,Phone\r\n"Okafor, Ada",INV2,+234 805 111 2222\r\n');
      await page.goto(`${origin}/staff/coverage`);
      await page.getByText('Years as a table, Physics').click();
      const table = page.getByRole('region', { name: 'Invitations of Physics by year' });
      await expect(table.getByRole('row', { name: /^2003 1 0 0$/u })).toBeVisible();
      expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      await expectAccessible(page);

      await test.step('the person opens the links on a phone', async () => {
        await page.setViewportSize({ width: 390, height: 844 });
        await page.context().clearCookies();
        const linkTo = (path: string) => new RegExp(String.raw`http:\S+/${path}\?code=\S+`, 'u').exec(text)?.[0] ?? '';
        await page.goto(linkTo('invitation'));
        await expect(page).toHaveURL(`${origin}/signup`);
        for (const [path, button, title] of [
          ['invitation/not-me', 'This is not me', 'Thank you'],
          ['invitation/stop', 'Do not write to me again', 'You get no more invitations'],
        ] as const) {
          await page.goto(linkTo(path));
          await expectAccessible(page);
          expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), path).toBe(0);
          await page.getByRole('button', { name: button }).click();
          await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
          await expectAccessible(page);
        }
      });
    });
  },
);
