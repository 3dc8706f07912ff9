import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import { urlOf } from '#server/db/url.ts';
import type { TestArchive } from '#server/testing/archive.ts';
import { type RosterImports, ada, ben, setUpRosterImports, toCsv } from '#server/testing/roster-imports.ts';
import { rosterStepJob } from './jobs.ts';

let archive: TestArchive;
let roster: RosterImports;

setUpRosterImports(inject('databases'), (opened) => ({ archive, roster } = opened));

test('staff upload, check, apply and undo an import, and the file is deleted', async () => {
  const id = await roster.upload(toCsv(ada, ben, ',Nameless,=Cmd,,,'));
  expect(await roster.find(id)).toMatchObject({
    state: 'uploaded',
    step: null,
    failure: '',
    file: { kind: 'csv', rowCount: 3, columns: [{ key: 'Matric No', field: 'matricNumber' }, {}, {}, {}, {}, {}] },
  });
  expect(roster.storedFiles()).toEqual([`${id}.upload`]);
  expect((await roster.uploadTo(roster.registrar.device, toCsv(ada))).json<Problem>()).toMatchObject({
    code: 'roster/refused',
  });
  expect(
    await roster.registrar.device.code('POST /api/staff/roster/imports/{id}/apply', {
      params: { id },
      body: { checkedAt: new Date().toISOString(), confirmed: [] },
    }),
  ).toBe('roster/refused');
  expect(await roster.run(id, 'check')).toMatchObject({
    state: 'checked',
    counts: { new: 2, changed: 0, unchanged: 0, missing: 0, unreadable: 1, duplicates: 0, suppressed: 0 },
  });
  const errors = await roster.registrar.device.ask('GET /api/staff/roster/imports/{id}/errors', { params: { id } });
  expect(errors.headers['content-type']).toContain('text/csv');
  expect(errors.body).toMatch(/^Row,Column,Value,Reason\r\n4,/u);
  expect(await roster.apply(id)).toMatchObject({ state: 'applied', step: null, file: null, counts: { new: 2 } });
  expect(roster.storedFiles()).toEqual([]);
  expect(await roster.undo(id)).toMatchObject({ state: 'undone', undoCounts: { takenBack: 2, kept: 0, failed: 0 } });
  expect((await archive.pool.query('select from roster_entries')).rowCount).toBe(0);
  const { imports } = await roster.registrar.device.call('GET /api/staff/roster/imports');
  expect(imports.map(({ state }) => state)).toEqual(['undone']);
});

test('an import is not applied after the role of who applies it was limited', async () => {
  const id = await roster.upload(toCsv(ada, ben));
  const { checkedAt } = await roster.run(id, 'check');
  const body = { checkedAt: checkedAt ?? '', confirmed: [] };
  await roster.registrar.device.call('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body });
  const limitTo = (college: string | null) =>
    archive.pool.query('update staff_roles set college = $1 where account_id = $2', [college, roster.registrar.uid]);
  await limitTo('COSIT');
  await archive.runJobs();
  await limitTo(null);
  expect(await roster.find(id)).toMatchObject({
    state: 'checked',
    failure: 'The person who started this step may no longer import the roster. Ask an owner to start it again.',
  });
});

test('a step that was requested twice runs once, and reports no failure', async () => {
  const id = await roster.upload(toCsv(ada, ben));
  const { checkedAt } = await roster.run(id, 'check');
  const options = { params: { id }, body: { checkedAt: checkedAt ?? '', confirmed: [] } };
  await Promise.all(
    [1, 2].map(() => roster.registrar.device.call('POST /api/staff/roster/imports/{id}/apply', options)),
  );
  await archive.runJobs();
  expect(await roster.find(id)).toMatchObject({ state: 'applied', step: null, failure: '', counts: { new: 2 } });
  await roster.undo(id);
  for (const step of ['undo', 'apply'] as const)
    await rosterStepJob.queue(archive.context.db, {
      importId: Number(id),
      step,
      checkedAt: checkedAt ?? '',
      accountId: roster.registrar.uid,
    });
  await archive.runJobs();
  expect(await roster.find(id)).toMatchObject({ state: 'undone', step: null, failure: '' });
});

test('an undo keeps new and changed entries that staff have corrected since, such as of a person who has died', async () => {
  await roster.importFile(toCsv(ada, ben));
  const chi = 'CSC/15/0003,Eze,Chi,,,';
  const id = await roster.upload(toCsv(ada.replace('Ada', 'Adaeze'), ben.replace('Ben', 'Benjamin'), chi));
  await roster.run(id, 'check');
  await roster.apply(id, 'many-changed');
  await roster.approve(id);
  const { device } = roster.registrar;
  const correct = async (matricKey: string, correction: { reason: 'deceased' } | { reason: 'other'; text: string }) => {
    const { rows } = await archive.pool.query<{ id: number }>('select id from roster_entries where matric_key = $1', [
      matricKey,
    ]);
    const body = { correction: { ...correction, entryId: rows[0]?.id ?? 0 } };
    const proposed = await device.call('POST /api/staff/corrections', { body });
    const { version } = await device.call('GET /api/staff/corrections/{id}', { params: { id: proposed.id } });
    await roster.owner.device.call('POST /api/staff/queue/{kind}/{id}/decision', {
      params: { kind: 'correction', id: proposed.id },
      body: { decision: { outcome: 'accept' }, version },
    });
  };
  await correct('CSC150001', { reason: 'deceased' });
  await correct('CSC150003', { reason: 'deceased' });
  // Changes no value of the entry.
  await correct('CSC150002', { reason: 'other', text: 'Lives abroad.' });
  await archive.advanceTime('31 seconds');
  await archive.runJobs();
  expect(await roster.undo(id)).toMatchObject({ undoCounts: { takenBack: 1, kept: 2, failed: 0 } });
  const entries = await archive.pool.query('select first_name, is_deceased from roster_entries order by matric_key');
  expect(entries.rows).toEqual([
    { first_name: 'Adaeze', is_deceased: true },
    { first_name: 'Ben', is_deceased: false },
    { first_name: 'Chi', is_deceased: true },
  ]);
});

test(
  'an apply that is killed leaves the roster as before, and the import can be applied again',
  { tags: ['release'] },
  async () => {
    await roster.importFile(toCsv(ada, ben));
    const readEntries = async () =>
      (
        await archive.pool.query(
          'select last_name, gone_since is null as current from roster_entries order by matric_key',
        )
      ).rows;
    const before = await readEntries();
    const id = await roster.upload(toCsv(ada.replace('Okafor', 'Changed'), 'CSC/15/0003,Eze,Chi,,,'));
    const { warnings } = await roster.run(id, 'check');
    const client = await archive.pool.connect();
    try {
      // The new entry waits for this one, after the others have been changed and marked as missing.
      await client.query(`begin; insert into roster_entries
      (matric_key, matric_number, last_name, first_name, words, first_import, last_import)
      values ('CSC150003', '', '', '', '{}', 0, 0)`);
      const script = join(import.meta.dirname, '../../testing/apply-import.ts');
      const child = spawn(process.execPath, [script, urlOf(archive.pool.options), id]);
      const exited = once(child, 'exit');
      const findBackends = async () =>
        (
          await archive.pool.query<{ wait: string | null }>(
            `select wait_event_type as wait from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and query like '%insert into roster_entries%select%'`,
          )
        ).rows.map(({ wait }) => wait);
      await expect.poll(findBackends).toEqual(['Lock']);
      child.kill('SIGKILL');
      expect(await exited).toEqual([null, 'SIGKILL']);
      await client.query('rollback');
      await expect.poll(findBackends).toEqual([]);
    } finally {
      client.release(true);
    }
    expect(await readEntries()).toEqual(before);
    expect(await roster.find(id)).toMatchObject({ state: 'checked' });
    await roster.apply(id, ...warnings.map(({ kind }) => kind));
    expect(await roster.approve(id)).toMatchObject({
      state: 'applied',
      counts: { new: 1, changed: 1, missing: 1 },
    });
    expect(await readEntries()).toEqual([
      { last_name: 'Changed', current: true },
      { last_name: 'Bello', current: false },
      { last_name: 'Eze', current: true },
    ]);
  },
);
