import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeMeasurements } from './measurements.ts';

/*
 * Writes the results of `npm run bench -- requests --out FILE` to docs/measurements/ as tables, and to an SVG plot.
 *
 *   node bench/report.ts FILE
 */

const Results = z.array(
  z.object({
    memory: z.number(),
    found: z.string(),
    typing: z.array(
      z.object({
        group: z.string(),
        requests: z.number(),
        cpu: z.nullable(z.object({ server: z.number(), database: z.number() })),
        p50: z.number(),
        p99: z.number(),
      }),
    ),
    measured: z.array(
      z.object({
        route: z.string(),
        people: z.number(),
        rate: z.number(),
        p50: z.number(),
        p99: z.number(),
        cpu: z.number(),
        floor: z.nullable(z.object({ rate: z.number(), p50: z.number(), p99: z.number(), cpu: z.number() })),
      }),
    ),
  }),
);

const docs = join(import.meta.dirname, '..', 'docs');
const [file = ''] = process.argv.slice(2);
const results = Results.parse(JSON.parse(readFileSync(file, 'utf8')));

const formatNumber = (value: number, digits = 0) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

const formatFixed = (value: number | undefined, digits: number) => value?.toFixed(digits) ?? '';

for (const { typing, measured } of results) {
  const people = measured[0]?.people ?? 0;
  writeMeasurements(
    `requests-${people}`,
    [
      'route',
      'requests/s',
      'floor requests/s',
      'ratio',
      'CPU ms',
      'floor CPU ms',
      'CPU ratio',
      'p50 ms',
      'floor p50 ms',
      'p99 ms',
      'floor p99 ms',
    ],
    measured.map(({ route, rate, p50, p99, cpu, floor }) => [
      route,
      formatFixed(rate, 0),
      formatFixed(floor?.rate, 0),
      formatFixed(floor ? rate / floor.rate : undefined, 2),
      formatFixed(cpu, 2),
      formatFixed(floor?.cpu, 2),
      formatFixed(floor ? cpu / floor.cpu : undefined, 2),
      formatFixed(p50, 1),
      formatFixed(floor?.p50, 1),
      formatFixed(p99, 1),
      formatFixed(floor?.p99, 1),
    ]),
  );
  writeMeasurements(
    `keystrokes-${people}`,
    ['word so far', 'requests', 'server CPU ms', 'database CPU ms', 'p50 ms', 'p99 ms'],
    typing.map(({ group, requests, cpu, p50, p99 }) => [
      group,
      requests,
      formatFixed(cpu?.server, 2),
      formatFixed(cpu?.database, 2),
      formatFixed(p50, 1),
      formatFixed(p99, 1),
    ]),
  );
}
writeMeasurements(
  'sequential',
  ['people', 'one request after another', 'server memory MB'],
  results.map(({ memory, found, measured }) => [measured[0]?.people ?? 0, found, formatFixed(memory, 0)]),
);
writeFileSync(join(docs, 'images', 'performance.svg'), createPlot());

/** Draws the median duration of requests by directory size as SVG, with logarithmic axes. */
function createPlot(): string {
  const routes = ['list, member', 'list, guest', 'profile', 'search', 'count', 'facets', 'save'];
  const colours = ['#1d4ed8', '#0e7490', '#7c3aed', '#b91c1c', '#15803d', '#b45309', '#334155'];
  const [width, height, left, right, top, bottom] = [720, 400, 60, 150, 30, 50];
  const sizes = results.map(({ measured }) => measured[0]?.people ?? 1);
  const x = (people: number) => {
    const [first, last] = [Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 10)];
    return left + ((Math.log10(people) - first) / (last - first || 1)) * (width - left - right);
  };
  const [minMs, maxMs] = [0.1, 1_000];
  const y = (timeMs: number) =>
    height -
    bottom -
    (Math.log10(Math.max(timeMs, minMs) / minMs) / Math.log10(maxMs / minMs)) * (height - top - bottom);
  const ticks = [0.1, 1, 10, 100, 1_000];
  const labels: { at: number; text: string; colour: string }[] = [];
  const lines = routes.map((route, index) => {
    const colour = colours[index] ?? '#000';
    const points = results.flatMap(({ measured }) => measured.filter((one) => one.route === route));
    const last = points.at(-1);
    if (last) labels.push({ at: y(last.p50), text: `${route} ${formatNumber(last.p50, 1)}`, colour });
    const path = points.map(({ people, p50 }) => `${x(people).toFixed(1)},${y(p50).toFixed(1)}`);
    return `<polyline points="${path.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>${path
      .map((point) => `<circle cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3" fill="${colour}"/>`)
      .join('')}`;
  });
  // Moves labels down so that they do not overlap.
  let lowest = -Infinity;
  const names = labels
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, text, colour }) => {
      lowest = Math.max(at, lowest + 14);
      return `<text x="${width - right + 10}" y="${(lowest + 4).toFixed(1)}" fill="${colour}">${text}</text>`;
    });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>Median request duration in milliseconds (16 concurrent connections) by number of people</title>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="${left}" y="18" fill="#334155">ms, p50 with 16 concurrent connections</text>
${ticks
  .map(
    (tick) =>
      `<line x1="${left}" x2="${width - right}" y1="${y(tick)}" y2="${y(tick)}" stroke="#e2e8f0"/><text x="${left - 8}" y="${y(tick) + 4}" text-anchor="end" fill="#334155">${tick}</text>`,
  )
  .join('\n')}
${sizes.map((size) => `<text x="${x(size)}" y="${height - 24}" text-anchor="middle" fill="#334155">${formatNumber(size)}</text>`).join('\n')}
<text x="${(left + width - right) / 2}" y="${height - 6}" text-anchor="middle" fill="#334155">people</text>
${lines.join('\n')}
${names.join('\n')}
</svg>
`;
}
