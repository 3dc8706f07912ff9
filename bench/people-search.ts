import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { personStates } from '#contract/staff/people-values.ts';
import { femaleNames } from '#server/seed/words.ts';
import { type BenchArchive, openBenchArchive } from './archive.ts';
import { writeMeasurements } from './measurements.ts';
import { prepareMembers } from './members.ts';
import { commonSurnames, createPerson, createPersonId } from './people.ts';
import { loadTestSettings, startServer } from './server.ts';
import { appointStaff, measurePaths, staffCollege, staffHeadings } from './staff.ts';
import { openWorkspace } from './workspace.ts';

/*
 * Measures the search for people in the staff console over HTTP, one request after another: an owner, and staff of one
 * college. Each keystroke is a request: common surnames, a first name after each of them, addresses, and matric
 * numbers.
 *
 *   npm run bench -- people-search [--people 100000] [--data FOLDER]
 *
 * FOLDER keeps the filled database.
 */

const { values: options } = parseArgs({
  options: { people: { type: 'string', default: '100000' }, data: { type: 'string' } },
});
const people = Number(options.people);

const typedPeople = 40;

/** Spreads the accounts over ten years and over all states. The first two people are staff. */
async function spreadStates({ database: { pool } }: BenchArchive): Promise<void> {
  const staff = [createPersonId(0), createPersonId(1)];
  await pool.query(`update membership_mode set mode = 'confirmed'`);
  await pool.query('select setseed(0.5)');
  await pool.query(
    `update accounts set created_at = now() - random() * interval '10 years', confirmed_at = null,
       membership_status = (array['unconfirmed', 'disputed', 'rejected'])[1 + least(2, floor(random() * 2.1)::int)],
       email_verified = random() > 0.05, suspended_until = case when random() < 0.002 then now() + interval '7 days' end,
       deletes_at = case when random() < 0.002 then now() + interval '7 days' end,
       hidden_until_sign_in = case when random() < 0.02 then 'unused' end
     where id <> all($1::uuid[])`,
    [staff],
  );
  await pool.query(
    `update accounts set membership_status = 'confirmed', confirmed_at = now() where id = any($1::uuid[]) or random() < 0.6`,
    [staff],
  );
  await pool.query(`update profiles set is_hidden = true where account_id <> all($1::uuid[]) and random() < 0.03`, [
    staff,
  ]);
  await pool.query(
    `insert into accounts (id, email, password_hash, created_at)
     select gen_random_uuid(), 'visitor.' || n || '@alumni.example', '!', now() - random() * interval '10 years'
     from generate_series(1, $1::int / 20) as n on conflict do nothing`,
    [people],
  );
  await pool.query('vacuum analyze');
}

const typeText = (text: string): string[] =>
  [...text].map((_, at) => text.slice(0, at + 1)).filter((typed) => !typed.endsWith(' '));

const { folder, onCleanUp, cleanUp } = openWorkspace('people-search', options.data);
try {
  const archive = await openBenchArchive(folder, people);
  onCleanUp(() => archive.stop());
  const { institution } = archive;
  await spreadStates(archive);
  await archive.database.pool.query('delete from authenticators where account_id = any($1::uuid[])', [
    [createPersonId(0), createPersonId(1)],
  ]);
  const institutionFile = join(folder, 'institution.json');
  writeFileSync(institutionFile, JSON.stringify({ ...institution, membership: 'confirmed' }));
  const server = await startServer('server/main.ts', archive, folder, {
    ...loadTestSettings,
    LOG_LEVEL: 'warn',
    INSTITUTION_FILE: institutionFile,
  });
  onCleanUp(() => server.stop());
  const staff = await prepareMembers(archive, server, 2);
  await appointStaff(archive, staff);

  const surnames = commonSurnames.flatMap(typeText);
  const names = commonSurnames.flatMap((surname, at) => typeText(`${surname} ${femaleNames[at] ?? ''}`));
  const numbers = Array.from({ length: typedPeople }, (_, at) => Math.floor((people / typedPeople) * at) + 2);
  const addresses = numbers.flatMap((number) => typeText(`person.${number}@alumni.example`));
  const matricNumbers = numbers.flatMap((number) => typeText(createPerson(institution, number).matricNumber));
  const departments = institution.colleges.find(({ code }) => code === staffCollege)?.departments ?? [];
  const toPath = (filter: Readonly<Record<string, string>>) =>
    `/api/staff/people?${new URLSearchParams(filter).toString()}`;
  const toPaths = (texts: readonly string[]) => texts.map((q) => toPath({ q }));
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ['surnames', toPaths(surnames)],
    ['surname and first name', toPaths(names)],
    ['addresses', toPaths(addresses)],
    ['matric numbers', toPaths(matricNumbers)],
    ['surnames in a department', surnames.map((q, at) => toPath({ q, department: departments[at % 5] ?? '' }))],
    ['surnames in a college', surnames.map((q) => toPath({ q, college: staffCollege }))],
    ...personStates.flatMap(
      (state) =>
        [
          [`${state}, no text`, Array.from({ length: 100 }, () => toPath({ state }))],
          [`${state}, surnames`, surnames.map((q) => toPath({ q, state }))],
          [`${state}, addresses`, addresses.slice(0, 200).map((q) => toPath({ q, state }))],
          [`${state}, matric numbers`, matricNumbers.slice(0, 200).map((q) => toPath({ q, state }))],
        ] as const,
    ),
  ];
  const rows: string[][] = [];
  for (const [role, member] of [
    ['owner', staff[0]],
    [`staff of ${staffCollege}`, staff[1]],
  ] as const) {
    if (!member) throw new Error('A member of staff is missing.');
    for (const [title, paths] of groups) rows.push(await measurePaths(`${role}, ${title}`, server, member, paths));
  }
  writeMeasurements('people-search', staffHeadings, rows);
} finally {
  await cleanUp();
}
