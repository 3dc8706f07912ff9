import { expectAccessible } from './expect-accessible.ts';
import { createMember, expect, test } from './fixtures.ts';
import { makeStaff } from './staff-data.ts';

test('coverage shows each department as bars with a table, and filters by college @both', async ({ page, server }) => {
  await server.query(
    `insert into roster_entries (matric_key, matric_number, last_name, first_name, words, first_import, last_import, department, year_graduated)
     select 'COV' || g, 'COV' || g, 'Okafor', 'Ada', '{}', 1, 1, (array['Computer Science', 'Physics', 'Chemistry'])[1 + g % 3],
       1990 + (g * g) % 31 from generate_series(1, 900) g`,
  );
  await makeStaff(server, (await createMember(page, server)).uid, 'owner');
  await page.goto('/staff/coverage');
  // At least 300: other tests of the same server may have added entries.
  const chart = page.getByRole('img', { name: /^Physics: 3\d\d on the roster, / });
  await expect(chart).toBeVisible();
  await page.getByText('Years as a table, Physics').click();
  const table = page.getByRole('region', { name: 'Coverage of Physics by year' });
  await expect(table.getByRole('row').last()).toContainText(/3\d\d/u);
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await expectAccessible(page);
  await page.getByRole('navigation', { name: 'College' }).getByRole('link', { name: 'COSIT' }).click();
  await expect(page).toHaveURL('/staff/coverage?college=COSIT');
  await expect(chart).toBeVisible();
});
