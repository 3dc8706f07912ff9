import type { Locator, Page } from '@playwright/test';
import type { Card, CardPage } from '#contract/directory.ts';
import { enterConfirmedMode } from './confirmed-mode.ts';
import {
  createMember,
  createVerifiedAccount,
  expect,
  expectVisibleLoading,
  holdRequests,
  logOut,
  openOtherBrowser,
  startSession,
  test,
  waitForHydration,
} from './fixtures.ts';
import { makeStaff } from './staff-data.ts';

const isList = (url: URL) => url.pathname === '/api/users';

const title = 'View all students in your department';

test.describe('the dashboard (specification, section 2; D1 and D16)', () => {
  async function listPeople(page: Page): Promise<Card[]> {
    const people: Card[] = [];
    let after = '';
    do {
      const response = await page.request.get(`/api/users?limit=96${after}`);
      const { items, next } = (await response.json()) as CardPage;
      people.push(...items);
      after = next === null ? '' : `&after=${next}`;
    } while (after !== '');
    return people;
  }

  for (const visitor of ['guest', 'account without a profile', 'unconfirmed account', 'member', 'staff'])
    test(
      `shows its title, the number of all students, three buttons and the first cards to a ${visitor} at each size`,
      { tag: ['@spec-1.8', '@spec-2.1', '@spec-2.2', '@spec-2.3', '@spec-2.6'] },
      async ({ page, server }) => {
        if (visitor === 'account without a profile') await createVerifiedAccount(page, server);
        else if (visitor !== 'guest') {
          const { uid } = await createMember(page, server);
          if (visitor === 'staff') await makeStaff(server, uid, 'owner');
        }
        if (visitor === 'unconfirmed account') await enterConfirmedMode(server);
        const isMember = visitor === 'member' || visitor === 'staff';
        const people = await listPeople(page);
        const inDepartment = people.filter(({ department }) => department === 'Computer Science');
        await page.goto('/');
        const main = page.getByRole('main');
        const heading = main.getByRole('heading', { level: 1 });
        for (const { width, height, maxTop } of [
          { width: 390, height: 844, maxTop: 300 },
          { width: 640, height: 900, maxTop: 360 },
          { width: 820, height: 1180, maxTop: 360 },
          { width: 1440, height: 900, maxTop: 360 },
        ]) {
          await page.setViewportSize({ width, height });
          await expect(heading).toHaveText([title]);
          await expect(heading).toBeInViewport();
          await expect(main.getByText(`${people.length} students`, { exact: true })).toBeInViewport();
          const shown = isMember
            ? `Computer Science · ${inDepartment.length} shown`
            : `All departments · ${people.length} shown`;
          await expect(main.getByText(shown, { exact: true })).toBeInViewport();
          await expect(page.getByRole('navigation', { name: 'People shown' }).locator('[aria-current]')).toHaveText(
            isMember ? 'My department' : 'Everyone',
          );
          await expect(main.getByText('You see what guests see.')).toHaveCount(isMember || visitor === 'guest' ? 0 : 1);
          if (!isMember)
            expect((await main.innerText()).replace(title, '')).not.toMatch(/(?:your|my) (?:department|class)/iu);

          // No other text is as large as the title.
          const sizes = await main.evaluate((element) =>
            [...element.querySelectorAll<HTMLElement>('*:not([aria-hidden] *, [aria-hidden])')]
              .filter((part) => [...part.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()))
              .map((part) => ({
                isTitle: part.tagName === 'H1',
                size: Number.parseFloat(getComputedStyle(part).fontSize),
              })),
          );
          const sizeOfTitle = sizes.find(({ isTitle }) => isTitle)?.size ?? 0;
          expect(sizes.filter(({ isTitle, size }) => !isTitle && size >= sizeOfTitle)).toEqual([]);

          const box = async (part: Locator) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
          const { y, height: heightOfTitle } = await box(heading);
          const wall = await box(page.locator('.wall'));
          for (const name of ['Grid view', 'List view', 'Filters']) {
            const button = main.getByRole('button', { name, exact: true });
            const { y: top, height: heightOfButton } = await box(button);
            expect(top, name).toBeGreaterThanOrEqual(y + heightOfTitle);
            expect(top, name).toBeLessThan(y + heightOfTitle + 60);
            expect(top + heightOfButton, name).toBeLessThanOrEqual(wall.y);
            const word = await box(button.getByText(name, { exact: true }));
            if (width >= 640) expect(word.width, name).toBeGreaterThan(40);
          }
          const first = await box(page.locator('.wall li a[href^="/user/"]').first());
          expect(first.y, `${width} px`).toBeGreaterThan(0);
          expect(first.y, `${width} px`).toBeLessThanOrEqual(maxTop);
          const years = await box(page.getByRole('form', { name: 'Year of graduation' }));
          expect(years.y).toBeGreaterThanOrEqual(wall.y + wall.height);
        }
      },
    );

  test(
    'starts with the own department for members, and everyone is one click away',
    { tag: '@spec-1.8' },
    async ({ page }) => {
      await startSession(page);
      await page.goto('/');
      await expect(page.getByText(/^Computer Science · \d+ shown$/u)).toBeVisible();
      for (const department of await page
        .locator('.wall li a')
        .evaluateAll((cards) => cards.map((card) => card.textContent)))
        expect(department).toContain('Computer Science');
      // The same after navigation in the browser.
      await page.goto('/gallery');
      await waitForHydration(page);
      await page.getByRole('link', { name: 'Dashboard', exact: true }).filter({ visible: true }).click();
      await expect(page.getByText(/^Computer Science · \d+ shown$/u)).toBeVisible();
      await page.getByRole('link', { name: 'Everyone' }).click();
      await expect(page).toHaveURL('/?department=all');
      await expect(page.getByText(/^All departments · \d+ shown$/u)).toBeVisible();
      // The number of all students stays when filters match fewer.
      const total = await page.getByText(/^\d+ students$/u).innerText();
      await page.goto('/?department=Physics&graduatedFrom=2000');
      await expect(page.getByText(/^Physics · since 2000 · \d+ shown$/u)).toBeVisible();
      await expect(page.getByText(total, { exact: true })).toBeVisible();
    },
  );

  test('has a link to the class years below the cards', async ({ page }) => {
    await page.goto('/');
    await expect(page.getByRole('heading', { name: 'Class years' })).not.toBeInViewport();
    await page.getByRole('link', { name: 'By year' }).click();
    await expect(page.getByRole('heading', { name: 'Class years' })).toBeInViewport();
    await expect(page.locator('main li a[href^="/user/"]')).toHaveCount(24);
  });

  test('renders 24 cards on the server, and its pages, filters and layouts work without JavaScript', async ({
    browser,
    server,
  }) => {
    const context = await browser.newContext({ baseURL: server.url, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto('/');
    const cards = page.locator('main li a[href^="/user/"]');
    await expect(cards).toHaveCount(24);
    const first = await cards.first().getAttribute('href');
    await page.getByRole('button', { name: /^Show 24 more/u }).click();
    await expect(page).toHaveURL(/after=/u);
    await expect(cards).toHaveCount(24);
    expect(await cards.first().getAttribute('href')).not.toBe(first);
    await page.goto('/?department=all&graduatedFrom=2020');
    await page.getByRole('button', { name: 'List view' }).click();
    await expect(page).toHaveURL(/graduatedFrom=2020.*view=list/u);
    await cards.first().click();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await context.close();
  });

  test(
    'loads more cards on request, and Back restores them with the scroll position',
    { tag: '@spec-2.2' },
    async ({ page }) => {
      await page.goto('/');
      const count = Number.parseInt(await page.getByText(/^\d+ students$/u).innerText(), 10);
      const cards = page.locator('main li a[href^="/user/"]');
      const more = page.getByRole('button', { name: 'Show 24 more' });
      for (let shown = 24; shown < count; shown += 24) {
        await expect(cards).toHaveCount(shown);
        await more.click();
      }
      await expect(cards).toHaveCount(count);
      await expect(page.getByText(`End of the list: ${count} people`)).toBeVisible();
      const links = await cards.evaluateAll((all) => all.map((card) => card.getAttribute('href')));
      expect(new Set(links).size).toBe(count);
      const far = cards.nth(count - 5);
      await far.scrollIntoViewIfNeeded();
      const top = () => far.evaluate((card) => Math.round(card.getBoundingClientRect().top));
      const before = await top();
      await far.click();
      await expect(page).toHaveURL(/\/user\//u);
      await page.goBack();
      await expect(cards).toHaveCount(count);
      // The exact position, although the pages above were not laid out after Back.
      await expect.poll(top).toBe(before);
    },
  );

  test('removes the loaded cards after the member signs out', { tag: '@asvs-14.3.1' }, async ({ page }) => {
    await startSession(page);
    await page.goto('/?department=all');
    const cards = page.locator('.wall li a');
    await page.getByRole('button', { name: 'Show 24 more' }).click();
    await expect(cards).toHaveCount(48);
    await logOut(page);
    await page.goBack();
    await expect(page).toHaveURL('/?department=all');
    await expect(cards).toHaveCount(24);
    await expect(page.getByRole('banner')).toContainText('Guest');
  });

  test('ignores invalid filters and an invalid cursor in the URL', async ({ page }) => {
    const wrong = [
      'graduatedFrom=0001',
      'graduatedTo=99999',
      `college=${'x'.repeat(200)}`,
      'program=%00',
      'after=nowhere',
    ];
    for (const part of [...wrong, wrong.join('&')]) {
      const response = await page.goto(`/?${part}`);
      expect(response?.status(), part).toBe(200);
      await expect(page.locator('main li a[href^="/user/"]')).toHaveCount(24);
    }
  });

  test('switches between grid and list view and changes the URL', { tag: '@spec-2.6' }, async ({ page }) => {
    await page.goto('/');
    const grid = page.getByRole('button', { name: 'Grid view' });
    const list = page.getByRole('button', { name: 'List view' });
    await expect(grid).toHaveAttribute('aria-pressed', 'true');
    await list.click();
    await expect(page).toHaveURL(/view=list/u);
    await expect(list).toHaveAttribute('aria-pressed', 'true');
    const row = page.getByRole('main').getByRole('listitem').first();
    expect((await row.boundingBox())?.height).toBeLessThan(110);
    await grid.click();
    await expect(grid).toHaveAttribute('aria-pressed', 'true');
    expect((await row.boundingBox())?.height).toBeGreaterThan(200);
  });

  test(
    'filters the list by a URL that can be shared and restored with Back',
    { tag: '@spec-2.6' },
    async ({ page, server }) => {
      await startSession(page);
      await page.goto('/');
      await page.getByRole('button', { name: 'Filters' }).click();
      const dialog = page.getByRole('dialog', { name: 'Filters' });
      await dialog.getByLabel('Department').selectOption('all');
      await dialog.getByLabel('College').selectOption('COHUM');
      await dialog.getByLabel('Program').selectOption('B.Ed');
      await dialog.getByLabel('Graduated since').selectOption({ index: 1 });
      await dialog.getByRole('button', { name: /^Show [\d,]+ p/u }).click();
      await expect(dialog).toBeHidden();
      await expect(page).toHaveURL(/college=COHUM&department=all&program=B.Ed&graduatedFrom=\d{4}/u);
      const text = await page.getByText(/^All departments · .*\d shown$/u).innerText();
      await expect(page.getByRole('button', { name: 'Filters' })).toContainText('3');
      const shared = page.url();
      await page.goBack();
      await expect(page.getByText(/^Computer Science ·/u)).toBeVisible();

      const other = await openOtherBrowser(page, server);
      await startSession(other.page);
      await other.page.goto(shared);
      await expect(other.page.getByText(text)).toBeVisible();
      await other.page.getByRole('button', { name: 'Filters' }).click();
      await expect(other.page.getByRole('dialog').getByLabel('College')).toHaveValue('COHUM');
      await other.page.getByRole('link', { name: 'Clear all' }).click();
      await expect(other.page).toHaveURL('/?department=all');
      await other.context.close();
    },
  );

  test('shows that nobody matches the filters and offers to remove them', async ({ page }) => {
    await page.goto('/?department=Alchemy');
    await expect(page.getByText('No people to show')).toBeVisible();
    await expect(page.getByText('Alchemy · 0 shown')).toBeVisible();
    await page.getByRole('link', { name: 'Show all departments' }).click();
    await expect(page.getByRole('main').getByRole('listitem')).not.toHaveCount(0);
  });
});

test.describe('the wall of people', () => {
  test('has six columns at 1440 px and two on a phone', { tag: '@both' }, async ({ page, isMobile }) => {
    if (!isMobile) await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto('/');
    const columns = await page
      .locator('main ul')
      .filter({ has: page.locator('a[href^="/user/"]') })
      .evaluate((list) => getComputedStyle(list).gridTemplateColumns.split(' ').length);
    expect(columns).toBe(isMobile ? 2 : 6);
  });

  test('starts with the newest people for guests, by surname for members, and changes its order', async ({ page }) => {
    await page.goto('/');
    const order = page.getByRole('navigation', { name: 'Order' });
    const years = page.locator('main li .year');
    await expect(order.getByRole('link', { name: 'Newest' })).toHaveAttribute('aria-current', 'page');
    await order.getByRole('link', { name: 'Class' }).click();
    await expect(page).toHaveURL('/?department=all&sort=class');
    await expect(order.getByRole('link', { name: 'Class' })).toHaveAttribute('aria-current', 'page');
    await expect(years).not.toHaveCount(0);
    const sorted = await years.allInnerTexts();
    expect(sorted).toEqual(sorted.toSorted().toReversed());
    // The order stays when more people are loaded.
    await page.getByRole('button', { name: 'Show 24 more' }).click();
    await expect(page.locator('main li a[href^="/user/"]')).toHaveCount(48);
    const more = await years.allInnerTexts();
    expect(more).toEqual(more.toSorted().toReversed());
    await startSession(page);
    await page.goto('/');
    await expect(order.getByRole('link', { name: 'Surname' })).toHaveAttribute('aria-current', 'page');
  });

  test('shows members their class in gold, and links it', async ({ page, server }) => {
    const { name } = await createMember(page, server);
    await page.context().clearCookies();
    await startSession(page);
    await page.goto('/');
    await expect(page.getByRole('list', { name: 'Classmates' }).getByRole('link').first()).toBeVisible();
    await page.getByRole('link', { name: 'My class 2015' }).click();
    await expect(page).toHaveURL('/?department=Computer+Science&graduatedFrom=2015&graduatedTo=2015');
    await expect(page.getByRole('list', { name: 'Classmates' })).toBeHidden();
    const card = page.locator('main li').filter({ hasText: name }).first();
    await expect(card.getByText('2015', { exact: true })).toHaveClass(/bg-gold/u);
    await page.goto('/?department=Physics');
    await expect(page.locator('main li .bg-gold')).toHaveCount(0);
  });
});

test('the class year of a row stays on one line in the system font', async ({ page }) => {
  // A slow network keeps the system font, whose digits are wider.
  await page.route('**/*.woff2', (route) => route.abort());
  await startSession(page);
  await page.goto('/?view=list');
  const year = page.locator('main li a .bg-gold').first();
  const { lines, isWider } = await year.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return { lines: range.getClientRects().length, isWider: element.scrollWidth > element.clientWidth };
  });
  expect(lines).toBe(1);
  expect(isWider).toBe(false);
});

test(
  'each fact of a row is on one line on tablets and desktops',
  { tag: ['@desk', '@spec-2.3', '@spec-9.9'] },
  async ({ page }) => {
    await startSession(page);
    await page.goto('/?view=list');
    for (const width of [768, 820, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const text of ['OUE', 'Alum', /^\d{6}[A-Z]{2}\d{3}$/u, /^(?:19|20)\d{2}$/u]) {
        const fact = page.locator('.wall li').first().getByText(text, { exact: true });
        const lines = await fact.evaluate((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return new Set([...range.getClientRects()].map(({ top }) => top)).size;
        });
        expect(lines, `${text} at ${width} px`).toBe(1);
      }
    }
  },
);

test('the dashboard prints the people without its controls', { tag: '@desk' }, async ({ page }) => {
  await startSession(page);
  await page.goto('/');
  const controls = ['Layout', 'Order', 'People shown', 'Year of graduation'].map((name) =>
    page.locator(`main [aria-label="${name}"]`),
  );
  controls.push(
    page.getByRole('button', { name: 'Filters' }),
    page.getByRole('button', { name: 'Show 24 more' }).or(page.getByText('End of the list')),
  );
  for (const control of controls) await expect(control).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  for (const control of controls) await expect(control).toBeHidden();
  await expect(page.getByRole('heading', { name: 'View all students in your department' })).toBeVisible();
  await expect(page.locator('.wall a').first()).toBeVisible();
});

test.describe('the year strip', () => {
  const readYears = (strip: Locator) =>
    strip
      .getByRole('button')
      .evaluateAll((buttons) => buttons.map((button) => button.textContent.split(' ').map(Number)));

  test('filters by a year and shows all years again', async ({ page }) => {
    await page.goto('/');
    const strip = page.getByRole('form', { name: 'Year of graduation' });
    const years = await readYears(strip);
    expect(years).toEqual(years.toSorted(([a = 0], [b = 0]) => b - a));
    const [year, count] = years[2] ?? [];
    const button = strip.getByRole('button', { name: String(year) });
    await button.click();
    await expect(page).toHaveURL(`/?department=all&year=${year}`);
    await expect(page.getByText(`All departments · ${year} · ${count} shown`)).toBeVisible();
    await expect(button).toHaveAttribute('aria-current', 'true');
    await expect(page.locator('main li a[href^="/user/"]')).toHaveCount(count ?? 0);
    // The strip keeps the other years.
    expect(await readYears(strip)).toEqual(years);
    await button.click();
    await expect(page).toHaveURL('/?department=all&year=all');
    await expect(button).not.toHaveAttribute('aria-current');
  });

  test('works without JavaScript', async ({ browser, server }) => {
    const context = await browser.newContext({ baseURL: server.url, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto('/?view=list');
    const [[year, count] = []] = await readYears(page.getByRole('form', { name: 'Year of graduation' }));
    await page.getByRole('button', { name: String(year) }).click();
    await expect(page).toHaveURL(`/?department=all&view=list&year=${year}`);
    await expect(page.getByText(`All departments · ${year} · ${count} shown`)).toBeVisible();
    await context.close();
  });

  test('is one tab stop, and the arrow keys move between years', { tag: '@desk' }, async ({ page }) => {
    await page.goto('/');
    const strip = page.getByRole('form', { name: 'Year of graduation' });
    const [newest, before] = (await readYears(strip)).map(([year]) => year);
    await page.keyboard.press('Tab');
    await strip.getByRole('button').first().focus();
    await page.keyboard.press('ArrowLeft');
    await expect(strip.getByRole('button', { name: String(before) })).toBeFocused();
    await page.keyboard.press('ArrowRight');
    await expect(strip.getByRole('button', { name: String(newest) })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(strip.locator(':focus')).toHaveCount(0);
    await page.keyboard.press('Shift+Tab');
    await expect(strip.getByRole('button', { name: String(newest) })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`/?department=all&year=${newest}`);
  });

  test('shows empty years as gaps, and the count of a year on hover and focus', { tag: '@desk' }, async ({ page }) => {
    await page.goto('/');
    const strip = page.getByRole('form', { name: 'Year of graduation' });
    const years = (await readYears(strip)).map(([year = 0]) => year);
    const lefts = await strip
      .getByRole('button')
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().left));
    const widthOfYear = ((lefts[0] ?? 0) - (lefts.at(-1) ?? 0)) / ((years[0] ?? 0) - (years.at(-1) ?? 0));
    for (const [index, year] of years.entries())
      expect((lefts[0] ?? 0) - (lefts[index] ?? 0)).toBeCloseTo(((years[0] ?? 0) - year) * widthOfYear, 0);
    const button = strip.getByRole('button').nth(1);
    await expect(button.locator('b')).toHaveCSS('opacity', '0');
    await button.hover();
    await expect(button.locator('b')).toHaveCSS('opacity', '1');
    await page.mouse.move(0, 0);
    await page.keyboard.press('Tab');
    await button.focus();
    await expect(button.locator('b')).toHaveCSS('opacity', '1');
  });
});

test.describe('slow and failed requests (specification, sections 2 and 8; D23)', () => {
  test(
    'show an error with TRY AGAIN for a list and keep the cards on the screen',
    { tag: ['@spec-2.5', '@spec-4.34', '@spec-8.14'] },
    async ({ page }) => {
      await page.goto('/');
      const cards = page.locator('main li a[href^="/user/"]');
      await expect(cards).toHaveCount(24);
      await page.route(isList, (route) => route.fulfill({ status: 404 }));
      await page.getByRole('button', { name: 'List view' }).click();
      await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
      await expect(cards).toHaveCount(24);
      await page.getByRole('button', { name: 'TRY AGAIN' }).click();
      await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
      await page.unroute(isList);
      await page.getByRole('button', { name: 'TRY AGAIN' }).click();
      await expect(page.getByText('ERROR: Failed to fetch data')).toBeHidden();
      await expect(page.getByRole('button', { name: 'List view' })).toHaveAttribute('aria-pressed', 'true');
      await expect(cards).toHaveCount(24);
    },
  );

  test('let the user load the next page of cards again', { tag: '@spec-4.34' }, async ({ page }) => {
    await page.goto('/');
    await page.route(isList, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('button', { name: 'Show 24 more' }).click();
    await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
    await page.unroute(isList);
    await page.getByRole('button', { name: 'TRY AGAIN' }).click();
    await expect(page.locator('main li a[href^="/user/"]')).toHaveCount(48);
  });

  test(
    'show "Loading..." while the list loads in another view',
    { tag: ['@spec-2.4', '@spec-4.33'] },
    async ({ page }) => {
      await page.goto('/');
      const release = await holdRequests(page, isList);
      await page.getByRole('button', { name: 'List view' }).click();
      await expectVisibleLoading(page);
      release();
      await expect(page.getByText('Loading...')).toBeHidden();
    },
  );

  test('show an error with TRY AGAIN for a profile', { tag: ['@spec-4.34', '@spec-8.15'] }, async ({ page }) => {
    await page.goto('/');
    await page.route(/\/api\/users\/[\w-]{36}/u, (route) => route.fulfill({ status: 404 }));
    await page.locator('main li a[href^="/user/"]').first().click();
    await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
    await page.unroute(/\/api\/users\/[\w-]{36}/u);
    await page.getByRole('button', { name: 'TRY AGAIN' }).click();
    await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
  });

  test('show a banner while the browser is offline', { tag: '@spec-8.23' }, async ({ page, context }) => {
    await page.goto('/');
    await expect(page.getByRole('button', { name: 'Filters' })).toBeVisible();
    await context.setOffline(true);
    await expect(page.getByText('You are offline.')).toBeVisible();
    await page.getByRole('button', { name: 'Show 24 more' }).click();
    await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
    await expect(page.locator('main li a[href^="/user/"]')).toHaveCount(24);
    await context.setOffline(false);
    await expect(page.getByText('You are offline.')).toBeHidden();
  });

  test('leave the page on the screen while the server is down', { tag: '@spec-8.23' }, async ({ page, server }) => {
    await page.goto('/');
    await expect(page.getByRole('button', { name: 'Filters' })).toBeVisible();
    await server.withoutServer(async () => {
      await page.getByRole('button', { name: 'List view' }).click();
      await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
      await expect(page.locator('main li a[href^="/user/"]')).toHaveCount(24);
    });
    await page.getByRole('button', { name: 'TRY AGAIN' }).click();
    await expect(page.getByText('ERROR: Failed to fetch data')).toBeHidden();
  });
});

test.describe('a profile', () => {
  test(
    'sends guests no data that only members may see, not even in hidden parts of the page',
    { tag: '@asvs-8.2.3' },
    async ({ page, server }) => {
      await startSession(page);
      await page.goto('/');
      const card = page.locator('main li a[href^="/user/"]').first();
      const address = (await card.getAttribute('href')) ?? '';
      const member = (await (await page.request.get(`/api${address.replace('/user/', '/users/')}`)).json()) as {
        contactNumber: string;
        homeAddress?: string;
        email: string;
        fullBio: string;
        academic: { matricNumber: string; college: string };
        name: { last: string };
      };
      const secrets = [
        member.contactNumber,
        member.homeAddress,
        member.email,
        member.fullBio,
        member.academic.matricNumber,
      ].filter((secret) => secret !== undefined);
      expect(secrets.length).toBeGreaterThan(3);
      await page.goto(address);
      for (const secret of [member.email, member.academic.matricNumber])
        await expect(page.getByRole('main')).toContainText(secret);

      const guest = await openOtherBrowser(page, server);
      for (const path of [address, '/', '/home', `/?department=all&view=list`]) {
        const html = await (await guest.page.goto(path))?.text();
        for (const secret of secrets) expect(html, path).not.toContain(secret);
        expect(html, path).not.toMatch(/\bdob\W+\d/u);
        expect(html).not.toContain(member.academic.matricNumber.slice(0, 11));
      }
      await guest.page.goto(address);
      await expect(guest.page.getByRole('heading', { level: 1 })).toContainText(member.name.last);
      await expect(guest.page.getByText('Members can see more.')).toBeVisible();
      await expect(guest.page.getByRole('heading', { name: 'Contact' })).toBeHidden();
      await guest.context.close();
    },
  );

  test(
    'shows its owner who can see each field, and a preview for each audience',
    { tag: '@spec-2.54' },
    async ({ page }) => {
      await startSession(page);
      await page.goto('/myprofile');
      await expect(page.getByText('Members only').first()).toBeVisible();
      await expect(page.getByTitle('Members only').last()).toBeVisible();
      await expect(page.getByRole('main')).toContainText('demo@alumni.example');
      await page.getByRole('link', { name: 'Guests' }).click();
      await expect(page).toHaveURL('/myprofile?as=everyone');
      await expect(page.getByRole('main')).not.toContainText('demo@alumni.example');
      await expect(page.getByText('Members only')).toBeHidden();
      await page.getByRole('link', { name: 'Members' }).click();
      await expect(page.getByRole('main')).toContainText('demo@alumni.example');
    },
  );

  test('returns a page with status 404 when the person does not exist', async ({ page }) => {
    for (const path of ['/user/00000000-0000-4000-8000-000000000000', '/user/nobody', '/no/such/page']) {
      const response = await page.goto(path);
      expect(response?.status()).toBe(404);
      await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
    }
    const signInLink = page.getByRole('main').getByRole('link', { name: 'Sign in' });
    await expect(signInLink).toHaveAttribute('href', '/login?from=%2Fno%2Fsuch%2Fpage');
    await startSession(page);
    await page.goto('/no/such/page');
    await expect(page.getByRole('link', { name: 'Go to the dashboard' })).toBeVisible();
    await expect(signInLink).toHaveCount(0);
  });
});
