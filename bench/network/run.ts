import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Browser, chromium } from '@playwright/test';
import { findBrowser } from '../../e2e/browser.ts';
import globalSetup from '../../e2e/global-setup.ts';
import { type Prepared, preparedVariable, startTestServer, type TestServer } from '../../e2e/test-server.ts';
import { demoAccount } from '#server/seed/campus.ts';
import { computeMedian } from '../load.ts';
import { writeMeasurements } from '../measurements.ts';
import { replaceByPhotos } from './portraits.ts';
import { startSinglePageServer } from './single-page.ts';
import { type Kind, kinds, measureTap, measureVisit, type Tap, type TapPlan, type Visit } from './visit.ts';

/*
 * Measures first and repeat visits of a guest with a phone on a slow network, for the build of today ("rendered") and
 * for the same application as a plain single-page application ("single-page").
 *
 *   npm run bench -- network [--runs 3] [--only NAME,…] [--builds rendered] [--out FILE]
 *
 * Chromium emulates the network (visit.ts): it delays each response by one round trip and limits the bytes per second
 * of all requests together. It emulates no DNS, TCP or TLS handshake, no packet loss and no prioritization.
 */

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    builds: { type: 'string', default: 'rendered,single-page' },
    out: { type: 'string' },
  },
});

const phone = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  deviceScaleFactor: 2,
} as const;

interface MeasuredPage {
  readonly name: string;
  readonly path: string;
  readonly tap: TapPlan;
  readonly prepare?: (server: TestServer) => Promise<void>;
}

interface Result {
  readonly page: string;
  readonly build: string;
  readonly visit: 'first' | 'repeat';
  readonly bytes: Record<Kind, number>;
  readonly totalBytes: number;
  readonly pictureCount: number;
  readonly fcpMs: number;
  readonly lcpMs: number;
  readonly layoutShift: number;
  readonly paintedMs: number;
  readonly effectMs: number;
  readonly lostTaps: number;
}

const openFilters: TapPlan = {
  control: '[aria-haspopup=dialog][form=layout]',
  findEffect: () => document.querySelector('dialog[open]') !== null && performance.timeOrigin + performance.now(),
};

const pages: readonly MeasuredPage[] = [
  { name: '/', path: '/?department=all', tap: openFilters },
  {
    name: '/login',
    path: '/login',
    tap: {
      control: 'form.grid [type=submit]',
      input: { '[type=email]': demoAccount.email, '[type=password]': demoAccount.password },
      findEffect: () =>
        location.pathname !== '/login' &&
        document.querySelector('main li a') !== null &&
        performance.timeOrigin + performance.now(),
    },
  },
  {
    name: '/user/{id}',
    path: '',
    tap: {
      control: '[popovertarget=menu]',
      findEffect: () =>
        document.querySelector('#menu:popover-open') !== null && performance.timeOrigin + performance.now(),
    },
  },
  {
    name: '/search?q=ade',
    path: '/search?q=ade',
    tap: {
      control: 'main li a',
      findEffect: () =>
        location.pathname.startsWith('/user/') &&
        document.querySelector('main dl') !== null &&
        performance.timeOrigin + performance.now(),
    },
  },
  {
    name: '/ without pictures',
    path: '/?department=all',
    tap: openFilters,
    prepare: (server) => server.query('update listings set picture = null'),
  },
];

let visitorCount = 0;

async function measure(browser: Browser, url: string, plan: TapPlan): Promise<[Visit & Tap, Visit & Tap]> {
  const openContext = () => {
    visitorCount++;
    // Each visitor has an address, because browsing is limited per address.
    const headers = { 'x-forwarded-for': `10.6.${visitorCount >> 8}.${visitorCount & 255}` };
    return browser.newContext({ ...phone, extraHTTPHeaders: headers });
  };
  const context = await openContext();
  const firstVisit = await measureVisit(context, url);
  const repeatVisit = await measureVisit(context, url);
  // Input ends the measurement of the largest contentful paint, so the taps have their own visits.
  const tapContext = await openContext();
  const firstTap = await measureTap(tapContext, url, plan);
  await tapContext.close();
  // The cache is full after the visits without input.
  const repeatTap = await measureTap(context, url, plan);
  await context.close();
  return [
    { ...firstVisit, ...firstTap },
    { ...repeatVisit, ...repeatTap },
  ];
}

function summarize(page: string, build: string, visit: Result['visit'], runs: readonly (Visit & Tap)[]): Result {
  const medianOf = (pick: (run: Visit & Tap) => number) => computeMedian(runs.map(pick));
  const bytes = Object.fromEntries(kinds.map((kind) => [kind, medianOf((run) => run.bytes[kind])])) as Result['bytes'];
  const effects = runs.flatMap(({ effectMs }) => effectMs ?? []);
  return {
    page,
    build,
    visit,
    bytes,
    totalBytes: Object.values(bytes).reduce((sum, part) => sum + part, 0),
    pictureCount: medianOf(({ pictureCount }) => pictureCount),
    fcpMs: medianOf(({ fcpMs }) => fcpMs),
    lcpMs: medianOf(({ lcpMs }) => lcpMs),
    layoutShift: medianOf(({ layoutShift }) => layoutShift),
    paintedMs: medianOf(({ paintedMs }) => paintedMs),
    effectMs: effects.length > 0 ? computeMedian(effects) : Number.NaN,
    lostTaps: runs.length - effects.length,
  };
}

const headings = [
  'page', 'build', 'visit', 'KB', ...kinds.map((kind) => (kind === 'pictures' ? 'pictures (files)' : kind)), 'FCP s', 'LCP s', 'shift', 'tap at s', 'effect at s', 'lost taps',
]; // prettier-ignore

function formatRow(result: Result): string {
  const kilobytes = (bytes: number) => (bytes / 1_000).toFixed(1);
  const seconds = (ms: number) => (ms / 1_000).toFixed(2);
  const { bytes, pictureCount } = result;
  return formatCells([
    result.page,
    result.build,
    result.visit,
    kilobytes(result.totalBytes),
    ...kinds.map((kind) => kilobytes(bytes[kind]) + (kind === 'pictures' ? ` (${pictureCount})` : '')),
    seconds(result.fcpMs),
    seconds(result.lcpMs),
    result.layoutShift.toFixed(3),
    seconds(result.paintedMs),
    seconds(result.effectMs),
    String(result.lostTaps),
  ]);
}

const formatCells = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

process.env['E2E_PEOPLE'] ??= '1000';
const endSetup = await globalSetup();
try {
  const { dataDir } = JSON.parse(process.env[preparedVariable] ?? '') as Prepared;
  await replaceByPhotos(dataDir);
  const { server, close } = await startTestServer();
  const singlePage = await startSinglePageServer(server.url);
  const urls: Record<string, string> = { rendered: server.url, 'single-page': singlePage.url };
  const { executablePath, args, env } = await findBrowser();
  const browser = await chromium.launch({ executablePath, args, env: { ...(process.env as typeof env), ...env } });
  try {
    // Every person that guests may list gets a different picture.
    await server.query(`
      update listings set picture = pictures.name from
        (select account_id, row_number() over (order by sort_name) - 1 as number from listings where audience = 'everyone') people,
        (select name, row_number() over (order by name) - 1 as number, count(*) over () as total
          from (select distinct picture as name from listings where audience = 'everyone' and picture is not null) found) pictures
      where listings.audience = 'everyone' and listings.account_id = people.account_id
        and people.number % pictures.total = pictures.number`);
    const results: Result[] = [];
    console.log(formatCells(headings));
    console.log(formatCells(headings.map((_, index) => (index < 3 ? '---' : '---:'))));
    for (const { name, path, tap, prepare } of pages) {
      if (options.only && !options.only.split(',').includes(name)) continue;
      await prepare?.(server);
      const found = await (await fetch(`${server.url}/?department=all`)).text();
      const target = path || (/\/user\/[\w-]+/u.exec(found)?.[0] ?? '');
      const builds = options.builds.split(',');
      const runs = builds.map(() => [[], []] as [(Visit & Tap)[], (Visit & Tap)[]]);
      for (let run = 0; run < Number(options.runs); run++) {
        for (const [index, build] of builds.entries()) {
          const [first, repeat] = await measure(browser, `${urls[build]}${target}`, tap);
          runs[index]?.[0].push(first);
          runs[index]?.[1].push(repeat);
        }
      }
      for (const [index, build] of builds.entries()) {
        for (const [at, visit] of (['first', 'repeat'] as const).entries()) {
          const result = summarize(name, build, visit, runs[index]?.[at] ?? []);
          results.push(result);
          console.log(formatRow(result));
        }
      }
    }
    if (!options.only)
      writeMeasurements(
        'slow-network',
        ['page', 'build', 'visit', 'KB', 'FCP s', 'LCP s', 'tap works after s'],
        results.map(({ page, build, visit, totalBytes, fcpMs, lcpMs, effectMs }) => [
          page,
          build,
          visit,
          (totalBytes / 1_000).toFixed(1),
          ...[fcpMs, lcpMs, effectMs].map((ms) => (ms / 1_000).toFixed(2)),
        ]),
      );
    if (options.out) writeFileSync(options.out, JSON.stringify(results, null, 2));
  } finally {
    await browser.close();
    singlePage.stop();
    await close();
  }
} finally {
  await endSetup();
}
