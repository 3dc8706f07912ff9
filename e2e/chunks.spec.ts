import type { Page } from '@playwright/test';
import { expect, test, waitForHydration } from './fixtures.ts';

/* Scripts that are loaded on demand and fail to load. */

const cards = (page: Page) => page.locator('main li a[href^="/user/"]');
const failure = (page: Page) => page.getByText('ERROR: Failed to fetch data');
const tryAgain = (page: Page) => page.getByRole('button', { name: 'TRY AGAIN' });

async function openDashboard(page: Page): Promise<void> {
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Filters' })).toBeVisible();
  await waitForHydration(page);
  await page.evaluate(() => Object.assign(window, { isFirstDocument: true }));
}
const isFirstDocument = (page: Page) => page.evaluate(() => 'isFirstDocument' in window);

test('a page whose script fails to load offers TRY AGAIN without a reload', async ({ page, isMobile }) => {
  const places = [
    // The last of the page: the first ones belong to members of other tests.
    { path: /\/user\//u, open: () => cards(page).last().click(), heading: 'Academic' },
    ...['Gallery', 'Search', 'Login'].map((name) => ({
      path: new RegExp(`/${name.toLowerCase()}`, 'u'),
      open: async () => {
        if (isMobile) await page.getByRole('button', { name: 'Menu', exact: true }).click();
        await page.getByRole('complementary').getByRole('link', { name, exact: true }).click();
      },
      heading: { Gallery: 'Photos', Search: 'Search', Login: 'Welcome back' }[name] ?? '',
    })),
  ];
  for (const { path, open, heading } of places) {
    await openDashboard(page);
    await page.route('**/assets/pages-*.js', (route) => route.abort('connectionreset'));
    await open();
    await expect(failure(page)).toBeVisible();
    await expect(page).toHaveURL(path);
    await expect(page.getByRole('heading', { name: 'Unexpected Application Error!' })).toHaveCount(0);
    await page.unroute('**/assets/pages-*.js');
    await tryAgain(page).click();
    await expect(page.getByRole('heading', { name: heading, exact: true })).toBeVisible();
    await expect(failure(page)).toHaveCount(0);
    expect(await isFirstDocument(page)).toBe(true);
  }
});

test('offline navigation keeps the header with the search field, and Back shows the cards again', async ({
  page,
  context,
}) => {
  await openDashboard(page);
  const names = await cards(page).allInnerTexts();
  await context.setOffline(true);
  await cards(page).first().click();
  await expect(failure(page)).toBeVisible();
  await expect(page.getByRole('banner').getByRole('searchbox')).toBeVisible();
  await page.goBack();
  await expect(cards(page)).toHaveText(names, { useInnerText: true });
  await page.goForward();
  // The dashboard's counts have failed too, and show the same error until the next page replaces it.
  await expect(page.getByRole('heading', { name: 'This page cannot be shown right now' })).toBeVisible();
  await context.setOffline(false);
  await tryAgain(page).click();
  await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
});

test('a link reloads the document when an upgrade has removed the script of its page', async ({ page }) => {
  await openDashboard(page);
  let isUpgraded = true;
  await page.route('**/assets/pages-*.js', (route) => (isUpgraded ? route.fulfill({ status: 404 }) : route.continue()));
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isUpgraded = false;
  });
  await cards(page).first().click();
  await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
  await expect(page).toHaveURL(/\/user\//u);
  expect(await isFirstDocument(page)).toBe(false);
  await page.goBack();
  await expect(cards(page)).toHaveCount(24);
});

test('a dialog that fails to load leaves the page unchanged and opens after TRY AGAIN', async ({ page }) => {
  await openDashboard(page);
  await page.route('**/assets/filter-dialog*.js', (route) => route.abort());
  await page.getByRole('button', { name: 'Filters' }).click();
  await expect(page.getByRole('alert')).toHaveText(/ERROR: Failed to fetch data/u);
  await expect(cards(page)).toHaveCount(24);
  await page.unroute('**/assets/filter-dialog*.js');
  await tryAgain(page).click();
  await expect(page.getByRole('dialog', { name: 'Filters' })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(await isFirstDocument(page)).toBe(true);
});

test('a photo opens after TRY AGAIN when the lightbox fails to load', async ({ page }) => {
  await page.goto('/gallery');
  await page.route('**/assets/lightbox*.js', (route) => route.abort());
  await page.getByRole('link', { name: 'The rock at dawn' }).click();
  await expect(failure(page)).toBeVisible();
  await page.unroute('**/assets/lightbox*.js');
  await tryAgain(page).click();
  await expect(page.getByRole('dialog', { name: 'Photos' })).toBeVisible();
});

test('the first page of a visit becomes interactive after TRY AGAIN if its script failed to load', async ({ page }) => {
  await page.route('**/assets/pages-*.js', (route) => route.abort());
  await page.goto('/');
  await expect(page.getByRole('alert')).toHaveText(/ERROR: Failed to fetch data/u);
  await page.unroute('**/assets/pages-*.js');
  await tryAgain(page).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.getByRole('button', { name: 'Filters' }).click();
  await expect(page.getByRole('dialog', { name: 'Filters' })).toBeVisible();
});
