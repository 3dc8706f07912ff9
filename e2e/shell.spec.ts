import type { Page } from '@playwright/test';
import {
  announceSessionChange,
  openLogoutDialog,
  expect,
  getConsoleLines,
  holdRequests,
  createAccount,
  createMember,
  createVerifiedAccount,
  getCurrentUser,
  signIn,
  startSession,
  stopTimers,
  test,
  toast,
  waitForHydration,
  expectAtEverySize,
} from './fixtures.ts';
import { enterConfirmedMode } from './confirmed-mode.ts';
import { makeStaff } from './staff-data.ts';

test.describe('guards (specification, sections 2 and 6)', () => {
  const guarded = ['/settings', '/account', '/myprofile', '/notification', '/onboarding', '/send-verification-email'];

  test(
    'respond with a 302 redirect on the server',
    { tag: ['@spec-2.21', '@spec-2.38', '@spec-2.45', '@spec-2.53', '@spec-2.55', '@spec-4.9', '@spec-6.6'] },
    async ({ request }) => {
      for (const path of guarded) {
        const response = await request.get(path, { maxRedirects: 0 });
        expect(response.status()).toBe(302);
        expect(response.headers()['location']).toBe(`/login?from=${encodeURIComponent(path)}&toast=login-required`);
      }
    },
  );

  test(
    'redirect unverified users to the verification page and users without a profile to the onboarding',
    {
      tag: [
        '@spec-2.20',
        '@spec-2.39',
        '@spec-2.78',
        '@spec-2.79',
        '@spec-4.5',
        '@spec-4.10',
        '@spec-6.3',
        '@spec-6.4',
      ],
    },
    async ({ page, server }) => {
      await createAccount(page);
      const forMembers = ['/settings', '/notification', '/myprofile'];
      const expectRedirect = async (paths: string[], target: string) => {
        for (const path of paths) {
          await page.goto(path);
          await expect(page, path).toHaveURL(target);
        }
      };
      await expectRedirect([...forMembers, '/onboarding'], '/send-verification-email');
      await page.goto('/');
      await expect(page.getByRole('link', { name: 'Verify your email' })).toBeVisible();
      await page.context().clearCookies();
      await createVerifiedAccount(page, server);
      await expectRedirect(forMembers, '/onboarding');
      await expectRedirect(['/send-verification-email'], '/');
      await page.context().clearCookies();
      await createMember(page, server);
      for (const path of forMembers) {
        expect((await page.goto(path))?.status(), path).toBe(200);
        await expect(page).toHaveURL(path);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      }
    },
  );

  test(
    'redirect a guest to /login with the toast, and apply to navigation in the browser as well',
    {
      tag: [
        '@spec-2.45',
        '@spec-2.53',
        '@spec-2.55',
        '@spec-2.78',
        '@spec-2.79',
        '@spec-2.80',
        '@spec-4.9',
        '@spec-6.3',
        '@spec-6.4',
        '@spec-6.6',
        '@spec-8.13',
      ],
    },
    async ({ page, server }) => {
      const expectRedirect = async (targets: { settings: string; notification: string }) => {
        for (const [path, target] of Object.entries(targets)) {
          await page.goto('/gallery');
          await waitForHydration(page);
          await page.evaluate(() => Object.assign(window, { stayed: true }));
          if (path === 'settings') {
            await page.getByRole('button', { name: 'Menu', exact: true }).click();
            await page.getByRole('link', { name: 'Settings' }).filter({ visible: true }).click();
          } else await page.getByRole('link', { name: /^Notifications/u }).click();
          await expect(page).toHaveURL(target);
          expect(await page.evaluate(() => 'stayed' in window)).toBe(true);
        }
      };
      await test.step('a guest who opens an address', async () => {
        await page.goto('/myprofile');
        await expect(page).toHaveURL('/login?from=%2Fmyprofile');
        await expect(toast(page, 'Please login to continue')).toBeVisible();
        // A reload does not show the toast again.
        await page.reload();
        await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled();
        await expect(toast(page, 'Please login to continue')).toHaveCount(0);
      });
      await expectRedirect({ notification: '/login?from=%2Fnotification', settings: '/login?from=%2Fsettings' });
      await expect(toast(page, 'Please login to continue')).toBeVisible();
      await createAccount(page);
      await expectRedirect({ settings: '/send-verification-email', notification: '/send-verification-email' });
      await page.context().clearCookies();
      await createVerifiedAccount(page, server);
      await expectRedirect({ settings: '/onboarding', notification: '/onboarding' });
    },
  );

  test(
    'redirect to /login when another tab signs out',
    {
      tag: [
        '@spec-2.21',
        '@spec-2.38',
        '@spec-2.45',
        '@spec-2.53',
        '@spec-2.55',
        '@spec-4.9',
        '@spec-6.6',
        '@spec-7.14',
      ],
    },
    async ({ page, server }) => {
      const expectLogin = async (path: string) => {
        const cookies = await page.context().cookies();
        await page.goto(path);
        await expect(page).toHaveURL(path);
        await waitForHydration(page);
        await page.context().clearCookies();
        await announceSessionChange(page);
        await expect(page).toHaveURL(`/login?from=${encodeURIComponent(path)}`);
        await expect(toast(page, 'Please login to continue')).toBeVisible();
        await page.context().addCookies(cookies);
      };
      await createAccount(page);
      await expectLogin('/send-verification-email');
      await page.context().clearCookies();
      await createVerifiedAccount(page, server);
      await expectLogin('/onboarding');
      await startSession(page);
      for (const path of ['/settings', '/myprofile', '/notification']) await expectLogin(path);
    },
  );
});

test.describe('the shell (specification, sections 1, 2 and 9)', () => {
  test(
    'shows Guest in the header, and Alum with the name after sign-in',
    { tag: ['@both', '@spec-1.12', '@spec-1.13', '@spec-2.60', '@spec-2.65', '@spec-6.1', '@spec-7.13'] },
    async ({ page, isMobile }) => {
      await page.goto('/');
      const header = page.getByRole('banner');
      await expect(header.getByRole('link', { name: 'Guest Login' })).toBeVisible();
      await signIn(page);
      const name = isMobile ? 'Tèmítọ́pẹ́' : 'Ògúnṣọlá Tèmítọ́pẹ́';
      const avatar = header.getByRole('button', { name: `${name} Alum , profile menu`, exact: true });
      await expect(header.getByText('Alum', { exact: true })).toBeVisible();
      const menu = page.locator('[popover=auto]:popover-open');
      await avatar.click();
      await menu.getByRole('link', { name: 'My Profile' }).click();
      await expect(page).toHaveURL('/myprofile');
      await expect(menu).toHaveCount(0);
      await avatar.click();
      await menu.getByRole('button', { name: 'Logout' }).click();
      await expect(page.getByRole('dialog', { name: 'Do you really want to bail on us?' })).toBeVisible();
    },
  );

  test(
    'shows search, bell, avatar, name and label in the header at every size to every kind of visitor',
    { tag: ['@spec-1.12', '@spec-1.13', '@spec-2.57', '@spec-2.59', '@spec-2.60', '@spec-6.1', '@spec-6.4'] },
    async ({ page, server }) => {
      test.slow();
      const expectHeader = async (visitor: string, names: { full: string; phone: string }, label: string) => {
        for (const path of ['/terms-and-conditions', '/search']) {
          await page.goto(path);
          for (const width of [390, 820, 1024, 1440]) {
            await page.setViewportSize({ width, height: 844 });
            const header = page.getByRole('banner');
            const name = header.getByText(width === 390 ? names.phone : names.full, { exact: true });
            const parts = {
              search: header.getByRole('searchbox', { name: 'Search' }),
              bell: header.getByRole('link', { name: /^Notifications/u }),
              avatar: header.locator('img, span.tint'),
              name: name.filter({ visible: true }),
              label: header.getByText(label, { exact: true }).filter({ visible: true }),
            };
            for (const [part, locator] of Object.entries(parts)) {
              const where = `${part} for ${visitor} at ${width} px on ${path}`;
              await expect(locator, where).toHaveCount(1);
              await expect(locator, where).toBeInViewport({ ratio: 1 });
            }
            expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
          }
        }
      };
      await expectHeader('a guest', { full: 'Guest', phone: 'Guest' }, 'Guest');
      const { uid } = await createMember(page, server);
      const names = { full: 'Abíọ́dún Ọládélé', phone: 'Ọládélé' };
      await expectHeader('a member', names, 'Alum');
      await enterConfirmedMode(server);
      await expectHeader('an unconfirmed account', names, 'Alum');
      await makeStaff(server, uid, 'owner');
      await expectHeader('staff', names, 'Alum');
      await page.context().clearCookies();
      const unverified = await createAccount(page);
      await expectHeader('an unverified account', { full: unverified, phone: unverified }, 'Alum');
      await page.context().clearCookies();
      const { email } = await createVerifiedAccount(page, server);
      await expectHeader('an account without a profile', { full: email, phone: email }, 'Alum');
      await makeStaff(server, (await getCurrentUser(page)).uid, 'owner');
      await expectHeader('staff without a profile', { full: email, phone: email }, 'Staff');
    },
  );

  test(
    'remembers the width of the sidebar, 300 or 100 px',
    { tag: ['@desk', '@spec-2.64', '@spec-9.17'] },
    async ({ page }) => {
      await page.goto('/');
      const sidebar = page.getByRole('complementary');
      const width = async () => (await sidebar.boundingBox())?.width;
      expect(await width()).toBe(300);
      await page.setViewportSize({ width: 1024, height: 768 });
      expect(await width()).toBe(300);
      await page.getByRole('button', { name: 'Collapse the sidebar' }).click();
      await expect.poll(width).toBe(100);
      const html = await (await page.reload())?.text();
      expect(html).toContain('[--sidebar:100px]');
      expect(await width()).toBe(100);
      await page.getByRole('button', { name: 'Expand the sidebar' }).click();
      await expect.poll(width).toBe(300);
    },
  );

  test(
    'shows a picture on the right half of sign-in pages on large screens only, beside content of at most 400 px',
    { tag: ['@spec-2.73', '@spec-9.18'] },
    async ({ page }) => {
      const hero = page.locator('svg[viewBox="0 0 720 900"]');
      const content = page.getByRole('main');
      for (const path of ['/login', '/signup', '/reset-password']) {
        await page.goto(path);
        for (const width of [390, 820, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          const isLarge = width === 1440;
          await expect(hero).toBeVisible({ visible: isLarge });
          if (isLarge) expect(await hero.boundingBox()).toEqual({ x: 720, y: 0, width: 720, height: 900 });
          if (isLarge) await expect(hero.locator('text').last()).toHaveText(String(new Date().getUTCFullYear()));
          const box = await content.boundingBox();
          expect(box?.width, `${path} at ${width}`).toBe(Math.min(400, width - 32));
          expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(isLarge ? 720 : width);
        }
      }
    },
  );

  // layout.spec.ts tests narrow screens.
  test(
    'marks the place of a page in the bar or in the sidebar',
    { tag: '@both' },
    async ({ page, isMobile, server }) => {
      const { uid } = await createMember(page, server);
      const bar = page.getByRole('navigation', { name: isMobile ? 'Main' : 'Menu' });
      for (const [path, onDesk, onPhone = onDesk] of [
        ['/', 'Dashboard'],
        ['/?department=all&year=2010', 'Dashboard'],
        [`/user/${uid}`, 'Dashboard'],
        ['/class/Computer%20Science/2015', 'Dashboard'],
        ['/gallery', 'Gallery'],
        ['/search?q=ade', 'Search'],
        ['/settings', 'Settings', 'Menu'],
        ['/careers', 'Careers', 'Menu'],
        ['/messages', '', 'Menu'],
        ['/myprofile', '', 'Menu'],
        // The header marks the bell.
        ['/notification', ''],
      ] as const) {
        await page.goto(path);
        const current = bar.locator('[aria-current]').filter({ visible: true });
        const expected = isMobile ? onPhone : onDesk;
        await expect(current, path).toHaveText(expected ? [expected] : []);
      }
    },
  );

  test('fits every page into the width of the screen', { tag: ['@desk', '@release'] }, async ({ page }) => {
    const { width } = page.viewportSize() ?? { width: 0 };
    const expectFit = async (path: string) =>
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(width);
    for (const path of [
      '/',
      '/?view=list',
      '/home',
      '/login',
      '/signup',
      '/reset-password',
      '/privacy-policy',
      '/gallery',
      '/careers',
      '/search?q=ade',
    ]) {
      await page.goto(path);
      await expectFit(path);
    }
    await startSession(page);
    for (const path of [
      '/',
      '/?view=list',
      '/myprofile',
      '/settings',
      '/settings?section=information',
      '/settings?section=security',
      '/settings?section=notifications',
      '/settings?section=appearance',
      '/settings?section=delete',
      '/notification',
      '/gallery',
    ]) {
      await page.goto(path);
      await expectFit(path);
    }
  });

  test('lets a user sign in and open a profile with the keyboard alone', { tag: '@desk' }, async ({ page }) => {
    await page.goto('/login');
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled();
    const tabTo = async (name: RegExp) => {
      for (let press = 0; press < 60; press++) {
        await page.keyboard.press('Tab');
        const label = await page.evaluate(() => {
          const element = document.activeElement;
          return element instanceof HTMLInputElement
            ? (element.labels?.[0]?.textContent ?? '')
            : (element?.getAttribute('aria-label') ?? element?.textContent ?? '');
        });
        if (name.test(label)) return;
      }
      throw new Error(`Tab does not reach a control named ${name}.`);
    };
    await tabTo(/^Email/u);
    await page.keyboard.type('demo@alumni.example');
    await tabTo(/^Password/u);
    await page.keyboard.type('olumo rock at dawn');
    // The notification stream opens after hydration. Before that, key presses have no effect.
    const listens = () => page.waitForRequest('**/api/notifications/stream');
    const isIn = listens();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/');
    await isIn;
    const isBack = listens();
    await page.reload();
    await isBack;
    await tabTo(/Skip to content/u);
    await page.keyboard.press('Enter');
    await tabTo(/Filters/u);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Filters' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Filters' })).toBeFocused();
    // The first card, after the links for order and scope.
    await tabTo(/Alum/u);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/user\//u);
  });
});

test('a dialog opens with the focus on its first field and has a close button of 44 px', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Filters' }).click();
  const dialog = page.getByRole('dialog', { name: 'Filters' });
  // The field for colleges appears above it when the facets have loaded.
  await expect(dialog.getByLabel('Department')).toBeFocused();
  const close = dialog.getByRole('button', { name: 'Close' });
  const { width, height } = (await close.boundingBox()) ?? { width: 0, height: 0 };
  expect([width, height]).toEqual([44, 44]);
  await close.click();
  await expect(dialog).toHaveCount(0);
});

test.describe('toasts (specification, section 9)', () => {
  test(
    'are light and at the top right, at every size and in both themes',
    { tag: ['@spec-9.10', '@spec-9.15', '@spec-9.16'] },
    async ({ page }) => {
      // Also where the toast lies over controls.
      for (const path of ['/login', '/', '/search']) {
        await page.goto(`${path}?toast=login-required`);
        const message = toast(page, 'Please login to continue');
        await expect(message).toBeVisible();
        await stopTimers(page);
        for (const width of [390, 820, 1024, 1440]) {
          await page.setViewportSize({ width, height: 844 });
          const place = async () => {
            const box = await message.boundingBox();
            return box && { x: box.x, y: box.y, right: box.x + box.width };
          };
          // At the edge of the page.
          const right = width - (width < 1024 ? 16 : 32);
          await expect
            .poll(place, `${path} at ${width} px`)
            .toEqual(width === 390 ? { x: 12, y: 4, right: 378 } : { x: right - 360, y: 72, right });
          if (path !== '/login') {
            const header = await page.getByRole('banner').boundingBox();
            const box = await message.boundingBox();
            // Phones show a short text in the place of the header, so that the page below it stays visible.
            if (width === 390) expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(56);
            else expect(box?.y).toBeGreaterThan(header?.height ?? Infinity);
          }
          await expect(message).toHaveClass(/Toastify__toast-theme--light/u);
          for (const colorScheme of ['dark', 'light'] as const) {
            await page.emulateMedia({ colorScheme });
            const [background = 0, ink = 255] = await message.evaluate((element) =>
              [getComputedStyle(element).backgroundColor, getComputedStyle(element).color].map((colour) => {
                const canvas = document.createElement('canvas').getContext('2d');
                if (!canvas) throw new Error('The browser has no 2D canvas.');
                canvas.fillStyle = colour;
                canvas.fillRect(0, 0, 1, 1);
                return Math.max(...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3));
              }),
            );
            expect(background, colorScheme).toBeGreaterThan(240);
            expect(ink, colorScheme).toBeLessThan(80);
          }
        }
      }
    },
  );

  test(
    'restart the timer when the same text is shown again, and are at most three at a time',
    { tag: '@spec-9.10' },
    async ({ page }) => {
      await page.goto('/login');
      await page.getByLabel('Email').fill('demo@alumni.example');
      await page.getByLabel('Password', { exact: true }).fill('surely not this');
      const button = page.getByRole('button', { name: 'Sign in', exact: true });
      await test.step('restart the timer', async () => {
        const same = toast(page, 'Wrong email or password');
        await button.click();
        await expect(same).toBeVisible();
        const bar = page.getByRole('progressbar', { includeHidden: true });
        const findStart = () => bar.evaluate((element) => Number(element.getAnimations()[0]?.startTime ?? 0));
        await expect.poll(findStart).toBeGreaterThan(0);
        const first = await findStart();
        await button.click();
        await expect.poll(findStart).toBeGreaterThan(first);
        await expect(same).toHaveCount(1);
        await same.getByRole('button', { name: 'close' }).click();
        await expect(same).toHaveCount(0);
      });

      const codes = ['invalid-credential', 'user-disabled', 'too-many-requests', 'unknown'];
      for (const [index, code] of codes.entries()) {
        await page.route('**/api/identity/sign-in', (route) =>
          route.fulfill({
            status: 400,
            contentType: 'application/problem+json',
            json: { type: `urn:problem:auth/${code}`, title: code, status: 400, code: `auth/${code}` },
          }),
        );
        // A window without focus pauses the timers.
        await page.evaluate(() => dispatchEvent(new Event('blur')));
        const answered = page.waitForResponse('**/api/identity/sign-in');
        await button.press('Enter');
        await answered;
        await expect(button).toBeEnabled();
        await expect(toast(page, 'auth/')).toHaveCount(Math.min(index + 1, 3));
      }
      await expect(toast(page, 'auth/unknown')).toHaveCount(0);
      await toast(page, 'auth/user-disabled').getByRole('button', { name: 'close' }).click();
      await expect(toast(page, 'auth/unknown')).toBeVisible();
      await expect(toast(page, 'auth/')).toHaveCount(3);
    },
  );

  test(
    'close after five seconds unless hovered',
    { tag: ['@desk', '@spec-9.11', '@spec-9.12', '@spec-9.16'] },
    async ({ page }) => {
      await page.goto('/reset-password');
      await page.getByLabel('Email').fill('nobody@mail.example');
      await page.getByRole('button', { name: 'Send reset link' }).click();
      const message = toast(page, 'Reset email sent');
      await expect(message).toBeVisible();
      const progress = page.getByRole('progressbar', { includeHidden: true });
      // The timer starts after the animation of the toast, and pauses while the pointer is over it.
      await expect(progress).toHaveCSS('animation-play-state', 'running');
      await message.hover();
      await expect(progress).toHaveCSS('animation-play-state', 'paused');
      await page.mouse.move(10, 10);
      await expect(progress).toHaveCSS('animation-play-state', 'running');
      expect(await progress.evaluate((bar) => getComputedStyle(bar).animationDuration)).toBe('5s');
      await expect(message).toBeHidden({ timeout: 10_000 });
    },
  );

  test('stay visible for five seconds with reduced motion, too', { tag: '@spec-9.11' }, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto('/login?toast=verification-failed');
    await expect(toast(page, 'Email verification failed. Try again')).toBeVisible();
    const progress = page.getByRole('progressbar', { includeHidden: true });
    expect(await progress.evaluate((bar) => getComputedStyle(bar).animationDuration)).toBe('5s');
  });

  test(
    'close with the keyboard alone, and when dragged past 80 percent of their width',
    { tag: ['@desk', '@spec-9.14', '@spec-9.16'] },
    async ({ page }) => {
      const message = toast(page, 'Email verification failed. Try again');
      await test.step('with the keyboard alone', async () => {
        await page.goto('/login?toast=verification-failed');
        await expect(message).toBeVisible();
        const close = message.getByRole('button', { name: 'close' });
        for (let press = 0; press < 20; press++) {
          if (await close.evaluate((button) => button === document.activeElement)) break;
          await page.keyboard.press('Tab');
        }
        await expect(close).toBeFocused();
        await expect(close).not.toHaveCSS('outline-style', 'none');
        await page.keyboard.press('Enter');
        await expect(message).toHaveCount(0);
      });

      await page.goto('/login?toast=verification-failed');
      await expect(message).toBeVisible();
      await stopTimers(page);
      const drag = async (part: number) => {
        const box = await message.boundingBox();
        if (!box) throw new Error('The toast is not visible.');
        await page.mouse.move(box.x + 40, box.y + box.height / 2);
        await page.mouse.down();
        await page.mouse.move(box.x + 40 + box.width * part, box.y + box.height / 2, { steps: 8 });
        await page.mouse.up();
      };
      // The resting position of the toast is 32 px from the edge.
      const distance = async () => {
        const box = await message.boundingBox();
        return box && 1440 - box.x - box.width;
      };
      await expect.poll(distance).toBe(32);
      await drag(0.7);
      await expect.poll(distance).toBe(32);
      await drag(0.92);
      await expect(message).toHaveCount(0);
    },
  );
});

test.describe('toasts by touch (specification, section 9)', () => {
  test(
    'pause while the window is not focused, and close when swiped past 80 percent of their width',
    { tag: ['@spec-9.13', '@spec-9.14'] },
    async ({ page }) => {
      await page.goto('/login?toast=verification-failed');
      const message = toast(page, 'Email verification failed. Try again');
      await expect(message).toBeVisible();
      await test.step('pause', async () => {
        const progress = page.getByRole('progressbar', { includeHidden: true });
        // The timer starts after the animation of the toast.
        await expect(progress).toHaveCSS('animation-play-state', 'running');
        await page.evaluate(() => dispatchEvent(new Event('blur')));
        await expect(progress).toHaveCSS('animation-play-state', 'paused');
        await page.evaluate(() => dispatchEvent(new Event('focus')));
        await expect(progress).toHaveCSS('animation-play-state', 'running');
      });

      await stopTimers(page);
      const place = async () => (await message.boundingBox())?.x;
      await expect.poll(place).toBe(12);
      const client = await page.context().newCDPSession(page);
      const drag = async (part: number) => {
        const box = await message.boundingBox();
        if (!box) throw new Error('The toast is not visible.');
        const y = box.y + box.height / 2;
        // The swipe goes to the left, so that the finger stays on the screen.
        const from = box.x + box.width - 2;
        const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
          client.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y }] });
        await touch('touchStart', from);
        for (let step = 1; step <= 8; step++) await touch('touchMove', from - (box.width * part * step) / 8);
        await touch('touchEnd');
      };
      await drag(0.7);
      await expect.poll(place).toBe(12);
      await drag(0.92);
      await expect(message).toHaveCount(0);
    },
  );
});

test.describe('an unexpected error in the browser', () => {
  async function openBrokenPage(page: Page, url: string) {
    await page.goto(url);
    await waitForHydration(page);
    await page.route('**/assets/pages-*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("Out of chalk")' }),
    );
    await page.locator('main li a[href*="/user/"]').first().click();
    await expect(page.getByRole('heading', { name: 'Unexpected Application Error!' })).toBeVisible();
  }

  test(
    'shows the error page with message and stack trace, and Reload restores the page',
    { tag: ['@spec-8.21', '@spec-8.22'] },
    async ({ page, browserConsole }) => {
      browserConsole.allow(/./u);
      await openBrokenPage(page, '/');
      await expect(page.getByText('Out of chalk', { exact: true })).toBeVisible();
      await expect(page.locator('pre')).toContainText('/assets/pages-');
      await expect(page.locator('pre')).toBeVisible();
      await expectAtEverySize(
        page,
        page.getByRole('heading', { name: 'Unexpected Application Error!' }),
        page.getByText('Out of chalk', { exact: true }),
      );
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      await page.unroute('**/assets/pages-*.js');
      const before = getConsoleLines().length;
      await page.getByRole('button', { name: 'Reload' }).click();
      await expect(page.getByRole('heading', { name: 'Unexpected Application Error!' })).toBeHidden();
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect(getConsoleLines().slice(before)).toEqual([]);
    },
  );

  test(
    'shows in production the reference of the server’s log line instead of the stack trace',
    { tag: ['@spec-8.21', '@spec-8.22', '@asvs-13.4.2'] },
    async ({ page, browserConsole, server }) => {
      browserConsole.allow(/./u);
      const production = await server.startSecondServer({ NODE_ENV: 'production' });
      await openBrokenPage(page, production.url);
      const message = page.getByText(/^Out of chalk \(reference [\w-]{10}\)$/u);
      await expect(message).toBeVisible();
      await expect(page.locator('pre')).toHaveCount(0);
      const [, reference = ''] = /reference ([\w-]{10})/u.exec((await message.textContent()) ?? '') ?? [];
      await production.stop();
      const lines = production.readOutput().split('\n');
      expect(lines.filter((line) => line.includes(reference) && line.includes('Out of chalk'))).toHaveLength(1);
    },
  );
});

test.describe('when the session request fails', () => {
  test(
    'a page does not show Guest, and TRY AGAIN restores the member',
    { tag: ['@spec-4.7', '@asvs-16.5.3'] },
    async ({ page, server }) => {
      await startSession(page);
      await server.withoutSessions(async () => {
        await page.goto('/');
        await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
        await expect(page.getByRole('link', { name: /Guest|^Login$/u })).toHaveCount(0);
        await page.goto('/settings');
        await expect(page).toHaveURL('/settings');
        await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
      });
      await page.getByRole('button', { name: 'TRY AGAIN' }).click();
      await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
      await openLogoutDialog(page);
    },
  );

  test('an open page does not redirect the member to /login', async ({ page }) => {
    await startSession(page);
    await page.goto('/');
    await page.route('**/api/identity/session', (route) => route.abort());
    const asked = page.waitForRequest('**/api/identity/session');
    await announceSessionChange(page);
    await asked;
    await page.getByRole('link', { name: /^Notifications/u }).click();
    await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
    await expect(page).toHaveURL('/notification');
    await page.unroute('**/api/identity/session');
    await page.getByRole('button', { name: 'TRY AGAIN' }).click();
    await expect(page.getByRole('heading', { name: 'Notifications' })).toBeVisible();
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible();
  });
});

test.describe('browser storage', () => {
  test('is optional for browsing', { tag: '@release' }, async ({ page }) => {
    await page.addInitScript(() => {
      Object.defineProperty(window, 'sessionStorage', {
        get: () => {
          throw new DOMException('Forbidden', 'SecurityError');
        },
      });
    });
    await page.goto('/');
    await page.locator('main li a[href^="/user/"]').first().click();
    await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('button', { name: 'Filters' })).toBeVisible();
  });
});

test.describe('dialogs and menus', () => {
  test(
    'close a dialog on a backdrop click, but not on a click that began inside',
    { tag: '@desk' },
    async ({ page }) => {
      await page.goto('/');
      await page.getByRole('button', { name: 'Filters' }).click();
      const dialog = page.getByRole('dialog', { name: 'Filters' });
      const heading = await dialog.getByRole('heading', { name: 'Filters' }).boundingBox();
      if (!heading) throw new Error('The dialog is not visible.');
      await page.mouse.move(heading.x + 2, heading.y + 2);
      await page.mouse.down();
      await page.mouse.move(20, 20, { steps: 4 });
      await page.mouse.up();
      await expect(dialog).toBeVisible();
      await page.mouse.click(1400, 600);
      await expect(dialog).toBeVisible();
      await page.mouse.click(20, 20);
      await expect(dialog).toBeHidden();
    },
  );

  test(
    'return the focus to the menu button after a dialog opened from the menu is closed',
    { tag: '@both' },
    async ({ page, isMobile }) => {
      await startSession(page);
      await page.goto('/');
      const menu = page.getByRole('button', isMobile ? { name: 'Menu', exact: true } : { name: /profile menu/u });
      await menu.click();
      await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).first().click();
      await page.getByRole('button', { name: 'No!!!' }).click();
      await expect(menu).toBeFocused();
    },
  );

  test('close the menu when a link is followed, before its page has loaded', async ({ page }) => {
    await page.goto('/');
    await waitForHydration(page);
    const menu = page.getByRole('complementary');
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    const release = await holdRequests(page, /\/api\//u);
    await menu.getByRole('link', { name: 'Gallery' }).click();
    await expect(menu).toBeHidden();
    await expect(page).toHaveURL('/');
    release();
    await expect(page).toHaveURL('/gallery');
  });

  test('keep a menu open that was opened before hydration', { tag: '@release' }, async ({ page }) => {
    const release = await holdRequests(page, '**/assets/*.js');
    await page.goto('/', { waitUntil: 'commit' });
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    const menu = page.getByRole('complementary');
    await expect(menu).toBeVisible();
    // The browser requests this file after hydration, when it is idle.
    const isLive = page.waitForRequest(/toast-host/u);
    release();
    await isLive;
    await expect(menu).toBeVisible();
    await menu.getByRole('link', { name: 'Gallery' }).click();
    await expect(page).toHaveURL('/gallery');
    await expect(menu).toBeHidden();
  });
});
