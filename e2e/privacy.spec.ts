import type { Page } from '@playwright/test';
import { expect, createMember, openOtherBrowser, startSession, test, toast } from './fixtures.ts';

/* Visibility: members change it at Settings → Privacy, and others look at the profile. */

const privacy = '/settings?section=privacy';

async function waitForSave(page: Page, choose: () => Promise<unknown>): Promise<void> {
  const saved = page.waitForResponse(
    (response) => response.url().endsWith('/privacy') && response.request().method() === 'PUT',
  );
  await choose();
  expect((await saved).status()).toBe(200);
}

test('each field is visible to its chosen audience only, and “Hide me” hides the whole profile', async ({
  page,
  server,
}) => {
  const { uid } = await createMember(page, server);
  const { page: guest, context: guests } = await openOtherBrowser(page, server);
  const { page: member, context: members } = await openOtherBrowser(page, server);
  await startSession(member);

  await page.goto('/settings');
  await page.getByRole('link', { name: 'Privacy', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Privacy', exact: true })).toBeVisible();
  // Contact fields cannot be shown to everyone.
  await expect(page.getByLabel('Contact number').locator('option')).toHaveText(['Members', 'Only me']);
  await waitForSave(page, () => page.getByLabel('Contact number').selectOption('Only me'));
  await expect(toast(page, /^Saved$/u)).toBeVisible();
  await waitForSave(page, () => page.getByLabel('Short bio').selectOption('Members'));

  await guest.goto(`/user/${uid}`);
  await expect(guest.getByRole('heading', { level: 1 })).toContainText('Abíọ́dún');
  await expect(guest.getByText('Teacher in Lagos')).toHaveCount(0);
  await member.goto(`/user/${uid}`);
  await expect(member.getByText('Teacher in Lagos')).toBeVisible();
  await expect(member.getByText('+234 801 234 5678')).toHaveCount(0);

  await page.getByRole('link', { name: 'View as a member' }).click();
  await expect(page.getByText('This is exactly what they see.')).toBeVisible();
  await expect(page.getByText('Teacher in Lagos')).toBeVisible();
  await expect(page.getByText('+234 801 234 5678')).toHaveCount(0);

  await page.goto(privacy);
  await waitForSave(page, () => page.getByLabel('Hide me from the directory').check());
  for (const other of [guest, member]) {
    await other.goto(`/user/${uid}`);
    await expect(other.getByText('Page not found')).toBeVisible();
    await other.goto('/search?q=abiodun%20oladele');
    await expect(other.locator(`main a[href="/user/${uid}"]`)).toHaveCount(0);
  }
  await page.getByRole('link', { name: 'View as a guest' }).click();
  await expect(page.getByText('They cannot see your profile.')).toBeVisible();

  await page.goto(privacy);
  await expect(page.getByLabel('Hide me from the directory')).toBeChecked();
  await expect(page.getByLabel('Contact number')).toHaveValue('me');
  await waitForSave(page, () => page.getByLabel('Hide me from the directory').uncheck());
  await guest.goto(`/user/${uid}`);
  await expect(guest.getByRole('heading', { level: 1 })).toContainText('Abíọ́dún');
  await guests.close();
  await members.close();
});

test('a failed change of visibility is reverted with an error message', async ({ page, server }) => {
  await createMember(page, server);
  await page.goto(privacy);
  await page.route('**/privacy', (route) => route.abort());
  await page.getByLabel('Interest').selectOption('Only me');
  await expect(toast(page, /could not reach the server/iu)).toBeVisible();
  await expect(page.getByLabel('Interest')).toHaveValue('everyone');
  // Two choices at the same time fail, and both are reverted.
  const gate = Promise.withResolvers<void>();
  await page.route('**/privacy', async (route) => {
    await gate.promise;
    await route.abort();
  });
  await page.getByLabel('Interest').selectOption('Only me');
  await page.getByLabel('Hide me from the directory').check();
  gate.resolve();
  await expect(page.getByLabel('Interest')).toHaveValue('everyone');
  await expect(page.getByLabel('Hide me from the directory')).not.toBeChecked();
});

test(
  'a visitor who views too many profiles reads when to continue',
  { tag: ['@desk', '@release'] },
  async ({ page, server }) => {
    // The limit for a guest's IP address is ten times the limit for an account.
    const second = await server.startSecondServer({ BROWSE_PROFILES_PER_HOUR: '1', BROWSE_PAGES_PER_HOUR: '1' });
    // In parallel, because requests near the limit are delayed.
    const get = (...paths: string[]) => Promise.all(paths.map((path) => page.request.get(`${second.url}${path}`)));
    try {
      await page.goto(`${second.url}/`);
      const cards = page.locator('main li a[href^="/user/"]');
      const first = (await cards.first().getAttribute('href')) ?? '';
      const more = page.getByRole('button', { name: 'Show 24 more' });
      await more.click();
      await expect(cards).toHaveCount(48);
      // A page of 96 cards counts as four pages.
      await get('/api/users?limit=96', '/api/users?limit=96');
      await more.click();
      await expect(
        page.getByText('You have viewed too many people in a short time. Try again in 60 minutes.'),
      ).toBeVisible();
      await expect(cards).toHaveCount(48);
      await page.goto(`${second.url}${first}`);
      await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
      const opened = await get(...Array<string>(9).fill(`/api/users/${first.split('/')[2]}`));
      expect(opened.map((response) => response.status())).toEqual(Array(9).fill(200));
      const response = await page.goto(`${second.url}${first}`);
      expect(response?.status()).toBe(429);
      await expect(
        page.getByText('You have viewed too many people in a short time. Try again in 60 minutes.'),
      ).toBeVisible();
    } finally {
      await second.stop();
    }
  },
);

test(
  'an outdated privacy page keeps the newer choice and shows a message',
  { tag: '@desk' },
  async ({ page, server }) => {
    await createMember(page, server);
    await page.goto(privacy);
    const newer = await page.context().newPage();
    await newer.goto(privacy);
    await waitForSave(newer, () => newer.getByLabel('Short bio').selectOption('Only me'));
    await waitForSave(newer, () => newer.getByLabel('Hide me from the directory').check());
    await page.getByLabel('Short bio').selectOption('Members');
    await expect(toast(page, 'This choice was changed in another tab or on another device')).toBeVisible();
    await expect(page.getByLabel('Short bio')).toHaveValue('me');
    await expect(page.getByLabel('Hide me from the directory')).toBeChecked();
    // The newer page changes another field than this one, so both choices are saved.
    await waitForSave(newer, () => newer.getByLabel('Full bio').selectOption('Only me'));
    await newer.close();
    await page.getByLabel('Interest').selectOption('Members');
    await expect(page.getByLabel('Full bio')).toHaveValue('me');
    // The page shows the newer choice, which can be changed.
    await waitForSave(page, () => page.getByLabel('Short bio').selectOption('Members'));
    await page.reload();
    await expect(page.getByLabel('Short bio')).toHaveValue('members');
    await expect(page.getByLabel('Interest')).toHaveValue('members');
    await expect(page.getByLabel('Hide me from the directory')).toBeChecked();
  },
);
