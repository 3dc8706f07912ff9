import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openDispute } from '#server/domain/membership/confirmations.ts';
import { type Member, type TestArchive, type Visitor, openArchive } from '#server/testing/archive.ts';
import { linkEntry } from '#server/domain/roster/links.ts';
import { addEntry, addEntryOf, confirmMember, enterConfirmedMode } from '#server/testing/membership.ts';
import { makeStaff } from '#server/testing/staff.ts';
import { callStaffEndpoint, outcomeOf } from '#server/testing/staff-callers.ts';
import {
  type StaffEndpointName,
  type StaffTarget,
  staffCalls,
  staffEndpointNames,
  unknownTarget,
} from '#server/testing/staff-inputs.ts';

/*
 * Staff with a limited role get nothing about people outside their scope. Each group of people has unusual names, texts
 * and roster values. The tests call every endpoint of the staff console about every group, and search all responses for
 * the words of groups outside the scope.
 */

interface Group {
  readonly target: StaffTarget;
  readonly claimant: Member;
  readonly confirmed: Member;
  readonly words: readonly string[];
}

interface Caller {
  readonly visitor: Visitor;
  readonly outside: readonly Group[];
}

const birthDates = ['1931-07-01', '1931-07-02', '1931-07-03', '1931-07-04'] as const;

let archive: TestArchive;
let owner: Visitor;
let inside: Group;
const callers = {} as Record<'registrar' | 'moderator' | 'class-representative', Caller>;

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  Object.assign(archive.context.institution, { allowsInvitations: true, tracerReport: true });
  await enterConfirmedMode(archive);
  owner = await archive.signUpVerified();
  await makeStaff(archive, owner, 'owner');
  inside = await createGroup('Uvamund', { college: 'COSIT', department: 'Computer Science', yearGraduated: 2015 }, 0);
  const sameCollege = [
    await createGroup('Ewabrix', { college: 'COSIT', department: 'Computer Science', yearGraduated: 2011 }, 1),
    await createGroup('Izotarn', { college: 'COSIT', department: 'Physics', yearGraduated: 2015 }, 2),
  ];
  const elsewhere = await createGroup('Oquelph', { college: 'COHUM', department: 'English', yearGraduated: 2015 }, 3);
  await connect(elsewhere);
  const rows = [inside, ...sameCollege, elsewhere].map(({ target: { college, department, year }, words: [word] }) => ({
    college,
    department,
    year,
    program: `${word} program`,
  }));
  await archive.pool.query(`insert into tracer_snapshots (month, rows, counts_roster) values ('2020-01', $1, true)`, [
    JSON.stringify(rows),
  ]);
  const createStaff = async (...[role, scope]: [Parameters<typeof makeStaff>[2], Parameters<typeof makeStaff>[3]]) => {
    const visitor = await archive.signUpVerified();
    await makeStaff(archive, visitor, role, scope);
    return visitor;
  };
  for (const role of ['registrar', 'moderator'] as const)
    callers[role] = { visitor: await createStaff(role, { college: 'COSIT' }), outside: [elsewhere] };
  callers['class-representative'] = {
    visitor: await createStaff('class-representative', {
      department: 'Computer Science',
      yearFrom: 2015,
      yearTo: 2015,
    }),
    outside: [...sameCollege, elsewhere],
  };
  archive.context.listCache.clear();
});
afterAll(() => archive.close());

const insert = async (statement: string, values: readonly unknown[]): Promise<string> => {
  const { rows } = await archive.pool.query<{ id: string }>(`${statement} returning id`, [...values]);
  return rows[0]?.id ?? '';
};

async function createGroup(
  word: string,
  study: { college: string; department: string; yearGraduated: number },
  at: number,
): Promise<Group> {
  const create = (part: string) =>
    archive.createMember({
      ...study,
      yearAdmitted: study.yearGraduated - 4,
      firstName: `${word}first`,
      middleName: `${word}middle`,
      lastName: `${word}${part}`,
    });
  const [claimant, disputing, confirmed] = [
    await create('claims'),
    await create('disputes'),
    await create('confirmed'),
  ];
  const people = [claimant, disputing, confirmed];
  const plant = (part: string) => ({
    other_names: `${word}other${part}`,
    phone: `+234 ${word} ${part}`,
    email: `${word}${part}@roster.example`.toLowerCase(),
    birth_date: birthDates[at] ?? '',
    college: study.college,
  });
  const entryId = await addEntryOf(archive, claimant, plant('a'));
  const held = await addEntryOf(archive, confirmed, plant('b'));
  await confirmMember(archive, confirmed);
  const { academic, dob } = claimant.document;
  await claimant.device.call('POST /api/membership/claims', {
    body: { matricNumber: academic.matricNumber, dob, note: `${word} note` },
  });
  const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [
    claimant.uid,
  ]);
  const claim = rows[0]?.id ?? '';
  await archive.context.db
    .transaction()
    .execute((tx) => openDispute(tx, { entryId: held, holderId: confirmed.uid, claimantId: disputing.uid }));
  const dispute = await archive.pool.query<{ id: string }>('select id from disputes where holder_id = $1', [
    confirmed.uid,
  ]);
  const report = await insert(
    `insert into reports (kind, subject_id, reporter_id, reason, text, department) values ('profile', $1, $2, 'other', $3, $4)`,
    [confirmed.uid, disputing.uid, `${word} report`, study.department],
  );
  const death = await insert(
    `insert into reports (kind, subject_id, reporter_id, reason, text, department, year_graduated)
     values ('profile', $1, $2, 'deceased', $3, $4, $5)`,
    [claimant.uid, disputing.uid, `${word} obituary`, study.department, study.yearGraduated],
  );
  const correction = await insert(
    `insert into corrections (entry_id, reason, college, scope_department, text, proposed_by) values ($1, 'wrong-class', $2, $3, $4, $5)`,
    [held, study.college, study.department, `${word} correction`, owner.uid],
  );
  const change = await insert(
    `insert into identity_changes (account_id, last_name, first_name, scope_department) values ($1, $2, $3, $4)`,
    [confirmed.uid, `${word}wanted`, `${word}first`, study.department],
  );
  const decision = await insert(
    `insert into review_decisions (kind, item_id, about, decision, version, decided_by, undo_until)
     values ('report', $1, $2, '{"outcome": "nothing"}', '1', $3, now() + interval '1 hour')`,
    [report, confirmed.uid, owner.uid],
  );
  await insert(`insert into review_notes (kind, item_id, about, author_id, text) values ('claim', $1, $2, $3, $4)`, [
    claim,
    claimant.uid,
    owner.uid,
    `${word} office`,
  ]);
  const announcement = await insert(
    `insert into announcements (created_by, subject, text, college) values ($1, $2, $3, $4)`,
    [owner.uid, `${word} subject`, `${word} text`, study.college],
  );
  return {
    claimant,
    confirmed,
    target: {
      ...unknownTarget,
      person: claimant.uid,
      claim,
      dispute: dispute.rows[0]?.id ?? '',
      report,
      death,
      correction,
      change,
      decision,
      announcement,
      entryId,
      words: `${word}claims`,
      college: study.college,
      department: study.department,
      year: study.yearGraduated,
    },
    words: [
      word.toLowerCase(),
      ...people.flatMap(({ uid, email, document }) => [uid, email, document.academic.matricNumber.toLowerCase()]),
    ],
  };
}

async function connect({ target: { college, department, year }, words: [word = ''] }: Group): Promise<void> {
  const holder = await archive.createMember({ college, department, yearGraduated: year, lastName: `${word}holder` });
  await linkEntry(archive.context.db, inside.target.entryId, holder.uid);
  await confirmMember(archive, holder);
  const { name, academic } = inside.claimant.document;
  await addEntry(archive, {
    matric_number: academic.matricNumber.replace(/\d/u, (digit) => String((Number(digit) + 1) % 10)),
    last_name: name.last,
    first_name: name.first,
    other_names: `${word} similar`,
    birth_date: birthDates[3],
    college,
    department,
    year_graduated: year,
  });
  await archive.pool.query('update reports set reporter_id = $1 where id = $2', [holder.uid, inside.target.report]);
}

function expectSilent(name: string, body: string, groups: readonly Group[]): void {
  const text = body.toLowerCase();
  for (const word of [...groups.flatMap(({ words }) => words), ...birthDates])
    if (text.includes(word)) expect(`${name}: ${body}`).not.toContain(word);
}

const endpointsOf = (kind: 'GET' | 'other'): StaffEndpointName[] =>
  staffEndpointNames.filter((name) => name.startsWith('GET ') === (kind === 'GET'));

test('owners can read what these tests request', async () => {
  for (const { target } of [inside, ...callers['class-representative'].outside])
    for (const name of endpointsOf('GET')) {
      if (staffCalls[name].outside !== 'hidden' || name === 'GET /api/staff/exports/{id}/file') continue;
      const outcomes = (await callStaffEndpoint(owner.device, name, target)).map(outcomeOf);
      expect([name, target.words, outcomes]).toEqual([name, target.words, outcomes.map(() => '200')]);
    }
});

test.each(['registrar', 'moderator', 'class-representative'] as const)(
  'a %s with a limited role reads nothing about anyone outside the scope, and changes nothing there',
  async (role) => {
    const { visitor, outside } = callers[role];
    let calls = 0;
    for (const name of [...endpointsOf('GET'), ...endpointsOf('other')])
      for (const group of [...(name.startsWith('GET ') ? [inside] : []), ...outside])
        for (const response of await callStaffEndpoint(visitor.device, name, group.target)) {
          const outcome = outcomeOf(response);
          expectSilent(`${role} ${name}`, response.body, outside);
          if (group === inside || outcome === 'permission-denied' || staffCalls[name].outside !== 'hidden') continue;
          expect([name, outcome]).toEqual([name, 'not-found']);
          calls++;
        }
    if (role !== 'class-representative') expect(calls).toBeGreaterThan(15);
  },
);

test('a limited role reads about people in its scope, and its export contains only them', async () => {
  const { visitor, outside } = callers.registrar;
  const read = async (path: string) => (await visitor.device.fetch('GET', path)).body.toLowerCase();
  const [word = ''] = inside.words;
  expect(await read('/api/staff/queue')).toContain(`${word}claims`);
  expect(await read(`/api/staff/people?q=${word}claims`)).toContain(inside.claimant.uid);
  expect(await read('/api/staff/tracer/file')).toContain(`${word} program`);
  const claim = await visitor.device.call('GET /api/staff/claims/{id}', { params: { id: inside.target.claim } });
  expect(claim.candidates.find(({ entry }) => entry.id === inside.target.entryId)?.heldBy).toMatchObject({
    account: null,
  });
  expect(claim.candidates.map(({ entry }) => entry.college)).not.toContain('COHUM');
  const report = await callers.moderator.visitor.device.call('GET /api/staff/reports/{id}', {
    params: { id: inside.target.report },
  });
  expect(report.reports).toMatchObject([{ by: 'member', reporter: null }]);
  const readReport = (id: string) => visitor.device.ask('GET /api/staff/reports/{id}', { params: { id } });
  expect((await readReport(inside.target.death)).json()).toMatchObject({ outcomes: ['nothing', 'hide'] });
  expect(outcomeOf(await readReport(inside.target.report))).toBe('not-found');
  const { id } = await visitor.device.call('POST /api/staff/exports', {
    body: { filter: {}, columns: ['last-name', 'email'] },
  });
  await archive.runJobs();
  const file = await read(`/api/staff/exports/${id}/file`);
  expect(file).toContain(inside.confirmed.email);
  expectSilent('export', file, outside);
});
