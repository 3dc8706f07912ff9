import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ProfileDocument } from '#contract/profile.ts';
import { toForm } from '#contract/profile.ts';
import type { ReviewDecision } from '#contract/staff/review.ts';
import { importPerson } from '#server/domain/people/import-person.ts';
import { removeConfirmation } from '#server/domain/membership/membership-mode.ts';
import { confirmAccount, openDispute } from '#server/domain/membership/confirmations.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntryOf, confirmMember, enterConfirmedMode, printCode } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';
import { recordTransaction } from '#server/testing/statements.ts';
import { confirmClaim, rejectClaim, resolveDispute } from './staff-decisions.ts';

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

test('the mailbox of an impostor confirms no next account, whatever the first one claimed', async () => {
  const { document } = await archive.createMember({}, { dob: '1992-05-17' });
  const email = 'reused-campus@mail.example';
  await addEntryOf(archive, { document } as Member, { email });
  const createThief = async () => {
    const thief = await archive.signUpVerified(email);
    await thief.device.call('PUT /api/users/{id}', { params: { id: thief.uid }, body: document });
    return thief;
  };
  const claim = ({ device }: Pick<Member, 'device'>, matricNumber: string, dob = document.dob) =>
    device.call('POST /api/membership/claims', { body: { matricNumber, dob } });
  const first = await createThief();
  await claim(first, 'OTHER/1', '1990-02-03');
  const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [first.uid]);
  const decision = { reason: 'No.', isImpostor: true, decidedBy: null };
  await archive.context.db.transaction().execute((tx) => rejectClaim(tx, rows[0]?.id ?? '', decision));
  await first.device.call('DELETE /api/identity/account');
  expect(await claim(await createThief(), document.academic.matricNumber)).toEqual({ status: 'waiting' });
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

describe('an impostor who was confirmed by other evidence is no longer confirmed', () => {
  const standingOf = async ({ device, uid }: Member) => {
    const { membership } = await device.call('GET /api/staff/people/{id}', { params: { id: uid } });
    return membership;
  };
  const decide = async (kind: 'claim' | 'dispute', id: string, decision: ReviewDecision) => {
    const registrar = await createStaff(archive, 'registrar');
    const params = { kind, id };
    const { item } = await registrar.device.call('GET /api/staff/queue/{kind}/{id}', { params });
    await registrar.device.call('POST /api/staff/queue/{kind}/{id}/decision', {
      params,
      body: { decision, version: item.version },
    });
    await archive.advanceTime('31 seconds');
    await archive.runJobs();
    return registrar;
  };
  const latest = async (table: 'claims' | 'disputes', column: string, uid: string) =>
    (await archive.pool.query<{ id: string }>(`select id from ${table} where ${column} = $1`, [uid])).rows[0]?.id ?? '';

  test('after the rejection of a claim with a found slip', async () => {
    const [victim, impostor] = [await archive.createMember(), await archive.createMember()];
    await confirmMember(archive, impostor, { kind: 'peer-vouch' });
    await useCode(impostor, await printCode(archive, await addEntryOf(archive, victim)));
    const decision = { outcome: 'reject', reason: 'The slip was found.', isImpostor: true } as const;
    const { device } = await decide('claim', await latest('claims', 'account_id', impostor.uid), decision);
    expect(await statusOf(impostor)).toBe('rejected');
    expect(await standingOf({ ...impostor, device })).toMatchObject({
      impostor: { since: expect.any(String) as string },
    });
    expect((await identitiesOf(impostor.uid)).every(({ isEnded }) => isEnded)).toBe(true);
  });

  test('after a lost dispute', async () => {
    const [holder, impostor] = [await archive.createMember(), await archive.createMember()];
    const entryId = await addEntryOf(archive, holder);
    await useCode(holder, await printCode(archive, entryId));
    await confirmMember(archive, impostor, { kind: 'peer-vouch' });
    await archive.context.db
      .transaction()
      .execute((tx) => openDispute(tx, { entryId, holderId: holder.uid, claimantId: impostor.uid }));
    await decide('dispute', await latest('disputes', 'claimant_id', impostor.uid), {
      outcome: 'keep',
      isImpostor: true,
    });
    expect(await statusOf(impostor)).toBe('rejected');
    expect(await statusOf(holder)).toBe('confirmed');
  });
});

test('vouches that were not enough do not keep a confirmation whose entry was lost', async () => {
  const [ada, rival] = [await archive.createMember(), await archive.createMember()];
  const entryId = await addEntryOf(archive, ada);
  const transact = archive.context.db.transaction();
  const rivalEntry = await addEntryOf(archive, rival);
  await useCode(rival, await printCode(archive, rivalEntry));
  // An open dispute: moderate evidence does not confirm.
  await transact.execute((tx) => openDispute(tx, { entryId: rivalEntry, holderId: rival.uid, claimantId: ada.uid }));
  await transact.execute(async (tx) =>
    confirmAccount(tx, archive.context, { accountId: ada.uid, entryId: null, kind: 'peer-vouch' }),
  );
  expect(await statusOf(ada)).toBe('unconfirmed');
  await useCode(ada, await printCode(archive, entryId));
  expect(await statusOf(ada)).toBe('confirmed');
  const dispute = await transact.execute((tx) => openDispute(tx, { entryId, holderId: ada.uid, claimantId: null }));
  await transact.execute((tx) =>
    resolveDispute(archive.context, tx, dispute ?? '', { outcome: 'transfer', isImpostor: false, decidedBy: null }),
  );
  expect(await statusOf(ada)).toBe('unconfirmed');
});

test('a member who loses an entry is not confirmed in its class by earlier evidence', async () => {
  const ada = await archive.createMember();
  await confirmMember(archive, ada);
  const entryId = await addEntryOf(archive, ada, { department: 'Law' });
  const transact = archive.context.db.transaction();
  await transact.execute((tx) =>
    confirmAccount(tx, archive.context, { accountId: ada.uid, entryId, kind: 'staff-review' }),
  );
  const dispute = await transact.execute((tx) => openDispute(tx, { entryId, holderId: ada.uid, claimantId: null }));
  await transact.execute((tx) =>
    resolveDispute(archive.context, tx, dispute ?? '', { outcome: 'transfer', isImpostor: false, decidedBy: null }),
  );
  expect(await statusOf(ada)).toBe('unconfirmed');
});

test('an import that makes an unconfirmed profile another person closes its claim', async () => {
  const ada = await archive.createMember();
  const { academic, dob, name } = ada.document;
  await ada.device.call('POST /api/membership/claims', { body: { matricNumber: academic.matricNumber, dob } });
  const importName = (firstName: string) =>
    importPerson(
      archive.context,
      {
        account: { email: ada.email, emailVerified: true, passwordHash: null },
        profile: { fields: { ...toForm(ada.document), firstName }, picture: null },
      },
      { existing: 'update' },
    );
  await importName(name.first.toUpperCase());
  expect(await ada.device.call('GET /api/membership')).toMatchObject({ isWaiting: true });
  await importName('Onyeka');
  expect(await ada.device.call('GET /api/membership')).toMatchObject({ isWaiting: false });
});

describe('a confirmed member saves', () => {
  const save = ({ device, uid, document }: Member, more: Partial<ProfileDocument>) =>
    device.call('PUT /api/users/{id}', { params: { id: uid }, body: { ...document, imgURL: null, ...more } });
  const documentOf = ({ device, uid }: Member) => device.call('GET /api/users/{id}/document', { params: { id: uid } });
  const decide = async (outcome: 'accept' | 'refuse', text = '') => {
    const registrar = await createStaff(archive, 'registrar');
    const { items } = await registrar.device.call('GET /api/staff/queue', { query: { kind: 'change' } });
    const item = items[0];
    if (!item) throw new Error('No change waits.');
    const params = { kind: 'change', id: item.id } as const;
    const detail = await registrar.device.call('GET /api/staff/changes/{id}', { params: { id: item.id } });
    await registrar.device.call('POST /api/staff/queue/{kind}/{id}/decision', {
      params,
      body: { version: detail.version, decision: { outcome, text } },
    });
    await archive.advanceTime('31 seconds');
    await archive.runJobs();
    return { item, detail, registrar };
  };
  const star = { first: 'Onyeka', middle: 'None', last: 'Famous', other: '' };
  const createConfirmed = async () => {
    const member = await archive.createMember({ yearAdmitted: 2002, yearGraduated: 2006 });
    const entryId = await addEntryOf(archive, member);
    await useCode(member, await printCode(archive, entryId));
    return { ...member, entryId };
  };

  test('another name and class, which wait for staff while everyone sees the confirmed ones', async () => {
    const [ada, ben] = [await createConfirmed(), await createConfirmed()];
    const { name, academic } = ada.document;
    const wanted = {
      ...academic,
      matricNumber: 'XX/99/1',
      department: 'Astrology',
      year: { admitted: 1995, graduated: 1999 },
    };
    await save(ada, { name: star, academic: wanted, bio: 'New bio' });
    const seen = await ben.device.call('GET /api/users/{id}', { params: { id: ada.uid }, query: {} });
    expect(seen.name).toMatchObject({ first: name.first, last: name.last });
    expect(seen.academic).toMatchObject({ department: academic.department, year: academic.year });
    expect(seen.bio).toBe('New bio');
    const { profile, waiting } = await documentOf(ada);
    expect(profile.academic).toMatchObject({ matricNumber: academic.matricNumber, college: academic.college });
    expect(waiting).toEqual(['Onyeka Famous', 'XX/99/1', 'Astrology', '1999']);
    const { items } = await ben.device.call('GET /api/users', { query: { department: 'Astrology' } });
    expect(items).toEqual([]);
    // The form contains the confirmed values. Saving another field keeps the change.
    await save(ada, { bio: 'Newer bio' });
    expect((await documentOf(ada)).waiting).toEqual(waiting);

    const { detail, registrar } = await decide('accept');
    expect(detail).toMatchObject({
      confirmed: { firstName: name.first, lastName: name.last, department: academic.department },
      wanted: { firstName: 'Onyeka', lastName: 'Famous', department: 'Astrology', yearGraduated: 1999 },
      entry: { id: ada.entryId },
    });
    expect(await documentOf(ada)).toMatchObject({
      waiting: null,
      profile: { name: { first: 'Onyeka', last: 'Famous' }, academic: { department: 'Astrology' }, bio: 'Newer bio' },
    });
    expect(await identitiesOf(ada.uid)).toMatchObject([
      { lastName: name.last, isEnded: true },
      { lastName: 'Famous', department: 'Astrology', kind: 'printed-code', entryId: ada.entryId, isEnded: false },
    ]);
    const { rows } = await archive.pool.query(
      `select action, actor from audit_records where subject = $1 order by id`,
      [detail.id],
    );
    expect(rows).toEqual([
      { action: 'change-read', actor: registrar.uid },
      { action: 'change-accepted', actor: registrar.uid },
    ]);
    await archive.inbox.next(ada.email, 'Your profile was changed');
  });

  test('the matric number of someone else, which waits also if the linked entry has the name and class', async () => {
    const [ada, ben] = [await createConfirmed(), await createConfirmed()];
    const { academic } = ada.document;
    const { matricNumber } = ben.document.academic;
    await save(ada, { academic: { ...academic, matricNumber } });
    expect(await documentOf(ada)).toMatchObject({
      waiting: [matricNumber],
      profile: { academic: { matricNumber: academic.matricNumber } },
    });
    await decide('refuse', 'This is not your number.');
  });

  test('another name that staff refuse, and reads why', async () => {
    const ada = await createConfirmed();
    await save(ada, { name: star });
    await decide('refuse', 'Bring a document.');
    const { profile, waiting } = await documentOf(ada);
    expect([profile.name.last, waiting]).toEqual([ada.document.name.last, null]);
    const { text } = await archive.inbox.next(ada.email, 'Your profile was not changed');
    expect(text).toContain('Bring a document.');
  });

  test('what agrees, or is not part of the confirmation, at once', async () => {
    const ada = await createConfirmed();
    const { name, academic } = ada.document;
    const same = { first: name.last.toUpperCase(), middle: 'Newmiddle', last: name.first, other: 'Bridename' };
    await save(ada, { name: same, academic: { ...academic, matricNumber: ` ${academic.matricNumber.toLowerCase()}` } });
    expect(await documentOf(ada)).toMatchObject({ waiting: null, profile: { name: same } });
  });

  test('no other college than that of the department, so that no one chooses the staff who are responsible', async () => {
    const physics = { college: 'COHUM', department: 'Physics', yearAdmitted: 2002, yearGraduated: 2006 };
    const ada = await archive.createMember(physics);
    await useCode(ada, await printCode(archive, await addEntryOf(archive, ada)));
    const ben = await archive.createMember(physics);
    await confirmMember(archive, ben);
    for (const member of [ada, ben]) {
      await save(member, { academic: { ...member.document.academic, college: 'COVTED' } });
      expect(await documentOf(member)).toMatchObject({ waiting: null, profile: { academic: { college: 'COSIT' } } });
    }
  });

  test('what the linked entry says since the registrar corrected it, at once', async () => {
    const ada = await createConfirmed();
    await save(ada, { name: star });
    await archive.pool.query(`update roster_entries set last_name = 'FAMOUS', first_name = 'Onyeka' where id = $1`, [
      ada.entryId,
    ]);
    await save(ada, { name: star });
    expect(await documentOf(ada)).toMatchObject({ waiting: null, profile: { name: { last: 'Famous' } } });
    expect((await identitiesOf(ada.uid)).at(-1)).toMatchObject({ lastName: 'Famous', isEnded: false });
  });

  test('another name in one transaction of four statements, whether it waits, waits already or is that of the entry', async () => {
    const ada = await createConfirmed();
    const saves = [
      await recordTransaction(() => save(ada, { name: star })),
      await recordTransaction(() => save(ada, { name: { ...star, first: 'Onyekachi', middle: 'Ngozi' } })),
    ];
    expect((await documentOf(ada)).waiting).toEqual(['Onyekachi Famous']);
    await archive.pool.query(`update roster_entries set last_name = 'FAMOUS', first_name = 'Onyeka' where id = $1`, [
      ada.entryId,
    ]);
    saves.push(await recordTransaction(() => save(ada, { name: star })));
    expect((await documentOf(ada)).waiting).toBeNull();
    for (const statements of saves) {
      expect(statements.at(-1)).toContain('insert into profiles');
      expect(statements).toHaveLength(4);
    }
  });

  test('what the linked entry says while a dispute about it is open, which waits like other changes', async () => {
    const ada = await createConfirmed();
    await archive.pool.query(`update roster_entries set last_name = 'FAMOUS', first_name = 'Onyeka' where id = $1`, [
      ada.entryId,
    ]);
    await archive.pool.query('insert into disputes (entry_id, holder_id) values ($1, $2)', [ada.entryId, ada.uid]);
    await save(ada, { name: star });
    expect(await documentOf(ada)).toMatchObject({
      waiting: ['Onyeka Famous'],
      profile: { name: { last: ada.document.name.last } },
    });
  });

  test('another name freely after the confirmation is withdrawn', async () => {
    const ada = await createConfirmed();
    await save(ada, { name: star });
    await ada.device.call('DELETE /api/membership/evidence');
    expect((await documentOf(ada)).waiting).toBeNull();
    await save(ada, { name: star });
    expect((await documentOf(ada)).profile.name.last).toBe('Famous');
  });

  test('another name freely in the mode open, which waits when the archive requires confirmation again', async () => {
    const ada = await createConfirmed();
    await removeConfirmation(archive.context.db);
    await save(ada, { name: star });
    expect(await documentOf(ada)).toMatchObject({ waiting: null, profile: { name: { last: 'Famous' } } });
    await enterConfirmedMode(archive);
    expect(await documentOf(ada)).toMatchObject({
      waiting: ['Onyeka Famous'],
      profile: { name: { last: ada.document.name.last } },
    });
  });

  test('nothing else by an import that updates profiles', async () => {
    const ada = await createConfirmed();
    const { name, academic } = ada.document;
    const { warnings } = await importPerson(
      archive.context,
      {
        account: { id: ada.uid, email: ada.email, emailVerified: true, passwordHash: null },
        profile: { fields: { ...toForm(ada.document), firstName: 'Onyeka', lastName: 'Famous' }, picture: null },
      },
      { knownBy: 'id', existing: 'update' },
    );
    expect(warnings.join()).toContain('waits for the alumni office');
    expect(await documentOf(ada)).toMatchObject({
      waiting: ['Onyeka Famous'],
      profile: { name: { last: name.last }, academic },
    });
  });
});
