import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { answers, expect, fillStep, signIn, signUp, signUpVerified, test } from './archive.ts';

/** Everything that a machine can find against WCAG 2.2 AA, and axe's best practices. */
async function expectAccessible(page: Page): Promise<void> {
  await expect(page.getByRole('status').filter({ hasText: 'Loading...' })).toHaveCount(0);
  // What is still moving has colours that it will not keep.
  await page.evaluate(() =>
    Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => null))),
  );
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target.join(' ')).join(', ')})`,
  );
  expect(found).toEqual([]);
}

test('pages for everybody', async ({ page }) => {
  for (const path of [
    '/',
    '/?view=list',
    '/?department=Alchemy',
    '/home',
    '/terms-and-conditions',
    '/privacy-policy',
    '/gallery',
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

test('account pages, with their messages', async ({ page }) => {
  for (const [path, button] of [
    ['/login', 'Sign in'],
    ['/signup', 'Sign up'],
    ['/reset-password', 'Send reset link'],
  ] as const) {
    await test.step(path, async () => {
      await page.goto(path);
      await expectAccessible(page);
      await page.getByRole('button', { name: button }).click();
      await expect(page.getByText('Email is required')).toBeVisible();
      await expectAccessible(page);
    });
  }
  await signUp(page);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Change my email' }).click();
  await expectAccessible(page);
});

test('the five steps, with their messages', async ({ page, product }) => {
  await signUpVerified(page, product);
  for (const values of answers) {
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByText('Field cannot be empty').first()).toBeVisible();
    await expectAccessible(page);
    await fillStep(page, values);
    await page.getByRole('button', { name: 'Continue' }).click();
  }
  await expect(page.getByText('Step 5/5')).toBeVisible();
  await expectAccessible(page);
});

test('a member’s pages, dialogs and menus', async ({ page, isMobile }) => {
  await signIn(page);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Filters' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page
    .getByRole('button', { name: isMobile ? 'Menu' : /profile menu/u })
    .first()
    .click();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  for (const path of [
    '/myprofile',
    '/notification',
    '/settings',
    '/settings?section=security',
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
});
