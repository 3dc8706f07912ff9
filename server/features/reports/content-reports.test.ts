import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Photo } from '#contract/gallery.ts';
import type { ContentKind } from '#contract/report-values.ts';
import type { ContentReport } from '#contract/reports.ts';
import type { ReportOutcome } from '#contract/staff/values.ts';
import { type Member, type TestArchive, type Visitor, openArchive, smallPicture } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { createStaff } from '#server/testing/staff.ts';
import { deleteOldReportsJob, endSuspensionsJob } from './jobs.ts';
import { reportReview } from './review.ts';

let archive: TestArchive;
let moderator: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  moderator = await createStaff(archive, 'moderator', {}, { college: 'COSIT' });
});
// Tests advance the time, and staff need a recent password.
beforeEach(
  async () =>
    void (await archive.pool.query(
      `update sessions set authenticated_at = now(), expires_at = now() + interval '1 day'`,
    )),
);
afterAll(() => archive.close());

const addPhoto = async ({ device }: Visitor, title = 'Caps in the air'): Promise<Photo> =>
  device.call('POST /api/gallery/photos', {
    body: { album: `Album of ${title}`, title, audience: 'everyone', image: await smallPicture() },
  });
const report = (device: Device, kind: ContentKind, id: string, body: ContentReport) =>
  device.call('POST /api/reports/{kind}/{id}', { params: { kind, id }, body });
const photosFor = async (device: Device) => (await device.call('GET /api/gallery/photos', { query: {} })).items;
const sees = async (device: Device, { id }: Photo) => (await photosFor(device)).some((photo) => photo.id === id);
const albumsFor = async (device: Device) =>
  (await device.call('GET /api/gallery/albums')).albums.map(({ title }) => title);
const statusOf = async (device: Device, path: string) => (await device.fetch('GET', path)).statusCode;

async function itemAbout({ uid }: Visitor): Promise<string> {
  const { rows } = await archive.pool.query<{ id: string }>(
    `select id from reports where subject_id = $1 and item_id is null and is_confirmed order by created_at desc limit 1`,
    [uid],
  );
  return rows[0]?.id ?? '';
}

async function decide(id: string, outcome: ReportOutcome, text = ''): Promise<string | null> {
  const { context } = archive;
  const decision = { outcome, text };
  const failure = await context.db
    .transaction()
    .execute((tx) => reportReview.decide(context, tx, { id, decision, decidedBy: moderator.uid }));
  context.listCache.clear();
  await archive.runJobs();
  return failure;
}

const auditOf = async (...subjects: string[]) => {
  const { rows } = await archive.pool.query<{ action: string }>(
    'select action from audit_records where subject = any($1) order by id',
    [subjects],
  );
  return rows.map(({ action }) => action);
};
const kindsFor = async ({ device }: Visitor) =>
  (await device.call('GET /api/notifications', { query: {} })).notifications.map(({ kind }) => kind);

describe('a report “I am in this picture”', () => {
  test('by a member hides the photo at once from everyone but its owner', async () => {
    const [ada, ben, eve] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
    const photo = await addPhoto(ada, 'Rag day');
    const guest = archive.openDevice();
    expect(await sees(guest, photo)).toBe(true);
    expect(await report(ben.device, 'photo', photo.id, { reason: 'in-picture' })).toEqual({ result: 'hidden' });
    for (const device of [ben.device, eve.device, guest, moderator.device]) {
      expect(await sees(device, photo)).toBe(false);
      expect(await albumsFor(device)).not.toContain('Album of Rag day');
    }
    expect((await photosFor(ada.device)).find(({ id }) => id === photo.id)?.moderation).toBe('reported');
    await archive.runJobs();
    for (const path of [photo.src, photo.thumb]) expect(await statusOf(ben.device, path)).toBe(404);
    const own = (await photosFor(ada.device)).find(({ id }) => id === photo.id);
    expect(await statusOf(ada.device, own?.src ?? '')).toBe(200);
    const mail = await archive.inbox.next(ada.email, 'Your photo is hidden while we review a report');
    expect(mail.text).toContain('Rag day');
    expect(mail.text).toContain('reply to this email');
    expect(mail.text).not.toContain(ben.document.name.last);
    expect(await kindsFor(ada)).toContain('photo-reported');
  });

  test('hides at most five photos of a member in 30 days; further ones wait for staff', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const photos: Photo[] = [];
    for (let at = 0; at < 7; at++) photos.push(await addPhoto(ada, `Photo ${at}`));
    const results: string[] = [];
    for (const { id } of photos.slice(0, 6))
      results.push((await report(ben.device, 'photo', id, { reason: 'in-picture' })).result);
    expect(results).toEqual(['hidden', 'hidden', 'hidden', 'hidden', 'hidden', 'sent']);
    expect(await sees(ben.device, photos[5] as Photo)).toBe(true);
    await archive.pool.query(`update reports set created_at = created_at - interval '31 days' where reporter_id = $1`, [
      ben.uid,
    ]);
    expect(await report(ben.device, 'photo', photos[6]?.id ?? '', { reason: 'in-picture' })).toEqual({
      result: 'hidden',
    });
  });

  test('counts a photo from when it is hidden, also if it was reported for another reason before', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const results: string[] = [];
    for (let at = 0; at < 6; at++) {
      const { id } = await addPhoto(ada, `Photo ${at}`);
      await report(ben.device, 'photo', id, { reason: 'offensive' });
      await archive.pool.query(`update reports set created_at = created_at - interval '31 days' where photo_id = $1`, [
        id,
      ]);
      results.push((await report(ben.device, 'photo', id, { reason: 'in-picture' })).result);
    }
    expect(results).toEqual(['hidden', 'hidden', 'hidden', 'hidden', 'hidden', 'sent']);
  });

  test('does not hide a photo again that staff have left visible', async () => {
    const [ada, ben, eve] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
    const photo = await addPhoto(ada);
    const hide = async ({ device }: Member) =>
      (await report(device, 'photo', photo.id, { reason: 'in-picture' })).result;
    expect(await hide(ben)).toBe('hidden');
    expect(await decide(await itemAbout(ada), 'nothing')).toBe(null);
    expect(await hide(ben)).toBe('sent');
    expect(await sees(eve.device, photo)).toBe(true);
    expect(await hide(eve), 'another member may be in it').toBe('hidden');
  });

  test('by a guest, and other reasons by members, hide nothing', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const photo = await addPhoto(ada);
    const body = { reason: 'in-picture', email: 'guest@mail.example' } as const;
    expect(await report(archive.openDevice(), 'photo', photo.id, body)).toEqual({ result: 'check-mail' });
    expect(await report(ben.device, 'photo', photo.id, { reason: 'offensive' })).toEqual({ result: 'sent' });
    expect(await sees(ben.device, photo)).toBe(true);
  });

  test('is followed by a decision: without an action, the photo is visible again', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const photo = await addPhoto(ada);
    await report(ben.device, 'photo', photo.id, { reason: 'in-picture' });
    const item = await itemAbout(ada);
    expect(await decide(item, 'nothing')).toBe(null);
    expect(await sees(ben.device, photo)).toBe(true);
    expect(await auditOf(photo.id, item)).toEqual(['photo-restored']);
    expect(await kindsFor(ada)).toContain('photo-restored');
    expect(await kindsFor(ben)).toContain('report-no-action');
    expect(await decide(item, 'nothing')).toBe('The report is already closed.');
  });
});

describe('reports by guests', () => {
  test('count after the link in the mail was opened and confirmed, and are deleted after a day otherwise', async () => {
    const ada = await archive.createMember();
    const guest = archive.openDevice();
    const email = 'reader@mail.example';
    expect(await report(guest, 'profile', ada.uid, { reason: 'deceased', email })).toEqual({ result: 'check-mail' });
    expect(await itemAbout(ada)).toBe('');
    await archive.runJobs();
    const mail = await archive.inbox.next(email, 'Confirm your report');
    const code = /report\/confirm\?code=(?<code>\S+)/u.exec(mail.text)?.groups?.['code'] ?? '';
    expect(await archive.openDevice().code('POST /api/reports/confirm', { body: { code: `${code}x` } })).toBe(
      'not-found',
    );
    for (let time = 0; time < 2; time++)
      await archive.openDevice().call('POST /api/reports/confirm', { body: { code } });
    const item = await itemAbout(ada);
    expect(await moderator.device.call('GET /api/staff/reports/{id}', { params: { id: item } })).toMatchObject({
      kind: 'profile',
      reports: [{ reason: 'deceased', by: 'guest', reporter: email, earlier: 0, justified: 0 }],
    });
    await decide(item, 'hide');
    expect((await archive.inbox.next(email, 'About your report')).text).toContain('has acted on your report');

    const other = await archive.createMember();
    await report(guest, 'profile', other.uid, { reason: 'deceased', email });
    await archive.advanceTime('25 hours');
    await deleteOldReportsJob.queue(archive.context.db, {});
    await archive.runJobs();
    const { rows } = await archive.pool.query('select from reports where subject_id = $1', [other.uid]);
    expect(rows).toEqual([]);
  });

  test('need an address, have one answer for every address, and are limited per mailbox and network', async () => {
    const ada = await archive.createMember();
    const guest = archive.openDevice();
    const send = (email?: string) =>
      guest.ask('POST /api/reports/{kind}/{id}', {
        params: { kind: 'profile', id: ada.uid },
        body: { reason: 'offensive', ...(email !== undefined && { email }) },
      });
    for (const email of [undefined, ''])
      expect((await send(email)).json()).toMatchObject({ code: 'validation-failed' });
    const answers = new Set<string>();
    for (const email of [ada.email, 'someone@mail.example', ...Array.from({ length: 5 }, () => 'busy@mail.example')])
      answers.add((await send(email)).body);
    expect([...answers]).toEqual(['{"result":"check-mail"}']);
    await archive.runJobs();
    const { rows } = await archive.pool.query(
      `select from reports where guest_email = 'busy@mail.example' and cardinality(confirm_hashes) > 0`,
    );
    expect(rows).toHaveLength(5);
    for (let mails = 0; mails < 3; mails++) await archive.inbox.next('busy@mail.example', 'Confirm your report');
    let status = 200;
    for (let sent = 0; sent < 60 && status === 200; sent++) status = (await send('more@mail.example')).statusCode;
    expect(status).toBe(429);
  });
});

describe('what can be reported', () => {
  test('is only what the reporter sees: anything else is “not-found”, as if it did not exist', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const hidden = await addPhoto(ada);
    await report(ben.device, 'photo', hidden.id, { reason: 'in-picture' });
    await ada.device.call('PUT /api/users/{id}/privacy', {
      params: { id: ada.uid },
      body: { isHidden: true, version: 'any' },
    });
    const missing = '00000000-0000-4000-8000-000000000000';
    const guest = archive.openDevice();
    for (const device of [ben.device, guest])
      for (const [kind, id] of [
        ['profile', ada.uid],
        ['profile', missing],
        ['photo', hidden.id],
        ['photo', missing],
      ] as const) {
        const params = { kind, id };
        const reason = 'offensive';
        expect((await device.ask('GET /api/reports/{kind}/{id}', { params })).body).toBe(
          (await device.ask('GET /api/reports/{kind}/{id}', { params: { ...params, id: missing } })).body,
        );
        expect(
          await device.code('POST /api/reports/{kind}/{id}', { params, body: { reason, email: 'g@mail.example' } }),
        ).toBe('not-found');
      }
    expect(
      await ben.device.code('POST /api/reports/{kind}/{id}', {
        params: { kind: 'profile', id: ben.uid },
        body: { reason: 'offensive' },
      }),
    ).toBe('permission-denied');
  });

  test('is decided once: reports about the same photo are one item, and a second one by a member replaces the first', async () => {
    const [ada, ben, eve] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
    const photo = await addPhoto(ada);
    await report(ben.device, 'photo', photo.id, { reason: 'offensive' });
    const item = await itemAbout(ada);
    const read = () => moderator.device.call('GET /api/staff/reports/{id}', { params: { id: item } });
    const { version } = await read();
    await report(eve.device, 'photo', photo.id, { reason: 'other', text: 'Second' });
    await report(ben.device, 'photo', photo.id, { reason: 'other', text: 'Galumphing' });
    const now = await read();
    expect(now.reports.map(({ text }) => text)).toEqual(['Galumphing', 'Second']);
    expect(now.version).not.toBe(version);
    await decide(item, 'hide', 'Please ask first.');
    for (const reporter of [ben, eve]) expect(await kindsFor(reporter)).toContain('report-acted');
    expect(await auditOf(photo.id, item)).toEqual(['report-read', 'photo-hidden']);
    expect((await archive.inbox.next(ada.email, 'Your photo was hidden')).text).toContain('Please ask first.');
  });
});

describe('decisions about reports', () => {
  test('taking a photo down withdraws it, restoring brings it back, and it is deleted after 30 days otherwise', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const [photo, gone] = [await addPhoto(ada, 'Restored'), await addPhoto(ada, 'Deleted')];
    for (const { id } of [photo, gone]) {
      await report(ben.device, 'photo', id, { reason: 'offensive' });
      const item = await itemAbout(ada);
      expect(await decide(item, 'take-down')).toBe(null);
      expect(await sees(ben.device, { ...photo, id })).toBe(false);
      expect(await statusOf(ben.device, id === photo.id ? photo.src : gone.src)).toBe(404);
      if (id === photo.id) {
        const picture = `/api/staff/reports/${item}/picture`;
        expect(await statusOf(moderator.device, picture)).toBe(200);
        expect(await statusOf(ben.device, picture)).toBe(403);
        await moderator.device.call('POST /api/staff/reports/{id}/restore', {
          params: { id: item },
          body: { what: 'photo' },
        });
        expect(await auditOf(photo.id)).toEqual(['photo-taken-down', 'photo-restored']);
        expect(
          await moderator.device.code('POST /api/staff/reports/{id}/restore', {
            params: { id: item },
            body: { what: 'photo' },
          }),
        ).toBe('not-found');
      }
    }
    expect(await sees(ben.device, photo)).toBe(true);
    await archive.advanceTime('31 days');
    await deleteOldReportsJob.queue(archive.context.db, {});
    await archive.runJobs();
    const own = (await photosFor(ada.device)).map(({ title }) => title);
    expect(own).toContain('Restored');
    expect(own).not.toContain('Deleted');
  });

  test('hiding a profile removes it from all lists, counts and search, and restoring brings it back', async () => {
    const department = 'Biology';
    const ada = await archive.createMember({ department, yearGraduated: 1999, yearAdmitted: 1995 });
    const ben = await archive.createMember();
    const places = async () => {
      const { items } = await ben.device.call('GET /api/users', { query: { graduatedFrom: 1999, graduatedTo: 1999 } });
      const found = await ben.device.fetch('GET', `/api/search?q=${encodeURIComponent(ada.document.name.last)}`);
      const { rows } = await archive.pool.query<{ people: number }>(
        `select coalesce(sum(people), 0)::int as people from listing_counts where year_graduated = 1999 and audience = 'members'`,
      );
      return [
        items.some(({ id }) => id === ada.uid),
        found.body.includes(ada.uid),
        rows[0]?.people,
        await statusOf(ben.device, `/api/users/${ada.uid}`),
      ];
    };
    const before = await places();
    const people = Number(before[2]);
    expect(before).toEqual([true, true, people, 200]);
    const { imgURL } = await ben.device.call('GET /api/users/{id}', { params: { id: ada.uid }, query: {} });
    await report(ben.device, 'profile', ada.uid, { reason: 'not-this-person' });
    const item = await itemAbout(ada);
    await decide(item, 'hide', 'Please write to us.');
    expect(await places()).toEqual([false, false, people - 1, 404]);
    expect(await statusOf(ben.device, imgURL ?? '')).toBe(404);
    expect(await statusOf(ada.device, `/api/users/${ada.uid}`)).toBe(200);
    const body = { ...ada.document, bio: 'A new text' };
    await ada.device.call('PUT /api/users/{id}', {
      params: { id: ada.uid },
      body: {
        ...body,
        imgURL: (await ada.device.call('GET /api/users/{id}', { params: { id: ada.uid }, query: {} })).imgURL,
      },
    });
    expect(await places()).toEqual([false, false, people - 1, 404]);
    expect((await archive.inbox.next(ada.email, 'Your profile was hidden')).text).toContain('Please write to us.');
    await moderator.device.call('POST /api/staff/reports/{id}/restore', {
      params: { id: item },
      body: { what: 'profile' },
    });
    expect(await places()).toEqual(before);
    expect(await auditOf(ada.uid)).toEqual(['profile-hidden', 'profile-restored']);
  });

  test('suspending ends all sessions, refuses sign-in with the date, and ends after seven days', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const photo = await addPhoto(ada);
    await report(ben.device, 'profile', ada.uid, { reason: 'offensive' });
    await decide(await itemAbout(ada), 'suspend', 'You insulted people.');
    expect(await ada.device.code('GET /api/notifications', { query: {} })).toBe('auth/unauthenticated');
    const signIn = { body: { email: ada.email, password: ada.password } };
    const problem = await archive.openDevice().problem('POST /api/identity/sign-in', signIn);
    expect(problem).toMatchObject({ code: 'auth/user-disabled', status: 403 });
    expect(problem.detail).toMatch(/^This account is suspended until \d+ \w+ \d{4}\. .*write to the alumni office/u);
    expect(await statusOf(ben.device, `/api/users/${ada.uid}`)).toBe(404);
    expect(await sees(ben.device, photo)).toBe(false);
    const mail = await archive.inbox.next(ada.email, 'Your account is suspended');
    for (const part of ['You insulted people.', 'reply to this email']) expect(mail.text).toContain(part);
    expect(mail.text).not.toContain(ben.document.name.last);

    await archive.advanceTime('8 days');
    await endSuspensionsJob.queue(archive.context.db, {});
    await archive.runJobs();
    expect(await statusOf(ben.device, `/api/users/${ada.uid}`)).toBe(200);
    expect(await sees(ben.device, photo)).toBe(true);
    await archive.openDevice().call('POST /api/identity/sign-in', signIn);
  });

  test('does not end a longer suspension earlier', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await report(ben.device, 'profile', ada.uid, { reason: 'offensive' });
    await moderator.device.call('PUT /api/staff/people/{id}/suspension', {
      params: { id: ada.uid },
      body: { days: 365 },
    });
    await decide(await itemAbout(ada), 'suspend');
    const { suspendedUntil } = await moderator.device.call('GET /api/staff/people/{id}', { params: { id: ada.uid } });
    expect(Date.parse(suspendedUntil ?? '') - Date.now()).toBeGreaterThan(360 * 24 * 60 * 60 * 1000);
  });

  test('restoring ends a suspension before its time, and an owner cannot be suspended', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await report(ben.device, 'profile', ada.uid, { reason: 'offensive' });
    const item = await itemAbout(ada);
    await decide(item, 'suspend');
    await moderator.device.call('POST /api/staff/reports/{id}/restore', {
      params: { id: item },
      body: { what: 'account' },
    });
    await archive
      .openDevice()
      .call('POST /api/identity/sign-in', { body: { email: ada.email, password: ada.password } });
    expect(await auditOf(ada.uid)).toEqual(['account-suspended', 'account-restored']);

    const owner = await createStaff(archive, 'owner');
    await report(ben.device, 'profile', owner.uid, { reason: 'offensive' });
    expect(await decide(await itemAbout(owner), 'suspend')).toContain('cannot be suspended');
    expect(await auditOf(owner.uid)).toEqual([]);
  });

  test('a message report can lead to a suspension, but has nothing to hide', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await archive.pool.query(
      `insert into reports (subject_id, reporter_id, reason, text) values ($1, $2, 'phishing', 'Send money')`,
      [ada.uid, ben.uid],
    );
    const item = await itemAbout(ada);
    expect(await moderator.device.call('GET /api/staff/reports/{id}', { params: { id: item } })).toMatchObject({
      kind: 'message',
      outcomes: ['nothing', 'suspend'],
      photo: null,
      hasPicture: false,
    });
    expect(await decide(item, 'hide')).toContain('only sent by email');
    expect(await decide(item, 'suspend')).toBe(null);
  });
});

test('a moderator of a college sees and decides only reports about people of it', async () => {
  const [inside, outside] = [
    await archive.createMember({ college: 'COSIT' }),
    await archive.createMember({ college: 'COHUM' }),
  ];
  const scoped = await createStaff(archive, 'moderator', { college: 'COSIT' });
  const reporter = await archive.createMember({ college: 'COHUM' });
  for (const { uid } of [inside, outside]) await report(reporter.device, 'profile', uid, { reason: 'offensive' });
  const [own, other] = [await itemAbout(inside), await itemAbout(outside)];
  const shown = await scoped.device.call('GET /api/staff/reports/{id}', { params: { id: own } });
  expect(shown.reports).toMatchObject([{ by: 'member', reporter: null }]);
  expect(await scoped.device.code('GET /api/staff/reports/{id}', { params: { id: other } })).toBe('not-found');
  expect(await statusOf(scoped.device, `/api/staff/reports/${other}/picture`)).toBe(404);
  expect(
    await scoped.device.code('POST /api/staff/reports/{id}/restore', {
      params: { id: other },
      body: { what: 'profile' },
    }),
  ).toBe('not-found');
  for (const path of [`/api/staff/reports/${own}`, `/api/staff/reports/${own}/picture`])
    expect(await statusOf(reporter.device, path)).toBe(403);
});

test('a registrar decides reports that a person has died, but only by hiding the profile or dismissing them', async () => {
  const registrar = await createStaff(archive, 'registrar', { college: 'COSIT' });
  const [ada, ben] = [await archive.createMember({ college: 'COSIT' }), await archive.createMember()];
  const [eve, far] = [await archive.createMember(), await archive.createMember({ college: 'COHUM' })];
  for (const { uid } of [ada, far]) await report(ben.device, 'profile', uid, { reason: 'deceased' });
  const id = await itemAbout(ada);
  const itemsFor = async ({ device }: Member) =>
    (await device.call('GET /api/staff/queue', { query: { kind: 'report' } })).items.map((item) => item.id);
  expect(await itemsFor(registrar)).toEqual([id]);
  expect(await itemsFor(moderator)).toEqual(expect.arrayContaining([id, await itemAbout(far)]));
  const { version, outcomes } = await registrar.device.call('GET /api/staff/reports/{id}', { params: { id } });
  expect(outcomes).toEqual(['nothing', 'hide']);
  const decideAs = (outcome: ReportOutcome) =>
    registrar.device.ask('POST /api/staff/queue/{kind}/{id}/decision', {
      params: { kind: 'report', id },
      body: { decision: { outcome }, version },
    });
  expect((await decideAs('suspend')).json()).toMatchObject({
    code: 'permission-denied',
    detail: 'Your role does not allow this decision.',
  });
  expect((await decideAs('hide')).statusCode).toBe(200);
  await archive.advanceTime('1 minute');
  await archive.runJobs();
  expect(await statusOf(eve.device, `/api/users/${ada.uid}`)).toBe(404);
  expect(await auditOf(id, ada.uid)).toEqual(['report-read', 'profile-hidden']);
});

test('a report that a person has died is only for moderators once someone gives another reason', async () => {
  const registrar = await createStaff(archive, 'registrar');
  const [ada, ben, eve] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
  await report(ben.device, 'profile', ada.uid, { reason: 'deceased' });
  const id = await itemAbout(ada);
  const read = () => registrar.device.ask('GET /api/staff/reports/{id}', { params: { id } });
  expect((await read()).statusCode).toBe(200);
  await report(eve.device, 'profile', ada.uid, { reason: 'offensive' });
  expect((await read()).statusCode).toBe(404);
  const { items } = await registrar.device.call('GET /api/staff/queue', { query: { kind: 'report' } });
  expect(items.map((item) => item.id)).not.toContain(id);
});

test('staff cannot restore what is their own, and only an owner suspends staff', async () => {
  const own = await createStaff(archive, 'moderator');
  const photo = await addPhoto(own);
  const reporter = await archive.createMember();
  await report(reporter.device, 'photo', photo.id, { reason: 'offensive' });
  const id = await itemAbout(own);
  expect(await decide(id, 'suspend')).toBe('Only an owner can suspend the account of a member of staff.');
  expect(await decide(id, 'take-down')).toBe(null);
  const restore = { params: { id }, body: { what: 'photo' } } as const;
  expect(await own.device.code('POST /api/staff/reports/{id}/restore', restore)).toBe('not-found');
  expect(await sees(reporter.device, photo)).toBe(false);
});

test('what an open report concerns is restored only by deciding the report, which a reporter does not', async () => {
  const own = await createStaff(archive, 'moderator');
  const ada = await archive.createMember();
  const photo = await addPhoto(ada);
  await report(own.device, 'photo', photo.id, { reason: 'in-picture' });
  const id = await itemAbout(ada);
  const restore = { params: { id }, body: { what: 'photo' } } as const;
  for (const { device } of [own, moderator])
    expect(await device.problem('POST /api/staff/reports/{id}/restore', restore)).toMatchObject({
      code: 'not-found',
      detail: expect.stringContaining('Decide the report') as string,
    });
  expect(await sees((await archive.createMember()).device, photo)).toBe(false);
});

test('a moderator cannot end the suspension of staff through a report', async () => {
  const [colleague, owner] = [await createStaff(archive, 'moderator'), await createStaff(archive, 'owner')];
  await report((await archive.createMember()).device, 'profile', colleague.uid, { reason: 'offensive' });
  const id = await itemAbout(colleague);
  expect(await decide(id, 'nothing')).toBe(null);
  const suspension = { params: { id: colleague.uid }, body: { days: 365 } } as const;
  await owner.device.call('PUT /api/staff/people/{id}/suspension', suspension);
  const restore = { params: { id }, body: { what: 'account' } } as const;
  expect(await moderator.device.code('POST /api/staff/reports/{id}/restore', restore)).toBe('permission-denied');
  await owner.device.call('POST /api/staff/reports/{id}/restore', restore);
  expect(await auditOf(colleague.uid)).toEqual(['account-suspended', 'account-restored']);
});

test('a report shows staff no address, department or year that the person hides from members', async () => {
  const ada = await archive.createMember({}, { visibility: { email: 'me', department: 'me', yearGraduated: 'me' } });
  await report((await archive.createMember()).device, 'profile', ada.uid, { reason: 'offensive' });
  const params = { id: await itemAbout(ada) };
  expect((await moderator.device.call('GET /api/staff/reports/{id}', { params })).subject).toMatchObject({
    id: ada.uid,
    email: '',
    department: null,
    yearGraduated: null,
  });
});

test('a moderator neither reads nor decides a report about themselves', async () => {
  const reporter = await archive.createMember();
  await report(reporter.device, 'profile', moderator.uid, { reason: 'offensive' });
  const item = await itemAbout(moderator);
  expect(await moderator.device.code('GET /api/staff/reports/{id}', { params: { id: item } })).toBe('not-found');
  expect(await decide(item, 'nothing')).toContain('Another member of staff must decide');
});

test('the data of a reported person does not show who reported them', async () => {
  const [ada, ben] = [await archive.createMember(), await archive.createMember()];
  const photo = await addPhoto(ada);
  await report(ben.device, 'photo', photo.id, { reason: 'in-picture', text: 'Frumious' });
  const dataOf = async ({ device, uid }: Member) =>
    Object.values(unzipSync(new Uint8Array((await device.fetch('GET', `/api/users/${uid}/export`)).rawPayload)))
      .map((file) => strFromU8(file))
      .join('\n');
  const [reported, reporter] = [await dataOf(ada), await dataOf(ben)];
  expect(reporter).toContain('Frumious');
  for (const word of ['Frumious', ben.uid, ben.email]) expect(reported).not.toContain(word);
  expect(reported).toContain('"hidden": "reported"');
});
