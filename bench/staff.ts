import type { BenchArchive } from './archive.ts';
import { computeQuantile, sendRequest } from './load.ts';
import type { BenchMember } from './members.ts';
import type { Server } from './server.ts';

export const staffCollege = 'COSIT';

export async function appointStaff(
  { database: { pool } }: BenchArchive,
  [owner, limited]: readonly BenchMember[],
): Promise<void> {
  await pool.query(
    `insert into staff_roles (account_id, role, college)
     values ($1, 'owner', null), ($2, 'registrar', $3), ($2, 'moderator', $3) on conflict do nothing`,
    [owner?.uid, limited?.uid, staffCollege],
  );
  await pool.query(
    `insert into authenticators (account_id, secret, confirmed_at) select id, '\\x00', now() from unnest($1::uuid[]) as id
     on conflict do nothing`,
    [[owner?.uid, limited?.uid]],
  );
}

export const staffHeadings = ['requests', 'p50 ms', 'p99 ms'];

/**
 * Requests paths one after another, and prints how long the responses take.
 * @param paths used in turn
 * @param requests number of requests
 * @returns a row of the table of results
 */
export async function measurePaths(
  title: string,
  { url }: Server,
  { headers }: BenchMember,
  paths: readonly string[],
  requests = paths.length,
): Promise<string[]> {
  const durations: { readonly path: string; readonly ms: number }[] = [];
  let bytes = 0;
  // The first requests warm up the server and its connections.
  for (let at = -20; at < requests; at++) {
    const path = paths[(at + 20) % paths.length] ?? '';
    const start = performance.now();
    const { body } = await sendRequest({ url: `${url}${path}`, headers });
    if (at >= 0) durations.push({ path, ms: performance.now() - start });
    bytes = body.length;
  }
  const times = durations.map(({ ms }) => ms);
  const [slowest] = durations.toSorted((a, b) => b.ms - a.ms);
  const [p50 = '', p99 = ''] = [0.5, 0.99].map((share) => computeQuantile(times, share).toFixed(1));
  console.log(
    `${title}: ${requests} requests, p50 ${p50} ms, p99 ${p99} ms, slowest ${slowest?.ms.toFixed(1)} ms ${slowest?.path}, last ${bytes} bytes`,
  );
  return [title, p50, p99];
}
