import { readFile } from 'node:fs/promises';
import { strFromU8, unzipSync } from 'fflate';
import { termsVersion } from '#contract/terms.ts';
import { expectAccessible } from './expect-accessible.ts';
import { expect, createMember, createAddress, password, test, toast } from './fixtures.ts';

/* Members download their data and accept the terms. */

test('a member downloads all their data, even before JavaScript has loaded', async ({ page, server }) => {
  const { email, uid } = await createMember(page, server);
  let kept = 0;
  await page.route('**/assets/*.js', (route) => {
    kept++;
    return route.abort();
  });
  await page.goto('/settings?section=privacy');
  expect(kept).toBeGreaterThan(0);
  const link = page.getByRole('link', { name: 'Download my data' });
  const started = page.waitForEvent('download');
  await link.click();
  const download = await started;
  expect(download.suggestedFilename()).toMatch(/^my-data-\d{4}-\d\d-\d\d\.zip$/u);
  const files = unzipSync(await readFile(await download.path()));
  const text = (path: string) => strFromU8(files[path] ?? new Uint8Array());
  const json = (path: string) => JSON.parse(text(path)) as Record<string, unknown>;

  expect(Object.keys(files).toSorted()).toEqual([
    'README.txt',
    'account.json',
    'pictures/portrait.webp',
    'profile.json',
    'profile.vcf',
  ]);
  expect(json('account.json')).toMatchObject({ uid, email, acceptedTerms: { version: termsVersion } });
  expect(json('profile.json')).toMatchObject({
    imgURL: expect.stringMatching(/^data:image\/webp;base64,/u),
    name: { first: 'Ọládélé', middle: 'Chidi', last: 'Abíọ́dún' },
    dob: '1993-04-12',
    academic: { matricNumber: '20110294001X', year: { admitted: 2011, graduated: 2015 } },
    fullBio: 'I teach.\nAnd I play chess.',
    social: { x: 'olaabi', facebook: 'ola.abi', linkedin: 'ola-abi' },
  });
  const card = text('profile.vcf').replaceAll('\r\n ', '');
  expect(card).toContain('\r\nN:Abíọ́dún;Ọládélé;Chidi;mr.;\r\n');
  expect(card).toContain(String.raw`;;12 Unity Close\, Abẹ́òkúta;;;;`);
  expect(text('README.txt')).toContain('profile.vcf');

  // The picture can be decoded.
  const size = await page.evaluate(
    async (base64) => {
      const picture = new Image();
      picture.src = `data:image/webp;base64,${base64}`;
      await picture.decode();
      return [picture.naturalWidth, picture.naturalHeight];
    },
    Buffer.from(files['pictures/portrait.webp'] ?? []).toString('base64'),
  );
  expect(size).toEqual([384, 480]);
});

test('sign-up states which terms the user accepts, and rejects outdated terms', async ({ page, browserConsole }) => {
  await page.goto('/signup');
  const words = page.getByText('By signing up you accept the');
  await expect(words).toContainText('terms and conditions of 22 November 2026 and the privacy policy.');
  await page.getByRole('link', { name: 'terms and conditions' }).click();
  await expect(page.getByText('This version has applied since 22 November 2026.')).toBeVisible();
  await page.goBack();

  // The request of a tab that was opened before the terms changed.
  browserConsole.allow(/409/u);
  await page.route('**/api/identity/sign-up', (route) =>
    route.continue({ postData: { ...(route.request().postDataJSON() as object), terms: '2020-01-01' } }),
  );
  await page.getByLabel('Email').fill(createAddress());
  for (const label of ['Password', 'Confirm password']) await page.getByLabel(label, { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(toast(page, 'Sign up failed')).toBeVisible();
  await expect(page.getByText('The terms have changed. Reload this page and read them')).toBeVisible();
  await expect(page).toHaveURL('/signup');
});

test('the settings ask members once to accept changed terms', async ({ page, server }) => {
  const { uid } = await createMember(page, server);
  await page.goto('/settings');
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  const question = page.getByRole('region', { name: 'New terms' });
  await expect(question).toHaveCount(0);

  await server.query(`update accounts set terms_version = '2020-01-01' where id = $1`, uid);
  await page.goto('/settings?section=privacy');
  await expect(question).toContainText('Since 22 November 2026 there are new terms and conditions');
  await expectAccessible(page);
  await page.goto('/settings?section=security');
  await question.getByRole('button', { name: 'I accept' }).click();
  await expect(question).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Security' })).toBeVisible();
  await expect(question).toHaveCount(0);
});
