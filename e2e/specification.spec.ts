import type { Locator, Page } from '@playwright/test';
import type { Card, Facets, Welcome } from '#contract/directory.ts';
import {
  announceSessionChange,
  createMember,
  expectReadable,
  stepAnswers,
  expect,
  fillStep,
  followLink,
  expectVisibleLoading,
  holdRequests,
  createAccount,
  createVerifiedAccount,
  createAddress,
  password,
  startSession,
  test,
  toast,
  waitForHydration,
  expectAtEverySize,
} from './fixtures.ts';
import { makeStaff } from './staff-data.ts';

/*
 * The statements of the specification that no other test covers: links, texts and busy labels.
 * The tags name the rows of `docs/conformance.md` that a test proves.
 */

const demo = 'demo@alumni.example';

async function read<Result>(page: Page, url: string): Promise<Result> {
  return (await (await page.request.get(url)).json()) as Result;
}

const listLinks = (part: Locator) =>
  part
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => [link.textContent.trim(), link.getAttribute('href')]));

const readColour = (element: Locator, property: 'border-top-color' | 'background-color') =>
  element.evaluate((node, name) => {
    const canvas = document.createElement('canvas').getContext('2d');
    if (!canvas) throw new Error('The browser has no 2D canvas.');
    canvas.fillStyle = getComputedStyle(node).getPropertyValue(name);
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return { red, green, blue };
  }, property);

async function followMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('complementary').getByRole('link', { name, exact: true }).click();
}

test.describe('routes (specification, section 2)', () => {
  test(
    'public pages are shown to every kind of visitor without a redirect',
    { tag: ['@spec-2.24', '@spec-6.7'] },
    async ({ page, server }) => {
      const { items } = await read<{ items: Card[] }>(page, '/api/users');
      const publicPages = [
        '/',
        '/home',
        '/new-password?actionCode=x',
        '/verify-email-address?actionCode=x',
        '/recover-email?actionCode=x',
        '/search',
        '/gallery',
        '/class/Computer%20Science/2015',
        '/terms-and-conditions',
        '/privacy-policy',
        `/user/${items[0]?.id}`,
      ];
      const expectShown = async (visitor: string, paths: string[]) => {
        for (const path of paths) {
          const response = await page.request.get(path, { maxRedirects: 0 });
          expect(response.status(), `${path} for ${visitor}`).toBe(200);
          expect(await response.text(), `${path} for ${visitor}`).toContain('<h1');
        }
      };
      await expectShown('a guest', [...publicPages, '/login', '/signup', '/reset-password']);
      await createAccount(page);
      await expectShown('an unverified account', publicPages);
      await page.context().clearCookies();
      await createVerifiedAccount(page, server);
      await expectShown('an account without a profile', publicPages);
      await startSession(page);
      await expectShown('a member', publicPages);
    },
  );

  test(
    'an emailed link redirects by its mode and keeps its code',
    { tag: ['@spec-2.30', '@spec-2.31', '@spec-2.32', '@spec-2.33', '@spec-2.34', '@spec-2.36'] },
    async ({ request }) => {
      // As long as a real one.
      const code = '-_aZ09'.repeat(7).padEnd(43, 'x');
      for (const landing of ['/auth/verify', '/auth/action']) {
        for (const [mode, target] of [
          ['verifyEmail', '/verify-email-address'],
          ['verifyAndChangeEmail', '/verify-email-address'],
          ['resetPassword', '/new-password'],
          ['recoverEmail', '/recover-email'],
        ]) {
          const response = await request.get(`${landing}?mode=${mode}&oobCode=${code}`, { maxRedirects: 0 });
          expect([response.status(), response.headers()['location']]).toEqual([302, `${target}?actionCode=${code}`]);
        }
      }
    },
  );

  test(
    'sign-in, sign-up and reset link to each other and have logo, heading and subtitle',
    { tag: ['@spec-2.12', '@spec-2.14', '@spec-2.23', '@spec-2.71', '@spec-2.72'] },
    async ({ page }) => {
      for (const [path, heading, links] of [
        [
          '/login',
          'Welcome back',
          [
            ['Forgot your password?', '/reset-password'],
            ['Sign up', '/signup'],
          ],
        ],
        [
          '/signup',
          'Join the archive',
          [
            ['terms and conditions', '/terms-and-conditions'],
            ['privacy policy', '/privacy-policy'],
            ['Sign in', '/login'],
          ],
        ],
        ['/reset-password', 'Reset your password', [['Sign in', '/login']]],
      ] as const) {
        await page.goto(path);
        const main = page.getByRole('main');
        for (const width of [390, 820, 1440]) {
          await page.setViewportSize({ width, height: 844 });
          await expect(main.getByRole('heading', { level: 1 })).toHaveText(heading);
          await expect(main.locator('h1 + p').filter({ visible: true })).toHaveText(/\w{3}/u);
          expect(await listLinks(main), `${path} at ${width} px`).toEqual(links);
          for (const [name] of links) await expectReadable(main.getByRole('link', { name, exact: true }));
          await expect(page.getByRole('link', { name: 'OUE alumni archive' })).toHaveAttribute('href', '/home');
        }
      }
      await page.getByRole('link', { name: 'OUE alumni archive' }).click();
      await expect(page).toHaveURL('/home');
    },
  );

  test(
    '/home is the blue welcome page with live counts, the newest members, class years, sign-in and sign-up',
    { tag: '@spec-2.7' },
    async ({ page }) => {
      await page.goto('/home');
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        const { red, green, blue } = await readColour(
          page.locator('main > div', { has: page.getByRole('heading', { level: 1 }) }),
          'background-color',
        );
        expect(blue, colorScheme).toBeGreaterThan(1.5 * Math.max(red, green));
      }
      const [{ count, departments }, { years }, { faces }] = await Promise.all([
        read<{ count: number; departments: number }>(page, '/api/users/count'),
        read<Facets>(page, '/api/users/facets'),
        read<Welcome>(page, '/api/users/welcome'),
      ]);
      expect(count).toBeGreaterThan(100);
      await expect(page.locator('dl dd')).toHaveText([count, departments, years.length].map(String));
      await expect(page.locator('dl dt')).toHaveText(['members', 'departments', 'graduating classes']);
      expect(faces).toHaveLength(15);
      expect(await listLinks(page.getByRole('region', { name: 'Newest members' }))).toEqual(
        faces.map(({ id, name }) => [expect.stringContaining(name), `/user/${id}`]),
      );
      for (const [name, href] of [
        ['Sign up', '/signup'],
        ['Sign in', '/login'],
      ] as const)
        await expect(page.getByRole('link', { name, exact: true })).toHaveAttribute('href', href);
      const rail = page.getByRole('navigation', { name: 'Class years' }).getByRole('link');
      await expect(rail).toHaveText(years.toReversed().map(({ value }) => new RegExp(`^${value} `, 'u')));
      for (const link of await rail.all()) expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      const newest = years.at(-1)?.value;
      await expect(page.getByRole('link', { name: `Class of ${newest}` })).toBeVisible();
      await rail.first().click();
      await expect(page).toHaveURL(`/?department=all&year=${newest}`);
      await page.goto('/home');
      await page.getByRole('searchbox', { name: 'Find your classmates' }).fill('ogunsola tem');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page).toHaveURL('/search?q=ogunsola+tem');
      // A member sees the own class.
      await startSession(page);
      await page.goto('/home');
      await expect(page.getByRole('link', { name: 'Class of 2015' })).toBeVisible();
      await expect(rail.filter({ hasText: '2015' })).toHaveClass(/bg-gold/u);
      // The faces are those of guests.
      expect(await listLinks(page.getByRole('region', { name: 'Newest members' }))).toEqual(
        faces.map(({ id, name }) => [expect.stringContaining(name), `/user/${id}`]),
      );
    },
  );

  for (const visitor of ['guest', 'member'])
    test(
      `a card and a row show a ${visitor} each specified field separately, and link to the profile`,
      {
        tag: [
          '@spec-1.9',
          '@spec-2.3',
          '@spec-2.51',
          '@spec-3.22',
          '@spec-3.23',
          '@spec-3.24',
          '@spec-3.25',
          '@spec-3.26',
          '@spec-3.27',
          '@spec-3.28',
          '@spec-3.29',
          '@spec-9.9',
        ],
      },
      async ({ page }) => {
        if (visitor === 'member') await startSession(page);
        const { items } = await read<{ items: Card[] }>(page, '/api/users');
        const card = items.find(({ thumb, yearGraduated }) => thumb !== null && yearGraduated !== undefined);
        if (!card) throw new Error('No card has a picture.');
        const facts = [card.name, card.department, 'OUE', String(card.yearGraduated), 'Alum'];
        if (visitor === 'member') {
          expect(card.matricNumber).toMatch(/^.{11}$/u);
          facts.push(card.matricNumber);
        }
        const link = page.locator(`.wall a[href="/user/${card.id}"]`);
        for (const view of ['grid', 'list'])
          for (const width of [390, 820, 1440]) {
            await page.setViewportSize({ width, height: 900 });
            if (width === 390) await page.goto(`/?department=all&sort=name&view=${view}`);
            const boxes = [];
            for (const fact of facts) {
              const part = link.getByText(fact ?? 'nothing', { exact: true });
              await expect(part, `${fact} in the ${view} at ${width} px`).toBeVisible();
              // Given names and surname have a line each.
              expect((await part.innerText()).replaceAll('\n', ' ')).toBe(fact);
              expect(
                await part.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize)),
              ).toBeGreaterThanOrEqual(12);
              const box = await part.boundingBox();
              // Text that only screen readers read has a size of 1 px.
              expect(box?.width).toBeGreaterThan(8);
              if (box) boxes.push({ fact, ...box });
            }
            // No fact lies on another one, and none runs on in the same line without a gap.
            for (const [index, one] of boxes.entries())
              for (const other of boxes.slice(index + 1)) {
                const isApart =
                  one.x + one.width + 4 <= other.x ||
                  other.x + other.width + 4 <= one.x ||
                  one.y + one.height <= other.y + 1 ||
                  other.y + other.height <= one.y + 1;
                expect(isApart, `${one.fact} and ${other.fact} in the ${view} at ${width} px`).toBe(true);
              }
            if (visitor === 'guest') expect(await link.innerText()).not.toMatch(/\d{5}/u);
            await link.scrollIntoViewIfNeeded();
            await expect(link.locator('img')).toHaveAttribute(
              'src',
              view === 'grid' ? (card.thumb ?? '') : (card.thumb ?? '').replace('/192.', '/96.'),
            );
            await expect
              .poll(() => link.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
              .toBeGreaterThan(0);
          }
        await link.click();
        await expect(page).toHaveURL(`/user/${card.id}`);
        await expect(page.getByRole('heading', { level: 1 })).toContainText(card.name);
      },
    );

  test('the search page focuses the search field of the header', { tag: '@spec-2.41' }, async ({ page }) => {
    const field = page.getByRole('banner').getByRole('searchbox', { name: 'Search' });
    for (const width of [390, 820, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto('/search');
      await expect(field, `on load at ${width} px`).toBeFocused();
      await page.goto('/gallery');
      await waitForHydration(page);
      await page.getByRole('link', { name: 'Search', exact: true }).filter({ visible: true }).click();
      await expect(page).toHaveURL('/search');
      await expect(field, `after navigation at ${width} px`).toBeFocused();
    }
  });

  test(
    'a profile has the same sections at /user/{id} and at /myprofile',
    { tag: ['@spec-2.52', '@spec-2.54'] },
    async ({ page }) => {
      await startSession(page);
      const { user } = await read<{ user: { uid: string } }>(page, '/api/identity/session');
      for (const path of ['/myprofile', `/user/${user.uid}`]) {
        await page.goto(path);
        // People of the same class are not a section of the profile.
        const sections = page.getByRole('main').getByRole('heading', { level: 2 });
        for (const width of [1440, 820, 390]) {
          await page.setViewportSize({ width, height: 844 });
          await expect(sections.filter({ hasNotText: 'Also in the class of' })).toHaveText([
            'About',
            'Academic',
            'Personal',
            'Contact',
            'Social',
          ]);
        }
        const academic = page.locator('section', { has: page.getByRole('heading', { name: 'Academic' }) });
        await expect(academic.locator('dt')).toHaveText([
          'Department',
          'Program',
          'College',
          'Year admitted',
          'Year graduated',
          'Matric number',
        ]);
      }
    },
  );
});

test.describe('the shell (specification, section 2)', () => {
  const everywhere = [
    ['Dashboard', '/'],
    ['Search', '/search'],
    ['Gallery', '/gallery'],
    ['Settings', '/settings'],
  ];
  /** Not specified, so it is after the specified links. */
  const careers = ['Careers', '/careers'];

  test(
    'has the search field, the bell and the avatar with the name in the header',
    { tag: ['@desk', '@spec-2.57', '@spec-2.58', '@spec-2.59', '@spec-2.60', '@spec-6.8'] },
    async ({ page }) => {
      await page.goto('/');
      const header = page.getByRole('banner');
      for (const hidden of [
        page.getByRole('link', { name: 'My Profile', includeHidden: true }),
        page.getByRole('button', { name: 'Logout', includeHidden: true }),
      ])
        await expect(hidden).toHaveCount(0);
      await startSession(page);
      await page.reload();
      const avatar = header.getByRole('button', { name: /profile menu/u });
      await expect(avatar.locator('img')).toBeVisible();
      await expect(avatar).toContainText('Ògúnṣọlá Tèmítọ́pẹ́');
      await expect(avatar.getByText('Ògúnṣọlá Tèmítọ́pẹ́')).toBeVisible();
      await header.getByRole('link', { name: /^Notifications/u }).click();
      await expect(page).toHaveURL('/notification');
      await header.getByRole('searchbox', { name: 'Search' }).click();
      await expect(page).toHaveURL('/search');
      await page.goto('/notifications');
      await expect(page).toHaveURL('/notification');
    },
  );

  test(
    'has the specified links in the sidebar',
    { tag: ['@desk', '@spec-2.61', '@spec-2.62', '@spec-2.63', '@spec-6.8'] },
    async ({ page, server }) => {
      await page.goto('/');
      const sidebar = page.getByRole('complementary');
      // The sidebar also has the years of the page.
      const menu = sidebar.getByRole('navigation', { name: 'Menu' });
      expect(await listLinks(menu)).toEqual([...everywhere, ['Login', '/login'], careers]);
      await expect(sidebar.getByRole('link', { name: 'Dashboard' })).toHaveAttribute('aria-current', 'page');
      await expect(sidebar.getByRole('button', { name: 'Logout' })).toHaveCount(0);
      await startSession(page);
      await page.reload();
      // The class and the years must not push the menu or the buttons out of view.
      for (const size of [
        { width: 1366, height: 640 },
        { width: 1440, height: 900 },
      ]) {
        await page.setViewportSize(size);
        await expect(sidebar.getByText('Your class')).toBeInViewport({ ratio: 1 });
        for (const link of await menu.getByRole('link').all()) await expect(link).toBeInViewport({ ratio: 1 });
        for (const name of ['Logout', 'Collapse the sidebar'])
          await expect(sidebar.getByRole('button', { name })).toBeInViewport({ ratio: 1 });
      }
      expect(await listLinks(menu)).toEqual([...everywhere, careers]);
      const { uid } = await createMember(page, server);
      await makeStaff(server, uid, 'owner');
      await page.reload();
      await expect(sidebar.getByRole('button', { name: 'Logout' })).toBeVisible();
      expect(await listLinks(menu)).toEqual([...everywhere, ['Staff console', '/staff'], careers]);
      await sidebar.getByRole('button', { name: 'Collapse the sidebar' }).click();
      await expect(sidebar.getByRole('button', { name: 'Logout' })).toBeVisible();
      expect(await listLinks(menu)).toEqual([...everywhere, ['Staff console', '/staff'], careers]);
      await page.context().clearCookies();
      await announceSessionChange(page);
      await expect(sidebar.getByRole('button', { name: 'Logout' })).toHaveCount(0);
      expect(await listLinks(menu)).toEqual([...everywhere, ['Login', '/login'], careers]);
      await expect(page.getByRole('link', { name: 'My Profile', includeHidden: true })).toHaveCount(0);
    },
  );

  test(
    'has the specified links in the mobile menu',
    { tag: ['@spec-2.66', '@spec-2.67', '@spec-2.68', '@spec-6.8'] },
    async ({ page, server }) => {
      const open = page.getByRole('button', { name: 'Menu', exact: true });
      const menu = page.getByRole('complementary');
      const expectLinks = async (links: string[][], hasLogout: boolean) => {
        for (const width of [390, 820]) {
          await page.setViewportSize({ width, height: 844 });
          await page.goto('/gallery');
          await expect(menu).toBeHidden();
          await open.click();
          expect(await listLinks(menu), `at ${width}`).toEqual(links);
          for (const [name = ''] of links)
            await expect(menu.getByText(name, { exact: true })).toBeInViewport({ ratio: 1 });
          const logout = menu.getByRole('button', { name: 'Logout' });
          if (hasLogout) await expect(logout).toBeInViewport();
          else await expect(logout).toHaveCount(0);
        }
      };
      await expectLinks([...everywhere, ['Login', '/login'], careers], false);
      const forSignedIn = [...everywhere, ['My Profile', '/myprofile'], ['Messages', '/messages'], careers];
      await startSession(page);
      await expectLinks(forSignedIn, true);
      await page.context().clearCookies();
      await createVerifiedAccount(page, server);
      await expectLinks(forSignedIn, true);
    },
  );

  test(
    'shows a loader while a guarded page loads',
    { tag: ['@both', '@spec-2.77', '@spec-4.7', '@spec-4.8', '@spec-4.33'] },
    async ({ page, isMobile }) => {
      await startSession(page);
      await page.goto('/');
      await expect(page.getByRole('button', { name: 'Filters' })).toBeVisible();
      // The guard waits for this response.
      const release = await holdRequests(page, '**/api/identity/session');
      await announceSessionChange(page);
      if (isMobile) await followMenu(page, 'Settings');
      else await page.getByRole('link', { name: 'Settings' }).click();
      await expectVisibleLoading(page);
      // The outline of the next page covers the cards of this one.
      const card = page.locator('main li a[href^="/user/"]').first();
      await expect
        .poll(() =>
          card.evaluate((element) => {
            const { x, y, width } = element.getBoundingClientRect();
            return element.contains(document.elementFromPoint(x + width / 2, Math.min(y + 10, innerHeight - 70)));
          }),
        )
        .toBe(false);
      await expect(page.getByRole('heading', { name: 'Settings' })).toHaveCount(0);
      release();
      await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
      await expect(page.getByRole('status').getByText('Loading...')).toHaveCount(0);
    },
  );

  test(
    'the outline of a page has the first part of the page in its place and width',
    { tag: ['@both', '@spec-2.4', '@spec-2.77', '@spec-4.33'] },
    async ({ page, isMobile }) => {
      const outline = page.locator('main > [aria-hidden]');
      const follow = (name: string) => () =>
        isMobile ? followMenu(page, name) : page.getByRole('link', { name, exact: true }).click();
      for (const [path, open, part, shape] of [
        ['settings', follow('Settings'), 'main form input', '.page > div > div:last-child > :nth-child(5)'],
        ['gallery', follow('Gallery'), '[aria-label="Drawings of the campus"] li', '.grid > *'],
        [
          'class',
          () => page.getByRole('link', { name: 'See class' }).first().click(),
          '.cards .print-shape',
          '.print-shape',
        ],
        [
          'user',
          () => page.locator('.cards a[href^="/user/"]').first().click(),
          'article .print-shape',
          '.print-shape',
        ],
        ['', () => page.goBack(), '.cards .card', '.print-shape'],
      ] as const) {
        if (path === 'settings') await startSession(page);
        if (path !== '') await page.goto('/');
        await expect(page.locator('main h1')).toBeVisible();
        await waitForHydration(page);
        const release = await holdRequests(page, /\/api\//u);
        await open();
        const expected = await outline.locator(shape).first().boundingBox();
        release();
        await expect(outline).toHaveCount(0);
        // Retries until the layout is stable.
        await expect(async () => {
          const found = await page.locator(part).first().boundingBox();
          const isNear = (side: 'x' | 'y' | 'width', most: number) =>
            expect(Math.abs((found?.[side] ?? NaN) - (expected?.[side] ?? NaN)), `${side} on /${path}`).toBeLessThan(
              most,
            );
          isNear('x', 2);
          isNear('width', 8);
          // Other tests may have added photos, which come before the drawings.
          if (path !== 'gallery') isNear('y', 24);
        }).toPass();
      }
    },
  );
});

test.describe('states (specification, section 4)', () => {
  test(
    'the wizard has exactly five named steps with "Step n/5" in its side panel',
    {
      tag: [
        '@spec-2.37',
        '@spec-2.71',
        '@spec-3.3',
        '@spec-3.5',
        '@spec-5.16',
        '@spec-5.18',
        '@spec-5.20',
        '@spec-5.21',
        '@spec-9.4',
        '@spec-9.5',
        '@spec-4.11',
        '@spec-4.12',
        '@spec-4.13',
        '@spec-4.14',
        '@spec-4.15',
        '@spec-4.17',
        '@spec-4.18',
        '@spec-4.19',
        '@spec-9.6',
      ],
    },
    async ({ page, server }) => {
      await createVerifiedAccount(page, server);
      await page.goto('/onboarding');
      const panel = page.getByRole('complementary', { name: 'Progress' });
      await expect(panel.getByRole('link', { name: 'OUE alumni archive, dashboard' })).toHaveAttribute('href', '/');
      const choices: Record<number, [label: string, values: string[]][]> = {
        0: [['Title', ['mr.', 'miss', 'mrs.']]],
        1: [['Gender', ['male', 'female']]],
        2: [
          ['College', ['COSIT', 'COHUM', 'COSPED', 'COVTED']],
          ['Program', ['B.Ed', 'B.Sc']],
        ],
      };
      const headings = [
        'Basic Information',
        'Personal Information',
        'Academic Information',
        'Additional Information',
        'Profile Picture',
      ];
      for (const [index, heading] of headings.entries()) {
        await page.setViewportSize({ width: 1440, height: 900 });
        await expect(panel.getByRole('listitem'), 'the steps on wide screens').toContainText(headings);
        await expectReadable(panel.getByText(`Step ${index + 1}/5`));
        await page.setViewportSize({ width: 390, height: 844 });
        await expectReadable(panel.getByText(`Step ${index + 1}/5`));
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
        await expectReadable(page.getByRole('heading', { level: 1 }));
        // Exactly the specified values can be chosen.
        for (const [label, allowed] of choices[index] ?? []) {
          const options = page.getByLabel(label, { exact: true }).locator('option');
          const shown = (await options.allTextContents()).slice(1);
          // A college also shows its name.
          expect(shown.map((text) => text.replace(/,.*/u, '').toLowerCase())).toEqual(
            allowed.map((value) => value.toLowerCase()),
          );
          expect(await options.evaluateAll((all) => all.map((option) => (option as HTMLOptionElement).value))).toEqual([
            '',
            ...allowed,
          ]);
        }
        const values = stepAnswers[index];
        if (!values) break;
        await fillStep(page, values);
        await page.getByRole('button', { name: 'Continue' }).click();
      }
      // The page as the server sends it, before the scripts look for a step with errors.
      const html = await (await page.request.get('/onboarding?step=6')).text();
      expect(html.replaceAll('<!-- -->', '')).toContain('>Step 5/5<');
      await page.goto('/onboarding?step=6');
      await expect(panel.getByText('Step 5/5')).toBeVisible();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Profile Picture');
      for (const [index, heading] of [...headings.entries()].slice(0, -1).toReversed()) {
        await page.getByRole('button', { name: 'Back', exact: true }).click();
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
        await expect(panel.getByText(`Step ${index + 1}/5`)).toBeVisible();
      }
    },
  );

  test(
    'busy buttons show "Signing up...", "Sending..." and "Resetting password..."',
    { tag: ['@spec-2.22', '@spec-2.24', '@spec-4.22', '@spec-4.23', '@spec-4.24'] },
    async ({ page, server }) => {
      const email = createAddress();
      const press = async (name: string, busy: string, call: string) => {
        const release = await holdRequests(page, `**/api/identity/${call}`);
        await page.getByRole('button', { name, exact: true }).click();
        await expect(page.getByRole('button', { name: busy, exact: true })).toBeDisabled();
        release();
        await expect(page.getByRole('button', { name: busy, exact: true })).toHaveCount(0);
      };
      await page.goto('/signup');
      await page.getByLabel('Email').fill(email);
      for (const label of ['Password', 'Confirm password'])
        await page.getByLabel(label, { exact: true }).fill(password);
      await press('Sign up', 'Signing up...', 'sign-up');
      await expect(page).toHaveURL('/send-verification-email');
      await press('Resend', 'Sending...', 'verification');
      await page.context().clearCookies();
      await page.goto('/reset-password');
      await page.getByLabel('Email').fill(email);
      await press('Send reset link', 'Sending...', 'password-reset');
      await followLink(page, server.inbox, email, 'Choose a new password');
      for (const label of ['New password', 'Confirm password'])
        await page.getByLabel(label, { exact: true }).fill('a word that is new');
      await press('Reset password', 'Resetting password...', 'password-reset/confirm');
      await expect(page).toHaveURL('/login');
    },
  );

  test(
    'an emailed link shows a loader until its code is checked',
    { tag: ['@spec-4.8', '@spec-4.25', '@spec-4.26'] },
    async ({ page }) => {
      for (const [path, after] of [
        ['/verify-email-address', '/login'],
        ['/new-password', '/reset-password'],
      ] as const) {
        const release = await holdRequests(page, '**/api/identity/action-code/check');
        const asked = page.waitForRequest('**/api/identity/action-code/check');
        await page.goto(`${path}?actionCode=nonsense`);
        await asked;
        const loader = page.getByRole('main').getByRole('status');
        await expect(loader).toHaveText('Loading...');
        await expectReadable(loader);
        await expect(page.locator('form')).toHaveCount(0);
        release();
        await expect(toast(page, 'Email verification failed. Try again')).toBeVisible();
        await expect(page).toHaveURL(after);
      }
    },
  );

  test(
    'the onboarding opens five seconds after the congratulations',
    { tag: ['@spec-2.27', '@spec-9.7'] },
    async ({ page, server }) => {
      const email = await createAccount(page);
      await page.clock.install();
      const release = await holdRequests(page, '**/api/identity/action-code/apply');
      const asked = page.waitForRequest('**/api/identity/action-code/apply');
      await followLink(page, server.inbox, email, 'Verify your email address');
      await asked;
      // From here on only the test advances the clock.
      await page.clock.pauseAt(Date.now() + 2_000);
      release();
      await expect(page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();
      const next: string[] = [];
      page.on('request', (request) => next.push(new URL(request.url()).pathname));
      await page.clock.runFor(4_999);
      // A navigation that had started would have requested its data by now.
      await page.evaluate(() => fetch('/healthz'));
      expect(next).toContain('/healthz');
      expect(next).not.toContain('/api/identity/session');
      await expect(page).toHaveURL(/\/verify-email-address\?/u);
      await page.clock.runFor(1);
      await expect(page).toHaveURL('/onboarding');
    },
  );
});

test.describe('validation (specification, section 5)', () => {
  test(
    'each form shows the specified messages',
    {
      tag: [
        '@spec-5.4',
        '@spec-5.5',
        '@spec-5.6',
        '@spec-5.10',
        '@spec-5.11',
        '@spec-5.12',
        '@spec-5.13',
        '@spec-5.14',
        '@spec-5.30',
        '@spec-5.31',
        '@spec-5.33',
      ],
    },
    async ({ page, server }) => {
      test.slow();
      const expectRefused = async (label: string, ...cases: [typed: string, message: string][]) => {
        const field = page.getByLabel(label, { exact: true }).filter({ visible: true });
        for (const [typed, message] of cases) {
          await field.fill(typed === '' ? 'x' : '');
          await field.fill(typed);
          await field.blur();
          await expect(field, `${label} “${typed}”`).toHaveAccessibleDescription(
            new RegExp(`(?:^|[. ])${message}$`, 'u'),
          );
        }
      };
      const email: [string, string][] = [
        ['', 'Email is required'],
        ['nobody', 'Please enter a valid email address'],
      ];
      const newPassword: [string, string][] = [
        ['12345', 'Password cannot be less than six characters'],
        ['x'.repeat(101), 'Password cannot be more than hundred character'],
        ['', 'Field cannot be empty'],
        // The shortest and the longest password.
        ['q7w!zK', ''],
        ['q7w!zK'.padEnd(100, 'x'), ''],
      ];
      const confirmation: [string, string][] = [
        ['something else', 'Passwords does not match'],
        ['', 'Field cannot be empty'],
      ];
      await page.goto('/login');
      await expectRefused('Email', ...email);
      await expectRefused('Password', ['', 'Field cannot be empty']);
      await page.goto('/signup');
      // The address stays empty: each field is checked separately.
      await expectRefused('Email', ...email);
      await expectRefused('Confirm password', ['', 'Field cannot be empty']);
      await expectRefused('Password', ...newPassword);
      await expectRefused('Confirm password', ...confirmation);
      await page.goto('/reset-password');
      await expectRefused('Email', ...email);

      const { url: origin, inbox } = server;
      await page.request.post('/api/identity/password-reset', { data: { email: demo }, headers: { origin } });
      await followLink(page, inbox, demo, 'Choose a new password');
      await expectRefused('New password', ...newPassword);
      await expectRefused('Confirm password', ...confirmation);

      await createAccount(page);
      await page.goto('/send-verification-email');
      await page.getByRole('button', { name: 'Change my email' }).click();
      const asked = page.getByRole('dialog').getByLabel('Email');
      await expect(asked).toHaveAttribute('type', 'email');
      await expect(asked).toHaveAttribute('aria-required', 'true');
      await expectRefused('Email', ...email);

      await page.context().clearCookies();
      await startSession(page);
      await page.goto('/settings?section=information');
      await expect(page.getByLabel('Email', { exact: true })).toHaveValue(demo);
      await expectRefused('Email', ...email);
      await expectRefused('Matric number', ['', 'Field cannot be empty']);
    },
  );

  test(
    'an invalid field has a red border and a message below it',
    { tag: ['@spec-2.75', '@spec-2.76'] },
    async ({ page, server }) => {
      await page.goto('/login');
      await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled();
      const field = page.getByLabel('Email');
      const isRed = async (control = field) => {
        const { red, green, blue } = await readColour(control, 'border-top-color');
        return red > 1.4 * Math.max(green, blue);
      };
      const message = page.getByText('Please enter a valid email address');
      await field.fill('nobody');
      expect(await isRed()).toBe(false);
      await expect(message).toBeHidden();
      await field.blur();
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        await expect.poll(() => isRed(), { message: colorScheme }).toBe(true);
      }
      const [box, below] = [await field.boundingBox(), await message.boundingBox()];
      if (!box || !below) throw new Error('The field or its message is not visible.');
      expect(below.y).toBeGreaterThanOrEqual(box.y + box.height);
      expect(below.y).toBeLessThan(box.y + box.height + 20);
      await field.fill('somebody@mail.example');
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        await expect.poll(() => isRed(), { message: colorScheme }).toBe(false);
      }
      await expect(message).toHaveCount(0);

      // Other kinds of input.
      await page.getByLabel('Password', { exact: true }).focus();
      await page.getByLabel('Password', { exact: true }).blur();
      await expect.poll(() => isRed(page.getByLabel('Password', { exact: true }))).toBe(true);
      await createVerifiedAccount(page, server);
      await page.goto('/onboarding');
      for (const [index, label] of ['Title', 'Home address'].entries()) {
        await page.getByRole('button', { name: 'Continue' }).click();
        await expect.poll(() => isRed(page.getByLabel(label)), { message: label }).toBe(true);
        await fillStep(page, stepAnswers[index] ?? {});
        await page.getByRole('button', { name: 'Continue' }).click();
      }
    },
  );
});

test.describe('errors (specification, section 8)', () => {
  test(
    'failed requests for emails show "Failed" or the message of the error',
    { tag: ['@spec-8.5', '@spec-8.18'] },
    async ({ page }) => {
      await page.goto('/reset-password');
      await page.route('**/api/identity/password-reset', (route) => route.abort());
      await page.getByLabel('Email').fill(demo);
      await page.getByRole('button', { name: 'Send reset link' }).click();
      await expect(page.getByRole('alert')).toHaveText('Failed');
      await expect(page.getByText('(auth/network-request-failed)')).toBeVisible();

      await createAccount(page);
      await page.goto('/send-verification-email');
      await page.route('**/api/identity/verification', (route) =>
        route.request().method() === 'POST' ? route.abort() : route.continue(),
      );
      await page.getByRole('button', { name: 'Resend' }).click();
      await expect(toast(page, 'We could not reach the server. Check your connection and try again')).toBeVisible();
      await expect(page.getByRole('button', { name: 'Resend' })).toBeEnabled();
    },
  );

  test(
    'settings that fail to load show "ERROR::" with the code and a retry button',
    { tag: ['@spec-8.16', '@spec-8.23'] },
    async ({ page }) => {
      await startSession(page);
      for (const isOffline of [false, true]) {
        await page.goto('/');
        await waitForHydration(page);
        await page.unroute('**/document');
        await page.route('**/document', (route) =>
          isOffline ? route.abort() : route.fulfill({ status: 502, contentType: 'text/html', body: 'Bad gateway' }),
        );
        await followMenu(page, 'Settings');
        await expect(page.getByText('ERROR::unavailable')).toBeVisible();
      }
      await expectAtEverySize(page, page.getByText('ERROR::unavailable'), page.getByText('TRY AGAIN'));
      await page.unroute('**/document');
      await page.getByRole('button', { name: 'TRY AGAIN' }).click();
      await expect(page.getByLabel('Last name')).toBeVisible();
      await expect(page.getByText('ERROR::unavailable')).toHaveCount(0);
    },
  );
});
