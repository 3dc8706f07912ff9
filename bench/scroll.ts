import { type Page, chromium } from '@playwright/test';
import { findBrowser } from '../e2e/browser.ts';
import { openBenchArchive } from './archive.ts';
import { computeQuantile } from './load.ts';
import { startServer } from './server.ts';

/*
 * Measures scrolling on a phone after loading many cards: the time between two frames with a CPU slowed down four
 * times, with 24 and with 2,000 cards. Also measures whether Back restores the scroll position.
 *
 *   node bench/scroll.ts FOLDER PEOPLE
 */

const [folder = '', people = '10000'] = process.argv.slice(2);
const targetCards = 2_000;
const cpuThrottlingFactor = 4;

const archive = await openBenchArchive(folder, Number(people));
const server = await startServer('server/main.ts', archive, folder);
const { url } = server;
const found = await findBrowser();
const browser = await chromium.launch({ ...found, env: { ...(process.env as Record<string, string>), ...found.env } });
try {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  });
  const page = await context.newPage();
  await page.goto('/');
  await page.getByRole('button', { name: /^Show \d+ more$/u }).waitFor();
  const countCards = () => page.locator('main li a[href^="/user/"]').count();
  console.log(`${await countCards()} cards: ${await measureScrolling(page)}`);
  const readHeapMb = async () =>
    (await page.evaluate(
      () => (performance as unknown as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize ?? 0,
    )) / 1e6;
  const start = performance.now();
  while ((await countCards()) < targetCards) {
    const before = await countCards();
    await page.getByRole('button', { name: /^Show \d+ more$/u }).click();
    await page.waitForFunction(
      (count) => document.querySelectorAll('main li a[href^="/user/"]').length > count,
      before,
    );
  }
  console.log(
    `${await countCards()} cards: ${await measureScrolling(page)}; loaded in ${((performance.now() - start) / 1000).toFixed(0)} s, heap ${(await readHeapMb()).toFixed(0)} MB`,
  );
  const far = page.locator('main li a[href^="/user/"]').nth(targetCards - 200);
  await far.scrollIntoViewIfNeeded();
  const place = await page.evaluate(() => scrollY);
  const before = await far.evaluate((card) => card.getBoundingClientRect().top);
  await far.click();
  await page.waitForURL(/\/user\//u);
  const back = performance.now();
  await page.goBack();
  await page.waitForFunction((top) => scrollY > top / 2, place);
  const top = await far.evaluate((card) => card.getBoundingClientRect().top);
  console.log(
    `Back restores the scroll position after ${(performance.now() - back).toFixed(0)} ms: the opened card is ${top.toFixed(0)} px from the top, before it was ${before.toFixed(0)} px`,
  );
} finally {
  await browser.close();
  await server.stop();
  await archive.stop();
}

/** Scrolls through the whole page in 240 steps, one per frame. @returns the frame times as text */
async function measureScrolling(page: Page): Promise<string> {
  const client = await page.context().newCDPSession(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: cpuThrottlingFactor });
  const times = await page.evaluate(async () => {
    const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
    const between: number[] = [];
    const height = document.documentElement.scrollHeight - innerHeight;
    const frames = 240;
    let last = await nextFrame();
    for (let frame = 0; frame < frames; frame++) {
      scrollTo(0, (height * frame) / frames);
      const now = await nextFrame();
      between.push(now - last);
      last = now;
    }
    return between;
  });
  await client.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  return `${computeQuantile(times, 0.5).toFixed(0)} ms between frames (p50), ${computeQuantile(times, 0.95).toFixed(0)} ms (p95)`;
}
