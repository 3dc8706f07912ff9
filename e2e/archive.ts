import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, expect, type Page, test as base } from '@playwright/test';
import pg from 'pg';
import sharp from 'sharp';
import { type Answer, type } from '#cli/testing.ts';
import type { User } from '#contract/identity.ts';
import { urlOf } from '#server/db/url.ts';
import { copyDatabase } from '#server/testing/databases.ts';
import { type Inbox, linkIn, openInbox } from '#server/testing/inbox.ts';
import { type Prepared, preparedIn } from './global-setup.ts';

/** A whole product, started as an operator starts it, with a database and a mail server of its own. */
export interface Product {
  readonly url: string;
  readonly inbox: Inbox;
  /** Does what no person can: lets time pass, or much happen. */
  query(sql: string, ...values: unknown[]): Promise<void>;
  /** Does what an operator types behind `npm run archive --`. */
  operate(...words: string[]): Promise<Answer>;
  /** A further server on the same data, with settings and an address of its own. */
  startBeside(environment: Record<string, string>): Promise<{ url: string; stop(): Promise<void> }>;
  /** Takes the server away for as long as `work` lasts. */
  withoutServer(work: () => Promise<void>): Promise<void>;
  /** The server answers, but cannot find out who is signed in, for as long as `work` lasts. */
  withoutSessions(work: () => Promise<void>): Promise<void>;
}

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
      const prepared = JSON.parse(process.env[preparedIn] ?? '') as Prepared;
      const { connection, drop } = await copyDatabase(prepared.databases);
      const inbox = await openInbox();
      const dataDir = mkdtempSync(join(tmpdir(), 'archive-e2e-worker-'));
      cpSync(prepared.dataDir, dataDir, { recursive: true });
      const port = await freePort();
      const url = urlAt(port);
      const start = (at = port, more: Record<string, string> = {}) =>
        startServer({
          PORT: String(at),
          PUBLIC_URL: urlAt(at),
          DATABASE_URL: urlOf(connection),
          DATA_DIR: dataDir,
          SMTP_URL: inbox.url,
          TRUST_PROXY: '127.0.0.1',
          LOG_LEVEL: 'warn',
          ...more,
        });
      let server: ChildProcess | undefined;
      try {
        server = await start();
        await use({
          url,
          inbox,
          startBeside: async (environment) => {
            const at = await freePort();
            const beside = await start(at, environment);
            return { url: urlAt(at), stop: () => stopServer(beside) };
          },
          operate: (...words) => type({ DATABASE_URL: urlOf(connection), DATA_DIR: dataDir }, ...words),
          query: (sql, ...values) => query(connection, sql, values),
          withoutServer: async (work) => {
            if (server) await stopServer(server);
            try {
              await work();
            } finally {
              server = await start();
            }
          },
          withoutSessions: async (work) => {
            await query(connection, sessionsAway);
            try {
              await work();
            } finally {
              await query(connection, sessionsBack);
            }
          },
        });
      } finally {
        if (server) await stopServer(server);
        await inbox.close();
        await drop();
        rmSync(dataDir, { recursive: true, force: true });
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

export { expect };

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

/** Whoever asks for a session hears what a database says that is just starting. */
const sessionsAway = `
  create function not_now() returns boolean language plpgsql as $$ begin raise exception using errcode = '57P03'; end $$;
  alter table sessions rename to sessions_away;
  create view sessions as select * from sessions_away where not_now();`;
const sessionsBack = `
  drop view sessions;
  drop function not_now;
  alter table sessions_away rename to sessions;`;

async function query(connection: pg.PoolConfig, sql: string, values?: unknown[]): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(sql, values);
  } finally {
    await client.end();
  }
}

const urlAt = (port: number) => `http://localhost:${port}`;

async function startServer(environment: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: join(import.meta.dirname, '..'),
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ready ')) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('exit', (code) => reject(new Error(`The server ended with ${code}:\n${output}`)));
  });
  return child;
}

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

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
