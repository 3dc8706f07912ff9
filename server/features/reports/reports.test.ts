import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { deleteOldReportsJob } from './jobs.ts';
import { decideReport } from './decide-report.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

async function write(from: Member, to: Member): Promise<string> {
  const body = { text: 'Send me your password', shareEmail: false };
  await from.device.call('POST /api/users/{id}/messages', { params: { id: to.uid }, body });
  await archive.runJobs();
  const mail = await archive.inbox.next(to.email, 'A member wrote to you in the alumni archive');
  return /\/report\?code=(?<code>\S+)/u.exec(mail.text)?.groups?.['code'] ?? '';
}

const report = (code: string, text = '') =>
  archive.openDevice().ask('POST /api/reports', { body: { code, reason: 'phishing', text } });
interface Report {
  readonly id: string;
}
async function reports({ uid, email }: Member) {
  const { rows } = await archive.pool.query<Report>(
    `select id, subject_id, subject_name, reporter_id, reason, text, closed_at, closing_note from reports
     where subject_id = $1 or subject_email = $2 order by created_at`,
    [uid, email],
  );
  return rows;
}

test('POST /api/reports stores one report per message, without requiring a sign-in', async () => {
  const [ada, ben] = [await archive.createMember(), await archive.createMember()];
  const code = await write(ada, ben);
  expect((await archive.openDevice().call('POST /api/reports/check', { body: { code } })).sender).toBe(ada.uid);
  expect(await reports(ada)).toEqual([]);
  expect((await report(code)).statusCode).toBe(204);
  expect((await report(code, 'Send me your password')).statusCode).toBe(204);
  expect(await reports(ada)).toMatchObject([
    { reason: 'phishing', text: 'Send me your password', reporter_id: ben.uid, closed_at: null },
  ]);
  const { rows } = await archive.pool.query<{ hashes: string }>(
    'select report_hashes::text as hashes from messages where sender_id = $1',
    [ada.uid],
  );
  expect(rows[0]?.hashes).not.toContain(code.split('.')[1]);
});

test('POST /api/reports responds with “not-found” to a wrong code and to the code of a deleted message', async () => {
  const [ada, ben, eve] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
  const [toBen, toEve] = [await write(ada, ben), await write(ada, eve)];
  const mixed = `${toBen.split('.')[0]}.${toEve.split('.')[1]}`;
  for (const code of ['x', `${toBen}x`, mixed, toBen.split('.')[0] ?? ''])
    expect((await report(code)).json()).toMatchObject({ code: 'not-found' });
  await archive.pool.query('delete from messages where sender_id = $1', [ada.uid]);
  expect((await report(toBen)).statusCode).toBe(404);
  expect(await reports(ada)).toEqual([]);
});

test('POST /api/reports about a message whose report is closed opens another report', async () => {
  const [ada, ben] = [await archive.createMember(), await archive.createMember()];
  const code = await write(ada, ben);
  await report(code, 'The first time');
  const [first] = await reports(ada);
  await archive.context.db
    .transaction()
    .execute((tx) => decideReport(tx, first?.id ?? '', { outcome: 'nothing', note: 'Warned' }, null));
  expect((await report(code, 'And once more')).statusCode).toBe(204);
  expect(await reports(ada)).toMatchObject([
    { text: 'The first time', closed_at: expect.any(Date) as Date, closing_note: 'Warned' },
    { text: 'And once more', closed_at: null },
  ]);
});

test('POST /api/reports accepts twenty reports a day from the same person', async () => {
  const [ada, ben] = [await archive.createMember(), await archive.createMember()];
  const code = await write(ada, ben);
  for (let sent = 0; sent < 20; sent++) expect((await report(code)).statusCode).toBe(204);
  expect((await report(code)).statusCode).toBe(429);
});

test('a report remains when the reported account is deleted, and loses its text when the reporter’s account is deleted', async () => {
  const [ada, ben] = [await archive.createMember(), await archive.createMember()];
  await report(await write(ada, ben), 'Galumphing demands');
  const dataOf = async ({ device, uid }: Member) =>
    strFromU8(
      unzipSync(new Uint8Array((await device.fetch('GET', `/api/users/${uid}/export`)).rawPayload))['account.json'] ??
        new Uint8Array(),
    );
  expect(await dataOf(ben)).toContain('Galumphing demands');
  expect(await dataOf(ada)).not.toContain('Galumphing demands');
  await ben.device.call('DELETE /api/identity/account');
  expect(await reports(ada)).toMatchObject([{ text: '', reporter_id: null }]);
  await ada.device.call('DELETE /api/identity/account');
  expect(await reports(ada)).toMatchObject([
    { subject_id: null, subject_name: expect.stringContaining(ada.document.name.last) as string, closed_at: null },
  ]);
});

test('the nightly job deletes closed reports after 180 days, but does not delete open ones', async () => {
  const [ada, ben, eve] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
  await report(await write(ada, ben));
  await report(await write(ada, eve));
  await archive.pool.query(`update reports set closed_at = now() where reporter_id = $1`, [ben.uid]);
  const deleteOld = async () => {
    await deleteOldReportsJob.queue(archive.context.db, {});
    await archive.runJobs();
  };
  await archive.advanceTime('179 days');
  await deleteOld();
  expect(await reports(ada)).toHaveLength(2);
  await archive.advanceTime('2 days');
  await deleteOld();
  expect(await reports(ada)).toMatchObject([{ reporter_id: eve.uid }]);
});

test('POST /api/reports/check accepts a valid code after many wrong codes from the same network', async () => {
  const [ada, ben] = [await archive.createMember(), await archive.createMember()];
  const code = await write(ada, ben);
  const device = archive.openDevice();
  const check = (tried: string) => device.ask('POST /api/reports/check', { body: { code: tried } });
  for (let tried = 0; tried < 200; tried++) expect((await check('x')).statusCode).toBe(404);
  expect((await check('x')).statusCode).toBe(429);
  expect((await check(code)).statusCode).toBe(200);
});
