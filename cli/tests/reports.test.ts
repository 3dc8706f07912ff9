import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

test('reports list, show and close handle a report, and doctor warns while it is open', async () => {
  const [ada, ben] = [await archive.createMember(), await archive.createMember()];
  const archiveCommand = (...words: string[]) => runCommand(createSettings(archive), ...words);
  expect(await archiveCommand('reports', 'list')).toMatchObject({ code: 0, stdout: 'No open reports.' });
  const { rows } = await archive.pool.query<{ id: string }>(
    `insert into reports (subject_id, reporter_id, reason, text) values ($1, $2, 'phishing', E'Line one\\nLine two') returning id`,
    [ada.uid, ben.uid],
  );
  const id = rows[0]?.id ?? '';
  expect((await archiveCommand('reports', 'list')).stdout).toMatch(
    new RegExp(`^${id} .* message  phishing  about ${ada.email}$`, 'u'),
  );
  expect((await archiveCommand('doctor')).stdout).toContain('1 report is open');
  const { stdout } = await archiveCommand('reports', 'show', id);
  for (const part of [ada.email, ben.email, '  > Line one\n  > Line two']) expect(stdout).toContain(part);
  expect(await archiveCommand('reports', 'close', id, '--dry-run')).toMatchObject({
    code: 0,
    stderr: 'Dry run: nothing was changed.',
  });
  expect((await archiveCommand('reports', 'list')).stdout).toContain(id);
  expect((await archiveCommand('reports', 'close', id, '--note', 'Disabled')).stdout).toBe(`Report ${id} was closed.`);
  expect(await archiveCommand('reports', 'list')).toMatchObject({ stdout: 'No open reports.' });
  const { rows: records } = await archive.pool.query('select action, actor from audit_records where subject = $1', [
    id,
  ]);
  expect(records).toEqual([{ action: 'report-closed', actor: null }]);
  expect((await archiveCommand('reports', 'show', id)).stdout).toMatch(/^Closed +.*: Disabled$/mu);
  for (const words of [
    ['close', id],
    ['show', 'nonsense'],
  ])
    expect((await archiveCommand('reports', ...words)).code).toBe(1);
});

test('reports show and close handle a report about a photo, which becomes visible again', async () => {
  const [ada, ben] = [await archive.createMember(), await archive.createMember()];
  const archiveCommand = (...words: string[]) => runCommand(createSettings(archive), ...words);
  const photo = await ada.device.call('POST /api/gallery/photos', {
    body: { title: 'Rag day', album: 'Rag day', audience: 'members', image: await smallPicture() },
  });
  await ben.device.call('POST /api/reports/{kind}/{id}', {
    params: { kind: 'photo', id: photo.id },
    body: { reason: 'in-picture' },
  });
  const id = (await archiveCommand('reports', 'list')).stdout.split(' ')[0] ?? '';
  expect((await archiveCommand('reports', 'show', id)).stdout).toContain('Rag day (reported)');
  expect((await archiveCommand('reports', 'close', id)).code).toBe(0);
  const { items } = await ben.device.call('GET /api/gallery/photos', { query: {} });
  expect(items.map(({ title }) => title)).toContain('Rag day');
});
