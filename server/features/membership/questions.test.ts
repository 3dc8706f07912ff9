import { strFromU8, unzipSync } from 'fflate';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { maxDocumentBytes, wrongDocument } from '#contract/upload-limits.ts';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { enterConfirmedMode, namesake } from '#server/testing/membership.ts';
import { refuseAuditRecords } from '#server/testing/audit-records.ts';
import { createStaff, makeStaff } from '#server/testing/staff.ts';
import { cleanUpClaimsJob } from './jobs.ts';

/* Questions of staff about a claim, the answers, and their documents. */

let archive: TestArchive;
let registrar: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
  registrar = await createStaff(archive, 'registrar', {}, { firstName: 'Ngozi' });
});
afterAll(() => archive.close());

const text = 'Which name did you have as a student? https://phishing.example/login';
const base64Of = (content: Buffer | string) => Buffer.from(content).toString('base64');
const pdf = '%PDF-1.7\nThe statement of result of Ada Okafor';

async function createClaimant(): Promise<{ member: Member; claim: string }> {
  const member = await archive.createMember(namesake);
  await member.device.call('POST /api/membership/claims', {
    body: { matricNumber: member.document.academic.matricNumber, dob: member.document.dob },
  });
  const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [
    member.uid,
  ]);
  return { member, claim: rows[0]?.id ?? '' };
}

const ask = (claim: string, staff = registrar) =>
  staff.device.call('POST /api/staff/claims/{id}/questions', { params: { id: claim }, body: { text } });
const questionOf = async ({ device }: Member) => (await device.call('GET /api/membership')).question;

/** @param body `document` is not encoded yet */
async function answer(member: Member, body: { text?: string; document?: string | Buffer }) {
  const question = (await questionOf(member))?.id ?? '';
  const document = body.document === undefined ? '' : base64Of(body.document);
  return member.device.ask('POST /api/membership/answers', { body: { question, text: body.text ?? '', document } });
}

const open = (claim: string, staff = registrar) =>
  staff.device.ask('POST /api/staff/claims/{id}/document', { params: { id: claim } });
const readClaim = (claim: string, staff = registrar) =>
  staff.device.call('GET /api/staff/claims/{id}', { params: { id: claim } });
async function countDocuments(claim: string): Promise<number> {
  const { rowCount } = await archive.pool.query('select from claim_documents where claim_id = $1', [claim]);
  return rowCount ?? 0;
}

async function createAnswered(document: string | Buffer = pdf) {
  const claimant = await createClaimant();
  await ask(claimant.claim);
  expect((await answer(claimant.member, { text: 'Okafor', document })).statusCode).toBe(204);
  expect(await countDocuments(claimant.claim)).toBe(1);
  return claimant;
}

async function decide(claim: string): Promise<void> {
  const { version } = await readClaim(claim);
  await registrar.device.call('POST /api/staff/queue/{kind}/{id}/decision', {
    params: { kind: 'claim', id: claim },
    body: { decision: { outcome: 'confirm', entryId: null, seen: 'Certificate' }, version },
  });
  await archive.advanceTime('31 seconds');
  await archive.runJobs();
}

describe('POST /api/staff/claims/{id}/questions', () => {
  test('mails the question to the claimant, notifies them, and shows it on their page until they answer', async () => {
    const { member, claim } = await createClaimant();
    await ask(claim);
    await archive.runJobs();
    const mail = await archive.inbox.next(member.email, 'The alumni office has a question');
    expect(mail.text).toContain(`> ${text}`);
    expect(mail.text).toContain('/confirm');
    // Only our own address is a link.
    expect(mail.raw.replaceAll(/=\r\n/gu, '')).not.toMatch(/href=3D"https:\/\/phishing/u);
    const { notifications } = await member.device.call('GET /api/notifications', { query: {} });
    expect(notifications.map(({ kind }) => kind)).toContain('membership-question');
    expect(await questionOf(member)).toMatchObject({ text, answer: '', answeredAt: null });
    expect((await answer(member, { text: 'Okafor' })).statusCode).toBe(204);
    expect(await questionOf(member)).toMatchObject({ answer: 'Okafor', answeredAt: expect.any(String) as string });
    expect((await readClaim(claim)).questions).toMatchObject([{ text, answer: 'Okafor' }]);
  });

  test('mails nothing when the question is answered before the mail is sent', async () => {
    const { member, claim } = await createClaimant();
    await ask(claim);
    await answer(member, { text: 'Okafor' });
    await archive.runJobs();
    expect(archive.inbox.to(member.email).map(({ subject }) => subject)).not.toContain(
      'The alumni office has a question',
    );
  });

  test('allows one open question at a time, of 5 to 500 characters, and 5 a day', async () => {
    const { member, claim } = await createClaimant();
    const params = { id: claim };
    const code = (words: string) =>
      registrar.device.code('POST /api/staff/claims/{id}/questions', { params, body: { text: words } });
    expect(await code('Who?')).toBe('validation-failed');
    expect(await code('x'.repeat(501))).toBe('validation-failed');
    for (let count = 0; count < 5; count++) {
      await ask(claim);
      expect(await code(text)).toBe('staff/refused');
      await answer(member, { text: 'Okafor' });
    }
    expect(await code(text)).toBe('staff/too-many-requests');
    expect((await readClaim(claim)).questions).toHaveLength(5);
  });

  test('removes control characters', async () => {
    const { member, claim } = await createClaimant();
    await registrar.device.call('POST /api/staff/claims/{id}/questions', {
      params: { id: claim },
      body: { text: 'Which\u0007 name\u202E did you have?' },
    });
    expect((await questionOf(member))?.text).toBe('Which name did you have?');
  });

  test('writes an audit record without the text, and is not asked if that fails', async () => {
    const { claim } = await createClaimant();
    await refuseAuditRecords(archive, true);
    const failed = await registrar.device.ask('POST /api/staff/claims/{id}/questions', {
      params: { id: claim },
      body: { text },
    });
    await refuseAuditRecords(archive, false);
    expect([failed.statusCode, (await readClaim(claim)).questions]).toEqual([500, []]);
    await ask(claim);
    const { rows } = await archive.pool.query(
      `select actor, details from audit_records where action = 'claim-question-asked' and subject = $1`,
      [claim],
    );
    expect(rows).toEqual([{ actor: registrar.uid, details: {} }]);
  });

  test('is refused for a decided or withdrawn claim, outside the scope, by the claimant and by a voucher', async () => {
    const [decided, withdrawn, other] = [await createClaimant(), await createClaimant(), await createClaimant()];
    await decide(decided.claim);
    await withdrawn.member.device.call('DELETE /api/membership/claims');
    const elsewhere = await createStaff(archive, 'registrar', { college: 'COHUM' });
    const moderator = await createStaff(archive, 'moderator');
    const own = await createClaimant();
    await makeStaff(archive, own.member, 'registrar');
    const voucher = await createStaff(archive, 'registrar');
    await archive.pool.query(`insert into vouches (claimant_id, voucher_id, answer) values ($1, $2, 'yes')`, [
      other.member.uid,
      voucher.uid,
    ]);
    for (const [claim, staff, code] of [
      [decided.claim, registrar, 'not-found'],
      [withdrawn.claim, registrar, 'not-found'],
      [other.claim, elsewhere, 'not-found'],
      [other.claim, moderator, 'permission-denied'],
      [own.claim, own.member, 'permission-denied'],
      [other.claim, voucher, 'permission-denied'],
    ] as const) {
      const params = { id: claim };
      expect(await staff.device.code('POST /api/staff/claims/{id}/questions', { params, body: { text } })).toBe(code);
      expect(await staff.device.code('POST /api/staff/claims/{id}/document', { params })).toBe(code);
    }
  });

  test('makes a decision about what staff saw before out of date, as does the answer', async () => {
    const { member, claim } = await createClaimant();
    const versions = [(await readClaim(claim)).version];
    await ask(claim);
    versions.push((await readClaim(claim)).version);
    await answer(member, { text: 'Okafor' });
    versions.push((await readClaim(claim)).version);
    expect(new Set(versions).size).toBe(3);
  });
});

test('GET /api/staff/queue marks asked and answered claims, and can leave out those that wait for an answer', async () => {
  const { member, claim } = await createClaimant();
  const find = async (hideAsked?: 'yes') => {
    const query = { person: member.uid, ...(hideAsked && { hideAsked }) };
    return (await registrar.device.call('GET /api/staff/queue', { query })).items[0];
  };
  expect(await find('yes')).toMatchObject({ id: claim, askedAt: null, answeredAt: null });
  await ask(claim);
  const asked = { askedAt: expect.any(String) as string, answeredAt: null };
  expect(await find()).toMatchObject({ id: claim, ...asked });
  expect(await find('yes')).toBeUndefined();
  await answer(member, { text: 'Okafor' });
  expect(await find('yes')).toMatchObject({ answeredAt: expect.any(String) as string });
  await ask(claim);
  expect(await find()).toMatchObject(asked);
});

describe('POST /api/membership/answers', () => {
  test('refuses a second answer, the question of another claimant, and one about a withdrawn claim', async () => {
    const [ada, ben] = [await createClaimant(), await createClaimant()];
    await ask(ada.claim);
    const question = (await questionOf(ada.member))?.id ?? '';
    const code = ({ member }: typeof ada) =>
      member.device.code('POST /api/membership/answers', { body: { question, text: 'Okafor' } });
    expect(await code(ben)).toBe('not-found');
    await answer(ada.member, { text: 'Okafor' });
    expect(await code(ada)).toBe('not-found');
    expect((await readClaim(ada.claim)).questions).toMatchObject([{ answer: 'Okafor' }]);
    await ask(ben.claim);
    const ofBen = (await questionOf(ben.member))?.id ?? '';
    await ben.member.device.call('DELETE /api/membership/claims');
    const late = { body: { question: ofBen, text: 'Okafor' } };
    expect(await ben.member.device.code('POST /api/membership/answers', late)).toBe('not-found');
    expect(await questionOf(ben.member)).toBeNull();
  });

  test.each<[string, string | Buffer]>([
    ['text', 'Statement of result'],
    ['HTML', '<html><script>alert(1)</script></html>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    ['a GIF', Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')],
    ['a ZIP', 'PK\u0003\u0004'],
    ['a broken JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])],
    ['a PDF after other content', `<html>${pdf}`],
  ])('refuses %s as a document, and stores nothing', async (_, document) => {
    const { member, claim } = await createClaimant();
    await ask(claim);
    const response = await answer(member, { text: 'Okafor', document });
    expect(response.statusCode).toBe(422);
    expect(response.json()).toMatchObject({ errors: [{ pointer: '/document', message: wrongDocument }] });
    expect([await countDocuments(claim), (await questionOf(member))?.answeredAt]).toEqual([0, null]);
  });

  test('accepts 5 MB, and refuses more', async () => {
    const { member, claim } = await createClaimant();
    await ask(claim);
    const content = Buffer.alloc(maxDocumentBytes + 2, '%PDF-');
    expect((await answer(member, { document: content })).statusCode).toBe(422);
    expect((await answer(member, { document: content.subarray(0, maxDocumentBytes) })).statusCode).toBe(204);
    const response = await open(claim);
    expect(response.rawPayload.equals(content.subarray(0, maxDocumentBytes))).toBe(true);
  });

  test('needs a text or a document', async () => {
    const { member, claim } = await createClaimant();
    await ask(claim);
    expect((await answer(member, {})).json()).toMatchObject({ errors: [{ pointer: '/text' }] });
    expect((await answer(member, { text: 'x'.repeat(1001) })).statusCode).toBe(422);
    expect((await answer(member, { document: pdf })).statusCode).toBe(204);
  });

  test('is limited to 20 a day', async () => {
    const { member, claim } = await createClaimant();
    await ask(claim);
    for (let count = 0; count < 20; count++) expect((await answer(member, {})).statusCode).toBe(422);
    expect((await answer(member, { text: 'Okafor' })).statusCode).toBe(429);
  });
});

describe('POST /api/staff/claims/{id}/document', () => {
  test('sends a PDF unchanged as a download that no browser shows or stores', { tags: ['asvs-5.4.1'] }, async () => {
    const { claim } = await createAnswered();
    expect((await readClaim(claim)).document).toBe('pdf');
    const { headers, body } = await open(claim);
    expect(body).toBe(pdf);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'attachment; filename="document.pdf"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'cache-control': 'no-store',
    });
  });

  test('sends a photo as WebP without its metadata', async () => {
    const data = Buffer.from((await smallPicture()).split(',')[1] ?? '', 'base64');
    const photo = await sharp(data)
      .jpeg()
      .withExif({ IFD0: { Copyright: 'Quorx' } })
      .toBuffer();
    expect(photo.includes('Quorx')).toBe(true);
    const { claim } = await createAnswered(photo);
    const { headers, rawPayload } = await open(claim);
    expect(headers['content-type']).toBe('image/webp');
    const { format, exif } = await sharp(rawPayload).metadata();
    expect([format, exif]).toEqual(['webp', undefined]);
  });

  test('works once, with one audit record, for parallel requests too', async () => {
    const { claim } = await createAnswered();
    const colleague = await createStaff(archive, 'owner');
    const responses = await Promise.all([open(claim), open(claim, colleague), open(claim), open(claim, colleague)]);
    expect(responses.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(await countDocuments(claim)).toBe(0);
    expect(await readClaim(claim)).toMatchObject({ document: null, questions: [{ answer: 'Okafor' }] });
    const { rows } = await archive.pool.query(
      `select details from audit_records where action = 'claim-document-opened' and subject = $1`,
      [claim],
    );
    expect(rows).toEqual([{ details: {} }]);
  });

  test('shows nothing without an audit record, and nothing outside the scope', async () => {
    const { claim } = await createAnswered();
    const elsewhere = await createStaff(archive, 'registrar', { college: 'COHUM' });
    const outside = await open(claim, elsewhere);
    expect([outside.statusCode, outside.json<{ code: string }>().code]).toEqual([404, 'not-found']);
    await refuseAuditRecords(archive, true);
    const failed = await open(claim);
    await refuseAuditRecords(archive, false);
    expect([failed.statusCode, failed.body.includes('PDF')]).toEqual([500, false]);
    expect(await countDocuments(claim)).toBe(1);
  });
});

test('the data that people download about themselves have question and answer, but not the document', async () => {
  const { member, claim } = await createAnswered('%PDF-1.7 Quorxtown certificate');
  const { rawPayload } = await member.device.ask('GET /api/users/{id}/export', { params: { id: member.uid } });
  const files = Object.entries(unzipSync(rawPayload)).map(([name, content]) => [name, strFromU8(content)] as const);
  const { claims } = JSON.parse(new Map(files).get('membership.json') ?? '') as { claims: unknown[] };
  expect(claims).toMatchObject([
    {
      questions: [
        { text, answer: 'Okafor', askedAt: expect.any(String) as string, answeredAt: expect.any(String) as string },
      ],
    },
  ]);
  expect(files.filter(([, content]) => content.includes('Quorxtown'))).toEqual([]);
  expect(await countDocuments(claim)).toBe(1);
});

test('documents are in no backup, because backups leave out unlogged tables', async () => {
  const { rows } = await archive.pool.query(`select relpersistence from pg_class where relname = 'claim_documents'`);
  expect(rows).toEqual([{ relpersistence: 'u' }]);
});

describe('a document that no one has opened is deleted', () => {
  test('with the decision', async () => {
    const { claim } = await createAnswered();
    await decide(claim);
    expect(await countDocuments(claim)).toBe(0);
  });

  test('when the claimant withdraws the claim', async () => {
    const { member, claim } = await createAnswered();
    await member.device.call('DELETE /api/membership/claims');
    expect(await countDocuments(claim)).toBe(0);
  });

  test('with the account', async () => {
    const { member, claim } = await createAnswered();
    await member.device.call('POST /api/identity/reauthenticate', { body: { password: member.password } });
    await member.device.call('DELETE /api/identity/account');
    expect(await countDocuments(claim)).toBe(0);
    const { rowCount } = await archive.pool.query('select from claim_questions where claim_id = $1', [claim]);
    expect(rowCount).toBe(0);
  });

  test('after 30 days', async () => {
    const { claim } = await createAnswered();
    for (const [interval, left] of [
      ['29 days', 1],
      ['2 days', 0],
    ] as const) {
      await archive.advanceTime(interval);
      await cleanUpClaimsJob.queue(archive.context.db, {});
      await archive.runJobs();
      expect(await countDocuments(claim)).toBe(left);
    }
  });
});
