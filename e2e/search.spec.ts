import { expect, holdRequests, startSession, test, waitForHydration } from './fixtures.ts';

test(
  'the search field of the header opens the search page, keeps the focus and searches while the user types',
  { tag: ['@spec-2.41', '@spec-2.42', '@spec-2.43', '@spec-2.58', '@spec-3.25'] },
  async ({ page }) => {
    await startSession(page);
    await page.goto('/');
    const field = page.getByRole('searchbox', { name: 'Search' });
    const showLinks = await holdRequests(page, '**/api/users/facets*');
    await field.click();
    await expect(page).toHaveURL('/search');
    await expect(field).toBeFocused();
    await expect(page.getByRole('main').getByText('Loading...')).toBeVisible();
    showLinks();
    await expect(page.getByRole('navigation', { name: 'Browse' })).toBeVisible();
    await expect(page.getByRole('main').getByText('Loading...')).toHaveCount(0);
    const release = await holdRequests(page, '**/api/search*');
    await field.pressSequentially('ogunsola tem');
    await expect(page.getByRole('main').getByText('Loading...')).toBeVisible();
    release();
    const found = page.getByRole('link', { name: 'Tèmítọ́pẹ́ Adéọlá Ògúnṣọlá' });
    await expect(found).toBeVisible();
    await expect(found.getByText('Computer Science', { exact: true })).toBeVisible();
    await expect(page).toHaveURL('/search?q=ogunsola+tem');
    await expect(field).toBeFocused();
    await field.fill('ogunsola computer');
    await expect(found.locator('mark').filter({ hasText: 'Computer' })).toBeVisible();
    await expect(found.getByText('Computer Science', { exact: true })).toBeVisible();
    await field.fill('nobody is called this');
    await expect(page.getByText('No people found for “nobody is called this”')).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL('/');
  },
);

test('the cross in the search field has a target of 44 px and clears it', { tag: '@desk' }, async ({ page }) => {
  await page.goto('/search?q=ogunsola');
  await waitForHydration(page);
  const field = page.getByRole('searchbox', { name: 'Search' });
  const { width = 0, height = 0 } = (await field.boundingBox()) ?? {};
  await field.click({ position: { x: width - 42, y: height / 2 } });
  await expect(field).toHaveValue('');
  await expect(page).toHaveURL('/search');
});

test('the search field keeps a trailing space, and leaving the page cancels a pending search', async ({ page }) => {
  await page.goto('/search');
  const field = page.getByRole('searchbox', { name: 'Search' });
  await field.pressSequentially('ogunsola ');
  await expect(page).toHaveURL('/search?q=ogunsola');
  await field.pressSequentially('tem');
  await expect(field).toHaveValue('ogunsola tem');
  await expect(page).toHaveURL('/search?q=ogunsola+tem');

  await page.clock.install();
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Filters' })).toBeVisible();
  await page.clock.pauseAt(Date.now() + 60_000);
  let lookups = 0;
  page.on('request', (request) => void (lookups += request.url().includes('/api/search') ? 1 : 0));
  await field.pressSequentially('ade');
  await page.getByRole('link', { name: /^Notifications/u }).click();
  await expect(page).toHaveURL(/\/login/u);
  await page.clock.runFor(1_000);
  await page.evaluate(() => fetch('/healthz'));
  expect(lookups).toBe(0);
  await expect(page).toHaveURL(/\/login/u);
});

test(
  'a search has a URL, works without JavaScript and offers TRY AGAIN after an error',
  { tag: '@spec-2.43' },
  async ({ page, browser, server }) => {
    const context = await browser.newContext({ baseURL: server.url, javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto('/');
    await plain.getByRole('searchbox', { name: 'Search' }).fill('adeola');
    await plain.getByRole('searchbox', { name: 'Search' }).press('Enter');
    await expect(plain).toHaveURL('/search?q=adeola');
    await expect(plain.getByRole('link', { name: 'Tèmítọ́pẹ́ Adéọlá Ògúnṣọlá' })).toBeVisible();
    await context.close();

    await page.goto('/search');
    await page.route('**/api/search*', (route) => route.abort());
    await page.getByRole('searchbox', { name: 'Search' }).fill('adeola');
    await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
    await page.unroute('**/api/search*');
    await page.getByRole('button', { name: 'TRY AGAIN' }).click();
    await expect(page.getByRole('link', { name: 'Tèmítọ́pẹ́ Adéọlá Ògúnṣọlá' })).toBeVisible();
  },
);

test('a misspelled name is found, with the match highlighted', async ({ page }) => {
  await startSession(page);
  await page.goto('/search?q=ogunsole+temi');
  const card = page.getByRole('main').getByRole('link', { name: 'Tèmítọ́pẹ́ Adéọlá Ògúnṣọlá' });
  await expect(card.locator('mark')).toHaveText(['Tèmí', 'Ògúnṣọlá']);
});

test(
  'results can be filtered by links with counts, and the filters can be removed',
  { tag: ['@both', '@spec-2.43'] },
  async ({ page, isMobile }) => {
    await page.goto('/search?q=ade');
    const open = async () => {
      if (isMobile) await page.getByText('Filter results').click();
    };
    await open();
    const lists = page.getByRole('navigation', { name: 'Filter results' }).filter({ visible: true });
    const departments = lists.locator('section', { has: page.getByRole('heading', { name: 'Department' }) });
    // The list is shortened. The other options are in a `<details>` element.
    await departments.getByText(/^Show \d+ more$/u).click();
    const choice = departments.locator('details').getByRole('link').first();
    const [name = '', number] = (await choice.innerText()).split('\n');
    const count = Number(number);
    expect(count).toBeGreaterThan(0);
    await choice.click();
    await expect(page).toHaveURL(`/search?${new URLSearchParams({ q: 'ade', department: name })}`);
    await expect(
      page.getByRole('main').getByText(new RegExp(`^${count} (person|people) for “ade”`, 'u')),
    ).toBeVisible();
    const cards = page.getByRole('main').locator('a[href^="/user/"]');
    await expect(cards).toHaveCount(Math.min(count, 48));
    await expect(cards.first()).toBeVisible();
    for (const text of await cards.allInnerTexts()) expect(text).toContain(name);
    await page.goBack();
    await expect(page).toHaveURL('/search?q=ade');
    await page.goForward();
    // The selected option is first.
    const chosen = departments.getByRole('link').first();
    await expect(chosen).toHaveText(new RegExp(`^${name}`, 'u'));
    await expect(chosen).toHaveAttribute('aria-current', 'true');
    await chosen.click();
    await expect(page).toHaveURL('/search?q=ade');
  },
);

test('an empty search offers the people of a decade or a department, and a short result no filters', async ({
  page,
}) => {
  await page.goto('/search');
  const links = page.getByRole('navigation', { name: 'Browse' });
  await links.getByRole('link', { name: '2010–2019' }).click();
  await expect(page).toHaveURL('/?department=all&graduatedFrom=2010&graduatedTo=2019');
  await page.getByRole('searchbox', { name: 'Search' }).click();
  await links.getByRole('link', { name: 'Computer Science' }).click();
  await expect(page).toHaveURL('/?department=Computer+Science');

  await page.goto('/search?q=ogunsola+tem');
  await expect(page.getByText(/^\d (person|people) for “ogunsola tem”$/u)).toBeVisible();
  await expect(page.getByText('Filter results')).toHaveCount(0);
});
