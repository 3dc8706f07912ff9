import { paths } from '#web/domain/paths.ts';
import { expectAccessible } from './expect-accessible.ts';
import { createMember, expect, openOtherBrowser, send, startSession, test } from './fixtures.ts';

const path = paths.classOf('Computer Science', 2015);

test.describe('the page of a class', () => {
  test('shows the people of a department and year, and its title and description for shared links', async ({
    page,
    server,
  }) => {
    const { name } = await createMember(page, server);
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'Class of 2015' })).toBeVisible();
    await expect(page.getByRole('main').getByText('Your class')).toBeVisible();
    await expect(page.locator('main li').getByText('You', { exact: true })).toHaveCount(1);
    await expect(page.locator('main li').filter({ hasText: name }).first()).toBeVisible();
    const shown = await page.locator('main li a[href^="/user/"]').count();
    await expect(page.getByText(`Computer Science · ${shown} ${shown === 1 ? 'person' : 'people'}`)).toBeVisible();
    await expect(page).toHaveTitle(/^Class of 2015, Computer Science · /u);
    await expect(page.locator('meta[property="og:description"]')).toHaveAttribute(
      'content',
      `The people of Computer Science who graduated in 2015: ${shown}.`,
    );
    await expectAccessible(page);
    await page.locator('main li a[href^="/user/"]').first().click();
    await expect(page).toHaveURL(/\/user\//u);
  });

  test('opens from the dashboard and leads to the neighbouring classes', async ({ page, server }) => {
    await createMember(page, server);
    await page.context().clearCookies();
    await startSession(page);
    await page.goto('/');
    await page.getByRole('link', { name: 'See class of 2015' }).click();
    await expect(page).toHaveURL(path);
    const others = page.getByRole('navigation', { name: 'Other classes' });
    const years = await page.request.get('/api/users/years?department=Computer%20Science');
    const all = ((await years.json()) as { years: { value: number }[] }).years.map(({ value }) => value);
    const previous = all.findLast((year) => year < 2015);
    await others
      .getByRole('link', { name: new RegExp(`^Class before ${previous} \\d+ (?:person|people)$`, 'u') })
      .click();
    await expect(page.getByRole('heading', { name: `Class of ${previous}` })).toBeVisible();
    await others.getByRole('link', { name: 'Class after 2015' }).click();
    await expect(page.getByRole('heading', { name: 'Class of 2015' })).toBeVisible();
  });

  test('shows up to three photos of the class, and lets members add the first one', async ({ page, server }) => {
    await page.goto(path);
    const add = page.getByRole('link', { name: 'Add the first photo of 2015' });
    const photos = page.getByRole('link', { name: 'Photos of the class of 2015' });
    await expect(page.getByRole('link', { name: 'Share this class' })).toBeVisible();
    await expect(add).toHaveCount(0);
    const { uid } = await createMember(page, server);
    await page.goto(path);
    await expect(add).toHaveAttribute('href', '/gallery?album=class+of+2015');
    await expectAccessible(page);
    for (const audience of ['members', 'everyone', 'members', 'members'])
      await server.query(
        `insert into photos (account_id, picture, width, height, album_key, album, title, audience)
         values ($1, gen_random_uuid(), 4, 3, 'class of 2015', 'Class of 2015', 'Last day', $2)`,
        uid,
        audience,
      );
    // The files of these photos do not exist.
    await page.route('**/media/**', (route) => route.fulfill({ contentType: 'image/svg+xml', body: '' }));
    await page.goto(path);
    await expect(photos.getByRole('img', { name: 'Last day' })).toHaveCount(3);
    await expect(add).toHaveCount(0);
    await expectAccessible(page);
    await page.context().clearCookies();
    await page.goto(path);
    await expect(photos.getByRole('img', { name: 'Last day' })).toHaveCount(1);
    await server.query('delete from photos where account_id = $1', uid);
  });

  test('shares its address with the share sheet, or else by WhatsApp', async ({ page, server }) => {
    const url = server.url + path;
    await page.addInitScript(() => Object.defineProperty(navigator, 'share', { value: undefined, configurable: true }));
    await page.goto(path);
    const share = page.getByRole('link', { name: 'Share this class' });
    await expect(share).toHaveAttribute(
      'href',
      `https://wa.me/?text=${encodeURIComponent(`Class of 2015, Computer Science: ${url}`)}`,
    );
    await page.evaluate(() =>
      Object.defineProperty(navigator, 'share', {
        value: async (shared: object) => Object.assign(window, { shared }),
      }),
    );
    await share.click();
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { shared?: object }).shared))
      .toEqual({ title: 'Class of 2015, Computer Science', url });
  });

  test('shows guests only people whose department and year are visible to everyone', async ({ page, server }) => {
    const { uid } = await createMember(page, server, { yearAdmitted: 1999, yearGraduated: 2003 });
    const path2003 = paths.classOf('Computer Science', 2003);
    const person = `main li a[href="/user/${uid}"]`;
    const guest = await openOtherBrowser(page, server);
    for (const [audience, isVisible] of [
      ['everyone', true],
      ['members', false],
    ] as const) {
      const visibility = { yearGraduated: audience };
      await send(page, 'PUT', `/api/users/${uid}/privacy`, { visibility, version: 'any' });
      await expect.poll(async () => (await (await guest.page.goto(path2003))?.text())?.includes(uid)).toBe(isVisible);
      await expect(guest.page.locator(person)).toHaveCount(isVisible ? 1 : 0);
      await page.goto(path2003);
      await expect(page.locator(person)).toBeVisible();
    }
    await guest.context.close();
  });

  test('shows an empty class, and 404 for other forms of year and departments without people', async ({ page }) => {
    const empty = await page.goto(paths.classOf('Computer Science', 1990));
    expect(empty?.status()).toBe(200);
    await expect(page.getByText('No people to show in this class')).toBeVisible();
    await expectAccessible(page);
    for (const wrong of [
      '/class/Physics/15',
      '/class/Physics/2015a',
      '/class/Physics/0001',
      '/class/%20/2015',
      // A link with any text must not look like a page of the university.
      '/class/Cheap%20Loans/2015',
    ]) {
      const response = await page.goto(wrong);
      expect(response?.status(), wrong).toBe(404);
    }
  });

  test('prints four people per row, without navigation', { tag: ['@desk', '@release'] }, async ({ page, server }) => {
    for (let count = 0; count < 2; count++) await createMember(page, server);
    await page.setViewportSize({ width: 794, height: 1123 });
    await page.goto(path);
    await page.emulateMedia({ media: 'print' });
    const columns = await page
      .locator('main ul')
      .first()
      .evaluate((list) => getComputedStyle(list).gridTemplateColumns.split(' ').length);
    expect(columns).toBe(4);
    for (const hidden of ['banner', 'navigation', 'searchbox'] as const)
      await expect(page.getByRole(hidden).filter({ visible: true })).toHaveCount(0);
    await expect(page.getByRole('link', { name: 'Share this class' })).toBeHidden();
    await expect(page.getByRole('heading', { name: 'Class of 2015' })).toBeVisible();
  });
});
