import type { Locator, Page } from '@playwright/test';
import { paths } from '#web/domain/paths.ts';
import { findStaffPages, makeStaff } from './staff-data.ts';
import { createMember, expect, startSession, test } from './fixtures.ts';

const findCutTexts = (page: Page) =>
  page.locator('main li a[href^="/user/"]').evaluateAll((cards) =>
    cards.flatMap((card) => {
      const { left, right } = card.getBoundingClientRect();
      return [...card.querySelectorAll<HTMLElement>('span')]
        .filter((span) => span.innerText !== '' && getComputedStyle(span).display !== 'inline')
        .filter((span) => {
          const box = span.getBoundingClientRect();
          return (
            span.scrollWidth > span.clientWidth ||
            span.scrollHeight > span.clientHeight ||
            (box.width > 0 && (box.left < left || box.right > right))
          );
        })
        .map((span) => span.innerText);
    }),
  );

test.describe('names on cards and rows', () => {
  for (const { view, widths } of [
    { view: 'grid', widths: [390, 320] },
    { view: 'list', widths: [390] },
    { view: 'list', widths: [1024] },
  ]) {
    test(
      `are shown in full in the ${view} view at a width of ${widths.join(' and ')} px`,
      { tag: widths.includes(1024) ? '@desk' : [] },
      async ({ page }) => {
        await page.setViewportSize({ width: widths[0] ?? 0, height: 844 });
        await page.goto(`/?view=${view}`);
        const cards = page.locator('main li a[href^="/user/"]');
        const count = Number.parseInt(await page.getByText(/^\d+ students$/u).innerText(), 10);
        for (let shown = 24; shown < count; shown += 24) {
          await expect(cards).toHaveCount(shown);
          await page.getByRole('button', { name: 'Show 24 more' }).click();
        }
        await expect(cards).toHaveCount(count);
        // The longest names that a form accepts, as one word and as several.
        await cards.first().evaluate((card) => {
          const name = card.querySelector('.name > b') ?? card.querySelector('.name');
          if (name) name.textContent = `${'Wolfeschlegelsteinhausen'.repeat(3)} ${'Anọ́ńtòńìa '.repeat(6)}`;
          const given = card.querySelector('.name > span');
          if (given) given.textContent = 'Chukwuemekaonyebuchimdi';
        });
        for (const width of widths) {
          await page.setViewportSize({ width, height: 844 });
          expect(await findCutTexts(page), `at ${width} px`).toEqual([]);
        }
      },
    );
  }
});

test(
  'a long name looks like any other on a card, and takes at most two more lines',
  { tag: '@release' },
  async ({ page, server }) => {
    const { uid } = await createMember(page, server, {
      firstName: 'Oluwafunmilayomide',
      middleName: 'Chukwuemekaonyebuchi',
      lastName: 'Adéwùmí-Ògúndéléadébáyọ̀',
    });
    await page.goto('/?sort=name');
    const partsOf = (card: Locator) =>
      card.locator('.name > *').evaluateAll((parts) =>
        parts.map((part) => {
          const { fontSize, lineHeight, paddingTop } = getComputedStyle(part);
          return { height: part.clientHeight, style: [fontSize, lineHeight, paddingTop] };
        }),
      );
    const long = await partsOf(page.locator(`.card[href="/user/${uid}"]`));
    const other = await partsOf(page.locator(`.card:not([href="/user/${uid}"])`).first());
    expect(long.map(({ style }) => style)).toEqual(other.map(({ style }) => style));
    for (const [index, { height }] of long.entries()) expect(height - (other[index]?.height ?? 0)).toBeLessThan(24);
  },
);

test(
  'every page starts at the edge of the search field, also on a large screen',
  { tag: ['@desk', '@release'] },
  async ({ page }) => {
    await page.setViewportSize({ width: 1920, height: 1080 });
    await startSession(page);
    const leftOf = (selector: string) =>
      page.locator(selector).evaluate((element) => Math.round(element.getBoundingClientRect().left));
    const pages = [
      paths.dashboard,
      paths.search,
      paths.gallery,
      paths.careers,
      paths.messages,
      paths.notification,
      paths.terms,
    ];
    for (const path of [...pages, '/class/Computer%20Science/2015', '/no/such/page']) {
      await page.goto(path);
      expect(await leftOf('main h1'), path).toBe(await leftOf('.header-search'));
    }
    await page.goto(paths.myProfile);
    expect(await leftOf('main article header .print-shape')).toBe(await leftOf('.header-search'));
  },
);

test('names in search results are shown in full, with their marks', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 844 });
  await page.goto('/search?q=ade');
  const name = page.locator('main li a[href^="/user/"] .name').first();
  await expect(name.locator('mark').first()).toBeVisible();
  await name.evaluate((element) => {
    const mark = document.createElement('mark');
    mark.textContent = 'Wolfeschlegelsteinhausen'.repeat(3);
    element.prepend(mark, ' Oluwatimilehin Ayòmipòsi Adéwùmí-Ògúndélé ');
  });
  expect(await findCutTexts(page)).toEqual([]);
});

test('no page is wider than a screen of 320 px', async ({ page, server }) => {
  test.slow();
  await page.setViewportSize({ width: 320, height: 640 });
  const findOutside = () =>
    page.evaluate(() => {
      // Elements in a row that scrolls, or that only screen readers see, do not widen the page.
      const isContained = (element: Element): boolean =>
        element.closest('.sr-only, [popover], svg') !== null ||
        (element.parentElement !== null &&
          (getComputedStyle(element.parentElement).overflowX === 'auto' || isContained(element.parentElement)));
      const outside = [...document.body.querySelectorAll('*')]
        .filter((element) => {
          const { left, right, width, height } = element.getBoundingClientRect();
          return width > 1 && height > 1 && (left < -0.5 || right > 320.5) && !isContained(element);
        })
        .map((element) => `${element.tagName} ${element.className} ${element.textContent.slice(0, 40)}`);
      return { width: document.documentElement.scrollWidth, outside };
    });
  const visit = async (...places: string[]) => {
    for (const place of places) {
      // The scripts of a page may still redirect it or move something in.
      await expect(async () => {
        await page.goto(place);
        expect(await findOutside(), place).toEqual({ width: 320, outside: [] });
      }).toPass({ timeout: 20_000 });
    }
  };
  await page.goto('/');
  const card = (await page.locator('main li a[href^="/user/"]').first().getAttribute('href')) ?? '';
  await visit(
    '/',
    '/?view=list',
    '/?filters=grid',
    card,
    paths.home,
    paths.terms,
    paths.privacy,
    paths.gallery,
    paths.careers,
    '/no/such/page',
  );
  await visit(paths.search, '/search?q=ade', '/search?q=nobodyatall', paths.login, paths.signUp, paths.resetPassword);
  await visit(paths.recoverEmail, '/new-password?actionCode=x', '/verify-email-address?actionCode=x');
  await startSession(page);
  await visit('/', '/?view=list', card, paths.myProfile, paths.notification, paths.gallery, '/search?q=ade');
  await visit('/settings');
  for (const section of ['information', 'career', 'privacy', 'security', 'notifications', 'appearance', 'delete'])
    await visit(`/settings?section=${section}`);

  const { uid } = await createMember(page, server);
  await server.query(
    `insert into notifications (account_id, kind, detail) values ($1, 'email-verified', $2)`,
    uid,
    `${'ada'.repeat(20)}@mail.example`,
  );
  await visit(paths.notification, paths.careers);
  await makeStaff(server, uid, 'owner');
  await visit(...(await findStaffPages(page)));
});

test(
  'buttons keep a border, and selections and bars stay visible, in forced-colours mode',
  { tag: ['@desk', '@release'] },
  async ({ page }) => {
    await page.emulateMedia({ forcedColors: 'active' });
    for (const path of ['/', '/home', '/login', '/settings?section=security']) {
      if (path.startsWith('/settings')) await startSession(page);
      await page.goto(path);
      const buttons = page.locator('button, a.button').filter({ visible: true });
      await expect(buttons).not.toHaveCount(0);
      const bare = await buttons.evaluateAll((all) =>
        all
          .filter((button) => {
            const { borderTopStyle, borderTopWidth } = getComputedStyle(button);
            return borderTopStyle === 'none' || Number.parseFloat(borderTopWidth) < 1;
          })
          .map((button) => button.textContent || button.getAttribute('aria-label')),
      );
      expect(bare, path).toEqual([]);
    }
    await page.goto('/myprofile');
    const current = page.locator('[aria-current]').filter({ visible: true });
    await expect(current).not.toHaveCount(0);
    for (const link of await current.all()) await expect(link).toHaveCSS('text-decoration-line', 'underline');
    await page.goto('/');
    const background = (name: string) =>
      page.getByRole('button', { name }).evaluate((button) => getComputedStyle(button).backgroundColor);
    expect(await background('Grid view')).not.toBe(await background('List view'));
    const bars = page.getByRole('navigation', { name: 'Years of graduation' }).locator('i');
    await expect(bars).not.toHaveCount(0);
    for (const bar of await bars.all()) await expect(bar).toHaveCSS('border-top-style', 'solid');
  },
);
