import { readdir } from 'node:fs/promises';
import type { TestArchive } from '../archive.ts';
import { planted } from './hostile.ts';

/* Checks that must hold after any number of invalid requests. */

export function findLogFaults(logged: readonly string[], secrets: ReadonlySet<string>): string[] {
  const lines = logged.join('');
  const marks = [...secrets, planted.password, planted.code, planted.cookie, planted.address];
  return [
    ...marks.filter((mark) => lines.includes(mark)).map((mark) => `The log contains the secret ${mark.slice(0, 12)}….`),
    ...logged
      .filter((line) => {
        const { level, err } = JSON.parse(line) as { level: number; err?: { type: string } };
        // Some of the requests report errors of browsers.
        return level >= 40 && err?.type !== 'BrowserError';
      })
      .map((line) => `The log contains a warning: ${line.slice(0, 600)}`),
  ];
}

export async function findStoreFaults({ pool, context }: TestArchive): Promise<string[]> {
  const count = async (sql: string) => (await pool.query(sql)).rowCount ?? 0;
  const checks: readonly (readonly [what: string, sql: string])[] = [
    [
      'counts that differ from the lists',
      `with counted as (
         select audience, coalesce(college, '') as college, coalesce(department, '') as department,
           coalesce(program, '') as program, coalesce(year_graduated, 0) as year_graduated, count(*) as people
         from listings group by 1, 2, 3, 4, 5)
       select from counted full join (select * from listing_counts where people <> 0) as kept
         using (audience, college, department, program, year_graduated)
       where counted.people is distinct from kept.people`,
    ],
    [
      'people with an incomplete profile',
      `select from accounts a left join profiles p on p.account_id = a.id
       where (a.display_name is null) <> (p.account_id is null)`,
    ],
    [
      'directory rows without a profile',
      'select from listings l left join profiles p using (account_id) where p.account_id is null',
    ],
    [
      'statements that are still running',
      `select from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    ],
  ];
  const faults: string[] = [];
  for (const [what, sql] of checks) {
    const found = await count(sql);
    if (found > 0) faults.push(`There are ${found} ${what}.`);
  }
  const { rows } = await pool.query<{ picture: string }>(
    'select picture from profiles where picture is not null union select picture from photos',
  );
  const named = new Set(rows.map(({ picture }) => picture));
  // Removed pictures are kept in a hidden folder beside these.
  const kept = (await readdir(context.media.store.location)).filter((name) => !name.startsWith('.'));
  const [orphans, missing] = [
    kept.filter((name) => !named.has(name)).length,
    [...named].filter((name) => !kept.includes(name)).length,
  ];
  if (orphans > 0) faults.push(`There are ${orphans} pictures without a row.`);
  if (missing > 0) faults.push(`There are ${missing} rows whose picture is missing.`);
  if (pool.waitingCount > 0) faults.push('A request is still waiting for a database connection.');
  return faults;
}

export async function findServiceFaults(archive: TestArchive): Promise<string[]> {
  await archive.pool.query('delete from throttles; delete from long_throttles');
  const faults: string[] = [];
  const device = archive.openDevice();
  for (const path of [
    '/healthz',
    '/readyz',
    '/',
    '/home',
    '/search?q=ada',
    '/api/users',
    '/api/users/facets',
    '/api/search?q=ada',
    '/api/gallery/photos',
  ]) {
    const { statusCode } = await device.fetch('GET', path);
    if (statusCode !== 200) faults.push(`${path} returns ${statusCode}.`);
  }
  const visitor = await archive.signUp('afterwards@mail.example', 'a long enough word');
  const { user } = await archive
    .openDevice()
    .call('POST /api/identity/sign-in', { body: { email: visitor.email, password: visitor.password } });
  if (user.uid !== visitor.uid) faults.push('The sign-in returned another account.');
  return faults;
}
