import { randomUUID } from 'node:crypto';
import { type BrowserContext, expect, type Locator, type Page, test as base, type TestInfo } from '@playwright/test';
import sharp from 'sharp';
import type { User } from '#contract/identity.ts';
import { type ProfileForm, toDocument } from '#contract/profile.ts';
import { termsVersion } from '#contract/terms.ts';
import { type Inbox, findLink } from '#server/testing/inbox.ts';
import { startTestServer, type TestServer } from './test-server.ts';

interface Fixtures {
  /** The console messages that a test allows. Any other error or warning fails the test. */
  readonly browserConsole: { readonly allowed: readonly RegExp[]; allow(pattern: RegExp): void };
  readonly context: BrowserContext;
  /** Ends what a test has begun with membership, staff and reports, so that no test depends on the tests before it. */
  readonly membershipReset: undefined;
}

// Locks the accounts first, as the server's transactions do. Otherwise a job could cause a deadlock.
const membershipReset = `
  select from accounts order by id for update;
  update membership_mode set mode = 'open' where mode <> 'open';
  update accounts set membership_status = 'unconfirmed', confirmed_at = null, confirm_by = null
    where membership_status <> 'unconfirmed' or confirmed_at is not null or confirm_by is not null;
  delete from reports;
  delete from approvals;
  delete from roster_imports;
  delete from roster_mappings;
  delete from disputes;
  delete from claims;
  delete from evidence;
  delete from vouch_links;
  delete from vouches;
  delete from roster_links;
  delete from roster_entries;
  delete from staff_roles;
  delete from accounts where email like 'claimant-%'`;

/** Each browser gets its own client IP address in `X-Forwarded-For`. */
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
  context: async ({ context, browserConsole }, use, testInfo) => {
    consoleLines.length = 0;
    recordConsole(context);
    await use(context);
    const unexpected = consoleLines.filter((line) => !browserConsole.allowed.some((pattern) => pattern.test(line)));
    // Playwright's `only-on-failure` also takes and deletes screenshots of passed tests: 0.15 s of CPU time per context.
    if (testInfo.status !== testInfo.expectedStatus || unexpected.length > 0) await takeScreenshots(context, testInfo);
    // The console must contain no unexpected message, such as a violation of the content security policy.
    expect(unexpected).toEqual([]);
  },
  membershipReset: [
    async ({ server }, use) => {
      await use(undefined);
      await server.query(membershipReset);
    },
    { auto: true },
  ],
});

export { expect, type TestServer };

/** The errors and warnings of the current test, from all its pages and browsers. */
const consoleLines: string[] = [];

async function takeScreenshots(context: BrowserContext, testInfo: TestInfo): Promise<void> {
  const pages = (context.browser()?.contexts() ?? [context]).flatMap((each) => each.pages());
  for (const [index, page] of pages.entries())
    await page.screenshot({ path: testInfo.outputPath(`failed-${index + 1}.png`) }).catch(() => undefined);
}

/** Leaves failed responses to the tests, and ignores pictures that a slow machine uses seconds after their preload. */
function recordConsole(context: BrowserContext): void {
  const ignored = /^Failed to load resource|was preloaded using link preload/u;
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || ignored.test(message.text())) return;
    consoleLines.push(`${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => consoleLines.push(`uncaught: ${error.error().message}`));
}

export const getConsoleLines = (): readonly string[] => [...consoleLines];

export const demo = { email: 'demo@alumni.example', password: 'olumo rock at dawn' };

export const password = 'a long enough word';
let addressCount = 0;

export const createAddress = (): string => `e2e-${process.pid}-${++addressCount}@mail.example`;

/** Begins with the word, and no other test uses the name. */
export const createName = (word: string): string => `${word} ${randomUUID().slice(0, 8)}`;

export async function signUp(page: Page, email = createAddress()): Promise<string> {
  await page.goto('/signup');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm password').fill(password);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(page).toHaveURL('/send-verification-email');
  return email;
}

/** Waits until the scripts of a page run. Before, a link loads a document, and a button does nothing. */
export async function waitForHydration(page: Page): Promise<void> {
  await page.waitForFunction(() => document.documentElement.dataset['hydrated'] !== undefined);
}

export async function followLink(page: Page, inbox: Inbox, email: string, subject: string): Promise<void> {
  const { pathname, search } = findLink(await inbox.next(email, subject));
  await page.goto(pathname + search);
}

export async function getCurrentUser(page: Page): Promise<User> {
  const response = await page.request.get('/api/identity/session');
  return ((await response.json()) as { user: User }).user;
}

export async function signIn(page: Page, email = demo.email, word = demo.password, at = ''): Promise<void> {
  await page.goto(`${at}/login`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(word);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).not.toHaveURL(/\/login/u);
}

/**
 * Sends a write request to the API with the cookies of the page's browser.
 * @throws Error if the response is an error
 */
export async function send(page: Page, method: 'POST' | 'PUT', path: string, data: object): Promise<unknown> {
  const response = await page.request.fetch(path, { method, data, headers: { 'sec-fetch-site': 'same-origin' } });
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  return response.status() === 204 ? undefined : response.json();
}

export async function startSession(page: Page, email = demo.email, word = demo.password): Promise<void> {
  await send(page, 'POST', '/api/identity/sign-in', { email, password: word });
}

export async function createAccount(page: Page, email = createAddress()): Promise<string> {
  await send(page, 'POST', '/api/identity/sign-up', { email, password, terms: termsVersion });
  return email;
}

/** The account has a verified address and no profile, and the browser is signed in. */
export async function createVerifiedAccount(
  page: Page,
  server: TestServer,
  email = createAddress(),
): Promise<{ email: string; uid: string }> {
  const userAgent = await page.evaluate(() => navigator.userAgent);
  const { uid, cookies } = await server.createVerifiedAccount({ email, password, userAgent });
  const options = { url: server.url, httpOnly: true, sameSite: 'Lax' } as const;
  await page.context().addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, ...options })));
  return { email, uid };
}

let memberPicture: Promise<Buffer> | undefined;

/** The member has the profile of `completeProfile`. */
export async function createMember(
  page: Page,
  server: TestServer,
  form: Partial<ProfileForm> = {},
): Promise<{ email: string; uid: string; name: string }> {
  const { email, uid } = await createVerifiedAccount(page, server);
  const { firstName, middleName, lastName } = { ...profile, ...form };
  memberPicture ??= photo(480, 600);
  const imgURL = `data:image/jpeg;base64,${(await memberPicture).toString('base64')}`;
  await send(page, 'PUT', `/api/users/${uid}`, toDocument({ ...profile, imgURL, ...form }));
  return { email, uid, name: `${firstName} ${middleName} ${lastName}` };
}

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

/** The same profile as input for the onboarding: for each step, the values by label. */
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

export async function fillStep(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    const control = page.getByLabel(label, { exact: true });
    if ((await control.getAttribute('role')) === 'group') {
      await fillDate(control, value);
      continue;
    }
    const isSelect = await control.evaluate((element) => element instanceof HTMLSelectElement);
    if (isSelect) await control.selectOption(value);
    else await control.fill(value);
  }
}

export async function fillDate(group: Locator, date: string): Promise<void> {
  const [year = '', month = '', day = ''] = date.split('-');
  for (const [label, text] of Object.entries({ Day: day, Month: month, Year: year }))
    await group.getByLabel(label, { exact: true }).fill(text);
}

/** Completes the five onboarding steps and waits for the next page, normally the dashboard. */
export async function completeProfile(page: Page, next = '/'): Promise<void> {
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
  await expect(page).toHaveURL(next);
}

export const photo = (width = 600, height = 400): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#4477aa' } })
    .composite([{ input: { create: { width: width >> 1, height: height >> 1, channels: 3, background: '#cc9988' } } }])
    .jpeg()
    .toBuffer();

/** Opens a context with its own cookies and IP address. */
export async function openOtherBrowser(
  page: Page,
  server: TestServer,
): Promise<{ context: BrowserContext; page: Page }> {
  visitorCount++;
  const browser = page.context().browser();
  if (!browser) throw new Error('The page has no browser.');
  const context = await browser.newContext({
    baseURL: server.url,
    extraHTTPHeaders: { 'x-forwarded-for': `10.8.0.${visitorCount & 255}` },
  });
  recordConsole(context);
  return { context, page: await context.newPage() };
}

/** Holds back matching requests, as on a slow network. @returns a function that releases them */
export async function holdRequests(page: Page, url: Parameters<Page['route']>[0]): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await gate.promise;
    await route.continue();
  });
  return gate.resolve;
}

/**
 * Expects "Loading..." where users see it: in the viewport, in readable size, covered by nothing, and not over the
 * header or the title.
 */
export async function expectVisibleLoading(page: Page): Promise<void> {
  const text = page.getByRole('status').getByText('Loading...', { exact: true });
  await expect(text).toBeVisible();
  await expect(text).toBeInViewport({ ratio: 1 });
  const { isOnTop, height, covered } = await text.evaluate((element: HTMLElement) => {
    const box = element.getBoundingClientRect();
    const isCovered = ({ left, top: y, right, bottom }: DOMRect) =>
      left < box.right && right > box.left && y < box.bottom && bottom > box.top;
    const elements = [...document.querySelectorAll('header, h1')];
    element.style.pointerEvents = 'auto';
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    element.style.pointerEvents = '';
    return {
      isOnTop: top === element,
      height: box.height,
      covered: elements.filter((other) => isCovered(other.getBoundingClientRect())).map(({ tagName }) => tagName),
    };
  });
  expect(isOnTop).toBe(true);
  expect(covered).toEqual([]);
  expect(height).toBeGreaterThan(12);
}

export const toast = (page: Page, text: string | RegExp) =>
  page.getByRole('alert').filter({
    hasText:
      typeof text === 'string' ? new RegExp(text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`), 'u') : text,
  });

/** Keeps the toasts that are shown from closing by themselves, so that a test is sure what closed them. */
export const stopTimers = (page: Page) =>
  page.getByRole('progressbar', { includeHidden: true }).evaluateAll((bars) => {
    for (const animation of bars.flatMap((bar) => bar.getAnimations())) animation.pause();
  });

/** Expects a text that people see. A text for screen readers alone is visible to Playwright too, but a pixel large. */
export async function expectReadable(text: Locator): Promise<void> {
  await expect(text).toBeVisible();
  const { width, height } = (await text.boundingBox()) ?? { width: 0, height: 0 };
  expect(Math.min(width, height), `size of ${text.toString()}`).toBeGreaterThan(8);
}

/** Expects parts of a page in view on phones, tablets and desktops. */
export async function expectAtEverySize(page: Page, ...parts: Locator[]): Promise<void> {
  const size = page.viewportSize();
  for (const width of [1440, 820, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const part of parts) await expect(part, `at ${width} px`).toBeInViewport({ ratio: 1 });
  }
  if (size) await page.setViewportSize(size);
}

/** Sends the message that another tab sends after a sign-in or sign-out. */
export async function announceSessionChange(page: Page): Promise<void> {
  await waitForHydration(page);
  await page.evaluate(() => {
    const channel = new BroadcastChannel('session');
    channel.postMessage('changed');
    channel.close();
  });
}

export async function openLogoutDialog(page: Page, isMobile = true): Promise<void> {
  if (isMobile) await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).first().click();
  await expect(page.getByRole('dialog', { name: 'Do you really want to bail on us?' })).toBeVisible();
}

export async function logOut(page: Page, at = ''): Promise<void> {
  await openLogoutDialog(page);
  await page.getByRole('button', { name: 'Sure' }).click();
  await expect(page).toHaveURL(`${at}/login`);
}
