import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { settingsOf, type } from '../testing/run-command.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

test('reports list, show and close: a dry run changes nothing, and doctor says what is open', async () => {
  const [ada, ben] = [await archive.join(), await archive.join()];
  const archiveCommand = (...words: string[]) => type(settingsOf(archive), ...words);
  expect(await archiveCommand('reports', 'list')).toMatchObject({ code: 0, said: 'There are no open reports.' });
  const { rows } = await archive.pool.query<{ id: string }>(
    `insert into reports (subject_id, reporter_id, reason, text) values ($1, $2, 'phishing', E'Line one\\nLine two') returning id`,
    [ada.uid, ben.uid],
  );
  const id = rows[0]?.id ?? '';
  expect((await archiveCommand('reports', 'list')).said).toMatch(
    new RegExp(`^${id} .* phishing  about ${ada.email}$`, 'u'),
  );
  expect((await archiveCommand('doctor')).said).toContain('One report by a member is open');
  const { said } = await archiveCommand('reports', 'show', id);
  for (const part of [ada.email, ben.email, '  > Line one\n  > Line two']) expect(said).toContain(part);
  expect(await archiveCommand('reports', 'close', id, '--dry-run')).toMatchObject({
    code: 0,
    noted: 'Nothing was changed.',
  });
  expect((await archiveCommand('reports', 'list')).said).toContain(id);
  expect((await archiveCommand('reports', 'close', id, '--note', 'Disabled')).said).toBe(`Report ${id} is closed.`);
  expect(await archiveCommand('reports', 'list')).toMatchObject({ said: 'There are no open reports.' });
  expect((await archiveCommand('reports', 'show', id)).said).toMatch(/^Closed +.*: Disabled$/mu);
  for (const words of [
    ['close', id],
    ['show', 'nonsense'],
  ])
    expect((await archiveCommand('reports', ...words)).code).toBe(1);
});
