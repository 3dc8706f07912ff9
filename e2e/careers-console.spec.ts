import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readInstitution } from '#server/domain/read-institution.ts';
import { expectAccessible } from './expect-accessible.ts';
import { createMember, expect, test, toast } from './fixtures.ts';
import { makeStaff } from './staff-data.ts';

test('staff merge employers that are probably the same, separate them, and merge others by search', async ({
  page,
  server,
}) => {
  const hires = async (employer: string) =>
    server.query(
      `update listings set employer = $2, employer_key = lower($2) where account_id = $1 and audience = 'members'`,
      (await createMember(page, server)).uid,
      employer,
    );
  await hires('Zylophar');
  await hires('Zylophaar');
  await makeStaff(server, (await createMember(page, server)).uid, 'moderator');
  await page.goto('/staff/employers');
  const proposals = page.getByRole('list', { name: 'Probably the same' });
  await expect(proposals).toContainText('Zylopha');
  await expectAccessible(page);
  await proposals.getByRole('button', { name: /Merge Zylopha/u }).click();
  await expect(toast(page, /^Merged/u)).toBeVisible();
  await expect(proposals.getByText(/Zylopha/u)).toHaveCount(0);
  await page.getByRole('button', { name: /^Separate ?: zylopha/u }).click();
  await expect(toast(page, /^Separated/u)).toBeVisible();
  await expect(async () => {
    await page.goto('/staff/employers?q=zylo');
    await expect(page.getByRole('list', { name: 'Found' }).getByRole('listitem')).toHaveCount(2);
  }).toPass();
  await page.getByRole('button', { name: /^Merge ?: Zylophar$/u }).click();
  await expect(page.getByText('Search for the employer that Zylophar is part of.')).toBeVisible();
  await page.getByLabel('Name of an employer').fill('zylophaa');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('button', { name: /^Merge into this ?: Zylophaar$/u }).click();
  await expect(page.getByText('Part of Zylophaar')).toBeVisible();
});

test(
  'an owner reads the tracer report of a department, and the report is absent without its setting',
  { tag: '@release' },
  async ({ page, server }) => {
    await makeStaff(server, (await createMember(page, server)).uid, 'owner');
    const counts = {
      onRoster: 1200,
      reached: 700,
      answered: 300,
      working: 200,
      inField: null,
      study: null,
      seeking: null,
    };
    const physics = { college: 'COSIT', department: 'Physics', program: 'Bachelor of Science (Honours)' };
    await server.query(
      `insert into tracer_snapshots (month, rows, counts_roster) values (to_char(now() at time zone 'utc', 'YYYY-MM'), $1, true)`,
      JSON.stringify([
        { ...physics, year: 2015, ...counts },
        { ...physics, year: 2014, ...counts, answered: 50, working: null },
        { ...physics, department: 'Chemistry', year: 0, ...counts },
      ]),
    );
    await page.goto('/staff/coverage');
    await expect(page.getByRole('heading', { name: 'Coverage' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Tracer report' })).toHaveCount(0);
    expect((await page.goto('/staff/tracer'))?.status()).toBe(404);
    const file = join(mkdtempSync(join(tmpdir(), 'archive-e2e-institution-')), 'institution.json');
    const institution = readInstitution('institution.json');
    writeFileSync(file, JSON.stringify({ ...institution, tracerReport: true }));
    const second = await server.startSecondServer({ INSTITUTION_FILE: file });
    try {
      await page.goto(`${second.url}/staff/tracer`);
      await expect(page.getByText(/^What graduates do now\. As of \d+ \w+ \d{4}\.$/u)).toBeVisible();
      await expect(page.getByRole('row').last()).toHaveText(/Sum of the rows shown3,6002,100650400 of 600/u);
      await expectAccessible(page);
      await page.getByRole('link', { name: 'Physics' }).click();
      await expect(page.getByRole('heading', { name: 'Physics' })).toBeVisible();
      await expect(page.getByRole('row').nth(1)).toHaveText(/2015.*30025 %200–hidden/u);
      await expect(page.getByRole('row').last()).toHaveText(/Sum of the rows shown2,4001,400350200 of 300/u);
      await page.emulateMedia({ media: 'print' });
      await expect(page.getByText(institution.name, { exact: true })).toBeVisible();
      await expect(page.getByText('COSIT · Tracer report as of')).toBeVisible();
      await expect(page.getByRole('link', { name: 'All departments' })).toBeHidden();
      await page.emulateMedia({ media: null });
      await expectAccessible(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download all departments as CSV' }).click();
      expect((await download).suggestedFilename()).toMatch(/^tracer-report-\d{4}-\d\d\.csv$/u);
    } finally {
      await page.goto('about:blank');
      await second.stop();
    }
  },
);
