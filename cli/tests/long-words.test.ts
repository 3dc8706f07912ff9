import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { recountWords } from '#server/domain/search/vocabulary.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import { createInstallation } from '../backup-format/testing.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/*
 * A lexeme of a `tsvector` has at most 2,046 bytes, and `array_to_tsvector` stores longer ones with a truncated length
 * instead of refusing them. One typed character can fold to 18 bytes.
 */

/**
 * Words that fold to 2,048 bytes (stored with length 0) and 2,880 bytes (stored with length 832, inside a character).
 */
const longWords: [folded: string, word: string][] = [
  ['2,048 bytes', '㌖'.repeat(113) + 'a'.repeat(14)],
  ['2,880 bytes', '㌖'.repeat(160)],
];

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

const find = async (device: Device, q: string) =>
  (await device.call('GET /api/search', { query: { q } })).items.map(({ id }) => id);

const setHidden = ({ device, uid }: Member, isHidden: boolean) =>
  device.call('PUT /api/users/{id}/privacy', { params: { id: uid }, body: { isHidden, version: 'any' } });

test.each(longWords)(
  'a member whose other name folds to %s can be found, hidden, disabled, counted, backed up and restored',
  { tags: ['release'] },
  async (_, word) => {
    const member = await archive.createMember({ otherNames: word }, { visibility: { otherNames: 'everyone' } });
    const settings = createSettings(archive);
    expect(await find(archive.openDevice(), word)).toEqual([member.uid]);
    await recountWords(archive.context.db);
    await setHidden(member, true);
    expect(await find(archive.openDevice(), word)).toEqual([]);
    await setHidden(member, false);
    expect(await runCommand(settings, 'user', 'disable', member.email)).toMatchObject({ code: 0 });
    expect(await find(archive.openDevice(), word)).toEqual([]);
    expect(await runCommand(settings, 'user', 'enable', member.email)).toMatchObject({ code: 0 });

    const file = join(newFolder('archive-backups-'), 'night.tar.gz');
    expect(await runCommand(settings, 'backup', file)).toMatchObject({ code: 0 });
    const installation = await createInstallation(inject('databases'));
    expect(await runCommand(installation.settings, 'restore', file)).toMatchObject({ code: 0 });
    const restored = await installation.open();
    expect(await find(restored.openDevice(), word)).toEqual([member.uid]);
    await restored.close();
    await installation.drop();
    expect(await runCommand(settings, 'user', 'delete', member.email, '--yes')).toMatchObject({ code: 0 });
    expect(archive.logged.filter((line) => /㌖|キロメートル/u.test(line))).toEqual([]);
  },
);
