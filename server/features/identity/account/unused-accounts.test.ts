import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { SoftPasskey } from '#server/testing/passkey.ts';
import { addPasskey } from '#server/testing/second-factor.ts';
import { hideUnusedJob } from '../jobs.ts';

let archive: TestArchive;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archive-unused-'));
});
afterEach(async () => {
  await archive.close();
  rmSync(folder, { recursive: true });
});

async function openWith(hideUnusedAfterMonths: number | null): Promise<void> {
  const file = join(folder, 'institution.json');
  const institution = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...institution, ...(hideUnusedAfterMonths && { hideUnusedAfterMonths }) }));
  archive = await openArchive(inject('databases'), { INSTITUTION_FILE: file });
}

async function pass(interval: string): Promise<void> {
  await archive.advanceTime(interval);
  // Run twice, because the second run must not repeat anything.
  for (let night = 0; night < 2; night++) {
    await hideUnusedJob.queue(archive.context.db, {});
    await archive.runJobs();
  }
}

const subject = 'Your profile will be hidden';
const mailsTo = ({ email }: Member) => archive.inbox.to(email).filter((mail) => mail.subject === subject);
const signIn = ({ email, password }: Member) =>
  archive.openDevice().call('POST /api/identity/sign-in', { body: { email, password } });

async function isSeen({ uid, document }: Member): Promise<boolean> {
  archive.context.listCache.clear();
  const guest = archive.openDevice();
  const { statusCode } = await guest.ask('GET /api/users/{id}', { params: { id: uid }, query: {} });
  const { items } = await guest.call('GET /api/search', { query: { q: document.name.last } });
  const isFound = items.some(({ id }) => id === uid);
  expect([statusCode, isFound], 'profile and search agree').toEqual(isFound ? [200, true] : [404, false]);
  return isFound;
}

describe('an unused account', () => {
  test('receives two emails, is then hidden with its picture, and is shown again after a sign-in', async () => {
    await openWith(12);
    const ada = await archive.createMember();
    const passkey = new SoftPasskey();
    await addPasskey(ada.device, passkey);
    const { imgURL } = await ada.device.call('GET /api/users/{id}', { params: { id: ada.uid }, query: {} });
    const { rows: before } = await archive.pool.query<{ listed_at: Date }>(
      'select listed_at from listings order by audience',
    );
    await pass('300 days');
    expect(mailsTo(ada)).toEqual([]);
    await pass('10 days');
    expect(mailsTo(ada).map(({ text }) => /within (\d+) days/u.exec(text)?.[1])).toEqual(['60']);
    const [mail] = mailsTo(ada);
    const year = ada.document.academic.year.graduated;
    expect(mail?.html).toMatch(new RegExp(`Class of<br><span[^>]*>${year}</span>`, 'u'));
    expect(mail?.html).toMatch(/<div style="display:none[^>]*>Sign in within 60 days to keep it visible\./u);
    expect(mail?.text).not.toContain('Class of');
    await pass('45 days');
    expect(mailsTo(ada)).toHaveLength(1);
    await pass('2 days');
    expect(mailsTo(ada).map(({ text }) => /within (\d+) days/u.exec(text)?.[1])).toEqual(['60', '14']);
    await pass('13 days');
    expect(await isSeen(ada)).toBe(true);
    await pass('2 days');
    expect(await isSeen(ada)).toBe(false);
    expect(mailsTo(ada)).toHaveLength(2);
    expect((await archive.openDevice().fetch('GET', imgURL ?? '')).statusCode).toBe(404);

    const device = archive.openDevice();
    const options = await device.call('POST /api/identity/sign-in/passkey/options');
    await device.call('POST /api/identity/sign-in/passkey', { body: { passkey: passkey.get(options) } });
    expect(await isSeen(ada)).toBe(true);
    const { imgURL: now } = await device.call('GET /api/users/{id}', { params: { id: ada.uid }, query: {} });
    expect((await archive.openDevice().fetch('GET', now ?? '')).statusCode).toBe(200);
    // The original dates are restored, from 372 days before.
    const { rows: after } = await archive.pool.query<{ listed_at: Date }>(
      'select listed_at from listings order by audience',
    );
    const passed = 372 * 24 * 60 * 60 * 1000;
    expect(after.map(({ listed_at }) => listed_at.getTime() + passed)).toEqual(
      before.map(({ listed_at }) => listed_at.getTime()),
    );
    await pass('1 day');
    expect(await isSeen(ada)).toBe(true);
  });

  test('is not hidden if its owner signs in or uses a session, and gets no email if its owner has hidden the profile', async () => {
    await openWith(6);
    const [returning, staying, hidden] = [
      await archive.createMember(),
      await archive.createMember(),
      await archive.createMember(),
    ];
    await hidden.device.call('PUT /api/users/{id}/privacy', {
      params: { id: hidden.uid },
      body: { isHidden: true, version: 'any' },
    });
    for (let month = 0; month < 5; month++) {
      await pass('25 days');
      await staying.device.call('GET /api/identity/session');
    }
    expect([returning, staying, hidden].map((one) => mailsTo(one).length)).toEqual([1, 0, 0]);
    await signIn(returning);
    await pass('61 days');
    await pass('61 days');
    expect(await isSeen(returning)).toBe(true);
  });

  test('is not hidden if the setting is missing or the clock is not steady', async () => {
    await openWith(null);
    const ada = await archive.createMember();
    await pass('4000 days');
    expect(mailsTo(ada)).toEqual([]);
    await archive.close();
    await openWith(6);
    const ben = await archive.createMember();
    await archive.advanceTime('1000 days');
    await archive.pool.query(`update clock set steady_since = now() - interval '1 hour'`);
    await hideUnusedJob.queue(archive.context.db, {});
    await archive.runJobs();
    expect(mailsTo(ben)).toEqual([]);
  });
});
