import { buildIfStale } from './build-pages.ts';

/* Runs a benchmark: `npm run bench [-- NAME] [OPTIONS]`. Each file in `bench/` describes its options. */

const benchmarks: Record<string, () => Promise<unknown>> = {
  requests: () => import('../bench/requests.ts'),
  growth: () => import('../bench/growth.ts'),
  network: () => import('../bench/network/run.ts'),
  claims: () => import('../bench/claims.ts'),
  review: () => import('../bench/review.ts'),
  careers: () => import('../bench/careers.ts'),
  'people-search': () => import('../bench/people-search.ts'),
  roster: () => import('../bench/roster.ts'),
  many: () => import('../bench/many.ts'),
  start: () => import('../bench/start.ts'),
  'roster-load': () => import('../bench/roster-load.ts'),
};

const [first = ''] = process.argv.slice(2);
const hasName = first !== '' && !first.startsWith('-');
if (hasName) process.argv.splice(2, 1);
const run = benchmarks[hasName ? first : 'requests'];
if (!run) {
  console.error(
    `Unknown benchmark: ${first}\n\nUsage: npm run bench -- NAME, with one of: ${Object.keys(benchmarks).join(', ')}`,
  );
  process.exit(1);
}
await buildIfStale(console.log);
await run();
