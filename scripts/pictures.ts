import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from '@playwright/test';
import sharp from 'sharp';
import { start } from '#server/start.ts';
import { readOutbox } from '#server/platform/mailer.ts';
import { demoAccount, seedCampus } from '#server/seed/campus.ts';
import { paintPortrait } from '#server/seed/portrait.ts';
import { createRandom } from '#server/seed/random.ts';
import { findBrowser } from '../e2e/browser.ts';
import { buildIfStale } from './build-pages.ts';

/*
 * Takes the pictures of the README, at 390x844 and 1440x900, of a demonstration campus that is made for it. With a folder
 * as its argument it puts them there instead, more of them, for a look at every screen.
 */

const screens = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  desk: { viewport: { width: 1440, height: 900 } },
} as const;

const [elsewhere] = process.argv.slice(2);
const folder = elsewhere ?? join(import.meta.dirname, '..', 'docs', 'images');
const port = '3917';
mkdirSync(folder, { recursive: true });
await buildIfStale(console.log);

const dataDir = mkdtempSync(join(tmpdir(), 'archive-pictures-'));
const product = await start({
  environment: { PORT: port, DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
  prepare: (context) => seedCampus(context, { people: 2_000, portraits: 160 }),
});
const { dataDir: data } = product.context.config;
const found = await findBrowser();
const browser = await chromium.launch({ ...found, env: { ...(process.env as Record<string, string>), ...found.env } });
try {
  for (const [name, screen] of Object.entries(screens)) {
    const context = await browser.newContext({ baseURL: `http://localhost:${port}`, ...screen });
    await takeAll(context, name);
    await context.close();
  }
} finally {
  await browser.close();
  await product.stop();
  for (const path of [dataDir, data]) rmSync(path, { recursive: true, force: true });
}

async function takeAll(context: BrowserContext, screen: string): Promise<void> {
  const page = await context.newPage();
  /** Takes a picture. Those that the README does not show are only for a look. */
  const take = async (name: string, { forReadme = false } = {}) => {
    if (!elsewhere && !forReadme) return;
    // Not until the network is idle: a member's page listens to the server for as long as it is open.
    await page.waitForLoadState('load');
    await page.waitForFunction(() =>
      [...document.images].every((image) => {
        const { top, bottom } = image.getBoundingClientRect();
        return bottom <= 0 || top >= innerHeight || image.complete;
      }),
    );
    await page.evaluate(() =>
      Promise.all(
        document
          .getAnimations()
          .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
          .map((animation) => animation.finished.catch(() => null)),
      ),
    );
    const png = await page.screenshot();
    await sharp(png)
      .png({ palette: true, quality: 90, effort: 8 })
      .toFile(join(folder, `${name}-${screen}.png`));
    console.log(`${name}-${screen}`);
  };
  const go = async (path: string, name: string, options = {}) => {
    await page.goto(path);
    await take(name, options);
  };

  await go('/home', 'home', { forReadme: true });
  await go('/', 'dashboard-guest');
  await go('/?department=Alchemy', 'dashboard-nobody');
  await go('/gallery', 'gallery');
  await page.getByRole('link', { name: 'The library at night' }).click();
  await page.getByRole('dialog', { name: 'Photos' }).waitFor();
  await take('lightbox');
  await go('/no/such/page', 'not-found');
  await go('/privacy-policy', 'privacy');
  await go('/login', 'login');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await take('login-messages');
  await go('/reset-password', 'reset-password');

  const email = `ada.${screen}@mail.example`;
  await go('/signup', 'sign-up', { forReadme: true });
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('a long enough word');
  await page.getByLabel('Confirm password').fill('a long enough word');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.waitForURL('**/send-verification-email');
  await take('verify');
  await page.getByRole('button', { name: 'Change my email' }).click();
  await take('change-email');
  await page.goto(await linkFor(page, email));
  await page.getByRole('heading', { name: 'Congratulations!' }).waitFor();
  await take('verified');
  await page.getByRole('button', { name: 'Continue' }).click();
  await onboard(page, take);

  await page.waitForURL(`http://localhost:${port}/`);
  await page.context().clearCookies();
  await page.goto('/login');
  await page.getByLabel('Email').fill(demoAccount.email);
  await page.getByLabel('Password', { exact: true }).fill(demoAccount.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`http://localhost:${port}/`);
  await take('toast');
  await go('/', 'dashboard', { forReadme: true });
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('dialog').waitFor();
  await take('filters', { forReadme: true });
  await page.keyboard.press('Escape');
  if (screen === 'phone') await page.getByRole('button', { name: 'Menu', exact: true }).click();
  else await page.getByRole('button', { name: /profile menu/u }).click();
  await take('menu');
  await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).last().click();
  await page.getByRole('dialog').waitFor();
  await take('logout');
  await go('/?view=list&department=all', 'list');
  await go('/myprofile', 'profile', { forReadme: true });
  await page.evaluate(() => scrollTo(0, 900));
  await take('profile-below');
  await go('/myprofile?as=everyone', 'profile-as-guest');
  await go('/search?q=ade+ogun', 'search');
  await go('/search?q=zzzz', 'search-nobody');
  await go('/settings', 'settings', { forReadme: true });
  await go('/settings?section=privacy', 'settings-privacy');
  await go('/settings?section=security', 'security');
  await go('/settings?section=delete', 'delete');
  await go('/notification', 'notifications');
  await go('/settings?section=notifications', 'settings-notifications');
  await addPhotos(page, take);
  await page.route('**/api/**', (route) => route.abort());
  await page.goto('/');
  await page.getByRole('button', { name: 'List view' }).click();
  await page.getByText('ERROR').waitFor();
  await take('failure');
}

async function addPhotos(page: Page, take: Take): Promise<void> {
  await page.goto('/gallery');
  await page.getByRole('button', { name: 'Add photos' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add photos' });
  await take('add-photos-empty');
  const random = createRandom(31);
  const files = [];
  for (const [index, gender] of (['female', 'male', 'female'] as const).entries()) {
    const buffer = await sharp(await paintPortrait(random, gender))
      .resize(1200, 800)
      .jpeg()
      .toBuffer();
    files.push({ name: `photo-${index}.jpg`, mimeType: 'image/jpeg', buffer });
  }
  await dialog.getByLabel('Choose photos').setInputFiles(files);
  await dialog.getByLabel('Title of photo 1').fill('Adébáyọ̀ before the defence, and everybody who came to hear it');
  await dialog.getByLabel('Title of photo 2').fill('Hall cup');
  await dialog.getByLabel('Title of photo 3').fill('Last day');
  await dialog.getByLabel('Album').fill('Class of 2015');
  await dialog.getByLabel('Place').fill('Abẹ́òkúta');
  await dialog.getByLabel('Date').fill('2015-08-10');
  await take('add-photos');
  await dialog.getByRole('button', { name: 'Add 3 photos' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Hall cup' }).first().waitFor();
  await take('gallery-member', { forReadme: true });
  await page.getByRole('link', { name: 'Hall cup' }).first().click();
  await page.getByRole('dialog', { name: 'Photos' }).waitFor();
  await take('lightbox-member');
}

type Take = (name: string, options?: { forReadme?: boolean }) => Promise<void>;

async function onboard(page: Page, take: Take): Promise<void> {
  const next = () => page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Step 1/5').waitFor();
  await take('step-1');
  await next();
  await take('step-1-messages');
  await page.getByLabel('Title').selectOption('miss');
  await page.getByLabel('First name').fill('Oluwafunmilayọ̀mí');
  await page.getByLabel('Middle name').fill('Chukwuemeka-Anastasia');
  await page.getByLabel('Last name').fill('Ọlátúnbọ̀sún-Ezeụgochukwu');
  await next();
  await page.getByLabel('Contact number').fill('+234 801 234 5678');
  await page.getByLabel('Date of birth').fill('1996-05-09');
  await page.getByLabel('Gender').selectOption('female');
  await page.getByLabel('Home address').fill('12 Unity Close\nAbẹ́òkúta');
  await take('step-2');
  await next();
  await page.getByLabel('Matric number').fill('20140294001');
  await page.getByLabel('College').selectOption('COVTED');
  await page.getByLabel('Department').fill('Home Economics and Hotel Management');
  await page.getByLabel('Program').selectOption('B.Ed');
  await page.getByLabel('Year admitted').fill('2014');
  await page.getByLabel('Year graduated').fill('2018');
  await take('step-3', { forReadme: true });
  await next();
  for (const [label, text] of [
    ['Interest', 'Cooking, Choir'],
    ['Short bio', 'I run a small school kitchen'],
    ['Full bio', 'Ask me about jollof for six hundred.'],
    ['X handle', 'funmi'],
    ['Facebook name', 'funmi.o'],
    ['LinkedIn name', 'funmi-o'],
  ] as const) {
    await page.getByLabel(label).fill(text);
  }
  await take('step-4');
  await next();
  await page.getByText('Step 5/5').waitFor();
  await take('step-5-empty');
  const portrait = await paintPortrait(createRandom(11), 'female');
  await page.getByLabel('Profile picture').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: portrait });
  await page.getByRole('slider', { name: 'Zoom' }).waitFor();
  await take('step-5', { forReadme: true });
  await page.getByRole('button', { name: 'Finish' }).click();
}

/** Waits for the mail with the link, as a person does who looks again. */
async function linkFor(page: Page, email: string): Promise<string> {
  for (;;) {
    const mail = (await readOutbox(data)).find(({ to, subject }) => to === email && subject.startsWith('Verify'));
    const link = mail && /http\S+/u.exec(mail.text)?.[0];
    if (link) return link;
    await page.reload();
  }
}
