import type { BrowserContext, CDPSession, Page } from '@playwright/test';

/** Emulated phone on a slow network: 400 ms round trip, 400 kbit/s in both directions, a processor six times slower. */
const network = {
  offline: false,
  latency: 400,
  downloadThroughput: 400_000 / 8,
  uploadThroughput: 400_000 / 8,
} as const;
const cpuSlowdown = 6;

/** The page counts as loaded when it has sent no request for this long. */
const quietMs = 1_500;
const visitTimeoutMs = 60_000;

const effectTimeoutMs = 30_000;

export const kinds = ['document', 'scripts', 'styles', 'pictures', 'other'] as const;
export type Kind = (typeof kinds)[number];

/** Result of a visit without input. Times are milliseconds since the start of the navigation. */
export interface Visit {
  /** Bytes over the network, with response headers, by kind. */
  readonly bytes: Record<Kind, number>;
  readonly pictureCount: number;
  readonly fcpMs: number;
  readonly lcpMs: number;
  readonly layoutShift: number;
}

/** Result of a visit with a tap. Times are milliseconds since the start of the navigation. */
export interface Tap {
  readonly paintedMs: number;
  /** Time at which the effect was visible; null if the tap had no effect. */
  readonly effectMs: number | null;
}

export interface TapPlan {
  readonly control: string;
  readonly input?: Readonly<Record<string, string>>;
  /** Returns the current timestamp once the effect is visible. Runs in the page. */
  readonly findEffect: () => number | false;
}

async function openSlowPage(context: BrowserContext): Promise<{ page: Page; session: CDPSession }> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', network);
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  return { page, session };
}

export async function measureVisit(context: BrowserContext, url: string): Promise<Visit> {
  const { page, session } = await openSlowPage(context);
  const bytes: Record<Kind, number> = { document: 0, scripts: 0, styles: 0, pictures: 0, other: 0 };
  const kindById = new Map<string, Kind>();
  const openRequests = new Set<string>();
  let pictureCount = 0;
  let lastActivityMs = Date.now();
  session.on('Network.requestWillBeSent', ({ requestId, type }) => {
    lastActivityMs = Date.now();
    openRequests.add(requestId);
    kindById.set(requestId, toKind(type));
  });
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    kindById.set(requestId, toKind(type));
    if (response.mimeType === 'image/webp') pictureCount++;
  });
  const finish = (requestId: string, encodedBytes: number) => {
    lastActivityMs = Date.now();
    openRequests.delete(requestId);
    bytes[kindById.get(requestId) ?? 'other'] += encodedBytes;
  };
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => finish(requestId, encodedDataLength));
  session.on('Network.loadingFailed', ({ requestId }) => finish(requestId, 0));
  await page.addInitScript(() => {
    const measured = { lcpMs: 0, layoutShift: 0 };
    Object.assign(window, { measured });
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) measured.lcpMs = startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) measured.layoutShift += (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(url, { waitUntil: 'load', timeout: visitTimeoutMs });
  const deadline = Date.now() + visitTimeoutMs;
  while ((openRequests.size > 0 || Date.now() - lastActivityMs < quietMs) && Date.now() < deadline)
    await page.waitForTimeout(100);
  const paints = await page.evaluate(() => ({
    ...(window as unknown as { measured: { lcpMs: number; layoutShift: number } }).measured,
    fcpMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  }));
  await page.close();
  return { bytes, pictureCount, ...paints };
}

export async function measureTap(context: BrowserContext, url: string, plan: TapPlan): Promise<Tap> {
  const { page } = await openSlowPage(context);
  await page.goto(url, { waitUntil: 'commit', timeout: visitTimeoutMs });
  for (const [field, text] of Object.entries(plan.input ?? {})) {
    await tap(page, field);
    await page.keyboard.insertText(text);
  }
  const { startMs, paintedMs } = await tap(page, plan.control);
  const effectMs = await page.waitForFunction(plan.findEffect, null, { polling: 'raf', timeout: effectTimeoutMs }).then(
    async (handle) => Number(await handle.jsonValue()) - startMs,
    () => null,
  );
  await page.close();
  return { paintedMs, effectMs };
}

async function tap(page: Page, selector: string): Promise<{ startMs: number; paintedMs: number }> {
  const handle = await page.waitForFunction(
    (wanted) => {
      if (performance.getEntriesByName('first-contentful-paint').length === 0) return null;
      const element = [...document.querySelectorAll(wanted)].find((found) => found.checkVisibility());
      if (!element) return null;
      const { x, y, width, height } = element.getBoundingClientRect();
      const { timeOrigin } = performance;
      return { x: x + width / 2, y: y + height / 2, startMs: timeOrigin, paintedMs: performance.now() };
    },
    selector,
    { polling: 'raf', timeout: visitTimeoutMs },
  );
  const place = await handle.jsonValue();
  if (!place) throw new Error(`${selector} is not on the page.`);
  await page.touchscreen.tap(place.x, place.y);
  return place;
}

function toKind(type = 'Other'): Kind {
  if (type === 'Document') return 'document';
  if (type === 'Script') return 'scripts';
  if (type === 'Stylesheet') return 'styles';
  return type === 'Image' ? 'pictures' : 'other';
}
