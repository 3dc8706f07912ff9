import { strFromU8, unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import type { AnnouncementScope } from '#contract/staff/announcements.ts';
import { wholeInstitution } from '#contract/staff/scope.ts';
import { decideApproval } from '#server/domain/staff/approvals.ts';
import { createRandom } from '#server/seed/random.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import type { ArrivedMail } from '#server/testing/inbox.ts';
import { confirmMember, enterConfirmedMode } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';
import { findTraces } from '#server/testing/traces.ts';
import { announcementMailJob, sendAnnouncementsJob } from './jobs.ts';

let archive: TestArchive;
let owner: Member;
beforeEach(async () => {
  archive = await openArchive(inject('databases'));
  owner = await createStaff(archive, 'owner', {}, { college: 'COHUM' });
});
afterEach(() => archive.close());

const subject = 'The reunion is in May';
const text = 'We meet at the rock.\nBring a friend.\n\nRead more at https://alumni.example/reunion?a=1&b=2.';

async function write({ device }: Member, scope: Partial<AnnouncementScope> = {}, content = { subject, text }) {
  const { id } = await device.call('POST /api/staff/announcements');
  const body = { ...content, scope: { ...wholeInstitution, ...scope }, version: 1 };
  const { version, recipients } = await device.call('PUT /api/staff/announcements/{id}', { params: { id }, body });
  return { id, version, recipients };
}
const read = ({ device }: Member, id: string) => device.call('GET /api/staff/announcements/{id}', { params: { id } });
const send = ({ device }: Member, { id, version }: { id: string; version: number }) =>
  device.ask('POST /api/staff/announcements/{id}/send', { params: { id }, body: { version } });
const stop = ({ device }: Member, id: string) =>
  device.ask('POST /api/staff/announcements/{id}/stop', { params: { id } });
const detailOf = (response: Awaited<ReturnType<typeof send>>) => response.json<Problem>().detail;

async function announce(by: Member, scope: Partial<AnnouncementScope> = {}): Promise<string> {
  const draft = await write(by, scope);
  expect((await send(by, draft)).json()).toEqual({ result: 'sending' });
  await archive.runJobs();
  return draft.id;
}

const announcements = () => archive.inbox.all().filter((mail) => mail.subject === subject);
const mailsTo = ({ email }: { email: string }) => archive.inbox.to(email).filter((mail) => mail.subject === subject);
const setAccount = ({ uid }: { uid: string }, sets: string) =>
  archive.pool.query(`update accounts set ${sets} where id = $1`, [uid]);

interface Person {
  readonly email: string;
  readonly college: string;
  readonly department: string;
  readonly yearGraduated: number;
}

async function addPeople(people: readonly Person[]): Promise<void> {
  await archive.pool.query(
    `with wanted as (
       select * from jsonb_to_recordset($2) as w(email text, college text, department text, "yearGraduated" smallint)),
     added as (
       insert into accounts (email, email_verified, display_name, password_hash)
       select email, true, 'Member', '!' from wanted returning id, email)
     insert into profiles select made.* from profiles p, added join wanted using (email),
       jsonb_populate_record(p, jsonb_build_object('account_id', added.id, 'college', wanted.college, 'department', wanted.department,
         'year_graduated', wanted."yearGraduated")) as made
     where p.account_id = $1`,
    [owner.uid, JSON.stringify(people)],
  );
}

const peopleOf = (count: number, department: string): Person[] =>
  Array.from({ length: count }, (_, index) => ({
    email: `${department.toLowerCase()}${index}@mail.example`,
    college: 'COSIT',
    department,
    yearGraduated: 2010,
  }));

const oneClickUrl = ({ raw }: ArrivedMail): string => /^List-Unsubscribe:\s+<([^>]+)>/imu.exec(raw)?.[1] ?? '';

/** Sends the request of RFC 8058 as mail programs do: from their own servers, without cookies and origin. */
const clickOnce = (url: string, contentType = 'application/x-www-form-urlencoded') =>
  archive.app.inject({
    method: 'POST',
    url: url.replace('http://localhost:3000', ''),
    headers: { 'content-type': contentType },
    payload: 'List-Unsubscribe=One-Click',
  });

describe('an announcement', () => {
  test('is saved as a draft, previewed with real names, and arrives with paragraphs, links and a greeting', async () => {
    const ada = await archive.createMember({ college: 'COSIT', department: 'Physics' });
    const shy = await archive.createMember({ college: 'COSIT', department: 'Physics' }, { visibility: { name: 'me' } });
    const draft = await write(owner, { department: 'Physics' });
    expect(await read(owner, draft.id)).toMatchObject({ subject, text, state: 'draft', recipients: 2 });
    const { previews } = await owner.device.call('GET /api/staff/announcements/{id}/preview', {
      params: { id: draft.id },
    });
    const { first, last } = ada.document.name;
    expect(previews).toMatchObject([{ greeting: `Dear ${first} ${last},`, paragraphs: text.split('\n\n') }]);

    await send(owner, draft);
    await archive.runJobs();
    const [mail] = mailsTo(ada);
    expect(mail?.text).toContain(`Dear ${first} ${last},\n\n${text}`);
    expect(mail?.html).toContain('We meet at the rock.<br>Bring a friend.</p>');
    expect(mail?.html).toContain('href="https://alumni.example/reunion?a=1&#38;b=2"');
    expect(mailsTo(shy), 'people who hide their name get it too').toHaveLength(1);
    expect(mailsTo(owner)).toEqual([]);
    expect(await read(owner, draft.id)).toMatchObject({ state: 'sent', people: 2, progress: { sent: 2, waiting: 0 } });
    const { rows } = await archive.pool.query(
      `select details from audit_records where action = 'announcement-sent' and subject = $1`,
      [draft.id],
    );
    const codes = { college: null, department: 'physics', yearFrom: null, yearTo: null };
    expect(rows).toEqual([{ details: { people: 2, ...codes } }]);
  });

  test('has bold text, links with a label and lists, and shows all HTML as text', async () => {
    const ada = await archive.createMember({ college: 'COSIT', department: 'Physics' });
    const content = {
      subject,
      text: '**Programme:** <b>all</b>\n- [Sign up](https://alumni.example/?a=1&b="2)\n- [Sign up](https://alumni.example/?a=1&b=2)\n- [x](javascript:alert(1))',
    };
    await send(owner, await write(owner, { department: 'Physics' }, content));
    await archive.runJobs();
    const [mail] = mailsTo(ada);
    expect(mail?.text).toContain('Programme: <b>all</b>\n');
    expect(mail?.text).toContain('- Sign up (https://alumni.example/?a=1&b=2)\n');
    expect(mail?.html).toContain('<strong>Programme:</strong> &#60;b&#62;all&#60;/b&#62;</p>');
    expect(mail?.html).toMatch(/<li><a href="https:\/\/alumni\.example\/\?a=1&#38;b=2" [^>]+>Sign up<\/a><\/li>/u);
    expect(mail?.html).toContain('<li>[x](javascript:alert(1))</li>');
    expect(mail?.html).not.toMatch(/href="javascript|<b>|b="2/u);
  });

  test('can be sent as a test to its author only, who cannot unsubscribe by it', async () => {
    await archive.createMember({ college: 'COSIT', department: 'Physics' });
    const test = (id: string) => owner.device.ask('POST /api/staff/announcements/{id}/test', { params: { id } });
    const draft = await write(owner, { department: 'Physics' });
    expect((await test(draft.id)).statusCode).toBe(204);
    await archive.runJobs();
    expect(announcements()).toEqual([]);
    const [mail, ...others] = archive.inbox.all().filter((one) => one.subject === `Test: ${subject}`);
    expect(others).toEqual([]);
    expect(archive.inbox.to(owner.email)).toContain(mail);
    expect(mail?.text).toContain('We meet at the rock.');
    expect(mail?.raw).not.toMatch(/unsubscribe/iu);
    expect(await read(owner, draft.id)).toMatchObject({ state: 'draft', progress: { sent: 0, waiting: 0 } });
    const empty = await write(owner, {}, { subject: '', text: '' });
    expect(detailOf(await test(empty.id))).toBe('Write a subject and a text first.');
    await send(owner, draft);
    expect(detailOf(await test(draft.id))).toContain('has been sent');
  });

  test('can be an empty draft, and is not saved over a version that someone else has saved', async () => {
    const { id } = await owner.device.call('POST /api/staff/announcements');
    const save = (body: { subject: string; text: string; version: number }) =>
      owner.device.ask('PUT /api/staff/announcements/{id}', {
        params: { id },
        body: { scope: wholeInstitution, ...body },
      });
    expect((await save({ subject: '', text: '', version: 1 })).statusCode).toBe(200);
    expect(detailOf(await save({ subject, text, version: 1 }))).toContain('Someone else has changed this draft');
    expect(detailOf(await send(owner, { id, version: 2 }))).toBe('Write a subject and a text first.');
    await owner.device.call('DELETE /api/staff/announcements/{id}', { params: { id } });
    expect((await owner.device.call('GET /api/staff/announcements')).announcements).toEqual([]);
  });

  test('needs a recent password, a role with the right, and a recipient', async () => {
    const moderator = await createStaff(archive, 'moderator');
    expect((await moderator.device.ask('POST /api/staff/announcements')).statusCode).toBe(403);
    expect(detailOf(await send(owner, await write(owner, { department: 'Nothing' })))).toContain('has no recipients');
    const draft = await write(owner);
    await archive.pool.query(`update sessions set authenticated_at = now() - interval '10 minutes'`);
    expect((await send(owner, draft)).json<Problem>().code).toBe('auth/requires-recent-login');
    expect(await read(owner, draft.id)).toMatchObject({ state: 'draft' });
  });

  test('needs a recent password also if it needs an approval', async () => {
    await addPeople(peopleOf(501, 'Botany'));
    const draft = await write(owner, { department: 'Botany' });
    await archive.pool.query(`update sessions set authenticated_at = now() - interval '10 minutes'`);
    expect((await send(owner, draft)).json<Problem>().code).toBe('auth/requires-recent-login');
  });

  test('needs an approval if it and the others of its author in 24 hours go to more than 500 people', async () => {
    await addPeople([...peopleOf(300, 'Botany'), ...peopleOf(201, 'Geology')]);
    const drafts = [await write(owner, { department: 'Botany' }), await write(owner, { department: 'Geology' })];
    const needsApproval = async (by: Member, { id }: { id: string }) => (await read(by, id)).needsApproval;
    for (const draft of drafts) expect(await needsApproval(owner, draft)).toBe(false);
    const answers = await Promise.all(drafts.map((draft) => send(owner, draft)));
    const results = answers.map((answer) => answer.json<{ result: string }>().result);
    expect(results.toSorted()).toEqual(['requested', 'sending']);
    for (const [at, draft] of drafts.entries())
      expect(await needsApproval(owner, draft)).toBe(results[at] === 'requested');
    const registrar = await createStaff(archive, 'registrar');
    const other = await write(registrar, { department: 'Geology' });
    expect(await needsApproval(registrar, other)).toBe(false);
    expect((await send(registrar, other)).json()).toEqual({ result: 'sending' });
  });

  test('goes only to active members whose mail works and who have signed in', async () => {
    const members: Member[] = [];
    for (let index = 0; index < 7; index++) members.push(await archive.createMember({ college: 'COSIT' }));
    const [plain, suspended, unverified, failing, imported, unused, off] = members as [Member, ...Member[]];
    await archive.signUpVerified();
    await setAccount(suspended as Member, 'disabled_at = now()');
    await setAccount(unverified as Member, 'email_verified = false');
    await setAccount(failing as Member, `mail_failed_at = now(), mail_failed_to = email, mail_fault = 'no-mailbox'`);
    await setAccount(imported as Member, `hidden_until_sign_in = 'imported'`);
    await setAccount(unused as Member, `hidden_until_sign_in = 'unused'`);
    await off?.device.call('PUT /api/contact/choices', { body: { takesAnnouncements: false } });
    expect(await off?.device.call('GET /api/contact/choices')).toEqual({
      takesMessages: true,
      takesAnnouncements: false,
    });
    await announce(owner, { college: 'COSIT' });
    expect(new Set(announcements().map(({ to }) => to))).toEqual(new Set([plain.email, unused?.email]));
  });

  test('goes only to confirmed members if the institution confirms its members', async () => {
    const [confirmed] = [await archive.createMember(), await archive.createMember()];
    await enterConfirmedMode(archive);
    await confirmMember(archive, confirmed);
    await announce(owner);
    expect(announcements().map(({ to }) => to)).toEqual([confirmed.email]);
  });
});

describe('the scope of an announcement', () => {
  test('never includes anyone outside it or outside the scope of the role', async () => {
    const random = createRandom(11);
    const [colleges, departments, years] = [
      ['COSIT', 'COHUM'],
      ['Physics', 'English'],
      [2001, 2005, 2010],
    ] as const;
    const people = Array.from({ length: 60 }, (_, index) => ({
      email: `property${index}@mail.example`,
      college: random.pick(colleges),
      department: random.pick(departments),
      yearGraduated: random.pick(years),
    }));
    await addPeople(people);
    const registrar = await createStaff(archive, 'registrar', { college: 'COSIT' }, { college: 'COHUM' });
    const isAddressed = (scope: AnnouncementScope) => (person: Person) =>
      (scope.college ?? person.college) === person.college &&
      (scope.department ?? person.department) === person.department &&
      (scope.yearFrom ?? 0) <= person.yearGraduated &&
      person.yearGraduated <= (scope.yearTo ?? 9999);
    for (let round = 0; round < 30; round++) {
      const scope: AnnouncementScope = {
        college: random.pick([...colleges]),
        department: random.pick([null, ...departments]),
        yearFrom: random.pick([null, ...years]),
        yearTo: random.pick([null, ...years]),
      };
      const expected = people.filter(isAddressed(scope)).length;
      const staff = [owner, registrar].map(({ email, document: { academic } }) => ({
        ...academic,
        email,
        yearGraduated: academic.year.graduated,
      }));
      const own = staff.filter(isAddressed(scope)).length;
      expect((await write(owner, scope)).recipients, JSON.stringify(scope)).toBe(expected + own);
      const answer = await write(registrar, scope).catch(() => null);
      expect(answer?.recipients ?? null, JSON.stringify(scope)).toBe(scope.college === 'COSIT' ? expected : null);
    }
    const id = await announce(registrar, { college: 'COSIT', department: 'Physics', yearFrom: 2005 });
    const inside = people.filter(
      isAddressed({ college: 'COSIT', department: 'Physics', yearFrom: 2005, yearTo: null }),
    );
    expect(
      announcements()
        .map(({ to }) => to)
        .toSorted(),
    ).toEqual(inside.map(({ email }) => email).toSorted());
    expect(await read(registrar, id)).toMatchObject({ people: inside.length });
  });

  test('hides announcements to other parts from a role with a scope', async () => {
    const registrar = await createStaff(archive, 'registrar', { college: 'COSIT' });
    const other = await write(owner, { college: 'COHUM' });
    const everyone = await write(owner);
    const own = await write(owner, { college: 'COSIT' });
    const { announcements: listed } = await registrar.device.call('GET /api/staff/announcements');
    expect(listed.map(({ id }) => id)).toEqual([own.id]);
    for (const { id, version } of [other, everyone]) {
      expect((await send(registrar, { id, version })).statusCode).toBe(404);
      expect((await stop(registrar, id)).statusCode).toBe(404);
      for (const path of ['', '/preview'] as const)
        expect(
          (await registrar.device.ask(`GET /api/staff/announcements/{id}${path}`, { params: { id } })).statusCode,
        ).toBe(404);
    }
  });
});

describe('the sending', () => {
  test('queues 100 mails every ten minutes, and each recipient gets one after crashes and repeated jobs', async () => {
    await addPeople(peopleOf(230, 'Botany'));
    const id = await announce(owner, { department: 'Botany' });
    expect(announcements()).toHaveLength(100);
    expect(await read(owner, id)).toMatchObject({ state: 'sending', progress: { sent: 100, waiting: 130 } });

    // The process ends after the batch was committed, and the jobs run again.
    const { rows } = await archive.pool.query<{ account_id: string }>('select account_id from announcement_recipients');
    for (const { account_id: accountId } of rows.slice(0, 120))
      await announcementMailJob.queue(archive.context.db, { announcementId: id, accountId });
    await archive.runJobs();
    await archive.advanceTime('10 minutes');
    await sendAnnouncementsJob.queue(archive.context.db, {});
    await archive.runJobs();
    for (let batch = 0; batch < 2; batch++) {
      await archive.advanceTime('10 minutes');
      await archive.runJobs();
    }
    const addresses = announcements().map(({ to }) => to);
    expect(addresses).toHaveLength(230);
    expect(new Set(addresses).size).toBe(230);
    expect(await read(owner, id)).toMatchObject({ state: 'sent', progress: { sent: 230, waiting: 0 } });
  });

  test(
    'shares its batches with another announcement, so that a short one does not wait for a long one',
    { tags: ['release'] },
    async () => {
      await addPeople([...peopleOf(230, 'Botany'), ...peopleOf(20, 'Geology')]);
      const long = await announce(owner, { department: 'Botany' });
      const short = await announce(owner, { department: 'Geology' });
      await archive.advanceTime('10 minutes');
      await archive.runJobs();
      expect(await read(owner, short)).toMatchObject({ state: 'sent', progress: { sent: 20, waiting: 0 } });
      expect(await read(owner, long)).toMatchObject({ state: 'sending', progress: { sent: 180, waiting: 50 } });
    },
  );

  test('can be stopped: no further mail is sent', async () => {
    await addPeople(peopleOf(130, 'Botany'));
    const id = await announce(owner, { department: 'Botany' });
    expect((await stop(owner, id)).statusCode).toBe(204);
    await archive.advanceTime('10 minutes');
    await archive.runJobs();
    expect(announcements()).toHaveLength(100);
    expect(await read(owner, id)).toMatchObject({ state: 'stopped', progress: { sent: 100, leftOut: 30, waiting: 0 } });
    expect(detailOf(await stop(owner, id))).toBe('This announcement is not being sent.');
  });

  test('leaves out people who unsubscribe, or are suspended, while it runs', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const draft = await write(owner);
    await send(owner, draft);
    await ada.device.call('PUT /api/contact/choices', { body: { takesAnnouncements: false } });
    await setAccount(ben, 'disabled_at = now()');
    await archive.runJobs();
    expect([...mailsTo(ada), ...mailsTo(ben)]).toEqual([]);
    expect(mailsTo(owner)).toHaveLength(1);
    expect(await read(owner, draft.id)).toMatchObject({ people: 3, progress: { sent: 1, leftOut: 2 } });
  });

  test('counts addresses that are refused permanently, at once or later, and sends to the others', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    archive.inbox.simulateFault({ at: 'recipient', does: '550 5.1.1 No such user', to: ada.email });
    const id = await announce(owner);
    archive.inbox.simulateFault(null);
    expect(await read(owner, id)).toMatchObject({ progress: { sent: 2, bounced: 1, waiting: 0 } });
    expect(mailsTo(ben)).toHaveLength(1);
    await setAccount(ben, `mail_failed_at = now(), mail_failed_to = email, mail_fault = 'reported'`);
    expect(await read(owner, id)).toMatchObject({ progress: { sent: 2, bounced: 2 } });
  });
});

describe('an approval', () => {
  const decide = async (decision: 'approved' | 'refused') => {
    const { rows } = await archive.pool.query<{ id: string }>(`select id from approvals where state = 'waiting'`);
    await archive.context.db.transaction().execute((tx) => decideApproval(tx, rows[0]?.id ?? '', decision, null));
    await archive.runJobs();
  };

  test('is needed above 500 people, and then the text is sent', async () => {
    await addPeople(peopleOf(501, 'Botany'));
    const draft = await write(owner, { department: 'Botany' });
    expect(draft.recipients).toBe(501);
    expect((await send(owner, draft)).json()).toEqual({ result: 'requested' });
    await archive.runJobs();
    expect(announcements()).toEqual([]);
    expect(await read(owner, draft.id)).toMatchObject({ state: 'requested', runsAt: expect.any(String) });
    expect(detailOf(await send(owner, draft))).toBe('Approval has already been requested.');
    const { approvals } = await owner.device.call('GET /api/staff/approvals');
    expect(approvals).toMatchObject([{ kind: 'announcement', people: 501, about: `“${subject}”, Botany` }]);
    await decide('approved');
    expect(announcements()).toHaveLength(100);
    expect(await read(owner, draft.id)).toMatchObject({ state: 'sending', people: 501 });
  });

  test('is cancelled by an edit, and one that was given just before does not send the edited text', async () => {
    await addPeople(peopleOf(501, 'Botany'));
    const draft = await write(owner, { department: 'Botany' });
    const edit = (version: number) =>
      owner.device.call('PUT /api/staff/announcements/{id}', {
        params: { id: draft.id },
        body: { subject, text: 'Another text', scope: { ...wholeInstitution, department: 'Botany' }, version },
      });
    await send(owner, draft);
    await edit(2);
    expect(await read(owner, draft.id)).toMatchObject({ state: 'draft' });
    const { approvals } = await owner.device.call('GET /api/staff/approvals');
    expect(approvals).toMatchObject([{ state: 'cancelled' }]);

    await send(owner, { ...draft, version: 3 });
    await archive.pool.query(`update approvals set state = 'approved' where state = 'waiting'`);
    await edit(3);
    expect((await owner.device.call('GET /api/staff/approvals')).approvals).not.toContainEqual(
      expect.objectContaining({ state: 'approved' }),
    );
    // As if the approval had begun to run just before the edit.
    await archive.pool.query(
      `update approvals set state = 'waiting' where id = (select id from approvals order by requested_at desc limit 1)`,
    );
    await decide('approved');
    expect(announcements()).toEqual([]);
    expect(await read(owner, draft.id)).toMatchObject({
      state: 'draft',
      failure: 'The announcement was changed after the request.',
    });
  });
});

describe('unsubscribing', () => {
  test('takes one POST to the address in the headers of the mail, which works any number of times', async () => {
    const ada = await archive.createMember();
    const id = await announce(owner);
    const [mail] = mailsTo(ada);
    expect(mail?.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/imu);
    const url = oneClickUrl(mail as ArrivedMail);
    expect(mail?.text, 'the mail has the same link').toContain(url);
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain']) {
      const answer = await clickOnce(url, type);
      expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([200, undefined]);
      expect(answer.body).toContain('You are unsubscribed');
    }
    expect(await ada.device.call('GET /api/contact/choices')).toEqual({
      takesMessages: true,
      takesAnnouncements: false,
    });
    expect(await read(owner, id)).toMatchObject({ progress: { sent: 2, unsubscribed: 1 } });

    await announce(owner);
    expect(mailsTo(ada)).toHaveLength(1);
    expect(mailsTo(owner)).toHaveLength(2);
    // Mails about the account still arrive.
    await ada.device.call('POST /api/identity/password-reset', { body: { email: ada.email } });
    await archive.runJobs();
    await archive.inbox.next(ada.email, /password/u);
  });

  test('and the announcements that arrived are in the data of their recipient', async () => {
    const ada = await archive.createMember();
    await announce(owner);
    await clickOnce(oneClickUrl(mailsTo(ada)[0] as ArrivedMail));
    const { rawPayload } = await ada.device.ask('GET /api/users/{id}/export', { params: { id: ada.uid } });
    const account: unknown = JSON.parse(strFromU8(unzipSync(rawPayload)['account.json'] ?? new Uint8Array()));
    const time = expect.stringMatching(/^\d{4}-/u);
    expect(account).toMatchObject({
      takesAnnouncements: false,
      announcements: [{ subject, sentAt: time, unsubscribedAt: time }],
    });
    const own = await owner.device.ask('GET /api/users/{id}/export', { params: { id: owner.uid } });
    expect(JSON.parse(strFromU8(unzipSync(own.rawPayload)['account.json'] ?? new Uint8Array()))).toMatchObject({
      writtenAnnouncements: [{ subject, text, sentAt: time }],
    });
  });

  test('is not caused by opening the link', async () => {
    const ada = await archive.createMember();
    await announce(owner);
    const path = oneClickUrl(mailsTo(ada)[0] as ArrivedMail).replace('http://localhost:3000', '');
    for (const method of ['GET', 'HEAD'] as const)
      expect((await archive.app.inject({ method, url: path })).statusCode).toBe(200);
    expect((await archive.app.inject({ url: path })).body).toContain('<button>Unsubscribe</button>');
    expect(await ada.device.call('GET /api/contact/choices')).toMatchObject({ takesAnnouncements: true });
  });

  test('is refused for a code that is not from a mail', async () => {
    const ada = await archive.createMember();
    await announce(owner);
    const url = oneClickUrl(mailsTo(ada)[0] as ArrivedMail);
    for (const wrong of [
      url.slice(0, -1),
      url.replace(/code=.{8}/u, 'code=00000000'),
      '/unsubscribe',
      `${url}&code=x`,
    ]) {
      const answer = await clickOnce(wrong);
      expect([answer.statusCode, answer.body.includes('This link does not work')]).toEqual([404, true]);
    }
    expect(await ada.device.call('GET /api/contact/choices')).toMatchObject({ takesAnnouncements: true });
  });

  test('leaves no code in the database, the queue or the log', async () => {
    const ada = await archive.createMember();
    await announce(owner);
    const [, token = ''] = oneClickUrl(mailsTo(ada)[0] as ArrivedMail).split('.');
    expect(token).toHaveLength(43);
    expect(await findTraces(archive, new Map([['the code', [token.toLowerCase()]]]))).toEqual([]);
  });
});

describe('a class representative', () => {
  const ofClass = { department: 'Physics', yearFrom: 2010, yearTo: 2011 };
  const createRepresentative = () =>
    createStaff(
      archive,
      'class-representative',
      { ...ofClass },
      { college: 'COSIT', department: 'Physics', yearGraduated: 2010 },
    );

  test('writes to exactly their class, whatever the scope of the draft is', async () => {
    const representative = await createRepresentative();
    const [inside, ...outside] = [
      await archive.createMember({ college: 'COSIT', department: 'Physics', yearGraduated: 2011 }),
      await archive.createMember({ college: 'COSIT', department: 'Physics', yearGraduated: 2012 }),
      await archive.createMember({ college: 'COSIT', department: 'Chemistry', yearGraduated: 2010 }),
    ];
    const { id } = await representative.device.call('POST /api/staff/announcements');
    expect((await read(representative, id)).scope).toEqual({ college: null, ...ofClass });
    for (const scope of [
      {},
      { college: 'COSIT' },
      { department: 'Physics' },
      { department: 'Physics', yearFrom: 2010 },
      { ...ofClass, yearTo: 2012 },
      { ...ofClass, department: 'Chemistry' },
    ]) {
      const body = { subject, text, scope: { ...wholeInstitution, ...scope }, version: 1 };
      const answer = await representative.device.ask('PUT /api/staff/announcements/{id}', { params: { id }, body });
      expect(detailOf(answer)).toBe('You can write only to the part of the institution that your role is limited to.');
    }
    await announce(representative, ofClass);
    expect(mailsTo(inside)).toHaveLength(1);
    expect(outside.flatMap(mailsTo)).toEqual([]);
  });

  test('neither reads nor changes nor stops what the office writes to the class', async () => {
    const representative = await createRepresentative();
    const draft = await write(owner, ofClass);
    const params = { id: draft.id };
    expect((await representative.device.call('GET /api/staff/announcements')).announcements).toEqual([]);
    const body = { subject, text, scope: { ...wholeInstitution, ...ofClass }, version: draft.version };
    for (const answer of [
      await representative.device.ask('GET /api/staff/announcements/{id}', { params }),
      await representative.device.ask('PUT /api/staff/announcements/{id}', { params, body }),
      await representative.device.ask('DELETE /api/staff/announcements/{id}', { params }),
      await send(representative, draft),
      await stop(representative, draft.id),
    ])
      expect(answer.statusCode).toBe(404);
    const own = await write(representative, ofClass);
    expect((await read(owner, own.id)).recipients).toBe(1);
  });
});

describe('an announcement that is sent later', () => {
  const sendLater = ({ device }: Member, { id, version }: { id: string; version: number }, sendAt: string) =>
    device.ask('POST /api/staff/announcements/{id}/send', { params: { id }, body: { version, sendAt } });
  const inHours = (hours: number) => new Date(Date.now() + hours * 60 * 60 * 1000).toISOString();

  test('goes at its time to those who are recipients then', async () => {
    const [ada, ben] = [
      await archive.createMember({ department: 'Physics' }),
      await archive.createMember({ department: 'Physics' }),
    ];
    const draft = await write(owner, { department: 'Physics' });
    for (const wrong of [inHours(-1), inHours(24 * 61)])
      expect(detailOf(await sendLater(owner, draft, wrong))).toBe('Choose a time in the next 60 days.');
    const sendAt = inHours(5);
    expect((await sendLater(owner, draft, sendAt)).json()).toEqual({ result: 'scheduled' });
    await archive.runJobs();
    expect(announcements()).toEqual([]);
    expect(await read(owner, draft.id)).toMatchObject({ state: 'scheduled', sendAt, recipients: 2 });
    const body = { subject, text, scope: wholeInstitution, version: draft.version };
    const changed = await owner.device.ask('PUT /api/staff/announcements/{id}', { params: { id: draft.id }, body });
    expect(detailOf(changed)).toBe('This announcement is scheduled. Cancel the sending first.');
    const chi = await archive.createMember({ department: 'Physics' });
    await setAccount(ben, 'takes_announcements = false');
    await archive.advanceTime('6 hours');
    await archive.runJobs();
    expect([ada, ben, chi].map((member) => mailsTo(member).length)).toEqual([1, 0, 1]);
    expect(await read(owner, draft.id)).toMatchObject({ state: 'sent', people: 2 });
  });

  test('can be cancelled before its time, and becomes a draft that can be sent again', async () => {
    await archive.createMember({ department: 'Physics' });
    const draft = await write(owner, { department: 'Physics' });
    await sendLater(owner, draft, inHours(5));
    expect((await stop(owner, draft.id)).statusCode).toBe(204);
    const { version } = await read(owner, draft.id);
    await sendLater(owner, { id: draft.id, version }, inHours(30));
    await archive.advanceTime('6 hours');
    await archive.runJobs();
    expect(announcements()).toEqual([]);
    expect(await read(owner, draft.id)).toMatchObject({ state: 'scheduled' });
  });

  test('is not sent for someone who may no longer send it', async () => {
    await archive.createMember({ department: 'Physics' });
    const draft = await write(owner, { department: 'Physics' });
    await sendLater(owner, draft, inHours(5));
    await archive.pool.query(`update staff_roles set role = 'moderator' where account_id = $1`, [owner.uid]);
    await archive.advanceTime('6 hours');
    await archive.runJobs();
    expect(announcements()).toEqual([]);
    expect((await archive.pool.query('select state from announcements')).rows).toEqual([{ state: 'draft' }]);
  });

  test('is a draft again if who scheduled it has deleted the account', async () => {
    await archive.createMember({ department: 'Physics' });
    const registrar = await createStaff(archive, 'registrar');
    const draft = await write(registrar, { department: 'Physics' });
    await sendLater(registrar, draft, inHours(5));
    await registrar.device.call('DELETE /api/identity/account');
    await archive.advanceTime('6 hours');
    await archive.runJobs();
    expect(announcements()).toEqual([]);
    expect(await read(owner, draft.id)).toMatchObject({ state: 'draft' });
  });

  test('needs an approval if many people are recipients at its time, also in several parts', async () => {
    const second = await createStaff(archive, 'owner');
    await addPeople([...peopleOf(300, 'Physics'), ...peopleOf(300, 'Botany')]);
    const drafts = [await write(owner, { department: 'Physics' }), await write(owner, { department: 'Botany' })];
    for (const draft of drafts)
      expect((await sendLater(owner, draft, inHours(5))).json()).toEqual({ result: 'scheduled' });
    await archive.advanceTime('6 hours');
    await archive.runJobs();
    const states = await Promise.all(drafts.map(async ({ id }) => (await read(owner, id)).state));
    expect(states.toSorted()).toEqual(['requested', 'sending']);
    expect((await second.device.call('GET /api/staff/approvals')).approvals).toMatchObject([{ people: 300 }]);
  });

  test('is a draft that is not sent if the approval is refused', async () => {
    const second = await createStaff(archive, 'owner');
    await addPeople(peopleOf(501, 'Physics'));
    const draft = await write(owner, { department: 'Physics' });
    await sendLater(owner, draft, inHours(5));
    const [request] = (await second.device.call('GET /api/staff/approvals')).approvals;
    await second.device.call('POST /api/staff/approvals/{id}/refuse', { params: { id: request?.id ?? '' } });
    await archive.advanceTime('6 hours');
    await archive.runJobs();
    expect(announcements()).toEqual([]);
    expect(await read(owner, draft.id)).toMatchObject({ state: 'draft' });
  });

  test('waits for its time after an approval', async () => {
    const second = await createStaff(archive, 'owner');
    await addPeople(peopleOf(501, 'Physics'));
    const draft = await write(owner, { department: 'Physics' });
    const sendAt = inHours(5);
    expect((await sendLater(owner, draft, sendAt)).json()).toEqual({ result: 'requested' });
    const [request] = (await second.device.call('GET /api/staff/approvals')).approvals;
    expect(request?.about).toContain(`sent at ${sendAt.slice(0, 10)}`);
    await second.device.call('POST /api/staff/approvals/{id}/approve', { params: { id: request?.id ?? '' } });
    await archive.runJobs();
    expect(await read(owner, draft.id)).toMatchObject({ state: 'scheduled', sendAt });
    await archive.advanceTime('6 hours');
    await archive.runJobs();
    expect(await read(owner, draft.id)).toMatchObject({ state: 'sending', people: 501 });
  });
});

test('replies have the name that the sender has chosen, and no name adds a header', async () => {
  const ada = await archive.createMember({ department: 'Physics' });
  const { id } = await owner.device.call('POST /api/staff/announcements');
  const replyName = 'Ngozi, "alumni"\r\nBcc: eve@mail.example\u2028X-Injected: <eve@mail.example>';
  const body = { subject, text, scope: { ...wholeInstitution, department: 'Physics' }, version: 1, replyName };
  const { version } = await owner.device.call('PUT /api/staff/announcements/{id}', { params: { id }, body });
  await send(owner, { id, version });
  await archive.runJobs();
  const [mail] = mailsTo(ada);
  expect(mail?.replyTo).toBe('archive@test.example');
  const [headers = ''] = mail?.raw.split('\r\n\r\n') ?? [];
  expect(headers).not.toMatch(/^(?:Bcc|X-Injected):/imu);
  expect(headers).toMatch(/^Reply-To: .*Ngozi/mu);
  expect(archive.inbox.to('eve@mail.example')).toEqual([]);
});
