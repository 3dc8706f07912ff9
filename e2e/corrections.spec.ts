import { expectAccessible } from './expect-accessible.ts';
import { createMember, expect, test, toast } from './fixtures.ts';
import { makeStaff } from './staff-data.ts';

test('staff propose a correction from the page of a class, decide it in the queue, and print codes', async ({
  page,
  server,
}) => {
  await server.query(
    `insert into roster_entries (matric_key, matric_number, last_name, first_name, words, first_import, last_import, department, year_graduated)
     values ('CLASS1', 'CLASS1', 'Okafor', 'Ada', '{}', 1, 1, 'Physics', 2014)`,
  );
  await makeStaff(server, (await createMember(page, server)).uid, 'owner');
  await page.goto('/staff/coverage');
  await page.getByText('Years as a table, Physics').click();
  await page.getByRole('link', { name: '2014' }).click();
  await expect(page.getByRole('heading', { name: 'Physics, class of 2014' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Propose a correction for Okafor, Ada' }).click();
  await page.getByLabel('What is wrong?').selectOption('Wrong name');
  await page.getByLabel('Last name').fill('Okoro');
  await expectAccessible(page);
  await page.getByLabel('How do you know? (optional)').fill('She is my sister.');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Propose a correction for Okafor, Ada' }).click();
  await expect(page.getByLabel('How do you know? (optional)')).toHaveValue('She is my sister.');
  await page.getByLabel('What is wrong?').selectOption('Wrong name');
  await page.getByLabel('Last name').fill('Okoro');
  await page.getByRole('button', { name: 'Propose', exact: true }).click();
  await expect(toast(page, 'Proposed. A registrar will decide')).toBeVisible();
  await expect(page.getByText('Correction proposed')).toBeVisible();
  await page.goto('/staff/review?kind=correction');
  await page
    .getByRole('link', { name: /Okafor/u })
    .first()
    .click();
  await expect(page.getByRole('cell', { name: 'Okoro' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Accept' }).click();
  await expect(page.getByText('the next import overwrites this change')).toBeVisible();
  await page.goto('/staff/codes');
  await page.getByLabel('Department').selectOption('Physics');
  await page.getByRole('button', { name: 'Count the people' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create 1 code' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Save the sheet' }).click();
  expect((await download).suggestedFilename()).toBe('codes.html');
});
