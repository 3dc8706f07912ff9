import type { Page } from '@playwright/test';
import { expect, fillDate, photo, startSession, test, toast, waitForHydration } from './fixtures.ts';

const photos = (page: Page) => page.getByRole('region', { name: 'Photos' });
const lightbox = (page: Page) => page.getByRole('dialog', { name: 'Photos' });

async function swipe(page: Page, fromX: number, toX: number): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const y = 400;
  await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: fromX, y }] });
  for (let step = 1; step <= 6; step++) {
    const x = fromX + ((toX - fromX) * step) / 6;
    await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x, y }] });
  }
  await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

test(
  'the gallery shows photos and videos to members and guests, and a lightbox with keyboard and swipe control',
  { tag: ['@spec-1.10', '@spec-2.44'] },
  async ({ page }) => {
    const expectSamples = async () => {
      const pictures = photos(page).getByRole('img');
      const posters = page.getByRole('region', { name: 'Videos' }).getByRole('link', { name: /^Play /u });
      for (const width of [1440, 820, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await expect(pictures).toHaveCount(6);
        await expect(posters).toHaveCount(3);
        for (const part of [...(await pictures.all()), ...(await posters.all())]) {
          await part.scrollIntoViewIfNeeded();
          await expect(part).toBeVisible();
        }
      }
      for (const video of await page.locator('video[poster]').all())
        for (const [file, type] of [
          ['src', 'video/webm'],
          ['poster', 'image/webp'],
        ] as const) {
          const response = await page.request.get((await video.getAttribute(file)) ?? '');
          expect([response.status(), response.headers()['content-type']]).toEqual([200, type]);
        }
      for (const picture of await pictures.all())
        await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    };
    await startSession(page);
    await page.goto('/gallery');
    await expectSamples();
    await page.context().clearCookies();
    await page.goto('/gallery');
    await expectSamples();
    await waitForHydration(page);
    const first = photos(page).getByRole('link', { name: 'Convocation: caps in the air' });
    await first.focus();
    await page.keyboard.press('Enter');
    // The lightbox handles keys once it has the focus.
    await expect(lightbox(page)).toBeFocused();
    const caption = lightbox(page).getByRole('status');
    await expect(caption).toContainText('Convocation: caps in the air');
    await page.keyboard.press('ArrowRight');
    await expect(caption).toContainText('The rock at dawn');
    await page.keyboard.press('ArrowLeft');
    await expect(caption).toContainText('Convocation');
    await swipe(page, 320, 60);
    await expect(caption).toContainText('The rock at dawn');
    await swipe(page, 320, 60);
    await expect(caption).toContainText('A full lecture hall');
    // After a touch, too.
    await lightbox(page).getByRole('button', { name: 'Next' }).click();
    await expect(caption).toContainText('The library at night');
    await page.keyboard.press('Escape');
    await expect(lightbox(page)).toHaveCount(0);
    // The focus is on the last photo that was shown.
    await expect(photos(page).getByRole('link', { name: 'The library at night' })).toBeFocused();
  },
);

test('the lightbox opens by the URL of a photo and closes with Back', async ({ page }) => {
  await page.goto('/home');
  await page.goto('/gallery');
  // Before hydration, the link opens the image file.
  await waitForHydration(page);
  const first = photos(page).getByRole('link', { name: 'The rock at dawn' });
  await first.click();
  await expect(lightbox(page).getByRole('status')).toContainText('The rock at dawn');
  const address = page.url();
  await page.goBack();
  await expect(lightbox(page)).toHaveCount(0);
  await expect(page).toHaveURL('/gallery');
  await expect(first).toBeFocused();
  await page.goto('/home');
  await page.goto(address);
  await expect(lightbox(page).getByRole('status')).toContainText('The rock at dawn');
  await page.keyboard.press('Escape');
  await expect(lightbox(page)).toHaveCount(0);
  await expect(page).toHaveURL('/gallery');
});

test(
  'signing out removes the photos that only members may see, and closes the lightbox',
  { tag: '@asvs-14.3.1' },
  async ({ page, server, context }) => {
    await startSession(page);
    await server.query(
      `insert into photos (account_id, picture, width, height, album_key, album, title, audience, created_at)
       select id, 'none' || n, 600, 400, 'secret', 'Secret', 'Secret ' || n, 'members', now() - make_interval(mins => n)
       from accounts, generate_series(1, 30) n where email = 'demo@alumni.example'`,
    );
    await page.goto('/gallery?album=secret');
    await expect(photos(page).getByRole('img')).toHaveCount(24);
    await page.getByRole('button', { name: 'Show more' }).focus();
    await page.keyboard.press('Enter');
    await expect(photos(page).getByRole('img')).toHaveCount(30);
    await expect(photos(page).getByRole('link', { name: 'Secret 25', exact: true })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(lightbox(page).getByRole('status')).toContainText('Secret 25');
    const second = await context.newPage();
    await second.goto('/');
    await second.evaluate(async () => {
      await fetch('/api/identity/sign-out', { method: 'POST' });
      new BroadcastChannel('session').postMessage('changed');
    });
    await expect(lightbox(page)).toHaveCount(0);
    await expect(photos(page).getByRole('img')).toHaveCount(0);
    await server.query("delete from photos where album_key = 'secret'");
  },
);

test('a video is not downloaded before it is played', async ({ page }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto('/gallery');
  await waitForHydration(page);
  const poster = page.getByRole('link', { name: 'Play Caps over the rock' });
  await poster.scrollIntoViewIfNeeded();
  await expect.poll(() => asked.filter((path) => path.endsWith('.webp')).length).toBeGreaterThan(0);
  expect(asked.filter((path) => path.endsWith('.webm'))).toEqual([]);
  await poster.focus();
  await page.keyboard.press('Enter');
  const film = page.locator('video');
  await expect(film).toBeFocused();
  await expect.poll(() => film.evaluate((video: HTMLVideoElement) => video.currentTime)).toBeGreaterThan(0);
});

test('videos are served with byte ranges and a poster', { tag: '@spec-2.44' }, async ({ request }) => {
  const whole = await request.get('/gallery/caps.webm');
  expect(whole.headers()).toMatchObject({ 'accept-ranges': 'bytes', 'content-type': 'video/webm' });
  const bytes = await whole.body();
  const part = await request.get('/gallery/caps.webm', { headers: { range: 'bytes=1000-1999' } });
  expect([part.status(), part.headers()['content-range']]).toEqual([206, `bytes 1000-1999/${bytes.length}`]);
  expect((await part.body()).equals(bytes.subarray(1000, 2000))).toBe(true);
  expect((await request.get('/gallery/caps.webp')).headers()['content-type']).toBe('image/webp');
});

test(
  'a member adds photos to an album and removes their own',
  { tag: ['@spec-1.16', '@spec-2.44'] },
  async ({ page, server }) => {
    test.slow();
    const album = `Reunion ${Math.random().toString(36).slice(2)}`;
    await startSession(page);
    await page.goto('/gallery');
    await page.getByRole('button', { name: 'Add photos' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add photos' });
    await dialog.getByRole('button', { name: 'Add photo', exact: true }).click();
    await expect(dialog.getByText('Field cannot be empty')).toHaveCount(1);

    await dialog.getByLabel('Album').fill(album);
    await dialog.getByRole('button', { name: 'Add photo', exact: true }).click();
    await expect(dialog.getByText('Choose at least one photo.')).toBeVisible();
    // The title of the form and its close button stay in view.
    await dialog.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect(dialog.getByRole('heading', { name: 'Add photos' })).toBeInViewport();
    await expect(dialog.getByRole('button', { name: 'Close' })).toBeInViewport();
    const picture = { mimeType: 'image/jpeg', buffer: await photo() };
    await dialog.getByLabel('Choose photos').setInputFiles([
      { name: 'one.jpg', ...picture },
      { name: 'letter.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') },
      { name: 'two.jpg', ...picture },
    ]);
    await expect(dialog.getByText('“letter.jpg” could not be opened.')).toBeVisible();
    await dialog.getByLabel('Title of photo 1').fill('The whole class');
    await dialog.getByLabel('Title of photo 2').fill('Jollof for sixty');
    await dialog.getByLabel('Place').fill('Abẹ́òkúta');
    await fillDate(dialog.getByRole('group', { name: 'Date' }), '2019-08-10');

    // The network fails after the first upload, so the second photo stays in the form.
    let sent = 0;
    await page.route('**/api/gallery/photos', (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent++;
      return sent === 2 ? route.abort() : route.continue();
    });
    await dialog.getByRole('button', { name: 'Add 2 photos' }).click();
    await expect(dialog.getByText(/could not reach the server/u).first()).toBeVisible();
    await expect(dialog.getByLabel('Title')).toHaveValue('Jollof for sixty');
    await dialog.getByRole('button', { name: 'Add photo', exact: true }).click();
    await expect(toast(page, 'Photo added')).toBeVisible();
    await expect(dialog).toHaveCount(0);

    await expect(photos(page).getByRole('heading', { name: '2019', exact: true })).toBeVisible();
    // A single album offers no choice.
    await expect(page.getByRole('navigation', { name: 'Albums' })).toHaveCount(0);
    await server.query(
      `insert into photos (account_id, picture, width, height, album_key, album, title, audience)
       select account_id, 'other', 900, 900, 'other', 'Other', 'Other', 'members' from photos limit 1`,
    );
    await page.reload();
    await page.getByRole('navigation', { name: 'Albums' }).getByRole('link', { name: album }).click();
    await expect(photos(page).getByRole('img')).toHaveCount(2);
    await photos(page).getByRole('link', { name: 'Jollof for sixty' }).click();
    const caption = lightbox(page).getByRole('status');
    await expect(caption).toContainText(`Jollof for sixtyAbẹ́òkúta · 10 August 2019 · ${album}`);
    await expect(caption.getByRole('link')).toHaveAttribute('href', /^\/user\//u);
    const lines = await caption
      .locator('bdi')
      .evaluateAll((facts) => facts.map((fact) => fact.getClientRects().length));
    expect(lines).toEqual([1, 1, 1]);
    await lightbox(page).getByRole('button', { name: 'Close' }).click();
    await expect(lightbox(page)).toHaveCount(0);

    const remove = async (title: string) => {
      await photos(page)
        .getByRole('button', { name: `Menu of ${title}` })
        .click();
      await photos(page).getByRole('button', { name: 'Remove photo' }).click();
    };
    await remove('Jollof for sixty');
    await page.getByRole('button', { name: 'Keep it' }).click();
    await expect(photos(page).getByRole('button', { name: 'Menu of Jollof for sixty' })).toBeFocused();
    await remove('Jollof for sixty');
    await page.getByRole('button', { name: 'Yes, remove it' }).click();
    await expect(photos(page).getByRole('img')).toHaveCount(1);
    await page.reload();
    await expect(photos(page).getByRole('img')).toHaveCount(1);
    await remove('The whole class');
    await page.getByRole('button', { name: 'Yes, remove it' }).click();
    await expect(page.getByText('There are no photos in this album that you can see.')).toBeVisible();
    await server.query("delete from photos where album_key = 'other'");
    await page.getByRole('link', { name: 'See all photos' }).click();
    await expect(page.getByText('No class photos yet')).toBeVisible();
    await page.getByRole('button', { name: 'Add photos' }).click();
    await expect(dialog.getByRole('heading', { name: 'Add photos' })).toBeVisible();
  },
);

test('photos keep their shape, in rows of one height, and in the order of the keyboard', async ({ page, server }) => {
  await startSession(page);
  // The files do not exist: the shapes are known before the files arrive.
  await server.query(
    `insert into photos (account_id, picture, width, height, album_key, album, title, audience, created_at)
     select id, 'shape' || n, w, h, 'shapes', 'Shapes', 'Shape ' || n, 'members', now() - make_interval(mins => n)
     from accounts, (values (1, 900, 1440), (2, 1440, 810), (3, 1440, 960), (4, 1440, 1440), (5, 960, 1440), (6, 1440, 300))
       as shapes (n, w, h) where email = 'demo@alumni.example'`,
  );
  await page.goto('/gallery?album=shapes');
  const shown = await photos(page)
    .getByRole('img')
    .evaluateAll((images) =>
      images.map((image) => {
        const { left, right, top, width, height } = image.getBoundingClientRect();
        return { left, right, top, height, ratio: width / height };
      }),
    );
  const ratios = [0.625, 1.778, 1.5, 1, 0.667, 3];
  for (const [index, { ratio }] of shown.entries()) expect(ratio).toBeCloseTo(ratios[index] ?? 0, 1);
  const rows = [...Map.groupBy(shown, ({ top }) => Math.round(top)).values()];
  expect(shown).toEqual(shown.toSorted((one, other) => one.top - other.top || one.left - other.left));
  expect(rows.length).toBeGreaterThan(2);
  for (const row of rows) {
    for (const { height } of row) expect(height).toBeCloseTo(row[0]?.height ?? NaN, 0);
    expect(row[0]?.left).toBe(16);
    // A photo alone in its row is at most 2.4 times as high as rows usually are (8rem).
    const isFull = Math.abs((row.at(-1)?.right ?? 0) - 374) < 0.5;
    if (row !== rows.at(-1) && !isFull) expect(row[0]?.height).toBeCloseTo(2.4 * 128, 0);
  }
  await server.query("delete from photos where album_key = 'shapes'");
});

test('a guest sees public photos and a link to sign in', async ({ page }) => {
  await page.goto('/gallery');
  await expect(page.getByRole('button', { name: 'Add photos' })).toHaveCount(0);
  await expect(page.getByText('No class photos are visible to you yet')).toBeVisible();
  await expect(page.getByRole('main').getByRole('link', { name: 'Sign up' })).toHaveAttribute('href', '/signup');
  await page.getByRole('link', { name: 'sign in', exact: true }).click();
  await expect(page).toHaveURL('/login?from=%2Fgallery');
});

test('the gallery keeps the sample photos and offers TRY AGAIN when photos fail to load', async ({ page }) => {
  await page.goto('/search');
  await page.route('**/api/gallery/**', (route) => route.abort());
  await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/gallery"]')?.click());
  await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
  await expect(photos(page).getByRole('img')).toHaveCount(6);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'TRY AGAIN' }).click();
  await expect(page.getByText('ERROR: Failed to fetch data')).toHaveCount(0);
});
