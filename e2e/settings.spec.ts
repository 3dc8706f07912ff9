import type { Page } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import {
  announceSessionChange,
  expect,
  fillDate,
  fillStep,
  followLink,
  holdRequests,
  createMember,
  createAddress,
  openOtherBrowser,
  password,
  photo,
  startSession,
  test,
  toast,
  getCurrentUser,
  expectAtEverySize,
} from './fixtures.ts';

const information = '/settings?section=information';

test.beforeEach(async ({ page, server }) => {
  await createMember(page, server);
});

test(
  'the specified form is at /settings at every size, with a menu above or beside it that ends with Delete Account',
  { tag: ['@spec-1.11', '@spec-2.46', '@spec-2.47'] },
  async ({ page }) => {
    const { email } = await getCurrentUser(page);
    for (const size of [
      { width: 390, height: 844 },
      { width: 820, height: 1180 },
      { width: 1440, height: 900 },
    ]) {
      await page.setViewportSize(size);
      await page.goto('/settings');
      const menu = page.getByRole('navigation', { name: 'Settings' });
      const links = menu.getByRole('link');
      const sections = await links.allTextContents();
      expect([...sections.slice(0, 2), sections.at(-1)]).toEqual(['Edit Information', 'Security', 'Delete Account']);
      await expect(links.first()).toHaveAttribute('aria-current', 'page');
      const save = page.getByRole('button', { name: 'Save', exact: true });
      for (const control of [
        page.getByLabel('Email', { exact: true }),
        page.getByLabel('Matric number', { exact: true }),
        page.getByLabel('Last name', { exact: true }),
        save,
      ])
        await expect(control).toBeVisible();
      await expect(save).toBeEnabled();
      await expect(page.getByLabel('Email', { exact: true })).toHaveValue(email);
      await expect(page.getByLabel('Matric number', { exact: true })).toHaveValue('20110294001X');
      const [left, form] = [await menu.boundingBox(), await page.locator('form', { has: save }).boundingBox()];
      if (!left || !form) throw new Error('The menu or the form is not visible.');
      if (size.width < 1024) expect(left.y + left.height).toBeLessThan(form.y);
      else expect(left.x + left.width).toBeLessThan(form.x);
      // The form starts on the first screen.
      expect(form.y).toBeLessThan(size.height / 2);
      for (const name of ['Security', 'Delete Account', 'Edit Information']) {
        await menu.getByRole('link', { name }).click();
        await expect(menu.getByRole('link', { name })).toHaveAttribute('aria-current', 'page');
        const title = page.getByRole('heading', { level: 1 });
        await expect(title).toHaveText(name);
        expect((await title.boundingBox())?.height, name).toBeGreaterThan(20);
      }
    }
  },
);

test(
  'who sees a field is chosen at the right edge of the page’s lines',
  { tag: ['@desk', '@release'] },
  async ({ page }) => {
    for (const path of ['/settings', '/settings?section=career', '/settings?section=privacy'])
      for (const width of [820, 1440, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(path);
        const selects = page.locator('fieldset label select:visible').filter({ hasText: 'Only me' });
        await expect(selects.first()).toBeVisible();
        const rightEdges = await selects.evaluateAll((controls) =>
          controls.map((control) => {
            const line = control.closest('section')?.getBoundingClientRect().right ?? 0;
            const icon = control.parentElement?.lastElementChild?.getBoundingClientRect().right ?? 0;
            return Math.round(line - icon);
          }),
        );
        expect(new Set(rightEdges), `${path} at ${width} px`).toEqual(new Set([0]));
      }
  },
);

test('on small screens, the menu shows all sections, also without scripts', async ({ page, browser, server }) => {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    baseURL: server.url,
    storageState: await page.context().storageState(),
  });
  const plain = await context.newPage();
  for (const width of [320, 390, 820]) {
    await plain.setViewportSize({ width, height: 844 });
    await plain.goto('/settings?section=delete');
    const links = plain.getByRole('navigation', { name: 'Settings' }).getByRole('link');
    for (const link of await links.all()) {
      await expect(link).toBeInViewport({ ratio: 1 });
      expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
  }
  await plain.getByRole('link', { name: 'Appearance' }).click();
  await expect(plain).toHaveURL(/section=appearance/u);
  await context.close();
});

test(
  'Save stands at the end of the form and follows with the first change, which Discard takes back',
  { tag: '@desk' },
  async ({ page }) => {
    await page.goto(information);
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await expect(save).toBeEnabled();
    await expect(save).not.toBeInViewport();
    await page.getByLabel('First name').fill('Other');
    await expect(page.getByText('1 change', { exact: true })).toBeInViewport();
    await expect(save).toBeInViewport();
    await getAudienceSelect(page, 'Interest').selectOption('me');
    await expect(page.getByText('2 changes', { exact: true })).toBeVisible();
    await page.getByLabel('First name').fill('Ọládélé');
    await expect(page.getByText('1 change', { exact: true })).toBeVisible();
    await fillDate(page.getByRole('group', { name: 'Date of birth' }), '1993-09-08');
    await expect(page.getByText('2 changes', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect(save).toBeFocused();
    await expect(page.getByText(/^\d changes?$/u)).toHaveCount(0);
    await expect(page.getByLabel('Month')).toHaveValue('4');
    await expect(getAudienceSelect(page, 'Interest')).toHaveValue('everyone');
  },
);

/** Returns the colours of the browser's own bars, and of the header below them, as RGB. */
const readBarColors = (page: Page) =>
  page.evaluate(() => {
    const toRgb = (color: string) => {
      const canvas = document.createElement('canvas').getContext('2d');
      if (!canvas) throw new Error('The browser has no canvas.');
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).join(' ');
    };
    const metas = [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')];
    const meta = metas.find(({ media }) => matchMedia(media).matches);
    const header = document.querySelector('header');
    if (!meta || !header) throw new Error('The page has no theme colour or no header.');
    return { bar: toRgb(meta.content), header: toRgb(getComputedStyle(header).backgroundColor) };
  });

test('Appearance sets the theme immediately, for this browser', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/settings?section=appearance');
  await expect(page.getByLabel('Same as device')).toBeChecked();
  const light = await readBarColors(page);
  expect(light.bar).toBe(light.header);
  await page.getByLabel('Dark').check();
  const dark = await readBarColors(page);
  expect(dark.header).not.toBe(light.header);
  expect(dark.bar).toBe(dark.header);

  const response = await page.goto('/');
  // The server renders the theme, so that the page does not flash.
  expect(await response?.text()).toContain('<html lang="en" data-theme="dark">');
  expect(await readBarColors(page)).toEqual(dark);
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('html')).toHaveCSS('color-scheme', 'light');
  await page.emulateMedia({ media: 'screen' });

  await page.goto('/settings?section=appearance');
  await expect(page.getByLabel('Dark')).toBeChecked();
  await page.getByLabel('Same as device').check();
  expect(await readBarColors(page)).toEqual(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await readBarColors(page)).toEqual(dark);
  await page.getByLabel('Light').check();
  expect(await readBarColors(page)).toEqual(light);

  await page.goto('/settings?section=security');
  await expect(page.getByRole('button', { name: 'Change password' })).toBeVisible();
  const transitions = await page.evaluate(() => {
    document.documentElement.dataset['theme'] = 'dark';
    return document.getAnimations().length;
  });
  expect(transitions).toBe(0);
});

const getAudienceSelect = (page: Page, label: string) =>
  page
    .locator('div', { has: page.getByText(label, { exact: true }) })
    .last()
    .getByLabel('Visible to');

test(
  'Edit Information changes every field and its audience',
  { tag: ['@spec-1.11', '@spec-2.48', '@spec-5.32'] },
  async ({ page, server }) => {
    await page.goto(information);
    await expect(page.getByLabel('Last name')).toHaveValue('Abíọ́dún');
    await page.getByLabel('Last name').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Field cannot be empty')).toBeVisible();
    await expect(page.getByLabel('Last name')).toBeFocused();
    await page.getByLabel('Last name').fill('Newname');
    await page.getByLabel('Year graduated').fill('2010');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('The year of graduation cannot be before the year of admission')).toBeVisible();
    const changed = {
      Title: 'mrs.',
      'First name': 'Adé',
      'Middle name': 'Bólá',
      'Last name': 'Newname',
      'Contact number': '+234 809 999 0000',
      'Date of birth': '1984-02-29',
      Gender: 'female',
      'Home address': '1 New Street',
      'Matric number': '19999999999Z',
      College: 'COHUM',
      Department: 'Physics',
      Program: 'B.Ed',
      'Year admitted': '2012',
      'Year graduated': '2016',
      Interest: 'Choir',
      'Short bio': 'New bio',
      'Full bio': 'New full bio',
      'X handle': 'newx',
      'Facebook name': 'new.facebook',
      'LinkedIn name': 'new-linkedin',
    };
    await fillStep(page, { ...changed, Department: 'physics' });
    const portrait = page.getByRole('banner').locator('img');
    const picture = (await portrait.getAttribute('src')) ?? '';
    await page
      .getByLabel('Profile picture')
      .setInputFiles({ name: 'new.jpg', mimeType: 'image/jpeg', buffer: await photo() });
    await expect(page.getByRole('slider', { name: 'Zoom' })).toBeVisible();
    // The interest can be limited to the owner. The contact number cannot be shown to everyone.
    await getAudienceSelect(page, 'Interest').selectOption('me');
    await expect(getAudienceSelect(page, 'Contact number').locator('option')).toHaveText(['Members', 'Only me']);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, 'Data successfully saved')).toBeVisible();
    await expect(page.getByRole('banner')).toContainText('Newname');
    await page.reload();
    for (const [label, value] of Object.entries(changed)) {
      const control = page.getByLabel(label, { exact: true });
      if (label !== 'Date of birth') await expect(control).toHaveValue(value);
      else
        expect(
          await control
            .getByRole('textbox')
            .evaluateAll((boxes) => boxes.map((box) => Number((box as HTMLInputElement).value))),
        ).toEqual(value.split('-').map(Number).toReversed());
    }
    await expect(portrait).not.toHaveAttribute('src', picture);
    await expect(getAudienceSelect(page, 'Interest')).toHaveValue('me');

    await page.goto('/myprofile');
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Newname');
    // The note beside the interest.
    await expect(page.getByText('Only you')).toBeVisible();
    await page.goto('/myprofile?as=members');
    await expect(page.getByRole('main')).not.toContainText('Choir');
    const { uid } = await getCurrentUser(page);
    const other = await openOtherBrowser(page, server);
    await startSession(other.page);
    await other.page.goto(`/user/${uid}`);
    await expect(other.page.getByRole('main')).toContainText('Physics');
    await expect(other.page.getByRole('main')).not.toContainText('Choir');
    await other.context.close();
  },
);

test('other names are searchable for members until removed, and “I have none” can be chosen and taken back', async ({
  page,
  server,
}) => {
  await page.goto(information);
  const hasNone = page.getByRole('checkbox', { name: 'I have none Facebook name' });
  const name = `Maiden${createAddress().replaceAll(/\D/gu, '')}x`;
  await page.getByLabel('Other names').fill(name);
  await hasNone.check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(toast(page, 'Data successfully saved')).toBeVisible();
  await page.goto('/myprofile');
  await expect(page.getByText(name)).toBeVisible();
  await page.goto(`/search?q=${name}`);
  await expect(page.getByRole('main').getByText(`Also known as ${name}`)).toBeVisible();
  const guest = await openOtherBrowser(page, server);
  await guest.page.goto(`/search?q=${name}`);
  await expect(guest.page.getByText('No people found')).toBeVisible();
  await guest.context.close();
  await page.goto(information);
  await expect(hasNone).toBeChecked();
  await expect(page.getByLabel('Facebook name')).toHaveValue('-');
  await hasNone.uncheck();
  await page.getByLabel('Facebook name').fill('back.again');
  await page.getByLabel('Other names').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(toast(page, 'Data successfully saved')).toBeVisible();
  await page.reload();
  await expect(hasNone).not.toBeChecked();
  await page.goto('/myprofile');
  await expect(page.getByText(name)).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'back.again' })).toBeVisible();
});

test('an outdated page does not overwrite an audience that was chosen elsewhere', async ({ page, context }) => {
  const chooseAndSave = async (tab: Page, audience: string) => {
    await getAudienceSelect(tab, 'Contact number').selectOption(audience);
    await tab.getByRole('button', { name: 'Save' }).click();
    await expect(toast(tab, 'Data successfully saved')).toBeVisible();
  };
  await page.goto(information);
  await chooseAndSave(page, 'members');
  const later = await context.newPage();
  await later.goto(information);
  await chooseAndSave(later, 'me');
  await later.close();
  await page.getByLabel('Short bio').fill('Written in the page that was open');
  // The first request fails because its version is outdated. The second one saves the merged profile.
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT' && response.ok());
  await page.getByRole('button', { name: 'Save' }).click();
  await saved;
  await expect(getAudienceSelect(page, 'Contact number')).toHaveValue('me');
  await page.reload();
  await expect(page.getByLabel('Short bio')).toHaveValue('Written in the page that was open');
  await expect(getAudienceSelect(page, 'Contact number')).toHaveValue('me');
});

async function saveInAnotherTab(page: Page, change: (tab: Page) => Promise<unknown>): Promise<void> {
  const tab = await page.context().newPage();
  await tab.goto(information);
  await expect(tab.getByLabel('Short bio')).toHaveValue('Teacher in Lagos');
  await change(tab);
  await tab.getByRole('button', { name: 'Save' }).click();
  await expect(toast(tab, 'Data successfully saved')).toBeVisible();
  await tab.close();
}

test(
  'saving an outdated tab keeps newer values of fields that it did not change',
  { tag: '@desk' },
  async ({ page }) => {
    await page.goto(information);
    await page.getByLabel('Short bio').fill('Typed in the older tab');
    await saveInAnotherTab(page, async (tab) => {
      await tab.getByLabel('Interest').fill('Saved in the newer tab');
      await tab.getByRole('button', { name: 'Remove image' }).click();
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, 'Data successfully saved')).toBeVisible();
    await expect(page.getByLabel('Interest')).toHaveValue('Saved in the newer tab');
    await page.reload();
    await expect(page.getByLabel('Short bio')).toHaveValue('Typed in the older tab');
    await expect(page.getByLabel('Interest')).toHaveValue('Saved in the newer tab');
    await expect(page.getByRole('img', { name: 'Your portrait' })).toHaveCount(0);
  },
);

test('a field changed in two tabs shows both values to choose from', { tag: '@desk' }, async ({ page }) => {
  await page.goto(information);
  await page.getByLabel('Short bio').fill('Typed in the older tab');
  await page.getByLabel('Interest').fill('Older interest');
  await getAudienceSelect(page, 'Interest').selectOption('members');
  await saveInAnotherTab(page, async (tab) => {
    await tab.getByLabel('Short bio').fill('Saved in the newer tab');
    await tab.getByLabel('Interest').fill('Newer interest');
    await getAudienceSelect(tab, 'Interest').selectOption('me');
  });
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your profile was changed elsewhere' });
  await expect(dialog).toBeVisible();
  await expectAccessible(page);
  const choices = (name: string) => dialog.getByRole('group', { name, exact: true });
  await expect(choices('Short bio').getByLabel('Saved in the newer tab')).not.toBeChecked();
  await expect(choices('Interest, visible to').getByLabel('From this page: Members')).toBeChecked();
  await choices('Interest').getByLabel('Newer interest').check();
  await choices('Interest, visible to').getByLabel('Only me').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(toast(page, 'Data successfully saved')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Short bio')).toHaveValue('Typed in the older tab');
  await expect(page.getByLabel('Interest')).toHaveValue('Newer interest');
  await expect(getAudienceSelect(page, 'Interest')).toHaveValue('me');
});

test(
  'input is kept when the page’s data are reloaded, and when a save fails',
  { tag: '@spec-5.32' },
  async ({ page }) => {
    await page.goto(information);
    await expect(page.getByLabel('Short bio')).toHaveValue('Teacher in Lagos');
    await page.getByLabel('Short bio').fill('Half a sent');
    // After the second reload, the result of the first one is rendered.
    for (let time = 0; time < 2; time++) {
      const loaded = page.waitForResponse('**/document');
      await announceSessionChange(page);
      await loaded;
    }
    await expect(page.getByLabel('Short bio')).toHaveValue('Half a sent');
    await page.getByLabel('Short bio').fill('Teacher in Ìbàdàn');
    await page.route('**/api/users/*', (route) => route.abort());
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, 'Error saving data')).toBeVisible();
    await expect(page.getByLabel('Short bio')).toHaveValue('Teacher in Ìbàdàn');
  },
);

test('an unreadable file keeps the current picture, and Remove image deletes it', async ({ page }) => {
  await page.goto(information);
  const portrait = page.getByRole('img', { name: 'Your portrait' });
  await expect(portrait).toBeVisible();
  await page
    .getByLabel('Profile picture')
    .setInputFiles({ name: 'broken.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('not a picture') });
  await expect(page.getByText('could not be opened')).toBeVisible();
  await expect(portrait).toBeVisible();
  await page.getByRole('button', { name: 'Remove image' }).click();
  await expect(page.getByText('could not be opened')).toBeHidden();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(toast(page, 'Data successfully saved')).toBeVisible();
  await expect(page.locator('#menu img')).toHaveCount(0);
  await page.reload();
  await expect(page.getByLabel('Last name')).toHaveValue('Abíọ́dún');
  await expect(portrait).toHaveCount(0);
});

test(
  'a new address needs the password and a verification, and can be reverted from the old mailbox',
  { tag: ['@spec-2.29', '@spec-2.33', '@spec-2.49', '@spec-8.19'] },
  async ({ page, server }) => {
    const before = (await getCurrentUser(page)).email;
    const after = createAddress();
    await page.goto(information);
    await expect(page.getByLabel('Email', { exact: true })).toHaveValue(before);
    await page.getByLabel('Email', { exact: true }).fill(after);
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change my email' });
    await expect(dialog.getByLabel('Email')).toHaveValue(after);
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, `We have sent a link to ${after}`)).toBeVisible();
    await followLink(page, server.inbox, after, 'Confirm your new email address');
    await expect(toast(page, 'Email Changed Successfully')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();
    await page.goto('/settings?section=security');
    await expect(page.getByText(`Your address is ${after}`)).toBeVisible();

    const owner = await openOtherBrowser(page, server);
    await followLink(owner.page, server.inbox, before, 'Your email address was changed');
    await expect(owner.page).toHaveURL(/\/recover-email\?actionCode=/u);
    await owner.page.getByRole('button', { name: 'Restore my email address' }).click();
    await expect(owner.page.getByRole('heading', { name: 'Your email address is restored' })).toBeVisible();
    await expect(owner.page.getByText(before)).toBeVisible();
    await expect(owner.page.getByText('You are signed out on all devices')).toBeVisible();
    await expect(owner.page.getByRole('link', { name: 'Reset password' })).toHaveAttribute('href', '/reset-password');
    await followLink(owner.page, server.inbox, before, 'Choose a new password');
    await expect(owner.page.getByLabel('New password')).toBeVisible();
    await owner.context.close();
    // All sessions have ended, including this one.
    await page.goto(information);
    await expect(page).toHaveURL(/\/login/u);
  },
);

test(
  'Security changes the password and ends unknown sessions',
  { tag: ['@spec-1.11', '@spec-2.49', '@spec-7.12', '@spec-8.9', '@asvs-6.2.2', '@asvs-6.2.3'] },
  async ({ page, server }) => {
    const { email } = await getCurrentUser(page);
    const other = await openOtherBrowser(page, server);
    await startSession(other.page, email, password);
    await page.goto('/settings?section=security');
    await expect(page.getByText('This device')).toBeVisible();
    await page.getByRole('button', { name: 'End session', exact: true }).click();
    await expect(page.getByRole('button', { name: 'End session', exact: true })).toBeHidden();
    await other.page.goto(information);
    await expect(other.page).toHaveURL(/\/login/u);
    await other.context.close();

    const form = page.locator('form', { has: page.getByRole('button', { name: 'Change password' }) });
    await form.getByLabel('Current password').fill('not this one');
    await form.getByLabel('New password').fill('a word that is new');
    await form.getByLabel('Confirm password').fill('a word that is new');
    await form.getByRole('button', { name: 'Change password' }).click();
    await expect(page.getByText('Wrong password')).toBeVisible();
    await expect(toast(page, /^Error changing password$/u)).toBeVisible();
    await form.getByLabel('Current password').fill(password);
    await form.getByRole('button', { name: 'Change password' }).click();
    await expect(toast(page, /^Password changed successfully$/u)).toBeVisible();
    await startSession(page, email, 'a word that is new');
  },
);

test(
  'Delete Account needs the address, the password and a confirmation, and is permanent',
  { tag: ['@spec-1.11', '@spec-2.50'] },
  async ({ page, server }) => {
    const { uid, email } = await getCurrentUser(page);
    await page.goto('/settings?section=delete');
    await expectAtEverySize(page, page.getByLabel('Email'), page.getByText('Delete my account'));
    await page.getByLabel('Email').fill('somebody.else@mail.example');
    await page.getByLabel('Current password').fill(password);
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await expect(page.getByText('This is not the address of your account')).toBeVisible();
    await page.getByLabel('Email').fill(` ${email.toUpperCase()} `);
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('button', { name: 'Yes, delete it' }).click();
    await expect(page).toHaveURL('/home');
    await server.inbox.next(email, 'Your account was deleted');
    expect((await page.goto(`/user/${uid}`))?.status()).toBe(404);
    await page.goto('/login');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(toast(page, '(auth/invalid-credential)')).toBeVisible();
  },
);

test(
  'Delete Account hides the profile while the deletion can still be cancelled from the old mailbox',
  { tag: '@desk' },
  async ({ page, server }) => {
    const { uid, email: before } = await getCurrentUser(page);
    const after = createAddress();
    await page.goto(information);
    await page.getByLabel('Email', { exact: true }).fill(after);
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change my email' });
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await followLink(page, server.inbox, after, 'Confirm your new email address');
    await expect(page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();

    await page.goto('/settings?section=delete');
    await expect(page.getByText('a link that we send to your old address can restore it')).toBeVisible();
    await page.getByLabel('Email').fill(after);
    await page.getByLabel('Current password').fill(password);
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('button', { name: 'Yes, delete it' }).click();
    await expect(toast(page, 'Your profile is hidden. Your account will be deleted on')).toBeVisible();
    await expect(page).toHaveURL('/home');
    expect((await page.goto(`/user/${uid}`))?.status()).toBe(404);

    await followLink(page, server.inbox, before, 'Your account will be deleted');
    await expect(page.getByText('If the account is scheduled for deletion, the deletion is cancelled.')).toBeVisible();
    await page.getByRole('button', { name: 'Restore my email address' }).click();
    await expect(page.getByRole('heading', { name: 'Your email address is restored' })).toBeVisible();
    expect((await page.goto(`/user/${uid}`))?.status()).toBe(200);
  },
);

test(
  'Security checks a new password against the policy while it is typed, and its confirmation again when it changes',
  { tag: ['@spec-2.49', '@spec-5.36'] },
  async ({ page }) => {
    const { email } = await getCurrentUser(page);
    await page.goto('/settings?section=security');
    const form = page.locator('form', { has: page.getByRole('button', { name: 'Change password' }) });
    const typed = form.getByLabel('New password');
    const rule = (text: string) => form.getByRole('listitem').filter({ hasText: text });
    await expect(form.getByRole('listitem')).toHaveText([
      '6 to 100 characters',
      'Not a common password',
      'Not your email address',
    ]);
    await typed.fill('short');
    await expect(rule('6 to 100')).toContainText('not met');
    await typed.fill('password123');
    await expect(rule('6 to 100')).toContainText(': met');
    await expect(rule('common password')).toContainText('not met');
    await typed.fill(email);
    await expect(rule('common password')).toContainText(': met');
    await expect(rule('email address')).toContainText('not met');
    await typed.fill('a word that is new');
    await expect(rule('email address')).toContainText(': met');
    await expect(form.getByRole('status')).toHaveText('');
    const mismatch = page.getByText('Passwords does not match');
    await form.getByLabel('Confirm password').fill('a word that is new');
    await typed.fill('a word that is newer');
    await expect(mismatch).toBeVisible();
    await typed.fill('a word that is new');
    await expect(mismatch).toHaveCount(0);

    // A late response about an earlier value is ignored.
    const release = await holdRequests(page, '**/api/identity/password-status');
    const asked = page.waitForRequest('**/api/identity/password-status');
    await typed.fill('password123');
    await asked;
    await page.unroute('**/api/identity/password-status');
    await typed.fill('a word that is newer');
    await page.waitForResponse('**/api/identity/password-status');
    release();
    await expect(rule('common password')).toContainText(': met');
    // While the server is unreachable, only the length is checked.
    await page.route('**/api/identity/password-status', (route) => route.abort());
    await typed.fill('five5');
    await expect(rule('6 to 100')).toContainText('not met');
  },
);

test('a sign-in in another browser is reported with the name of the browser, and “Sign out everywhere else” ends it', async ({
  page,
  server,
}) => {
  const { email } = await getCurrentUser(page);
  const other = await openOtherBrowser(page, server);
  await startSession(other.page, email, password);
  await page.goto('/notification');
  await expect(page.getByText(/New sign-in on Chrome, \w+\./u)).toBeVisible();
  await page.goto('/settings?section=security');
  const button = page.getByRole('button', { name: 'Sign out everywhere else' });
  await button.click();
  await expect(button).toHaveCount(0);
  await other.page.goto('/settings');
  await expect(other.page).toHaveURL(/\/login/u);
  await other.context.close();
  await page.reload();
  await expect(page.getByText('This device')).toBeVisible();
});
