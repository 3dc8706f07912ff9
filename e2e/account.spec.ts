import { findCode } from '#server/testing/inbox.ts';
import {
  createAccount,
  expect,
  expectReadable,
  followLink,
  getCurrentUser,
  holdRequests,
  createVerifiedAccount,
  createAddress,
  openLogoutDialog,
  openOtherBrowser,
  password,
  signIn,
  startSession,
  test,
  toast,
  waitForHydration,
  expectAtEverySize,
} from './fixtures.ts';
import { makeStaff } from './staff-data.ts';

test.describe('the verification page (specification, sections 2 and 4)', () => {
  test(
    'counts down from 179 seconds until an email can be resent, also after a reload',
    { tag: ['@spec-2.16', '@spec-2.18', '@spec-4.29', '@spec-4.30', '@spec-8.17'] },
    async ({ page, server }) => {
      const email = await createAccount(page);
      await page.clock.install();
      await page.goto('/send-verification-email');
      const resend = page.getByRole('button', { name: /^Resend/u });
      await expect(resend).toBeEnabled();
      await resend.click();
      await expect(toast(page, /^Verification email sent successfully$/u)).toBeVisible();
      await expect(resend).toBeDisabled();
      await expect(resend).toHaveText(/Resend in 02:5\d/u);
      await expectReadable(resend.getByText(/\d\d:\d\d/u));
      // From here on only the test advances the clock.
      await page.clock.pauseAt(Date.now() + 2_000);
      const [, minutes, seconds] = /(\d\d):(\d\d)/u.exec(await resend.innerText()) ?? [];
      await page.clock.fastForward((Number(minutes) * 60 + Number(seconds) - 1) * 1000);
      await expect(resend).toHaveText('Resend in 00:01');
      await expect(resend).toBeDisabled();
      await page.clock.fastForward(1_000);
      await expect(resend).toHaveText('Resend');
      await expect(resend).toBeEnabled();
      await page.clock.resume();
      await page.reload();
      await expect(page.getByText(`We sent a verification link to ${email}`)).toBeVisible();
      await expect(resend).toBeDisabled();
      await expect(resend).toHaveText(/Resend in 02:[45]\d/u);
      await expectAtEverySize(page, page.getByText(email), resend, page.getByText('Change my email'));
      // Two emails have arrived. Only the link of the second one works.
      await server.inbox.next(email, 'Verify your email address');
      await followLink(page, server.inbox, email, 'Verify your email address');
      await expect(page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();
    },
  );

  test(
    'continues automatically after the emailed link was opened in another browser',
    { tag: ['@spec-1.4', '@spec-1.5', '@spec-2.20', '@spec-4.31', '@spec-7.9'] },
    async ({ page, server }) => {
      await page.clock.install();
      const email = await createAccount(page);
      await page.goto('/send-verification-email');
      const other = await openOtherBrowser(page, server);
      await followLink(other.page, server.inbox, email, 'Verify your email address');
      await expect(other.page.getByText(email)).toBeVisible();
      await other.page.getByRole('button', { name: 'Confirm my address' }).click();
      await expect(other.page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();
      await other.context.close();
      await expect(page).toHaveURL('/send-verification-email');
      // The page polls every ten seconds.
      await page.clock.fastForward(10_000);
      await expect(page).toHaveURL('/');
      await page.getByRole('link', { name: 'Complete your profile' }).click();
      await expect(page).toHaveURL('/onboarding');
    },
  );

  test(
    'lets a user correct a mistyped address with the password',
    { tag: ['@spec-2.17', '@spec-2.19', '@spec-7.10', '@spec-7.11', '@spec-8.19', '@spec-8.20'] },
    async ({ page, server }) => {
      const wrong = await createAccount(page);
      await page.goto('/send-verification-email');
      const right = createAddress();
      await page.getByRole('button', { name: 'Change my email' }).click();
      const modal = page.getByRole('dialog', { name: 'Change my email' });
      await modal.getByLabel('Email').fill(right);
      await modal.getByLabel('Current password').fill('not my password');
      await modal.getByRole('button', { name: 'Save' }).click();
      await expect(toast(page, '(auth/invalid-credential)')).toBeVisible();
      await expect(modal.getByLabel('Email')).toHaveValue(right);
      await modal.getByLabel('Current password').fill(password);
      await modal.getByRole('button', { name: 'Save' }).click();
      await expect(toast(page, /^Email Changed Successfully$/u)).toBeVisible();
      await expect(page.getByText(right)).toBeVisible();
      await expect(page.getByText(wrong)).toBeHidden();
      await followLink(page, server.inbox, right, 'Verify your email address');
      await expect(page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();
    },
  );
});

test.describe('emailed links (D3 and D4 in docs/conformance.md)', () => {
  test(
    'redirect to /login with a toast if a verification link is invalid',
    { tag: ['@spec-2.28', '@spec-2.36', '@spec-8.7'] },
    async ({ page }) => {
      await page.goto('/auth/verify?mode=verifyEmail&oobCode=nonsense');
      await expect(toast(page, /^Email verification failed\. Try again$/u)).toBeVisible();
      await expect(page).toHaveURL('/login');
    },
  );

  test(
    'redirect to /reset-password with a toast if a reset link is invalid',
    { tag: ['@spec-2.36', '@spec-4.26', '@spec-4.27', '@spec-8.8'] },
    async ({ page, server }) => {
      const email = await createAccount(page);
      const otherCode = findCode(await server.inbox.next(email, 'Verify your email address'));
      await page.context().clearCookies();
      for (const code of ['nonsense', otherCode]) {
        await page.goto(`/auth/action?mode=resetPassword&oobCode=${code}`);
        await expect(toast(page, /^Email verification failed\. Try again$/u)).toBeVisible();
        await expect(page).toHaveURL('/reset-password');
      }
    },
  );

  test(
    'are reported as invalid without a request to the server if they contain no code',
    {
      tag: ['@spec-8.7', '@spec-8.8'],
    },
    async ({ page }) => {
      const checks: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/action-code/')) checks.push(request.url());
      });
      await page.goto('/recover-email');
      await expect(page.getByRole('heading', { name: 'This link cannot be used' })).toBeVisible();
      await expect(page.getByText('(auth/invalid-action-code)')).toBeVisible();
      await page.goto('/new-password');
      await expect(page).toHaveURL('/reset-password');
      const failed = toast(page, /^Email verification failed\. Try again$/u);
      await expect(failed).toBeVisible();
      await page.goto('/verify-email-address');
      await expect(page).toHaveURL('/login');
      await expect(failed).toBeVisible();
      expect(checks).toEqual([]);
    },
  );

  test(
    'redirect to /login if their mode is unknown',
    { tag: ['@spec-2.35', '@asvs-3.7.2'] },
    async ({ page, request }) => {
      for (const address of ['/auth/verify?mode=signIn&oobCode=x', '/auth/verify', '/auth/action?mode=__proto__']) {
        const response = await request.get(address, { maxRedirects: 0 });
        expect([response.status(), response.headers()['location']]).toEqual([302, '/login']);
      }
      await page.goto('/auth/verify?mode=signIn&oobCode=x');
      await expect(page).toHaveURL('/login');
    },
  );

  test(
    'do not verify an address when a mail scanner opens them and runs JavaScript',
    { tag: '@asvs-7.6.2' },
    async ({ page, request, server }) => {
      const email = await createAccount(page);
      const mail = await server.inbox.next(email, 'Verify your email address');
      const links = new Set(
        [...mail.text.matchAll(/https?:\/\/\S+/gu), ...mail.html.matchAll(/https?:\/\/[^"<\s]+/gu)].map(([link]) =>
          link.replaceAll('&#38;', '&'),
        ),
      );
      expect(links.size).toBeGreaterThan(0);
      const scanner = await openOtherBrowser(page, server);
      for (const link of links) {
        for (const method of ['HEAD', 'GET']) expect((await request.fetch(link, { method })).status(), link).toBe(200);
        await scanner.page.goto(link);
        await expect(scanner.page.getByRole('button', { name: 'Confirm my address' })).toBeVisible();
      }
      await scanner.context.close();
      const session = await page.request.get('/api/identity/session');
      expect(await session.json()).toMatchObject({ user: { email, emailVerified: false } });
      const [link = ''] = links;
      await page.goto(link);
      await expect(page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();
    },
  );

  test(
    'show the congratulations again when a verification link is opened twice',
    {
      tag: '@spec-8.7',
    },
    async ({ page, server }) => {
      const email = await createAccount(page);
      const mail = await server.inbox.next(email, 'Verify your email address');
      const [link = ''] = /http\S+/u.exec(mail.text) ?? [];
      await page.route('**/action-code/apply', (route) => route.abort());
      await page.goto(link);
      await expect(toast(page, /^Email verification failed\. Try again$/u)).toBeVisible();
      await page.unroute('**/action-code/apply');
      for (let visit = 0; visit < 2; visit++) {
        await page.goto(link);
        await expect(page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();
      }
    },
  );
});

test(
  'a user resets a forgotten password and signs in with the new one',
  {
    tag: [
      '@spec-1.3',
      '@spec-2.12',
      '@spec-2.22',
      '@spec-2.24',
      '@spec-2.32',
      '@spec-4.28',
      '@spec-5.35',
      '@spec-5.36',
      '@spec-8.6',
      '@spec-8.9',
      '@spec-8.10',
    ],
  },
  async ({ page, server }) => {
    const { email } = await createVerifiedAccount(page, server);
    const other = await openOtherBrowser(page, server);
    await other.page.goto('/login');
    await other.page.getByRole('link', { name: 'Forgot your password?' }).click();
    // Both pages have a field with this name. Input before the navigation would go into the old page.
    await expect(other.page).toHaveURL('/reset-password');
    await other.page.getByLabel('Email').fill(email);
    await other.page.getByRole('button', { name: 'Send reset link' }).click();
    await expect(toast(other.page, /^Reset email sent$/u)).toBeVisible();
    await followLink(other.page, server.inbox, email, 'Choose a new password');
    await expect(other.page).toHaveURL(/\/new-password\?actionCode=/u);

    await test.step('a common password and the own address are rejected with the reason, and the link still works', async () => {
      const asked = other.page.waitForRequest('**/api/identity/password-status');
      await other.page.getByLabel('New password').fill('password1');
      expect((await asked).postDataJSON()).toMatchObject({ password: 'password1' });
      await expect(other.page.getByRole('listitem').filter({ hasText: 'Not a common password' })).toHaveText(
        /: not met$/u,
      );
      await other.page.getByLabel('Confirm password').fill('password1');
      await other.page.getByRole('button', { name: 'Reset password' }).click();
      await expect(toast(other.page, /^Error changing password$/u)).toBeVisible();
      await expect(other.page.getByText('This is a common password')).toBeVisible();
      for (const label of ['New password', 'Confirm password']) await other.page.getByLabel(label).fill(email);
      await other.page.getByRole('button', { name: 'Reset password' }).click();
      await expect(other.page.getByText('Choose a password that is not your email address')).toBeVisible();
    });

    await other.page.getByLabel('New password').fill('a word that is new');
    await other.page.getByLabel('Confirm password').fill('a word that is new');
    await other.page.getByRole('button', { name: 'Reset password' }).click();
    await expect(toast(other.page, /^Password changed successfully$/u)).toBeVisible();
    await expect(other.page).toHaveURL('/login');
    await signIn(other.page, email, 'a word that is new');
    await expect(other.page).toHaveURL('/onboarding');
    // The reset has ended the session of the browser that requested it.
    await page.goto('/onboarding');
    await expect(page).toHaveURL(/\/login/u);
    await other.context.close();
  },
);

test(
  'a failed sign-up says so, and a rejected address offers sign-in and password reset with that address',
  { tag: '@spec-8.3' },
  async ({ page }) => {
    const submit = async (word = password) => {
      await page.goto('/signup');
      await page.getByLabel('Email').fill('demo@alumni.example');
      for (const label of ['Password', 'Confirm password']) await page.getByLabel(label, { exact: true }).fill(word);
      await page.getByRole('button', { name: 'Sign up' }).click();
      await expect(page.getByRole('alert')).toHaveText('Sign up failed');
    };
    await submit('password1');
    await expect(page.getByText('This is a common password')).toBeVisible();
    await page.route('**/api/identity/sign-up', (route) => route.abort());
    await submit();
    await expect(page.getByText('(auth/network-request-failed)')).toBeVisible();
    await page.unroute('**/api/identity/sign-up');
    const refuse = async () => {
      await submit();
      await expect(page.getByText('(auth/email-already-in-use)')).toBeVisible();
      await expect(page).toHaveURL('/signup');
      await expect(page.getByText('This email address cannot be used')).toContainText(
        'If you already have an account, sign in or reset your password. Otherwise, use another address.',
      );
    };
    for (const [name, path] of [
      ['reset your password', '/reset-password'],
      ['sign in', '/login'],
    ] as const) {
      await refuse();
      await page.locator('form').getByRole('link', { name, exact: true }).click();
      await expect(page).toHaveURL(path);
      await expect(page.getByLabel('Email')).toHaveValue('demo@alumni.example');
    }
    await page.getByLabel('Password', { exact: true }).fill('olumo rock at dawn');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL('/');
  },
);

test.describe('signing in and out', () => {
  test(
    'shows the message and code of an error, also of an overloaded server, and keeps the input for another attempt',
    { tag: ['@spec-2.8', '@spec-8.1'] },
    async ({ page, browserConsole }) => {
      browserConsole.allow(/status of 503/u);
      await page.goto('/login');
      await page.getByLabel('Email').fill('demo@alumni.example');
      await page.getByLabel('Password', { exact: true }).fill('surely not this');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(toast(page, 'Wrong email or password (auth/invalid-credential)')).toBeVisible();
      await expect(page.getByLabel('Email')).toHaveValue('demo@alumni.example');
      await expect(page.getByLabel('Password', { exact: true })).toHaveValue('surely not this');
      await page.getByLabel('Password', { exact: true }).fill('olumo rock at dawn');
      // The response of load shedding (server/platform/limits/load-shedding.test.ts).
      const title = 'The server is overloaded or unavailable. Try again in a moment';
      await page.route('**/api/identity/sign-in', (route) =>
        route.fulfill({
          status: 503,
          contentType: 'application/problem+json',
          headers: { 'retry-after': '5' },
          body: JSON.stringify({
            type: 'urn:problem:unavailable',
            title,
            status: 503,
            code: 'unavailable',
            retryAfter: 5,
          }),
        }),
      );
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(toast(page, `${title} (unavailable)`)).toBeVisible();
      await expect(page.getByLabel('Password', { exact: true })).toHaveValue('olumo rock at dawn');
      await page.unroute('**/api/identity/sign-in');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page).toHaveURL('/');
    },
  );

  test(
    'returns to the requested page of this site with a welcome toast',
    { tag: ['@spec-1.2', '@spec-2.8', '@spec-2.10', '@spec-2.11', '@spec-8.2', '@asvs-1.2.2', '@asvs-3.7.2'] },
    async ({ page }) => {
      await page.goto('/myprofile');
      await expect(page).toHaveURL('/login?from=%2Fmyprofile');
      await expect(toast(page, 'Please login to continue')).toBeVisible();
      await page.getByLabel('Email').fill('demo@alumni.example');
      await page.getByLabel('Password', { exact: true }).fill('olumo rock at dawn');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page).toHaveURL('/myprofile');
      await expect(toast(page, /^Welcome$/u)).toBeVisible();
      await page.goto('/login?from=%2Fgallery');
      await expect(page).toHaveURL('/gallery');
      for (const elsewhere of [
        '//evil.example',
        '/\\evil.example',
        '/.//evil.example',
        '/%2e//evil.example',
        '/home/..//evil.example',
        '/\t/evil.example',
        '/\t/[',
        'https://evil.example',
        'javascript:alert(1)',
      ]) {
        await page.goto(`/login?from=${encodeURIComponent(elsewhere)}`);
        await expect(page).toHaveURL('/');
      }
    },
  );

  test(
    'redirects signed-in users away from login, sign-up and reset',
    { tag: ['@spec-2.9', '@spec-2.20', '@spec-2.40', '@spec-4.10', '@spec-6.5', '@spec-7.14'] },
    async ({ page, server }) => {
      const expectRedirect = async (paths: string[], target: string) => {
        for (const path of paths) {
          await page.goto(path);
          await expect(page, path).toHaveURL(target);
        }
      };
      const forGuests = ['/login', '/signup', '/reset-password'];
      await page.goto('/reset-password');
      await waitForHydration(page);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await expect(page).toHaveURL('/login');
      await page.getByLabel('Email').fill('demo@alumni.example');
      await page.getByLabel('Password', { exact: true }).fill('olumo rock at dawn');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page).toHaveURL('/');
      await page.goBack();
      await expect(page).toHaveURL('/');
      await page.context().clearCookies();
      const second = await page.context().newPage();
      await second.goto('/login');
      await waitForHydration(second);
      await signIn(page);
      await expect(second).toHaveURL('/');
      await second.close();
      await expectRedirect([...forGuests, '/send-verification-email', '/onboarding'], '/');
      await page.context().clearCookies();
      await createAccount(page);
      await expectRedirect(forGuests, '/send-verification-email');
      await page.context().clearCookies();
      await createVerifiedAccount(page, server);
      await expectRedirect(forGuests, '/onboarding');
      await makeStaff(server, (await getCurrentUser(page)).uid, 'owner');
      await expectRedirect(['/send-verification-email'], '/');
    },
  );

  test('redirects to /login on the next navigation or action after the session was ended elsewhere', async ({
    page,
  }) => {
    await startSession(page);
    await page.goto('/');
    await page.context().clearCookies();
    await page.getByRole('link', { name: /^Notifications/u }).click();
    await expect(page).toHaveURL('/login?from=%2Fnotification');
    await expect(toast(page, 'Please login to continue')).toBeVisible();
    await startSession(page);
    // With the notification stream, the page would sign out before the test can act.
    await page.route('**/api/notifications/stream', (route) => route.abort());
    await page.goto('/settings?section=information');
    await page.getByLabel('Short bio').fill('Never to be saved');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page).toHaveURL('/login?from=%2Fsettings%3Fsection%3Dinformation');
    await expect(page.getByRole('alert')).toHaveText(['Please login to continue']);
  });

  test(
    'signs out every tab after a confirmation',
    {
      tag: [
        '@desk',
        '@spec-2.69',
        '@spec-2.70',
        '@spec-4.32',
        '@spec-7.13',
        '@spec-7.14',
        '@asvs-3.5.5',
        '@asvs-7.4.4',
      ],
    },
    async ({ page, context }) => {
      await startSession(page);
      await page.goto('/');
      const second = await context.newPage();
      await second.goto('/myprofile');
      await expect(second.getByText('View as')).toBeVisible();
      await openLogoutDialog(page, false);
      const modal = page.getByRole('dialog', { name: 'Do you really want to bail on us?', exact: true });
      await expect(modal.getByRole('heading')).toHaveText('Do you really want to bail on us?');
      await expect(modal.getByRole('button').filter({ hasText: /./u })).toHaveText(['No!!!', 'Sure']);
      await expectAtEverySize(page, modal.getByText('No!!!'), modal.getByText('Sure'));
      await modal.getByRole('button', { name: 'No!!!' }).click();
      await expect(modal).toBeHidden();
      expect((await getCurrentUser(page)).email).toBe('demo@alumni.example');
      await openLogoutDialog(page, false);
      // The modal closes after the sign-out, not before.
      const release = await holdRequests(page, '**/api/identity/sign-out');
      const asked = page.waitForRequest('**/api/identity/sign-out');
      await modal.getByRole('button', { name: 'Sure' }).click();
      await asked;
      await expect(modal).toBeVisible();
      release();
      await expect(modal).toBeHidden();
      await expect(page).toHaveURL('/login');
      await expect(second).toHaveURL(/\/login/u);
      await page.goto('/');
      await expect(page.getByRole('link', { name: 'Guest Login' })).toBeVisible();
    },
  );
});

test.describe('forms (specification, section 5)', () => {
  test(
    'show the specified message after a field was touched, until its value is valid',
    { tag: ['@spec-2.76', '@spec-5.1', '@spec-5.2', '@spec-5.7', '@spec-5.8', '@spec-5.9', '@spec-5.11'] },
    async ({ page }) => {
      await page.goto('/signup');
      const email = page.getByLabel('Email');
      const first = page.getByLabel('Password', { exact: true });
      const second = page.getByLabel('Confirm password');
      await expect(page.getByRole('button', { name: 'Sign up' })).toBeEnabled();
      await email.fill('nobody');
      await expect(page.getByText('Please enter a valid email address')).toBeHidden();
      await email.blur();
      await expect(page.getByText('Please enter a valid email address')).toBeVisible();
      await expect(email).toHaveAttribute('aria-invalid', 'true');
      await email.fill('');
      await expect(page.getByText('Email is required')).toBeVisible();
      await email.fill('somebody@mail.example');
      await expect(email).toHaveAttribute('aria-invalid', 'false');
      await first.fill('12345');
      await first.blur();
      await expect(page.getByText('Password cannot be less than six characters')).toBeVisible();
      // The confirmation is empty, but was not touched yet.
      await expect(second).toHaveAccessibleDescription('');
      await expect(page.getByText('Field cannot be empty')).toHaveCount(0);
      await first.fill('x'.repeat(101));
      await expect(page.getByText('Password cannot be more than hundred character')).toBeVisible();
      await first.fill('long enough');
      await second.fill('something else');
      await second.blur();
      await expect(page.getByText('Passwords does not match')).toBeVisible();
      await second.fill('long enough');
      await expect(page.getByText('Passwords does not match')).toBeHidden();
      // The confirmation is checked again when the password changes.
      await first.fill('longer than that');
      await expect(page.getByText('Passwords does not match')).toBeVisible();
      await first.fill('long enough');
      await expect(page.getByText('Passwords does not match')).toHaveCount(0);
    },
  );

  test(
    'mark every field as touched on submit, focus the first invalid field, and show the busy label while a request runs',
    { tag: ['@spec-4.21', '@spec-5.3', '@spec-5.5', '@spec-5.6'] },
    async ({ page }) => {
      await page.goto('/login');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByText('Email is required')).toBeVisible();
      await expect(page.getByText('Field cannot be empty')).toBeVisible();
      await expect(page.getByLabel('Email')).toBeFocused();

      // The button can show its label before the request reaches the route.
      const gate = Promise.withResolvers<void>();
      await page.route('**/api/identity/sign-in', async (route) => {
        await gate.promise;
        await route.abort();
      });
      await page.getByLabel('Email').fill('demo@alumni.example');
      await page.getByLabel('Password', { exact: true }).fill('whatever');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByRole('button', { name: 'Signing in...' })).toBeDisabled();
      gate.resolve();
      await expect(toast(page, '(auth/network-request-failed)')).toBeVisible();
      await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled();
    },
  );

  test(
    'keep what is typed before hydration, and never put it into the URL',
    { tag: '@asvs-14.2.1' },
    async ({ page }) => {
      // The scripts are delayed, as on a slow network.
      const release = await holdRequests(page, '**/assets/*.js');
      await page.goto('/login', { waitUntil: 'commit' });
      await page.getByLabel('Email').fill('demo@alumni.example');
      await page.getByLabel('Password', { exact: true }).fill('olumo rock at dawn');
      await page.getByLabel('Password', { exact: true }).press('Enter');
      expect(new URL(page.url()).search).toBe('');
      await expect(page.getByLabel('Email')).toHaveValue('demo@alumni.example');
      release();
      await expect(page).toHaveURL('/');
    },
  );
});
