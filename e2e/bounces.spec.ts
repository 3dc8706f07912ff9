import { expectAccessible } from './accessible.ts';
import { expect, followLink, join, newAddress, password, signUp, test, toast } from './archive.ts';

test.describe('an address to which no mail gets', () => {
  test('is said where the link is waited for, and put right with one press', async ({ page, product }) => {
    const wrong = newAddress();
    const right = newAddress();
    product.inbox.trouble({ at: 'recipient', does: '550 5.1.1 User unknown', to: wrong });
    await signUp(page, wrong);
    const note = page.getByRole('alert').filter({ hasText: `We could not deliver email to ${wrong}` });
    await expect(note).toContainText('there is no such mailbox', { timeout: 60_000 });
    await expect(page.getByText('Open it within three days')).toBeHidden();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Change my email' }).click();
    const modal = page.getByRole('dialog', { name: 'Change my email' });
    await modal.getByLabel('Email').fill(right);
    await modal.getByLabel('Current password').fill(password);
    await modal.getByRole('button', { name: 'Save' }).click();
    await expect(note).toBeHidden();
    await expect(page.getByText(`We sent a verification link to ${right}`)).toBeVisible();
    product.inbox.trouble(null);
    await followLink(page, product.inbox, right, 'Verify your email address');
    await expect(page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();
  });

  test('is said in the settings, and can be tried again when it works', async ({ page, product }) => {
    const { email } = await join(page, product);
    product.inbox.trouble({ at: 'recipient', does: '550 5.1.1 User unknown', to: email });
    await page.request.post('/api/identity/password-reset', { data: { email }, headers: { origin: product.url } });
    await expect.poll(() => product.inbox.struck(), { timeout: 60_000 }).toBeGreaterThan(0);
    await page.goto('/settings?section=security');
    const note = page.getByRole('alert').filter({ hasText: `We could not deliver email to ${email}` });
    await expect(note).toBeVisible();
    await expectAccessible(page);
    product.inbox.trouble(null);
    await page.getByRole('button', { name: 'Try this address again' }).click();
    await expect(toast(page, 'We are sending another email to this address')).toBeVisible();
    await expect(note).toBeHidden({ timeout: 60_000 });
    await product.inbox.next(email, 'Your email address works again');
  });

  test('is said as well when it was to be the new one', async ({ page, product }) => {
    await join(page, product);
    const wrong = newAddress();
    product.inbox.trouble({ at: 'recipient', does: '550 5.1.1 User unknown', to: wrong });
    await page.goto('/settings?section=security');
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Email address' }) });
    await section.getByLabel('Email').fill(wrong);
    await section.getByLabel('Current password').fill(password);
    await section.getByRole('button', { name: 'Save' }).click();
    await expect(section.getByRole('alert')).toContainText(`We could not deliver email to ${wrong}`, {
      timeout: 60_000,
    });
    await expect(section.getByRole('alert')).toContainText('Your old address is still in use.');
    await expect(section.getByLabel('Email'), 'it can be entered anew').toBeVisible();
    product.inbox.trouble(null);
  });
});
