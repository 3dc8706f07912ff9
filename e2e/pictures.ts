import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, TestInfo } from '@playwright/test';
import sharp from 'sharp';
import { paintPortrait } from '#server/seed/portrait.ts';
import { createRandom } from '#server/seed/random.ts';
import { addEntryWithCode, confirmMembers, enterConfirmedMode } from './confirmed-mode.ts';
import { makeStaff, seedClaims } from './staff-data.ts';
import type { TestServer } from './test-server.ts';
import {
  createMember,
  stepAnswers,
  fillStep,
  followLink,
  createAddress,
  signIn,
  signUp,
  test,
  waitForHydration,
} from './fixtures.ts';

/*
 * Takes the screenshots of the README (`npm run pictures`). With `PICTURES=FOLDER` it writes screenshots of all pages,
 * at four sizes and in both themes, to that folder instead.
 */

const elsewhere = process.env['PICTURES'];
const folder = elsewhere ?? join(import.meta.dirname, '..', 'docs', 'images');

/** Without `forReadme`, only if `PICTURES` is set. */
type Take = (name: string, options?: { forReadme?: boolean }) => Promise<void>;

/** Takes pictures named after the project, such as `home-phone.png`. Those of the dark theme begin with `dark-`. */
const takeOn =
  (page: Page, { project }: TestInfo): Take =>
  async (name, { forReadme = false } = {}) => {
    if (!elsewhere && !forReadme) return;
    // The network never becomes idle, because a member's page has an open event stream.
    await page.waitForLoadState('load');
    // Pictures below the viewport load after hydration, and those at its edge are not complete before.
    await waitForHydration(page);
    await page.waitForFunction(() =>
      [...document.images].every((image) => {
        const { top, bottom } = image.getBoundingClientRect();
        return bottom <= 0 || top >= innerHeight || image.complete;
      }),
    );
    const save = async (prefix: string) =>
      sharp(await page.screenshot({ scale: 'css', animations: 'disabled' }))
        .png({ palette: true, quality: 90, effort: elsewhere ? 1 : 8 })
        .toFile(join(folder, `${prefix}${name}-${project.name}.png`));
    await save('');
    if (!elsewhere) return;
    await page.emulateMedia({ colorScheme: 'dark' });
    await save('dark-');
    await page.emulateMedia({ colorScheme: 'light' });
  };

mkdirSync(folder, { recursive: true });

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
  await page.getByRole('alert').first().waitFor();
  await take('toast');
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
  await go('/class/Computer%20Science/2015', 'class', { forReadme: true });
  await go('/myprofile', 'profile', { forReadme: true });
  await page.evaluate(() => scrollTo(0, 900));
  await take('profile-below');
  await go('/myprofile?as=everyone', 'profile-as-guest');
  await go('/search', 'search-empty');
  await go('/search?q=ade+ogun', 'search');
  await go('/search?q=zzzz', 'search-nobody');
  await go('/settings', 'settings', { forReadme: true });
  for (const section of ['information', 'privacy', 'security', 'notifications', 'appearance', 'delete'])
    await go(`/settings?section=${section}`, `settings-${section}`);
  await go('/notification', 'notifications');
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
  await fillStep(page, { Album: 'Class of 2015', Place: 'Abẹ́òkúta', Date: '2015-08-10' });
  await take('add-photos');
  await dialog.getByRole('button', { name: 'Add 3 photos' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Hall cup' }).first().waitFor();
  await take('gallery-member', { forReadme: true });
  await page.getByRole('link', { name: 'Hall cup' }).first().click();
  await page.getByRole('dialog', { name: 'Photos' }).waitFor();
  await take('lightbox-member');
}

test('takes the pictures of confirmed membership', { tag: '@both' }, async ({ page, server, browserConsole }, info) => {
  browserConsole.allow(/./u);
  const take = takeOn(page, info);
  const go = async (path: string, name: string) => {
    await page.goto(path);
    await take(name);
  };
  await enterConfirmedMode(server);
  await go('/join/7K3Q-MX9R-2DAB', 'join-guest');
  const names = { firstName: 'Oluwatimilehin', middleName: 'Ayòmipòsi', lastName: 'Adéwùmí-Ògúndélé' };
  const { uid } = await createMember(page, server, names);
  const setAccount = (sql: string) => server.query(`update accounts set ${sql} where id = $1`, uid);
  await go('/', 'unconfirmed-dashboard');
  await go('/myprofile', 'unconfirmed-profile');
  await go('/join', 'join-type');
  await go('/join/7K3Q-MX9R-2DAB', 'join-signed-in');
  await page.getByRole('button', { name: 'Use this code' }).click();
  await page.getByRole('alert').filter({ hasText: 'code' }).waitFor();
  await take('join-wrong');
  await go('/confirm', 'confirm');
  await page.locator('summary').nth(1).click();
  await take('confirm-list');
  await page.locator('summary').nth(2).click();
  await take('confirm-not-available');
  const { items } = (await (
    await page.request.get('/api/users?department=Computer+Science&graduatedFrom=2015&graduatedTo=2015')
  ).json()) as { items: { id: string }[] };
  await confirmMembers(
    server,
    items.slice(0, 4).map(({ id }) => id),
  );
  await page.goto('/confirm');
  await page.locator('summary').nth(2).click();
  await page.getByRole('button', { name: 'Create a link' }).click();
  await page.getByLabel('Your link').waitFor();
  await take('confirm-link');
  const link = await page.getByLabel('Your link').inputValue();
  await page.locator('summary').nth(1).click();
  await page.getByRole('button', { name: 'Find me' }).click();
  await page.getByRole('button', { name: 'Withdraw my request' }).waitFor();
  await take('confirm-waiting');
  await go('/', 'waiting-dashboard');
  await server.query(
    `update claims set state = 'rejected', decided_at = now(), reason = 'The birth date is not the one in our books. Please bring your statement of result.'`,
  );
  await setAccount(`membership_status = 'rejected'`);
  await go('/confirm', 'confirm-rejected');
  await setAccount(`membership_status = 'disputed'`);
  await go('/confirm', 'confirm-disputed');
  await setAccount(`membership_status = 'unconfirmed', confirm_by = now() + interval '90 days'`);
  await go('/confirm', 'confirm-grace');
  await go('/', 'grace-dashboard');
  await setAccount('confirm_by = null');
  const code = await addEntryWithCode(server, uid, '20110294001X');
  await go(`/join/${code}`, 'join-code');
  await page.getByRole('button', { name: 'Use this code' }).click();
  await page.getByRole('heading', { name: 'You are a confirmed member' }).waitFor();
  await take('confirmed');
  await go('/settings?section=membership', 'settings-membership');
  await go('/not-you?code=abc', 'not-you');

  // A member of the class who may answer.
  await setAccount(`membership_status = 'unconfirmed', confirmed_at = null`);
  await page.context().clearCookies();
  const voucher = await createMember(page, server, { firstName: 'Ngozi', matricNumber: '20110294002X' });
  await go(new URL(link).pathname, 'vouch-refused');
  await confirmMembers(server, [voucher.uid]);
  await go(new URL(link).pathname, 'vouch');
  await page.getByRole('button', { name: 'Yes, I am sure' }).click();
  await page.getByText('Thank you.').waitFor();
  await take('vouch-answered');
});

/** Adds a roster with everyone of the campus, of whom nine of ten are confirmed, and others. */
async function seedRoster(server: TestServer): Promise<void> {
  await server.query(
    `insert into roster_entries (matric_key, matric_number, last_name, first_name, other_names, birth_date, college, department,
       year_admitted, year_graduated, words, first_import, last_import)
     select upper(regexp_replace(number, '\\W', '', 'g')), number, last_name, first_name, '', dob, college, department,
       year_admitted, year_graduated, '{}', 1, 1
     from profiles cross join lateral (
       select matric_number as number union all select matric_number || 'R' || n from generate_series(1, hashtext(matric_number) & 3) n) e
     on conflict do nothing`,
  );
  await server.query(
    `insert into evidence (account_id, kind, assurance, created_at)
     select account_id, 'printed-code', 'strong', now() - interval '1 month' from profiles
     where hashtext(account_id::text) % 10 <> 0`,
  );
  await server.query(
    `update accounts set membership_status = 'confirmed', confirmed_at = now() - interval '1 month'
     where id in (select account_id from evidence)`,
  );
}

test(
  'takes the pictures of the staff console',
  { tag: '@both' },
  async ({ page, server, isMobile, browserConsole }, info) => {
    browserConsole.allow(/./u);
    const take = takeOn(page, info);
    const go = async (path: string, name: string, options = {}) => {
      await page.goto(path);
      await take(name, options);
    };
    const onDesk = { forReadme: !isMobile };
    await enterConfirmedMode(server);
    const { uid } = await createMember(page, server, { firstName: 'Ngozi', lastName: 'Eze' });
    await seedRoster(server);
    await makeStaff(server, uid, 'owner');
    await seedClaims(server, [
      {
        firstName: 'Oluwatimilehin',
        lastName: 'Adeyemi-Ogundele',
        matricNumber: '2011/CS/0417',
        note: 'I changed my name when I married. I can bring the certificate on Thursday.',
        entries: [
          { last_name: 'Adeyemi', first_name: 'Oluwatimileyin', matric_number: '2011/CS/0471' },
          { first_name: 'Oluwaseun', matric_number: '2011/CS/0418' },
        ],
      },
      { firstName: 'Chinedu', lastName: 'Okafor', matricNumber: '2011/CS/0502' },
      { firstName: 'Halima', lastName: 'Bello', matricNumber: '2011/CS/0119' },
      { firstName: 'Tunde', lastName: 'Bakare', matricNumber: '2011/CS/0233' },
    ]);
    // These entries would be candidates of the first claim.
    await server.query(`delete from roster_entries where matric_number ~ '^2011/CS/0[125]'`);
    await server.query(
      `insert into reports (kind, subject_id, reason, text, reporter_id, created_at)
         select 'profile', account_id, 'not-this-person', 'I shared a room with the real one. The years are wrong.', $1, now() - interval '5 hours'
         from profiles where picture is not null and account_id <> $1 order by account_id limit 1`,
      uid,
    );
    await go('/staff/review', 'staff-queue', { forReadme: isMobile });
    await page.getByRole('link', { name: /Adeyemi-Ogundele/u }).click();
    await page.getByText('I changed my name').waitFor();
    await take('staff-claim', onDesk);
    await page.goto('/staff/review?kind=report');
    await page.getByRole('link', { name: /pretends to be/u }).click();
    await page.getByText('The years are wrong').first().waitFor();
    await take('staff-report', onDesk);
    await go('/staff/people?state=confirmed', 'staff-people', onDesk);
    await go('/staff/coverage', 'staff-coverage', onDesk);
    await go('/staff/announcements', 'staff-announcements');
    for (const name of ['roster', 'codes', 'reports', 'approvals', 'roles', 'audit-log'])
      await go(`/staff/${name}`, `staff-${name}`);
    await server.query('delete from reports');
  },
);

test('takes the pictures of small archives', { tag: '@both' }, async ({ page, server, browserConsole }, info) => {
  browserConsole.allow(/./u);
  const take = takeOn(page, info);
  const names = {
    firstName: 'Oluwafunmilayomide',
    middleName: 'Chukwuemekaonyebuchi',
    lastName: 'Adéwùmí-Ògúndéléadébáyọ̀',
  };
  const { uid } = await createMember(page, server, names);
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
