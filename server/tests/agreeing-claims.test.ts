import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { markMailFailed } from '#server/domain/mail/mail-failures.ts';
import { addEntryOf, enterConfirmedMode } from '#server/testing/membership.ts';
import { openRosterImports, toCsv } from '#server/testing/roster-imports.ts';
import { createStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
let registrar: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
  registrar = await createStaff(archive, 'registrar');
});
afterAll(() => archive.close());

const subject = 'Someone asks to be confirmed as you';

async function createAgreeing(email: string | null = null, values: { is_confidential?: boolean } = {}) {
  const member = await archive.createMember({}, { dob: '1992-05-17' });
  const entryId = await addEntryOf(archive, member, {
    email: email === null ? null : `${email}-${member.uid}@mail.example`,
    ...values,
  });
  await member.device.call('POST /api/membership/claims', {
    body: { matricNumber: member.document.academic.matricNumber, dob: member.document.dob },
  });
  await archive.runJobs();
  const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [
    member.uid,
  ]);
  return { member, entryId, id: rows[0]?.id ?? '', email: `${email}-${member.uid}@mail.example` };
}

const passDays = (id: string, days: number) =>
  archive.pool.query(`update claims set entry_told_at = entry_told_at - make_interval(days => $2) where id = $1`, [
    id,
    days,
  ]);

async function confirmTogether(...claims: { id: string }[]): Promise<string[]> {
  await registrar.device.call('POST /api/identity/reauthenticate', { body: { password: registrar.password } });
  const items = await Promise.all(
    claims.map(async ({ id }) => {
      const { item } = await registrar.device.call('GET /api/staff/queue/{kind}/{id}', {
        params: { kind: 'claim', id },
      });
      return { id, version: item.version };
    }),
  );
  const { decided } = await registrar.device.call('POST /api/staff/queue/claims/confirm', { body: { items } });
  await archive.advanceTime('31 seconds');
  await archive.runJobs();
  return decided;
}

async function importEntry(entryId: number, toRow: (entry: { matric: string; last: string }) => string): Promise<void> {
  const { rows } = await archive.pool.query<{ id: string; matric: string; last: string }>(
    'select id, matric_number as matric, last_name as last from roster_entries',
  );
  const list = rows.map((entry) => (Number(entry.id) === entryId ? toRow(entry) : `${entry.matric},${entry.last},`));
  const roster = await openRosterImports(archive);
  const importId = await roster.upload(['Matric No,Surname,Email', ...list, ''].join('\n'));
  const { warnings } = await roster.run(importId, 'check');
  const { state } = await roster.apply(importId, ...warnings.map(({ kind }) => kind));
  if (state !== 'applied') await roster.approve(importId);
}

const statusOf = async ({ device }: Member) => (await device.call('GET /api/membership')).status;

test('staff confirm together only claims whose entry was asked seven days ago without an objection', async () => {
  const [asked, second, early, unasked] = [
    await createAgreeing('a'),
    await createAgreeing('b'),
    await createAgreeing('c'),
    await createAgreeing(),
  ];
  const mail = await archive.inbox.next(asked.email, subject);
  expect(mail.text).toContain('If it is not you');
  expect(mail.text).not.toContain(asked.member.document.name.last);
  await passDays(asked.id, 7);
  await passDays(second.id, 8);
  await passDays(early.id, 6);
  expect(await confirmTogether(asked, second, early, unasked)).toEqual([asked.id, second.id]);
  expect(await Promise.all([asked, second, early, unasked].map(({ member }) => statusOf(member)))).toEqual([
    'confirmed',
    'confirmed',
    'unconfirmed',
    'unconfirmed',
  ]);
  const { rows } = await archive.pool.query(
    `select subject from audit_records where action = 'claim-confirmed' and actor = $1 order by id`,
    [registrar.uid],
  );
  expect(rows.map(({ subject: id }: { subject: string }) => id).toSorted()).toEqual([asked.id, second.id].toSorted());
});

test('an objection from the address of the entry keeps the claim for staff, and the entry out of every later step', async () => {
  const claim = await createAgreeing('d');
  const { text } = await archive.inbox.next(claim.email, subject);
  const code = /not-you\?code=([\w-]+)/u.exec(text)?.[1] ?? '';
  await passDays(claim.id, 8);
  await archive.openDevice().call('POST /api/membership/disputes', { body: { code, text: 'I have no account.' } });
  expect(await confirmTogether(claim)).toEqual([]);
  expect(await statusOf(claim.member)).toBe('unconfirmed');
  expect(await registrar.device.call('GET /api/staff/claims/{id}', { params: { id: claim.id } })).toMatchObject({
    agreeing: { entryId: claim.entryId, objection: 'I have no account.' },
  });
});

test('an objection counts also after the claim was withdrawn', async () => {
  const claim = await createAgreeing('w');
  const { text } = await archive.inbox.next(claim.email, subject);
  const code = /not-you\?code=([\w-]+)/u.exec(text)?.[1] ?? '';
  await claim.member.device.call('DELETE /api/membership/claims');
  await archive.openDevice().call('POST /api/membership/disputes', { body: { code, text: 'I have no account.' } });
  const { academic, dob } = claim.member.document;
  await claim.member.device.call('POST /api/membership/claims', { body: { matricNumber: academic.matricNumber, dob } });
  await archive.runJobs();
  const { rows } = await archive.pool.query<{ id: string }>(
    `select id from claims where account_id = $1 and state = 'waiting'`,
    [claim.member.uid],
  );
  const again = { id: rows[0]?.id ?? '' };
  await passDays(again.id, 8);
  expect(await confirmTogether(again)).toEqual([]);
});

test('an objection counts also if the claim is about something else when it arrives', async () => {
  const claim = await createAgreeing('h');
  const { text } = await archive.inbox.next(claim.email, subject);
  const code = /not-you\?code=([\w-]+)/u.exec(text)?.[1] ?? '';
  const { academic, dob } = claim.member.document;
  const claimNumber = async (matricNumber: string) => {
    await claim.member.device.call('POST /api/membership/claims', { body: { matricNumber, dob } });
    await archive.runJobs();
  };
  await claimNumber('OTHER/1');
  await archive.openDevice().call('POST /api/membership/disputes', { body: { code, text: 'I have no account.' } });
  await claimNumber(academic.matricNumber);
  await passDays(claim.id, 8);
  expect(await confirmTogether(claim)).toEqual([]);
  expect(await registrar.device.call('GET /api/staff/claims/{id}', { params: { id: claim.id } })).toMatchObject({
    agreeing: { entryId: claim.entryId, objection: 'I have no account.' },
  });
  // Another entry of the same person.
  const email = `second-${claim.member.email}`;
  await addEntryOf(archive, claim.member, { matric_number: 'SECOND/1', email });
  await claimNumber('SECOND/1');
  await archive.inbox.next(email, subject);
  await passDays(claim.id, 8);
  expect(await confirmTogether(claim)).toEqual([]);
});

test('the question does not show the owner of the mailbox which birth date agrees', async () => {
  const member = await archive.createMember({}, { dob: '1992-05-17' });
  const email = `oracle-${member.uid}@mail.example`;
  await addEntryOf(archive, member, { email });
  for (const dob of ['1990-05-17', '1991-05-17', '1992-05-17', '1993-05-17']) {
    await member.device.call('POST /api/membership/claims', {
      body: { matricNumber: member.document.academic.matricNumber, dob },
    });
    await archive.runJobs();
  }
  expect(archive.inbox.to(email).map((mail) => mail.subject)).toEqual([subject, subject, subject]);
});

test('a claim that was changed, or whose entry only staff may confirm, is not confirmed together with others', async () => {
  const [changed, confidential] = [await createAgreeing('e'), await createAgreeing('f', { is_confidential: true })];
  await passDays(changed.id, 8);
  await changed.member.device.call('POST /api/membership/claims', {
    body: { matricNumber: changed.member.document.academic.matricNumber, dob: changed.member.document.dob },
  });
  expect(archive.inbox.to(confidential.email)).toEqual([]);
  expect(await confirmTogether(changed, confidential)).toEqual([]);
});

test('a claim whose entry was marked or taken by another account since is not confirmed together with others', async () => {
  const [marked, taken] = [await createAgreeing('k'), await createAgreeing('l')];
  for (const { id } of [marked, taken]) await passDays(id, 8);
  await archive.pool.query('update roster_entries set is_confidential = true where id = $1', [marked.entryId]);
  const holder = await archive.createMember();
  await archive.pool.query('insert into roster_links (entry_id, account_id) values ($1, $2)', [
    taken.entryId,
    holder.uid,
  ]);
  expect(await confirmTogether(marked, taken)).toEqual([]);
});

test('an address that an import or its undo changes is asked, and an earlier question no longer counts', async () => {
  const [changed, added] = [await createAgreeing('i'), await createAgreeing()];
  await passDays(changed.id, 8);
  const roster = await openRosterImports(archive);
  const addressOf = ({ member }: typeof changed) => `new-${member.email}`;
  const toRow = (claim: typeof changed) => {
    const { academic, name, dob } = claim.member.document;
    return [academic.matricNumber, name.last, name.first, dob, academic.department, addressOf(claim)].join(',');
  };
  const id = await roster.upload(toCsv(toRow(changed), toRow(added)));
  const body = { isPartial: true, thenCheck: true };
  await roster.registrar.device.call('PUT /api/staff/roster/imports/{id}/settings', { params: { id }, body });
  await archive.runJobs();
  await roster.apply(id, 'many-changed');
  expect(await roster.approve(id)).toMatchObject({ state: 'applied', counts: { changed: 2 } });
  expect(await confirmTogether(changed, added)).toEqual([]);
  for (const claim of [changed, added]) {
    await archive.inbox.next(addressOf(claim), subject);
    await passDays(claim.id, 8);
  }
  // The undo restores the earlier addresses.
  expect(await roster.undo(id)).toMatchObject({ state: 'undone' });
  expect(await confirmTogether(changed, added)).toEqual([]);
  expect(archive.inbox.to(changed.email)).toHaveLength(2);
  await passDays(changed.id, 8);
  expect(await confirmTogether(changed, added)).toEqual([changed.id]);
});

test('a claim whose entry was corrected since it agreed is not confirmed together with others', async () => {
  const claim = await createAgreeing('j');
  await passDays(claim.id, 8);
  await archive.pool.query(`update roster_entries set last_name = 'Zubair' where id = $1`, [claim.entryId]);
  expect(await confirmTogether(claim)).toEqual([]);
});

test('confirming many needs a password of the last five minutes, and at most fifty claims', async () => {
  const claim = await createAgreeing('g');
  const body = { items: [{ id: claim.id, version: '1' }] };
  await archive.pool.query(
    `update sessions set authenticated_at = now() - interval '6 minutes' where account_id = $1`,
    [registrar.uid],
  );
  expect(await registrar.device.code('POST /api/staff/queue/claims/confirm', { body })).toBe(
    'auth/requires-recent-login',
  );
  await archive.pool.query(`update sessions set authenticated_at = now() where account_id = $1`, [registrar.uid]);
  const many = { items: Array.from({ length: 51 }, () => body.items[0] as { id: string; version: string }) };
  expect(await registrar.device.code('POST /api/staff/queue/claims/confirm', { body: many })).toBe('validation-failed');
});

test('a claim does not count as asked after mail to the address of its entry failed', async () => {
  const claim = await createAgreeing('i');
  await passDays(claim.id, 8);
  expect(await markMailFailed(archive.context.db, claim.email, 'reported')).toEqual({
    accounts: 0,
    claims: 1,
    invitations: 0,
  });
  expect(await confirmTogether(claim)).toEqual([]);
});

test('after an import that changes the address of an entry, the new address is asked', async () => {
  const claim = await createAgreeing('j');
  await passDays(claim.id, 8);
  const email = `new-${claim.email}`;
  await importEntry(claim.entryId, ({ matric, last }) => `${matric},${last},${email}`);
  await archive.inbox.next(email, subject);
  expect(await confirmTogether(claim)).toEqual([]);
  await passDays(claim.id, 8);
  expect(await confirmTogether(claim)).toEqual([claim.id]);
});

test('staff read a claim again if an import was applied after they opened it', async () => {
  const { member, entryId, id } = await createAgreeing();
  const params = { kind: 'claim' as const, id };
  const { version } = await registrar.device.call('GET /api/staff/claims/{id}', { params });
  const decide = (version: string) =>
    registrar.device.ask('POST /api/staff/queue/{kind}/{id}/decision', {
      params,
      body: { decision: { outcome: 'confirm', entryId, seen: 'Certificate' }, version },
    });
  await importEntry(entryId, ({ matric }) => `${matric},Zubair,`);
  expect((await decide(version)).json()).toMatchObject({ code: 'review/changed' });
  const { version: next } = await registrar.device.call('GET /api/staff/claims/{id}', { params });
  expect((await decide(next)).statusCode).toBe(200);
  await importEntry(entryId, ({ matric }) => `${matric},Bello,`);
  await archive.advanceTime('31 seconds');
  await archive.runJobs();
  expect(await statusOf(member)).toBe('unconfirmed');
});
