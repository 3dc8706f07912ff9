import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { openArchive } from '#server/testing/archive.ts';
import { createStaff } from '#server/testing/staff.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

test('exports identify finds the export of a leaked list by its id, or by the order of its rows', async () => {
  const archive = await openArchive(inject('databases'));
  const registrar = await createStaff(archive, 'registrar');
  for (let count = 0; count < 8; count++) await archive.createMember();
  const exported = async () => {
    const { id } = await registrar.device.call('POST /api/staff/exports', {
      body: { filter: {}, columns: ['last-name', 'email'] },
    });
    await archive.runJobs();
    const file = await registrar.device.fetch('GET', `/api/staff/exports/${id}/file`);
    return { id, lines: file.body.trimEnd().split('\r\n') };
  };
  const [first] = [await exported(), await exported()];
  const identify = async (lines: readonly string[]) => {
    const path = join(archive.context.config.dataDir, 'leaked.csv');
    writeFileSync(path, lines.join('\n'));
    return runCommand(createSettings(archive), 'exports', 'identify', path);
  };
  expect((await identify(first.lines)).stdout).toContain(`The file names its export. Export ${first.id}`);
  const rows = first.lines.slice(1, -2);
  const { stdout } = await identify(rows.slice(0, -1));
  expect(stdout).toContain(`8 rows are in the order of this export. Export ${first.id}`);
  expect(stdout).toContain(registrar.email);
  expect(stdout.split('\n')).toHaveLength(1);
  expect((await identify(rows.toReversed())).stdout).toContain('in the order of no export');
  expect((await identify(rows.slice(0, 5))).code).toBe(1);
  await archive.close();
});
