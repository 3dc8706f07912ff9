import type { CDPSession, Page } from '@playwright/test';
import { totpCode, totpStep } from '#server/platform/crypto/totp.ts';
import { decodeSecret } from '#server/testing/second-factor.ts';
import { expectAccessible } from './expect-accessible.ts';
import {
  expect,
  createMember,
  createAddress,
  openOtherBrowser,
  password,
  type TestServer,
  test,
  toast,
  getCurrentUser,
} from './fixtures.ts';

async function openSecurityAsMember(page: Page, server: TestServer): Promise<string> {
  const { email } = await createMember(page, server);
  await page.goto('/settings?section=security');
  await expect(page.getByText('Off: your password alone is enough to sign in.')).toBeVisible();
  return email;
}

const getTotpCode = (secret: Buffer, step = 0) => totpCode(secret, totpStep() + step);

async function submitPassword(page: Page, email: string): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'One more step' })).toBeVisible();
}

async function expectUsable(page: Page): Promise<void> {
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}

async function readRecoveryCodes(page: Page): Promise<string[]> {
  const dialog = page.getByRole('dialog', { name: 'Your recovery codes' });
  await expect(dialog.getByRole('listitem')).toHaveCount(10);
  const codes = await dialog.getByRole('listitem').allTextContents();
  await expectUsable(page);
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  await expect(dialog).toBeHidden();
  return codes;
}

async function addVirtualAuthenticator(page: Page): Promise<{ client: CDPSession; id: string }> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { client, id: authenticatorId };
}

test('an authenticator app is set up, required, and removed', { tag: '@spec-8.2' }, async ({ page, server }) => {
  const email = await openSecurityAsMember(page, server);
  // The last sign-in is too long ago, so the page requires the password first.
  await server.query(
    `update sessions set authenticated_at = now() - interval '1 hour'
     where account_id = (select id from accounts where email = $1)`,
    email,
  );
  await page.getByRole('button', { name: 'Set up app' }).click();
  const again = page.getByRole('dialog', { name: 'Confirm your password' });
  await again.getByLabel('Current password').fill('not this one');
  await again.getByRole('button', { name: 'Continue' }).click();
  await expect(again.getByText('Wrong password')).toBeVisible();
  await again.getByLabel('Current password').fill(password);
  await again.getByRole('button', { name: 'Continue' }).click();

  const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' });
  await expect(dialog.getByRole('img', { name: 'QR code of the key' })).toBeVisible();
  await expectUsable(page);
  const secret = decodeSecret((await dialog.locator('code').innerText()).replaceAll(/\s/gu, ''));
  expect(await dialog.getByRole('link').getAttribute('href')).toContain('otpauth://totp/');
  await dialog.getByLabel('Code', { exact: true }).fill('12 34');
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await expect(dialog.getByText('Enter the six digits from your authenticator app')).toBeVisible();
  await dialog.getByLabel('Code', { exact: true }).fill(getTotpCode(secret));
  await dialog.getByLabel('Code', { exact: true }).press('Enter');
  await expect(toast(page, 'Authenticator app added')).toBeVisible();
  const codes = await readRecoveryCodes(page);
  await expect(page.getByText('On: you need a second step besides your password to sign in.')).toBeVisible();
  await expect(page.getByText('10 codes left.')).toBeVisible();
  await server.inbox.next(email, 'An authenticator app was added');

  await test.step('sign-in asks for a code, and a wrong code shows an error and keeps the input', async () => {
    const other = await openOtherBrowser(page, server);
    await submitPassword(other.page, email);
    await expect(other.page.getByLabel('Code')).toBeFocused();
    await expect(other.page.getByLabel('Code')).toHaveAttribute('autocomplete', 'one-time-code');
    await expect(other.page.getByLabel('Code')).toHaveAttribute('inputmode', 'numeric');
    await expectUsable(other.page);
    // The code that enabled the app cannot be used again.
    await other.page.getByLabel('Code').fill(getTotpCode(secret, -5));
    await other.page.getByRole('button', { name: 'Continue' }).click();
    await expect(toast(other.page, '(auth/invalid-verification-code)')).toBeVisible();
    await other.page.getByRole('button', { name: 'Back to sign-in' }).click();
    await expect(other.page.getByLabel('Email')).toHaveValue(email);
    await expect(other.page.getByLabel('Password', { exact: true })).toHaveValue(password);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByLabel('Code').fill(getTotpCode(secret, 1));
    await other.page.getByLabel('Code').press('Enter');
    await expect(other.page).toHaveURL('/');
    await expect(toast(other.page, /^Welcome$/u)).toBeVisible();
    expect((await getCurrentUser(other.page)).email).toBe(email);
    await other.context.close();
    await server.inbox.next(email, 'New sign-in to your account');
  });

  await test.step('a recovery code works once, with the keyboard alone', async () => {
    const other = await openOtherBrowser(page, server);
    await submitPassword(other.page, email);
    await other.page.getByRole('button', { name: 'Use a recovery code' }).press('Enter');
    await expect(other.page.getByLabel('Recovery code')).toBeFocused();
    await other.page.keyboard.type((codes[0] ?? '').toLowerCase());
    await other.page.keyboard.press('Enter');
    await expect(other.page).toHaveURL('/');
    await other.page.goto('/settings?section=security');
    await expect(other.page.getByText('9 codes left.')).toBeVisible();
    await other.context.close();
    await server.inbox.next(email, 'A recovery code was used');
  });

  await test.step('five wrong codes return to the password', async () => {
    const other = await openOtherBrowser(page, server);
    await submitPassword(other.page, email);
    for (let attempt = 0; attempt < 5; attempt++) {
      const answered = other.page.waitForResponse('**/api/identity/sign-in/second-factor');
      await other.page.getByLabel('Code').fill(getTotpCode(secret, 10 + attempt));
      await other.page.getByRole('button', { name: 'Continue' }).click();
      await answered;
    }
    await expect(other.page.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
    await expect(toast(other.page, '(auth/sign-in-expired)')).toBeVisible();
    await other.context.close();
    await server.inbox.next(email, 'Someone knows your password');
  });

  await test.step('new recovery codes replace the old ones, and the app is removed', async () => {
    await page.getByRole('button', { name: 'Create new codes' }).click();
    await page.getByRole('button', { name: 'Yes, create new ones' }).click();
    const renewed = await readRecoveryCodes(page);
    expect(renewed.filter((code) => codes.includes(code))).toEqual([]);
    await page.getByRole('button', { name: 'Remove app' }).click();
    await expect(page.getByText('It is your last second step')).toBeVisible();
    await page.getByRole('button', { name: 'Yes, remove it' }).click();
    await expect(toast(page, 'Authenticator app removed')).toBeVisible();
    await expect(page.getByText('Off: your password alone is enough to sign in.')).toBeVisible();
    await server.inbox.next(email, 'Your authenticator app was removed');
  });
});

test('a passkey works with and without a password', { tag: '@spec-8.2' }, async ({ page, server }) => {
  const email = await openSecurityAsMember(page, server);
  const { client, id } = await addVirtualAuthenticator(page);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByText('Field cannot be empty')).toBeVisible();
  await page.getByLabel('Name of the new passkey').fill('My old phone');
  await page.getByLabel('Name of the new passkey').press('Enter');
  await expect(toast(page, 'Passkey added')).toBeVisible();
  const codes = await readRecoveryCodes(page);
  const list = page.getByRole('list', { name: 'Passkeys' });
  await expect(list.getByRole('listitem')).toContainText(['My old phone']);
  await expectUsable(page);
  await server.inbox.next(email, 'A passkey was added');

  await test.step('a second passkey on the same device is rejected', async () => {
    await page.getByLabel('Name of the new passkey').fill('Once more');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await expect(toast(page, 'This device already has a passkey for your account')).toBeVisible();
  });

  await test.step('the passkey signs in without a password', async () => {
    await page.context().clearCookies();
    await page.goto('/login?from=%2Fmyprofile');
    await page.getByRole('button', { name: 'Use a passkey instead' }).click();
    await expect(page).toHaveURL('/myprofile');
    await expect(toast(page, /^Welcome$/u)).toBeVisible();
    expect((await getCurrentUser(page)).email).toBe(email);
  });

  await test.step('the passkey is the second step after the password', async () => {
    await page.context().clearCookies();
    await submitPassword(page, email);
    await expectUsable(page);
    await page.getByRole('button', { name: 'Continue with a passkey' }).click();
    await expect(page).toHaveURL('/');
    await expect(toast(page, /^Welcome$/u)).toBeVisible();
    expect((await getCurrentUser(page)).email).toBe(email);
  });

  await test.step('a failed user verification shows an error', async () => {
    await page.context().clearCookies();
    await client.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false });
    await page.goto('/login');
    await page.getByRole('button', { name: 'Use a passkey instead' }).click();
    await expect(toast(page, 'No passkey was used. You can try again (NotAllowedError)')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Use a passkey instead' })).toBeEnabled();
    expect(await getCurrentUser(page)).toBeNull();
    await client.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: true });
  });

  await test.step('a removed passkey is rejected, and the password is enough', async () => {
    await submitPassword(page, email);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(codes[3] ?? '');
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page).toHaveURL('/');
    await page.goto('/settings?section=security');
    await page.getByRole('button', { name: 'Remove My old phone' }).click();
    await page.getByRole('button', { name: 'Yes, remove it' }).click();
    await expect(toast(page, 'Passkey removed')).toBeVisible();
    await expect(page.getByText('Off: your password alone is enough to sign in.')).toBeVisible();
    await server.inbox.next(email, 'A passkey was removed');
    await page.context().clearCookies();
    await page.goto('/login');
    await page.getByRole('button', { name: 'Use a passkey instead' }).click();
    await expect(toast(page, '(auth/invalid-passkey)')).toBeVisible();
  });
});

test('a network failure in the second step shows an error, and the code can be sent again', async ({
  page,
  server,
}) => {
  const email = await openSecurityAsMember(page, server);
  await page.getByRole('button', { name: 'Set up app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' });
  const secret = decodeSecret((await dialog.locator('code').innerText()).replaceAll(/\s/gu, ''));
  await dialog.getByLabel('Code', { exact: true }).fill(getTotpCode(secret));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await readRecoveryCodes(page);
  await page.context().clearCookies();
  await submitPassword(page, email);
  await page.route('**/api/identity/sign-in/second-factor', (route) => route.abort());
  await page.getByLabel('Code').fill(getTotpCode(secret, 1));
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(toast(page, '(auth/network-request-failed)')).toBeVisible();
  await page.unroute('**/api/identity/sign-in/second-factor');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page).toHaveURL('/');
});

test(
  'a minimum password length above the default is shown while the user types and after a rejection',
  { tag: '@release' },
  async ({ page, server }) => {
    const strict = await server.startSecondServer({ PASSWORD_MIN: '10' });
    try {
      await page.goto(`${strict.url}/signup`);
      const rule = page.getByRole('listitem').filter({ hasText: '10 to 100 characters' });
      await expect(rule).toBeVisible();
      await page.getByLabel('Email').fill(createAddress());
      await page.getByLabel('Password', { exact: true }).fill('nine char');
      await page.getByLabel('Confirm password').fill('nine char');
      await expect(rule).toContainText('not met');
      await page.getByRole('button', { name: 'Sign up' }).click();
      await expect(page.getByText('Password cannot be less than 10 characters')).toBeVisible();
      await page.getByLabel('Password', { exact: true }).fill('ten  chars');
      await page.getByLabel('Confirm password').fill('ten  chars');
      await page.getByRole('button', { name: 'Sign up' }).click();
      await expect(page).toHaveURL(`${strict.url}/send-verification-email`);
    } finally {
      await strict.stop();
    }
  },
);
