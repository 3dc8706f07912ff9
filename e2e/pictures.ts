import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { paintPortrait } from '#server/seed/portrait.ts';
import { createRandom } from '#server/seed/random.ts';
import {
  createAddress,
  createMember,
  fillStep,
  getCurrentUser,
  send,
  followLink,
  signIn,
  signUp,
  type TestServer,
  stepAnswers,
  test,
  waitForHydration,
} from './fixtures.ts';
import { paintPicture, type Take, takeOn } from './take-pictures.ts';

test('takes the pictures', { tag: '@both' }, async ({ page, server, isMobile, browserConsole }, info) => {
  browserConsole.allow(/./u);
  const take = takeOn(page, info);
  const go = async (path: string, name: string, options = {}) => {
    await page.goto(path);
    await take(name, options);
  };

  await go('/home', 'home', { forReadme: true });
  await go('/', 'dashboard-guest');
  await go('/?department=Alchemy', 'dashboard-nobody');
  await go('/gallery', 'gallery');
  await waitForHydration(page);
  await page.getByRole('link', { name: 'The library at night' }).click();
  await page.getByRole('dialog', { name: 'Photos' }).waitFor();
  await take('lightbox');
  await go('/no/such/page', 'not-found');
  await go('/privacy-policy', 'privacy');
  await go('/login', 'login');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await take('login-messages');
  await go('/reset-password', 'reset-password');

  await go('/signup', 'sign-up', { forReadme: true });
  const email = await signUp(page, createAddress());
  await take('verify');
  await page.getByRole('button', { name: 'Change my email' }).click();
  await take('change-email');
  await followLink(page, server.inbox, email, 'Verify your email address');
  await page.getByRole('heading', { name: 'Congratulations!' }).waitFor();
  await take('verified');
  await page.getByRole('button', { name: 'Continue' }).click();
  await onboard(page, take);

  await page.context().clearCookies();
  await signIn(page);
  const toast = page.getByRole('alert').first();
  await toast.waitFor();
  // It stays while the mouse is over it. It closes when the animation of its progress bar ends.
  await toast.hover();
  await take('toast', { animations: 'allow' });
  await go('/', 'dashboard', { forReadme: true });
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('dialog').waitFor();
  await take('filters', { forReadme: true });
  await page.keyboard.press('Escape');
  await page.getByRole('button', isMobile ? { name: 'Menu', exact: true } : { name: /profile menu/u }).click();
  await take('menu');
  await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).last().click();
  await page.getByRole('dialog').waitFor();
  await take('logout');
  await go('/?department=all', 'dashboard-all');
  await page.evaluate(() => scrollTo(0, 2400));
  await take('dashboard-all-below');
  if (!isMobile) {
    await page.context().addCookies([{ name: 'sidebar', value: 'collapsed', url: server.url }]);
    await go('/', 'dashboard-collapsed');
    await page.context().clearCookies({ name: 'sidebar' });
  }
  await go('/?view=list&department=all', 'list');
  await go('/?department=all&year=2015', 'year');
  await go('/careers', 'careers');
  await go('/class/Computer%20Science/2015', 'class', { forReadme: true });
  await go('/myprofile', 'profile', { forReadme: true });
  await page.evaluate(() => scrollTo(0, 900));
  await take('profile-below');
  await takeCareers(page, server, take);
  await go('/myprofile?as=everyone', 'profile-as-guest');
  await go('/search', 'search-empty');
  await go('/search?q=ade+ogun', 'search');
  await go('/search?q=zzzz', 'search-nobody');
  await go('/settings', 'settings', { forReadme: true });
  for (const section of ['information', 'career', 'privacy', 'security', 'notifications', 'appearance', 'delete'])
    await go(`/settings?section=${section}`, `settings-${section}`);
  await go('/notification', 'notifications');
  await go('/messages', 'messages-none');
  const { uid: reader } = await getCurrentUser(page);
  await server.query(
    `insert into messages (sender_id, recipient_id, sent_at)
       select case when n % 3 = 1 then account_id else $1 end, case when n % 3 = 1 then $1 else account_id end, now() - n * interval '2 days'
       from (select account_id, row_number() over (order by account_id) as n from profiles
         where department = 'Computer Science' and picture is not null and account_id <> $1 limit 6) as others`,
    reader,
  );
  await go('/messages', 'messages');
  await page.goto('/');
  await page.locator('main li a[href*="/user/"]').first().click();
  await page.waitForURL('**/user/*');
  await take('user');
  await addPhotos(page, take);
  await page.route('**/api/**', (route) => route.abort());
  await page.goto('/');
  await page.getByRole('button', { name: 'List view' }).click();
  await page.getByText('ERROR').waitFor();
  await take('failure');
  await page.unroute('**/api/**');
  await page.goto('/');
  await waitForHydration(page);
  await page.route('**/assets/pages-*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("Out of chalk")' }),
  );
  await page.locator('main li a[href*="/user/"]').first().click();
  await page.getByRole('heading', { name: 'Unexpected Application Error!' }).waitFor();
  await take('unexpected-error');
});

async function takeCareers(page: Page, server: TestServer, take: Take): Promise<void> {
  const { uid } = await getCurrentUser(page);
  const position = { role: 'Engineer', employer: 'Shell', field: 'energy', from: 2021, to: null, confirmedOn: null };
  const store = (...positions: object[]) =>
    server.query('update profiles set positions = $2 where account_id = $1', uid, JSON.stringify(positions));
  await page.goto('/myprofile');
  await page.getByRole('button', { name: 'Add where you are' }).click();
  await page.getByRole('combobox', { name: 'City' }).fill('lag');
  await page.getByRole('listbox').waitFor();
  await take('career-form');
  await page.evaluate(() => sessionStorage.clear());
  await store(position);
  await page.reload();
  await take('career-question');
  const body = { positions: [], city: 'Lagos', cityId: 2_332_459, country: 'NG', helps: ['advice', 'talk'] };
  await send(page, 'PUT', `/api/users/${uid}/career`, { ...body, version: 'any' });
  await store({ ...position, employer: 'Nigerian National Petroleum Company Limited', confirmedOn: '2025-05-31' });
  await page.goto('/myprofile');
  await page.getByRole('heading', { name: 'Career' }).scrollIntoViewIfNeeded();
  await take('profile-career');
}

async function onboard(page: Page, take: Take): Promise<void> {
  const next = () => page.getByRole('button', { name: 'Continue' }).click();
  for (const [index, values] of stepAnswers.entries()) {
    const step = index + 1;
    await page.getByText(`Step ${step}/5`).waitFor();
    await fillStep(page, values);
    await take(`step-${step}`, { forReadme: step === 3 });
    await next();
  }
  await page.getByText('Step 5/5').waitFor();
  const portrait = await paintPortrait(createRandom(11), 'male');
  await page.getByLabel('Profile picture').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: portrait });
  await page.getByRole('slider', { name: 'Zoom' }).waitFor();
  await take('step-5', { forReadme: true });
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.waitForURL('/');
}

async function addPhotos(page: Page, take: Take): Promise<void> {
  await page.goto('/gallery');
  await page.getByRole('button', { name: 'Add photos' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add photos' });
  const random = createRandom(31);
  const files = [];
  for (const gender of ['female', 'male', 'female']) {
    const portrait = sharp(await paintPortrait(random, gender)).resize(gender === 'male' ? 800 : 1200, 1000);
    files.push({ name: `${files.length}.jpg`, mimeType: 'image/jpeg', buffer: await portrait.jpeg().toBuffer() });
  }
  await dialog.getByLabel('Choose photos').setInputFiles(files);
  await dialog.getByLabel('Title of photo 1').fill('Adébáyọ̀ before the defence, and everybody who came to hear it');
  await dialog.getByLabel('Title of photo 2').fill('Hall cup');
  await dialog.getByLabel('Title of photo 3').fill('Last day');
  await fillStep(page, { Album: 'Class of 2015', 'Place (optional)': 'Abẹ́òkúta', 'Date (optional)': '2015-08-10' });
  await take('add-photos');
  await dialog.getByRole('button', { name: 'Add 3 photos' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Hall cup' }).first().waitFor();
  await take('gallery-member', { forReadme: true });
  await page.getByRole('link', { name: 'Hall cup' }).first().click();
  await page.getByRole('dialog', { name: 'Photos' }).waitFor();
  await take('lightbox-member');
}

test('takes the pictures of small archives', { tag: '@both' }, async ({ page, server, browserConsole }, info) => {
  browserConsole.allow(/./u);
  const take = takeOn(page, info);
  const names = {
    firstName: 'Oluwafunmilayomide',
    middleName: 'Chukwuemekaonyebuchi',
    lastName: 'Adéwùmí-Ògúndéléadébáyọ̀',
  };
  const { uid } = await createMember(page, server, { ...names, imgURL: await paintPicture(12) });
  await server.query(
    `delete from accounts where id not in
       (select account_id from profiles where department = 'Computer Science' order by picture is null limit 11) and id <> $1`,
    uid,
  );
  const pages = { dashboard: '/', home: '/home', search: '/search', gallery: '/gallery' };
  for (const [name, path] of Object.entries({ ...pages, list: '/?view=list', profile: '/myprofile' })) {
    await page.goto(path);
    await take(`twelve-${name}`);
  }
  await page.context().clearCookies();
  await server.query('delete from accounts');
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(path);
    await take(`empty-${name}`);
  }
});
