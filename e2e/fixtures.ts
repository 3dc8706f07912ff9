import { type BrowserContext, expect, type Page, test as base } from '@playwright/test';
import sharp from 'sharp';
import type { User } from '#contract/identity.ts';
import { type ProfileForm, toDocument } from '#contract/profile.ts';
import { termsVersion } from '#contract/terms.ts';
import { codeIn, type Inbox, linkIn } from '#server/testing/inbox.ts';
import { startTestServer, type TestServer } from './test-server.ts';

interface Fixtures {
  /** Console messages that a test expects; any other error or warning fails it. */
  readonly browserConsole: { readonly allowed: readonly RegExp[]; allow(pattern: RegExp): void };
  readonly context: BrowserContext;
}

/** The browser's address, as the proxy in front of the server tells it: each test is somebody else. */
let visitorCount = 0;

export const test = base.extend<Fixtures, { server: TestServer }>({
  server: [
    async ({}, use) => {
      const { server, close } = await startTestServer();
      try {
        await use(server);
      } finally {
        await close();
      }
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  extraHTTPHeaders: async ({}, use) => {
    visitorCount++;
    await use({ 'x-forwarded-for': `10.9.${visitorCount >> 8}.${visitorCount & 255}` });
  },
  browserConsole: async ({}, use) => {
    const allowed: RegExp[] = [];
    await use({ allowed, allow: (pattern) => void allowed.push(pattern) });
  },
  context: async ({ context, browserConsole }, use) => {
    consoleLines.length = 0;
    recordConsole(context);
    await use(context);
    // Silence is a result: nothing unexpected may stand in the console, a breach of the policy least of all.
    expect(consoleLines.filter((line) => !browserConsole.allowed.some((pattern) => pattern.test(line)))).toEqual([]);
  },
});

export { expect, type TestServer };

/** What the pages of the running test have complained about, in whichever tab or browser. */
const consoleLines: string[] = [];

/** Listens to every page of a browser. That an answer was 4xx is the test's business, not the console's. */
function recordConsole(context: BrowserContext): void {
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || message.text().startsWith('Failed to load resource')) return;
    consoleLines.push(`${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => consoleLines.push(`uncaught: ${error.error().message}`));
}

/** What has been said so far, to be compared with later. */
export const getConsoleLines = (): readonly string[] => [...consoleLines];

/** The member whom the seed brings, with a profile in Computer Science. */
export const demo = { email: 'demo@alumni.example', password: 'olumo rock at dawn' };

export const password = 'a long enough word';
let addressCount = 0;

/** An address that nobody has used yet. */
export const createAddress = (): string => `e2e-${process.pid}-${++addressCount}@mail.example`;

/** Fills in the sign-up form and lands on the verify screen. */
export async function signUp(page: Page, email = createAddress()): Promise<string> {
  await page.goto('/signup');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm password').fill(password);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(page).toHaveURL('/send-verification-email');
  return email;
}

/** Opens the link of the next mail with this subject. */
export async function followLink(page: Page, inbox: Inbox, email: string, subject: string): Promise<void> {
  const { pathname, search } = linkIn(await inbox.next(email, subject));
  await page.goto(pathname + search);
}

/** Whoever is signed in here, as the server knows them. */
export async function getCurrentUser(page: Page): Promise<User> {
  const response = await page.request.get('/api/identity/session');
  return ((await response.json()) as { user: User }).user;
}

/** @param at the server, where it is not the usual one */
export async function signIn(page: Page, email = demo.email, word = demo.password, at = ''): Promise<void> {
  await page.goto(`${at}/login`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(word);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).not.toHaveURL(/\/login/u);
}

/** Sends a write to our own API with the cookies of the page's browser. @throws Error when it is refused */
export async function send(page: Page, method: 'POST' | 'PUT', path: string, data: object): Promise<unknown> {
  const response = await page.request.fetch(path, { method, data, headers: { 'sec-fetch-site': 'same-origin' } });
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  return response.status() === 204 ? undefined : response.json();
}

/** Signs in through the API, for tests that are not about the sign-in form. The page itself stays where it is. */
export async function startSession(page: Page, email = demo.email, word = demo.password): Promise<void> {
  await send(page, 'POST', '/api/identity/sign-in', { email, password: word });
}

/** Creates an account with a verified address and no profile through the API, and signs the page's browser in to it. */
export async function createVerifiedAccount(
  page: Page,
  { inbox }: TestServer,
  email = createAddress(),
): Promise<string> {
  await send(page, 'POST', '/api/identity/sign-up', { email, password, terms: termsVersion });
  const code = codeIn(await inbox.next(email, 'Verify your email address'));
  await send(page, 'POST', '/api/identity/action-code/apply', { code });
  return email;
}

/** Creates a member through the API, with what `completeProfile` fills in, and signs the page's browser in. */
export async function createMember(
  page: Page,
  server: TestServer,
  form: Partial<ProfileForm> = {},
): Promise<{ email: string; uid: string; name: string }> {
  const email = await createVerifiedAccount(page, server);
  const { uid } = await getCurrentUser(page);
  const { firstName, middleName, lastName } = { ...profile, ...form };
  const imgURL = `data:image/jpeg;base64,${(await photo(480, 600)).toString('base64')}`;
  await send(page, 'PUT', `/api/users/${uid}`, toDocument({ ...profile, imgURL, ...form }));
  return { email, uid, name: `${firstName} ${middleName} ${lastName}` };
}

/** The profile of everyone who joins here. */
const profile = {
  title: 'mr.',
  firstName: 'Ọládélé',
  middleName: 'Chidi',
  lastName: 'Abíọ́dún',
  contactNumber: '+234 801 234 5678',
  dob: '1993-04-12',
  gender: 'male',
  homeAddress: '12 Unity Close, Abẹ́òkúta',
  matricNumber: '20110294001X',
  college: 'COSIT',
  department: 'Computer Science',
  program: 'B.Sc',
  yearAdmitted: 2011,
  yearGraduated: 2015,
  interest: 'Chess',
  bio: 'Teacher in Lagos',
  fullBio: 'I teach.\nAnd I play chess.',
  xHandle: '@olaabi',
  facebookName: 'ola.abi',
  linkedinName: 'ola-abi',
} as const;

/** The same profile as the onboarding asks for it: the fields of each step, by their labels. */
export const stepAnswers: Record<string, string>[] = [
  {
    Title: profile.title,
    'First name': profile.firstName,
    'Middle name': profile.middleName,
    'Last name': profile.lastName,
  },
  {
    'Contact number': profile.contactNumber,
    'Date of birth': profile.dob,
    Gender: profile.gender,
    'Home address': profile.homeAddress,
  },
  {
    'Matric number': profile.matricNumber,
    College: profile.college,
    Department: profile.department,
    Program: profile.program,
    'Year admitted': String(profile.yearAdmitted),
    'Year graduated': String(profile.yearGraduated),
  },
  {
    Interest: profile.interest,
    'Short bio': profile.bio,
    'Full bio': profile.fullBio,
    'X handle': profile.xHandle,
    'Facebook name': profile.facebookName,
    'LinkedIn name': profile.linkedinName,
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
  for (const [index, values] of stepAnswers.entries()) {
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
export async function openOtherBrowser(
  page: Page,
  server: TestServer,
): Promise<{ context: BrowserContext; page: Page }> {
  visitorCount++;
  const browser = page.context().browser();
  if (!browser) throw new Error('There is no browser.');
  const context = await browser.newContext({
    baseURL: server.url,
    extraHTTPHeaders: { 'x-forwarded-for': `10.8.0.${visitorCount & 255}` },
  });
  recordConsole(context);
  return { context, page: await context.newPage() };
}

/** Holds requests back, as a slow network does. @returns what lets them go */
export async function holdRequests(page: Page, url: Parameters<Page['route']>[0]): Promise<() => void> {
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
export const announceSessionChange = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const channel = new BroadcastChannel('session');
    channel.postMessage('changed');
    channel.close();
  });

/** Opens the dialog that asks once more before signing out: from the menu of a phone, or from the sidebar. */
export async function openLogoutDialog(page: Page, isMobile = true): Promise<void> {
  if (isMobile) await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).first().click();
  await expect(page.getByRole('dialog', { name: 'Do you really want to bail on us?' })).toBeVisible();
}

/** Signs out from the menu of a phone. @param at the server, where it is not the usual one */
export async function logOut(page: Page, at = ''): Promise<void> {
  await openLogoutDialog(page);
  await page.getByRole('button', { name: 'Sure' }).click();
  await expect(page).toHaveURL(`${at}/login`);
}
