import { strFromU8, unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import { suppressEntry } from '#server/domain/roster/import/suppress-entry.ts';
import { linkEntry } from '#server/domain/roster/links.ts';
import { markMailFailed } from '#server/domain/mail/mail-failures.ts';
import { decideApproval } from '#server/domain/staff/approvals.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntry, addEntryOf } from '#server/testing/membership.ts';
import { openRosterImports, toCsv } from '#server/testing/roster-imports.ts';
import { createStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
let registrar: Member;
beforeEach(async () => {
  archive = await openArchive(inject('databases'));
  Object.assign(archive.context.institution, { allowsInvitations: true });
  registrar = await createStaff(archive, 'registrar');
});
afterEach(() => archive.close());

const invitees = ['ada@roster.example', 'ben@roster.example'] as const;
const physics = { department: 'Physics', year_graduated: 2014 };
const add = (values: Parameters<typeof addEntry>[1] = {}) => addEntry(archive, { ...physics, ...values });

const ask = ({ device }: Member, department = 'Physics', year?: number) =>
  device.call('GET /api/staff/invitations', { query: { department, ...(year !== undefined && { year }) } });
const count = async (member = registrar, department = 'Physics', year?: number) =>
  (await ask(member, department, year)).people;
const post = ({ device }: Member, department = 'Physics', year: number | null = null) =>
  device.ask('POST /api/staff/invitations', { body: { department, year } });
async function invite(member = registrar, department = 'Physics', year: number | null = null) {
  const response = await post(member, department, year);
  await archive.runJobs();
  return response.json<{ result?: string } & Partial<Problem>>();
}
const mails = () => archive.inbox.all().filter(({ subject }) => subject.includes('invited to the alumni archive'));
const addressesOf = () => mails().map(({ to }) => to);

function linkOf(mail: { readonly text: string } | undefined, path: string): string {
  const url = new URL(new RegExp(String.raw`http:\S+${path}\?code=\S+`, 'u').exec(mail?.text ?? '')?.[0] ?? '');
  return url.pathname + url.search;
}
const open = (path: string) => archive.openDevice().fetch('GET', path, undefined, { accept: 'text/html' });
const press = (path: string) =>
  archive.openDevice().fetch('POST', path, Buffer.from('List-Unsubscribe=One-Click'), {
    'content-type': 'application/x-www-form-urlencoded',
    origin: 'https://mail.example',
  });
const stateOf = async () =>
  (
    await archive.pool.query<{ opened: boolean; is_wrong: boolean; is_unwanted: boolean }>(
      'select opened_at is not null as opened, is_wrong, is_unwanted from roster_invitations order by created_at, id',
    )
  ).rows;
const passDays = (days: number) =>
  archive.pool.query(
    'update roster_invitations set created_at = created_at - make_interval(secs => $1::float8 * 86400), sent_at = sent_at - make_interval(secs => $1::float8 * 86400)',
    [days],
  );
const callList = ({ device }: Member, department = 'Physics', year = 2014) =>
  device.ask('GET /api/staff/classes/call-list', { query: { department, year } });
const fileOf = (member: Member, id: number) =>
  member.device.call('GET /api/staff/roster/entries/{id}', { params: { id } });

describe('without allowsInvitations', () => {
  test('no one has the rights, no endpoint responds, and a waiting mail is dropped', async () => {
    await add({ email: invitees[0] });
    await post(registrar);
    Object.assign(archive.context.institution, { allowsInvitations: false });
    await archive.runJobs();
    expect(addressesOf()).toEqual([]);
    const owner = await createStaff(archive, 'owner');
    for (const { device } of [owner, registrar]) {
      const { rights } = await device.call('GET /api/staff/me');
      expect(rights).toContain('coverage');
      for (const right of ['invitations', 'call-lists']) expect(rights).not.toContain(right);
      const codes = [
        await device.code('GET /api/staff/invitations', { query: { department: 'Physics' } }),
        await device.code('POST /api/staff/invitations', { body: { department: 'Physics', year: null } }),
      ];
      expect(codes).toEqual(['not-found', 'not-found']);
      expect((await callList({ ...owner, device })).statusCode).toBe(404);
    }
  });
});

describe('POST /api/staff/invitations', () => {
  test('mails the entries with an address, without values of the entry, and the audit log has the number', async () => {
    await add({ email: invitees[0], matric_number: 'PHY/14/0001', last_name: 'Okafor', first_name: 'Ada' });
    await add({ email: invitees[1], year_graduated: 2015 });
    await add({ phone: '+234 1' });
    expect([await count(), await count(registrar, 'Physics', 2015)]).toEqual([2, 1]);
    const { mail } = await ask(registrar);
    expect(await invite(registrar, 'Physics', 2014)).toEqual({ result: 'sending' });
    const [sent] = mails();
    expect(addressesOf()).toEqual([invitees[0]]);
    expect(sent?.subject).toBe(mail.subject);
    for (const text of [...mail.paragraphs, mail.footer]) expect(sent?.text.replaceAll(/\s+/gu, ' ')).toContain(text);
    for (const value of ['Okafor', 'Ada', 'PHY', 'Physics', '2014'])
      expect(`${sent?.subject} ${sent?.text}`.replaceAll(/\S+code=\S+/gu, '')).not.toContain(value);
    expect(sent?.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/imu);
    const { rows } = await archive.pool.query(`select actor, details from audit_records`);
    expect(rows).toEqual([
      { actor: registrar.uid, details: { people: 1, department: 'physics', year: 2014, approval: null } },
    ]);
    expect(
      await archive.openDevice().code('POST /api/staff/invitations', { body: { department: 'Physics', year: null } }),
    ).toBe('auth/unauthenticated');
  });

  test('counts and mails only people in the scope of the role', async () => {
    const { colleges } = archive.context.institution;
    const college = colleges.find(({ departments }) => departments.includes('Physics'))?.code ?? '';
    const [inside, outside] = [
      await createStaff(archive, 'registrar', { college }),
      await createStaff(archive, 'registrar', { college: colleges.find(({ code }) => code !== college)?.code ?? '' }),
    ];
    await add({ email: invitees[0] });
    expect([await count(inside), await count(outside)]).toEqual([1, 0]);
    expect((await invite(outside)).code).toBe('staff/refused');
    expect(addressesOf()).toEqual([]);
    for (const role of ['moderator', 'class-representative'] as const) {
      const scope = { department: 'Physics', yearFrom: 2014, yearTo: 2014 };
      const other = await createStaff(archive, role, role === 'moderator' ? {} : scope);
      expect((await post(other)).statusCode).toBe(403);
    }
    await invite(inside);
    expect(addressesOf()).toEqual([invitees[0]]);
  });

  test('requires a password entered within the last five minutes', async () => {
    await add({ email: invitees[0] });
    await archive.pool.query(`update sessions set authenticated_at = now() - interval '6 minutes'`);
    expect((await invite()).code).toBe('auth/requires-recent-login');
    expect((await callList(registrar)).json<Problem>().code).toBe('auth/requires-recent-login');
  });

  test('never writes twice within 21 days, and three times at most, also to an address of two entries', async () => {
    await add({ email: invitees[0] });
    await add({ email: invitees[0], year_graduated: 2016 });
    for (const [days, mailed] of [
      [0, 1],
      [20, 1],
      [1, 2],
      [20, 2],
      [1, 3],
      [22, 3],
      [400, 3],
    ] as const) {
      await passDays(days + 0.01);
      await invite();
      await invite(registrar, 'Physics', 2016);
      expect([days, addressesOf().length]).toEqual([days, mailed]);
    }
    expect(mails().map(({ subject }) => subject.startsWith('Reminder: '))).toEqual([false, true, true]);
  });

  test('parallel requests invite each address once', async () => {
    for (let entry = 0; entry < 20; entry++) await add({ email: `person${entry}@roster.example` });
    const other = await createStaff(archive, 'owner');
    await Promise.all([post(registrar), post(other), post(registrar, 'Physics', 2014)]);
    await archive.runJobs();
    expect(addressesOf()).toHaveLength(20);
    expect(new Set(addressesOf()).size).toBe(20);
  });

  test.each<[string, NonNullable<Parameters<typeof addEntry>[1]>]>([
    ['objected', { suppressed_at: new Date() }],
    ['died', { is_deceased: true }],
    ['died on a day', { died_on: '2021-01-01' }],
    ['is confidential', { is_confidential: true }],
    ['is missing from the roster', { gone_since: 2 }],
    ['has deleted the account', { member_left_at: new Date() }],
  ])('never writes to a person who %s, also if that happened after the request', async (_, values) => {
    await add({ email: invitees[0], ...values });
    const later = await add({ email: invitees[1] });
    expect(await count()).toBe(1);
    await post(registrar);
    const [[column, value] = []] = Object.entries(values);
    await archive.pool.query(`update roster_entries set ${column} = $1 where id = $2`, [value, later]);
    await archive.runJobs();
    expect(addressesOf()).toEqual([]);
  });

  test('never writes to a person with an account: a linked one, or one with the address', async () => {
    const [linked, same] = [await archive.createMember(), await archive.createMember()];
    const entryId = await addEntryOf(archive, linked, { ...physics, email: invitees[0] });
    await linkEntry(archive.context.db, entryId, linked.uid);
    await add({ email: same.email });
    const later = await add({ email: invitees[1] });
    expect(await count()).toBe(1);
    await post(registrar);
    await linkEntry(archive.context.db, later, same.uid);
    await archive.runJobs();
    expect(addressesOf()).toEqual([]);
  });

  test('never writes again to an address after a rejection by the mail server or a bounce', async () => {
    await add({ email: invitees[0] });
    await add({ email: invitees[1] });
    archive.inbox.simulateFault({ at: 'recipient', does: '550 5.1.1 No such user', to: invitees[0] });
    await invite();
    archive.inbox.simulateFault(null);
    expect(addressesOf()).toEqual([invitees[1]]);
    expect(await markMailFailed(archive.context.db, invitees[1], 'reported')).toMatchObject({ invitations: 1 });
    await passDays(22);
    expect(await count()).toBe(0);
    // They are on the call list instead.
    expect((await callList(registrar)).body.trim().split('\r\n')).toHaveLength(3);
  });

  test('sends 100 mails every ten minutes', async () => {
    for (let entry = 0; entry < 130; entry++) await add({ email: `person${entry}@roster.example` });
    await invite();
    expect(addressesOf()).toHaveLength(100);
    await archive.advanceTime('10 minutes');
    await archive.runJobs();
    expect(new Set(addressesOf()).size).toBe(130);
  });
});

describe('more than 500 people', () => {
  const addMany = (from: number, to: number, department: string) =>
    archive.pool.query(
      `insert into roster_entries (matric_key, matric_number, last_name, first_name, words, first_import, last_import, department,
         year_graduated, email)
       select 'M' || g, 'M' || g, 'Okafor', 'Ada', '{}', 1, 1, $3, 2014, 'many' || g || '@roster.example'
       from generate_series($1::int, $2::int) g`,
      [from, to, department],
    );
  const approve = async () => {
    const { rows } = await archive.pool.query<{ id: string }>(`select id from approvals where state = 'waiting'`);
    await archive.context.db.transaction().execute((tx) => decideApproval(tx, rows[0]?.id ?? '', 'approved', null));
    await archive.runJobs();
  };

  test('need a second person, also in parts', async () => {
    await addMany(1, 501, 'Physics');
    expect(await ask(registrar)).toMatchObject({ people: 501, needsApproval: true });
    expect(await invite()).toEqual({ result: 'requested' });
    expect(addressesOf()).toEqual([]);
    const { approvals } = await registrar.device.call('GET /api/staff/approvals');
    expect(approvals).toMatchObject([{ kind: 'invitations', people: 501, about: 'Physics, all years' }]);
    await approve();
    expect(addressesOf()).toHaveLength(100);

    await addMany(1001, 1400, 'Chemistry');
    await addMany(2001, 2101, 'Mathematics');
    expect(await invite(registrar, 'Chemistry')).toEqual({ result: 'sending' });
    expect(await invite(registrar, 'Mathematics')).toEqual({ result: 'requested' });
  });

  test('are not invited if more people joined the choice after the request', async () => {
    await addMany(1, 501, 'Physics');
    await invite();
    await addMany(502, 502, 'Physics');
    await approve();
    expect(addressesOf()).toEqual([]);
    const { approvals } = await registrar.device.call('GET /api/staff/approvals');
    expect(approvals).toMatchObject([{ state: 'failed' }]);
  });
});

describe('the links of the mail', () => {
  let entryId: number;
  beforeEach(async () => {
    entryId = await add({ email: invitees[0], last_name: 'Okafor', first_name: 'Ada', matric_number: 'PHY/14/0009' });
    await invite();
  });
  const later = () => passDays(22);

  test('show nothing of the entry, change nothing when opened, and the stored codes are digests', async () => {
    const [mail] = mails();
    for (const path of ['/invitation/not-me', '/invitation/stop']) {
      const link = linkOf(mail, path);
      const { statusCode, body, headers } = await open(link);
      expect([statusCode, headers['set-cookie'], headers['referrer-policy']]).toEqual([200, undefined, 'no-referrer']);
      for (const value of ['Okafor', 'Ada', 'PHY', 'Physics', '2014', invitees[0]]) expect(body).not.toContain(value);
      for (const bad of [link.slice(0, -1), `${path}?code=`, path, `${link}&code=x`])
        expect([bad, (await open(bad)).statusCode, (await press(bad)).statusCode]).toEqual([bad, 404, 404]);
    }
    expect(await stateOf()).toEqual([{ opened: false, is_wrong: false, is_unwanted: false }]);
    const [, secret = ''] = linkOf(mail, '/invitation/stop').split('=');
    expect(secret).toMatch(/^[\w-]{43}$/u);
    const { rows } = await archive.pool.query('select i::text as row from roster_invitations i');
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(invitees[0]);
    expect(archive.logged.join('')).not.toContain(secret);
  });

  test('“Sign up” leads to the sign-up page and records the time only, and confirms no one', async () => {
    const link = linkOf(mails()[0], '/invitation');
    const { statusCode, headers } = await open(link);
    expect([statusCode, new URL(String(headers.location)).pathname, new URL(String(headers.location)).search]).toEqual([
      303,
      '/signup',
      '',
    ]);
    expect(await stateOf()).toEqual([{ opened: true, is_wrong: false, is_unwanted: false }]);
    expect((await open('/invitation?code=wrong')).statusCode).toBe(303);
    const { rowCount } = await archive.pool.query('select from roster_links');
    expect(rowCount).toBe(0);
    expect((await archive.pool.query('select from evidence')).rowCount).toBe(0);
  });

  test('“This is not me” ends the mails to this entry, and staff see that the address is wrong', async () => {
    const link = linkOf(mails()[0], '/invitation/not-me');
    expect((await fileOf(registrar, entryId)).marks).toEqual([]);
    for (let time = 0; time < 2; time++) expect((await press(link)).statusCode).toBe(200);
    expect(await fileOf(registrar, entryId)).toMatchObject({ marks: ['wrong-address'], canCorrect: true });
    await later();
    expect(await count()).toBe(0);
    expect((await callList(registrar)).body).toContain('PHY/14/0009');
    // The address may be right for someone else, and another one for this person.
    await add({ email: invitees[0], year_graduated: 2018 });
    expect(await count(registrar, 'Physics', 2018)).toBe(1);
    await archive.pool.query('update roster_entries set email = $1 where id = $2', [invitees[1], entryId]);
    expect([await count(registrar, 'Physics', 2014), (await fileOf(registrar, entryId)).marks]).toEqual([1, []]);
  });

  test('“Do not write to me again” holds for the address for ever, and the person is not called either', async () => {
    const link = linkOf(mails()[0], '/invitation/stop');
    expect((await press(link)).statusCode).toBe(200);
    await later();
    expect(await count()).toBe(0);
    await add({ email: invitees[0], year_graduated: 2018 });
    expect(await count()).toBe(0);
    await archive.pool.query('update roster_entries set email = null, phone = $1', ['+234 1']);
    await archive.pool.query('update roster_entries set email = $1 where id = $2', [invitees[0], entryId]);
    expect((await callList(registrar)).statusCode).toBe(409);
  });

  test('an objection survives the second attempt at a mail whose arrival the server did not confirm', async () => {
    await add({ email: invitees[1] });
    archive.inbox.simulateFault({ at: 'stored', does: 'drop', to: invitees[1], times: 1 });
    await invite();
    await press(linkOf(archive.inbox.to(invitees[1])[0], '/invitation/stop'));
    await archive.advanceTime('22 days');
    await archive.runJobs();
    expect(await stateOf()).toMatchObject([{ is_unwanted: false }, { is_unwanted: true }]);
    await invite();
    expect(archive.inbox.to(invitees[1])).toHaveLength(1);
  });

  test('“Do not write to me again” stays without the entry of a person who objects to it, too', async () => {
    await press(linkOf(mails()[0], '/invitation/stop'));
    await archive.context.db.transaction().execute((tx) => suppressEntry(tx, entryId));
    const { rows } = await archive.pool.query('select entry_id, is_unwanted from roster_invitations');
    expect(rows).toEqual([{ entry_id: null, is_unwanted: true }]);
  });

  test('an objection stays with the entry if an import removes or changes the address, unless the mailbox is of another person', async () => {
    const roster = await openRosterImports(archive);
    const importAs = async (email: string) => {
      const id = await roster.upload(toCsv(`PHY/14/0009,Okafor,Ada,1990-01-02,Physics,${email}`));
      const settings = { erase: ['email' as const], thenCheck: true };
      await registrar.device.call('PUT /api/staff/roster/imports/{id}/settings', { params: { id }, body: settings });
      await archive.runJobs();
      await roster.apply(id, 'many-changed');
      expect((await roster.approve(id)).state).toBe('applied');
      await archive.pool.query('update roster_entries set year_graduated = 2014');
      return [await count(), (await callList(registrar)).statusCode];
    };
    await press(linkOf(mails()[0], '/invitation/stop'));
    await later();
    expect(await importAs('')).toEqual([0, 409]);
    expect(await importAs(invitees[1])).toEqual([0, 409]);
    await press(linkOf(mails()[0], '/invitation/not-me'));
    expect(await importAs('')).toEqual([0, 200]);
    expect(await importAs(invitees[1])).toEqual([1, 409]);
  });

  test('an objection survives another import', async () => {
    await press(linkOf(mails()[0], '/invitation/stop'));
    await archive.pool.query('delete from roster_entries');
    const roster = await openRosterImports(archive);
    await roster.importFile(toCsv(`PHY/14/0009,Okafor,Ada,1990-01-02,Physics,${invitees[0]}`));
    await roster.importFile(
      toCsv(
        `PHY/14/0009,Okafor,Ada,1990-01-02,Physics,${invitees[0]}`,
        `PHY/14/0010,Bello,Ben,1990-01-03,Physics,${invitees[1]}`,
      ),
    );
    await later();
    expect(await count()).toBe(1);
    await invite();
    expect(addressesOf()).toEqual([invitees[0], invitees[1]]);
  });

  test('the data of the member contain when the invitations were sent', async () => {
    const member = await archive.createMember();
    await linkEntry(archive.context.db, entryId, member.uid);
    const { rawPayload } = await member.device.ask('GET /api/users/{id}/export', { params: { id: member.uid } });
    const file = strFromU8(unzipSync(rawPayload)['membership.json'] ?? new Uint8Array());
    expect(file).toMatch(/"invitedAt": ?\[\s*"2/u);
  });
});

describe('GET /api/staff/classes/call-list', () => {
  test('has the people of a class without an account and a working address, and each download is recorded', async () => {
    await add({
      last_name: 'Bello',
      first_name: 'Ben',
      other_names: 'Obi',
      matric_number: 'PHY/1',
      phone: '+234 805 1',
    });
    await add({ last_name: '=cmd()', first_name: 'Ada', matric_number: 'PHY/2' });
    await add({ last_name: 'Reachable', email: invitees[0], phone: '1' });
    await add({ last_name: 'Dead', is_deceased: true, phone: '2' });
    await add({ last_name: 'Secret', is_confidential: true, phone: '3' });
    await add({ last_name: 'Gone', gone_since: 2, phone: '4' });
    await add({ last_name: 'Left', member_left_at: new Date(), phone: '5' });
    await add({ last_name: 'Elsewhere', year_graduated: 2015, phone: '6' });
    const linked = await add({ last_name: 'Linked', phone: '7' });
    await linkEntry(archive.context.db, linked, (await archive.createMember()).uid);
    for (let time = 0; time < 2; time++) {
      const { body, headers } = await callList(registrar);
      expect(headers['content-disposition']).toContain('call-list-physics-2014.csv');
      expect(body.trim().split('\r\n')).toEqual([
        'Name,Matric number,Phone',
        `"'=cmd(), Ada",PHY/2,`,
        '"Bello, Ben Obi",PHY/1,+234 805 1',
      ]);
    }
    const { rows } = await archive.pool.query(
      `select actor, subject, details from audit_records where action = 'call-list-downloaded'`,
    );
    const details = { department: 'physics', year: 2014, people: 2 };
    const record = { actor: registrar.uid, subject: '2014-physics', details };
    expect(rows).toEqual([record, record]);
  });

  test('is for the representative of the class only, and for registrars in their scope', async () => {
    await add({ phone: '+234 805 1' });
    await add({ phone: '+234 805 2', year_graduated: 2015 });
    const scope = { department: 'Physics', yearFrom: 2014, yearTo: 2014 };
    const representative = await createStaff(archive, 'class-representative', scope);
    expect((await callList(representative)).body).toContain('+234 805 1');
    expect((await callList(representative, 'Physics', 2015)).statusCode).toBe(409);
    const dean = await createStaff(archive, 'registrar', { college: 'COHUM' });
    expect((await callList(dean)).statusCode).toBe(409);
    expect((await callList(await createStaff(archive, 'moderator'))).statusCode).toBe(403);
    expect((await callList(await archive.createMember())).statusCode).toBe(403);
  });
});

test('coverage counts who was invited, opened a link and has an account now', async () => {
  const emails = ['one', 'two', 'three', 'four'].map((name) => `${name}@roster.example`);
  for (const email of emails) await add({ email });
  const old = await add();
  await linkEntry(archive.context.db, old, registrar.uid);
  await invite();
  const [first, second, third] = emails.map((email) => archive.inbox.to(email)[0]);
  await open(linkOf(first, '/invitation'));
  await press(linkOf(second, '/invitation/stop'));
  await open(linkOf(third, '/invitation/stop'));
  await archive.signUpVerified(emails[0] ?? '');
  const { departments } = await registrar.device.call('GET /api/staff/coverage');
  expect(departments.find(({ department }) => department === 'Physics')?.classes).toMatchObject([
    { year: 2014, onRoster: 5, invited: 4, opened: 2, joined: 1 },
  ]);
  const { body } = await registrar.device.ask('GET /api/staff/coverage/file');
  expect(body).toContain('Reachable,Invited,Opened the link,Joined');
  expect(body).toMatch(/,Physics,2014,5,0,1,1,4,2,1\r/u);
});
