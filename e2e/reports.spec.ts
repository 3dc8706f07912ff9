import type { Page } from '@playwright/test';
import { findLink } from '#server/testing/inbox.ts';
import { expectAccessible } from './expect-accessible.ts';
import { createAddress, createMember, createName, expect, openOtherBrowser, photo, send, test } from './fixtures.ts';
import { carryOutDecisions, makeStaff } from './staff-data.ts';

async function addPhoto(page: Page, title: string): Promise<string> {
  const image = `data:image/jpeg;base64,${(await photo(900, 600)).toString('base64')}`;
  const added = await send(page, 'POST', '/api/gallery/photos', {
    album: 'Reports',
    title,
    audience: 'everyone',
    image,
  });
  return (added as { id: string }).id;
}

test('a member reports “I am in this picture”, and the photo is gone for another member', async ({ page, server }) => {
  const title = createName('Rag day');
  const [{ page: owner }, { page: other }] = [
    await openOtherBrowser(page, server),
    await openOtherBrowser(page, server),
  ];
  await createMember(owner, server);
  await addPhoto(owner, title);
  await createMember(other, server);
  await createMember(page, server);
  await other.goto('/gallery');
  await expect(other.getByRole('link', { name: title })).toBeVisible();

  await page.goto('/gallery');
  await page.getByRole('link', { name: title }).click();
  await page.getByRole('link', { name: 'Report a problem' }).click();
  const dialog = page.getByRole('dialog', { name: 'Report a problem' });
  await dialog.getByRole('button', { name: 'Send report' }).click();
  await expect(dialog.getByText('Choose a reason')).toBeVisible();
  await dialog.getByLabel('I am in this picture and want it removed').check();
  await expect(dialog.getByText('The photo is hidden at once')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Send report' }).click();
  await expect(dialog.getByText('The photo is hidden now')).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(page.getByRole('region', { name: 'Photos' }).getByRole('link', { name: title })).toHaveCount(0);

  await other.reload();
  await expect(other.getByRole('heading', { name: 'Photos' })).toBeVisible();
  await expect(other.getByRole('link', { name: title })).toHaveCount(0);
  await owner.goto('/gallery');
  await expect(owner.getByText('Hidden while the alumni office reviews a report')).toBeVisible();
});

test('a guest reports a profile without scripts, and confirms it with the link in the mail', async ({
  page,
  server,
  browser,
}) => {
  const { uid, name } = await createMember(page, server);
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: server.url });
  try {
    const guest = await context.newPage();
    await guest.goto(`/user/${uid}`);
    await guest.getByRole('link', { name: 'Report a problem' }).click();
    await expect(guest.getByText(name.split(' ')[0] ?? '')).toBeVisible();
    await guest.getByLabel('It is offensive or insults someone').check();
    await guest.getByRole('button', { name: 'Send report' }).click();
    await expect(guest.getByText('Enter your email address')).toBeVisible();
    const email = createAddress();
    await guest.getByLabel('Your email address').fill(email);
    await guest.getByRole('button', { name: 'Send report' }).click();
    await expect(guest.getByText(`We have sent an email to ${email}`)).toBeVisible();
    const { pathname, search } = findLink(await server.inbox.next(email, 'Confirm your report'));
    await guest.goto(pathname + search);
    await guest.getByRole('button', { name: 'Confirm the report' }).click();
    await expect(guest.getByText('The alumni office has your report')).toBeVisible();
  } finally {
    await context.close();
  }
});

test(
  'a moderator looks at a reported photo, takes it down, and restores it',
  { tag: '@desk' },
  async ({ page, server }) => {
    const title = createName('Lab coats');
    const { name } = await createMember(page, server);
    const id = await addPhoto(page, title);
    const { page: reporter } = await openOtherBrowser(page, server);
    await createMember(reporter, server);
    await send(reporter, 'POST', `/api/reports/photo/${id}`, { reason: 'other', text: 'This was taken in secret.' });
    const { uid } = await createMember(page, server);
    await makeStaff(server, uid, 'moderator');

    await page.goto('/staff/review?kind=report');
    await page
      .getByText(name.split(' ').at(-1) ?? '')
      .last()
      .click();
    await expect(page.getByText('This was taken in secret.')).toBeVisible();
    await expect(page.getByText(title)).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show the picture' }).click();
    await page.getByRole('button', { name: 'Take down' }).first().click();
    await expect(page.getByText('Take the photo down?')).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel('Message to the reported person (optional)').fill('Please ask people first.');
    await page.getByRole('button', { name: 'Take down' }).first().click();
    await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
    await carryOutDecisions(server);
    await expect(async () => {
      await page.goto('/staff/reports');
      await expect(page.getByRole('link', { name: 'Taken down' }).first()).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Taken down' }).first().click();
    await page.getByRole('button', { name: 'Restore the photo' }).click();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Restore the photo' }).click();
    await expect(page.getByRole('button', { name: 'Restore the photo' })).toHaveCount(0);
    await reporter.goto('/gallery');
    await expect(reporter.getByRole('link', { name: title })).toBeVisible();
  },
);
