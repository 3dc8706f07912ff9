import { expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import { type Endpoints, endpoints } from '#contract/endpoints.ts';
import type { TestArchive } from '#server/testing/archive.ts';
import { type RosterImports, ada, ben, setUpRosterImports, toCsv } from '#server/testing/roster-imports.ts';
import { addSecondFactor, createStaff, makeStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
let roster: RosterImports;

setUpRosterImports(inject('databases'), (opened) => ({ archive, roster } = opened));

test('only staff with the role, a second factor and a recent password have access to the roster', async () => {
  const id = await roster.upload(toCsv(ada));
  const guest = archive.openDevice();
  const [member, moderator, ended, plain] = [
    await archive.createMember(),
    await archive.createMember(),
    await archive.createMember(),
    await archive.createMember(),
  ];
  await addSecondFactor(archive, member);
  await makeStaff(archive, moderator, 'moderator');
  await makeStaff(archive, ended, 'registrar');
  await archive.pool.query(`update staff_roles set ends_at = now() where account_id = $1`, [ended.uid]);
  await archive.pool.query(`insert into staff_roles (account_id, role) values ($1, 'owner')`, [plain.uid]);
  const old = await createStaff(archive, 'registrar');
  await archive.pool.query(`update sessions set authenticated_at = now() - interval '13 hours' where account_id = $1`, [
    old.uid,
  ]);
  const callers = [
    [guest, 'auth/unauthenticated'],
    [member.device, 'permission-denied'],
    [moderator.device, 'permission-denied'],
    [ended.device, 'permission-denied'],
    [plain.device, 'permission-denied'],
    [old.device, 'auth/requires-recent-login'],
  ] as const;
  const bodies: Partial<Record<string, unknown>> = {
    'PUT /api/staff/roster/imports/{id}/settings': {},
    'POST /api/staff/roster/codes': {},
    'POST /api/staff/roster/imports/{id}/apply': { checkedAt: new Date().toISOString(), confirmed: [] },
  };
  const names = (Object.keys(endpoints) as (keyof Endpoints)[]).filter((name) =>
    / \/api\/staff\/roster\/(?:imports|codes)/u.test(name),
  );
  expect(names).toHaveLength(13);
  for (const [device, code] of callers)
    for (const name of names) {
      const [method = '', path = ''] = name.split(' ');
      const query = name.includes('/changes') ? '?kind=new' : '';
      const answer =
        name === 'POST /api/staff/roster/imports'
          ? await roster.uploadTo(device, toCsv(ben))
          : await device.fetch(method, path.replace('{id}', id) + query, bodies[name]);
      expect([name, answer.json<Problem>().code]).toEqual([name, code]);
    }
  await archive.pool.query(`update sessions set authenticated_at = now() - interval '1 hour' where account_id = $1`, [
    roster.registrar.uid,
  ]);
  await roster.run(id, 'check');
  const body = { checkedAt: new Date().toISOString(), confirmed: [] };
  expect(
    await roster.registrar.device.code('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body }),
  ).toBe('auth/requires-recent-login');
  expect(await roster.registrar.device.code('POST /api/staff/roster/imports/{id}/undo', { params: { id } })).toBe(
    'auth/requires-recent-login',
  );
});
