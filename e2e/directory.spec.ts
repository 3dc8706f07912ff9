import type { Locator, Page } from '@playwright/test';
import type { Card, CardPage } from '#contract/directory.ts';
import { enterConfirmedMode } from './confirmed-mode.ts';
import {
  announceSessionChange,
  createMember,
  createName,
  createVerifiedAccount,
  expect,
  expectVisibleLoading,
  holdRequests,
  logOut,
  openOtherBrowser,
  startSession,
  test,
  waitForHydration,
  expectAtEverySize,
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
          // The count and the scopes have lines of their own.
          { width: 640, height: 900, maxTop: 340 },
          { width: 820, height: 1180, maxTop: 340 },
          { width: 1440, height: 900, maxTop: 300 },
        ]) {
          await page.setViewportSize({ width, height });
          await expect(heading).toHaveText([title]);
          await expect(heading).toBeInViewport();
          await expect(main.getByText(`${people.length} students`, { exact: true })).toBeInViewport();
          const shown = main.getByText(/\d shown/u);
          if (isMember) await expect(shown).toHaveText(`${inDepartment.length} shown in Computer Science`);
          // The count of all students is enough.
          else await expect(shown).toHaveCount(0);
          // Others than members have no choice.
          await expect(page.getByRole('navigation', { name: 'People shown' }).locator('[aria-current]')).toHaveText(
            isMember ? ['My department'] : [],
          );
          await expect(main.getByText('You see what guests see.')).toHaveCount(isMember || visitor === 'guest' ? 0 : 1);
          if (!isMember)
            expect((await main.innerText()).replace(title, '')).not.toMatch(/(?:your|my) (?:department|class)/iu);

          // No other text is as large as the title, except the numerals of class years. None covers as much of the page.
          const texts = await main.evaluate((element) =>
            [...element.querySelectorAll<HTMLElement>('*:not([aria-hidden] *, [aria-hidden])')]
              .filter((part) => [...part.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()))
              .map((part) => {
                const range = document.createRange();
                range.selectNodeContents(part);
                const { width, height } = range.getBoundingClientRect();
                return {
                  isTitle: part.tagName === 'H1',
                  isYear: part.closest('h2.year') !== null,
                  // The next step of an account is a small bar of the shell, outside the page.
                  isInPage: part.closest('.page') !== null,
                  text: part.textContent,
                  size: Number.parseFloat(getComputedStyle(part).fontSize),
                  area: width * height,
                };
              }),
          );
          const titleText = texts.find(({ isTitle }) => isTitle) ?? { size: 0, area: 0 };
          const others = texts.filter(({ isTitle }) => !isTitle);
          expect(others.filter(({ isYear, size }) => !isYear && size >= titleText.size)).toEqual([]);
          expect(others.filter(({ isYear, text }) => isYear && !/^\d{4}$/u.test(text))).toEqual([]);
          expect(others.filter(({ isInPage, area }) => isInPage && area * 1.5 > titleText.area)).toEqual([]);

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
          const columns = await page
            .locator('.wall .cards')
            .first()
            .evaluate((list) => getComputedStyle(list).gridTemplateColumns.split(' ').length);
          if (width === 390) expect(columns, 'columns on a phone').toBe(2);
          if (width === 1440) expect(columns, 'columns at 1440 px').toBe(6);
          const first = await box(page.locator('.wall li a[href^="/user/"]').first());
          expect(first.y, `${width} px`).toBeGreaterThan(0);
          expect(first.y, `${width} px`).toBeLessThanOrEqual(maxTop);
          // The years are in the sidebar, or on small screens in a row above the bar at the bottom.
          const sidebarYears = page.getByRole('complementary').getByRole('navigation', { name: 'Years of graduation' });
          const chips = main.getByRole('navigation', { name: 'Class years' });
          await expect(sidebarYears).toBeVisible({ visible: width >= 1024 });
          await expect(chips).toBeVisible({ visible: width < 1024 });
          if (width < 1024) await expect(chips).toBeInViewport({ ratio: 1 });
        }
      },
    );

  test(
    'starts with the own department for members, and everyone is one click away',
    { tag: '@spec-1.8' },
    async ({ page }) => {
      await startSession(page);
      await page.goto('/');
      await expect(page.getByText(/^\d+ shown in Computer Science$/u)).toBeVisible();
      for (const department of await page
        .locator('.wall li a[href^="/user/"]')
        .evaluateAll((cards) => cards.map((card) => card.textContent)))
        expect(department).toContain('Computer Science');
      // The same after navigation in the browser.
      await page.goto('/gallery');
      await waitForHydration(page);
      await page.getByRole('link', { name: 'Dashboard', exact: true }).filter({ visible: true }).click();
      await expect(page.getByText(/^\d+ shown in Computer Science$/u)).toBeVisible();
      await page.getByRole('link', { name: 'Everyone' }).click();
      await expect(page).toHaveURL('/?department=all');
      await expect(page.getByText(/\d shown/u)).toHaveCount(0);
      // The number of all students stays when filters match fewer.
      const total = await page.getByText(/^\d+ students$/u).innerText();
      await page.goto('/?department=Physics&graduatedFrom=2000');
      await expect(page.getByText(/^\d+ shown in Physics, since 2000$/u)).toBeVisible();
      await expect(page.getByText(total, { exact: true })).toBeVisible();
    },
  );

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
    const cards = page.locator('.wall li a[href^="/user/"]');
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
    const cards = page.locator('main li a[href^="/user/"]');
    await page.goto(`/?${wrong.join('&')}`);
    await expect(cards).toHaveCount(24);
    const links = await cards.evaluateAll((all) => all.map((card) => card.getAttribute('href') ?? ''));
    for (const part of wrong) {
      const response = await page.request.get(`/?${part}`);
      expect(response.status(), part).toBe(200);
      const html = await response.text();
      expect(links.filter((link) => html.includes(`"${link}"`)).length, part).toBe(24);
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
    for (const button of [grid, list, page.getByRole('button', { name: 'Filters' })])
      await expect(button).toBeVisible();
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
      // The default order has an empty value, so it stays out of the URL.
      await expect(dialog.getByLabel('Sort by')).toHaveValue('');
      await dialog.getByLabel('Sort by').selectOption('Surname');
      await dialog.getByRole('button', { name: /^Show [\d,]+ p/u }).click();
      await expect(dialog).toBeHidden();
      await expect(page).toHaveURL(/college=COHUM&department=all&program=B.Ed&graduatedFrom=\d{4}.*&sort=name/u);
      const text = (await page.getByText(/^\d+ shown, since \d{4}$/u).textContent()) ?? '';
      await expect(page.getByRole('button', { name: 'Filters' })).toContainText('3');
      const shared = page.url();
      await page.goBack();
      await expect(page.getByText(/^\d+ shown in Computer Science$/u)).toBeVisible();

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
    await expect(page.getByText('0 shown in Alchemy')).toBeVisible();
    await page.getByRole('link', { name: 'Show all departments' }).click();
    await expect(page.getByRole('main').getByRole('listitem')).not.toHaveCount(0);
  });
});

test.describe('the wall of people', () => {
  test(
    'starts with the newest people for guests, by class for members, and changes its order',
    { tag: '@desk' },
    async ({ page }) => {
      await page.goto('/');
      const order = page.getByRole('navigation', { name: 'Order' });
      const years = page.locator('.wall li a .year');
      await expect(order.getByRole('link', { name: 'Newest' })).toHaveAttribute('aria-current', 'page');
      await order.getByRole('link', { name: 'Year' }).click();
      await expect(page).toHaveURL('/?department=all&sort=class');
      await expect(order.getByRole('link', { name: 'Year' })).toHaveAttribute('aria-current', 'page');
      await expect(years).not.toHaveCount(0);
      const sorted = await years.allInnerTexts();
      expect(sorted).toEqual(sorted.toSorted().toReversed());
      // The order stays when more people are loaded.
      await page.getByRole('button', { name: 'Show 24 more' }).click();
      await expect(page.locator('main li a[href^="/user/"]')).toHaveCount(48);
      const more = await years.allInnerTexts();
      expect(more).toEqual(more.toSorted().toReversed());
      await order.getByRole('link', { name: 'Newest' }).click();
      await expect(page).toHaveURL('/?department=all');
      await page.goto('/?department=all&sort=newest');
      await page.getByRole('button', { name: 'Filters' }).click();
      await expect(page.getByRole('dialog').getByLabel('Sort by')).toHaveValue('');
      await startSession(page);
      await page.goto('/');
      await expect(order.getByRole('link', { name: 'Year' })).toHaveAttribute('aria-current', 'page');
    },
  );

  test('shows members each class with a heading, their own first, and each person once', async ({ page }) => {
    await startSession(page);
    await page.goto('/');
    const more = page.getByRole('button', { name: 'Show 24 more' });
    while (await more.isVisible()) {
      const shown = await page.locator('.wall li a[href^="/user/"]').count();
      await more.click();
      await expect(page.locator('.wall li a[href^="/user/"]')).not.toHaveCount(shown);
      // The first new card has the focus.
      await expect(page.locator('.wall li a[href^="/user/"]:focus')).toHaveCount(1);
    }
    const { items } = (await (
      await page.request.get('/api/users?department=Computer%20Science&sort=class&limit=96')
    ).json()) as CardPage;
    const sections = await page.locator('.wall section').evaluateAll((all) =>
      all.map((section) => ({
        heading: section.querySelector('h2')?.textContent,
        count: Number.parseInt(section.querySelector('h2 + span')?.textContent ?? '', 10),
        cards: [...section.querySelectorAll('li a[href^="/user/"]')].map((card) => card.getAttribute('href')),
        link: section.querySelector('h2 a, h2 ~ a')?.getAttribute('href'),
        isGold: getComputedStyle(section.querySelector('h2')?.parentElement ?? section).borderBottomWidth === '3px',
      })),
    );
    const years = [...new Set(items.map(({ yearGraduated }) => yearGraduated))];
    const ordered = [2015, ...years.filter((year) => year !== 2015)];
    expect(sections).toEqual(
      ordered.map((year) => {
        const cards = items.filter(({ yearGraduated }) => yearGraduated === year);
        return {
          heading: String(year),
          count: cards.length,
          cards: cards.map(({ id }) => `/user/${id}`),
          link: `/class/Computer%20Science/${year}`,
          isGold: year === 2015,
        };
      }),
    );
    // Also that of a class with one person.
    expect(sections.map(({ count }) => count)).toContain(1);
    for (const width of [390, 820]) {
      await page.setViewportSize({ width, height: 844 });
      const widths = await page
        .locator('.wall li')
        .evaluateAll((all) => all.map((card) => Math.round(card.getBoundingClientRect().width)));
      expect(Math.max(...widths) - Math.min(...widths), `at ${width} px`).toBeLessThan(2);
    }
    const heading = page.locator('.wall section').first().locator('h2');
    await expect(heading).toHaveCSS('font-size', '48px');
    await expect(heading.locator('..')).toHaveCSS('position', 'sticky');
  });

  test(
    'has the facts of neighbouring cards at the same height, for guests and for members',
    { tag: '@both' },
    async ({ page }) => {
      const cards = page.locator('.wall li a[href^="/user/"]');
      for (const visitor of ['guest', 'member']) {
        if (visitor === 'member') await startSession(page);
        await page.goto('/?department=all&sort=name');
        await cards.nth(1).evaluate((card) => {
          const [given] = card.querySelectorAll('.name > *');
          if (given) given.textContent = 'Oluwatimilehin Ayòmipòsi Chukwuemeka';
        });
        const gaps = await cards.evaluateAll((all) =>
          all.map((card) => {
            const [given, surname] = [...card.querySelectorAll('.name > *')].map((part) =>
              part.getBoundingClientRect(),
            );
            return (surname?.top ?? NaN) - (given?.bottom ?? NaN);
          }),
        );
        for (const gap of gaps) expect(gap, visitor).toBeLessThan(2);
        const tops = await cards.evaluateAll((all) =>
          all.map((card) =>
            [...card.children, ...card.querySelectorAll('.labels > :last-child')].map((part) =>
              Math.round(part.getBoundingClientRect().top),
            ),
          ),
        );
        const rows = Map.groupBy(tops, ([top]) => top);
        expect(rows.size, visitor).toBeGreaterThan(2);
        for (const row of rows.values()) for (const card of row) expect(card, visitor).toEqual(row[0]);
      }
    },
  );

  test('shows exactly one scope as current, also with a year or another department', async ({ page }) => {
    await startSession(page);
    const current = page.getByRole('navigation', { name: 'People shown' }).locator('[aria-current]');
    for (const [path, label] of [
      ['/', 'My department'],
      ['/?department=all&year=2015', 'Everyone'],
      ['/?department=Computer+Science&year=2014', 'My department'],
      ['/?department=Computer+Science&year=2015', 'My class 2015'],
      ['/?department=Physics', 'Physics'],
    ] as const) {
      await page.goto(path);
      await expect(current, path).toHaveText([label]);
      for (const width of [320, 390, 640, 820, 1024, 1440]) {
        await page.setViewportSize({ width, height: 844 });
        const links = page.getByRole('navigation', { name: /^(?:People shown|Order)$/u }).getByRole('link');
        const boxes = await links.evaluateAll((all) =>
          all
            .map((link) => link.getBoundingClientRect())
            .filter((box) => box.width > 0)
            .map(({ left, right, top, bottom }) => ({ left, right, top, bottom })),
        );
        for (const [index, box] of boxes.entries()) {
          expect(box.left, `${path} at ${width} px`).toBeGreaterThanOrEqual(16);
          // The text of the last link ends at the edge of the page, its target 6 px after it.
          expect(box.right, `${path} at ${width} px`).toBeLessThanOrEqual(width - 10);
          const last = boxes[index - 1];
          // In the same order at every size, and not on each other.
          if (last) expect(box.left >= last.right - 1 || box.top >= last.bottom - 1).toBe(true);
        }
      }
      await expect(page.getByRole('navigation', { name: 'People shown' }).getByRole('link')).toHaveText([
        'My class 2015',
        'My department',
        'Everyone',
        ...(label === 'Physics' ? ['Physics'] : []),
      ]);
    }
  });

  test('shows members their class in gold, and links it', async ({ page, server }) => {
    const { name } = await createMember(page, server);
    await page.context().clearCookies();
    await startSession(page);
    await page.goto('/');
    await page.getByRole('link', { name: 'My class 2015' }).click();
    await expect(page).toHaveURL('/?department=Computer+Science&year=2015');
    await page.goto('/?department=Computer+Science&year=2015&sort=name');
    const card = page.locator('.wall li').filter({ hasText: name }).first();
    await expect(card.getByText('2015', { exact: true })).toHaveClass(/bg-gold/u);
    await page.goto('/?department=Physics&sort=name');
    await expect(page.locator('main li .bg-gold')).toHaveCount(0);
  });
});

test('the class year of a row stays on one line in the system font', { tag: '@release' }, async ({ page }) => {
  // A slow network keeps the system font, whose digits are wider.
  await page.route('**/*.woff2', (route) => route.abort());
  await startSession(page);
  await page.goto('/?view=list&sort=name');
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
    // In this order, each row has the year.
    await page.goto('/?view=list&sort=name');
    const matricNumber = /^\d{6}[A-Z]{2}\d{3}$/u;
    const row = page
      .locator('.wall li')
      .filter({ has: page.getByText(matricNumber) })
      .first();
    for (const width of [768, 820, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const text of ['OUE', 'Alum', matricNumber, /^(?:19|20)\d{2}$/u]) {
        const fact = row.getByText(text, { exact: true });
        const lines = await fact.evaluate((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return new Set([...range.getClientRects()].map(({ top }) => top)).size;
        });
        expect(lines, `${text} at ${width} px`).toBe(1);
      }
    }
    await test.step('and all are in the middle of a row with a long department', async () => {
      await row.getByText('Computer Science').evaluate((element) => {
        element.textContent = 'Computer Science, Information Technology and Library Studies Education';
      });
      const middles = await row.locator('a').evaluate((link) =>
        ['.name', '.labels', '.year', '.print-shape'].map((selector) => {
          const { top, height } = link.querySelector(selector)?.getBoundingClientRect() ?? { top: NaN, height: 0 };
          return top + height / 2;
        }),
      );
      expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(2);
    });
  },
);

test('the dashboard prints the people without its controls', { tag: ['@desk', '@release'] }, async ({ page }) => {
  await startSession(page);
  await page.goto('/');
  const controls = ['Layout', 'Order', 'People shown', 'Years of graduation'].map((name) =>
    page.locator(`[aria-label="${name}"]`),
  );
  controls.push(
    page.getByRole('button', { name: 'Filters' }),
    page.getByRole('button', { name: 'Show 24 more' }).or(page.getByText('End of the list')),
  );
  for (const control of controls) await expect(control).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  for (const control of controls) await expect(control).toBeHidden();
  await expect(page.getByRole('heading', { name: 'View all students in your department' })).toBeVisible();
  await expect(page.locator('.wall li a').first()).toBeVisible();
});

test.describe('the years', () => {
  const readYears = (list: Locator) =>
    list.getByRole('link').evaluateAll((links) => links.map((link) => link.textContent.split(' ').map(Number)));

  test('filter by a year and show all years again', { tag: '@both' }, async ({ page, isMobile }) => {
    await page.goto('/');
    const list = page.getByRole('navigation', { name: isMobile ? 'Class years' : 'Years of graduation' });
    const years = await readYears(list);
    expect(years).toEqual(years.toSorted(([a = 0], [b = 0]) => b - a));
    const [year] = years[2] ?? [];
    const link = list.getByRole('link', { name: String(year) });
    await link.click();
    await expect(page).toHaveURL(`/?department=all&year=${year}`);
    const shown = page.getByText(new RegExp(`^\\d+ shown, ${year}$`, 'u'));
    const count = Number.parseInt(await shown.innerText(), 10);
    await expect(page.locator('main li a[href^="/user/"]')).toHaveCount(count);
    await expect(link).toHaveAttribute('aria-current', 'true');
    // The list keeps the other years.
    expect(await readYears(list)).toEqual(years);
    await link.click();
    await expect(page).toHaveURL('/?department=all');
    await expect(link).not.toHaveAttribute('aria-current');
  });

  test('work without JavaScript', { tag: '@both' }, async ({ browser, server, isMobile, viewport }) => {
    const context = await browser.newContext({ baseURL: server.url, javaScriptEnabled: false, viewport });
    const page = await context.newPage();
    await page.goto('/?view=list');
    const list = page.getByRole('navigation', { name: isMobile ? 'Class years' : 'Years of graduation' });
    const [[year] = []] = await readYears(list);
    for (const link of await list.getByRole('link').all()) await expect(link).not.toHaveAttribute('tabindex');
    await list.getByRole('link', { name: String(year) }).click();
    await expect(page).toHaveURL(`/?department=all&year=${year}&view=list`);
    await expect(page.getByText(new RegExp(`^\\d+ shown, ${year}$`, 'u'))).toBeVisible();
    await context.close();
  });

  test('in the sidebar are one tab stop, and the arrow keys move between them', { tag: '@desk' }, async ({ page }) => {
    await page.goto('/');
    await waitForHydration(page);
    const list = page.getByRole('navigation', { name: 'Years of graduation' });
    const years = (await readYears(list)).map(([year]) => String(year));
    const at = (name: string | undefined) => list.getByRole('link', { name: name ?? '' });
    await list.getByRole('link').first().focus();
    await page.keyboard.press('ArrowDown');
    await expect(at(years[1])).toBeFocused();
    await expect(at(years[1])).toBeInViewport();
    await page.keyboard.press('End');
    await expect(at(years.at(-1))).toBeFocused();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowUp');
    await expect(at(years[0])).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(list.locator(':focus')).toHaveCount(0);
    await page.keyboard.press('Shift+Tab');
    await expect(at(years[0])).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`/?department=all&year=${years[0]}`);
  });

  test('mark the class at the top of the wall', { tag: '@both' }, async ({ page, isMobile }) => {
    await startSession(page);
    await page.goto('/?department=all&sort=class&view=list');
    const list = page.getByRole('navigation', { name: isMobile ? 'Class years' : 'Years of graduation' });
    const mark = list.locator('[aria-current=location]');
    const sections = page.locator('.wall section');
    const expectMark = async (section: Locator) => {
      await expect(mark).toHaveText(new RegExp(`^${await section.getByRole('heading').innerText()}\\b`, 'u'));
      await expect(mark).toBeInViewport({ ratio: 1 });
    };
    await expectMark(sections.first());
    const people = page.locator('.wall li');
    for (const shown of [48, 72]) {
      await page.getByRole('button', { name: 'Show 24 more' }).click();
      await expect(people).toHaveCount(shown);
    }
    for (const section of [sections.nth(1), sections.nth(4)]) {
      await section.evaluate((element) => element.scrollIntoView());
      await expectMark(section);
    }
    if (isMobile) {
      const isCentred = () =>
        mark.evaluate((link) => {
          const { left, width } = link.getBoundingClientRect();
          return Math.abs(left + width / 2 - innerWidth / 2) < 2;
        });
      await expect.poll(isCentred).toBe(true);
    }
    await page.goto('/?department=all&sort=name');
    await expect(mark).toHaveCount(0);
  });

  test(
    'in the sidebar have bars with at least 3:1 contrast and 8 px, in both themes',
    { tag: '@desk' },
    async ({ page }) => {
      await startSession(page);
      for (const path of ['/?department=all', '/?department=all&year=2010', '/?department=Computer+Science']) {
        await page.goto(path);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const list = page.getByRole('navigation', { name: 'Years of graduation' });
          const bars = await list.locator('a > i').evaluateAll((all) => {
            const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
            if (!canvas) throw new Error('The browser has no 2D canvas.');
            const luminanceOf = (colour: string) => {
              canvas.fillStyle = colour;
              canvas.fillRect(0, 0, 1, 1);
              const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) =>
                value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
              );
              return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
            };
            return all.map((element) => {
              const own = getComputedStyle(element.parentElement ?? element).backgroundColor;
              const back = luminanceOf(
                own === 'rgba(0, 0, 0, 0)' ? getComputedStyle(document.body).backgroundColor : own,
              );
              const bar = luminanceOf(getComputedStyle(element).color);
              return {
                contrast: (Math.max(back, bar) + 0.05) / (Math.min(back, bar) + 0.05),
                width: element.getBoundingClientRect().width,
              };
            });
          });
          expect(bars.length).toBeGreaterThan(3);
          for (const { contrast, width } of bars) {
            expect(contrast, `${path} ${colorScheme}`).toBeGreaterThanOrEqual(3);
            expect(width).toBeGreaterThanOrEqual(8);
          }
        }
      }
    },
  );

  test(
    'are in the sidebar with the own class in gold and centred, and without bars when it is collapsed',
    { tag: '@desk' },
    async ({ page }) => {
      await startSession(page);
      await page.goto('/');
      await waitForHydration(page);
      const sidebar = page.getByRole('complementary');
      const list = sidebar.getByRole('navigation', { name: 'Years of graduation' });
      const own = list.getByRole('link', { name: '2015' });
      await expect(own).toHaveClass('own');
      await expect(own).toHaveCSS('height', '24px');
      const isCentred = () =>
        own.evaluate((link) => {
          const nav = link.closest('nav') ?? link;
          const { top, height } = nav.getBoundingClientRect();
          const limit = nav.scrollHeight - nav.clientHeight;
          const middle = link.getBoundingClientRect().top + 12 - top - height / 2;
          // A year near an end of the list cannot be in the middle.
          return Math.abs(middle) < 13 || nav.scrollTop <= 0 || nav.scrollTop >= limit - 1;
        });
      await expect.poll(isCentred).toBe(true);
      const yourClass = sidebar.getByRole('link', { name: /^Your class .*2015 Computer Science/u });
      await expect(yourClass).toHaveAttribute('href', '/class/Computer%20Science/2015');
      const { count } = (await (
        await page.request.get('/api/users/count?department=Computer%20Science&graduatedFrom=2015&graduatedTo=2015')
      ).json()) as { count: number };
      await expect(yourClass).toContainText(count === 1 ? '1 person' : `${count} people`);
      await expect(own.locator('i')).toBeVisible();
      await page.getByRole('button', { name: 'Collapse the sidebar' }).click();
      expect((await sidebar.boundingBox())?.width).toBe(100);
      await expect(own).toBeVisible();
      await expect(list.locator('i')).toHaveCount(0);
      await expect(yourClass).toHaveCount(0);
      // The window of a small laptop has room for them in a collapsed sidebar, and in that of a guest.
      await page.setViewportSize({ width: 1366, height: 657 });
      await expect(list).toBeVisible();
      await page.getByRole('button', { name: 'Expand the sidebar' }).click();
      await expect(list).toBeHidden();
      await page.context().clearCookies();
      await page.goto('/');
      await expect(list).toBeVisible();
    },
  );

  test(
    'are below the class of the user, also after another user has signed in in another tab',
    { tag: '@desk' },
    async ({ page, server }) => {
      const yourClass = page.getByRole('complementary').getByRole('link', { name: /^Your class/u });
      const department = createName('Department');
      await createMember(page, server, { department });
      await page.goto('/gallery');
      await expect(yourClass).toHaveText(`Your class 1 person 2015 ${department}`);
      await page.context().clearCookies();
      await startSession(page);
      const release = await holdRequests(page, '**/api/users/count*');
      await announceSessionChange(page);
      await expect(yourClass).toHaveText('Your class 2015 Computer Science');
      release();
    },
  );

  test('in the sidebar always show the own year as a whole', { tag: '@desk' }, async ({ page }) => {
    await startSession(page);
    await page.goto('/?department=all');
    await waitForHydration(page);
    await expect(page.getByRole('complementary').getByText('All departments')).toBeVisible();
    const list = page.getByRole('navigation', { name: 'Years of graduation' });
    const fadePx = 12;
    for (const height of [900, 768]) {
      await page.setViewportSize({ width: 1440, height });
      for (const end of [0, 10_000]) {
        await list.evaluate((element, top) => element.scrollTo(0, top), end);
        const [box, own] = [await list.boundingBox(), await list.locator('.own').boundingBox()];
        if (!box || !own) throw new Error('The years are not visible.');
        expect(own.y - box.y, `at ${height} px`).toBeGreaterThanOrEqual(fadePx);
        expect(box.y + box.height - own.y - own.height, `at ${height} px`).toBeGreaterThanOrEqual(fadePx);
      }
    }
    // It never covers the year that has the focus.
    const links = await list.getByRole('link').all();
    await links[0]?.focus();
    for (const [index, link] of links.entries()) {
      if (index > 0) await page.keyboard.press('ArrowDown');
      await expect(link).toBeFocused();
      const isOnTop = () =>
        link.evaluate((element) => {
          const { x, y, width, height: rowHeight } = element.getBoundingClientRect();
          return element.contains(document.elementFromPoint(x + width / 2, y + rowHeight / 2));
        });
      await expect.poll(isOnTop, await link.innerText()).toBe(true);
    }
  });
});

test.describe('slow and failed requests (specification, sections 2 and 8; D23)', () => {
  test(
    'show "Loading...", then an error with TRY AGAIN for a list and its next page, and keep the cards on the screen',
    { tag: ['@spec-2.4', '@spec-2.5', '@spec-4.33', '@spec-4.34', '@spec-8.14'] },
    async ({ page }) => {
      await page.goto('/');
      await test.step('while the list loads in another view', async () => {
        const release = await holdRequests(page, isList);
        await page.getByRole('button', { name: 'List view' }).click();
        await expectVisibleLoading(page);
        release();
        await expect(page.getByText('Loading...')).toBeHidden();
        await page.unroute(isList);
      });
      const cards = page.locator('main li a[href^="/user/"]');
      await expect(cards).toHaveCount(24);
      await page.route(isList, (route) => route.fulfill({ status: 404 }));
      await page.getByRole('button', { name: 'Grid view' }).click();
      await expectAtEverySize(page, page.getByText('ERROR: Failed to fetch data'), page.getByText('TRY AGAIN'));
      await expect(cards).toHaveCount(24);
      await test.step('which stands below the buttons, with its own button below the text', async () => {
        const boxOf = async (part: Locator) =>
          (await part.boundingBox()) ?? { x: NaN, y: NaN, width: NaN, height: NaN };
        const alert = await boxOf(page.getByRole('alert').filter({ hasText: 'TRY AGAIN' }));
        const filters = await boxOf(page.getByRole('button', { name: 'Filters' }));
        const text = await boxOf(page.getByText('ERROR: Failed to fetch data').locator('..'));
        const button = await boxOf(page.getByRole('button', { name: 'TRY AGAIN' }));
        expect(filters.x).toBeGreaterThan(195);
        expect(alert.y).toBeGreaterThanOrEqual(filters.y + filters.height);
        expect(button.y).toBeGreaterThanOrEqual(text.y + text.height);
      });
      await page.getByRole('button', { name: 'TRY AGAIN' }).click();
      await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
      await page.unroute(isList);
      await page.getByRole('button', { name: 'TRY AGAIN' }).click();
      await expect(page.getByText('ERROR: Failed to fetch data')).toBeHidden();
      await expect(page.getByRole('button', { name: 'Grid view' })).toHaveAttribute('aria-pressed', 'true');
      await expect(cards).toHaveCount(24);
      await test.step('the next page of cards', async () => {
        await page.route(isList, (route) => route.fulfill({ status: 404 }));
        await page.getByRole('button', { name: 'Show 24 more' }).click();
        await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
        await page.unroute(isList);
        await page.getByRole('button', { name: 'TRY AGAIN' }).click();
        await expect(cards).toHaveCount(48);
      });
    },
  );

  test('show an error with TRY AGAIN for a profile', { tag: ['@spec-4.34', '@spec-8.15'] }, async ({ page }) => {
    await page.goto('/');
    await waitForHydration(page);
    await page.route(/\/api\/users\/[\w-]{36}/u, (route) => route.fulfill({ status: 404 }));
    await page.locator('main li a[href^="/user/"]').first().click();
    await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
    await page.unroute(/\/api\/users\/[\w-]{36}/u);
    await page.getByRole('button', { name: 'TRY AGAIN' }).click();
    await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
  });

  test(
    'leave the page on the screen while the browser is offline, with a banner, and while the server is down',
    { tag: '@spec-8.23' },
    async ({ page, context, server }) => {
      await page.goto('/');
      const cards = page.locator('main li a[href^="/user/"]');
      const failed = page.getByText('ERROR: Failed to fetch data');
      await expect(page.getByRole('button', { name: 'Filters' })).toBeVisible();
      await context.setOffline(true);
      await expect(page.getByText('You are offline.')).toBeVisible();
      await page.getByRole('button', { name: 'Show 24 more' }).click();
      await expect(failed).toBeVisible();
      await expect(cards).toHaveCount(24);
      await context.setOffline(false);
      await expect(page.getByText('You are offline.')).toBeHidden();
      await page.getByRole('button', { name: 'TRY AGAIN' }).click();
      await expect(failed).toBeHidden();
      await expect(cards).toHaveCount(48);

      await server.withoutServer(async () => {
        await page.getByRole('button', { name: 'List view' }).click();
        await expect(failed).toBeVisible();
        await expect(cards).toHaveCount(48);
      });
      await page.getByRole('button', { name: 'TRY AGAIN' }).click();
      await expect(failed).toBeHidden();
    },
  );
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
