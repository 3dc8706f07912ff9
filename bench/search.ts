import { findPeople } from '#server/features/search/queries.ts';
import { openBenchArchive } from './archive.ts';
import { type QueryKind, queryKinds, createQueries } from './queries.ts';

/*
 * Measures how many of the 300 search queries find the expected person, and how long they take, one after another and
 * in process. With `missed`, prints the queries that fail.
 *
 *   node bench/search.ts FOLDER PEOPLE [missed]
 */

const [folder = '', people = '100000', option] = process.argv.slice(2);
const rounds = 3;
const archive = await openBenchArchive(folder, Number(people));
try {
  const queries = createQueries(archive.institution, archive.people);
  const { db } = archive.database;
  const found = new Map<QueryKind, { hits: number; asked: number; times: number[] }>(
    queryKinds.map((kind) => [kind, { hits: 0, asked: 0, times: [] }]),
  );
  for (let round = 0; round <= rounds; round++) {
    for (const { kind, text, expected } of queries) {
      const start = performance.now();
      const { hits } = await findPeople(db, 'members', archive.institution, text, {});
      const time = performance.now() - start;
      const entry = found.get(kind);
      // The first round warms up the caches and counts the hits.
      if (!entry) continue;
      if (round > 0) entry.times.push(time);
      else {
        entry.asked++;
        const place = hits.findIndex(({ account_id: id }) => id === expected);
        if (place >= 0 && place < 5) entry.hits++;
        else if (option === 'missed') console.log(`missed: ${kind}: ${text}: ${place} of ${hits.length}`);
      }
    }
  }
  const printRow = (name: string, hits: number, asked: number, times: readonly number[]) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) =>
      (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
    console.log(`${name.padEnd(26)} ${hits}/${asked} p50 ${at(0.5)} p95 ${at(0.95)} p99 ${at(0.99)} max ${at(1)} ms`);
  };
  for (const [kind, { hits, asked, times }] of found) printRow(kind, hits, asked, times);
  const all = [...found.values()];
  printRow(
    'all',
    all.reduce((sum, { hits }) => sum + hits, 0),
    queries.length,
    all.flatMap(({ times }) => times),
  );
} finally {
  await archive.stop();
}
