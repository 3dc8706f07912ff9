import type { Page } from '@playwright/test';
import { confirmMembers, enterConfirmedMode } from './confirmed-mode.ts';
import { findStaffPages, makeStaff } from './staff-data.ts';
import { expectAccessible } from './expect-accessible.ts';
import {
  createMember,
  stepAnswers,
  openLogoutDialog,
  expect,
  fillStep,
  followLink,
  createAccount,
  createVerifiedAccount,
  createAddress,
  password,
  photo,
  send,
  startSession,
  test,
  getCurrentUser,
} from './fixtures.ts';

test('public pages have no axe violations', { tag: '@spec-6.7' }, async ({ page }) => {
  for (const path of [
    '/',
    '/?view=list',
    '/?department=Alchemy',
    '/?department=all&year=2015',
    '/home',
    '/terms-and-conditions',
    '/privacy-policy',
    '/gallery',
    '/careers',
    '/search',
    '/search?q=ade',
    '/search?q=nobodyatall',
    '/no/such/page',
  ]) {
    await test.step(path, async () => {
      await page.goto(path);
      await expectAccessible(page);
    });
  }
});

test('sign-in pages and their error messages have no axe violations', { tag: '@spec-2.74' }, async ({ page }) => {
  for (const [path, button] of [
    ['/login', 'Sign in'],
    ['/signup', 'Sign up'],
    ['/reset-password', 'Send reset link'],
  ] as const) {
    await test.step(path, async () => {
      await page.goto(path);
      await expectAccessible(page);
      // axe accepts labels that only screen readers see.
      for (const input of await page.getByRole('main').locator('input:visible').all()) {
        const label = page.locator(`label[for="${await input.getAttribute('id')}"]`);
        await expect(label).toHaveText(/\w/u);
        expect((await label.boundingBox())?.height).toBeGreaterThan(12);
      }
      await page.getByRole('button', { name: button }).click();
      await expect(page.getByText('Email is required')).toBeVisible();
      await expectAccessible(page);
    });
  }
  await createAccount(page);
  await page.goto('/send-verification-email');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Change my email' }).click();
  await expectAccessible(page);
});

test(
  'the onboarding steps and their error messages have no axe violations',
  { tag: '@spec-2.74' },
  async ({ page, server }) => {
    await createVerifiedAccount(page, server);
    await page.goto('/onboarding');
    for (const values of stepAnswers) {
      await page.getByRole('button', { name: 'Continue' }).click();
      await expect(page.getByText('Field cannot be empty').first()).toBeVisible();
      await expectAccessible(page);
      await fillStep(page, values);
      await page.getByRole('button', { name: 'Continue' }).click();
    }
    await expect(page.getByText('Step 5/5')).toBeVisible();
    await expectAccessible(page);
    await page
      .getByLabel('Profile picture')
      .setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photo() });
    await expect(page.getByRole('slider', { name: 'Zoom' })).toBeVisible();
    await expectAccessible(page);
  },
);

test('pages opened by emailed links have no axe violations', async ({ page, server }) => {
  const { inbox } = server;
  const before = await createAccount(page);
  const after = createAddress();
  const verified = page.getByRole('heading', { name: 'Congratulations!' });
  await followLink(page, inbox, before, 'Verify your email address');
  await expect(verified).toBeVisible();
  await expectAccessible(page);
  for (const [path, data] of [
    ['reauthenticate', { password }],
    ['email', { email: after }],
  ] as const) {
    await send(page, 'POST', `/api/identity/${path}`, data);
  }
  await followLink(page, inbox, after, 'Confirm your new email address');
  await expect(verified).toBeVisible();

  await page.goto('/recover-email?actionCode=nonsense');
  await expect(page.getByRole('heading', { name: 'This link cannot be used' })).toBeVisible();
  await expectAccessible(page);
  await followLink(page, inbox, before, 'Your email address was changed');
  await expect(page.getByRole('button', { name: 'Restore my email address' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Restore my email address' }).click();
  await expect(page.getByRole('heading', { name: 'Your email address is restored' })).toBeVisible();
  await expectAccessible(page);

  await followLink(page, inbox, before, 'Choose a new password');
  await expect(page.getByLabel('New password')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page.getByText('Field cannot be empty').first()).toBeVisible();
  await expectAccessible(page);
});

test('member pages, dialogs and menus have no axe violations', async ({ page }) => {
  await startSession(page);
  await page.goto('/');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Filters' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  for (const path of [
    '/myprofile',
    '/notification',
    '/messages',
    '/settings',
    '/settings?section=information',
    '/settings?section=career',
    '/settings?section=privacy',
    '/settings?section=security',
    '/settings?section=notifications',
    '/settings?section=appearance',
    '/settings?section=delete',
  ]) {
    await test.step(path, async () => {
      await page.goto(path);
      await expectAccessible(page);
    });
  }
  await page.goto('/');
  await page.locator('main li a[href^="/user/"]').first().click();
  await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
  await expectAccessible(page);
  await openLogoutDialog(page);
  await expectAccessible(page);
});

/** Pages of an archive that confirms its members, for guests and for users who are not confirmed. */
const joinPages = ['/join', '/join/7K3QMX9R2DAB', '/not-you', '/not-you?code=unknown'];
const confirmPages = ['/confirm', '/settings?section=membership', ...joinPages];

test('pages of confirmed membership have no axe violations, in both themes', async ({ page, server }) => {
  const scan = async (paths: readonly string[]) => {
    for (const path of paths) {
      await test.step(path, async () => {
        await page.goto(path);
        await expectAccessible(page);
        await page.emulateMedia({ colorScheme: 'dark' });
        await expectAccessible(page, 'color-contrast');
        await page.emulateMedia({ colorScheme: 'light' });
      });
    }
  };
  await enterConfirmedMode(server);
  await scan(joinPages);
  const { uid } = await createMember(page, server);
  await scan(confirmPages);
  await page.goto('/confirm');
  for (const way of await page.locator('summary').all()) {
    await way.click();
    await expectAccessible(page);
  }
  await confirmMembers(server, [uid]);
  await scan(confirmPages);
});

test('pages of the staff console have no axe violations', { tag: ['@desk', '@release'] }, async ({ page, server }) => {
  test.slow();

  const { uid } = await createMember(page, server);
  await makeStaff(server, uid, 'owner');
  for (const path of await findStaffPages(page)) {
    await test.step(path, async () => {
      await page.goto(path);
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expectAccessible(page, 'color-contrast');
      await page.emulateMedia({ colorScheme: 'light' });
    });
  }
});

test(
  'pages with a separate desktop layout have no axe violations',
  { tag: ['@desk', '@release'] },
  async ({ page, server }) => {
    const scan = async (...paths: string[]) => {
      for (const path of paths) {
        await test.step(path, async () => {
          await page.goto(path);
          await expectAccessible(page);
        });
      }
    };
    await scan('/', '/?view=list', '/home', '/gallery', '/search?q=ade', '/login', '/signup', '/terms-and-conditions');
    await createVerifiedAccount(page, server);
    await scan('/onboarding');
    await startSession(page);
    await scan('/myprofile', '/notification', '/settings', '/settings?section=security', '/');
    await page.locator('main li a[href^="/user/"]').first().click();
    await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: /profile menu/u }).click();
    await expectAccessible(page);
  },
);

test('the gallery, the lightbox and the photo form have no axe violations', async ({ page }) => {
  await startSession(page);
  await page.goto('/gallery');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'The rock at dawn' }).click();
  await expect(page.getByRole('dialog', { name: 'Photos' }).getByRole('status')).toContainText('The rock');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add photos' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add photos' });
  await dialog
    .getByLabel('Choose photos')
    .setInputFiles({ name: 'one.jpg', mimeType: 'image/jpeg', buffer: await photo() });
  await dialog.getByRole('button', { name: 'Add photo', exact: true }).click();
  await expect(dialog.getByText('Field cannot be empty').first()).toBeVisible();
  await expectAccessible(page);
});

test('the message form and the block dialogs have no axe violations', async ({ page }) => {
  await startSession(page);
  await page.goto('/');
  const { uid } = await getCurrentUser(page);
  await page.locator(`main li a[href^="/user/"]:not([href$="${uid}"])`).first().click();
  await page.getByRole('button', { name: 'Write a message' }).click();
  const form = page.getByRole('dialog', { name: /^Write to/u });
  await form.getByRole('button', { name: 'Send' }).click();
  await expect(form.getByText('Field cannot be empty')).toBeVisible();
  await form.getByLabel('Show my email address so that they can reply directly').check();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Block this person' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Block', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Unblock' })).toBeVisible();
  await expectAccessible(page);
  await page.goto('/settings?section=privacy');
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Unblock/u }).click();
  await expect(page.getByText('Blocked people', { exact: true })).toHaveCount(0);
});

test('the live password rules have no axe violations', async ({ page }) => {
  await page.goto('/signup');
  await page.getByLabel('Password', { exact: true }).fill('password');
  await expect(page.getByRole('listitem').filter({ hasText: 'common password: not met' })).toBeVisible();
  await expectAccessible(page);
});

test.describe('in the dark theme', { tag: '@release' }, () => {
  test.use({ colorScheme: 'dark' });

  const scan = async (page: Page, ...paths: string[]) => {
    for (const path of paths) {
      await test.step(path, async () => {
        await page.goto(path);
        await expectAccessible(page, 'color-contrast');
      });
    }
  };

  test(
    'pages of guests and new accounts have enough contrast',
    { tag: ['@spec-2.16', '@spec-4.19'] },
    async ({ page, server }) => {
      await page.goto('/');
      const card = (await page.locator('main li a[href^="/user/"]').first().getAttribute('href')) ?? '';
      await scan(
        page,
        '/',
        '/?view=list',
        card,
        '/home',
        '/gallery',
        '/careers',
        '/search?q=ade',
        '/no/such/page',
        '/login',
      );
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByText('Email is required')).toBeVisible();
      await expectAccessible(page, 'color-contrast');
      await scan(page, '/signup', '/reset-password');
      await createAccount(page);
      await scan(page, '/send-verification-email');
      await page.context().clearCookies();
      await createVerifiedAccount(page, server);
      await scan(page, '/onboarding');
    },
  );

  test(
    'pages, menus, dialogs and toasts of members have enough contrast',
    {
      tag: ['@spec-1.12', '@spec-2.65', '@spec-2.66'],
    },
    async ({ page }) => {
      await startSession(page);
      await scan(page, '/', '/myprofile', '/notification', '/settings?section=security', '/settings?section=delete');
      await scan(page, '/settings?section=information');
      for (const menu of [/profile menu/u, /^Menu$/u]) {
        await page.getByRole('button', { name: menu }).click();
        await expectAccessible(page, 'color-contrast');
        await page.keyboard.press('Escape');
      }
      await page.getByLabel('Last name').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByText('Field cannot be empty')).toBeVisible();
      await page.route('**/api/identity/sign-out', (route) => route.abort());
      await openLogoutDialog(page);
      await page.getByRole('button', { name: 'Sure' }).click();
      await expect(page.getByRole('alert').first()).toBeVisible();
      await expectAccessible(page, 'color-contrast');
    },
  );
});

test('navigation moves the focus to the new heading unless the user is typing', async ({ page }) => {
  await page.goto('/');
  await page.locator('main li a[href^="/user/"]').first().click();
  await expect(page).toHaveURL(/\/user\//u);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page.getByRole('heading', { level: 1 })).toHaveCSS('outline-style', 'none');
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  const field = page.getByRole('searchbox', { name: 'Search' });
  await field.click();
  await expect(page).toHaveURL('/search');
  await expect(field).toBeFocused();
});

test('loading more cards focuses the first new card and announces the count', async ({ page }) => {
  await page.goto('/');
  const more = page.getByRole('button', { name: 'Show 24 more' });
  await expect(page.getByRole('button', { name: 'Filters' })).toBeVisible();
  await more.focus();
  await page.keyboard.press('Space');
  await expect(page.locator('main li a[href^="/user/"]').nth(24)).toBeFocused();
  await expect(page.getByRole('status').filter({ hasText: /^48 of \d+ people shown$/u })).toHaveCount(1);
});

test('screen readers get the information that is otherwise only visual', async ({ page }) => {
  await page.goto('/no/such/page');
  expect(await page.title()).toMatch(/^Not found · /u);
  await expect(page.locator('title')).toHaveCount(1);
  await page.goto('/login');
  await expect(page.getByLabel('Email')).toHaveAttribute('aria-required', 'true');
  const toggle = page.getByRole('button', { name: 'Show password' });
  await expect(toggle).toHaveAttribute('aria-pressed', 'false');
  await toggle.click();
  await expect(toggle).toHaveAttribute('aria-pressed', 'true');
  await startSession(page);
  await page.goto('/settings?section=information');
  await expect(page.getByRole('combobox', { name: 'Visible to Interest' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Interest' })).toBeVisible();
  await page.goto('/myprofile');
  await expect(page.getByRole('link', { name: '(opens another site)' }).first()).toBeVisible();
});

test('the filter dialog offers TRY AGAIN when its options fail to load', async ({ page }) => {
  await page.goto('/');
  await page.route('**/api/users/facets*', (route) => route.abort());
  await page.getByRole('button', { name: 'Filters' }).click();
  const dialog = page.getByRole('dialog', { name: 'Filters' });
  await expect(dialog.getByText('ERROR: Failed to fetch data')).toBeVisible();
  await page.unroute('**/api/users/facets*');
  await dialog.getByRole('button', { name: 'TRY AGAIN' }).click();
  await expect(dialog.getByText('ERROR: Failed to fetch data')).toBeHidden();
  await expect(dialog.getByLabel('Department').locator('option')).not.toHaveCount(1);
});
