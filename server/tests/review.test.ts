import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { ReviewDecision } from '#contract/staff/review.ts';
import type { ReviewKind } from '#contract/staff/values.ts';
import { openClaim } from '#server/domain/membership/claims.ts';
import { openDispute } from '#server/domain/membership/confirmations.ts';
import { allReviewables } from '#server/app/staff.ts';
import { reviewSchedules, waitingMailsJob } from '#server/features/review/jobs.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { passAuditTime, refuseAuditRecords } from '#server/testing/audit-records.ts';
import { addEntry, addEntryOf, enterConfirmedMode, printCode } from '#server/testing/membership.ts';
import { createStaff, makeStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
let ngozi: Member;
let tunde: Member;
let limited: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
  ngozi = await createStaff(archive, 'registrar');
  tunde = await createStaff(archive, 'registrar');
  limited = await createStaff(archive, 'registrar', { college: 'COSIT' });
});
beforeEach(async () => {
  await archive.pool.query(
    'delete from disputes; delete from claims; delete from evidence; delete from roster_links; delete from roster_entries',
  );
  await archive.pool.query('update sessions set authenticated_at = now()');
});
afterAll(() => archive.close());

const inCosit = { college: 'COSIT', department: 'Physics' };
const inCohum = { college: 'COHUM', department: 'English' };

async function createClaim(
  person: { college: string; department: string; firstName?: string; lastName?: string } = inCosit,
) {
  const member = await archive.createMember(person);
  const entryId = await addEntryOf(archive, member, { birth_date: '1950-01-01', college: person.college });
  await submit(member);
  const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [
    member.uid,
  ]);
  return { member, entryId, id: rows[0]?.id ?? '' };
}

const submit = ({ device, document }: Member, dob = document.dob, note = '') =>
  device.call('POST /api/membership/claims', {
    body: { matricNumber: document.academic.matricNumber, dob, note },
  });

const findQueue = (
  { device }: Member,
  query: { kind?: ReviewKind; name?: string; department?: string; after?: string; limit?: number } = {},
) => device.call('GET /api/staff/queue', { query });
const params = (id: string, kind: ReviewKind = 'claim') => ({ params: { kind, id } });
const findItem = ({ device }: Member, id: string, kind: ReviewKind = 'claim') =>
  device.call('GET /api/staff/queue/{kind}/{id}', params(id, kind));
async function decide(staff: Member, id: string, decision: ReviewDecision, kind: ReviewKind = 'claim') {
  const { item } = await findItem(staff, id, kind);
  return staff.device.call('POST /api/staff/queue/{kind}/{id}/decision', {
    ...params(id, kind),
    body: { decision, version: item.version },
  });
}
const reject = { outcome: 'reject', reason: 'We found no student with this name.' } as const;
const confirm = (entryId: number | null) => ({ outcome: 'confirm', entryId, seen: 'Passport' }) as const;

async function passUndoTime(): Promise<void> {
  await archive.advanceTime('31 seconds');
  await archive.runJobs();
}
const statusOf = async ({ device }: Member) => (await device.call('GET /api/membership')).status;
const findRecords = async (id: string) => {
  const { rows } = await archive.pool.query(
    `select action, actor, details from audit_records where subject = $1 and action not like '%-read' order by id`,
    [id],
  );
  return rows as unknown[];
};

test('the queue is filtered by department and by the beginnings of names, within the scope of staff', async () => {
  const physicist = await createClaim({ ...inCosit, firstName: 'Ọlábísí', lastName: 'Filtersby' });
  const linguist = await createClaim({ ...inCohum, firstName: 'Olabisi', lastName: 'Other' });
  const idsOf = async (staff: Member, query: { name?: string; department?: string }) =>
    (await findQueue(staff, query)).items.map(({ id }) => id);
  expect(await idsOf(ngozi, { department: 'Physics' })).toEqual([physicist.id]);
  expect(await idsOf(ngozi, { name: 'olabi' })).toEqual([physicist.id, linguist.id]);
  expect(await idsOf(ngozi, { name: 'OLABISI filt' })).toEqual([physicist.id]);
  expect(await idsOf(ngozi, { name: 'olabisi', department: 'English' })).toEqual([linguist.id]);
  expect(await idsOf(limited, { name: 'olabisi' })).toEqual([physicist.id]);
  expect(await idsOf(limited, { department: 'English' })).toEqual([]);
  for (const name of ['filter by', "' | '", '%'] as const) expect(await idsOf(ngozi, { name })).toEqual([]);
  const page = await findQueue(ngozi, { name: 'olabisi', limit: 1 });
  const after = page.next ?? '';
  expect((await findQueue(ngozi, { name: 'olabisi', limit: 1, after })).items).toMatchObject([{ id: linguist.id }]);
});

test('GET /api/staff/queue lists claims, the oldest first, in pages, with the counts of each kind', async () => {
  const claims = [await createClaim(), await createClaim(inCohum), await createClaim()];
  const ids: string[] = [];
  let next: string | undefined;
  for (;;) {
    const page = await findQueue(ngozi, { limit: 1, ...(next !== undefined && { after: next }) });
    ids.push(...page.items.map(({ id }) => id));
    if (page.next === null) break;
    next = page.next;
  }
  expect(ids).toEqual(claims.map(({ id }) => id));
  const { items, counts } = await findQueue(ngozi);
  expect(items.map(({ id }) => id)).toEqual(ids);
  expect(counts.slice(0, 2)).toEqual([
    { kind: 'claim', waiting: 3, hasMore: false, oldest: items[0]?.since },
    { kind: 'dispute', waiting: 0, hasMore: false, oldest: null },
  ]);
  const { matricNumber, year } = claims[2]?.member.document.academic ?? {};
  expect(items.at(-1)).toMatchObject({
    kind: 'claim',
    about: `${matricNumber} · Physics ${year?.graduated}`,
    name: expect.stringContaining(claims[2]?.member.document.name.last ?? '') as string,
    reason: 'not-found',
    noteCount: 0,
    lease: null,
    decision: null,
    failure: null,
  });
  expect((await findQueue(ngozi, { kind: 'dispute' })).items).toEqual([]);
});

test('GET /api/staff/queue lists only claims of people in scope, and is refused without a right', async () => {
  const [inside, outside] = [await createClaim(), await createClaim(inCohum)];
  const { items, counts } = await findQueue(limited);
  const ids = items.map(({ id }) => id);
  expect(ids).toEqual([inside.id]);
  expect(counts[0]?.waiting).toBe(1);
  const { item } = await findItem(ngozi, outside.id);
  const body = { decision: reject, version: item.version };
  expect([
    await limited.device.code('GET /api/staff/queue/{kind}/{id}', params(outside.id)),
    await limited.device.code('PUT /api/staff/queue/{kind}/{id}/lease', { ...params(outside.id), body: {} }),
    await limited.device.code('POST /api/staff/queue/{kind}/{id}/notes', {
      ...params(outside.id),
      body: { text: 'A' },
    }),
    await limited.device.code('POST /api/staff/queue/{kind}/{id}/decision', { ...params(outside.id), body }),
    await limited.device.code('GET /api/staff/claims/{id}', { params: { id: outside.id } }),
  ]).toEqual(Array<string>(5).fill('not-found'));
  expect(await inside.member.device.code('GET /api/staff/queue', { query: {} })).toBe('permission-denied');
});

test('PUT lease gives concurrent requests one lease, until the other member of staff takes over', async () => {
  const { id } = await createClaim();
  const leases = await Promise.all(
    [ngozi, tunde].map(({ device }) =>
      device.call('PUT /api/staff/queue/{kind}/{id}/lease', { ...params(id), body: {} }),
    ),
  );
  expect(leases.filter(({ isOwn }) => isOwn)).toHaveLength(1);
  expect(new Set(leases.map(({ by }) => by)).size).toBe(1);
  const [winner, other] = leases[0]?.isOwn ? [ngozi, tunde] : [tunde, ngozi];
  const { item } = await findItem(other, id);
  expect(item.lease).toMatchObject({ by: leases[0]?.by, isOwn: false });
  const problem = await other.device.problem('POST /api/staff/queue/{kind}/{id}/decision', {
    ...params(id),
    body: { decision: reject, version: item.version },
  });
  expect(problem).toMatchObject({
    code: 'review/leased',
    detail: expect.stringContaining('is reviewing this item') as string,
  });
  await other.device.call('PUT /api/staff/queue/{kind}/{id}/lease', { ...params(id), body: { takeOver: true } });
  expect((await findItem(winner, id)).item.lease).toMatchObject({ isOwn: false });
  await decide(other, id, reject);
});

test('a lease ends after 15 minutes, and when the member of staff ends it', async () => {
  const { id } = await createClaim();
  const lease = (staff: Member) =>
    staff.device.call('PUT /api/staff/queue/{kind}/{id}/lease', { ...params(id), body: {} });
  await lease(ngozi);
  await tunde.device.call('DELETE /api/staff/queue/{kind}/{id}/lease', params(id));
  expect((await lease(tunde)).isOwn).toBe(false);
  await ngozi.device.call('DELETE /api/staff/queue/{kind}/{id}/lease', params(id));
  expect((await lease(tunde)).isOwn).toBe(true);
  await archive.advanceTime('15 minutes 1 second');
  expect((await findItem(ngozi, id)).item.lease).toBe(null);
  expect((await lease(ngozi)).isOwn).toBe(true);
});

test('PUT lease refuses a decided item until the decision is undone', async () => {
  const { id } = await createClaim();
  const decision = await decide(ngozi, id, reject);
  const request = { ...params(id), body: {} };
  expect(await tunde.device.code('PUT /api/staff/queue/{kind}/{id}/lease', request)).toBe('review/decided');
  await ngozi.device.call('DELETE /api/staff/decisions/{id}', { params: { id: decision.id } });
  expect(await tunde.device.call('PUT /api/staff/queue/{kind}/{id}/lease', request)).toMatchObject({ isOwn: true });
});

test('notes are shown to other staff and in the data export of their author, and deleted with the account of the person', async () => {
  const { id, member } = await createClaim();
  const note = await ngozi.device.call('POST /api/staff/queue/{kind}/{id}/notes', {
    ...params(id),
    body: { text: 'Asked for the certificate.' },
  });
  expect(note).toMatchObject({ text: 'Asked for the certificate.', isOwn: true });
  expect(await findItem(tunde, id)).toMatchObject({ item: { noteCount: 1 }, notes: [{ ...note, isOwn: false }] });
  const exportOf = async ({ device, uid }: Member) => {
    const { rawPayload } = await device.ask('GET /api/users/{id}/export', { params: { id: uid } });
    return strFromU8(unzipSync(rawPayload)['account.json'] ?? new Uint8Array());
  };
  expect(await exportOf(ngozi)).toContain(note.text);
  expect(await exportOf(member)).not.toContain(note.text);
  await tunde.device.call('PUT /api/staff/queue/{kind}/{id}/lease', { ...params(id), body: {} });
  await decide(tunde, id, reject);
  await member.device.call('DELETE /api/identity/account');
  await archive.runJobs();
  const { rows } = await archive.pool.query(
    `select from review_notes union all select from review_leases where item_id = $1 union all
     select from review_decisions where item_id = $1`,
    [id],
  );
  expect(rows).toEqual([]);
});

test('a decision takes effect after 30 seconds, with one record in the audit log', async () => {
  const { id, member, entryId } = await createClaim();
  const { undoUntil } = await decide(ngozi, id, confirm(entryId));
  expect(new Date(undoUntil).getTime() - Date.now()).toBeGreaterThan(20_000);
  await archive.runJobs();
  expect(await statusOf(member)).toBe('unconfirmed');
  expect((await findItem(tunde, id)).item.decision).toMatchObject({ id: null, outcome: 'confirm', isOwn: false });
  expect(await findRecords(id)).toEqual([]);
  await passUndoTime();
  expect(await statusOf(member)).toBe('confirmed');
  expect(await findRecords(id)).toEqual([
    { action: 'claim-confirmed', actor: ngozi.uid, details: { outcome: 'confirmed', entry: entryId } },
  ]);
  expect((await findQueue(ngozi)).items).toEqual([]);
  const { rows } = await archive.pool.query('select decided_by from claims where id = $1', [id]);
  expect(rows).toEqual([{ decided_by: 'staff' }]);
});

test('a decision can be undone for 30 seconds, only by its author', async () => {
  const [first, second] = [await createClaim(), await createClaim()];
  const decision = await decide(ngozi, first.id, reject);
  expect(await tunde.device.code('DELETE /api/staff/decisions/{id}', { params: decision })).toBe('not-found');
  await ngozi.device.call('DELETE /api/staff/decisions/{id}', { params: { id: decision.id } });
  expect((await findItem(ngozi, first.id)).item.decision).toBe(null);
  const late = await decide(ngozi, second.id, reject);
  await archive.advanceTime('31 seconds');
  // The job has not run yet.
  expect(await ngozi.device.code('DELETE /api/staff/decisions/{id}', { params: { id: late.id } })).toBe(
    'review/decided',
  );
  await archive.runJobs();
  expect([await statusOf(first.member), await statusOf(second.member)]).toEqual(['unconfirmed', 'rejected']);
  expect([await findRecords(first.id), await findRecords(second.id)]).toMatchObject([
    [],
    [{ action: 'claim-rejected', details: { isImpostor: false } }],
  ]);
});

test('a second decision about the same item is refused, even at the same time', async () => {
  const [first, second] = [await createClaim(), await createClaim()];
  await decide(ngozi, first.id, reject);
  const again = async (staff: Member, id: string, version: string) =>
    (
      await staff.device.ask('POST /api/staff/queue/{kind}/{id}/decision', {
        ...params(id),
        body: { decision: reject, version },
      })
    ).statusCode;
  const { item } = await findItem(tunde, second.id);
  expect(await again(tunde, first.id, (await findItem(tunde, first.id)).item.version)).toBe(409);
  expect(
    (await Promise.all([ngozi, tunde].map(async (staff) => again(staff, second.id, item.version)))).toSorted(
      (a, b) => a - b,
    ),
  ).toEqual([200, 409]);
});

test('staff neither decide about themselves nor read what others note about them', async () => {
  const { id, member } = await createClaim();
  await makeStaff(archive, member, 'registrar');
  const note = { ...params(id), body: { text: 'The certificate looks forged.' } };
  await ngozi.device.call('POST /api/staff/queue/{kind}/{id}/notes', note);
  const { item, notes } = await findItem(member, id);
  expect(notes).toEqual([]);
  expect(await member.device.code('POST /api/staff/queue/{kind}/{id}/notes', note)).toBe('permission-denied');
  const problem = await member.device.problem('POST /api/staff/queue/{kind}/{id}/decision', {
    ...params(id),
    body: { decision: confirm(null), version: item.version },
  });
  expect(problem).toMatchObject({ code: 'permission-denied', detail: expect.stringContaining('about you') as string });
});

test('staff do not read how their own claim or dispute compares with the roster, or who would not vouch for them', async () => {
  const [holder, claimant] = [await createClaim(), await createClaim()];
  for (const { id } of [holder, claimant]) {
    await decide(ngozi, id, confirm(holder.entryId));
    await passUndoTime();
  }
  const { items } = await findQueue(ngozi, { kind: 'dispute' });
  const dispute = { params: { id: items.at(-1)?.id ?? '' } };
  for (const { member } of [holder, claimant]) {
    await makeStaff(archive, member, 'registrar');
    expect(await member.device.problem('GET /api/staff/disputes/{id}', dispute)).toMatchObject({
      code: 'permission-denied',
      detail: expect.stringContaining('about you') as string,
    });
  }
  const own = await createClaim();
  await makeStaff(archive, own.member, 'registrar');
  const { device, uid } = own.member;
  expect(await device.code('GET /api/staff/claims/{id}', { params: { id: own.id } })).toBe('permission-denied');
  await archive.pool.query(`insert into vouches (claimant_id, voucher_id, answer) values ($1, $2, 'no')`, [
    uid,
    holder.member.uid,
  ]);
  const readHistory = async (reader: Member) =>
    (await reader.device.call('GET /api/staff/people/{id}/membership-history', { params: { id: uid } })).events;
  expect((await readHistory(own.member)).filter(({ kind }) => kind === 'vouch')).toEqual([]);
  expect((await readHistory(ngozi)).filter(({ kind }) => kind === 'vouch')).toHaveLength(1);
});

test('neither party of a dispute decides it or reads what others note about it', async () => {
  const [holder, claimant] = [await createClaim(), await createClaim()];
  for (const { id } of [holder, claimant]) {
    await decide(ngozi, id, confirm(holder.entryId));
    await passUndoTime();
  }
  const { items } = await findQueue(ngozi, { kind: 'dispute' });
  const { id, version } = items.at(-1) ?? { id: '', version: '' };
  const note = { ...params(id, 'dispute'), body: { text: 'One certificate looks forged.' } };
  await ngozi.device.call('POST /api/staff/queue/{kind}/{id}/notes', note);
  for (const { member } of [holder, claimant]) {
    await makeStaff(archive, member, 'registrar');
    expect((await findItem(member, id, 'dispute')).notes).toEqual([]);
    expect(await member.device.code('POST /api/staff/queue/{kind}/{id}/notes', note)).toBe('permission-denied');
    const decision = { ...params(id, 'dispute'), body: { decision: { outcome: 'keep' }, version } } as const;
    expect(await member.device.code('POST /api/staff/queue/{kind}/{id}/decision', decision)).toBe('permission-denied');
  }
  expect((await findItem(ngozi, id, 'dispute')).notes).toHaveLength(1);
  await decide(ngozi, id, { outcome: 'keep' }, 'dispute');
  await passUndoTime();
});

test.each([
  // The code has set the number of the profile to that of the entry.
  { holds: 'who never had a claim', matricNumber: 'same', prepare: async () => undefined },
  // The claim has the number from before.
  {
    holds: 'whose claim was opened from the profile',
    matricNumber: 'differs',
    prepare: ({ uid }: Member) => archive.context.db.transaction().execute((tx) => openClaim(tx, uid, null)),
  },
])('a dispute compares what a holder hides, without showing it: a holder $holds', async ({ matricNumber, prepare }) => {
  const claimant = await createClaim();
  const { name, academic } = claimant.member.document;
  const holder = await archive.createMember({
    ...inCosit,
    firstName: name.first,
    lastName: name.last,
    yearAdmitted: academic.year.admitted,
    yearGraduated: academic.year.graduated,
  });
  await archive.pool.query('update roster_entries set gender = $2, program = $3 where id = $1', [
    claimant.entryId,
    holder.document.gender,
    holder.document.academic.program,
  ]);
  await prepare(holder);
  const { version: _, ...document } = holder.document;
  const visibility = {
    ...document.visibility,
    matricNumber: 'me',
    gender: 'me',
    program: 'me',
    yearAdmitted: 'me',
  } as const;
  await holder.device.call('PUT /api/users/{id}', {
    params: { id: holder.uid },
    body: { ...document, visibility, version: 'any' },
  });
  await holder.device.call('POST /api/membership/codes', {
    body: { code: await printCode(archive, claimant.entryId) },
  });
  await decide(ngozi, claimant.id, confirm(claimant.entryId));
  await passUndoTime();
  const { id = '' } = (await findQueue(ngozi, { kind: 'dispute' })).items.at(-1) ?? {};
  const dispute = await ngozi.device.call('GET /api/staff/disputes/{id}', { params: { id } });
  expect(dispute.holder).toMatchObject({
    account: { id: holder.uid },
    typed: { matricNumber: '', gender: '', program: '', yearAdmitted: 0, lastName: document.name.last },
    agreement: { matricNumber, gender: 'same', program: 'same', lastName: 'same', year: 'same' },
  });
  expect(dispute.claimant).toMatchObject({ typed: { matricNumber: claimant.member.document.academic.matricNumber } });
  await decide(ngozi, id, { outcome: 'keep' }, 'dispute');
  await passUndoTime();
});

test.each(['lastName', 'department'] as const)(
  'a dispute is not decided by what staff saw before the %s of a profile changed',
  async (field) => {
    const holder = await createClaim();
    const claimant = await archive.createMember(inCosit);
    await decide(ngozi, holder.id, confirm(holder.entryId));
    await passUndoTime();
    const parties = { entryId: holder.entryId, holderId: holder.member.uid, claimantId: claimant.uid };
    await archive.context.db.transaction().execute((tx) => openDispute(tx, parties));
    const { id = '', version = '' } = (await findQueue(ngozi, { kind: 'dispute' })).items.at(-1) ?? {};
    const { document } = claimant;
    await claimant.device.call('PUT /api/users/{id}', {
      params: { id: claimant.uid },
      body: {
        ...document,
        imgURL: null,
        ...(field === 'lastName'
          ? { name: { ...document.name, last: holder.member.document.name.last } }
          : { academic: { ...document.academic, department: 'Mathematics' } }),
      },
    });
    const decision = { ...params(id, 'dispute'), body: { decision: { outcome: 'transfer' }, version } } as const;
    expect(await ngozi.device.code('POST /api/staff/queue/{kind}/{id}/decision', decision)).toBe('review/changed');
    await decide(ngozi, id, { outcome: 'keep' }, 'dispute');
    await passUndoTime();
  },
);

test('a dispute about an entry outside the scope is decided by others, although both people are within it', async () => {
  const [holder, claimant] = [await createClaim(), await createClaim()];
  const entryId = await addEntryOf(archive, holder.member, { matric_number: 'ELSE/9', ...inCohum });
  for (const { id } of [holder, claimant]) {
    await decide(ngozi, id, confirm(entryId));
    await passUndoTime();
  }
  const { id = '' } = (await findQueue(ngozi, { kind: 'dispute' })).items.at(-1) ?? {};
  const read = ({ device }: Member) => device.call('GET /api/staff/disputes/{id}', { params: { id } });
  await expect(read(limited)).rejects.toThrow('not-found');
  expect(await read(ngozi)).toMatchObject({ entry: { id: entryId }, canDecide: true });
  const { item } = await findItem(ngozi, id, 'dispute');
  for (const outcome of ['keep', 'transfer'] as const) {
    const body = { decision: { outcome }, version: item.version };
    expect(
      await limited.device.code('POST /api/staff/queue/{kind}/{id}/decision', { ...params(id, 'dispute'), body }),
    ).toBe('not-found');
  }
  await decide(ngozi, id, { outcome: 'keep' }, 'dispute');
  await passUndoTime();
});

test('reading a claim or a dispute is one record of the audit log in 15 minutes, without a name', async () => {
  const { member, entryId, id } = await createClaim();
  const { rows: disputes } = await archive.pool.query<{ id: string }>(
    `insert into disputes (entry_id, holder_id, claimant_id) values ($1, $2, $3) returning id`,
    [entryId, member.uid, (await archive.createMember(inCosit)).uid],
  );
  const disputeId = disputes[0]?.id ?? '';
  const readClaim = ({ device }: Member) => device.call('GET /api/staff/claims/{id}', { params: { id } });
  await Promise.all([readClaim(ngozi), readClaim(ngozi), readClaim(ngozi)]);
  await readClaim(tunde);
  for (let time = 0; time < 2; time++)
    await ngozi.device.call('GET /api/staff/disputes/{id}', { params: { id: disputeId } });
  await findItem(tunde, disputeId, 'dispute');
  const findReads = async () =>
    (
      await archive.pool.query<{ action: string }>(
        `select action, actor, subject, details from audit_records where subject in ($1, $2) order by id`,
        [id, disputeId],
      )
    ).rows;
  const reads = [
    { action: 'claim-read', actor: ngozi.uid, subject: id, details: {} },
    { action: 'claim-read', actor: tunde.uid, subject: id, details: {} },
    { action: 'dispute-read', actor: ngozi.uid, subject: disputeId, details: {} },
    { action: 'dispute-read', actor: tunde.uid, subject: disputeId, details: {} },
  ];
  expect(await findReads()).toEqual(reads);
  await passAuditTime(archive, '16 minutes');
  await readClaim(ngozi);
  expect(await findReads()).toEqual([...reads, reads[0]]);
});

test('a claim is not shown if the read cannot be recorded', async () => {
  const { id, member } = await createClaim();
  await refuseAuditRecords(archive, true);
  const response = await ngozi.device.ask('GET /api/staff/claims/{id}', { params: { id } });
  await refuseAuditRecords(archive, false);
  expect(response.statusCode).toBe(500);
  expect(response.body).not.toContain(member.document.name.last);
});

test('the table of each kind of item deletes what staff have stored about a deleted item', async () => {
  const { rows } = await archive.pool.query<{ kind: string }>(
    `select convert_from(rtrim(tgargs, '\\x00'), 'utf8') as kind from pg_trigger where tgfoid = 'forget_review_item'::regproc`,
  );
  expect(rows.map(({ kind }) => kind)).toEqual(expect.arrayContaining(Object.keys(allReviewables)));
});

test('a claim that changes after the decision returns to the queue with the reason', async () => {
  const { id, member, entryId } = await createClaim();
  const { item } = await findItem(ngozi, id);
  await decide(ngozi, id, confirm(entryId));
  await submit(member, '1960-02-03');
  await passUndoTime();
  expect(await statusOf(member)).toBe('unconfirmed');
  const { item: returned } = await findItem(ngozi, id);
  expect(returned).toMatchObject({
    decision: null,
    failure: 'The item changed after the decision. Read it again, then decide.',
  });
  expect(await findRecords(id)).toEqual([]);
  const decideAs = (version: string) =>
    ngozi.device.ask('POST /api/staff/queue/{kind}/{id}/decision', {
      ...params(id),
      body: { decision: confirm(entryId), version },
    });
  expect((await decideAs(item.version)).json()).toMatchObject({ code: 'review/changed' });
  expect((await decideAs(returned.version)).statusCode).toBe(200);
  await passUndoTime();
  expect(await statusOf(member)).toBe('confirmed');
});

test('a claim for an entry that another account holds by strong evidence becomes a dispute, which staff decide', async () => {
  const { id, member, entryId } = await createClaim();
  const holder = await createClaim();
  await decide(ngozi, holder.id, confirm(entryId));
  await passUndoTime();
  await decide(ngozi, id, confirm(entryId));
  await passUndoTime();
  expect(await findRecords(id)).toMatchObject([{ action: 'claim-confirmed', details: { outcome: 'disputed' } }]);
  expect(await ngozi.device.code('GET /api/staff/queue/{kind}/{id}', params(id))).toBe('not-found');
  const { items } = await findQueue(ngozi, { kind: 'dispute' });
  expect(items).toMatchObject([{ kind: 'dispute', reason: 'two-accounts' }]);
  const disputeId = items[0]?.id ?? '';
  expect(await ngozi.device.call('GET /api/staff/disputes/{id}', { params: { id: disputeId } })).toMatchObject({
    entry: { id: entryId },
    holder: { account: { id: holder.member.uid }, isHolding: true, agreement: { matricNumber: 'differs' } },
    claimant: {
      account: { id: member.uid },
      isHolding: false,
      agreement: { matricNumber: 'same', birthDate: 'differs' },
    },
  });
  const problem = await ngozi.device.problem('POST /api/staff/queue/{kind}/{id}/decision', {
    ...params(disputeId, 'dispute'),
    body: { decision: reject, version: items[0]?.version ?? '' },
  });
  expect(problem).toMatchObject({ code: 'validation-failed', errors: [{ pointer: '/decision/outcome' }] });
  await decide(ngozi, disputeId, { outcome: 'transfer' }, 'dispute');
  await passUndoTime();
  expect([await statusOf(member), await statusOf(holder.member)]).toEqual(['confirmed', 'unconfirmed']);
  expect(await findRecords(disputeId)).toMatchObject([
    { action: 'dispute-transferred', actor: ngozi.uid, details: { entry: entryId } },
  ]);
  await archive.inbox.next(holder.member.email, 'We could not confirm that you studied here');
  await archive.inbox.next(member.email, 'You are a confirmed member');
});

test('the person reads why a claim was rejected, in the archive and by mail', async () => {
  const { id, member } = await createClaim();
  await decide(ngozi, id, reject);
  await passUndoTime();
  expect(await member.device.call('GET /api/membership')).toMatchObject({
    status: 'rejected',
    claim: { state: 'rejected', reason: reject.reason },
  });
  expect((await archive.inbox.next(member.email, 'We could not confirm that you studied here')).text).toMatch(
    /Read the reason below\. You can try again, or take a document .+\n\n> We found no student with this name\./u,
  );
});

test('a decision that cannot be carried out changes nothing, and returns to the queue with the reason', async () => {
  const { id, member, entryId } = await createClaim();
  await decide(ngozi, id, confirm(entryId));
  await passUndoTime();
  await archive.pool.query(
    `insert into claims (account_id, typed) select account_id, typed from claims where id = $1`,
    [id],
  );
  const { rows } = await archive.pool.query<{ id: string }>(
    `select id from claims where account_id = $1 and state = 'waiting'`,
    [member.uid],
  );
  const again = rows[0]?.id ?? '';
  await decide(ngozi, again, confirm(await addEntry(archive)));
  await passUndoTime();
  expect((await findItem(ngozi, again)).item.failure).toBe('The account is already confirmed as another entry.');
  expect(await findRecords(again)).toEqual([]);
});

test('a decision is not carried out after its author has lost the role', async () => {
  const { id, member } = await createClaim();
  const leaver = await createStaff(archive, 'registrar');
  await decide(leaver, id, confirm(null));
  await archive.pool.query('delete from staff_roles where account_id = $1', [leaver.uid]);
  await passUndoTime();
  expect(await statusOf(member)).toBe('unconfirmed');
  expect((await findItem(ngozi, id)).item.failure).toContain('lost the right');
});

test('a decision is not carried out after its author has reported the item, too', async () => {
  const owner = await createStaff(archive, 'owner');
  const [{ uid }, reporter] = [await archive.createMember(), await archive.createMember()];
  const { rows } = await archive.pool.query<{ id: string }>(
    `insert into reports (kind, subject_id, subject_name, reporter_id, reason, is_confirmed)
     values ('profile', $1, 'Ada', $2, 'offensive', true) returning id`,
    [uid, reporter.uid],
  );
  const id = rows[0]?.id ?? '';
  await decide(owner, id, { outcome: 'nothing' }, 'report');
  await archive.pool.query(
    `insert into reports (kind, subject_id, subject_name, reporter_id, reason, is_confirmed, item_id)
     values ('profile', $1, 'Ada', $2, 'offensive', true, $3)`,
    [uid, owner.uid, id],
  );
  await passUndoTime();
  expect((await findItem(owner, id, 'report')).item.failure).toContain('lost the right');
});

test('GET /api/staff/claims/{id} shows candidates in scope with their agreement, and never a birth date', async () => {
  const { id, member, entryId } = await createClaim();
  const { last, first } = member.document.name;
  const elsewhere = await addEntry(archive, {
    last_name: last,
    first_name: first,
    birth_date: member.document.dob,
    college: 'College of Humanities',
    department: 'English',
  });
  const response = await ngozi.device.ask('GET /api/staff/claims/{id}', { params: { id } });
  expect(response.json()).toMatchObject({
    account: { id: member.uid, email: member.email, status: 'unconfirmed' },
    typed: { matricNumber: member.document.academic.matricNumber, lastName: last },
    candidates: [
      {
        entry: { id: entryId, lastName: last },
        agreement: { matricNumber: 'same', birthDate: 'differs', lastName: 'same' },
        heldBy: null,
      },
      { entry: { id: elsewhere }, agreement: { matricNumber: 'differs', birthDate: 'same' } },
    ],
    vouches: { yes: 0, unsure: 0, no: 0 },
  });
  for (const date of ['1950-01-01', member.document.dob]) expect(response.body).not.toContain(date);
  const { candidates } = await limited.device.call('GET /api/staff/claims/{id}', { params: { id } });
  expect(candidates.map(({ entry }) => entry.id)).toEqual([entryId]);
  const { item } = await findItem(limited, id);
  const problem = await limited.device.code('POST /api/staff/queue/{kind}/{id}/decision', {
    ...params(id),
    body: { decision: confirm(elsewhere), version: item.version },
  });
  expect(problem).toBe('not-found');
});

test.each([
  ['B.Sc', 'BSC Computer Science', 'same'],
  ['B.Sc', 'HND', 'differs'],
  ['B.Sc', null, 'missing'],
])('a claim with the program "%s" and an entry with "%s": %s', async (program, listed, expected) => {
  const member = await archive.createMember({ ...inCosit, program });
  await addEntryOf(archive, member, { program: listed, college: 'COSIT' });
  await submit(member);
  const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [
    member.uid,
  ]);
  const claim = await ngozi.device.call('GET /api/staff/claims/{id}', { params: { id: rows[0]?.id ?? '' } });
  expect(claim).toMatchObject({
    typed: { program },
    candidates: [{ entry: { program: listed ?? '' }, agreement: { program: expected } }],
  });
});

test('a birth date with day and month swapped differs: more would reveal the date of the entry', async () => {
  const member = await archive.createMember({ ...inCosit, dob: '1990-03-04' });
  await addEntryOf(archive, member, { birth_date: '1990-04-03', college: 'COSIT' });
  await submit(member);
  const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [
    member.uid,
  ]);
  const { candidates } = await ngozi.device.call('GET /api/staff/claims/{id}', { params: { id: rows[0]?.id ?? '' } });
  expect(candidates).toMatchObject([{ agreement: { matricNumber: 'same', birthDate: 'differs' } }]);
});

test('an entry that an impostor claimed is confirmed only by staff, also for a new account of the impostor', async () => {
  const { id, member, entryId } = await createClaim();
  await decide(ngozi, id, { ...reject, isImpostor: true });
  await passUndoTime();
  expect(await statusOf(member)).toBe('rejected');
  await member.device.call('DELETE /api/identity/account');
  const again = await archive.createMember(inCosit, { ...member.document });
  // Without the record, the address would confirm the new account.
  await archive.pool.query('update roster_entries set birth_date = $1, email = $2 where id = $3', [
    again.document.dob,
    again.email,
    entryId,
  ]);
  expect(await submit(again)).toEqual({ status: 'waiting' });
});

test('GET /api/staff/claims/{id} shows who holds an entry, but no person outside the scope', async () => {
  const holder = await createClaim(inCohum);
  const { id, entryId } = await createClaim();
  await decide(ngozi, holder.id, confirm(entryId));
  await passUndoTime();
  await archive.pool.query(`update profiles set college = 'COHUM', department = 'English' where account_id = $1`, [
    holder.member.uid,
  ]);
  const heldBy = async ({ device }: Member) =>
    (await device.call('GET /api/staff/claims/{id}', { params: { id } })).candidates[0]?.heldBy;
  expect(await heldBy(ngozi)).toMatchObject({ account: { email: holder.member.email }, assurance: 'strong' });
  expect(await heldBy(limited)).toEqual({ account: null, assurance: 'strong', isClaimant: false });
});

test('only staff with the right to claims, and with the person and the entry in scope, read values of roster entries', async () => {
  const member = await archive.createMember(inCosit);
  const words = { last_name: 'Zyxquolt', first_name: 'Vrembly', other_names: 'Quintharp', gender: 'Fnord' };
  await addEntryOf(archive, member, { ...words, birth_date: '1950-01-01', college: 'COSIT' });
  await addEntryOf(archive, member, {
    last_name: 'Ogglewick',
    matric_number: 'ELSE/1',
    college: 'COHUM',
    department: 'English',
  });
  await submit(member);
  const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [
    member.uid,
  ]);
  const id = rows[0]?.id ?? '';
  const read = async ({ device }: Pick<Member, 'device'>) => {
    const texts = [];
    for (const path of [`/api/staff/claims/${id}`, `/api/staff/queue/claim/${id}`, '/api/staff/queue'])
      texts.push((await device.fetch('GET', path)).body);
    const text = texts.join(' ');
    return [...Object.values(words), 'Ogglewick'].filter((word) => text.includes(word));
  };
  const [elsewhere, moderator, representative] = [
    await createStaff(archive, 'registrar', { college: 'COHUM' }),
    await createStaff(archive, 'moderator'),
    await createStaff(archive, 'class-representative', {
      department: member.document.academic.department,
      yearFrom: 1900,
      yearTo: 2100,
    }),
  ];
  for (const reader of [elsewhere, moderator, representative, member, { device: archive.openDevice() }])
    expect(await read(reader)).toEqual([]);
  expect(await read(limited)).toEqual(Object.values(words));
  expect(await read(ngozi)).toEqual([...Object.values(words), 'Ogglewick']);
});

test('staff get a daily mail with the numbers of their scope, unless nothing waits', async () => {
  const moderator = await createStaff(archive, 'moderator');
  const held = await createStaff(archive, 'registrar');
  await archive.pool.query('update accounts set console_held_at = now() where id = $1', [held.uid]);
  await archive.pool.query('delete from reports; delete from corrections; delete from identity_changes');
  const { member } = await createClaim(inCohum);
  const second = await createClaim(inCohum);
  expect(reviewSchedules.find(({ job }) => job === waitingMailsJob)?.cron).toMatch(/^\d+ \d+ \* \* \*$/u);
  await waitingMailsJob.queue(archive.context.db, {});
  await archive.runJobs();
  const { text, html } = await archive.inbox.next(ngozi.email, '2 items wait for a decision');
  expect(text).toContain('In the review queue: 2 claims. The oldest waits since ');
  // Mailboxes are read by others and kept for years, so the mail has numbers only.
  for (const { email, document } of [member, second.member])
    for (const value of [email, document.name.first, document.name.last, document.academic.matricNumber, 'English'])
      expect(`${text}${html}`).not.toContain(value);
  const isWaiting = (mail: { subject: string }) => mail.subject.endsWith('for a decision');
  for (const { email } of [limited, moderator, held]) expect(archive.inbox.to(email).filter(isWaiting)).toEqual([]);
});
