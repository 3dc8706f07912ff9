import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntry } from '#server/testing/membership.ts';
import { createTestWeb } from '#server/testing/pages.ts';
import { createStaff } from '#server/testing/staff.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { writeLastBackup } from '#server/platform/storage/last-backup.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), {}, createTestWeb());
});
afterAll(() => archive.close());

test('GET /api/staff/me returns roles, rights and the obstacle, and is refused without a role', async () => {
  const { device, uid } = await archive.createMember();
  expect((await device.ask('GET /api/staff/me')).json<Problem>().code).toBe('permission-denied');
  await archive.pool.query(`insert into staff_roles (account_id, role, college) values ($1, 'registrar', 'COSIT')`, [
    uid,
  ]);
  expect(await device.call('GET /api/staff/me')).toMatchObject({
    roles: [{ role: 'registrar', college: 'COSIT', department: null }],
    obstacle: 'second-factor',
  });
  const other = await createStaff(archive, 'owner');
  expect((await other.device.call('GET /api/staff/me')).obstacle).toBe(null);
  await archive.advanceTime('13 hours');
  expect((await other.device.call('GET /api/staff/me')).obstacle).toBe('password');
});

test('GET /api/staff/me lists the right to the roster only without a scope', async () => {
  const limited = await createStaff(archive, 'registrar', { college: 'COSIT' });
  const { rights } = await limited.device.call('GET /api/staff/me');
  expect(rights).toContain('claims');
  expect(rights).not.toContain('roster');
  const unlimited = await createStaff(archive, 'registrar');
  expect((await unlimited.device.call('GET /api/staff/me')).rights).toContain('roster');
});

test('the audit log chains its records, refuses changes, and accepts no names', async () => {
  const { db } = archive.context;
  const { uid } = await archive.createMember();
  for (const role of ['owner', 'registrar'])
    await recordStaffAction(db, {
      actor: uid,
      action: 'role-granted',
      subject: { kind: 'account', id: uid },
      details: { role },
    });
  const { rows } = await archive.pool.query<{ isChained: boolean }>(
    `select hash = hash_audit_record(coalesce(lag(hash) over (order by id), ''), r) as "isChained" from audit_records r order by id`,
  );
  expect(rows.length).toBeGreaterThanOrEqual(2);
  expect(rows.every(({ isChained }) => isChained)).toBe(true);
  for (const statement of [
    'update audit_records set actor = null',
    'delete from audit_records',
    'truncate audit_records',
  ])
    await expect(archive.pool.query(statement)).rejects.toThrow(/permission denied|cannot be changed or deleted/u);
  await expect(
    recordStaffAction(db, { actor: uid, action: 'role-granted', details: { note: 'Ada Okafor' } }),
  ).rejects.toThrow('is not a code');
});

test('Protected pages redirect staff without a profile to the onboarding', { tags: ['spec-6.4'] }, async () => {
  const { device, uid } = await archive.signUpVerified();
  const open = async (path: string) => {
    const { statusCode, headers } = await device.fetch('GET', path);
    return [statusCode, headers['location']];
  };
  const toOnboarding = [302, '/onboarding'];
  await archive.pool.query(`insert into staff_roles (account_id, role) values ($1, 'owner')`, [uid]);
  for (const path of ['/settings', '/settings?section=security', '/myprofile', '/notification'])
    expect(await open(path), path).toEqual(toOnboarding);
  for (const path of ['/staff/review', '/account']) expect(await open(path), path).toEqual([200, undefined]);
});

test('/staff opens the first steps for owners until the archive has a roster', async () => {
  const { pool } = archive;
  const owner = await createStaff(archive, 'owner');
  const registrar = await createStaff(archive, 'registrar');
  const { institution } = archive.context;
  onTestFinished(() => void Object.assign(institution, { membership: 'open' }));
  const openConsole = async ({ device }: Member) => (await device.fetch('GET', '/staff')).headers['location'];
  const readSteps = async () =>
    Object.fromEntries(
      (await owner.device.call('GET /api/staff/first-steps')).steps.map(({ step, isDone }) => [step, isDone]),
    );
  await pool.query(`delete from staff_roles where role = 'owner' and account_id <> $1`, [owner.uid]);
  expect(await readSteps()).toEqual({ institution: false, owners: false, backup: false });
  expect(await openConsole(owner)).toBe('/staff/review');

  Object.assign(institution, { membership: 'confirmed' });
  expect(await readSteps()).toMatchObject({ roster: false, codes: false });
  expect(await openConsole(owner)).toBe('/staff/first-steps');
  expect(await openConsole(registrar)).toBe('/staff/review');
  const readList = async () => {
    const { body } = await owner.device.fetch('GET', '/staff/first-steps');
    expect(body).toContain('of 5 are done');
    return [...body.matchAll(/<li.*?<\/li>/gsu)].map(([row]) => row.replaceAll(/<[^>]*>/gu, ' '));
  };
  const titles = ['Describe the institution', 'registrar’s list', 'Print codes', 'second owner', 'Make a backup'];
  expect(await readList()).toEqual(
    expect.arrayContaining(titles.map((title) => expect.stringMatching(new RegExp(`${title}.* Open `, 'su')))),
  );
  expect((await registrar.device.fetch('GET', '/staff/first-steps')).statusCode).toBe(404);

  await addEntry(archive);
  await createStaff(archive, 'owner');
  await writeLastBackup(archive.context.config.dataDir, { madeAt: new Date(), bytes: 1 });
  expect(await readSteps()).toMatchObject({ roster: true, codes: false, owners: true, backup: true });
  expect(await readList()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/registrar’s list.* Done /su),
      expect.stringMatching(/Print codes.* Open /su),
    ]),
  );
  expect(await openConsole(owner)).toBe('/staff/review');
});

test('every role can read the handbook of the staff console', async () => {
  const representative = await createStaff(archive, 'class-representative', {
    department: 'Physics',
    yearFrom: 2015,
    yearTo: 2015,
  });
  const { statusCode, body } = await representative.device.fetch('GET', '/staff/handbook');
  expect(statusCode).toBe(200);
  const member = await archive.createMember();
  expect((await member.device.fetch('GET', '/staff/handbook')).statusCode).toBe(404);
  for (const text of ['Handbook for the alumni office</h1>', 'Who may do what?</h2>', '<strong>Printed codes</strong>'])
    expect(body).toContain(text);
  expect(body).toContain('<td class="py-1 pr-1">own classes</td>');
  const coverage = await representative.device.fetch('GET', '/staff/coverage');
  expect(coverage.body).toContain('href="/staff/handbook"');
  expect(body.split('</main>')[0]).not.toMatch(/\]\(|!\[/u);
});
