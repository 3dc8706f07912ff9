import type { Page } from '@playwright/test';
import type { CardPage } from '#contract/directory.ts';
import {
  announceSessionChange,
  stepAnswers,
  openLogoutDialog,
  expect,
  fillStep,
  createMember,
  createVerifiedAccount,
  password,
  photo,
  type TestServer,
  startSession,
  stopTimers,
  test,
  toast,
  getCurrentUser,
} from './fixtures.ts';

/* Unsaved input survives the end of a session, and leaving the page requires confirmation. */

const text = 'Do you still have the class photo?';
const restoredMessage = (page: Page) => page.getByText('We have restored what you typed.');
const leaveDialog = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' });

const readStorage = (page: Page) => page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));

async function endSession(page: Page, server: TestServer): Promise<void> {
  const { email } = await getCurrentUser(page);
  await server.query('delete from sessions where account_id = (select id from accounts where email = $1)', email);
}

async function signInAgain(page: Page, email = 'demo@alumni.example', word = 'olumo rock at dawn'): Promise<void> {
  await expect(page).toHaveURL(/\/login\?from=/u);
  await expect(toast(page, 'Please login to continue')).toBeVisible();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(word);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const clickDiscard = (page: Page) => page.getByRole('button', { name: 'Discard' }).click();

/**
 * The seeded people of the campus. The members of other tests graduated later, and may hide or delete their profiles.
 */
const seededPeople = '/?department=all&graduatedTo=1999';

/** Guests can see the profile too. */
async function typeMessage(page: Page): Promise<void> {
  const response = await page.request.get('/api/users?graduatedTo=1999&limit=1');
  const [person] = ((await response.json()) as CardPage).items;
  await startSession(page);
  await page.goto(seededPeople);
  await page.locator(`main li a[href="/user/${person?.id}"]`).click();
  await page.getByRole('button', { name: 'Write a message' }).click();
  await page.getByLabel('Message').fill(text);
}

test.describe('a sign-in after the session ended elsewhere', () => {
  test('restores the draft of a message', { tag: '@release' }, async ({ page, server }) => {
    await typeMessage(page);
    const { pathname } = new URL(page.url());
    await endSession(page, server);
    await expect(page).toHaveURL(/\/login/u);
    await expect(page.getByText(text)).toHaveCount(0);
    await signInAgain(page);
    await expect(page).toHaveURL(pathname);
    await expect(page.getByLabel('Message')).toHaveValue(text);
    await expect(restoredMessage(page)).toBeVisible();
    await clickDiscard(page);
    await expect(page.getByLabel('Message')).toHaveValue('');
    expect(await readStorage(page)).not.toContain(text);
  });

  test('does not restore the draft of another person', { tag: ['@desk', '@asvs-14.3.3'] }, async ({ page, server }) => {
    await typeMessage(page);
    const { pathname } = new URL(page.url());
    await endSession(page, server);
    await expect(page).toHaveURL(/\/login/u);
    await page.getByRole('link', { name: 'Sign up' }).click();
    await expect(page).toHaveURL('/signup');
    await page.getByLabel('Email').fill(`other-${Date.now()}@mail.example`);
    for (const label of ['Password', 'Confirm password']) await page.getByLabel(label, { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await expect(page).toHaveURL('/send-verification-email');
    expect(await readStorage(page)).not.toContain(text);
    await page.goto(pathname);
    await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  test(
    'does not restore the draft if another member signs in in another tab',
    { tag: '@desk' },
    async ({ page, server }) => {
      await typeMessage(page);
      const [before, reader] = [await getCurrentUser(page), new URL(page.url()).pathname.split('/').at(-1)];
      // From now on, the session of this browser belongs to another account.
      await server.query(
        `update sessions set account_id = (
         select account_id from listings where audience = 'members' and account_id not in ($1, $2) limit 1)
       where account_id = $1`,
        before.uid,
        reader,
      );
      await announceSessionChange(page);
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await page.getByRole('button', { name: 'Write a message' }).click();
      await expect(page.getByLabel('Message')).toHaveValue('');
      expect((await getCurrentUser(page)).uid).not.toBe(before.uid);
      expect(await readStorage(page)).not.toContain(text);
    },
  );

  test('restores the details of unsaved photos, but not their files', { tag: '@release' }, async ({ page, server }) => {
    await startSession(page);
    await page.goto('/gallery');
    await page.getByRole('button', { name: 'Add photos' }).click();
    const image = { name: 'one.jpg', mimeType: 'image/jpeg', buffer: await photo() };
    await page.getByLabel('Choose photos').setInputFiles(image);
    await page.getByLabel('Title').fill('The whole class');
    await page.getByLabel('Place').fill('Abẹ́òkúta');
    await endSession(page, server);
    await signInAgain(page);
    await expect(page).toHaveURL('/gallery');
    await expect(restoredMessage(page)).toHaveText(
      'We have restored what you typed. Your photos could not be restored. Choose them again.',
    );
    await expect(page.getByLabel('Place')).toHaveValue('Abẹ́òkúta');
    await page.getByLabel('Choose photos').setInputFiles(image);
    await expect(page.getByLabel('Title')).toHaveValue('The whole class');
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await readStorage(page)).not.toContain('Abẹ́òkúta');
  });

  test('restores the settings form, and the user can discard it', { tag: '@desk' }, async ({ page, server }) => {
    await startSession(page);
    await page.goto('/settings');
    await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled();
    const bio = page.getByLabel('Short bio');
    const before = await bio.inputValue();
    await bio.fill(text);
    await endSession(page, server);
    await signInAgain(page);
    await expect(page).toHaveURL('/settings');
    await expect(bio).toHaveValue(text);
    await expect(restoredMessage(page)).toBeVisible();
    await clickDiscard(page);
    await expect(bio).toHaveValue(before);
    await expect(restoredMessage(page)).toHaveCount(0);
    expect(await readStorage(page)).not.toContain(text);
  });

  test('restores the form about work and place, with its audiences', async ({ page, server }) => {
    const { email } = await createMember(page, server);
    await page.goto('/settings?section=career');
    await page.getByLabel('Role').fill(text);
    await page.getByRole('button', { name: 'Add an earlier position' }).click();
    await page.getByLabel('Employer').last().fill('Shell');
    await page.getByLabel('From').last().fill('20');
    await page.getByLabel('Country', { exact: true }).selectOption('Ghana');
    await page.getByLabel('Who sees your work').selectOption('me');
    await endSession(page, server);
    await signInAgain(page, email, password);
    await expect(page).toHaveURL('/settings?section=career');
    await expect(restoredMessage(page)).toBeVisible();
    await expect(page.getByLabel('Role').first()).toHaveValue(text);
    await expect(page.getByLabel('Employer').last()).toHaveValue('Shell');
    await expect(page.getByLabel('From').last()).toHaveValue('20');
    await page.getByLabel('From').last().fill('2010');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, 'Saved')).toBeVisible();
    await expect(restoredMessage(page)).toHaveCount(0);
    expect(await readStorage(page)).not.toContain(text);
    const { uid } = await getCurrentUser(page);
    expect(await (await page.request.get(`/api/users/${uid}/career`)).json()).toMatchObject({
      positions: [{ role: text }, { employer: 'Shell', from: 2010 }],
      country: 'GH',
      visibility: { positions: 'me' },
    });
  });

  test(
    'opens and restores the question about work on the user’s profile',
    { tag: '@release' },
    async ({ page, server }) => {
      const { email } = await createMember(page, server);
      await page.goto('/myprofile');
      await page.getByRole('button', { name: 'Add where you are' }).click();
      await page.getByLabel('Role').fill(text);
      await endSession(page, server);
      await signInAgain(page, email, password);
      await expect(page).toHaveURL('/myprofile');
      await expect(page.getByLabel('Role')).toHaveValue(text);
      await clickDiscard(page);
      await expect(page.getByLabel('Role')).toHaveValue('');
      expect(await readStorage(page)).not.toContain(text);
    },
  );

  test('restores the onboarding at the same step', async ({ page, server }) => {
    const { email } = await createVerifiedAccount(page, server);
    await page.goto('/onboarding');
    await fillStep(page, stepAnswers[0] ?? {});
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Home address').fill('12 Unity Close');
    await endSession(page, server);
    await signInAgain(page, email, password);
    await expect(page).toHaveURL(/\/onboarding/u);
    await page.goto('/onboarding?step=2');
    await expect(page.getByLabel('Home address')).toHaveValue('12 Unity Close');
  });
});

test.describe('leaving a page with unsaved edits', () => {
  test(
    'asks for confirmation only after an edit, with the mouse and with the keyboard',
    { tag: '@desk' },
    async ({ page }) => {
      await startSession(page);
      await page.goto('/');
      await page.getByRole('link', { name: 'Settings' }).filter({ visible: true }).click();
      const bio = page.getByLabel('Short bio');
      await expect(bio).not.toHaveValue('');
      const before = await bio.inputValue();
      await bio.focus();
      await page.getByRole('link', { name: 'Security' }).click();
      await expect(page).toHaveURL('/settings?section=security');
      await page.goBack();
      await bio.fill(text);
      await page.getByRole('link', { name: 'Gallery' }).filter({ visible: true }).click();
      await expect(leaveDialog(page).getByRole('button', { name: 'Stay' })).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(leaveDialog(page)).toHaveCount(0);
      await expect(bio).toHaveValue(text);
      await page.goBack();
      await expect(leaveDialog(page)).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(leaveDialog(page)).toHaveCount(0);
      await expect(page).toHaveURL('/settings');
      await page.getByRole('link', { name: 'Gallery' }).filter({ visible: true }).click();
      await leaveDialog(page).getByRole('button', { name: 'Leave' }).click();
      await expect(page).toHaveURL('/gallery');
      await page.goBack();
      await expect(bio).toHaveValue(before);
      await expect(restoredMessage(page)).toHaveCount(0);
    },
  );

  test('asks for confirmation before a reload, but not after saving', { tag: '@desk' }, async ({ page }) => {
    await startSession(page);
    await page.goto('/settings');
    await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled();
    const bio = page.getByLabel('Short bio');
    const before = await bio.inputValue();
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.type());
      void dialog.dismiss();
    });
    await bio.press('End');
    await bio.pressSequentially('!');
    await page.evaluate(() => location.reload());
    await expect.poll(() => questions).toEqual(['beforeunload']);
    await expect(bio).toHaveValue(`${before}!`);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, 'Data successfully saved')).toBeVisible();
    await page.reload();
    await expect(bio).toHaveValue(`${before}!`);
    expect(questions).toHaveLength(1);
    await bio.fill(before);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, 'Data successfully saved')).toBeVisible();
  });

  test('asks for confirmation only once on sign-out, in the Logout dialog', { tag: '@spec-2.69' }, async ({ page }) => {
    await startSession(page);
    await page.goto('/settings?section=information');
    await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled();
    await page.getByLabel('Short bio').fill(text);
    await openLogoutDialog(page);
    await expect(page.getByRole('dialog')).toContainText('Your changes on this page are not saved.');
    await page.getByRole('button', { name: 'Sure' }).click();
    await expect(page).toHaveURL('/login');
    expect(await readStorage(page)).not.toContain(text);
  });

  test('asks for confirmation before Escape or Close discards chosen photos, but not when the file picker is cancelled', async ({
    page,
  }) => {
    await startSession(page);
    await page.goto('/gallery');
    await page.getByRole('button', { name: 'Add photos' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add photos' });
    await dialog
      .getByLabel('Choose photos')
      .setInputFiles({ name: 'one.jpg', mimeType: 'image/jpeg', buffer: await photo() });
    await dialog.getByLabel('Title').fill('The whole class');
    await dialog.getByLabel('Choose more photos').dispatchEvent('cancel', { bubbles: true });
    await expect(leaveDialog(page)).toHaveCount(0);
    for (const stay of ['Stay', 'Close']) {
      await page.keyboard.press('Escape');
      await leaveDialog(page).getByRole('button', { name: stay, exact: true }).click();
      await expect(leaveDialog(page)).toHaveCount(0);
      await expect(dialog.getByLabel('Title')).toHaveValue('The whole class');
    }
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    await leaveDialog(page).getByRole('button', { name: 'Leave' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    expect(await readStorage(page)).not.toContain('The whole class');
  });

  test('asks for confirmation on Back from an unsent message', async ({ page }) => {
    await typeMessage(page);
    await page.goBack();
    await leaveDialog(page).getByRole('button', { name: 'Stay' }).click();
    await expect(page.getByLabel('Message')).toHaveValue(text);
    await page.goBack();
    await leaveDialog(page).getByRole('button', { name: 'Leave' }).click();
    await expect(page).toHaveURL(seededPeople);
    expect(await readStorage(page)).not.toContain(text);
  });
});

test.describe('toasts', () => {
  test('replace an earlier error message with a success message', { tag: '@desk' }, async ({ page }) => {
    await startSession(page);
    await page.goto('/settings');
    await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled();
    await page.route('**/api/users/*', (route) => route.abort());
    await page.getByRole('button', { name: 'Save' }).click();
    const failed = toast(page, 'Error saving data');
    await expect(failed).toBeVisible();
    await stopTimers(page);
    await page.unroute('**/api/users/*');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await expect(toast(page, 'Data successfully saved')).toBeVisible();
    await expect(failed).toHaveCount(0);
  });

  test('are usable above a dialog and cover none of its controls', { tag: '@both' }, async ({ page, isMobile }) => {
    await startSession(page);
    await page.goto('/');
    await openLogoutDialog(page, isMobile);
    await page.route('**/api/identity/sign-out', (route) => route.abort());
    const sure = page.getByRole('button', { name: 'Sure' });
    await sure.click();
    const message = toast(page, 'We could not reach the server');
    await expect(message).toBeVisible();
    await sure.click({ trial: true });
    await message.getByRole('button', { name: 'close' }).click();
    await expect(message).toHaveCount(0);
    await page.getByRole('button', { name: 'No!!!' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });
});
