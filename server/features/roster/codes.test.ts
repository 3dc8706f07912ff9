import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import { maxPrintedCodes } from '#contract/staff/codes.ts';
import { linkEntry } from '#server/domain/roster/links.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntry, enterConfirmedMode, namesake } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
let registrar: Member;
beforeEach(async () => {
  archive = await openArchive(inject('databases'));
  registrar = await createStaff(archive, 'registrar');
});
afterEach(() => archive.close());

const count = (query: { department?: string; year?: number; graduates?: 'true' } = {}) =>
  registrar.device.call('GET /api/staff/roster/codes', { query });

test('staff print codes for a part of the roster once, and the audit log has the batch', async () => {
  await addEntry(archive, { department: 'Physics', year_graduated: 2014, last_name: 'Abiola' });
  await addEntry(archive, { department: 'Physics', year_graduated: 2015, status: 'student' });
  const linked = await addEntry(archive, { department: 'Physics', year_graduated: 2014 });
  await linkEntry(archive.context.db, linked, registrar.uid);
  expect(await count()).toEqual({ people: 2 });
  expect(await count({ graduates: 'true' })).toEqual({ people: 1 });
  expect(await count({ department: 'physics', year: 2015 })).toEqual({ people: 1 });
  const { html, codes } = await registrar.device.call('POST /api/staff/roster/codes', { body: { graduates: true } });
  expect(codes).toBe(1);
  expect(html).toContain('Abiola, Ada');
  expect(html).not.toContain('<script');
  const [, code = ''] = /<p class="code">([^<]+)</u.exec(html) ?? [];
  const { rows } = await archive.pool.query(`select actor, details from audit_records where action = 'codes-printed'`);
  expect(rows).toEqual([{ actor: registrar.uid, details: { codes: 1, batch: 1, department: null, years: null } }]);
  expect(code).not.toBe('');
});

async function print(department: string): Promise<{ html: string; codes: string[] }> {
  const { html } = await registrar.device.call('POST /api/staff/roster/codes', { body: { department } });
  return { html, codes: Array.from(html.matchAll(/<p class="code">([^<]+)</gu), ([, code = '']) => code) };
}

test('a sheet has the names as text, and codes for a year, of which the archive keeps only hashes', async () => {
  await addEntry(archive, { department: 'Physics', first_name: 'Chioma', other_names: '<b>Zoë' });
  const { html, codes } = await print('Physics');
  expect(codes).toEqual([expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/u)]);
  expect(html).toContain('Chioma &lt;b&gt;Zoë');
  expect(html).toContain('/join');
  expect(html).not.toContain('<b>Zoë');
  const { rows } = await archive.pool.query<{ stored: string; days: number }>(
    `select encode(code_hash, 'escape') as stored, extract(day from expires_at - now())::int as days from membership_codes`,
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.stored).not.toContain(codes[0]?.replaceAll('-', ''));
  expect(rows[0]?.days).toBeGreaterThan(360);
});

test('no codes are printed for people who died, objected or are no longer on the roster', async () => {
  await addEntry(archive, { department: 'Law', died_on: '2021-01-01' });
  await addEntry(archive, { department: 'Law', is_deceased: true });
  await addEntry(archive, { department: 'Law', suppressed_at: new Date() });
  await addEntry(archive, { department: 'Law', gone_since: 2 });
  expect(await count({ department: 'Law' })).toEqual({ people: 0 });
  await addEntry(archive, { department: 'Law', first_name: 'Free' });
  const { html, codes } = await print('Law');
  expect(codes).toHaveLength(1);
  expect(html).toContain('Free');
});

test('printing codes ends earlier codes of the same people', async () => {
  await enterConfirmedMode(archive);
  await addEntry(archive, { department: 'Music' });
  const [first, second] = [await print('Music'), await print('Music')];
  expect(second.codes).not.toEqual(first.codes);
  const person = await archive.createMember({ ...namesake, department: 'Music' });
  const use = ({ device }: Member, code = '') => device.ask('POST /api/membership/codes', { body: { code } });
  expect((await use(person, first.codes[0])).json()).toMatchObject({ code: 'membership/wrong-code' });
  expect((await use(person, second.codes[0])).json()).toEqual({ status: 'confirmed' });
  expect((await use(await archive.createMember(), second.codes[0])).json()).toMatchObject({
    code: 'membership/wrong-code',
  });
});

test('a lost slip renews the code of one person only', async () => {
  await enterConfirmedMode(archive);
  const ada = await addEntry(archive, { department: 'Botany' });
  await addEntry(archive, { department: 'Botany', first_name: 'Bola' });
  const { codes: before } = await print('Botany');
  const { html, codes } = await registrar.device.call('POST /api/staff/roster/codes', { body: { entryId: ada } });
  expect(codes).toBe(1);
  expect(html).not.toContain('Bola');
  const [, renewed = ''] = /<p class="code">([^<]+)</u.exec(html) ?? [];
  const use = async (firstName: string, code = '') => {
    const { device } = await archive.createMember({ ...namesake, firstName, department: 'Botany' });
    return (await device.ask('POST /api/membership/codes', { body: { code } })).json<object>();
  };
  expect(await use('Ada', before[0])).toMatchObject({ code: 'membership/wrong-code' });
  expect(await use('Ada', renewed)).toEqual({ status: 'confirmed' });
  expect(await use('Bola', before[1])).toEqual({ status: 'confirmed' });
  const { rows } = await archive.pool.query(
    `select details from audit_records where action = 'codes-printed' order by id desc limit 1`,
  );
  expect(rows).toEqual([{ details: { codes: 1, batch: 2, department: null, years: null, entry: ada } }]);
  const again = await registrar.device.ask('POST /api/staff/roster/codes', { body: { entryId: ada } });
  expect(again.json<Problem>().detail).toContain('This person gets no code');
});

test('printing codes is refused where printed codes are not accepted', async () => {
  await addEntry(archive, { department: 'Drama' });
  const { acceptedEvidence } = archive.context.institution;
  const all = acceptedEvidence.splice(0, acceptedEvidence.length, 'staff-review');
  const refused = await registrar.device.ask('POST /api/staff/roster/codes', { body: { department: 'Drama' } });
  acceptedEvidence.splice(0, acceptedEvidence.length, ...all);
  expect(refused.json<Problem>().detail).toContain('does not accept printed codes');
});

test('printing more codes than fit on a sheet is refused', async () => {
  await archive.pool.query(
    `insert into roster_entries (matric_number, matric_key, last_name, first_name, words, first_import, last_import)
     select n::text, n::text, 'Okafor', 'Ada', '{}', 1, 1 from generate_series(1, $1::int) as n`,
    [maxPrintedCodes + 1],
  );
  const refused = await registrar.device.ask('POST /api/staff/roster/codes', { body: {} });
  expect(refused.json<Problem>().detail).toBe(
    'Your choice has 4001 people, and one sheet has at most 4000 codes. Choose a smaller part of the roster.',
  );
});

test('printing codes is refused for no one, and without a recent password', async () => {
  const print = (body: { department?: string } = {}) => registrar.device.ask('POST /api/staff/roster/codes', { body });
  expect((await print({ department: 'Nowhere' })).json<Problem>().detail).toBe(
    'This part of the roster has no one without a confirmed account.',
  );
  await archive.pool.query(`update sessions set authenticated_at = now() - interval '1 hour'`);
  expect((await print()).json<Problem>().code).toBe('auth/requires-recent-login');
});

test('more than 100 codes in 24 hours need an approval, which allows one batch that the confirmation names', async () => {
  const owner = await createStaff(archive, 'owner');
  await enterConfirmedMode(archive);
  await archive.pool.query(
    `insert into roster_entries (matric_number, matric_key, last_name, first_name, department, year_graduated, words, first_import, last_import)
     select n::text, n::text, 'Okafor', 'Ada', case when n <= 60 then 'Law' else 'Fine Arts' end, 2014, '{}', 1, 1
     from generate_series(1, 120) as n`,
  );
  const print = (department: string) =>
    registrar.device.ask('POST /api/staff/roster/codes', { body: { department, year: 2014 } });
  expect((await print('Law')).statusCode).toBe(200);
  await archive.pool.query(`update code_batches set printed_at = now() - interval '23 hours'`);
  for (let tries = 0; tries < 2; tries++)
    expect((await print('Fine Arts')).json<Problem>()).toMatchObject({ code: 'staff/refused' });
  const { rows } = await archive.pool.query<{ id: string }>(`select id from approvals where kind = 'codes'`);
  expect(rows).toHaveLength(1);
  await owner.device.call('POST /api/staff/approvals/{id}/approve', { params: { id: rows[0]?.id ?? '' } });
  await archive.runJobs();
  const printed = await print('Fine Arts');
  expect(printed.statusCode).toBe(200);
  expect((await print('Fine Arts')).json<Problem>()).toMatchObject({ code: 'staff/refused' });
  const { rows: records } = await archive.pool.query(
    `select details from audit_records where action = 'codes-printed' order by id`,
  );
  expect(records).toEqual([
    { details: { codes: 60, batch: 1, department: 'law', years: 2014 } },
    { details: { codes: 60, batch: 2, department: 'fine-arts', years: 2014 } },
  ]);
  const [, code = ''] = /<p class="code">([^<]+)</u.exec(printed.json<{ html: string }>().html) ?? [];
  const ada = await archive.createMember();
  await ada.device.call('POST /api/membership/codes', { body: { code } });
  const { rows: evidence } = await archive.pool.query('select detail from evidence where account_id = $1', [ada.uid]);
  expect(evidence).toEqual([{ detail: 'Code of batch 2' }]);
});
