import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { rejectClaim } from '#server/features/membership/staff-decisions.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntryOf, confirmMember, enterConfirmedMode } from '#server/testing/membership.ts';
import { createTestWeb } from '#server/testing/pages.ts';
import { makeStaff } from '#server/testing/staff.ts';

/* Pages about membership as the server renders them, and their forms without JavaScript. */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), {}, createTestWeb());
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

const open = async ({ device }: Member, path: string) => (await device.fetch('GET', path)).body;
const submit = ({ device }: Member, path: string, fields: Record<string, string>) =>
  device.fetch('POST', path, String(new URLSearchParams(fields)), {
    'content-type': 'application/x-www-form-urlencoded',
  });

const versionIn = (page: string): string => / name="version" value="([^"]+)"/u.exec(page)?.[1] ?? '';

test('the page of a vouch link refuses an answer about an earlier name, and shows the new one', async () => {
  const study = { department: 'Physics', yearGraduated: 2015, yearAdmitted: 2010 };
  const vouchers = [];
  for (let count = 0; count < 3; count++) {
    const voucher = await archive.createMember(study);
    await confirmMember(archive, voucher, { age: '8 days' });
    vouchers.push(voucher);
  }
  const [ada] = vouchers as [Member];
  const claimant = await archive.createMember(study);
  const path = new URL((await claimant.device.call('POST /api/membership/vouch-link')).url).pathname;
  const before = await open(ada, path);
  const body = {
    ...claimant.document,
    name: { ...claimant.document.name, first: 'Chidinma' },
    version: 'any' as const,
  };
  await claimant.device.call('PUT /api/users/{id}', { params: { id: claimant.uid }, body });
  const refused = await submit(ada, path, { intent: 'yes', version: versionIn(before) });
  expect(refused.statusCode).toBe(409);
  expect(refused.body).toContain('The name or class has changed since you opened this page. Please look again.');
  expect(refused.body).toContain('Chidinma');
  const saved = await submit(ada, path, { intent: 'yes', version: versionIn(refused.body) });
  expect([saved.statusCode, saved.body]).toEqual([200, expect.stringContaining('Thank you. Your answer is saved.')]);
  expect((await claimant.device.call('GET /api/membership')).vouching.received).toBe(1);
});

test('the page of a vouch link that no code can have is not found', async () => {
  const { device } = await archive.createMember();
  expect((await device.fetch('GET', `/vouch/${'a'.repeat(300)}`)).statusCode).toBe(404);
});

test('the page of a vouch link asks a class representative to log in again before their answer confirms a person', async () => {
  const department = 'Chemistry';
  const study = { department, yearGraduated: 2015, yearAdmitted: 2010 };
  const vouchers = [];
  for (let count = 0; count < 3; count++) {
    const voucher = await archive.createMember(study);
    await confirmMember(archive, voucher, { age: '8 days' });
    vouchers.push(voucher);
  }
  const [ada] = vouchers as [Member];
  await makeStaff(archive, ada, 'class-representative', { department, yearFrom: 2015, yearTo: 2015 });
  const claimant = await archive.createMember(study);
  const path = new URL((await claimant.device.call('POST /api/membership/vouch-link')).url).pathname;
  const page = await open(ada, path);
  expect(page).toContain('your “Yes” alone confirms this person');
  await archive.pool.query(`update sessions set authenticated_at = now() - interval '13 hours' where account_id = $1`, [
    ada.uid,
  ]);
  const refused = await submit(ada, path, { intent: 'yes', version: versionIn(page) });
  expect(refused.statusCode).toBe(403);
  expect(refused.body).toContain('Your answer is not saved yet.');
  expect((await claimant.device.call('GET /api/membership')).status).toBe('unconfirmed');
});

test('the page of a claim that waits says how long staff take, from their decisions of the last 90 days', async () => {
  const waiting = await archive.createMember();
  const claimants = await Promise.all(Array.from({ length: 5 }, () => archive.createMember()));
  const claim = ({ device, document }: Member) =>
    device.call('POST /api/membership/claims', {
      body: { matricNumber: document.academic.matricNumber, dob: document.dob },
    });
  async function decideAfter(interval: string) {
    for (const claimant of claimants) await claim(claimant);
    await archive.advanceTime(interval);
    for (const { uid } of claimants) {
      const { rows } = await archive.pool.query<{ id: string }>(
        `select id from claims where account_id = $1 and state = 'waiting'`,
        [uid],
      );
      const decision = { reason: 'Not found.', isImpostor: false, decidedBy: null };
      await rejectClaim(archive.context.db, rows[0]?.id ?? '', decision);
    }
    const { usualDays } = await waiting.device.call('GET /api/membership');
    return { usualDays, page: await open(waiting, '/confirm') };
  }
  await addEntryOf(archive, waiting);
  await claim(waiting);
  expect(await open(waiting, '/confirm')).toContain('Change my request');
  expect(await open(waiting, '/confirm')).not.toMatch(/check the matric number/iu);
  expect(await open(waiting, '/confirm')).toContain('A person does this, so it can take some days.');
  // The medians of 5, 10, 15 and 20 decisions.
  for (const [interval, usualDays, text] of [
    ['20 minutes', 1, '1 day'],
    ['60 hours', 2, '2 days'],
    ['12 days', 3, '3 days'],
    ['12 days', 8, '8 days'],
  ] as const) {
    const seen = await decideAfter(interval);
    expect(seen.usualDays).toBe(usualDays);
    expect(seen.page).toContain(`Others usually get an answer within ${text}.`);
    expect(seen.page).toContain('You get the answer by email');
  }
  await archive.advanceTime('91 days');
  const { device } = await archive.createMember();
  expect((await device.call('GET /api/membership')).usualDays).toBeNull();
});

const multipartType = 'multipart/form-data; boundary=frontier';

const toMultipart = (fields: Record<string, string>, file: string) =>
  [
    ...Object.entries(fields).map(
      ([name, value]) => `--frontier\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ),
    `--frontier\r\nContent-Disposition: form-data; name="document"; filename="../../a.pdf"\r\nContent-Type: application/pdf\r\n\r\n${file}\r\n`,
    '--frontier--\r\n',
  ].join('');

test('the page of a claim takes an answer with a document, and keeps the text beside a wrong one', async () => {
  const registrar = await archive.createMember();
  await makeStaff(archive, registrar, 'registrar');
  const claimant = await archive.createMember();
  const { matricNumber } = claimant.document.academic;
  await claimant.device.call('POST /api/membership/claims', { body: { matricNumber, dob: claimant.document.dob } });
  const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [
    claimant.uid,
  ]);
  const params = { id: rows[0]?.id ?? '' };
  const text = 'Which <b>name</b> did you have? https://elsewhere.example';
  await registrar.device.call('POST /api/staff/claims/{id}/questions', { params, body: { text } });
  const page = await open(claimant, '/confirm');
  expect(page).toContain('The alumni office has a question');
  expect(page).toContain('Which &lt;b&gt;name&lt;/b&gt; did you have? https://elsewhere.example');
  expect(page).not.toContain('href="https://elsewhere.example');
  const question = / name="question" value="([^"]+)"/u.exec(page)?.[1] ?? '';
  const send = (file: string, device = claimant.device) =>
    device.fetch('POST', '/confirm', toMultipart({ intent: 'answer', question, text: 'Okafor' }, file), {
      'content-type': multipartType,
    });
  for (const file of ['<html>', `%PDF-${'x'.repeat(6_000_000)}`]) {
    const refused = await send(file);
    expect(refused.statusCode).toBeGreaterThanOrEqual(400);
    expect(refused.body).toContain('Choose a photo (JPEG, PNG or WebP) or a PDF of up to 5 MB.');
    expect(refused.body).toContain('>Okafor</textarea>');
  }
  expect((await send('x'.repeat(8_000_001))).statusCode).toBe(413);
  for (const type of [multipartType, multipartType.replace('multipart', 'MULTIPART')]) {
    const guest = await archive.openDevice().fetch('POST', '/confirm', 'x'.repeat(8_000_001), { 'content-type': type });
    expect([guest.statusCode, guest.headers.connection]).toEqual([401, 'close']);
  }
  const origin = 'https://elsewhere.example';
  const elsewhere = { 'content-type': multipartType, origin };
  expect((await claimant.device.fetch('POST', '/confirm', toMultipart({}, '%PDF-'), elsewhere)).statusCode).toBe(403);
  const malformed = await claimant.device.fetch('POST', '/confirm', 'x', { 'content-type': multipartType });
  expect(malformed.statusCode).toBe(400);
  const sent = await send('%PDF-1.7');
  expect([sent.statusCode, sent.headers.location]).toEqual([303, '/confirm']);
  expect(await open(claimant, '/confirm')).toContain('You answered');
  const response = await registrar.device.ask('POST /api/staff/claims/{id}/document', { params });
  expect([response.body, response.headers['content-disposition']]).toEqual([
    '%PDF-1.7',
    'attachment; filename="document.pdf"',
  ]);
});
