import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { linkEntry } from '#server/domain/roster/links.ts';
import type { Member, TestArchive } from '#server/testing/archive.ts';
import { confirmMember, enterConfirmedMode } from '#server/testing/membership.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import { type Installation, createInstallation, readAllRows } from '../backup-format/testing.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/* Backup, restore, export and import of an archive that confirms its members. */

let installation: Installation;
let archive: TestArchive;
let ada: Member;
let ben: Member;
let backupFile: string;
let folder: string;
let entry: number;

const addEntry = async ({ pool }: TestArchive, key: string): Promise<number> => {
  const { rows } = await pool.query<{ id: number }>(
    `insert into roster_entries (matric_key, matric_number, last_name, first_name, words, first_import, last_import)
     values ($1, $1, 'Obi', 'Ada', '{}', 1, 1) returning id`,
    [key],
  );
  return rows[0]?.id ?? 0;
};

beforeAll(async () => {
  installation = await createInstallation(inject('databases'));
  archive = await installation.open();
  await enterConfirmedMode(archive);
  [ada, ben] = [await archive.createMember({ firstName: 'Ada' }), await archive.createMember({ firstName: 'Ben' })];
  entry = await addEntry(archive, 'CSC1');
  await linkEntry(archive.context.db, entry, ada.uid);
  await confirmMember(archive, ada, { kind: 'printed-code' });
  await confirmMember(archive, ada, { kind: 'peer-vouch' });
  await archive.pool.query(`insert into claims (account_id, typed) values ($1, '{"matricNumber": "CSC2"}')`, [ben.uid]);
  await archive.pool.query(
    `insert into disputes (entry_id, holder_id, claimant_id, text) values ($1, $2, $3, 'It is me')`,
    [entry, ada.uid, ben.uid],
  );
  await archive.pool.query(
    `insert into membership_codes (code_hash, entry_id, kind, expires_at) values ('a', $1, 'printed', now())`,
    [entry],
  );
  await archive.pool.query(
    `insert into employer_merges (key, merged_into, same_as) values ('gtb', 'guarantytrustbank', 'guarantytrustbank')`,
  );
  await ada.device.call('PUT /api/users/{id}/career', {
    params: { id: ada.uid },
    body: {
      positions: [{ role: '', employer: 'GTB', field: 'finance', from: null, to: null }],
      city: '',
      cityId: null,
      country: 'NG',
      helps: [],
      version: 'any',
    },
  });
  await archive.pool.query(`insert into tracer_snapshots (month, rows, counts_roster) values ('2020-01', '[]', true)`);
  backupFile = join(newFolder('archive-backups-'), 'whole.tar.gz');
  folder = join(newFolder('archive-export-'), 'out');
  for (const command of [
    ['backup', backupFile],
    ['export', folder],
  ] as const) {
    const { code, stderr } = await runCommand(createSettings(archive), ...command);
    if (code !== 0) throw new Error(stderr);
  }
});
afterAll(async () => {
  await archive.close();
  await installation.drop();
  await cleanUp();
});

test('restore brings back mode, roster, claims, evidence, disputes, merges of employers and their counts, and lists only confirmed people', async () => {
  const before = await readAllRows(archive.pool);
  expect(before['membership_mode']?.join()).toContain('confirmed');
  const target = await createInstallation(inject('databases'));
  expect(await runCommand(target.settings, 'restore', backupFile)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('but this archive requires confirmation.') as string,
  });
  const restored = await target.open();
  const rows = await readAllRows(restored.pool);
  expect(rows).toEqual(before);
  expect(rows['employers']?.join()).toContain('guarantytrustbank');
  expect(rows['career_counts']).toHaveLength(2);
  expect(rows['employer_merges']).toHaveLength(1);
  expect(rows['listings']?.filter((row) => row.includes(ada.uid))).toHaveLength(2);
  expect(rows['listings']?.join()).not.toContain(ben.uid);
  // The sequence continues after the restored entries.
  expect(await addEntry(restored, 'CSC9')).toBeGreaterThan(entry);
  await restored.close();
  await target.drop();
});

test('restore of a backup from before a deletion frees the roster entry again', async () => {
  const target = await createInstallation(inject('databases'));
  expect(await runCommand(target.settings, 'restore', backupFile)).toMatchObject({ code: 0 });
  const other = await target.open();
  const device = other.openDevice();
  await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password: ada.password } });
  await device.call('DELETE /api/identity/account');
  await other.close();
  expect((await runCommand(target.settings, 'restore', backupFile, '--replace')).stdout).toContain(
    '1 accounts were deleted again',
  );
  const restored = await target.open();
  const { rows } = await restored.pool.query(
    `select member_left_at is not null as "hasLeft", exists (select from roster_links) as "isLinked",
       exists (select from evidence) as "hasEvidence", exists (select from disputes) as "hasDispute" from roster_entries`,
  );
  expect(rows).toEqual([{ hasLeft: true, isLinked: false, hasEvidence: false, hasDispute: false }]);
  await restored.close();
  await target.drop();
});

test('export writes membership status and kinds of evidence of each person, but nothing from the roster', () => {
  const text = readFileSync(join(folder, 'accounts.jsonl'), 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.find(({ email }) => email === ada.email)).toMatchObject({
    membershipStatus: 'confirmed',
    confirmedAt: expect.stringMatching(/^\d{4}-.*Z$/u) as string,
    evidence: ['printed-code', 'peer-vouch'],
  });
  expect(lines.find(({ email }) => email === ben.email)).toMatchObject({
    membershipStatus: 'unconfirmed',
    confirmedAt: null,
    evidence: [],
  });
  expect(text).not.toContain('CSC');
  const readme = readFileSync(join(folder, 'README.txt'), 'utf8');
  for (const key of ['membershipStatus', 'evidence', 'confirmBy']) expect(readme).toContain(key);
});

test('import into an archive that confirms its members leaves everyone unconfirmed and unlisted, and prints a warning', async () => {
  const target = await createInstallation(inject('databases'));
  const open = await runCommand(target.settings, 'import', folder, '--dry-run');
  expect(open.stdout).not.toContain('Unconfirmed');
  const institution = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
  const file = join(newFolder(), 'institution.json');
  writeFileSync(file, JSON.stringify({ ...institution, membership: 'confirmed' }));
  const settings = { ...target.settings, INSTITUTION_FILE: file };
  for (const more of [['--dry-run'], []]) {
    const { code, stdout } = await runCommand(settings, 'import', folder, ...more);
    expect(code).toBe(0);
    expect(stdout).toContain('Unconfirmed: 2. This archive confirms its members');
  }
  const fresh = await target.open();
  const { rows } = await fresh.pool.query(
    `select distinct membership_status as status, (select count(*)::int from listings) as listings,
       (select count(*)::int from evidence) as evidence from accounts`,
  );
  expect(rows).toEqual([{ status: 'unconfirmed', listings: 0, evidence: 0 }]);
  await fresh.close();
  await target.drop();
});

test('roster suppress empties an entry and its codes, keeps the account confirmed, and survives a restore', async () => {
  const target = await createInstallation(inject('databases'));
  expect(await runCommand(target.settings, 'restore', backupFile)).toMatchObject({ code: 0 });
  const suppress = (...more: string[]) => runCommand(target.settings, 'roster', 'suppress', 'csc / 1', ...more);
  expect(await suppress()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nothing was changed.') as string,
  });
  expect(await suppress('--yes')).toMatchObject({ code: 0 });
  expect(await suppress('--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no entry') as string,
  });
  const readEntries = async () => {
    const restored = await target.open();
    const { rows } = await restored.pool.query<Record<string, unknown>>(
      `select to_jsonb(e) - array['id', 'suppressed_at', 'first_import', 'last_import'] as entry, l.account_id as holder,
         (select count(*)::int from membership_codes where entry_id = e.id) as codes,
         e.matric_key = encode(sha256('CSC1'), 'hex') as "hasKey"
       from roster_entries as e join roster_links as l on l.entry_id = e.id`,
    );
    await restored.close();
    return rows;
  };
  const [emptied] = await readEntries();
  expect(emptied).toMatchObject({ holder: ada.uid, codes: 0, hasKey: true });
  expect(JSON.stringify(emptied)).not.toMatch(/Obi|Ada|CSC1/u);
  expect(await runCommand(target.settings, 'restore', backupFile, '--replace')).toMatchObject({ code: 0 });
  expect(await readEntries()).toEqual([emptied]);
  await target.drop();
});
