import { toXlsx } from '#server/domain/roster/file/testing.ts';
import { expectAccessible } from './expect-accessible.ts';
import { createMember, expect, test, toast } from './fixtures.ts';
import { makeStaff } from './staff-data.ts';

const list = (...rows: string[]) => ({
  name: 'graduates 2019.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(['Reg,Surname,First Name,Born,Department,Year of Graduation', ...rows, ''].join('\n')),
});
const people = [
  'CSC/15/0001,Ọláwálé,Adaeze,1995-03-14,Computer Science,2019',
  'CSC/15/0002,Bello,Ben,1994-12-01,Comp Sci,2019',
];

test('staff import a list: upload, columns, dry run, warnings, apply, find again, and ask to undo it', async ({
  page,
  server,
}) => {
  await makeStaff(server, (await createMember(page, server)).uid, 'registrar');
  await page.goto('/staff/roster');
  await page.getByRole('button', { name: 'Upload' }).click();
  await expect(page.getByText('Choose a file first.')).toBeVisible();
  await page
    .getByLabel('The registrar’s list')
    .setInputFiles(list(...people, ',Nameless,,,,', 'CSC/15/0002,Bello,Benjamin,,,'));
  await page.getByRole('button', { name: 'Upload' }).click();
  await expect(page.getByText('Ọláwálé', { exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Field of the column Born').selectOption('Not imported');
  await page.getByRole('button', { name: 'Compare with the roster' }).click();
  await expect(page.getByText('Choose the column with the matric number.')).toBeVisible();
  await expect(page.getByLabel('Field of the column Born')).toHaveValue('');
  await page.getByLabel('Field of the column Reg').selectOption('Matric number');
  await page.getByLabel('Field of the column Born').selectOption('Date of birth');
  await expect(page.getByLabel('Comp Sci')).toHaveValue('Computer Science');
  await page.getByLabel('Graduates to').fill('2020');
  await page.getByRole('button', { name: 'Compare with the roster' }).click();
  await expect(page.getByText('Enter both years of graduation, or none.')).toBeVisible();
  await expect(page.getByLabel('Graduates from')).toBeFocused();
  await page.getByLabel('Graduates from').fill('2020');
  await page.getByRole('button', { name: 'Compare with the roster' }).click();
  const result = page.getByRole('region', { name: 'What this import would do' });
  await expect(result.getByText('Not imported:')).toBeVisible();
  await expect(result.getByText('Only graduates of 2020 to 2020 can be missing.')).toBeVisible();
  const changes = page.getByRole('region', { name: 'Every change' });
  await expect(changes.getByRole('listitem')).toContainText(['Ọláwálé Adaeze']);
  await changes.getByLabel('Name or matric number').fill('Eze');
  await changes.getByRole('button', { name: 'Search' }).click();
  await expect(changes.getByText('No one matches.')).toBeVisible();
  await changes.getByRole('link', { name: 'New 1' }).click();
  await expect(changes.getByRole('listitem')).toContainText(['CSC/15/0001']);
  await expectAccessible(page);
  await page.goto('/staff/roster');
  await page.getByRole('link', { name: 'graduates 2019.csv' }).click();
  await page.getByRole('button', { name: 'Apply to the roster' }).click();
  await expect(page.getByText('Confirm that you have checked this.')).toBeVisible();
  for (const box of await result.getByRole('checkbox').all()) await box.check();
  await page.getByRole('button', { name: 'Apply to the roster' }).click();
  await expect(page.getByRole('heading', { name: 'What the import did' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Download all errors in rows and cells' })).toBeVisible();
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('button', { name: 'Request approval' }).click();
  await expect(toast(page, 'Approval requested. See it under Approvals')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Waiting for approval' })).toBeVisible();
  await expectAccessible(page);
});

test(
  'a workbook asks which of its sheets to read, and says why two cannot be read together',
  { tag: ['@desk', '@release'] },
  async ({ page, server }) => {
    await makeStaff(server, (await createMember(page, server)).uid, 'registrar');
    await page.goto('/staff/roster');
    const heading = ['Matric No', 'Surname', 'First Name'];
    await page.getByLabel('The registrar’s list').setInputFiles({
      name: 'graduates.xlsx',
      mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      buffer: toXlsx({
        sheets: [
          { name: 'Class of 2018', rows: [heading, ['CSC/14/0001', 'Okafor', 'Ada']] },
          { name: 'Class of 2019', rows: [heading, ['CSC/15/0002', 'Bello', 'Ben']] },
          {
            name: 'Phone numbers',
            rows: [
              ['Matric No', 'Phone'],
              ['CSC/15/0002', '0803 000 0000'],
            ],
          },
        ],
      }),
    });
    await page.getByRole('button', { name: 'Upload' }).click();
    await expect(page.getByRole('heading', { name: 'Which sheets?' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Columns' })).toBeHidden();
    await page.getByRole('button', { name: 'Read these sheets' }).click();
    await expect(page.getByText('Choose at least one sheet.')).toBeVisible();
    await page.getByLabel('Class of 2018').check();
    await page.getByLabel('Phone numbers').check();
    await page.getByRole('button', { name: 'Read these sheets' }).click();
    await expect(page.getByText('The sheet “Phone numbers” has other headings than “Class of 2018”')).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel('Phone numbers').uncheck();
    await page.getByLabel('Class of 2019').check();
    await page.getByRole('button', { name: 'Read these sheets' }).click();
    await expect(page.getByRole('heading', { name: 'Columns' })).toBeVisible();
    await expect(page.getByText('2 rows of Class of 2018, Class of 2019')).toBeVisible();
    await page.getByRole('button', { name: 'Compare with the roster' }).click();
    const changes = page.getByRole('region', { name: 'Every change' });
    await expect(changes.getByRole('listitem')).toContainText(['Row 2 (Class of 2018)', 'Row 2 (Class of 2019)']);
  },
);
