import { hash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { paths } from '#web/domain/paths.ts';
import { enterConfirmedMode } from './confirmed-mode.ts';
import { createAccount, createMember, expect, followLink, startSession, test, waitForHydration } from './fixtures.ts';
import { makeStaff } from './staff-data.ts';

/*
 * Size budgets. Sizes are computed from the files and not measured on the network, so that they are the same on every
 * machine and screen.
 */

async function listScripts(page: Page, path: string): Promise<ReadonlySet<string>> {
  const urls = new Set<string>();
  page.on('request', (request) => {
    if (request.resourceType() === 'script') urls.add(request.url());
  });
  // Scripts that load when the browser is idle, such as the toasts, do not delay the page and are not counted.
  await page.addInitScript(() => Object.assign(window, { requestIdleCallback: () => 0 }));
  const response = await page.goto(path, { waitUntil: 'networkidle' });
  expect(new URL(response?.url() ?? '').pathname + new URL(response?.url() ?? '').search).toBe(path);
  return urls;
}

interface Size {
  readonly gzip: number;
  readonly brotli: number;
}
/** Sizes in bytes by URL. Pages share most scripts, and a URL contains the hash of the script's content. */
const sizeByUrl = new Map<string, Size>();

async function measureScripts(page: Page, urls: Iterable<string>): Promise<Size> {
  let [gzip, brotli] = [0, 0];
  for (const url of urls) {
    let size = sizeByUrl.get(url);
    if (!size) {
      const body = Buffer.from(await (await page.request.get(url)).body());
      size = { gzip: gzipSync(body, { level: 9 }).length, brotli: brotliCompressSync(body).length };
      sizeByUrl.set(url, size);
    }
    gzip += size.gzip;
    brotli += size.brotli;
  }
  return { gzip, brotli };
}

/**
 * @param connection what the browser says about the network
 * @returns the URLs of the fonts that a page requests
 */
async function listFonts(page: Page, connection: object): Promise<readonly string[]> {
  const urls = new Set<string>();
  page.on('request', (request) => {
    if (request.resourceType() === 'font') urls.add(request.url());
  });
  await page.addInitScript((value) => Object.defineProperty(navigator, 'connection', { value }), connection);
  await page.goto('/', { waitUntil: 'networkidle' });
  return [...urls];
}

const isInter = (url: string) => url.includes('/inter-');

test.describe('the fonts', () => {
  test('have at most 60 KB and are loaded when text needs them', async ({ page }) => {
    const urls = await listFonts(page, { saveData: false, effectiveType: '4g' });
    expect(urls.filter((url) => isInter(url))).toHaveLength(1);
    const sizes = await Promise.all(urls.map(async (url) => (await (await page.request.get(url)).body()).length));
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(60_000);
    await expect(page.locator('link[rel=preload][as=font]')).toHaveCount(0);
  });

  for (const connection of [
    { saveData: true, effectiveType: '4g' },
    { saveData: false, effectiveType: '3g' },
  ]) {
    test(`are those of the system with ${JSON.stringify(connection)}`, async ({ page }) => {
      const urls = await listFonts(page, connection);
      expect(urls.filter((url) => isInter(url))).toEqual([]);
    });
  }

  test('have every letter and mark of Yoruba, Igbo, Hausa and Vietnamese names', async ({ page }) => {
    await page.addInitScript(() => Object.defineProperty(navigator, 'connection', { value: undefined }));
    await page.goto('/login');
    await waitForHydration(page);
    const letters = ['ẹọṣńǹḿẸỌṢ ọ́ẹ̀ṣọ̀ ị́ụ̀', 'ịọụṅỊỌỤṄ', 'ɓɗƙƴƁƊƘƳ', 'ạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹđơư'];
    await page.evaluate((text) => {
      const heading = document.querySelector('h1');
      if (heading) heading.textContent = text;
      return document.fonts.ready;
    }, letters.join(' '));
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('DOM.enable');
    await devTools.send('CSS.enable');
    const { root } = await devTools.send('DOM.getDocument');
    const { nodeId } = await devTools.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'h1' });
    const { fonts } = await devTools.send('CSS.getPlatformFontsForNode', { nodeId });
    expect(fonts.map(({ familyName, isCustomFont }) => [familyName, isCustomFont])).toEqual([
      [expect.stringContaining('Inter'), true],
    ]);
  });
});

test.describe('a page visit', () => {
  test('loads at most 125 KB of gzipped JavaScript on the first route, 110 KB with Brotli', async ({ page }) => {
    const { gzip, brotli } = await measureScripts(page, await listScripts(page, '/'));
    expect(gzip).toBeGreaterThan(50_000);
    expect(gzip).toBeLessThanOrEqual(125_000);
    expect(brotli).toBeLessThanOrEqual(110_000);
  });

  test(
    'loads at most 45 KB of additional gzipped JavaScript on any route except the dashboard',
    { tag: '@release' },
    async ({ page, server }) => {
      test.slow();
      const first = await listScripts(page, paths.dashboard);
      const counted = new Set<string>([paths.dashboard]);
      const count = async (...places: string[]) => {
        // In parallel, because most of the time is spent waiting for the network to become idle.
        await Promise.all(
          places.map(async (path) => {
            const fresh = await page.context().newPage();
            const all = await listScripts(fresh, path);
            expect(all.size, path).toBeGreaterThan(1);
            const more = [...all].filter((url) => !first.has(url));
            const { gzip } = await measureScripts(page, more);
            expect(gzip, path).toBeLessThanOrEqual(45_000);
            counted.add(path);
            await fresh.close();
          }),
        );
      };
      const card = (await page.locator('main li a[href^="/user/"]').first().getAttribute('href')) ?? '';
      await count(card, paths.home, paths.terms, paths.privacy, paths.search, '/search?q=ade', paths.gallery);
      await count(paths.careers);
      await count(paths.login, paths.signUp, paths.resetPassword, paths.newPassword, paths.verifyEmail);
      await count(paths.recoverEmail, paths.campus, '/no/such/page');
      const email = await createAccount(page);
      await count(paths.sendVerification);
      await followLink(page, server.inbox, email, 'Verify your email address');
      await expect(page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();
      await count(paths.onboarding, paths.account);
      await page.context().clearCookies();
      await startSession(page);
      await count(card, paths.myProfile, paths.notification, paths.messages, paths.settings);
      await count('/settings?section=security', '/settings?section=delete');
      await enterConfirmedMode(server);
      await count(paths.confirm, '/join', '/join/7K3QMX9R2D', '/not-you', '/settings?section=membership');
      // The next test counts it for staff.
      counted.add(paths.staff);
      const all = Object.values(paths).filter((path) => typeof path === 'string');
      expect(all.filter((path) => !counted.has(path))).toEqual([]);
    },
  );

  test('loads at most 12 KB of additional gzipped JavaScript and a map of 8 KB on the page of careers', async ({
    page,
    server,
  }) => {
    await server.query(
      `insert into career_counts select 'members', kind, value, 1 from (values ('area', '2332459'), ('country', 'NG'))
       as lagos (kind, value) on conflict do nothing`,
    );
    const first = await listScripts(page, paths.dashboard);
    await startSession(page);
    const fresh = await page.context().newPage();
    const all = await listScripts(fresh, paths.careers);
    const more = await measureScripts(
      page,
      [...all].filter((url) => !first.has(url)),
    );
    expect(more.gzip).toBeGreaterThan(1_000);
    expect(more.gzip).toBeLessThanOrEqual(12_000);
    const [map = 'none'] = /\/assets\/world-[\w-]+\.svg/u.exec(await fresh.content()) ?? [];
    await server.query(`delete from career_counts where value in ('2332459', 'NG')`);
    const { brotli } = await measureScripts(page, [map]);
    expect(brotli).toBeLessThanOrEqual(8_192);
  });

  test(
    'loads at most 45 KB of JavaScript that only the staff console has, with Brotli',
    { tag: '@release' },
    async ({ page, server }) => {
      const { uid } = await createMember(page, server);
      await makeStaff(server, uid, 'owner');
      const others = new Set<string>();
      for (const path of [paths.dashboard, '/settings?section=security', paths.gallery])
        for (const url of await listScripts(await page.context().newPage(), path)) others.add(url);
      for (const path of ['/staff/review', '/staff/people', '/staff/roster']) {
        const all = await listScripts(await page.context().newPage(), path);
        const { brotli } = await measureScripts(
          page,
          [...all].filter((url) => !others.has(url)),
        );
        expect(brotli, path).toBeGreaterThan(10_000);
        expect(brotli, path).toBeLessThanOrEqual(45_000);
      }
    },
  );

  test('receives 24 cards in under 13 KB of gzipped HTML', async ({ request }) => {
    const response = await request.get('/', { headers: { 'accept-encoding': 'identity' } });
    const html = await response.body();
    expect(html.toString().match(/href="\/user\//gu)).toHaveLength(24);
    expect(gzipSync(html, { level: 6 }).length).toBeLessThan(13_000);
    const packed = await request.get('/', { headers: { 'accept-encoding': 'br, gzip' } });
    expect(packed.headers()['content-encoding']).toBe('br');
    const list = await request.get('/api/users', { headers: { 'accept-encoding': 'gzip' } });
    expect(list.headers()['content-encoding']).toBe('gzip');
  });

  test(
    'loads card pictures under 7 KB, immutable assets and nothing from third parties',
    { tag: ['@asvs-13.1.1', '@asvs-14.2.3'] },
    async ({ page, server }) => {
      const elsewhere: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) elsewhere.push(request.url());
      });
      await page.goto('/', { waitUntil: 'networkidle' });
      expect(elsewhere).toEqual([]);
      const [picture = ''] = /\/media\/[\w-]+\/192\.webp/u.exec(await page.content()) ?? [];
      const response = await page.request.get(picture);
      expect((await response.body()).length).toBeLessThan(7_000);
      expect(response.headers()['cache-control']).toContain('immutable');
      const [script = ''] = /\/assets\/[\w-]+\.js/u.exec(await page.content()) ?? [];
      const served = await page.request.get(script, { headers: { 'accept-encoding': 'br' } });
      expect(served.headers()).toMatchObject({
        'content-encoding': 'br',
        'cache-control': 'public, max-age=31536000, immutable',
      });
    },
  );

  test(
    'receives a strict content security policy with the hashes of its inline scripts and styles',
    { tag: ['@asvs-1.3.2', '@asvs-3.2.2', '@asvs-3.4.3'] },
    async ({ request }) => {
      for (const path of ['/', paths.login]) {
        const response = await request.get(path);
        const html = await response.text();
        const hashesOf = (pattern: RegExp) =>
          Array.from(html.matchAll(pattern), ([, text = '']) => ` 'sha256-${hash('sha256', text, 'base64')}'`).join('');
        const scripts = hashesOf(/<script>(.*?)<\/script>/gsu);
        const styles = hashesOf(/<style[^>]*>(.*?)<\/style>/gsu);
        const policy = response.headers()['content-security-policy'] ?? '';
        expect(policy).toMatch(/^default-src 'none'; /u);
        expect(policy).toContain(`; script-src 'self'${scripts}; style-src 'self'${styles}; `);
        expect(policy).not.toMatch(/unsafe|nonce/u);
        expect(policy).toContain("require-trusted-types-for 'script'");
      }
      // API responses are not pages, so their policy forbids everything.
      const { headers } = await request.get('/api/institution').then((answer) => ({ headers: answer.headers() }));
      expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
      expect(headers['permissions-policy']).toContain('camera=(), ');
      expect(headers['x-content-type-options']).toBe('nosniff');
    },
  );
});
