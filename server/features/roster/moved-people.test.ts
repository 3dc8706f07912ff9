import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import type { ImportSettings, RosterImport } from '#contract/roster.ts';
import { openDispute } from '#server/domain/membership/confirmations.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { enterConfirmedMode, printCode } from '#server/testing/membership.ts';
import { type RosterImports, openRosterImports } from '#server/testing/roster-imports.ts';
import { createStaff } from '#server/testing/staff.ts';
import { newToken } from '#server/platform/crypto/tokens.ts';

/*
 * Every change of the name or birth date of an entry that a member is confirmed as makes the link contested: by an
 * import, its undo, or staff.
 */

let archive: TestArchive;
let roster: RosterImports;
let registrar: Member;

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
  roster = await openRosterImports(archive);
  registrar = await createStaff(archive, 'registrar');
});
afterAll(() => archive.close());
beforeEach(async () => {
  await roster.reset();
  await archive.pool.query('delete from long_throttles; delete from throttles');
});

type Row = Partial<Record<'last' | 'first' | 'dob' | 'department', string>>;

/** Other people of the roster, so that one changed entry needs no approval by its share. */
const others = Array.from({ length: 30 }, (_, at) => `OTHER/${at},Bello,Ben,1994-12-01,Physics,2001`);

function toFile({ document: { academic, name, dob } }: Member, values: Row = {}): string {
  const row = { last: name.last, first: name.first, dob, department: academic.department, ...values };
  const cells = [academic.matricNumber, row.last, row.first, row.dob, row.department, academic.year.graduated];
  const header = 'Matric No,Surname,First Name,Date of Birth,Department,Year Graduated';
  return [header, cells.join(','), ...others, ''].join('\n');
}

async function createHolder(values: Row = {}) {
  const holder = await archive.createMember({ firstName: 'Ada', lastName: 'Okafor Bello', department: 'Physics' });
  expect(await importFile(toFile(holder, values))).toMatchObject({ state: 'applied' });
  return { ...holder, entryId: await confirm(holder) };
}

async function confirm(member: Member): Promise<number> {
  const { id } = await findEntry(member);
  await member.device.call('POST /api/membership/codes', { body: { code: await printCode(archive, id) } });
  expect((await member.device.call('GET /api/membership')).status).toBe('confirmed');
  return id;
}

async function findEntry({ document }: Member): Promise<{ id: number; isContested: boolean }> {
  const { rows } = await archive.pool.query<{ id: number; isContested: boolean }>(
    'select id::int, contested_at is not null as "isContested" from roster_entries where matric_number = $1',
    [document.academic.matricNumber],
  );
  return rows[0] ?? { id: 0, isContested: false };
}

const isContested = async (member: Member) => (await findEntry(member)).isContested;

async function importFile(file: string, erase: NonNullable<ImportSettings['erase']> = []): Promise<RosterImport> {
  const id = await roster.upload(file);
  if (erase.length > 0)
    await roster.registrar.device.call('PUT /api/staff/roster/imports/{id}/settings', {
      params: { id },
      body: { erase, thenCheck: true },
    });
  const { warnings } = await roster.run(id, 'check');
  return roster.apply(id, ...warnings.map(({ kind }) => kind));
}

const approve = ({ id }: RosterImport) => roster.approve(String(id));

async function importApproved(file: string): Promise<RosterImport> {
  const one = await importFile(file);
  return one.state === 'applied' ? one : approve(one);
}

async function readEntry({ device, uid }: Member): Promise<Record<string, unknown> | null> {
  const zip = await device.ask('GET /api/users/{id}/export', { params: { id: uid } });
  const file = unzipSync(zip.rawPayload)['membership.json'];
  return (JSON.parse(strFromU8(file ?? new Uint8Array())) as { rosterEntry: Record<string, unknown> | null })
    .rosterEntry;
}

const findDisputes = async () =>
  (await registrar.device.call('GET /api/staff/queue', { query: { kind: 'dispute' } })).items;

async function decide(
  { device }: Member,
  kind: 'dispute' | 'correction',
  item: { id: string; version: string } | undefined,
  outcome: 'keep' | 'transfer' | 'accept',
) {
  await device.call('POST /api/staff/queue/{kind}/{id}/decision', {
    params: { kind, id: item?.id ?? '' },
    body: { decision: { outcome }, version: item?.version ?? '' },
  });
  await archive.advanceTime('31 seconds');
  await archive.runJobs();
}

async function correctName(entryId: number, lastName: string, firstName: string) {
  const { id } = await roster.registrar.device.call('POST /api/staff/corrections', {
    body: { correction: { reason: 'wrong-name', entryId, lastName, firstName } },
  });
  const { version } = await registrar.device.call('GET /api/staff/corrections/{id}', { params: { id } });
  await decide(registrar, 'correction', { id, version }, 'accept');
}

async function decideDispute(outcome: 'keep' | 'transfer') {
  await decide(registrar, 'dispute', (await findDisputes())[0], outcome);
  expect(await findDisputes()).toEqual([]);
}

const changes: [string, Row, erase?: 'birthDate'][] = [
  ['another birth date', { dob: '1971-07-09' }],
  ['another last name', { last: 'Zubair' }],
  ['another first name', { first: 'Zainab' }],
  ['an erased birth date', { dob: '' }, 'birthDate'],
];

test.each(changes)(
  'an import with %s for a confirmed person needs a second person, and contests the link',
  async (_, row, erase) => {
    const holder = await createHolder();
    expect(await readEntry(holder)).toMatchObject({ birthDate: holder.document.dob });
    const waiting = await importFile(toFile(holder, row), erase && [erase]);
    expect(waiting).toMatchObject({ state: 'checked', needsApproval: true, counts: { changed: 1, moved: 1 } });
    expect(waiting.warnings).toMatchObject([{ kind: 'confirmed-changed', count: 1 }]);
    expect(waiting.warnings[0]?.message).toMatch(/^This changes people who are confirmed: .*, in row 2 of the file\./u);
    expect(await readEntry(holder)).not.toBeNull();
    expect(await approve(waiting)).toMatchObject({ state: 'applied' });
    expect(await readEntry(holder)).toBeNull();
    expect(await findDisputes()).toMatchObject([{ name: 'Okafor Bello Ada', reason: 'import' }]);
    await decideDispute('keep');
    expect(await readEntry(holder)).not.toBeNull();
  },
);

test('an import that changes confirmed people is refused until staff confirm the warning about them', async () => {
  const holder = await createHolder();
  const id = await roster.upload(toFile(holder, { last: 'Zubair' }));
  const { checkedAt } = await roster.run(id, 'check');
  const body = { checkedAt: checkedAt ?? '', confirmed: ['many-changed'] };
  const { device } = roster.registrar;
  const answer = await device.ask('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body });
  expect(answer.json<Problem>().detail).toBe('Confirm these warnings first: confirmed-changed.');
});

test.each<[string, Row, Row]>([
  ['case, diacritics and the order of the names', {}, { last: 'ÀDA', first: 'OKAFOR-BELLO' }],
  ['the department', {}, { department: 'Chemistry' }],
  ['a birth date that was blank', { dob: '' }, {}],
  ['nothing, because the cells are blank,', {}, { first: '', dob: '' }],
])('an import that changes %s of a confirmed person contests nothing', async (_, first, next) => {
  const holder = await createHolder(first);
  const applied = await importFile(toFile(holder, next));
  expect(applied).toMatchObject({ state: 'applied', warnings: [] });
  expect(applied.counts).not.toHaveProperty('moved');
  expect(await readEntry(holder)).not.toBeNull();
});

test('an import that changes people who were confirmed after its comparison is not applied', async () => {
  const ada = await archive.createMember({ firstName: 'Ada', lastName: 'Okafor Bello', department: 'Physics' });
  await importFile(toFile(ada));
  const id = await roster.upload(toFile(ada, { last: 'Zubair' }));
  expect(await roster.run(id, 'check')).toMatchObject({ warnings: [], needsApproval: false });
  await confirm(ada);
  expect(await roster.apply(id)).toMatchObject({
    state: 'checked',
    failure: 'Since the comparison, people were confirmed whom this import changes. Compare the file again.',
  });
  expect(await readEntry(ada)).toMatchObject({ lastName: 'Okafor Bello' });
});

test('while a link is contested, the holder does not become the person of the entry', async () => {
  const holder = await createHolder();
  await approve(await importFile(toFile(holder, { last: 'Zubair' })));
  const { name } = holder.document;
  const saveAs = (last: string) =>
    holder.device.call('PUT /api/users/{id}', {
      params: { id: holder.uid },
      body: { ...holder.document, imgURL: null, name: { ...name, last } },
    });
  const readName = async () =>
    (await holder.device.call('GET /api/users/{id}', { params: { id: holder.uid }, query: {} })).name.last;
  await saveAs('Zubair');
  expect(await readName()).toBe(name.last);
  await decideDispute('keep');
  await saveAs('Zubair');
  expect(await readName()).toBe('Zubair');
});

test('an undo restores the links that the import made contested', async () => {
  const holder = await createHolder();
  const applied = await approve(await importFile(toFile(holder, { last: 'Zubair' })));
  expect(await findDisputes()).toHaveLength(1);
  expect(await roster.undo(String(applied.id))).toMatchObject({ state: 'undone', undoCounts: { takenBack: 1 } });
  expect(await findDisputes()).toEqual([]);
  expect(await readEntry(holder)).toMatchObject({ lastName: 'Okafor Bello' });
  expect(await isContested(holder)).toBe(false);
});

test('an undo leaves a link contested that someone else disputes too', async () => {
  const holder = await createHolder();
  const applied = await approve(await importFile(toFile(holder, { last: 'Zubair' })));
  const other = await archive.createMember({ firstName: 'Ada', lastName: 'Zubair', department: 'Physics' });
  await archive.context.db
    .transaction()
    .execute((tx) => openDispute(tx, { entryId: holder.entryId, holderId: holder.uid, claimantId: other.uid }));
  await roster.undo(String(applied.id));
  expect(await findDisputes()).toMatchObject([{ reason: 'two-accounts' }]);
  expect(await readEntry(holder)).toBeNull();
  expect(await isContested(holder)).toBe(true);
});

test('a report from the mailbox of the entry stays open when the import that contested the link is undone', async () => {
  const holder = await createHolder();
  const applied = await approve(await importFile(toFile(holder, { last: 'Zubair' })));
  const { token, hash } = newToken();
  await archive.pool.query(
    `insert into membership_codes (code_hash, entry_id, kind, reports, expires_at) values ($1, $2, 'notice', $3, now() + interval '1 day')`,
    [hash, holder.entryId, holder.uid],
  );
  const body = { code: token, text: 'I have no account.' };
  await archive.openDevice().call('POST /api/membership/disputes', { body });
  await roster.undo(String(applied.id));
  const [dispute, ...more] = await findDisputes();
  expect([dispute, more]).toMatchObject([{ reason: 'mailbox' }, []]);
  const params = { id: dispute?.id ?? '' };
  expect(await registrar.device.call('GET /api/staff/disputes/{id}', { params })).toMatchObject({ text: body.text });
  expect(await readEntry(holder)).toBeNull();
});

test('an undo that changes a person whom staff have confirmed since the import contests the link', async () => {
  const holder = await createHolder();
  const applied = await approve(await importFile(toFile(holder, { dob: '1971-07-09' })));
  await decideDispute('keep');
  await roster.undo(String(applied.id));
  expect(await findDisputes()).toMatchObject([{ name: 'Okafor Bello Ada', reason: 'undo' }]);
  expect(await readEntry(holder)).toBeNull();
});

test('an accepted correction of the name of a confirmed person contests the link', async () => {
  const holder = await createHolder();
  await correctName(holder.entryId, 'ÒKÁFÒR', 'Ada Bello');
  expect(await findDisputes()).toEqual([]);
  await correctName(holder.entryId, 'Zubair', 'Ada');
  expect(await findDisputes()).toMatchObject([{ name: 'Okafor Bello Ada', reason: 'correction' }]);
  expect(await readEntry(holder)).toBeNull();
  await decideDispute('transfer');
  expect((await holder.device.call('GET /api/membership')).status).not.toBe('confirmed');
});

async function createCodes(last: string) {
  const ada = await archive.createMember({ firstName: 'Ada', lastName: 'Okafor Bello', department: 'Physics' });
  await importApproved(toFile(ada));
  const lastImport = await importApproved(toFile(ada, { last }));
  const { id: entryId } = await findEntry(ada);
  const { code: mailed, hash } = await archive.context.membershipCodes.create(ada.uid);
  await archive.pool.query(
    `insert into membership_codes (code_hash, entry_id, kind, expires_at) values ($1, $2, 'mailed', now() + interval '1 day')`,
    [hash, entryId],
  );
  return { ada, entryId, importId: String(lastImport.id), codes: [await printCode(archive, entryId), mailed] };
}

test.each<[string, (of: Awaited<ReturnType<typeof createCodes>>) => Promise<unknown>]>([
  ['an import', ({ ada }) => importApproved(toFile(ada))],
  ['the undo of an import', ({ importId }) => roster.undo(importId)],
  ['a correction', ({ entryId }) => correctName(entryId, 'Okafor Bello', 'Ada')],
])('codes do not confirm the person that %s makes of their entry', async (_, move) => {
  const issued = await createCodes('Zubair');
  await move(issued);
  for (const code of issued.codes)
    expect(await issued.ada.device.code('POST /api/membership/codes', { body: { code } })).toBe(
      'membership/wrong-code',
    );
});

test('codes stay valid after a change that is not of the person', async () => {
  const { ada, codes } = await createCodes('OKAFOR-BELLO');
  await importApproved(toFile(ada, { department: 'Chemistry' }));
  await importApproved(toFile(ada));
  const body = { code: codes[0] ?? '' };
  expect(await ada.device.call('POST /api/membership/codes', { body })).toEqual({ status: 'confirmed' });
});
