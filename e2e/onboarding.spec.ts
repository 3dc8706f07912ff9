import type { Page } from '@playwright/test';
import { getLatestDob } from '#contract/age.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { expectAccessible } from './expect-accessible.ts';
import {
  stepAnswers,
  completeProfile,
  expect,
  fillStep,
  createVerifiedAccount,
  logOut,
  openOtherBrowser,
  password,
  photo,
  startSession,
  test,
  toast,
  getCurrentUser,
} from './fixtures.ts';

test.beforeEach(async ({ page, server }) => {
  await createVerifiedAccount(page, server);
  await page.goto('/onboarding');
});

const goOn = async (page: Page) => page.getByRole('button', { name: 'Continue' }).click();

test(
  'Continue stays on an invalid step, where every broken rule shows "Field cannot be empty"',
  {
    tag: [
      '@desk',
      '@spec-4.16',
      '@spec-5.3',
      '@spec-5.15',
      '@spec-5.17',
      '@spec-5.19',
      '@spec-5.23',
      '@spec-5.24',
      '@spec-5.26',
      '@spec-9.18',
    ],
  },
  async ({ page }) => {
    for (const [index, values] of stepAnswers.entries()) {
      await expect(page.getByText(`Step ${index + 1}/5`)).toBeVisible();
      await expect(page.getByText('Field cannot be empty')).toHaveCount(0);
      // Specification, section 9.
      expect((await page.locator('form').boundingBox())?.width).toBeLessThanOrEqual(400);
      await goOn(page);
      await expect(page.getByText('Field cannot be empty')).toHaveCount(Object.keys(values).length);
      await expect(page.getByLabel(Object.keys(values)[0] ?? '', { exact: true })).toBeFocused();
      await goOn(page);
      await expect(page.getByText('Field cannot be empty')).toHaveCount(Object.keys(values).length);
      await fillStep(page, values);
      await expect(page.getByText('Field cannot be empty')).toHaveCount(0);
      await goOn(page);
    }
    await expect(page.getByRole('heading', { name: 'Profile Picture' })).toBeVisible();
    await page.getByRole('button', { name: 'Finish' }).click();
    await expect(page.getByText('Field cannot be empty')).toHaveCount(1);
    await expect(page.getByText('Step 5/5')).toBeVisible();
  },
);

test('phones keep the progress and the buttons in view, and neither covers the field with the focus', async ({
  page,
}) => {
  const buttons = page.locator('.wizard-bar');
  const progress = page.getByRole('complementary', { name: 'Progress' });
  for (const values of stepAnswers) {
    await page.evaluate(() => scrollTo(0, 0));
    await goOn(page);
    await expect(page.getByText('Field cannot be empty').first()).toBeVisible();
    const fields = page.locator('form .control');
    const order = [...(await fields.all()).entries()];
    // Down the form as with Tab, and back up.
    for (const [place] of [...order, ...order.toReversed()]) {
      await fields.nth(place).focus();
      const [box, above, below] = await Promise.all(
        [fields.nth(place), progress, buttons].map((part) => part.boundingBox()),
      );
      if (!box || !above || !below) throw new Error('The field, the progress or the buttons are not visible.');
      expect(box.y).toBeGreaterThanOrEqual(above.y + above.height);
      expect(box.y + box.height).toBeLessThanOrEqual(below.y);
      expect(above.y).toBe(0);
      expect(below.y + below.height).toBe(844);
    }
    await fillStep(page, values);
    await goOn(page);
  }
  // Where little would remain between them, they scroll with the page.
  await page.setViewportSize({ width: 640, height: 320 });
  await expect(page.getByRole('button', { name: 'Finish' })).not.toBeInViewport();
});

test(
  'Continue receives the click even when an error message appears above it',
  { tag: '@both' },
  async ({ page, isMobile }) => {
    const field = page.getByLabel('Last name');
    const button = page.getByRole('button', { name: 'Continue' });
    await expect(button).toBeEnabled();
    await field.click();
    const box = await button.boundingBox();
    if (!box) throw new Error('The button is not visible.');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    if (isMobile) await page.touchscreen.tap(x, y);
    else {
      await page.mouse.move(x, y);
      await page.mouse.down();
      await expect(field).not.toBeFocused();
      await page.mouse.up();
    }
    await expect(page.getByText('Field cannot be empty')).toHaveCount(4);
  },
);

test(
  'leaving an empty field by mouse or keyboard shows its error message',
  {
    tag: ['@desk', '@spec-5.1', '@spec-5.2'],
  },
  async ({ page }) => {
    const message = page.getByText('Field cannot be empty');
    await expect(page.getByRole('button', { name: 'Continue' })).toBeEnabled();
    await page.getByLabel('First name').click();
    await page.getByRole('heading', { name: 'Basic Information' }).click();
    await expect(message).toHaveCount(1);
    await page.getByLabel('Middle name').focus();
    await page.keyboard.press('Tab');
    await expect(message).toHaveCount(2);
    const title = page.getByLabel('Title');
    await title.focus();
    await page.keyboard.press('Tab');
    await expect(title).toHaveAttribute('aria-invalid', 'true');
    await title.selectOption('miss');
    await expect(title).toHaveAttribute('aria-invalid', 'false');
    // The next step shows no message while the user types.
    await fillStep(page, stepAnswers[0] ?? {});
    await goOn(page);
    const phone = page.getByLabel('Contact number');
    await phone.fill('x');
    await phone.fill('');
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done)));
    await expect(message).toHaveCount(0);
    await phone.blur();
    await expect(message).toHaveCount(1);
  },
);

test(
  'years before 1990 or in the future and a bio of 401 characters are rejected',
  { tag: ['@spec-5.22', '@spec-5.25', '@spec-5.26', '@spec-9.2'] },
  async ({ page }) => {
    for (const values of stepAnswers.slice(0, 2)) {
      await fillStep(page, values);
      await goOn(page);
    }
    await fillStep(page, {
      ...stepAnswers[2],
      'Year admitted': '1989',
      'Year graduated': String(new Date().getFullYear() + 1),
    });
    await goOn(page);
    await expect(page.getByText('Field cannot be empty')).toHaveCount(2);
    await fillStep(page, { 'Year admitted': '2015', 'Year graduated': '2014' });
    await goOn(page);
    const order = page.getByText('The year of graduation cannot be before the year of admission');
    await expect(order).toBeVisible();
    await fillStep(page, { 'Year admitted': '2014' });
    await expect(order).toBeHidden();
    await fillStep(page, { 'Year admitted': '1990', 'Year graduated': String(new Date().getFullYear()) });
    await goOn(page);
    await fillStep(page, { ...stepAnswers[3], 'Full bio': 'x'.repeat(401) });
    await expect(page.getByText('1 too many')).toBeVisible();
    await goOn(page);
    await expect(page.getByText('Field cannot be empty')).toHaveCount(1);
    await fillStep(page, { 'Full bio': 'x'.repeat(400) });
    await goOn(page);
    await expect(page.getByText('Step 5/5')).toBeVisible();
  },
);

test(
  'the URL cannot skip an invalid step, and Back, a reload and the browser’s Back keep all input',
  { tag: ['@spec-4.17', '@asvs-2.3.1'] },
  async ({ page }) => {
    const [first = {}, second = {}] = stepAnswers;
    await page.goto('/onboarding?step=4');
    await expect(page.getByText('Step 1/5')).toBeVisible();
    await fillStep(page, first);
    await goOn(page);
    await page.goto('/onboarding?step=99');
    await expect(page.getByText('Step 2/5')).toBeVisible();
    await fillStep(page, second);
    await goOn(page);
    await expect(page.getByText('Step 3/5')).toBeVisible();
    await page.getByLabel('Matric number').fill('half a num');
    await page.reload();
    await expect(page.getByText('Step 3/5')).toBeVisible();
    await expect(page.getByLabel('Matric number')).toHaveValue('half a num');
    await page.getByRole('button', { name: 'Back' }).click();
    await expect(page.getByLabel('Home address')).toHaveValue('12 Unity Close, Abẹ́òkúta');
    await expect(page.getByLabel('Gender')).toHaveValue('male');
    await page.getByRole('button', { name: 'Back' }).click();
    await expect(page.getByLabel('Middle name')).toHaveValue('Chidi');
    await expect(page.getByLabel('Title')).toHaveValue('mr.');
    await page.goBack();
    await expect(page.getByText('Step 2/5')).toBeVisible();
    await goOn(page);
    await expect(page.getByLabel('Matric number')).toHaveValue('half a num');
  },
);

test(
  'the date of birth has three boxes that keep what was typed and show one message when they are left',
  { tag: ['@desk', '@spec-3.4', '@spec-5.17'] },
  async ({ page }) => {
    const [first = {}, second = {}] = stepAnswers;
    await fillStep(page, first);
    await goOn(page);
    const date = page.getByRole('group', { name: 'Date of birth' });
    const box = (name: string) => date.getByRole('textbox', { name, exact: true });
    await expect(date).toHaveAccessibleDescription('For example 12 4 1993');
    await box('Day').fill('12');
    await page.keyboard.press('Tab');
    await expect(box('Month')).toBeFocused();
    await expect(date.getByText('Field cannot be empty')).toHaveCount(0);
    await page.keyboard.press('Tab');
    await expect(box('Year')).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(date.getByText('Field cannot be empty')).toHaveCount(1);
    await page.reload();
    await expect(box('Day')).toHaveValue('12');
    await fillStep(page, { ...second, 'Date of birth': '1993-02-30' });
    await goOn(page);
    await expect(box('Day')).toBeFocused();
    await expect(page.getByText('Field cannot be empty')).toHaveCount(1);
    // The name of a month is accepted.
    await box('Month').fill('April');
    await box('Day').fill('8');
    await expect(page.getByText('Field cannot be empty')).toHaveCount(0);
    await goOn(page);
    await expect(page.getByText('Step 3/5')).toBeVisible();
    await page.getByRole('button', { name: 'Back' }).click();
    await expect(box('Day')).toHaveValue('8');
    await expect(box('Month')).toHaveValue('4');
    await expect(box('Year')).toHaveValue('1993');
  },
);

test(
  '“I have none” is an answer to the required names, and no one sees it',
  { tag: ['@spec-5.15', '@spec-5.24'] },
  async ({ page }) => {
    const [first = {}, second = {}, third = {}, fourth = {}] = stepAnswers;
    const hasNone = page.getByRole('checkbox', { name: 'I have none Middle name' });
    const middleName = page.getByLabel('Middle name');
    await fillStep(page, first);
    await hasNone.check();
    await expect(middleName).toHaveValue('-');
    await expect(middleName).not.toBeEditable();
    await hasNone.uncheck();
    await expect(middleName).toHaveValue('Chidi');
    await expect(middleName).toBeEditable();
    await fillStep(page, { 'Middle name': '' });
    await goOn(page);
    await expect(page.getByText('Field cannot be empty')).toHaveCount(1);
    await hasNone.check();
    await expect(page.getByText('Field cannot be empty')).toHaveCount(0);
    await page.reload();
    await expect(hasNone).toBeChecked();
    for (const values of [second, third]) {
      await goOn(page);
      await fillStep(page, values);
    }
    await goOn(page);
    const { 'X handle': _, ...others } = fourth;
    await fillStep(page, others);
    await page.getByRole('checkbox', { name: 'I have none X handle' }).check();
    await goOn(page);
    await page
      .getByLabel('Profile picture')
      .setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photo() });
    await page.getByRole('button', { name: 'Finish' }).click();
    await expect(page).toHaveURL('/');
    await page.goto('/myprofile');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Ọládélé Abíọ́dún/u);
    await expect(page.getByRole('link', { name: 'ola.abi' })).toBeVisible();
    await expect(page.locator('a[href^="https://x.com"]')).toHaveCount(0);
  },
);

test(
  'wide screens preview the card while the user types',
  {
    tag: ['@desk', '@spec-5.29', '@spec-9.9'],
  },
  async ({ page }) => {
    const preview = page.getByText('Your card, as members see it').locator('..');
    await fillStep(page, stepAnswers[0] ?? {});
    await expect(preview).toContainText('Abíọ́dún');
    await page.getByLabel('I have none').check();
    await expect(preview).not.toContainText('Chidi');
    await goOn(page);
    await fillStep(page, stepAnswers[1] ?? {});
    await goOn(page);
    await fillStep(page, stepAnswers[2] ?? {});
    await expect(preview).toContainText('Computer Science');
    await expect(preview).toContainText('2015');
    await expect(preview.getByText('20110294001', { exact: true })).toBeVisible();
    // The card is a picture: neither the keyboard nor a screen reader gets to its link.
    await expect(page.getByRole('link', { name: 'Abíọ́dún' })).toHaveCount(0);
    await goOn(page);
    await fillStep(page, stepAnswers[3] ?? {});
    await goOn(page);
    const picture = preview.locator('img');
    await expect(picture).toHaveCount(0);
    await page
      .getByLabel('Profile picture')
      .setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photo() });
    await expect(picture).toBeVisible();
    await page.getByRole('button', { name: 'Remove image' }).click();
    await expect(picture).toHaveCount(0);
  },
);

test(
  'the picture step accepts images only, crops them, and restores them after a reload',
  { tag: ['@spec-5.26', '@spec-5.27', '@spec-5.28', '@spec-5.29'] },
  async ({ page }) => {
    for (const values of stepAnswers) {
      await fillStep(page, values);
      await goOn(page);
    }
    const input = page.getByLabel('Profile picture');
    for (const [name, mimeType] of [
      ['letter.pdf', 'application/pdf'],
      ['me.txt', 'text/plain'],
    ] as const) {
      await input.setInputFiles({ name, mimeType, buffer: await photo() });
      await expect(input).toHaveAccessibleDescription(/Field cannot be empty$/u);
      await expect(page.getByRole('slider', { name: 'Zoom' })).toHaveCount(0);
      // The message belongs to the rule, not to a missing picture.
      await page.reload();
      await expect(page.getByText('Field cannot be empty')).toHaveCount(0);
    }
    await input.setInputFiles({ name: 'broken.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('not a picture') });
    await expect(page.getByText('could not be opened')).toBeVisible();
    await input.setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photo() });
    await expect(page.getByText('could not be opened')).toBeHidden();
    await expect(page.getByRole('slider', { name: 'Zoom' })).toBeVisible();
    await input.setInputFiles({ name: 'broken.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('not a picture') });
    await expect(page.getByText('could not be opened')).toBeVisible();
    await expect(page.getByRole('slider', { name: 'Zoom' })).toBeVisible();
    await page.getByRole('button', { name: 'Remove image' }).click();
    await expect(page.getByRole('slider', { name: 'Zoom' })).toBeHidden();
    await page.getByRole('button', { name: 'Finish' }).click();
    await expect(page.getByText('Field cannot be empty')).toBeVisible();
    await input.setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photo() });
    await page.getByRole('slider', { name: 'Zoom' }).fill('2');
    await page.reload();
    const preview = page.getByRole('img', { name: 'Your portrait' });
    await expect(preview).toBeVisible();
    await page.getByRole('button', { name: 'Remove image' }).click();
    await expect(preview).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Remove image' })).toHaveCount(0);
    await input.setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photo() });
    await page.getByRole('button', { name: 'Finish' }).click();
    await expect(page).toHaveURL('/');
  },
);

test(
  'a failed save shows an error and keeps the input, and after a successful one the onboarding redirects to the dashboard',
  { tag: ['@spec-2.40', '@spec-4.20', '@spec-8.11', '@spec-8.12'] },
  async ({ page }) => {
    for (const values of stepAnswers) {
      await fillStep(page, values);
      await goOn(page);
    }
    await page
      .getByLabel('Profile picture')
      .setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photo() });
    await page.route('**/api/users/*', (route) => route.abort());
    await page.getByRole('button', { name: 'Finish' }).click();
    await expect(toast(page, /^Error saving data$/u)).toBeVisible();
    await expect(page.getByText('Check your connection and try again (auth/network-request-failed)')).toBeVisible();
    await expect(page.getByText('Step 5/5')).toBeVisible();
    await page.unroute('**/api/users/*');
    await toast(page, /^Error saving data$/u)
      .getByRole('button', { name: 'close' })
      .click();
    await expect(toast(page, /^Error saving data$/u)).toHaveCount(0);
    const refuse = async ({ body }: ProblemError) => {
      await page.unroute('**/api/users/*');
      await page.route('**/api/users/*', (route) =>
        route.fulfill({ status: body.status, contentType: 'application/problem+json', body: JSON.stringify(body) }),
      );
      await page.getByRole('button', { name: 'Finish' }).click();
    };
    await test.step('the disk of the server is full', async () => {
      await refuse(new ProblemError('insufficient-storage'));
      await expect(
        page.getByRole('alert').getByText('The server is out of disk space for pictures and other files'),
      ).toBeVisible();
      await page.reload();
      await expect(page.getByRole('img', { name: 'Your portrait' })).toBeVisible();
    });
    await test.step('the server refuses the picture', async () => {
      await refuse(new ProblemError('not-an-image', { errors: [{ pointer: '/imgURL', message: 'Not readable' }] }));
      await expect(toast(page, /^Error saving data$/u)).toBeVisible();
    });
    await page.unroute('**/api/users/*');
    await page.getByRole('button', { name: 'Finish' }).click();
    await expect(toast(page, 'Data successfully saved')).toBeVisible();
    await expect(page).toHaveURL('/');
    // The browser's storage keeps no input.
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(
      'Unity Close',
    );
    await page.goto('/onboarding');
    await expect(page, 'a member is redirected away').toHaveURL('/');
  },
);

const readStorage = (page: Page) => page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));

async function begin(page: Page): Promise<void> {
  await fillStep(page, stepAnswers[0] ?? {});
  await goOn(page);
  await fillStep(page, { 'Home address': '12 Unity Close' });
  expect(await readStorage(page)).toContain('Unity Close');
}

test(
  'the input of an unfinished onboarding is kept when the tab is closed, for seven days, and deleted on sign-out',
  { tag: '@asvs-14.3.3' },
  async ({ page: closed, context }) => {
    await begin(closed);
    const page = await context.newPage();
    await closed.close();
    await page.goto('/');
    await page.getByRole('link', { name: 'Complete your profile' }).click();
    await expect(page.getByLabel('Last name')).toHaveValue('Abíọ́dún');
    await page.getByRole('link', { name: 'Continue later' }).click();
    await expect(page).toHaveURL('/');
    await logOut(page);
    expect(await readStorage(page)).not.toContain('Unity Close');

    const draft = { savedAt: Date.now() - 8 * 24 * 60 * 60 * 1000, path: '/onboarding', values: '9 Expired Close' };
    await page.evaluate((value) => localStorage.setItem('onboarding:someone', value), JSON.stringify(draft));
    await page.reload();
    await expect.poll(() => readStorage(page)).not.toContain('Expired Close');
  },
);

test('the input of an unfinished onboarding is deleted when another account signs in', async ({ page }) => {
  await begin(page);
  await page.context().clearCookies();
  await startSession(page);
  await page.goto('/');
  await expect.poll(() => readStorage(page)).not.toContain('Unity Close');
});

test('an account without a profile can download its data, and delete itself', async ({ page }) => {
  await page.getByRole('link', { name: 'Your account' }).click();
  await expect(page.getByRole('heading', { name: 'Your account' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Download my data' })).toBeVisible();
  await expect(page.getByText('This device')).toBeVisible();
  await expectAccessible(page);
  const { email } = await getCurrentUser(page);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await page.getByRole('button', { name: 'Yes, delete it' }).click();
  await expect(toast(page, 'Your account was deleted')).toBeVisible();
  await expect(page).toHaveURL('/home');
});

test(
  'signing out in another tab redirects to /login and deletes the stored input',
  { tag: ['@spec-2.38', '@asvs-14.3.1'] },
  async ({ page, context }) => {
    await begin(page);
    const second = await context.newPage();
    await second.goto('/');
    await logOut(second);
    await expect(page).toHaveURL(/\/login/u);
    await expect.poll(() => readStorage(page)).not.toContain('Unity Close');
  },
);

test('the centre of the picture is used when the cropper fails to load', { tag: '@release' }, async ({ page }) => {
  for (const values of stepAnswers) {
    await fillStep(page, values);
    await goOn(page);
  }
  await page.route('**/assets/picture-cropper*.js', (route) => route.abort());
  await page
    .getByLabel('Profile picture')
    .setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photo() });
  await expect(page.getByRole('alert')).toHaveText(/ERROR: Failed to fetch data/u);
  await expect(page.getByRole('img', { name: 'Your portrait' })).toBeVisible();
  await page.getByRole('button', { name: 'Finish' }).click();
  await expect(page).toHaveURL('/');
});

test(
  'a second onboarding on another device does not overwrite the first profile',
  { tag: ['@desk', '@release'] },
  async ({ page, server }) => {
    const { email } = await getCurrentUser(page);
    const other = await openOtherBrowser(page, server);
    await startSession(other.page, email, password);
    await other.page.goto('/onboarding');
    for (const values of stepAnswers) {
      await fillStep(other.page, values);
      await goOn(other.page);
    }
    await other.page
      .getByLabel('Profile picture')
      .setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photo() });
    await completeProfile(page);
    await page.goto('/settings?section=information');
    await page.getByLabel('Short bio').fill('Newer than the other device');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, 'Data successfully saved')).toBeVisible();

    await other.page.getByRole('button', { name: 'Finish' }).click();
    await expect(other.page.getByText('Your profile was completed in another tab or on another device.')).toBeVisible();
    await other.page.getByRole('link', { name: 'Edit your profile in the settings' }).click();
    await expect(other.page.getByLabel('Short bio')).toHaveValue('Newer than the other device');
    await other.context.close();
  },
);

/** Returns the birthday of a person who reaches the age today. */
const getDobAtAge = (years: number) => getLatestDob(years, new Date()).replace('-02-29', '-02-28');

test(
  'people under 16 cannot finish the onboarding, and only members can see profiles of people under 18',
  { tag: '@desk' },
  async ({ page }) => {
    const [first = {}, second = {}, ...others] = stepAnswers;
    await fillStep(page, first);
    await goOn(page);
    await fillStep(page, { ...second, 'Date of birth': getDobAtAge(15) });
    await goOn(page);
    await expect(page.getByText('You must be 16 or older to have a profile here')).toBeVisible();
    await expect(page.getByText('Step 2/5')).toBeVisible();
    await fillStep(page, { 'Date of birth': getDobAtAge(17) });
    await goOn(page);
    for (const values of others) {
      await fillStep(page, values);
      await goOn(page);
    }
    await page
      .getByLabel('Profile picture')
      .setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photo() });
    await page.getByRole('button', { name: 'Finish' }).click();
    await expect(page).toHaveURL('/');
    await page.goto('/settings?section=privacy');
    await expect(page.getByText('Until you are 18, only members see your profile')).toBeVisible();
  },
);
