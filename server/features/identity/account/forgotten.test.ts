import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { toDocument } from '#contract/profile.ts';
import { requestNoticeMail } from '#server/domain/accounts/hidden-until-sign-in.ts';
import { markMailFailed } from '#server/domain/mail/mail-failures.ts';
import { setMembershipStatus } from '#server/domain/membership/membership.ts';
import { linkEntry } from '#server/domain/roster/links.ts';
import { openInstallationKey } from '#server/platform/crypto/installation-key.ts';
import { createLog } from '#server/platform/log/log.ts';
import { networksOf } from '#server/platform/limits/networks.ts';
import { inventPerson } from '#server/seed/invent.ts';
import { createRandom } from '#server/seed/random.ts';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { exhaustQueued } from '#server/testing/jobs.ts';
import { findCode } from '#server/testing/inbox.ts';
import { newFolder } from '#server/testing/server-process.ts';
import { SoftPasskey } from '#server/testing/passkey.ts';
import { addPasskey, createMemberWithApp, typePassword, createWrongCode } from '#server/testing/second-factor.ts';
import { type Marks, digestForms, findTraces, formsOf } from '#server/testing/traces.ts';
import { deleteAccountById } from './delete-account.ts';
import { nightlyCleanUpJob, hourlyCleanUpJob } from '../jobs.ts';

/*
 * A member who has used every feature deletes the account. Then the tests search all tables, files, jobs and log lines
 * for traces. New features are searched automatically. When a feature stores new data about people, add it to
 * `liveHere` or `becomeConfirmed`, so that the search has data to find, and add its tables to `effects`.
 */

const effects: Readonly<Record<string, string>> = {
  accounts: 'deleted',
  action_codes: 'cascade',
  announcement_recipients: 'cascade',
  announcements: 'kept, without the account that wrote it',
  approvals: 'kept, without the accounts that requested and decided',
  audit_records: 'kept, with ids, codes and numbers only',
  authenticators: 'cascade',
  blocks: 'cascade',
  campus_identities: 'cascade',
  career_counts: 'counted down by a trigger',
  challenges: 'cascade',
  claim_attempts: 'cascade',
  claim_documents: 'deleted by a trigger',
  claim_questions: 'deleted with the claims',
  claims: 'cascade',
  cleared_impostors: 'cascade',
  clock: 'has no personal data',
  code_batches: 'kept, without the account that printed',
  // Also deleted with the account of the entry that they are about.
  confirmed_identities: 'cascade',
  corrections: 'cascade',
  department_news: 'deleted when no one else has joined',
  disclosures: 'cascade',
  disputes: 'cascade',
  employer_merges: 'deleted when no one else has the spelling',
  employers: 'counted down by a trigger',
  evidence: 'cascade',
  export_counts: 'cascade',
  held_addresses: 'cascade',
  identity_changes: 'cascade',
  known_devices: 'cascade',
  listing_counts: 'counted down by a trigger',
  listings: 'cascade',
  long_throttles: 'deleted, except the counts of its mailboxes and matric numbers',
  membership_codes: 'kept for the entry, without the account that used them',
  membership_mode: 'has no personal data',
  messages: 'cascade',
  notice_mails: 'cascade',
  notifications: 'cascade',
  passkeys: 'cascade',
  paused_listings: 'cascade',
  pending_search_rebuild: 'has no personal data',
  pending_sign_ins: 'cascade',
  people_exports: 'kept, without the account that requested it',
  person_words: 'cascade',
  photos: 'cascade',
  profiles: 'cascade',
  recovery_codes: 'cascade',
  reports: 'kept for the operator, with the name and address of a reported account',
  review_decisions: 'cascade',
  review_leases: 'cascade',
  review_notes: 'cascade',
  review_reopenings: 'deleted with the items',
  roster_aliases: 'has no personal data',
  roster_changes: 'kept, because they come from the institution',
  roster_entries: 'kept, because they come from the institution, and marked as left',
  roster_frequencies: 'has no personal data',
  roster_imports: 'kept, without the account that imported',
  roster_invitations: 'kept, because they are about entries, with a digest of the address',
  roster_links: 'cascade',
  roster_mappings: 'has no personal data',
  roster_row_errors: 'kept, because they come from the institution',
  roster_staging: 'kept, because they come from the institution',
  search_spellings: 'deleted when no one else has the word',
  search_words: 'deleted when no one else has the word',
  sessions: 'cascade',
  staff_invitations: 'cascade',
  staff_roles: 'cascade',
  throttles: 'deleted, except the counts of its mailboxes',
  tracer_answers: 'cascade',
  tracer_snapshots: 'has no personal data',
  unfinished_profiles: 'cascade',
  vouch_links: 'cascade',
  vouches: 'cascade',
};

let archive: TestArchive;
let limitKey: Buffer;
beforeEach(async () => {
  const institution = join(newFolder('institution-'), 'institution.json');
  const own = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
  writeFileSync(institution, JSON.stringify({ ...own, tracerReport: true }));
  archive = await openArchive(inject('databases'), { INSTITUTION_FILE: institution });
  limitKey = await openInstallationKey(archive.context.config.dataDir).derive('rate limits');
});
afterEach(() => archive.close());

const former = {
  firstName: 'Vrëmbula',
  middleName: 'Oxquè',
  lastName: "Tzandr'ik",
  contactNumber: '+999 717 27 37 47',
  homeAddress: '13 Blixtòrp Lane\nGnarfield',
  matricNumber: 'QZ/9071/77/XW3',
  department: 'Wyzzology',
  interest: 'Snorfbàll',
  bio: 'Krumpeteer in Ploddle',
  fullBio: 'Jaxquil was my beginning.\n\nHundelwick came later.',
  xHandle: 'flimwick',
  facebookName: 'grob.zanth',
  linkedinName: 'plixory-9',
  otherNames: 'Ọzmbẹ̀lu, Yaffrid',
};

const present = {
  firstName: 'Quorxẹ́',
  middleName: 'Vlémbụ̀ta',
  lastName: 'Zhandrîkova',
  contactNumber: '+999 818 28 38 48',
  homeAddress: '77 Frumious Road\nBandersnatch',
  matricNumber: 'XW/8182/88/QZ4',
  department: 'Thaumobotany',
  interest: 'Quidgetting',
  bio: 'Snarkhunter in Uffish',
  fullBio: 'Galumphing was my beginning.\n\nBurbling came later.',
  xHandle: 'vorpalx',
  facebookName: 'manx.ome',
  linkedinName: 'tulgey-7',
  otherNames: 'Mímsỵ, Gyrewabe',
};

const formerWork = { role: 'Glimpster', employer: 'Yondrickson', city: 'Plovershire' };
const presentWork = { role: 'Vorpalsmith', employer: 'Wabewright', city: 'Toveborough' };

const addresses = ['outgrabe1@mail.example', 'outgrabe2@mail.example', 'outgrabe3@mail.example'] as const;
const agent = 'Frobnicator/7.1 (Slithytove)';
const campusSubject = 'tumtum-subject-4711';
const note = 'Whifflingly yours';
const reported = 'Frabjously rude';
const photo = { title: 'The Brillig of us', album: 'Jubjub trees', place: 'Momerath Hall' };

async function liveHere() {
  const device = archive.openDevice();
  const password = 'a long enough word';
  const nextCode = async (to: string, subject: string) => {
    await archive.runJobs();
    return findCode(await archive.inbox.next(to, subject));
  };
  const visitor = await archive.signUpVerified(addresses[0]);
  const member: Member = { ...visitor, document: {} as Member['document'] };
  const call = visitor.device.call.bind(visitor.device);
  const { uid } = visitor;
  const pictures: string[] = [];
  const pictureNames = async () => {
    const { rows } = await archive.pool.query<{ picture: string }>(
      `select picture from profiles where account_id = $1 union select picture from photos where account_id = $1`,
      [uid],
    );
    pictures.push(...rows.map(({ picture }) => picture).filter((name) => !pictures.includes(name)));
  };

  // Save two profiles, each with a portrait. The second portrait is copied when its audience becomes smaller.
  const { department } = (await archive.createMember({ college: 'COSIT' })).document.academic;
  const invented = inventPerson(createRandom(3), archive.context.institution, 2026);
  const save = async (fields: typeof former, colour: string) => {
    const document = toDocument({ ...invented, ...fields, college: 'COSIT', imgURL: await smallPicture(colour) });
    await call('PUT /api/users/{id}', { params: { id: uid }, body: { ...document, version: 'any' } });
    await pictureNames();
  };
  await save({ ...former, department }, '#883311');
  // The department gets a notification about the new member.
  await archive.advanceTime('11 minutes');
  await archive.runJobs();
  await save(former, '#338811');
  await save(present, '#113388');
  await call('PUT /api/users/{id}/privacy', {
    params: { id: uid },
    body: { visibility: { picture: 'members' }, version: 'any' },
  });
  await pictureNames();
  await archive.pool.query(
    `insert into employer_merges (key, merged_into, same_as)
     values ('wabewright', 'abc', 'abc'), ('abcd', 'wabewright', 'abc')`,
  );
  for (const { city, ...work } of [formerWork, presentWork])
    await call('PUT /api/users/{id}/career', {
      params: { id: uid },
      body: {
        positions: [{ ...work, field: 'arts', from: 2015, to: null }],
        city,
        cityId: null,
        country: 'TV',
        helps: ['talk'],
        tracer: { activity: 'working', inField: true },
        version: 'any',
      },
    });
  for (const audience of ['members', 'everyone'] as const)
    await call('POST /api/gallery/photos', {
      body: { ...photo, takenOn: '2015-03-12', audience, image: await smallPicture() },
    });
  await pictureNames();

  // Messages and blocks in both directions.
  const friend = await archive.createMember();
  const text = { text: 'Slithy words to gyre by', shareEmail: true };
  await call('POST /api/users/{id}/messages', { params: { id: friend.uid }, body: text });
  await friend.device.call('POST /api/users/{id}/messages', { params: { id: uid }, body: text });
  await archive.runJobs();
  const received = await archive.inbox.next(addresses[0], /wrote to you/u);
  const code = /\/report\?code=(?<code>\S+)/u.exec(received.text)?.groups?.['code'] ?? '';
  await call('POST /api/reports', { body: { code, reason: 'other', text: reported } });
  const ofFriend = await friend.device.call('POST /api/gallery/photos', {
    body: { title: 'Rag day', album: 'Rag day', audience: 'members', image: await smallPicture('#118833') },
  });
  for (const params of [
    { kind: 'profile', id: friend.uid },
    { kind: 'photo', id: ofFriend.id },
  ] as const)
    await call('POST /api/reports/{kind}/{id}', { params, body: { reason: 'other', text: reported } });
  await call('PUT /api/blocks/{id}', { params: { id: friend.uid } });
  await friend.device.call('PUT /api/blocks/{id}', { params: { id: uid } });

  // A reserved previous address, the current address and a pending address.
  await call('POST /api/identity/reauthenticate', { body: { password } });
  await call('POST /api/identity/email', { body: { email: addresses[1] } });
  const used = await nextCode(addresses[1], 'Confirm your new email address');
  await call('POST /api/identity/action-code/apply', { body: { code: used } });
  const codes = [await nextCode(addresses[0], 'Your email address was changed')];
  await call('POST /api/identity/email', { body: { email: addresses[2] } });
  codes.push(await nextCode(addresses[2], 'Confirm your new email address'));

  // A sign-in in a new browser, which causes a notification and a mail.
  const other = await device.fetch(
    'POST',
    '/api/identity/sign-in',
    { email: addresses[1], password },
    { 'user-agent': agent },
  );
  expect(other.statusCode).toBe(200);
  await device.code('POST /api/identity/reauthenticate', { body: { password: 'a wrong word' } });

  const acquaintance = await archive.createMember({ college: 'COSIT' });
  const whom = { params: { id: acquaintance.uid } };
  await call('GET /api/users/{id}', { ...whom, query: {} });
  await call('POST /api/users/{id}/messages', { ...whom, body: { text: note, shareEmail: true } });
  await archive.runJobs();
  await archive.inbox.next(acquaintance.email, /wrote to you/u);
  const back = { params: { id: uid }, body: { text: note, shareEmail: false } };
  archive.inbox.refuse(true);
  await acquaintance.device.call('POST /api/users/{id}/messages', back);
  await archive.runJobs();
  await call('POST /api/users/{id}/messages', { ...whom, body: { text: note, shareEmail: false } });
  archive.inbox.refuse(false);
  await call('PUT /api/blocks/{id}', whom);

  // Requests over the network are logged.
  await archive.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = archive.app.server.address() as AddressInfo;
  const cookie = `sid=${visitor.device.cookies.get('sid')}`;
  for (const path of [`/api/users/${uid}`, `/api/users/${uid}/export`, `/media/${pictures.at(-1)}/1440.webp`]) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } });
    expect(response.status, path).toBe(200);
    await response.arrayBuffer();
  }

  // One mail failed and its next attempt is pending; one mail has had no attempt.
  archive.inbox.refuse(true);
  await device.call('POST /api/identity/password-reset', { body: { email: addresses[1] } });
  await archive.runJobs();
  await device.call('POST /api/identity/password-reset', { body: { email: addresses[1] } });
  await call('POST /api/identity/email', { body: { email: addresses[2] } });
  await markMailFailed(archive.context.db, addresses[2] ?? '', 'reported');

  await archive.pool.query(
    `insert into campus_identities (account_id, issuer, subject, email) values ($1, 'https://login.test', $2, $3)`,
    [uid, campusSubject, addresses[1]],
  );
  await requestNoticeMail(archive.context.db, uid, 'unused-first');
  await archive.pool.query(
    `with written as (
       insert into announcements (subject, text, created_by) values ('Reunion', 'In May', $1), ('Library', 'It opens', null) returning id)
     insert into announcement_recipients (announcement_id, account_id) select id, $1 from written`,
    [uid],
  );

  const tokens = [visitor.device, device].flatMap(({ cookies }) => [...cookies.values()]);
  expect(tokens).toHaveLength(4);
  const hashes = await archive.pool.query<{ hash: string }>(
    'select password_hash as hash from accounts where id = $1',
    [uid],
  );
  return {
    member: { ...member, email: addresses[1], password },
    others: [visitor.device, device],
    pictures,
    tokens,
    codes,
    used,
    passwordHash: hashes.rows[0]?.hash ?? '',
  };
}

type Lived = Awaited<ReturnType<typeof liveHere>>;

const named = (name: string, words: object) =>
  Object.entries(words).map(([field, word]) => [`${name} ${field}`, formsOf(String(word))] as const);

const wordsOf = (profile: object) =>
  Object.fromEntries(
    Object.entries(profile).flatMap(([field, value]) =>
      /homeAddress|bio|fullBio|otherNames|title|album|place/u.test(field)
        ? String(value)
            .split(/[\s.,]+/u)
            .filter((word) => /^\p{Lu}/u.test(word) && word.length > 4)
            .map((word) => [`${field} (${word})`, word])
        : [[field, value]],
    ),
  );

function marksOf({ member, pictures, tokens, codes, passwordHash }: Lived): Marks {
  return new Map<string, readonly string[]>([
    ['id', formsOf(member.uid)],
    ['digest of the id', [digestOf(member.uid)]],
    ...named('present', wordsOf(present)),
    ...named('present work', presentWork),
    ...named('photo', wordsOf(photo)),
    ['message', formsOf(note)],
    ['university account', formsOf(campusSubject)],
    ['report', formsOf(reported)],
    ...named('address', addresses),
    ['the name of the browser', formsOf(agent)],
    ...named('picture', pictures.slice(-3)),
    ...tokens.map((token, index) => [`digest of token ${index}`, digestForms(token)] as const),
    ...codes.map((code, index) => [`digest of code ${index}`, digestForms(code)] as const),
    ['digest of the password', formsOf(passwordHash)],
  ]);
}

const neverMarksOf = ({ member, pictures, tokens, codes, used }: Lived): Marks =>
  new Map<string, readonly string[]>([
    ...named('former', wordsOf(former)),
    ...named('former work', formerWork),
    ...named('former picture', pictures.slice(0, -3)),
    ...named('token', tokens),
    ...named('code', [...codes, used]),
    ['digest of a used code', digestForms(used)],
    ['password', formsOf(member.password)],
  ]);

const digestOf = (...subject: string[]) =>
  createHmac('sha256', limitKey).update(JSON.stringify(subject)).digest('base64url').toLowerCase();

/** Returns the keys of the rate limits that stay, so that deleting an account cannot be used to flood a mailbox. */
const limitMarksOf = ({ tokens, others }: Lived): Marks =>
  new Map(
    addresses.map((email) => [
      `digest of ${email}`,
      [
        digestOf(email),
        ...others.flatMap(({ ip }) => networksOf(ip).map(({ prefix }) => digestOf(email, prefix))),
        ...tokens.map((token) => digestOf(email, token)),
      ],
    ]),
  );

test('each table has an entry in the list of what deleting an account does', async () => {
  const { rows } = await archive.pool.query<{ name: string; isCascading: boolean }>(
    `select relname as name, exists (select from pg_constraint where conrelid = c.oid and contype = 'f'
         and confdeltype = 'c' and confrelid in ('accounts'::regclass, 'profiles'::regclass)) as "isCascading"
     from pg_class as c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname not like 'kysely_%' order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(effects));
  for (const { name, isCascading } of rows) expect([name, isCascading]).toEqual([name, effects[name] === 'cascade']);
});

test('deleting an account leaves no trace in any table, file, job or log line', async () => {
  const lived = await liveHere();
  const { member } = lived;
  const marks = marksOf(lived);
  // Before the deletion, every search term is found. This proves that the search works.
  const before = await findTraces(archive, marks);
  expect([...marks.keys()].filter((name) => !before.some((line) => line.endsWith(`: ${name}`)))).toEqual([]);
  expect(before.join('\n')).toMatch(/^pgboss\.\w+: address/mu);
  expect(before.join('\n')).toContain('public.search_words: present lastName');
  for (const table of ['employers', 'employer_merges', 'listings', 'profiles'])
    expect(before).toContain(`public.${table}: present work employer`);
  expect(before).toContain('public.tracer_answers: id');
  const ofOthers = await archive.pool.query(
    `select from notifications where kind = 'joined' and account_id <> $1 and count = 1`,
    [member.uid],
  );
  expect(ofOthers.rowCount).toBe(1);
  expect(archive.logged.join('')).toContain('"request"');

  await member.device.call('POST /api/identity/reauthenticate', { body: { password: member.password } });
  // A previous address is reserved, so all data stays until the reservation ends.
  expect(await member.device.call('DELETE /api/identity/account')).toEqual({
    deletesAt: expect.stringMatching(/^\d{4}-/u) as string,
  });
  archive.inbox.refuse(false);
  await archive.runJobs();
  expect((await archive.inbox.next(addresses[0], 'Your account will be deleted')).text).toContain('oobCode=');
  expect(await findTraces(archive, marks)).not.toEqual([]);
  await archive.advanceTime('30 days 1 hour');
  await nightlyCleanUpJob.queue(archive.context.db, {});
  await archive.runJobs();

  expect(await findTraces(archive, new Map([...marks, ...neverMarksOf(lived)]))).toEqual([]);
  expect((await archive.pool.query('select key, merged_into from employer_merges')).rows).toEqual([
    { key: 'abcd', merged_into: 'abc' },
  ]);
  expect((await archive.pool.query(`select from career_counts where value in ('TV', 'arts')`)).rowCount).toBe(0);
  expect((await archive.inbox.next(addresses[1], 'Your account was deleted')).to).toBe(addresses[1]);

  // An audit line proves that the account was deleted, and when.
  const audit = archive.logged.map((line) => JSON.parse(line) as object).filter((line) => 'audit' in line);
  expect(audit.at(-1)).toMatchObject({
    msg: 'account deletion requested',
    reference: expect.stringMatching(/^[\w-]{10}$/u),
  });
  expect(Object.keys(audit.at(-1) ?? {}).toSorted()).toEqual([
    'audit',
    'hostname',
    'level',
    'msg',
    'pid',
    'reference',
    'requestId',
    'time',
  ]);
});

test('deleting an account deletes its authenticator app, passkeys, recovery codes and pending sign-ins', async () => {
  const visitor = await createMemberWithApp(archive);
  const { device, uid, email } = visitor;
  const passkey = new SoftPasskey();
  await addPasskey(device, passkey, 'Slithytove phone');
  const waiting = await typePassword(archive, visitor);
  await waiting.code('POST /api/identity/sign-in/second-factor', { body: { code: createWrongCode(visitor.secret) } });
  const marks: Marks = new Map([
    ['id', formsOf(uid)],
    ['address', formsOf(email)],
    ['passkey', formsOf(passkey.id)],
    ['name of the passkey', formsOf('Slithytove')],
  ]);
  const before = (await findTraces(archive, marks)).join('\n');
  for (const table of ['authenticators', 'recovery_codes', 'passkeys', 'pending_sign_ins'])
    expect(before).toContain(`public.${table}: id`);
  await device.call('POST /api/identity/reauthenticate', { body: { password: visitor.password } });
  await device.call('DELETE /api/identity/account');
  await archive.runJobs();
  expect(await findTraces(archive, marks)).toEqual([]);
});

async function becomeConfirmed({ uid }: Member, other: Member): Promise<number> {
  await archive.pool.query(`update membership_mode set mode = 'confirmed'`);
  const { rows } = await archive.pool.query<{ id: number }>(
    `insert into roster_entries (matric_key, matric_number, last_name, first_name, words, first_import, last_import)
     values ('RQ1', 'RQ/1', 'Rostered', 'Quill', '{}', 1, 1) returning id`,
  );
  const entry = rows[0]?.id ?? 0;
  await archive.context.db.transaction().execute(async (tx) => {
    await linkEntry(tx, entry, uid);
    await setMembershipStatus(tx, uid, 'confirmed');
  });
  const typed = JSON.stringify({ matricNumber: 'QUX/1', note: 'Formerly Snarkling' });
  for (const [text, values] of [
    [`insert into claims (account_id, typed, state) values ($1, $2, 'confirmed')`, [uid, typed]],
    [
      `insert into evidence (account_id, entry_id, kind, assurance, detail) values ($1, $2, 'staff-review', 'strong', 'Saw the Boojum card')`,
      [uid, entry],
    ],
    [
      `insert into membership_codes (code_hash, entry_id, kind, expires_at, used_at, used_by) values ('a', $2, 'printed', now(), now(), $1)`,
      [uid, entry],
    ],
    [
      `insert into claim_questions (claim_id, text, answer) select id, $2, $2 from claims where account_id = $1`,
      [uid, 'Asked for Snarkling'],
    ],
    [`insert into claim_documents select id, 'pdf', 'Scan of Snarkling' from claims where account_id = $1`, [uid]],
    [`insert into claim_attempts (account_id, kind, typed) values ($1, 'claim', '{}')`, [uid]],
    // As the person, and as staff.
    [
      `insert into cleared_impostors (account_id, since, decided_by, cleared_by, reason)
       values ($1, now(), $2, $2, 'saw-person'), ($2, now(), $1, $1, 'saw-person')`,
      [uid, other.uid],
    ],
    [`insert into review_reopenings select 'claim', id, gen_random_uuid() from claims where account_id = $1`, [uid]],
    [`insert into vouch_links (account_id, code_hash, expires_at) values ($1, 'b', now())`, [uid]],
    [`insert into vouches values ($1, $2, 'yes'), ($2, $1, 'no')`, [uid, other.uid]],
    [
      `insert into disputes (entry_id, holder_id, claimant_id, text) values ($3, $1, $2, 'Bandersnatch is me'), ($3, $2, $1, '')`,
      [uid, other.uid, entry],
    ],
    [
      `insert into disclosures (account_id, staff_id, reason, text, until)
       values ($1, $2, 'other', 'Asks about Gimblewood', now()), ($2, $1, 'report', '', now())`,
      [uid, other.uid],
    ],
    [`insert into export_counts values ($1, 2, now())`, [uid]],
    [
      `insert into people_exports (account_id, filter, columns, people, state) values ($1, '{}', '{email}', 3, 'ready')`,
      [uid],
    ],
    [`insert into staff_roles (account_id, role) values ($1, 'registrar')`, [uid]],
    [
      `insert into staff_invitations (email, role, invited_by, expires_at) values ('x@mail.example', 'registrar', $1, now())`,
      [uid],
    ],
    // As the person of the item, and as staff.
    [
      `insert into review_notes (kind, item_id, author_id, about, text)
       values ('claim', $1, $2, $1, 'Galumphing applicant'), ('claim', $2, $1, $2, 'Galumphing colleague')`,
      [uid, other.uid],
    ],
    [
      `insert into review_decisions (kind, item_id, about, decision, version, decided_by, undo_until)
       values ('claim', $1, $1, '{"reason": "Whiffling"}', '', $2, now()), ('claim', $2, $2, '{"reason": "Whiffling"}', '', $1, now())`,
      [uid, other.uid],
    ],
    [`insert into review_leases values ('dispute', $2, $1, now())`, [uid, other.uid]],
    // As staff, and as the person of the entry.
    [
      `insert into corrections (entry_id, reason, text, proposed_by)
       values ($3, 'other', 'Mimsyborogove', $1), ($3, 'deceased', 'Mimsyborogove', $2)`,
      [uid, other.uid, entry],
    ],
  ] as const)
    await archive.pool.query(text, [...values]);
  return entry;
}

test('deleting a confirmed account leaves no trace of it, and frees its roster entry, which is marked as left', async () => {
  const [leaver, other] = [await archive.createMember(), await archive.createMember()];
  const entry = await becomeConfirmed(leaver, other);
  const marks: Marks = new Map([
    ['id', formsOf(leaver.uid)],
    ['claim', formsOf('Snarkling')],
    ['evidence', formsOf('Boojum')],
    ['dispute', formsOf('Bandersnatch')],
    ['note', formsOf('Galumphing')],
    ['decision', formsOf('Whiffling')],
    ['reason of a look', formsOf('Gimblewood')],
    ['correction', formsOf('Mimsyborogove')],
  ]);
  const before = (await findTraces(archive, marks)).join('\n');
  for (const table of ['disclosures', 'export_counts', 'people_exports'])
    expect(before).toContain(`public.${table}: id`);
  for (const table of [
    'claims',
    'claim_attempts',
    'cleared_impostors',
    'evidence',
    'membership_codes',
    'roster_links',
    'staff_invitations',
    'staff_roles',
  ])
    expect(before).toContain(`public.${table}: id`);
  for (const table of [
    'disputes',
    'vouch_links',
    'vouches',
    'review_notes',
    'review_decisions',
    'review_leases',
    'corrections',
  ])
    expect(before).toContain(`public.${table}: id`);
  for (const table of ['claims', 'claim_questions']) expect(before).toContain(`public.${table}: claim`);
  await leaver.device.call('DELETE /api/identity/account');
  await archive.runJobs();
  expect(await findTraces(archive, marks)).toEqual([]);
  expect((await archive.pool.query('select from claim_documents')).rowCount).toBe(0);

  const findEntry = () =>
    archive.pool.query(
      `select member_left_at is not null as "hasLeft", (select used_at is not null from membership_codes where entry_id = id) as "isCodeUsed"
       from roster_entries where id = $1`,
      [entry],
    );
  expect((await findEntry()).rows).toEqual([{ hasLeft: true, isCodeUsed: true }]);
  const newcomer = await archive.createMember();
  expect(await linkEntry(archive.context.db, entry, newcomer.uid)).toBe(true);
  expect((await findEntry()).rows).toMatchObject([{ hasLeft: false }]);
});

/*
 * The one exception: a reported person must not be able to erase the report. The legitimate interest is to handle abuse
 * (decision 37).
 */
test('deleting a reported account keeps only the name and address in the report', async () => {
  const [sender, recipient] = [await archive.createMember({ lastName: 'Zhandrîkova' }), await archive.createMember()];
  const body = { text: note, shareEmail: false };
  await sender.device.call('POST /api/users/{id}/messages', { params: { id: recipient.uid }, body });
  await archive.runJobs();
  const mail = await archive.inbox.next(recipient.email, /wrote to you/u);
  const code = /\/report\?code=(?<code>\S+)/u.exec(mail.text)?.groups?.['code'] ?? '';
  await archive.openDevice().call('POST /api/reports', { body: { code, reason: 'phishing' } });
  const photo = await sender.device.call('POST /api/gallery/photos', {
    body: { title: 'Zhandrîkova', album: 'Zhandrîkova', audience: 'members', image: await smallPicture('#331188') },
  });
  for (const [kind, id, reason] of [
    ['profile', sender.uid, 'offensive'],
    ['photo', photo.id, 'in-picture'],
  ] as const)
    await recipient.device.call('POST /api/reports/{kind}/{id}', { params: { kind, id }, body: { reason } });
  await sender.device.call('DELETE /api/identity/account');
  await archive.runJobs();
  const marks: Marks = new Map([
    ['id', formsOf(sender.uid)],
    ['address', formsOf(sender.email)],
    ['name', formsOf('Zhandrîkova')],
    ['matric number', formsOf(sender.document.academic.matricNumber)],
  ]);
  expect(await findTraces(archive, marks)).toEqual(['public.reports: address', 'public.reports: name']);
});

test('deleting an account keeps the counts for the rate limits of its mailbox for an hour', async () => {
  const lived = await liveHere();
  const { member } = lived;
  // Delete immediately, as the operator does: a deletion in the settings would wait until the previous address is no
  // longer reserved.
  await deleteAccountById(archive.context, member.uid, createLog('silent', { write: () => undefined }));
  expect(await findTraces(archive, limitMarksOf(lived))).not.toEqual([]);
  await archive.advanceTime('1 hour 1 minute');
  await hourlyCleanUpJob.queue(archive.context.db, {});
  archive.inbox.refuse(false);
  await archive.runJobs();
  expect(await findTraces(archive, limitMarksOf(lived))).toEqual([]);
});

test('deleting an account also deletes the email about the deletion if it cannot be delivered', async () => {
  const { device, email } = await archive.signUpVerified(addresses[0]);
  await device.call('DELETE /api/identity/account');
  archive.inbox.refuse(true);
  const marks: Marks = new Map([['address', formsOf(email)]]);
  await exhaustQueued(archive.context.db);
  await archive.runJobs();
  for (const place of await findTraces(archive, marks)) expect(place).toMatch(/^pgboss\.\w+: address$/u);
  expect(await findTraces(archive, marks)).not.toEqual([]);
  await hourlyCleanUpJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect(await findTraces(archive, marks)).toEqual([]);
});

test('deleting an account keeps the queued jobs of other accounts', async () => {
  const [leaver, stayer] = [await archive.signUpVerified(), await archive.signUpVerified()];
  // The deleted account only requested this address. The other account has it.
  const { rowCount } = await archive.pool.query(`update accounts set pending_email = $2 where id = $1`, [
    leaver.uid,
    stayer.email,
  ]);
  expect(rowCount).toBe(1);
  await archive.openDevice().call('POST /api/identity/password-reset', { body: { email: stayer.email } });
  await leaver.device.call('DELETE /api/identity/account');
  await archive.runJobs();
  await archive.inbox.next(stayer.email, 'Choose a new password');
});

test('the search for traces also finds them in unknown tables, in files and in the log', async () => {
  const marks: Marks = new Map([
    ['a word', formsOf('Quorxẹ́')],
    ['a digest', digestForms('a token')],
  ]);
  expect(await findTraces(archive, marks)).toEqual([]);
  await archive.pool.query('create schema scratch create table "Old Notes" (id int, said jsonb, token bytea)');
  await archive.pool.query(`insert into scratch."Old Notes" values (1, $1, sha256('a token'))`, [
    JSON.stringify({ deep: ['said QUORXE once'] }),
  ]);
  await archive.pool.query(`create unlogged table leftovers as select array['x', 'Quorxẹ́'] as words`);
  writeFileSync(join(archive.context.config.dataDir, 'quorxe.txt'), 'nothing');
  writeFileSync(join(archive.context.config.dataDir, 'media', 'left.unfinished'), 'of Quorxẹ́');
  archive.logged.push('{"msg":"Quorx%E1%BA%B9%CC%81 was here"}\n');
  expect(await findTraces(archive, marks)).toEqual([
    'file media/left.unfinished: a word',
    'file quorxe.txt: a word',
    'log: a word',
    'public.leftovers: a word',
    'scratch."Old Notes": a digest',
    'scratch."Old Notes": a word',
  ]);
});
