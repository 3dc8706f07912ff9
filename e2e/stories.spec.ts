import {
  expect,
  followLink,
  createMember,
  createVerifiedAccount,
  createAddress,
  openOtherBrowser,
  password,
  photo,
  signIn,
  startSession,
  test,
  toast,
} from './fixtures.ts';

test(
  'a member recovers the account after losing the mailbox to an attacker',
  { tag: ['@spec-2.29', '@spec-7.11'] },
  async ({ page, server }) => {
    test.slow();
    const { inbox } = server;
    await createMember(page, server);
    const mine = createAddress();
    const attackerEmail = createAddress();

    await test.step('the member changes the address with the password, without access to the old mailbox', async () => {
      await page.goto('/settings?section=security');
      await page.getByLabel('Email').fill(mine);
      const form = page.locator('form', { has: page.getByLabel('Email') });
      await form.getByLabel('Current password').fill(password);
      await form.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByText(`We have sent a link to ${mine}`)).toBeVisible();
      await followLink(page, inbox, mine, 'Confirm your new email address');
      await expect(toast(page, 'Email Changed Successfully')).toBeVisible();
    });

    const attacker = await openOtherBrowser(page, server);
    await test.step('an attacker with the password takes over the account', async () => {
      await startSession(attacker.page, mine, password);
      await attacker.page.goto('/settings?section=security');
      await attacker.page.getByRole('button', { name: 'Sign out everywhere else' }).click();
      await expect(attacker.page.getByRole('button', { name: 'Sign out everywhere else' })).toHaveCount(0);
      await attacker.page.getByLabel('Email').fill(attackerEmail);
      const form = attacker.page.locator('form', { has: attacker.page.getByLabel('Email') });
      await form.getByLabel('Current password').fill(password);
      await form.getByRole('button', { name: 'Save' }).click();
      await expect(attacker.page.getByText(`We have sent a link to ${attackerEmail}`)).toBeVisible();
      await followLink(attacker.page, inbox, attackerEmail, 'Confirm your new email address');
      await expect(toast(attacker.page, 'Email Changed Successfully')).toBeVisible();
    });

    await test.step('the member is signed out and cannot sign in', async () => {
      await page.goto('/settings');
      await expect(page).toHaveURL(/\/login/u);
      await page.getByLabel('Email').fill(mine);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(toast(page, '(auth/invalid-credential)')).toBeVisible();
    });

    await test.step('the emailed link restores the address and asks for a new password', async () => {
      await followLink(page, inbox, mine, 'Your email address was changed');
      await expect(page).toHaveURL(/\/recover-email\?actionCode=/u);
      await page.getByRole('button', { name: 'Restore my email address' }).click();
      await expect(page.getByRole('heading', { name: 'Your email address is restored' })).toBeVisible();
      await followLink(page, inbox, mine, 'Choose a new password');
      await page.getByLabel('New password').fill('a word nobody has seen');
      await page.getByLabel('Confirm password').fill('a word nobody has seen');
      await page.getByRole('button', { name: 'Reset password' }).click();
      await expect(page).toHaveURL('/login');
      await signIn(page, mine, 'a word nobody has seen');
    });

    await test.step('the attacker is signed out, and the member has all data again', async () => {
      await attacker.page.goto('/settings');
      await expect(attacker.page).toHaveURL(/\/login/u);
      for (const address of [mine, attackerEmail]) {
        await attacker.page.getByLabel('Email').fill(address);
        await attacker.page.getByLabel('Password', { exact: true }).fill(password);
        const refused = attacker.page.waitForResponse('**/api/identity/sign-in');
        await attacker.page.getByRole('button', { name: 'Sign in' }).click();
        expect((await refused).status()).toBe(401);
      }
      await page.goto('/myprofile');
      await expect(page.getByText('Teacher in Lagos')).toBeVisible();
      await page.goto('/notification');
      await expect(page.getByText(`Your email address is now ${mine}.`).first()).toBeVisible();
    });
    await attacker.context.close();
  },
);

test('a member signs out a stolen phone', async ({ page, server }) => {
  test.slow();
  const { email } = await createMember(page, server);
  const phone = await openOtherBrowser(page, server);
  await startSession(phone.page, email, password);
  await phone.page.goto('/myprofile');
  await expect(phone.page.getByText('Teacher in Lagos')).toBeVisible();

  await page.goto('/settings?section=security');
  const form = page.locator('form', { has: page.getByRole('button', { name: 'Change password' }) });
  await form.getByLabel('Current password').fill(password);
  await form.getByLabel('New password').fill('a word nobody has seen');
  await form.getByLabel('Confirm password').fill('a word nobody has seen');
  await form.getByRole('button', { name: 'Change password' }).click();
  await expect(toast(page, 'Password changed successfully')).toBeVisible();
  await server.inbox.next(email, 'Your password was changed');

  // The phone's page clears without interaction, because the stream reports the end of the session.
  await expect(phone.page).toHaveURL(/\/login/u);
  await expect(phone.page.getByText('Teacher in Lagos')).toHaveCount(0);
  await phone.page.getByLabel('Email').fill(email);
  await phone.page.getByLabel('Password', { exact: true }).fill(password);
  await phone.page.getByRole('button', { name: 'Sign in' }).click();
  await expect(toast(phone.page, '(auth/invalid-credential)')).toBeVisible();
  await phone.context.close();
});

test('a member deletes the account, and no data remain', async ({ page, server }) => {
  test.slow();
  const { email, uid } = await createMember(page, server);
  const album = `Farewell ${uid}`;
  await page.goto('/gallery');
  await page.getByRole('button', { name: 'Add photos' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add photos' });
  await dialog.getByLabel('Album').fill(album);
  await dialog
    .getByLabel('Choose photos')
    .setInputFiles({ name: 'last.jpg', mimeType: 'image/jpeg', buffer: await photo() });
  await dialog.getByLabel('Title').fill('The last one');
  await dialog.getByRole('button', { name: 'Add photo', exact: true }).click();
  await expect(toast(page, 'Photo added')).toBeVisible();
  const pictureOf = (name: string) => page.getByRole('main').getByRole('img', { name }).getAttribute('src');
  const pictures = [await pictureOf('The last one')];
  await page.goto('/myprofile');
  pictures.push(await pictureOf('Portrait of Ọládélé Chidi Abíọ́dún'));

  const guest = await openOtherBrowser(page, server);
  const statusOf = async (path: string) => (await guest.page.request.get(path)).status();
  expect(await statusOf(`/user/${uid}`)).toBe(200);
  for (const picture of pictures) expect(await statusOf(picture ?? '')).toBe(200);

  await page.goto('/settings?section=delete');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await page.getByRole('button', { name: 'Yes, delete it' }).click();
  await expect(page).toHaveURL('/home');
  await server.inbox.next(email, 'Your account was deleted');

  expect(await statusOf(`/user/${uid}`)).toBe(404);
  await expect.poll(() => Promise.all(pictures.map((picture) => statusOf(picture ?? '')))).toEqual([404, 404]);
  await startSession(guest.page);
  await guest.page.goto('/gallery');
  await expect(guest.page.getByRole('button', { name: 'Add photos' })).toBeVisible();
  await expect(guest.page.getByText(album)).toHaveCount(0);
  await guest.context.close();

  await createVerifiedAccount(page, server, email);
  await page.goto('/onboarding');
  await expect(page.getByText('Step 1/5')).toBeVisible();
  await expect(page.getByLabel('First name')).toHaveValue('');
});
