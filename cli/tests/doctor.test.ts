import { chmodSync, readFileSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { urlOf } from '#server/db/url.ts';
import { saveFirebaseKey } from '#server/platform/crypto/firebase-scrypt.ts';
import { openSigningKey } from '#server/platform/crypto/signing-key.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { ageQueued, exhaustQueued } from '#server/testing/jobs.ts';
import { copyDatabase } from '#server/testing/databases.ts';
import { freePort } from '#server/testing/free-port.ts';
import { createMemberWithApp } from '#server/testing/second-factor.ts';
import { cleanUp, newDataFolder, newFolder, run } from '#server/testing/server-process.ts';
import { allChecks } from '../commands/doctor.ts';
import { findNewerMinor } from '../doctor/postgres-versions.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

let archive: TestArchive;
let settings: NodeJS.ProcessEnv;
beforeEach(async () => {
  archive = await openArchive(inject('databases'));
  settings = { ...createSettings(archive), PORT: String(await freePort()) };
});
afterEach(async () => {
  await archive.close();
  await cleanUp();
});

interface Result {
  readonly level: string;
  readonly check: string;
  readonly message: string;
}

async function runDoctor(more: NodeJS.ProcessEnv = {}): Promise<Result[]> {
  const { stdout } = await runCommand({ ...settings, ...more }, 'doctor', '--json');
  return (JSON.parse(stdout) as { findings: Result[] }).findings;
}

async function runCheck(check: string, more: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const all = await runDoctor(more);
  return all.filter((one) => one.check === check).map(({ level, message }) => `${level}: ${message}`);
}

const dataDir = () => archive.context.config.dataDir;
const query = (text: string, values: unknown[] = []) => archive.pool.query(text, values);

const privacyTexts = {
  controller: 'Olumo University of Education',
  controllerAddress: '1 College Road, Abeokuta',
  contact: 'privacy@oue.example',
  supervisoryAuthority: 'The data protection commission',
  legalBasis: ['The directory: your consent'],
};

function writeInstitution(privacy: object | undefined): string {
  const path = join(dataDir(), 'with-privacy.json');
  const institution = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...institution, privacy }));
  return path;
}

describe('doctor', () => {
  test('reports no problem in a healthy archive', async () => {
    await archive.createMember();
    await createMemberWithApp(archive);
    await archive.app.listen({ port: Number(settings['PORT']), host: '127.0.0.1' });
    const all = await runDoctor({ INSTITUTION_FILE: writeInstitution(privacyTexts) });
    const notOk = all.filter(({ level, check }) => level !== 'OK' && check !== 'durability' && check !== 'PostgreSQL');
    expect(notOk).toEqual([]);
    expect(new Set(all.map(({ check }) => check))).toEqual(new Set(allChecks.map(({ name }) => name)));
  });

  test('prints a line per check and a summary, and exits with 1 if a check fails', async () => {
    const { code, stdout } = await runCommand({ ...settings, SMTP_URL: '' }, 'doctor');
    expect(stdout).toMatch(/^OK {4}version +0\.1\.0, Node 24\./mu);
    expect(stdout).toMatch(/^WARN {2}server +The server is not running on port \d+\. Start it with: npm start$/mu);
    const count = (level: string) => stdout.split('\n').filter((line) => line.startsWith(level)).length;
    expect(stdout).toContain(`\n${count('FAIL')} failed, ${count('WARN')} warnings.`);
    expect(code).toBe(count('FAIL') > 0 ? 1 : 0);
  });

  test('reports only the settings if one is invalid', async () => {
    expect(await runDoctor({ PORT: 'three', WORKERS: '0' })).toEqual([
      { check: 'settings', level: 'FAIL', message: 'PORT must be a whole number from 1 to 65535, e.g. PORT=3000.' },
      { check: 'settings', level: 'FAIL', message: 'WORKERS must be a whole number from 1 to 64, e.g. WORKERS=4.' },
    ]);
  });

  test('reports settings that are valid but unsafe on a public address', async () => {
    const more = { NODE_ENV: 'production', PUBLIC_URL: 'http://alumni.example.edu', SMTP_URL: '' };
    expect(await runCheck('PUBLIC_URL', more)).toEqual([expect.stringMatching(/^FAIL: http:.* is not encrypted/u)]);
    expect(await runCheck('mail', more)).toEqual([expect.stringMatching(/^WARN: No mail server is configured/u)]);
    const secure = { ...more, PUBLIC_URL: 'https://alumni.example.edu' };
    expect(await runCheck('MAIL_FROM', { ...more, MAIL_FROM: 'office@gmail.example' })).toEqual([
      expect.stringMatching(/^WARN: Emails are sent from gmail\.example, but their links lead to /u),
    ]);
    expect(await runCheck('MAIL_FROM', { ...more, MAIL_FROM: 'Office <office@example.edu>' })).toEqual([
      'OK: Office <office@example.edu>.',
    ]);
    expect(await runCheck('NODE_ENV', { ...more, NODE_ENV: '' })).toEqual([expect.stringMatching(/^WARN: /u)]);
    expect(await runCheck('PUBLIC_URL', secure)).toEqual(['OK: https://alumni.example.edu.']);
    expect(await runCheck('TRUST_PROXY', secure)).toEqual([
      expect.stringMatching(/^FAIL: PUBLIC_URL implies a proxy/u),
    ]);
    expect(await runCheck('TRUST_PROXY', { ...secure, TRUST_PROXY: '127.0.0.1' })).toEqual(['OK: 127.0.0.1.']);
    expect(await runCheck('TRUST_PROXY', { ...secure, TRUST_PROXY: '0.0.0.0/0' })).toEqual([
      expect.stringMatching(/^FAIL: Every address counts as a proxy/u),
    ]);
    expect(await runCheck('PUBLIC_URL', { NODE_ENV: 'production' })).toEqual([
      expect.stringMatching(/^WARN: .* is only reachable on this machine/u),
    ]);
  });

  test('reports an unreachable database and runs the checks that do not need it', async () => {
    const all = await runDoctor({ DATABASE_URL: `postgres://x@127.0.0.1:${await freePort()}/none` });
    expect(all.find(({ check }) => check === 'database')).toMatchObject({
      level: 'FAIL',
      message: expect.stringMatching(/^Cannot connect to the database \(.+\)\. Check DATABASE_URL/u),
    });
    const checks = all.map(({ check }) => check);
    expect(checks).toEqual(expect.arrayContaining(['disk', 'mail', 'modes']));
    expect(checks).not.toContain('pictures');
  });

  test('warns about missing texts of the privacy page', async () => {
    const warning =
      /^WARN: The privacy page does not say everything yet\. Fill in privacy\.controller, .*privacy\.legalBasis in /u;
    expect(await runCheck('privacy page')).toEqual([expect.stringMatching(warning)]);
    // An institution file from an older version has no `privacy`.
    expect(await runCheck('privacy page', { INSTITUTION_FILE: writeInstitution(undefined) })).toEqual([
      expect.stringMatching(warning),
    ]);
    const { contact: _, ...withoutContact } = privacyTexts;
    const file = writeInstitution({ ...withoutContact, controller: 'PLACEHOLDER: legal name of the university' });
    expect(await runCheck('privacy page', { INSTITUTION_FILE: file })).toEqual([
      expect.stringMatching(/Fill in privacy\.controller, privacy\.contact in /u),
    ]);
    expect(await runCheck('privacy page', { INSTITUTION_FILE: writeInstitution(privacyTexts) })).toEqual([
      'OK: All texts are filled in.',
    ]);
  });

  test('reports an invalid institution file', async () => {
    const path = join(dataDir(), 'institution.json');
    writeFileSync(path, '{"name":');
    expect(await runDoctor({ INSTITUTION_FILE: path })).toEqual([
      { check: 'settings', level: 'FAIL', message: expect.stringContaining(path) as string },
    ]);
  });

  test('reports pending migrations, and migrations of a newer version', async () => {
    const databases = inject('databases');
    const name = `${databases.template}_doctor`;
    const { connection, drop } = await copyDatabase({ ...databases, template: 'template0' }, name);
    try {
      const all = await runDoctor({ DATABASE_URL: urlOf(connection) });
      expect(all.find(({ check }) => check === 'tables')).toMatchObject({
        level: 'WARN',
        message: expect.stringMatching(/^Migrations pending: 001-accounts to \d{3}-.*\. Some checks were skipped\./u),
      });
      expect(all.map(({ check }) => check)).not.toContain('pictures');
    } finally {
      await drop();
    }
    const [last] = (
      await query('delete from kysely_migration where name = (select max(name) from kysely_migration) returning name')
    ).rows as { name: string }[];
    expect(await runCheck('tables')).toEqual([expect.stringContaining(`WARN: Migrations pending: ${last?.name}.`)]);
    await query(`insert into kysely_migration (name, timestamp) values ($1, ''), ('999-future', '')`, [last?.name]);
    expect(await runCheck('tables')).toEqual([
      expect.stringMatching(/^FAIL: This version does not know the migrations 999-future\. Install the version/u),
    ]);
  });

  test('warns if the processes may use more connections than the database allows', async () => {
    expect(await runCheck('connections', { WORKERS: '64' })).toEqual([
      expect.stringMatching(/^WARN: 64 processes may use 715 connections, but the database allows \d+\./u),
    ]);
  });

  test('reports a database without fsync', async () => {
    const { rows } = await query(`select setting from pg_settings where name = 'fsync'`);
    const [isOn] = (rows as { setting: string }[]).map(({ setting }) => setting === 'on');
    expect((await runCheck('durability'))[0]).toMatch(isOn ? /^OK: /u : /^FAIL: fsync.* a power failure loses data/u);
  });

  test('warns about a PostgreSQL older than the newest known minor version', async () => {
    const { rows } = await query(`select current_setting('server_version_num')::int as number`);
    const newest = findNewerMinor((rows as { number: number }[])[0]?.number ?? 0);
    expect(await runCheck('PostgreSQL')).toEqual([
      newest === null
        ? expect.stringMatching(/^OK: /u)
        : expect.stringMatching(new RegExp(`^WARN: .* is older than ${newest.replace('.', '\\.')}\\. Update`, 'u')),
    ]);
    expect([180_004, 180_006, 150_018, 150_020, 990_000].map((number) => findNewerMinor(number))).toEqual([
      '18.6',
      null,
      '15.20',
      null,
      null,
    ]);
  });

  test('counts unused accounts, and profiles hidden until the next sign-in', async () => {
    const [ada, ben] = [await archive.signUp(), await archive.signUp()];
    await query(`update accounts set hidden_until_sign_in = 'imported' where id = $1`, [ada.uid]);
    await query(
      `update accounts set hidden_until_sign_in = 'unused', last_seen_at = now() - interval '3 years' where id = $1`,
      [ben.uid],
    );
    expect(await runCheck('unused')).toEqual([
      expect.stringMatching(
        /^OK: 1 accounts have not been used for 24 months\. Hidden until the next sign-in: 1 imported and 1 unused profiles\. /u,
      ),
    ]);
  });

  test('warns while a report is open', async () => {
    expect(await runCheck('reports')).toEqual(['OK: No open reports.']);
    const { uid } = await archive.signUp();
    await query(`insert into reports (subject_id, reason) values ($1, 'phishing')`, [uid]);
    expect(await runCheck('reports')).toEqual([
      expect.stringMatching(/^WARN: 1 report is open, the oldest since 2.* Staff decide them in the staff console\.$/u),
    ]);
    await query('delete from reports');
  });

  test('counts waiting claims and open disputes, and warns if one is old or disputed', async () => {
    expect(await runCheck('claims')).toEqual(['OK: No confirmation is required.']);
    await query(`update membership_mode set mode = 'confirmed'`);
    expect(await runCheck('claims')).toEqual(['OK: No claims are waiting, and no disputes are open.']);
    const { uid } = await archive.signUp();
    await query(`insert into claims (account_id, typed) values ($1, '{}')`, [uid]);
    expect(await runCheck('claims')).toEqual([expect.stringMatching(/^OK: Waiting claims: 1, the oldest since 2/u)]);
    await query(`update claims set created_at = now() - interval '8 days'`);
    expect(await runCheck('claims')).toEqual([
      expect.stringMatching(
        /^WARN: Waiting claims: 1, .* Open disputes: 0\. Staff decide them in the staff console\.$/u,
      ),
    ]);
    await query(`delete from claims`);
    await query(
      `with entry as (
         insert into roster_entries (matric_key, matric_number, last_name, first_name, words, first_import, last_import)
         values ('1', '1', '', '', '{}', 1, 1) returning id)
       insert into disputes (entry_id, holder_id) select id, $1 from entry`,
      [uid],
    );
    expect(await runCheck('claims')).toEqual([expect.stringMatching(/^WARN: Waiting claims: 0\. Open disputes: 1\./u)]);
    await query(`update membership_mode set mode = 'open'`);
  });

  test('fails when the server would refuse the membership mode of the institution file, and names the command', async () => {
    const path = join(dataDir(), 'confirmed.json');
    const institution = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...institution, membership: 'confirmed' }));
    await archive.signUp();
    expect(await runCheck('membership', { INSTITUTION_FILE: path })).toEqual([
      expect.stringMatching(/^FAIL: The server does not start: .* npm run archive -- membership require-confirmation/u),
    ]);
    expect(await runCheck('membership')).toEqual([expect.stringMatching(/^OK: Open/u)]);
  });

  test('reports a clock that was set back', { tags: ['asvs-16.2.2'] }, async () => {
    await archive.signUp();
    await query(`update accounts set created_at = now() + interval '1 hour'`);
    expect(await runCheck('time')).toEqual([
      expect.stringMatching(/^FAIL: The newest stored time is 3\d{3} seconds in the future/u),
    ]);
  });

  test('warns about a clock that jumped within the last day', async () => {
    await query(`update clock set seen_at = now(), steady_since = now() - interval '2 days'`);
    expect(await runCheck('time')).toEqual(['OK: The clock is steady.']);
    await query(`update clock set steady_since = now() - interval '2 hours'`);
    await query(`update kysely_migration set timestamp = now() - interval '2 hours'`);
    expect(await runCheck('time')).toEqual([expect.stringMatching(/^OK: The database is less than a day old/u)]);
    // An old database whose server was stopped for a long time.
    await query(`update clock set seen_at = now() - interval '3 days', steady_since = now() - interval '1 year'`);
    await query(`update kysely_migration set timestamp = now() - interval '1 year'`);
    expect(await runCheck('time')).toEqual([expect.stringMatching(/^WARN: The clock jumped within the last day/u)]);
    await query(`update clock set seen_at = now(), steady_since = now() - interval '2 hours'`);
    expect(await runCheck('time')).toEqual([expect.stringMatching(/^WARN: The clock jumped within the last day/u)]);
  });

  test('reports an interrupted restore, on which other commands refuse to run', async () => {
    writeFileSync(join(dataDir(), 'restore.unfinished'), '');
    expect(await runCheck('database')).toEqual([expect.stringMatching(/^FAIL: A restore was interrupted/u)]);
    for (const words of [
      ['backup', join(dataDir(), 'never.tar.gz')],
      ['export', join(dataDir(), 'never')],
      ['jobs', 'list'],
      ['user', 'show', 'ada@mail.example'],
    ])
      expect(await runCommand(settings, ...words)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/A restore was interrupted/u),
      });
    expect(readdirSync(dataDir())).not.toContain('never');
  });

  test('reports a disk with less free space than DISK_RESERVE', async () => {
    const { bavail, bsize } = statfsSync(dataDir());
    const more = { DISK_RESERVE: String(Math.ceil((bavail * bsize) / 2 ** 20) + 10_000) };
    expect(await runCheck('disk', more)).toEqual([
      expect.stringMatching(/less than DISK_RESERVE .*, so uploads are rejected\./u),
      expect.stringMatching(/media, less than DISK_RESERVE/u),
    ]);
  });

  test('reports a mistyped DATA_DIR and creates nothing there', async () => {
    const elsewhere = join(newFolder(), 'dtaa');
    const place = { DATABASE_URL: undefined, DATA_DIR: elsewhere };
    expect(await runCheck('database', place)).toEqual([
      `FAIL: There is no archive in ${elsewhere}. Check DATA_DIR. The first "npm start" creates an archive.`,
    ]);
    expect(await runCommand({ ...settings, ...place }, 'backup', join(elsewhere, 'b.tar.gz'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Check DATA_DIR.'),
    });
    expect(readdirSync(elsewhere)).not.toContain('postgres');
    writeFileSync(join(elsewhere, 'file'), '');
    expect(await runCommand({ ...settings, DATA_DIR: join(elsewhere, 'file', 'data') }, 'jobs', 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The data folder .* cannot be created \(ENOTDIR\)\. Create it/u),
    });
  });

  test('reports secrets and folders that other users can read', async () => {
    await openSigningKey(dataDir());
    expect(await runCheck('modes')).toEqual(['OK: Other users cannot read secrets and pictures.']);
    const key = join(dataDir(), 'token-key.json');
    chmodSync(key, 0o644);
    chmodSync(join(dataDir(), 'media'), 0o755);
    expect(await runCheck('modes')).toEqual([
      `FAIL: Other users can read ${join(dataDir(), 'media')}. Run: chmod go= ${join(dataDir(), 'media')}`,
      `FAIL: Other users can read ${key}. Run: chmod go= ${key}`,
    ]);
  });

  test('reports a missing or wrong second-factor.key', async () => {
    await createMemberWithApp(archive);
    const keyPath = join(dataDir(), 'second-factor.key');
    expect(await runCheck('second-factor.key')).toEqual(['OK: Decrypts the stored authenticator secrets.']);
    writeFileSync(keyPath, Buffer.alloc(32).toString('base64'));
    expect(await runCheck('second-factor.key')).toEqual([
      expect.stringMatching(/^FAIL: second-factor\.key does not match/u),
    ]);
    rmSync(keyPath);
    expect(await runCheck('second-factor.key')).toEqual([
      expect.stringMatching(/^FAIL: second-factor\.key is missing/u),
    ]);
    // The check must not create a new key, which would hide the loss.
    expect(readdirSync(dataDir())).not.toContain('second-factor.key');
  });

  test('reports a key of imported passwords that is missing or unused', async () => {
    const { uid } = await archive.signUp();
    expect(await runCheck('imported passwords')).toEqual(['OK: All keys are present.']);
    const id = await saveFirebaseKey(dataDir(), { signerKey: 'AAAA', saltSeparator: 'Bw==', rounds: 8, memCost: 4 });
    expect(await runCheck('imported passwords')).toEqual([
      expect.stringMatching(/^OK: No account uses secrets\/firebase-/u),
    ]);
    await query('update accounts set password_hash = $1 where id = $2', [`$firebase-scrypt$k=${id}$AA$AA`, uid]);
    expect(await runCheck('imported passwords')).toEqual(['OK: All keys are present.']);
    rmSync(join(dataDir(), 'secrets'), { recursive: true });
    expect(await runCheck('imported passwords')).toEqual([
      expect.stringMatching(/^FAIL: DATA_DIR\/secrets does not contain firebase-[\da-f]{12}\.json/u),
    ]);
  });

  test('reports a mail server that does not respond', async () => {
    expect(await runCheck('mail')).toEqual([expect.stringMatching(/^OK: 127\.0\.0\.1 accepts the sign-in\./u)]);
    const port = await freePort();
    expect(await runCheck('mail', { SMTP_URL: `smtp://127.0.0.1:${port}` })).toEqual([
      expect.stringMatching(/^FAIL: Connection refused by 127\.0\.0\.1 at port/u),
    ]);
  });

  test('warns about overdue and permanently failed jobs', async () => {
    await archive.signUp();
    expect(await runCheck('jobs')).toEqual(['OK: 1 pending, none overdue.']);
    const { db } = archive.context;
    await ageQueued(db, 20 * 60);
    expect(await runCheck('jobs')).toEqual([
      expect.stringMatching(/^WARN: Some have been pending for more than 15 minutes \(identity:verification-mail\)/u),
    ]);
    await exhaustQueued(db);
    archive.inbox.refuse(true);
    await archive.runJobs();
    expect(await runCheck('jobs')).toEqual([
      expect.stringMatching(/^WARN: 1 failed permanently \(identity:verification-mail\)/u),
    ]);
  });

  test('reports missing pictures', async () => {
    await archive.createMember();
    await archive.createMember();
    const { rows } = await query('select picture from profiles limit 1');
    const [missing] = (rows as { picture: string }[]).map(({ picture }) => picture);
    await archive.context.media.moveToTrash(missing ?? '');
    expect(await runCheck('pictures')).toEqual([expect.stringMatching(/^FAIL: 1 of 2 checked pictures are missing/u)]);
  });

  test('reports whether the server responds', async () => {
    await archive.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = archive.app.server.address() as AddressInfo;
    expect(await runCheck('server', { PORT: String(port) })).toEqual([`OK: Answers on port ${port}.`]);
  });

  test('changes no row and no file', async () => {
    await archive.createMember();
    const readEverything = async () => ({
      files: readdirSync(dataDir(), { recursive: true }).map(String).toSorted(),
      rows: (
        await query(
          `select table_schema, table_name,
             query_to_xml(format('select * from %I.%I', table_schema, table_name), true, false, '')::text as content
           from information_schema.tables
           where table_type = 'BASE TABLE' and table_schema in ('public', 'pgboss') order by 1, 2`,
        )
      ).rows,
    });
    const before = await readEverything();
    expect(before.rows.length).toBeGreaterThan(20);
    await runDoctor();
    expect(await readEverything()).toEqual(before);
  });
});

test('doctor runs beside a server with the embedded database', { tags: ['release'] }, async () => {
  const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
  const { ready, output } = await run({ PORT, DATA_DIR });
  expect(ready, output).toBe(true);
  const { stdout, code } = await runCommand({ PORT, DATA_DIR }, 'doctor');
  expect(stdout).toMatch(/^OK {4}database +Answers in \d+ ms \(embedded\)\.$/mu);
  expect(stdout).toMatch(/^OK {4}durability/mu);
  expect(stdout).toMatch(/^OK {4}server +Answers on port/mu);
  expect([code, stdout.match(/^FAIL.*$/gmu)]).toEqual([0, null]);
  expect((await fetch(`http://localhost:${PORT}/readyz`)).status).toBe(200);
  expect(readFileSync(join(DATA_DIR, 'postgres', 'postmaster.pid'), 'utf8')).toBeTruthy();
});
