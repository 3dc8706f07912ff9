import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import type { RosterImport } from '#contract/roster.ts';
import { createApp } from '#server/app/app.ts';
import { allTasks } from '#server/app/jobs.ts';
import type { Context } from '#server/domain/context.ts';
import { deleteRosterFilesJob } from '#server/features/roster/jobs.ts';
import { deleteExportFilesJob } from '#server/features/staff-people/exports/jobs.ts';
import { runDueJobs } from '#server/platform/jobs/worker.ts';
import { createLog } from '#server/platform/log/log.ts';
import { createMailer } from '#server/platform/mail/mailer.ts';
import { createMetrics } from '#server/platform/metrics/metrics.ts';
import { openFileStores } from '#server/platform/storage/open-file-stores.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { Device } from '#server/testing/device.ts';
import { type FakeS3, startFakeS3 } from '#server/testing/fake-s3.ts';
import { exhaustQueued } from '#server/testing/jobs.ts';
import { ada, ben, toCsv } from '#server/testing/roster-imports.ts';
import { createStaff } from '#server/testing/staff.ts';

/* Two machines with their own data folders and the same database and bucket: roster imports, and exports by staff. */

let fake: FakeS3;
let archive: TestArchive;
let registrar: Member;
let first: Device;
let second: Device;
let secondApp: FastifyInstance;
let secondContext: Context;
let folders: string[];
let runJobsOnSecond: () => Promise<void>;

beforeAll(async () => {
  fake = await startFakeS3();
  archive = await openArchive(inject('databases'), {
    MEDIA_URL: `s3://pictures/archive?endpoint=${fake.origin}`,
    ...fake.environment,
  });
  const { dataDir } = archive.context.config;
  const secondDir = mkdtempSync(join(tmpdir(), 'archive-second-'));
  cpSync(dataDir, secondDir, { recursive: true });
  folders = [dataDir, secondDir];
  const config = { ...archive.context.config, dataDir: secondDir };
  secondContext = { ...archive.context, config, files: openFileStores(config), metrics: createMetrics() };
  const log = createLog('silent');
  secondApp = await createApp(secondContext, log, null);
  const mailer = createMailer(config);
  runJobsOnSecond = () => runDueJobs(archive.context.db, allTasks(secondContext, mailer), log);
  registrar = await createStaff(archive, 'registrar');
  first = registrar.device;
  second = new Device(secondApp, first.ip);
});
afterAll(async () => {
  await secondApp.close();
  await archive.close();
  rmSync(folders[1] ?? '', { recursive: true });
  await fake.close();
});
beforeEach(async () => {
  await archive.pool.query(
    'delete from roster_imports; delete from roster_entries; delete from people_exports; update sessions set authenticated_at = now()',
  );
  fake.objects.clear();
  for (const [name, value] of first.cookies) second.cookies.set(name, value);
});

const objects = () => [...fake.objects.keys()].filter((key) => /\.(?:roster|exports)\//u.test(key));
const localFiles = () => folders.flatMap((folder) => readdirSync(folder)).filter((name) => !name.endsWith('.key'));
const upload = (device: Device, content = Buffer.from(toCsv(ada, ben))) =>
  device.fetch('POST', '/api/staff/roster/imports?name=list.csv', content, {
    'content-type': 'application/octet-stream',
  });
const find = (device: Device, id: string) => device.call('GET /api/staff/roster/imports/{id}', { params: { id } });
const fail = (failAfter = 0) => Object.assign(fake, { fault: '503', failAfter });
async function recover() {
  fake.fault = 'none';
  // The store is tried again after a few seconds.
  for (const { files } of [archive.context, secondContext])
    await expect.poll(() => files.roster.open('none').catch(() => 'fails'), { timeout: 20_000 }).toBeNull();
}

test('a roster that was uploaded to one machine is checked and applied by the other', async () => {
  const id = String((await upload(first)).json<RosterImport>().id);
  expect(objects()).toEqual([`archive/.roster/${id}.upload`]);
  await runJobsOnSecond();
  expect(await find(second, id)).toMatchObject({ failure: '', file: { kind: 'csv', rowCount: 2 } });
  await second.call('POST /api/staff/roster/imports/{id}/check', { params: { id } });
  await runJobsOnSecond();
  const { state, counts, checkedAt } = await find(first, id);
  expect([state, counts?.new]).toEqual(['checked', 2]);
  const body = { checkedAt: checkedAt ?? '', confirmed: [] };
  await first.call('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body });
  await archive.runJobs();
  expect(await find(second, id)).toMatchObject({ state: 'applied', failure: '' });
  expect([objects(), localFiles()]).toEqual([[], []]);
});

test('a large roster is read in a worker thread of the other machine', { tags: ['release'] }, async () => {
  const people = Array.from({ length: 3_000 }, (_, index) =>
    [`CSC/16/${String(index).padStart(4, '0')}`, 'Okafor', 'Ada', '1995-03-14', 'Computer Science', ''].join(','),
  );
  const id = String((await upload(first, Buffer.from(toCsv(...people)))).json<RosterImport>().id);
  await runJobsOnSecond();
  await second.call('POST /api/staff/roster/imports/{id}/check', { params: { id } });
  await runJobsOnSecond();
  expect(await find(first, id)).toMatchObject({ state: 'checked', failure: '', counts: { new: 3_000 } });
  expect(localFiles()).toEqual([]);
});

test('a roster is deleted when its import is discarded on the other machine, or is too old', async () => {
  const id = String((await upload(first)).json<RosterImport>().id);
  await second.call('POST /api/staff/roster/imports/{id}/cancel', { params: { id } });
  expect(objects()).toEqual([]);
  const old = await upload(first);
  await deleteRosterFilesJob.queue(archive.context.db, {});
  await runJobsOnSecond();
  expect(objects()).toEqual([`archive/.roster/${old.json<RosterImport>().id}.upload`]);
  await archive.pool.query(`update roster_imports set created_at = created_at - interval '8 days'`);
  await deleteRosterFilesJob.queue(archive.context.db, {});
  await runJobsOnSecond();
  expect(objects()).toEqual([]);
});

const requestExport = (device: Device) =>
  device.call('POST /api/staff/exports', { body: { filter: {}, columns: ['last-name', 'email'] } });
const download = (device: Device, id: string) => device.fetch('GET', `/api/staff/exports/${id}/file`);

test('an export that one machine makes is downloaded from the other, for 24 hours', async () => {
  const { id } = await requestExport(first);
  await runJobsOnSecond();
  const file = await download(first, id);
  expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(file.body).toContain(registrar.document.name.last);
  expect((await download(second, id)).body).toBe(file.body);
  expect([objects(), localFiles()]).toEqual([[`archive/.exports/${id}.csv`], []]);
  for (const path of [`/media/.exports/${id}.csv`, `/media/exports/${id}.csv`])
    expect((await first.fetch('GET', path)).statusCode).toBe(404);
  await archive.pool.query(`update people_exports set expires_at = now()`);
  await deleteExportFilesJob.queue(archive.context.db, {});
  await runJobsOnSecond();
  expect([objects(), (await download(first, id)).statusCode]).toEqual([[], 404]);
});

const advice = {
  code: 'unavailable',
  detail:
    'The storage for pictures and other files is not available, so nothing was changed. Try again in a few minutes.',
};

test('while the bucket does not respond, an upload is refused and can be repeated, and an import is discarded', async () => {
  fail();
  const refused = await upload(first);
  expect([refused.statusCode, refused.json<Problem>()]).toMatchObject([503, advice]);
  expect((await first.call('GET /api/staff/roster/imports')).imports).toEqual([]);
  await recover();
  const id = String((await upload(first)).json<RosterImport>().id);
  fail();
  await runJobsOnSecond();
  expect((await find(first, id)).failure).toBe('This step failed. It will be tried again.');
  await first.call('POST /api/staff/roster/imports/{id}/cancel', { params: { id } });
  expect(objects()).toHaveLength(1);
  await recover();
  await deleteRosterFilesJob.queue(archive.context.db, {});
  await runJobsOnSecond();
  expect(objects()).toEqual([]);
});

test('while the bucket does not respond, an export is not ready, and a download says to try again', async () => {
  const ready = await requestExport(first);
  await runJobsOnSecond();
  fail();
  expect((await download(first, ready.id)).json<Problem>()).toMatchObject(advice);
  const { id } = await requestExport(first);
  await exhaustQueued(archive.context.db);
  await runJobsOnSecond();
  const stateOf = async () => (await first.call('GET /api/staff/exports')).exports.find((one) => one.id === id)?.state;
  expect(await stateOf()).toBe('making');
  await recover();
  await deleteExportFilesJob.queue(archive.context.db, {});
  await runJobsOnSecond();
  expect(await stateOf()).toBe('failed');
  expect((await download(first, ready.id)).statusCode).toBe(200);
});
