import { expectAccessible } from './expect-accessible.ts';
import { expect, followLink, createMember, createAddress, password, signUp, test, toast } from './fixtures.ts';

test.describe('an undeliverable address', () => {
  test('is reported on the verification page and can be corrected there', async ({ page, server }) => {
    const wrong = createAddress();
    const right = createAddress();
    server.inbox.simulateFault({ at: 'recipient', does: '550 5.1.1 User unknown', to: wrong });
    await signUp(page, wrong);
    const note = page.getByRole('alert').filter({ hasText: `We could not deliver email to ${wrong}` });
    await expect(note).toContainText('this mailbox does not exist', { timeout: 60_000 });
    await expect(page.getByText('Open it within three days')).toBeHidden();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Change my email' }).click();
    const modal = page.getByRole('dialog', { name: 'Change my email' });
    await modal.getByLabel('Email').fill(right);
    await modal.getByLabel('Current password').fill(password);
    await modal.getByRole('button', { name: 'Save' }).click();
    await expect(note).toBeHidden();
    await expect(page.getByText(`We sent a verification link to ${right}`)).toBeVisible();
    server.inbox.simulateFault(null);
    await followLink(page, server.inbox, right, 'Verify your email address');
    await expect(page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();
  });

  test('is reported in the settings and can be tried again', { tag: '@release' }, async ({ page, server }) => {
    const { email } = await createMember(page, server);
    server.inbox.simulateFault({ at: 'recipient', does: '550 5.1.1 User unknown', to: email });
    await page.request.post('/api/identity/password-reset', { data: { email }, headers: { origin: server.url } });
    await expect.poll(() => server.inbox.countFaults(), { timeout: 60_000 }).toBeGreaterThan(0);
    await page.goto('/settings?section=security');
    const note = page.getByRole('alert').filter({ hasText: `We could not deliver email to ${email}` });
    await expect(note).toBeVisible();
    await expectAccessible(page);
    server.inbox.simulateFault(null);
    await page.getByRole('button', { name: 'Try this address again' }).click();
    await expect(toast(page, 'We are sending another email to this address')).toBeVisible();
    await expect(note).toBeHidden({ timeout: 60_000 });
    await server.inbox.next(email, 'Your email address works again');
  });

  test('is reported when it is the new address of a pending change', { tag: '@release' }, async ({ page, server }) => {
    await createMember(page, server);
    const wrong = createAddress();
    server.inbox.simulateFault({ at: 'recipient', does: '550 5.1.1 User unknown', to: wrong });
    await page.goto('/settings?section=security');
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Email address' }) });
    await section.getByLabel('Email').fill(wrong);
    await section.getByLabel('Current password').fill(password);
    await section.getByRole('button', { name: 'Save' }).click();
    await expect(section.getByRole('alert')).toContainText(`We could not deliver email to ${wrong}`, {
      timeout: 60_000,
    });
    await expect(section.getByRole('alert')).toContainText('Your old address is still in use.');
    await expect(section.getByLabel('Email'), 'the address can be entered again').toBeVisible();
    server.inbox.simulateFault(null);
  });
});
