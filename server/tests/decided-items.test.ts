import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ReviewDecision } from '#contract/staff/review.ts';
import type { ReviewKind } from '#contract/staff/values.ts';
import { openDispute } from '#server/domain/membership/confirmations.ts';
import { linkEntry } from '#server/domain/roster/links.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntryOf, confirmMember, enterConfirmedMode, printCode } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';

/* Decided items of every kind: read for ever at the address of the item, and reopened with a reason. */

let archive: TestArchive;
/** Owners: `ngozi` decides and reopens, `tunde` has proposed or reported. */
let ngozi: Member;
let tunde: Member;
/** Staff who see only COHUM. The items are about people in COSIT. */
let elsewhere: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
  ngozi = await createStaff(archive, 'owner');
  tunde = await createStaff(archive, 'owner');
  elsewhere = await createStaff(archive, 'registrar', { college: 'COHUM' });
  for (const member of [ngozi, tunde]) await confirmMember(archive, member);
});
afterAll(() => archive.close());

const inCosit = { college: 'COSIT', department: 'Physics', yearAdmitted: 2006, yearGraduated: 2010 };

interface Item {
  readonly id: string;
  readonly people: readonly Member[];
  readonly decision: ReviewDecision;
  readonly text: string;
}

const insert = async (statement: string, values: readonly unknown[]): Promise<string> =>
  (await archive.pool.query<{ id: string }>(`${statement} returning id`, [...values])).rows[0]?.id ?? '';
const idOf = async (table: string, column: string, uid: string) =>
  (await archive.pool.query<{ id: string }>(`select id from ${table} where ${column} = $1`, [uid])).rows[0]?.id ?? '';

const creators: Record<ReviewKind, () => Promise<Item>> = {
  async claim() {
    const member = await archive.createMember(inCosit);
    const { academic, dob } = member.document;
    await addEntryOf(archive, member, { birth_date: '1950-01-01', college: 'COSIT' });
    await member.device.call('POST /api/membership/claims', { body: { matricNumber: academic.matricNumber, dob } });
    const id = await idOf('claims', 'account_id', member.uid);
    await archive.pool.query(`insert into vouches (claimant_id, voucher_id, answer) values ($1, $2, 'yes')`, [
      member.uid,
      tunde.uid,
    ]);
    const text = 'We found no student with this name.';
    return { id, people: [member], text, decision: { outcome: 'reject', reason: text } };
  },
  async dispute() {
    const [holder, claimant] = [await archive.createMember(inCosit), await archive.createMember(inCosit)];
    const entryId = await addEntryOf(archive, holder, { college: 'COSIT' });
    await holder.device.call('POST /api/membership/codes', { body: { code: await printCode(archive, entryId) } });
    await archive.context.db
      .transaction()
      .execute((tx) => openDispute(tx, { entryId, holderId: holder.uid, claimantId: claimant.uid }));
    const id = await idOf('disputes', 'holder_id', holder.uid);
    return { id, people: [claimant, holder], text: '', decision: { outcome: 'keep' } };
  },
  async report() {
    const subject = await archive.createMember(inCosit);
    const id = await insert(
      `insert into reports (kind, subject_id, reporter_id, reason, text) values ('profile', $1, $2, 'other', 'Asks for money')`,
      [subject.uid, tunde.uid],
    );
    await insert(
      `insert into reports (kind, subject_id, guest_email, reason, item_id) values ('profile', $1, $3, 'offensive', $2)`,
      [subject.uid, id, `guest-of-${subject.email}`],
    );
    return { id, people: [subject], text: '', decision: { outcome: 'nothing' } };
  },
  async correction() {
    const member = await archive.createMember(inCosit);
    const entryId = await addEntryOf(archive, member, { college: 'COSIT' });
    await linkEntry(archive.context.db, entryId, member.uid);
    const { id } = await tunde.device.call('POST /api/staff/corrections', {
      body: { correction: { entryId, reason: 'deceased', text: 'His sister told me.' } },
    });
    const text = 'The registrar has no such record.';
    return { id, people: [member], text, decision: { outcome: 'refuse', text } };
  },
  async change() {
    const member = await archive.createMember(inCosit);
    await confirmMember(archive, member);
    const { document } = member;
    await member.device.call('PUT /api/users/{id}', {
      params: { id: member.uid },
      body: { ...document, imgURL: null, name: { ...document.name, last: 'Bankole' } },
    });
    const text = 'Bring a document.';
    const id = await idOf('identity_changes', 'account_id', member.uid);
    return { id, people: [member], text, decision: { outcome: 'refuse', text } };
  },
};

const read = ({ device }: Member, kind: ReviewKind, id: string) =>
  device.call('GET /api/staff/queue/{kind}/{id}', { params: { kind, id } });

async function decide(staff: Member, kind: ReviewKind, id: string, decision: ReviewDecision): Promise<void> {
  const { item } = await read(staff, kind, id);
  await staff.device.call('POST /api/staff/queue/{kind}/{id}/decision', {
    params: { kind, id },
    body: { decision, version: item.version },
  });
  await archive.advanceTime('31 seconds');
  await archive.runJobs();
}

const reason = 'The family came with a document.';
const reopening = (kind: ReviewKind, id: string) => ({ params: { kind, id }, body: { reason } });
const reopen = ({ device }: Member, kind: ReviewKind, id: string) =>
  device.call('POST /api/staff/queue/{kind}/{id}/reopen', reopening(kind, id));
const refusalOf = ({ device }: Member, kind: ReviewKind, id: string) =>
  device.problem('POST /api/staff/queue/{kind}/{id}/reopen', reopening(kind, id));
const nameOf = ({ document: { name } }: Member) => expect.stringContaining(name.last) as string;

async function createDecided(kind: ReviewKind): Promise<Item> {
  const item = await creators[kind]();
  await decide(ngozi, kind, item.id, item.decision);
  return item;
}

const details = {
  claim: 'GET /api/staff/claims/{id}',
  dispute: 'GET /api/staff/disputes/{id}',
  report: 'GET /api/staff/reports/{id}',
  correction: 'GET /api/staff/corrections/{id}',
  change: 'GET /api/staff/changes/{id}',
} as const;
const kinds = Object.keys(creators) as ReviewKind[];

test.each(kinds)(
  'a decided %s is read at its address and in the list of decided items, by staff in scope',
  async (kind) => {
    const { id, people, decision, text } = await createDecided(kind);
    expect((await read(ngozi, kind, id)).item).toMatchObject({
      id,
      closed: { outcome: decision.outcome, by: nameOf(ngozi), text, reopenedAs: null },
    });
    const detail = await ngozi.device.call(details[kind], { params: { id } });
    expect(detail).toMatchObject({ id });
    const list = ({ device }: Member, query: object) =>
      device.call('GET /api/staff/queue', { query: { state: 'decided', kind, ...query } });
    const { items } = await list(ngozi, {});
    expect(items[0]).toMatchObject({ kind, id, closed: { outcome: decision.outcome } });
    for (const { uid } of people) {
      const own = await list(ngozi, { person: uid });
      expect(own.items.map((item) => item.id)).toEqual([id]);
    }
    expect(
      (await ngozi.device.call('GET /api/staff/queue', { query: { kind } })).items.map((item) => item.id),
    ).not.toContain(id);

    expect((await list(elsewhere, {})).items).toEqual([]);
    expect([
      await elsewhere.device.code('GET /api/staff/queue/{kind}/{id}', { params: { kind, id } }),
      await elsewhere.device.code('POST /api/staff/queue/{kind}/{id}/reopen', reopening(kind, id)),
    ]).toEqual(['not-found', 'not-found']);
    expect(await elsewhere.device.code(details[kind], { params: { id } })).toMatch(/not-found|permission-denied/u);
  },
);

test.each(kinds)(
  'a decided %s is reopened with a reason, as a new item, by someone who has not proposed it',
  async (kind) => {
    const { id, decision } = await createDecided(kind);
    // No one has proposed a dispute or a change of a member.
    if (kind !== 'dispute' && kind !== 'change')
      expect(await refusalOf(tunde, kind, id)).toMatchObject({ code: 'permission-denied' });

    const { id: again } = await reopen(ngozi, kind, id);
    expect(again).not.toBe(id);
    const opened = await read(ngozi, kind, again);
    expect(opened).toMatchObject({
      item: { closed: null, reopenedFrom: id },
      notes: [{ text: reason, by: nameOf(ngozi) }],
    });
    expect((await read(ngozi, kind, id)).item.closed).toMatchObject({ outcome: decision.outcome, reopenedAs: again });
    const { rows } = await archive.pool.query(
      `select action, actor, details from audit_records where subject = $1 and action like '%-reopened'`,
      [id],
    );
    expect(rows).toEqual([{ action: `${kind}-reopened`, actor: ngozi.uid, details: { as: again } }]);
    expect(await refusalOf(ngozi, kind, id)).toMatchObject({ code: 'staff/refused' });

    await decide(ngozi, kind, again, decision);
    expect((await read(ngozi, kind, again)).item.closed).toMatchObject({ outcome: decision.outcome });
  },
);

test('no one reopens an item about themselves', async () => {
  const { academic, dob } = tunde.document;
  const claimant = await createStaff(archive, 'registrar');
  await claimant.device.call('POST /api/membership/claims', { body: { matricNumber: academic.matricNumber, dob } });
  await claimant.device.call('DELETE /api/membership/claims');
  const id = await idOf('claims', 'account_id', claimant.uid);
  expect((await read(ngozi, 'claim', id)).item.closed).toMatchObject({ outcome: 'withdrawn', by: null });
  expect(await refusalOf(claimant, 'claim', id)).toMatchObject({ code: 'permission-denied' });
});

test('a decided item can be held, noted and decided no more', async () => {
  const { id, decision } = await createDecided('claim');
  const params = { kind: 'claim', id } as const;
  const { item } = await read(ngozi, 'claim', id);
  expect([
    await ngozi.device.code('PUT /api/staff/queue/{kind}/{id}/lease', { params, body: {} }),
    await ngozi.device.code('POST /api/staff/queue/{kind}/{id}/notes', { params, body: { text: 'A' } }),
    await ngozi.device.code('POST /api/staff/queue/{kind}/{id}/decision', {
      params,
      body: { decision, version: item.version },
    }),
  ]).toEqual(['not-found', 'not-found', 'not-found']);
});

test('reopening never withdraws a confirmation', async () => {
  const { id, people } = await creators.claim();
  const [member] = people;
  await decide(ngozi, 'claim', id, { outcome: 'confirm', entryId: null, seen: 'Passport' });
  expect(await refusalOf(ngozi, 'claim', id)).toMatchObject({
    code: 'staff/refused',
    detail: expect.stringContaining('Withdraw the confirmation') as string,
  });
  expect(await member?.device.call('GET /api/membership')).toMatchObject({ status: 'confirmed' });

  const dispute = await createDecided('dispute');
  await reopen(ngozi, 'dispute', dispute.id);
  expect(await dispute.people[1]?.device.call('GET /api/membership')).toMatchObject({ status: 'confirmed' });
});

test('a dispute that was decided for the other account is reopened with the account that has the entry now', async () => {
  const { id, people } = await creators.dispute();
  const [claimant, holder] = people;
  await decide(ngozi, 'dispute', id, { outcome: 'transfer' });
  const { id: again } = await reopen(ngozi, 'dispute', id);
  expect(await ngozi.device.call('GET /api/staff/disputes/{id}', { params: { id: again } })).toMatchObject({
    holder: { account: { id: claimant?.uid }, isHolding: true },
    claimant: { account: { id: holder?.uid }, isHolding: false },
  });
});

test('a dispute that an import opened is reopened with this reason, not as a report from the mailbox of the entry', async () => {
  const holder = await archive.createMember(inCosit);
  const entryId = await addEntryOf(archive, holder, { college: 'COSIT' });
  await holder.device.call('POST /api/membership/codes', { body: { code: await printCode(archive, entryId) } });
  await archive.context.db
    .transaction()
    .execute((tx) => openDispute(tx, { entryId, holderId: holder.uid, claimantId: null, change: 'import' }));
  const id = await idOf('disputes', 'holder_id', holder.uid);
  await decide(ngozi, 'dispute', id, { outcome: 'keep' });
  const { id: again } = await reopen(ngozi, 'dispute', id);
  expect((await read(ngozi, 'dispute', again)).item.reason).toBe('import');
});

test.each(kinds)('reading a %s or its notes is recorded, also after the decision', async (kind) => {
  const findReaders = async (id: string) =>
    (
      await archive.pool.query<{ actor: string }>(
        `select actor from audit_records where subject = $1 and subject_kind = $2 and action = $2 || '-read' order by id`,
        [id, kind],
      )
    ).rows.map(({ actor }) => actor);
  const { id, decision } = await creators[kind]();
  await tunde.device.call(details[kind], { params: { id } });
  expect(await findReaders(id)).toEqual([tunde.uid]);
  await read(ngozi, kind, id);
  expect(await findReaders(id)).toEqual([tunde.uid, ngozi.uid]);
  await decide(ngozi, kind, id, decision);
  const later = await createStaff(archive, 'owner');
  await read(later, kind, id);
  await later.device.call(details[kind], { params: { id } });
  expect(await findReaders(id)).toEqual([tunde.uid, ngozi.uid, later.uid]);
});

test.each(['correction', 'change'] as const)('an accepted %s has taken effect, so it is not reopened', async (kind) => {
  const { id } = await creators[kind]();
  await decide(ngozi, kind, id, { outcome: 'accept' });
  expect((await read(ngozi, kind, id)).item.closed).toMatchObject({ outcome: 'accept' });
  expect(await refusalOf(ngozi, kind, id)).toMatchObject({ code: 'staff/refused' });
});

test('an accepted change shows what was confirmed before it', async () => {
  const { id, people } = await creators.change();
  await decide(ngozi, 'change', id, { outcome: 'accept' });
  expect(await ngozi.device.call('GET /api/staff/changes/{id}', { params: { id } })).toMatchObject({
    confirmed: { lastName: people[0]?.document.name.last },
    wanted: { lastName: 'Bankole' },
  });
});

test('a reopened report has all its reports, and the decision before counts once for its reporters', async () => {
  const { id, people } = await createDecided('report');
  const { id: again } = await reopen(ngozi, 'report', id);
  const detail = await ngozi.device.call('GET /api/staff/reports/{id}', { params: { id: again } });
  expect(detail).toMatchObject({
    reports: [
      { by: 'member', text: 'Asks for money' },
      { by: 'guest', reporter: `guest-of-${people[0]?.email}` },
    ],
    findings: [{ id, outcome: 'nothing' }],
  });
  expect(detail.reports[1]?.earlier).toBe(0);
});

test('a decided report names who acted, also after a restoration, which reopening does not do', async () => {
  const { id, people } = await creators.report();
  await decide(ngozi, 'report', id, { outcome: 'hide' });
  const findSubject = async () => (await ngozi.device.call('GET /api/staff/reports/{id}', { params: { id } })).subject;
  await reopen(ngozi, 'report', id);
  expect(await findSubject()).toMatchObject({ id: people[0]?.uid, isProfileHidden: true });
  await tunde.device.call('POST /api/staff/reports/{id}/restore', { params: { id }, body: { what: 'profile' } });
  expect(await findSubject()).toMatchObject({ isProfileHidden: false });
  expect((await read(ngozi, 'report', id)).item.closed).toMatchObject({ outcome: 'hide', by: nameOf(ngozi) });
});

test('an item is not reopened while another one about the same waits', async () => {
  for (const kind of ['claim', 'report', 'change'] as const) {
    const { id, people } = await createDecided(kind);
    const [member] = people;
    if (!member) throw new Error('The item is about a member.');
    const { document } = member;
    if (kind === 'claim')
      await member.device.call('POST /api/membership/claims', {
        body: { matricNumber: document.academic.matricNumber, dob: document.dob },
      });
    if (kind === 'report')
      await insert(`insert into reports (kind, subject_id, reason) values ('profile', $1, 'other')`, [member.uid]);
    if (kind === 'change')
      await insert(`insert into identity_changes (account_id, last_name, first_name) values ($1, 'Adeyemi', 'Bola')`, [
        member.uid,
      ]);
    expect(await refusalOf(ngozi, kind, id)).toMatchObject({
      code: 'staff/refused',
      detail: expect.stringContaining('waits') as string,
    });
  }
});

test('the list of decided items has pages, the latest first', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 3; at++) ids.unshift((await createDecided('claim')).id);
  const found: string[] = [];
  let after: string | undefined;
  while (found.length < 3) {
    const page = await ngozi.device.call('GET /api/staff/queue', {
      query: { state: 'decided', kind: 'claim', limit: 2, ...(after !== undefined && { after }) },
    });
    found.push(...page.items.map(({ id }) => id));
    after = page.next ?? undefined;
  }
  expect(found.slice(0, 3)).toEqual(ids);
});
