import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toDocument } from '#contract/profile.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { computeFirebaseHash } from '#server/platform/crypto/firebase-scrypt.ts';
import { inventPerson } from '#server/seed/invent.ts';
import { createRandom } from '#server/seed/random.ts';
import { expect, createVerifiedAccount, createAddress, password, photo, signIn, test, toast } from './fixtures.ts';

test(
  'a member whose account is disabled is signed out immediately and sees the reason on the next sign-in',
  {
    tag: '@spec-8.1',
  },
  async ({ page, server }) => {
    const { email } = await createVerifiedAccount(page, server);
    expect(await server.runCommand('user', 'disable', email)).toMatchObject({ code: 0 });
    await page.goto('/settings');
    await expect(page).toHaveURL(/\/login/u);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const message = toast(page, 'This account is disabled. Contact the alumni office (auth/user-disabled)');
    await expect(message).toBeVisible();
    // The whole toast is on the screen after its animation.
    await expect(message).toBeInViewport({ ratio: 1 });
    await page.getByLabel('Password', { exact: true }).fill('a wrong word');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(toast(page, 'Wrong email or password (auth/invalid-credential)')).toBeVisible();

    await server.runCommand('user', 'enable', email);
    await server.query(`update accounts set suspended_until = '2100-05-17T12:00:00Z' where email = $1`, email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(
      toast(page, /This account is suspended until 17 May 2100\. .* \(auth\/user-disabled\)/u),
    ).toBeVisible();

    await server.query(`update accounts set suspended_until = null where email = $1`, email);
    await signIn(page, email, password);
    await expect(page).toHaveURL('/onboarding');
  },
);

test('an imported member signs in with the old password and completes the missing fields', async ({ page, server }) => {
  const institution = readInstitution(join(import.meta.dirname, '..', 'institution.json'));
  const folder = mkdtempSync(join(tmpdir(), 'archive-e2e-firebase-'));
  const [email, uid, word, salt] = [
    createAddress(),
    'uid0of0the0old0archive000001',
    'from the old archive',
    'c2FsdHNhbHQ=',
  ];
  const key = { signerKey: 'c2lnbmVya2V5c2lnbmVya2V5', saltSeparator: 'Bw==', rounds: 8, memCost: 12 };
  const invented = inventPerson(createRandom(5), institution, 2026, { firstName: 'Bisi', lastName: 'Brought' });
  const imgURL = `data:image/jpeg;base64,${(await photo()).toString('base64')}`;
  const document = { ...toDocument({ ...invented, imgURL }), gender: '' };
  const passwordHash = (await computeFirebaseHash(key, word, salt)).toString('base64');
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const answer = await server.runCommand(
    'import-firestore',
    write('users.json', JSON.stringify({ [uid]: document })),
    '--auth',
    write('auth.json', JSON.stringify({ users: [{ localId: uid, email, emailVerified: true, passwordHash, salt }] })),
    '--hash-config',
    write(
      'hash.txt',
      `base64_signer_key: ${key.signerKey}, base64_salt_separator: ${key.saltSeparator}, rounds: 8, mem_cost: 12`,
    ),
  );
  rmSync(folder, { recursive: true });
  expect(answer).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`${uid}: warning: The owner has to complete gender.`),
  });

  await signIn(page, email, word);
  await expect(page).toHaveURL('/onboarding');
  await expect(page.getByLabel('First name', { exact: true })).toHaveValue('Bisi');
  await expect(page.getByLabel('Last name', { exact: true })).toHaveValue('Brought');
  const goOn = page.getByRole('button', { name: 'Continue' });
  await goOn.click();
  await expect(page.getByLabel('Home address', { exact: true })).toHaveValue(document.homeAddress);
  await goOn.click();
  // Only fields without imported values are empty.
  await expect(page.getByText('Field cannot be empty')).toHaveCount(1);
  await page.getByLabel('Gender', { exact: true }).selectOption('female');
  for (const step of [3, 4, 5]) {
    await goOn.click();
    await expect(page.getByText(`Step ${step}/5`)).toBeVisible();
  }
  await expect(page.getByRole('button', { name: 'Remove image' })).toBeVisible();
  // The imported picture is shown, and saving does not remove it.
  const shown = page.locator('form img[src^="/media/"]');
  await expect(shown).toBeVisible();
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Finish' }).click();
  await expect(page).toHaveURL('/');
  await page.goto('/myprofile');
  await expect(page.getByRole('heading', { name: /Brought/u }).first()).toBeVisible();
});
