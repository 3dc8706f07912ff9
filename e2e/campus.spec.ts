import type { Page } from '@playwright/test';
import { totpCode, totpStep } from '#server/platform/crypto/totp.ts';
import { type Person, type TestIssuer, createPerson, openIssuer, writeCampusSettings } from '#server/testing/campus.ts';
import { decodeSecret } from '#server/testing/second-factor.ts';
import { enterConfirmedMode } from './confirmed-mode.ts';
import { expectAccessible } from './expect-accessible.ts';
import {
  createMember,
  createVerifiedAccount,
  expect,
  getCurrentUser,
  password,
  send,
  startSession,
  type TestServer,
  test as base,
  toast,
} from './fixtures.ts';

const test = base.extend<object, { campus: TestIssuer; campusUrl: string }>({
  campus: [
    async ({}, use) => {
      const issuer = await openIssuer();
      await use(issuer);
      await issuer.close();
    },
    { scope: 'worker' },
  ],
  campusUrl: [
    async ({ server, campus }, use) => {
      const settings = writeCampusSettings(campus.issuer, { affiliationClaim: 'affiliation', accountEndMonths: 6 });
      const second = await server.startSecondServer(settings.environment as Record<string, string>);
      await use(second.url);
      await second.stop();
      settings.remove();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ campusUrl }, use) => use(campusUrl),
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

/** Checks a state of the page in both themes, and on the narrowest phone. */
async function expectUsable(page: Page): Promise<void> {
  const size = page.viewportSize() ?? { width: 0, height: 0 };
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, 'color-contrast');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ ...size, width: 320 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await page.setViewportSize(size);
}

/** Goes to the university from a page with the link, and signs in there. */
async function comeAs(page: Page, campus: TestIssuer, person: Person, link = 'Use your OUE account instead') {
  campus.people = { 'This person': person };
  await page.getByRole('link', { name: link }).click();
  await page.getByRole('link', { name: 'This person' }).click();
}

const choosePassword = async (page: Page) => {
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm password').fill(password);
};

/** Signs in with a password that was entered a while ago. */
async function signInEarlier(page: Page, email: string, server: TestServer): Promise<void> {
  await startSession(page, email, password);
  await server.query(
    `update sessions set authenticated_at = now() - interval '1 hour'
     where account_id = (select id from accounts where email = $1)`,
    email,
  );
}

test('a newcomer signs up with a campus account and a password, by keyboard', async ({ page, campus }) => {
  const person = createPerson();
  campus.people = { 'This person': person };
  await page.goto('/signup?from=/gallery');
  await expectUsable(page);
  await page.getByRole('link', { name: 'Use your OUE account instead' }).press('Enter');
  await page.getByRole('link', { name: 'This person' }).press('Enter');
  await expect(heading(page, 'Create your account')).toBeVisible();
  await expect(page.getByText(`Your address is ${String(person['email'])}.`)).toBeVisible();
  await expectUsable(page);
  await page.getByLabel('Password', { exact: true }).focus();
  await page.keyboard.type(password);
  await page.getByLabel('Confirm password').focus();
  await page.keyboard.type('another one');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Confirm password')).toBeFocused();
  await page.getByLabel('Confirm password').fill(password);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/onboarding');
  await expect(toast(page, 'Signed up successfully')).toBeVisible();

  await page.context().clearCookies();
  await page.goto('/login?from=/account');
  await comeAs(page, campus, person);
  await expect(page).toHaveURL('/account');
});

test(
  'a person whose address is taken signs in, then connects',
  { tag: '@release' },
  async ({ page, campus, server }) => {
    const person = createPerson();
    const email = String(person['email']);
    const member = await createMember(page, server);
    await server.query('update accounts set email = $2 where id = $1', member.uid, email);
    await page.context().clearCookies();
    await page.goto('/login');
    await comeAs(page, campus, person);
    await expect(heading(page, 'You already have an account')).toBeVisible();
    await expectUsable(page);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(heading(page, 'Connect your OUE account')).toBeVisible();
    await expectUsable(page);
    await page.getByRole('button', { name: 'Connect' }).click();
    await expect(heading(page, 'Your OUE account is connected')).toBeVisible();
    await expectUsable(page);
    await page.getByRole('link', { name: 'Continue' }).click();
    await expect(page).toHaveURL('/');
  },
);

test('a member connects and disconnects in the settings, with the password', async ({ page, campus, server }) => {
  const person = createPerson();
  const { email } = await createMember(page, server, { yearGraduated: 2015 });
  await signInEarlier(page, email, server);
  await page.goto('/settings?section=security');
  await expectUsable(page);
  await comeAs(page, campus, person, 'Connect');
  await page.getByRole('button', { name: 'Connect' }).click();
  await expect(page.getByText('Enter your password')).toBeVisible();
  await expect(page.getByLabel('Current password')).toBeFocused();
  await expectUsable(page);
  await page.getByLabel('Current password').fill('not this one');
  await page.getByRole('button', { name: 'Connect' }).click();
  await expect(page.getByText('Wrong password')).toBeVisible();
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(page).toHaveURL('/settings?section=security');
  await expect(page.getByText(String(person['email']))).toBeVisible();
  await expectUsable(page);

  // Another person’s university account is never exchanged for the connected one.
  campus.people = { 'This person': createPerson() };
  await page.goto('/auth/campus');
  await page.getByRole('link', { name: 'This person' }).click();
  await expect(page.getByText('Another OUE account is connected to your account.')).toBeVisible();
  await expectUsable(page);
  await page.getByRole('link', { name: 'Security settings' }).click();
  await expect(page).toHaveURL('/settings?section=security');

  await signInEarlier(page, email, server);
  await page.reload();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm your password' });
  await dialog.getByLabel('Current password').fill(password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(toast(page, 'OUE account disconnected')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Connect' })).toBeVisible();
});

test('the security settings say when the university ends the address', async ({ page, campus, server }) => {
  const person = createPerson();
  const { uid } = await createMember(page, server, { yearGraduated: new Date().getFullYear() });
  await server.query('update accounts set email = $2 where id = $1', uid, String(person['email']));
  campus.people = {};
  await page.goto('/settings?section=security');
  await expect(
    page.getByText(
      `OUE will close this address on 30 June ${new Date().getFullYear() + 1}. Change it to a personal one.`,
    ),
  ).toBeVisible();
  await expectUsable(page);
});

test(
  'a person whom the university does not confirm can try again or use the password',
  { tag: '@release' },
  async ({ page, campus }) => {
    const address = { email: 'ada.the.first.of.her.name@a-rather-long-mail-provider.example' };
    const people = {
      refused: createPerson({ sub: '' }),
      wrong: createPerson(address),
      unverified: createPerson({ email_verified: false }),
    };
    const isDown = campus.isDown;
    for (const [label, sentence, person] of [
      ['Cancel', 'You cancelled the sign-in at OUE.', null],
      ['This person', 'OUE’s answer could not be verified (reference ', people.refused],
      ['This person', `${address.email} is not an OUE account.`, people.wrong],
      ['This person', 'OUE did not confirm your address. Use your password.', people.unverified],
      ['This person', 'OUE does not answer.', createPerson()],
    ] as const) {
      await page.goto('/login?from=/gallery');
      campus.people = person ? { 'This person': person } : {};
      await page.getByRole('link', { name: 'Use your OUE account instead' }).click();
      campus.isDown = (path) => sentence === 'OUE does not answer.' && path === '/token';
      await page.getByRole('link', { name: label }).click();
      await expect(heading(page, 'You are not signed in')).toBeVisible();
      await expect(page.getByText(sentence)).toBeVisible();
      await expectUsable(page);
    }
    campus.isDown = isDown;
    const again = page.getByRole('link', { name: 'Try again' });
    await expect(again).toHaveAttribute('href', '/auth/campus?from=%2Fgallery&again=1');
    await page.getByRole('link', { name: 'Use your password' }).click();
    await expect(page).toHaveURL('/login?from=%2Fgallery');
    await page.context().clearCookies();
    await page.goto('/campus');
    await expect(page.getByText('This took longer than 10 minutes, or began in another browser.')).toBeVisible();
    await expectUsable(page);
  },
);

test(
  'a person whose account is disabled, or whose network tries too often, can use the password',
  { tag: '@release' },
  async ({ page, campus, server }) => {
    const person = createPerson();
    const { uid } = await createMember(page, server);
    await server.query(
      'insert into campus_identities (account_id, issuer, subject, email) values ($1, $2, $3, $4)',
      uid,
      campus.issuer,
      person.sub,
      String(person['email']),
    );
    for (const [change, sentence] of [
      [`update accounts set disabled_at = now() where id = '${uid}'`, 'This account is disabled.'],
      [
        `update accounts set disabled_at = null, suspended_until = now() + interval '3 days' where id = '${uid}'`,
        'This account is suspended until ',
      ],
      [
        `update long_throttles set hits = 600 where key like 'campusByAddress:%'`,
        'Too many attempts. Try again in 15 minutes (auth/too-many-requests)',
      ],
    ] as const) {
      await server.query(change);
      await page.context().clearCookies();
      await page.goto('/login?from=/gallery');
      await comeAs(page, campus, person);
      await expect(heading(page, 'You are not signed in')).toBeVisible();
      await expect(page.getByText(sentence)).toBeVisible();
      await expectUsable(page);
      await expect(page.getByRole('link', { name: 'Try again' })).toBeVisible();
    }
    await page.getByRole('link', { name: 'Use your password' }).click();
    await expect(page).toHaveURL('/login?from=%2Fgallery');
    await server.query(`delete from long_throttles where key like 'campusByAddress:%'`);
  },
);

test('a second factor is asked for after campus sign-on', async ({ page, campus, server }) => {
  const person = createPerson();
  await createMember(page, server);
  const { secret } = (await send(page, 'POST', '/api/identity/authenticator', {})) as { secret: string };
  await page.goto('/settings?section=security');
  await comeAs(page, campus, person, 'Connect');
  await page.getByRole('button', { name: 'Connect' }).click();
  await expect(heading(page, 'Your OUE account is connected')).toBeVisible();
  const code = (step: number) => totpCode(decodeSecret(secret), totpStep() + step);
  await send(page, 'POST', '/api/identity/authenticator/confirm', { code: code(0) });
  await page.context().clearCookies();
  await page.goto('/login?from=/gallery');
  await comeAs(page, campus, person);
  await expect(page.getByText('OUE confirmed your account. Now confirm that it is you.')).toBeVisible();
  await expectUsable(page);
  await page.getByLabel('Code').fill(code(1));
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page).toHaveURL('/gallery');
});

test('a student is confirmed with what the university says', async ({ page, campus, server }) => {
  const person = createPerson({ given_name: 'Ọládélé', family_name: 'Abíọ́dún', affiliation: 'alum@oue.edu.ng' });
  await createMember(page, server, { matricNumber: `C${Date.now()}` });
  await enterConfirmedMode(server);
  await page.goto('/confirm');
  await page.getByText('Use your OUE account').click();
  await expectUsable(page);
  await comeAs(page, campus, person, 'Continue to OUE');
  await page.getByRole('button', { name: 'Connect' }).click();
  await expect(page.getByText('OUE says: Ọládélé Abíọ́dún, graduate.')).toBeVisible();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Confirm my membership' }).click();
  await expect(page).toHaveURL('/confirm');
  await expect.poll(async () => (await getCurrentUser(page)).membership?.status).toBe('confirmed');
  // The page of another account says that this one is taken.
  await page.context().clearCookies();
  await createVerifiedAccount(page, server);
  await page.goto('/auth/campus');
  await page.getByRole('link', { name: 'This person' }).click();
  await expect(page.getByText('It is connected to another account in the archive.')).toBeVisible();
  await expectUsable(page);
});

test('signing up, connecting and confirming work without JavaScript', async ({
  browser,
  campus,
  campusUrl,
  server,
}) => {
  const context = await browser.newContext({
    baseURL: campusUrl,
    javaScriptEnabled: false,
    extraHTTPHeaders: { 'x-forwarded-for': '10.7.0.2' },
  });
  const page = await context.newPage();
  const newcomer = createPerson();
  await page.goto('/signup');
  await comeAs(page, campus, newcomer);
  await choosePassword(page);
  await page.getByLabel('Confirm password').fill('another one');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('Passwords does not match')).toBeVisible();
  await choosePassword(page);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page).toHaveURL('/onboarding');

  await context.clearCookies();
  const { email } = await createMember(page, server);
  await signInEarlier(page, email, server);
  await enterConfirmedMode(server);
  await page.goto('/confirm');
  await page.getByText('Use your OUE account').click();
  await comeAs(page, campus, createPerson(), 'Continue to OUE');
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Connect' }).click();
  await expect(page.getByText('The alumni office checks your request.')).toBeVisible();
  await page.getByRole('button', { name: 'Confirm my membership' }).click();
  await expect(heading(page, 'Your request is with the alumni office')).toBeVisible();
  await context.close();
});
