import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

test('vouches refused lists who answered “no” about whom', async () => {
  const list = async () => (await runCommand(createSettings(archive), 'vouches', 'refused')).stdout;
  expect(await list()).toBe('No member answered “no”.');
  const [ada, ben, eve] = [await archive.signUp(), await archive.signUp(), await archive.signUp()];
  await archive.pool.query(
    `insert into vouches (claimant_id, voucher_id, answer) values ($1, $2, 'no'), ($1, $3, 'yes'), ($3, $2, 'unsure')`,
    [ada.uid, ben.uid, eve.uid],
  );
  expect(await list()).toMatch(
    new RegExp(`^\\d{4}-\\d\\d-\\d\\d  ${ada.email}  unconfirmed  “no” by ${ben.email}  \\(1 yes, 1 no\\)$`, 'u'),
  );
});
