import { type BrowserContext, expect, type Page, test as base } from '@playwright/test';
import sharp from 'sharp';
import type { User } from '#contract/identity.ts';
import { type Inbox, linkIn } from '#server/testing/inbox.ts';
import { openProduct, type Product } from './product.ts';

interface Fixtures {
  /** Console messages that a test expects; any other error or warning fails it. */
  readonly quiet: { readonly expected: readonly RegExp[]; expect(message: RegExp): void };
  readonly context: BrowserContext;
}

/** The browser's address, as the proxy in front of the product tells it: each test is somebody else. */
let visitors = 0;

export const test = base.extend<Fixtures, { product: Product }>({
  product: [
    async ({}, use) => {
      const { product, close } = await openProduct();
      try {
        await use(product);
      } finally {
        await close();
      }
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ product }, use) => use(product.url),
  extraHTTPHeaders: async ({}, use) => {
    visitors++;
    await use({ 'x-forwarded-for': `10.9.${visitors >> 8}.${visitors & 255}` });
  },
  quiet: async ({}, use) => {
    const expected: RegExp[] = [];
    await use({ expected, expect: (message) => void expected.push(message) });
  },
  context: async ({ context, quiet }, use) => {
    noise.length = 0;
    listenTo(context);
    await use(context);
    // Silence is a result: nothing unexpected may stand in the console, a breach of the policy least of all.
    expect(noise.filter((line) => !quiet.expected.some((pattern) => pattern.test(line)))).toEqual([]);
  },
});

export { expect, type Product };

/** What the pages of the running test have complained about, in whichever tab or browser. */
const noise: string[] = [];

/** Listens to every page of a browser. That an answer was 4xx is the test's business, not the console's. */
function listenTo(context: BrowserContext): void {
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || message.text().startsWith('Failed to load resource')) return;
    noise.push(`${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => noise.push(`uncaught: ${error.error().message}`));
}

/** What has been said so far, to be compared with later. */
export const heard = (): readonly string[] => [...noise];

export const password = 'a long enough word';
let people = 0;

/** An address that nobody has used yet. */
export const newAddress = (): string => `e2e-${process.pid}-${++people}@mail.example`;

/** Fills in the sign-up form and lands on the verify screen. */
export async function signUp(page: Page, email = newAddress()): Promise<string> {
  await page.goto('/signup');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm password').fill(password);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(page).toHaveURL('/send-verification-email');
  return email;
}

/** Signs up and follows the link in the mail, as far as the onboarding. */
export async function signUpVerified(page: Page, { inbox }: Product, email = newAddress()): Promise<string> {
  await signUp(page, email);
  await followLink(page, inbox, email, 'Verify your email address');
  await expect(page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page).toHaveURL('/onboarding');
  return email;
}

/** Opens the link of the next mail with this subject. */
export async function followLink(page: Page, inbox: Inbox, email: string, subject: string): Promise<void> {
  const { pathname, search } = linkIn(await inbox.next(email, subject));
  await page.goto(pathname + search);
}

/** Whoever is signed in here, as the server knows them. */
export async function whoIsIn(page: Page): Promise<User> {
  const response = await page.request.get('/api/identity/session');
  return ((await response.json()) as { user: User }).user;
}

/** @param at the server, where it is not the usual one */
export async function signIn(
  page: Page,
  email = 'demo@alumni.example',
  word = 'olumo rock at dawn',
  at = '',
): Promise<void> {
  await page.goto(`${at}/login`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(word);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).not.toHaveURL(/\/login/u);
}

/** What the tests fill into the onboarding, step by step. */
export const answers: Record<string, string>[] = [
  { Title: 'mr.', 'First name': 'Ọládélé', 'Middle name': 'Chidi', 'Last name': 'Abíọ́dún' },
  {
    'Contact number': '+234 801 234 5678',
    'Date of birth': '1993-04-12',
    Gender: 'male',
    'Home address': '12 Unity Close, Abẹ́òkúta',
  },
  {
    'Matric number': '20110294001X',
    College: 'COSIT',
    Department: 'Computer Science',
    Program: 'B.Sc',
    'Year admitted': '2011',
    'Year graduated': '2015',
  },
  {
    Interest: 'Chess',
    'Short bio': 'Teacher in Lagos',
    'Full bio': 'I teach.\nAnd I play chess.',
    'X handle': '@olaabi',
    'Facebook name': 'ola.abi',
    'LinkedIn name': 'ola-abi',
  },
];

/** Fills in the fields of one step; selects and inputs alike. */
export async function fillStep(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    const control = page.getByLabel(label, { exact: true });
    const isSelect = await control.evaluate((element) => element instanceof HTMLSelectElement);
    if (isSelect) await control.selectOption(value);
    else await control.fill(value);
  }
}

/** Goes through all five steps and lands on the dashboard. */
export async function completeProfile(page: Page): Promise<void> {
  for (const [index, values] of answers.entries()) {
    await expect(page.getByText(`Step ${index + 1}/5`)).toBeVisible();
    await fillStep(page, values);
    await page.getByRole('button', { name: 'Continue' }).click();
  }
  await expect(page.getByText('Step 5/5')).toBeVisible();
  await page
    .getByLabel('Profile picture')
    .setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photo() });
  await expect(page.getByRole('button', { name: 'Remove image' })).toBeVisible();
  await page.getByRole('button', { name: 'Finish' }).click();
  await expect(page).toHaveURL('/');
}

/** A photograph as a phone takes it, but small. */
export const photo = (width = 600, height = 400): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#4477aa' } })
    .composite([{ input: { create: { width: width >> 1, height: height >> 1, channels: 3, background: '#cc9988' } } }])
    .jpeg()
    .toBuffer();

/** Another browser beside the first one, with its own cookies and address. */
export async function otherBrowser(page: Page, product: Product): Promise<{ context: BrowserContext; page: Page }> {
  visitors++;
  const browser = page.context().browser();
  if (!browser) throw new Error('There is no browser.');
  const context = await browser.newContext({
    baseURL: product.url,
    extraHTTPHeaders: { 'x-forwarded-for': `10.8.0.${visitors & 255}` },
  });
  listenTo(context);
  return { context, page: await context.newPage() };
}

/** Holds requests back, as a slow network does. @returns what lets them go */
export async function holdBack(page: Page, url: Parameters<Page['route']>[0]): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await gate.promise;
    await route.continue();
  });
  return gate.resolve;
}

/** The toast with these words. */
export const toast = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text });

/** What another tab does when somebody signs in or out there: it says so, and the others ask anew. */
export const announceChange = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const channel = new BroadcastChannel('session');
    channel.postMessage('changed');
    channel.close();
  });

/** Opens the dialog that asks once more before signing out. */
export async function askToLogOut(page: Page, isMobile: boolean): Promise<void> {
  if (isMobile) await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).first().click();
  await expect(page.getByRole('dialog', { name: 'Do you really want to bail on us?' })).toBeVisible();
}

export async function logOut(page: Page, isMobile: boolean, at = ''): Promise<void> {
  await askToLogOut(page, isMobile);
  await page.getByRole('button', { name: 'Sure' }).click();
  await expect(page).toHaveURL(`${at}/login`);
}
