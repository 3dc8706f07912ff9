import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import type { RosterImport } from '#contract/roster.ts';
import { endpoints } from '#contract/endpoints.ts';
import type { TestArchive } from '#server/testing/archive.ts';
import { type RosterImports, ada, ben, setUpRosterImports, toCsv } from '#server/testing/roster-imports.ts';
import { createStaff } from '#server/testing/staff.ts';
import { deleteRosterFilesJob } from './jobs.ts';

let archive: TestArchive;
let roster: RosterImports;

setUpRosterImports(inject('databases'), (opened) => ({ archive, roster } = opened));

test('an open import is cancelled and its file deleted after seven days', async () => {
  const id = await roster.upload(toCsv(ada));
  await roster.run(id, 'check');
  await deleteRosterFilesJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect(roster.storedFiles()).toEqual([`${id}.upload`]);
  await archive.pool.query(
    `update roster_imports set created_at = created_at - interval '8 days', checked_at = checked_at - interval '8 days'`,
  );
  await deleteRosterFilesJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect(roster.storedFiles()).toEqual([]);
  expect(await roster.find(id)).toMatchObject({ state: 'cancelled', file: null });
  expect((await archive.pool.query('select from roster_staging')).rowCount).toBe(0);
});

test.each([
  ['the role', 'delete from staff_roles where account_id = $1', 'permission-denied'],
  ['the second factor', 'delete from authenticators where account_id = $1', 'permission-denied'],
  [
    'the time after the password was entered',
    `update sessions set authenticated_at = now() - interval '13 hours' where account_id = $1`,
    'auth/requires-recent-login',
  ],
])('an upload is refused if %s ends while the file arrives', async (_, sql, code) => {
  const sender = await createStaff(archive, 'registrar');
  const arrive = async function* () {
    yield Buffer.from(toCsv(ada));
    await archive.pool.query(sql, [sender.uid]);
    yield Buffer.from(ben);
  };
  const answer = await roster.uploadTo(sender.device, Readable.from(arrive()));
  expect(answer.json<Problem>().code).toBe(code);
  expect(roster.storedFiles()).toEqual([]);
});

test('an upload does not delay other writes of its sender, such as a sign-out, after which it is refused', async () => {
  const sender = await createStaff(archive, 'registrar');
  const arrive = async function* () {
    yield Buffer.from(toCsv(ada));
    await sender.device.call('POST /api/identity/sign-out');
    yield Buffer.from(ben);
  };
  const answer = await roster.uploadTo(sender.device, Readable.from(arrive()));
  expect(answer.json<Problem>().code).toBe('permission-denied');
  expect(roster.storedFiles()).toEqual([]);
});

test('the nightly deletion of old files keeps the file of an upload that is still arriving', async () => {
  const arrive = async function* () {
    yield Buffer.from(toCsv(ada));
    await deleteRosterFilesJob.queue(archive.context.db, {});
    await archive.runJobs();
    yield Buffer.from(ben);
  };
  const answer = await roster.uploadTo(roster.registrar.device, Readable.from(arrive()));
  expect(answer.statusCode).toBe(200);
  expect(roster.storedFiles()).toEqual([`${answer.json<RosterImport>().id}.upload`]);
});

test('the nightly deletion removes the file of an upload that a crash interrupted', async () => {
  const folder = join(archive.context.config.dataDir, 'roster');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'interrupted.unfinished');
  writeFileSync(path, '');
  const dayAgo = Date.now() / 1000 - 25 * 60 * 60;
  utimesSync(path, dayAgo, dayAgo);
  await deleteRosterFilesJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect(roster.storedFiles()).toEqual([]);
});

test('an upload must be a file of at most 100 MB', async () => {
  expect((await roster.uploadTo(roster.registrar.device, '{}', 'application/json')).json<Problem>().code).toBe(
    'unsupported-media-type',
  );
  const answer = await roster.registrar.device.fetch('POST', '/api/staff/roster/imports?name=a.csv', Buffer.from('a'), {
    'content-type': 'application/octet-stream',
    'content-length': '100000001',
  });
  expect(answer.json<Problem>().code).toBe('payload-too-large');
});

test('an upload without a length is refused when it exceeds the limit, and leaves no file', async () => {
  const endpoint = endpoints['POST /api/staff/roster/imports'] as { maxBodyBytes: number };
  const { maxBodyBytes } = endpoint;
  endpoint.maxBodyBytes = 1_000;
  const app = await archive.startSecondServer().finally(() => {
    endpoint.maxBodyBytes = maxBodyBytes;
  });
  const send = (chunks: number) =>
    app.inject({
      method: 'POST',
      url: '/api/staff/roster/imports?name=a.csv',
      remoteAddress: roster.registrar.device.ip,
      headers: {
        'content-type': 'application/octet-stream',
        'transfer-encoding': 'chunked',
        origin: roster.registrar.device.origin,
        cookie: [...roster.registrar.device.cookies].map((pair) => pair.join('=')).join('; '),
      },
      payload: Readable.from(Array.from({ length: chunks }, () => Buffer.from('x'.repeat(250)))),
    });
  expect((await send(5)).json<Problem>().code).toBe('payload-too-large');
  expect(roster.storedFiles()).toEqual([]);
  expect((await send(4)).statusCode).toBe(200);
  await app.close();
});
