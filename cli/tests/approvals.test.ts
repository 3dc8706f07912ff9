import { appendFileSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { requestApproval } from '#server/domain/staff/approvals.ts';
import { logAuditHeadJob } from '#server/features/staff/jobs.ts';
import { operatorLogPath } from '#server/platform/log/operator-log.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { asSuperuser } from '#server/testing/audit-records.ts';
import { createStaff } from '#server/testing/staff.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

const findDoctorLine = async (check: string): Promise<string> => {
  const { stdout } = await run('doctor');
  return stdout.split('\n').find((line) => new RegExp(`^[A-Z]+ +${check}  `, 'u').test(line)) ?? '';
};

const run = (...words: string[]) => runCommand(createSettings(archive), ...words);

test('approvals list and approve let the operator approve the request of the only owner', async () => {
  const owner = await createStaff(archive, 'owner');
  const ben = await archive.createMember();
  expect((await run('approvals', 'list')).stdout).toBe('No requests wait for an approval.');
  const id = await archive.context.db.transaction().execute((tx) =>
    requestApproval(archive.context, tx, {
      kind: 'owner-role',
      payload: { accountId: ben.uid, lastDay: null },
      people: 1,
      requestedBy: owner.uid,
    }),
  );
  const { stdout } = await run('approvals', 'list');
  expect(stdout).toContain(`${id}  `);
  expect(stdout).toContain(`${owner.email} wants to give an account the owner role\n  About  ${ben.email}\n  Runs   `);
  expect((await run('approvals', 'approve', 'x')).code).toBe(1);
  expect((await run('approvals', 'approve', id)).code).toBe(0);
  expect((await run('approvals', 'approve', id)).code).toBe(1);
  await archive.runJobs();
  const { rows } = await archive.pool.query('select from staff_roles where account_id = $1', [ben.uid]);
  expect(rows).toHaveLength(1);
});

test('doctor notices a changed record of the audit log, and a log whose end was cut off', async () => {
  const { email } = await archive.createMember();
  await run('staff', 'add', email, '--role', 'moderator');
  await logAuditHeadJob.queue(archive.context.db, {});
  await archive.runJobs();
  const line = () => findDoctorLine('audit log');
  expect(await line()).toMatch(/^OK.* records, unbroken\. Last hash: [0-9a-f]{32}\./u);
  const path = operatorLogPath(archive.context.config.dataDir);
  const logged =
    readFileSync(path, 'utf8')
      .split('\n')
      .findLast((one) => one.includes('last record of the audit log')) ?? '';
  appendFileSync(path, `${logged.replace(/"records":\d+/u, '"records":999')}\n`);
  expect(await line()).toMatch(/^WARN.*lacks record 999/u);
  appendFileSync(path, `${logged}\n`);
  await asSuperuser(
    archive,
    `
    alter table audit_records disable trigger user;
    update audit_records set details = '{"role":"owner"}' where id = 1;
    alter table audit_records enable trigger user`,
  );
  expect(await line()).toMatch(/^FAIL.*Record 1 of the audit log was changed/u);
});

test('doctor warns while the role of the server can rewrite the audit log', async () => {
  const { user = '' } = inject('databases').server;
  const role = pg.escapeIdentifier(user);
  await asSuperuser(archive, `alter schema public owner to ${role}`);
  expect(await findDoctorLine('audit log owner')).toMatch(
    /^WARN.*can rewrite the audit log\. See docs\/operations\.md/u,
  );
});
