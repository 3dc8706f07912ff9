import { parseArgs } from 'node:util';
import type { ReviewQueue } from '#contract/staff/review.ts';
import { countFrequencies } from '#server/domain/roster/frequencies.ts';
import { findEntryIds, linkEntries, writeEntries } from '#server/domain/roster/write-entries.ts';
import { type BenchArchive, openBenchArchive } from './archive.ts';
import { createEnrolment } from './claims/roster.ts';
import { sendRequest } from './load.ts';
import { writeMeasurements } from './measurements.ts';
import { type BenchMember, prepareMembers } from './members.ts';
import { createPersonId } from './people.ts';
import { type Server, loadTestSettings, startServer } from './server.ts';
import { appointStaff, measurePaths, staffCollege, staffHeadings } from './staff.ts';
import { openWorkspace } from './workspace.ts';

/*
 * Measures the review queue of staff over HTTP, one request after another: an owner, and staff of one college.
 *
 *   npm run bench -- review [--people 100000] [--items 10000] [--requests 300] [--data FOLDER]
 *
 * Seven of ten items are claims, one is a dispute, two are reports. Each person has an entry on the roster. FOLDER
 * keeps the filled database.
 */

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    items: { type: 'string', default: '10000' },
    requests: { type: 'string', default: '300' },
    data: { type: 'string' },
  },
});
const [people, items, requests] = [Number(options.people), Number(options.items), Number(options.requests)];
const entriesPerBatch = 50_000;

/** The first two people are staff. */
const firstClaimant = 10;

/**
 * Writes the roster and the items of the queue. The accounts of every tenth item are disputed or reported instead of
 * claiming.
 */
async function fillQueue({ database, institution }: BenchArchive): Promise<void> {
  const { db, pool } = database;
  await pool.query(
    `truncate claims, disputes, reports, review_leases, review_notes, review_decisions, roster_links, roster_entries cascade`,
  );
  const enrol = createEnrolment(institution);
  const numbers: string[] = [];
  for (let first = 0; first < people; first += entriesPerBatch) {
    const batch = Array.from({ length: Math.min(entriesPerBatch, people - first) }, (_, at) => enrol(first + at));
    numbers.push(...batch.map(({ matricNumber }) => matricNumber));
    await writeEntries(
      db,
      batch.map(({ entry }) => entry),
    );
  }
  await countFrequencies(db);
  const claims = Array.from({ length: items * 0.7 }, (_, at) => ({
    id: createPersonId(firstClaimant + at),
    number: numbers[firstClaimant + at] ?? '',
  }));
  await pool.query(
    `insert into claims (account_id, typed, created_at, college, department, year_graduated)
     select p.account_id, jsonb_build_object('matricNumber', c.number, 'dob', p.dob, 'firstName', p.first_name, 'lastName', p.last_name,
         'otherNames', coalesce(p.middle_name, ''), 'gender', p.gender, 'department', p.department,
         'yearAdmitted', p.year_admitted, 'yearGraduated', p.year_graduated, 'note', ''),
       now() - random() * interval '30 days', p.college, p.department, p.year_graduated
     from json_to_recordset($1::json) as c (id uuid, number text) join profiles p on p.account_id = c.id`,
    [JSON.stringify(claims)],
  );
  const start = firstClaimant + claims.length;
  const holders = Array.from({ length: items * 0.1 }, (_, at) => ({
    accountId: createPersonId(start + at),
    number: numbers[start + at] ?? '',
    claimantId: createPersonId(start + items * 0.1 + at),
  }));
  const ids = await findEntryIds(
    db,
    holders.map(({ number }) => number),
  );
  const disputes = holders.flatMap(({ accountId, number, claimantId }) => {
    const entryId = ids.get(number.replaceAll('/', ''));
    return entryId === undefined ? [] : [{ accountId, entryId, claimantId }];
  });
  await linkEntries(db, disputes);
  await pool.query(
    `insert into disputes (entry_id, holder_id, claimant_id, created_at, college, department, year_graduated)
     select "entryId", "accountId", "claimantId", now() - random() * interval '30 days', p.college, p.department, p.year_graduated
     from json_to_recordset($1::json) as d ("entryId" bigint, "accountId" uuid, "claimantId" uuid)
       join profiles p on p.account_id = "accountId"`,
    [JSON.stringify(disputes)],
  );
  const reported = Array.from({ length: items * 0.2 }, (_, at) => createPersonId(start + items * 0.2 + at));
  await pool.query(
    `insert into reports (kind, subject_id, reporter_id, reason, text, created_at, college, department, year_graduated)
     select 'profile', p.account_id, $2, 'not-this-person', 'A report.', now() - random() * interval '30 days', p.college, p.department,
       p.year_graduated
     from profiles p where p.account_id = any($1::uuid[])`,
    [reported, createPersonId(5)],
  );
  await pool.query('vacuum analyze');
}

/** Follows the cursors to a page in the middle of the queue. @returns its path, and the ids of claims on the way */
async function findMiddle({ url }: Server, { headers }: BenchMember): Promise<{ path: string; claims: string[] }> {
  let path = '/api/staff/queue';
  const claims: string[] = [];
  let [waiting, seen] = [0, 0];
  do {
    const { body } = await sendRequest({ url: `${url}${path}`, headers });
    const { items: page, next, counts } = JSON.parse(body.toString()) as ReviewQueue;
    if (seen === 0) waiting = counts.reduce((sum, count) => sum + count.waiting, 0);
    claims.push(...page.flatMap(({ kind, id }) => (kind === 'claim' ? [id] : [])));
    seen += page.length;
    if (next === null) break;
    path = `/api/staff/queue?after=${encodeURIComponent(next)}`;
  } while (seen < waiting / 2);
  console.log(`${waiting} items wait`);
  return { path, claims };
}

const { folder, onCleanUp, cleanUp } = openWorkspace('review', options.data);
try {
  const archive = await openBenchArchive(folder, people);
  onCleanUp(() => archive.stop());
  await fillQueue(archive);
  await archive.database.pool.query('delete from authenticators where account_id = any($1::uuid[])', [
    [createPersonId(0), createPersonId(1)],
  ]);
  const server = await startServer('server/main.ts', archive, folder, { ...loadTestSettings, LOG_LEVEL: 'warn' });
  onCleanUp(() => server.stop());
  const staff = await prepareMembers(archive, server, 2);
  await appointStaff(archive, staff);
  const rows: string[][] = [];
  for (const [title, member] of [
    ['owner', staff[0]],
    [`staff of ${staffCollege}`, staff[1]],
  ] as const) {
    if (!member) throw new Error('A member of staff is missing.');
    const { path, claims } = await findMiddle(server, member);
    rows.push(await measurePaths(`${title}, first page`, server, member, ['/api/staff/queue'], requests));
    rows.push(await measurePaths(`${title}, middle page`, server, member, [path], requests));
    const filters = ['name=ade', 'department=Physics', 'name=ade&department=Physics'];
    const filtered = filters.map((filter) => `/api/staff/queue?${filter}`);
    rows.push(await measurePaths(`${title}, filtered`, server, member, filtered, requests));
    const claimPaths = claims.map((id) => `/api/staff/claims/${id}`);
    rows.push(await measurePaths(`${title}, claim`, server, member, claimPaths, requests));
  }
  writeMeasurements('review', staffHeadings, rows);
} finally {
  await cleanUp();
}
