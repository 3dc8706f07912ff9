import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { confirmAccount } from '../../domain/confirmations.ts';
import { type Member, type TestArchive, openArchive } from '../../testing/archive.ts';
import { addEntryOf, enterConfirmedMode, printCode } from '../../testing/membership.ts';
import { createStaff } from '../../testing/staff.ts';
import { confirmClaim } from './staff-decisions.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

const identitiesOf = async (uid: string) => {
  const { rows } = await archive.pool.query<Record<string, unknown>>(
    `select i.first_name as "firstName", i.last_name as "lastName", i.department, i.year_graduated as "yearGraduated",
       i.matric_number as "matricNumber", i.entry_id::int as "entryId", i.seen, e.kind, i.ended_at is not null as "isEnded"
     from confirmed_identities i left join evidence e on e.id = i.evidence_id where i.account_id = $1 order by i.confirmed_at`,
    [uid],
  );
  return rows;
};

test('a confirmation records who it is about, with the entry and the evidence, until it is withdrawn', async () => {
  const ada = await archive.createMember();
  const entryId = await addEntryOf(archive, ada);
  await ada.device.call('POST /api/membership/codes', { body: { code: await printCode(archive, entryId) } });
  const { name, academic } = ada.document;
  const identity = {
    firstName: name.first,
    lastName: name.last,
    department: academic.department,
    yearGraduated: academic.year.graduated,
    matricNumber: academic.matricNumber,
    entryId,
    seen: [],
    kind: 'printed-code',
  };
  expect(await identitiesOf(ada.uid)).toEqual([{ ...identity, isEnded: false }]);
  await ada.device.call('DELETE /api/membership/evidence');
  expect(await identitiesOf(ada.uid)).toEqual([{ ...identity, isEnded: true }]);
});

test('a confirmation by vouches records what the vouchers saw', async () => {
  const ben = await archive.createMember();
  const seen = [{ firstName: 'Ben', lastName: 'Okafor', department: 'Law', yearGraduated: 2010 }];
  await archive.context.db
    .transaction()
    .execute((tx) =>
      confirmAccount(tx, archive.context, { accountId: ben.uid, entryId: null, kind: 'peer-vouch', seen }),
    );
  expect(await identitiesOf(ben.uid)).toMatchObject([{ entryId: null, seen, kind: 'peer-vouch', isEnded: false }]);
});

const useCode = ({ device }: Member, code: string) => device.call('POST /api/membership/codes', { body: { code } });
const statusOf = async ({ device }: Member) => (await device.call('GET /api/membership')).status;

test('a printed code confirms no one under another name or class, and staff see the code and its entry', async () => {
  const registrar = await createStaff(archive, 'registrar');
  for (const values of [
    { last_name: 'Zubair' },
    { department: 'Physics' },
    { year_graduated: 2001 },
    { department: null },
  ]) {
    const finder = await archive.createMember();
    const entryId = await addEntryOf(archive, finder, values);
    expect(await useCode(finder, await printCode(archive, entryId))).toEqual({ status: 'waiting' });
    expect(await statusOf(finder)).toBe('unconfirmed');
    expect(await identitiesOf(finder.uid)).toEqual([]);
    const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [
      finder.uid,
    ]);
    const claim = await registrar.device.call('GET /api/staff/claims/{id}', { params: { id: rows[0]?.id ?? '' } });
    expect(claim.evidence).toMatchObject([{ kind: 'printed-code', isWithdrawn: false }]);
    expect(claim.candidates[0]?.entry.id).toBe(entryId);
  }
});

test('a mailed code and the address of an entry confirm no one under another name', async () => {
  const ada = await archive.createMember();
  await addEntryOf(archive, ada, { email: ada.email, first_name: 'Zubaida' });
  const { academic, dob } = ada.document;
  const body = { matricNumber: academic.matricNumber, dob };
  await ada.device.call('POST /api/membership/mailed-codes', { body });
  await archive.runJobs();
  const { text } = await archive.inbox.next(ada.email, 'Your code for the alumni archive');
  expect(await ada.device.call('POST /api/membership/claims', { body })).toEqual({ status: 'waiting' });
  expect(await useCode(ada, /studied here: (?<code>[\w -]+)/u.exec(text)?.groups?.['code'] ?? '')).toEqual({
    status: 'waiting',
  });
  expect(await statusOf(ada)).toBe('unconfirmed');
});

test('the entry sets matric number, class and years of the profile, and the member reads which changed', async () => {
  const [registrar, ada] = [
    await createStaff(archive, 'registrar'),
    await archive.createMember({ matricNumber: 'I forgot' }),
  ];
  const [{ colleges }, department] = [archive.context.institution, 'Mathematics'];
  const entryId = await addEntryOf(archive, ada, {
    matric_number: 'MTH/01/0007',
    department,
    year_admitted: 2001,
    year_graduated: 2005,
  });
  await useCode(ada, await printCode(archive, entryId));
  const claimId = (await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [ada.uid]))
    .rows[0]?.id;
  await archive.context.db
    .transaction()
    .execute((tx) =>
      confirmClaim(archive.context, tx, claimId ?? '', { entryId, seen: 'ID card', decidedBy: registrar.uid }),
    );
  archive.context.listCache.clear();
  const { academic } = await ada.device.call('GET /api/users/{id}', { params: { id: ada.uid }, query: {} });
  expect(academic).toMatchObject({
    matricNumber: 'MTH/01/0007',
    department,
    college: colleges.find(({ departments }) => departments.includes(department))?.code,
    year: { admitted: 2001, graduated: 2005 },
  });
  const { items } = await ada.device.call('GET /api/users', { query: { department } });
  expect(items.map(({ id }) => id)).toContain(ada.uid);
  expect(await identitiesOf(ada.uid)).toMatchObject([{ department, yearGraduated: 2005, matricNumber: 'MTH/01/0007' }]);
  await archive.runJobs();
  const { text } = await archive.inbox.next(ada.email, 'You are a confirmed member');
  expect(text).toContain('matric number, department, year of admission, year of graduation');
  expect(text).not.toContain('I forgot');
});

test('nothing confirms an impostor automatically, also after a withdrawal, until staff clear the record', async () => {
  const [registrar, ada] = [await createStaff(archive, 'registrar'), await archive.createMember()];
  const params = { id: ada.uid };
  const entryId = await addEntryOf(archive, ada);
  await useCode(ada, await printCode(archive, entryId));
  await registrar.device.call('POST /api/staff/people/{id}/confirmation-withdrawal', {
    params,
    body: { reason: 'The slip is stolen.', isImpostor: true },
  });
  const { membership } = await registrar.device.call('GET /api/staff/people/{id}', { params });
  expect(membership?.impostor).toEqual({
    since: expect.any(String) as string,
    decidedBy: expect.any(String) as string,
  });

  expect(await useCode(ada, await printCode(archive, entryId))).toEqual({ status: 'waiting' });
  await ada.device.call('DELETE /api/membership/evidence');
  await ada.device.call('DELETE /api/membership/claims');
  expect(await useCode(ada, await printCode(archive, entryId))).toEqual({ status: 'waiting' });
  const outcome = await archive.context.db
    .transaction()
    .execute((tx) => confirmAccount(tx, archive.context, { accountId: ada.uid, entryId: null, kind: 'peer-vouch' }));
  expect(outcome).toBe('disputed');
  await expect(
    archive.context.db
      .transaction()
      .execute((tx) => confirmAccount(tx, archive.context, { accountId: ada.uid, entryId, kind: 'staff-review' })),
  ).rejects.toThrow('recorded as an impostor');

  await registrar.device.call('POST /api/staff/people/{id}/impostor-clearance', {
    params,
    body: { reason: 'saw-person' },
  });
  const { rows } = await archive.pool.query(
    'select action, details from audit_records where subject = $1 order by id',
    [ada.uid],
  );
  expect(rows.at(-1)).toEqual({ action: 'impostor-cleared', details: { reason: 'saw-person' } });
  expect(await useCode(ada, await printCode(archive, entryId))).toEqual({ status: 'confirmed' });
});
