import type { Institution } from '#contract/institution.ts';
import { countPeople, findFacets } from '#server/features/directory/queries.ts';
import { findPeople } from '#server/features/search/queries.ts';
import type { BenchArchive } from './archive.ts';
import { computeMedian, computeQuantile } from './load.ts';
import type { createQueries } from './queries.ts';

/** Returns a function that creates thousands of different filters, which no cache contains. */
export function createFilters({ colleges }: Institution) {
  const departments = colleges.flatMap((college) => college.departments);
  return (number: number) => {
    const graduatedFrom = 1970 + (number % 50);
    const graduatedTo = graduatedFrom + (Math.floor(number / 50) % 50);
    return { department: departments[number % departments.length] ?? '', graduatedFrom, graduatedTo };
  };
}

/**
 * Measures database queries one after another, without concurrency. Reports how many of the 300 search queries find the
 * expected person among the first five, and the durations of searches, uncached counts and uncached facets.
 */
export async function measureSequentialQueries(
  { database: { db }, institution }: BenchArchive,
  queries: ReturnType<typeof createQueries>,
  filters: ReturnType<typeof createFilters>,
): Promise<string> {
  const measure = async (times: number[], work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  };
  const [searchMs, countMs, facetMs]: [number[], number[], number[]] = [[], [], []];
  let hits = 0;
  // This round also warms up the caches.
  for (const { text, expected } of queries) {
    const found = await findPeople(db, 'members', institution, text, {});
    if (found.hits.slice(0, 5).some(({ account_id: id }) => id === expected)) hits++;
  }
  for (let round = 0; round < 3; round++) {
    for (const [number, { text }] of queries.entries()) {
      await measure(searchMs, () => findPeople(db, 'members', institution, text, {}));
      await measure(countMs, () => countPeople(db, 'members', filters(number)));
      await measure(facetMs, () => findFacets(db, 'members', filters(number)));
    }
  }
  const format = (times: number[]) =>
    `p50 ${computeMedian(times).toFixed(1)} ms, p99 ${computeQuantile(times, 0.99).toFixed(1)} ms`;
  return `Sequential: ${hits} of ${queries.length} search queries find their person among the first five, ${format(searchMs)}; filtered count ${format(countMs)}; filtered facets ${format(facetMs)}`;
}
