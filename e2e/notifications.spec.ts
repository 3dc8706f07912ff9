import type { Page } from '@playwright/test';
import {
  expect,
  createMember,
  openOtherBrowser,
  password,
  send,
  startSession,
  test,
  expectAtEverySize,
} from './fixtures.ts';

const bell = (page: Page) =>
  page
    .getByRole('link', { name: /^Notifications/u })
    .filter({ visible: true })
    .first();

test(
  'the bell updates live in every tab and across servers',
  { tag: '@spec-2.59' },
  async ({ page, server, context }) => {
    test.slow();
    const { email } = await createMember(page, server);
    await page.goto('/');
    await expect(bell(page)).toHaveText('Notifications 2 new');
    const tab = await context.newPage();
    await tab.goto('/gallery');
    await expect(bell(tab)).toHaveText('Notifications 2 new');

    const second = await server.startSecondServer({});
    const other = await openOtherBrowser(page, server);
    await send(other.page, 'POST', `${second.url}/api/identity/sign-in`, { email, password });
    await other.page.goto(second.url);
    await expect(bell(page)).toHaveText('Notifications 3 new');
    await expect(bell(tab)).toHaveText('Notifications 3 new');

    await bell(other.page).click();
    await other.page.getByRole('button', { name: 'Mark all as read' }).click();
    await expect(bell(page)).toHaveText('Notifications');
    await expect(bell(tab)).toHaveText('Notifications');
    await expect(bell(other.page)).toHaveText('Notifications');
    await other.context.close();
    await second.stop();
  },
);

test(
  'notifications are marked as read one by one or all at once, unread ones come first, and older ones load on request',
  { tag: '@spec-2.56' },
  async ({ page, server }) => {
    test.slow();
    const { email } = await createMember(page, server);
    await page.goto('/notification');
    const items = page.getByRole('main').getByRole('listitem');
    await expect(items).toContainText(['Welcome to the archive.', 'is verified']);
    await expectAtEverySize(page, items.first(), items.last(), page.getByText('Mark all as read'));
    await items.first().getByRole('button', { name: 'Mark as read' }).click();
    await expect(bell(page)).toHaveText('Notifications 1 new');
    await page.reload();
    await expect(items).toContainText(['is verified', 'Welcome to the archive.']);
    await server.query(
      'update notifications set read_at = null where account_id = (select id from accounts where email = $1)',
      email,
    );
    await server.query(
      `insert into notifications (account_id, kind, detail, created_at)
       select id, 'new-device', 'Browser ' || n, now() - make_interval(hours => n)
       from accounts, generate_series(1, 25) n where email = $1`,
      email,
    );
    await page.reload();
    await expect(items).toHaveCount(20);
    await expect(items.first()).toContainText('Welcome to the archive.');
    await expect(bell(page)).toHaveText('Notifications 27 new');

    await items.first().getByRole('button', { name: 'Mark as read' }).click();
    await expect(bell(page)).toHaveText('Notifications 26 new');
    await expect(items.first().getByRole('button', { name: 'Mark as read' })).toHaveCount(0);
    await expect(items.first().getByRole('link')).toBeFocused();

    await page.getByRole('button', { name: 'Show older notifications' }).focus();
    await page.keyboard.press('Enter');
    await expect(items).toHaveCount(27);
    await expect(items.nth(20).getByRole('link')).toBeFocused();
    await expect(page.getByRole('button', { name: 'Show older notifications' })).toHaveCount(0);

    // A new notification is added while the page is open, and the others stay.
    await server.query(
      `insert into notifications (account_id, kind, detail) select id, 'new-device', 'Browser 99' from accounts where email = $1`,
      email,
    );
    await expect(items).toHaveCount(28);

    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await expect(bell(page)).toHaveText('Notifications');
    await expect(page.getByRole('button', { name: 'Mark as read' })).toHaveCount(0);
    await expect(items.first().getByRole('link')).toBeFocused();
    await page.reload();
    await expect(items).toHaveCount(20);
    await expect(page.getByRole('button', { name: 'Mark as read' })).toHaveCount(0);
  },
);

test('a whole row opens its page and is then read; Today and Earlier are separate', async ({ page, server }) => {
  const { email } = await createMember(page, server);
  await server.query(
    `insert into notifications (account_id, kind, detail, created_at)
     select id, 'photos-added', '', now() - interval '3 days' from accounts where email = $1`,
    email,
  );
  await page.goto('/notification');
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { level: 2 })).toHaveText([
    'Today',
    'Earlier',
    'What appears here',
    'Messages',
  ]);
  const row = main.getByRole('listitem').filter({ hasText: 'added a photo to the gallery' });
  await expect(row.getByRole('time')).toHaveText('3 days ago');
  await expect(row.getByRole('link')).toHaveAttribute('title', /^\d+ \w+ \d{4} at \d\d:\d\d$/u);
  await row.click({ position: { x: 20, y: 20 } });
  await expect(page).toHaveURL('/gallery');
  await expect(bell(page)).toHaveText('Notifications 2 new');
});

test('a notification about a university address spells the day on which it is closed', async ({ page, server }) => {
  const { uid } = await createMember(page, server);
  await server.query(
    `insert into notifications (account_id, kind, detail) values ($1, 'campus-ending', '2027-06-30')`,
    uid,
  );
  await page.goto('/notification');
  await expect(page.getByRole('main')).toContainText('will close your email address on 30 June 2027.');
});

test(
  'a member sees new department members live, unless the setting is off',
  { tag: '@spec-2.56' },
  async ({ page, server }) => {
    test.slow();
    await createMember(page, server);
    await page.goto('/');
    await bell(page).click();
    await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(2);

    const other = await openOtherBrowser(page, server);
    const { name: newcomer } = await createMember(other.page, server);
    await server.ageJobs(60 * 60);
    await expect(page.getByText(/from Computer Science joined the archive\./u)).toBeVisible();
    const joined = page.getByRole('main').getByRole('listitem').filter({ hasText: 'joined the archive' });
    await expect(joined.getByText(newcomer)).toBeVisible();
    await page.getByRole('link', { name: 'See your department' }).click();
    await expect(page).toHaveURL('/?department=Computer+Science');
    await other.context.close();

    await page.goto('/settings?section=notifications');
    const choice = page.getByRole('checkbox', { name: /^People from your department join/u });
    await expect(choice).toBeChecked();
    await choice.uncheck();
    await expect(choice).not.toBeChecked();
    await page.waitForLoadState('networkidle');
    await page.reload();
    await expect(choice).not.toBeChecked();
  },
);

test('the notification page offers TRY AGAIN when the list fails to load', async ({ page }) => {
  await startSession(page);
  await page.goto('/gallery');
  await page.route('**/api/notifications?*', (route) => route.abort());
  await page.route('**/api/notifications', (route) => route.abort());
  await bell(page).click();
  await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'TRY AGAIN' }).click();
  await expect(page.getByText('Notification settings')).toBeVisible();
});
