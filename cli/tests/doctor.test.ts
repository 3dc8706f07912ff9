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
import { joinWithApp } from '#server/testing/second-factor.ts';
import { cleanUp, newFolder, run } from '#server/testing/product.ts';
import { allChecks } from '../commands/doctor.ts';
import { newerMinor } from '../doctor/postgres-versions.ts';
import { settingsOf, type } from '../testing/run-command.ts';

let archive: TestArchive;
let settings: NodeJS.ProcessEnv;
beforeEach(async () => {
  archive = await openArchive(inject('databases'));
  settings = { ...settingsOf(archive), PORT: String(await freePort()) };
});
afterEach(async () => {
  await archive.close();
  await cleanUp();
});

interface Found {
  readonly level: string;
  readonly about: string;
  readonly says: string;
}

async function findings(more: NodeJS.ProcessEnv = {}): Promise<Found[]> {
  const { said } = await type({ ...settings, ...more }, 'doctor', '--json');
  return (JSON.parse(said) as { findings: Found[] }).findings;
}

/** What is found of one subject, as `level: sentence`. */
async function find(about: string, more: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const all = await findings(more);
  return all.filter((one) => one.about === about).map(({ level, says }) => `${level}: ${says}`);
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

/** A copy of the institution file with other texts for the privacy page; without any, where there are none. */
function institutionWith(privacy: object | undefined): string {
  const path = join(dataDir(), 'with-privacy.json');
  const institution = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...institution, privacy }));
  return path;
}

describe('doctor', () => {
  test('finds nothing wrong with an archive that is well', async () => {
    await archive.join();
    await joinWithApp(archive);
    await archive.app.listen({ port: Number(settings['PORT']), host: '127.0.0.1' });
    const all = await findings({ INSTITUTION_FILE: institutionWith(privacyTexts) });
    // The database of the tests does not wait for the disk, and may be older than the newest minor version.
    const notOk = all.filter(({ level, about }) => level !== 'ok' && about !== 'durability' && about !== 'PostgreSQL');
    expect(notOk).toEqual([]);
    expect(new Set(all.map(({ about }) => about))).toEqual(new Set(allChecks.map(({ about }) => about)));
  });

  test('tells a line each, sums up, and its exit code is that of the worst', async () => {
    const { code, said } = await type({ ...settings, SMTP_URL: '' }, 'doctor');
    expect(said).toMatch(/^ok {4}version +0\.1\.0, Node 24\./mu);
    expect(said).toMatch(/^warn {2}product +It does not run at port \d+\. Start it: npm start$/mu);
    const count = (level: string) => said.split('\n').filter((line) => line.startsWith(level)).length;
    expect(said).toContain(`\n${count('FAIL')} failures, ${count('warn')} warnings.`);
    expect(code).toBe(count('FAIL') > 0 ? 1 : 0);
  });

  test('a wrong setting is all that it can speak of', async () => {
    expect(await findings({ PORT: 'three', WORKERS: '0' })).toEqual([
      { about: 'settings', level: 'FAIL', says: 'PORT must be a whole number from 1 to 65535, e.g. PORT=3000.' },
      { about: 'settings', level: 'FAIL', says: 'WORKERS must be a whole number from 1 to 64, e.g. WORKERS=4.' },
    ]);
  });

  test('settings that a start takes, and that are wrong for the public', async () => {
    const more = { NODE_ENV: 'production', PUBLIC_URL: 'http://alumni.example.edu', SMTP_URL: '' };
    expect(await find('PUBLIC_URL', more)).toEqual([expect.stringMatching(/^FAIL: http:.* is not encrypted/u)]);
    expect(await find('mail', more)).toEqual([expect.stringMatching(/^warn: No mail server is set/u)]);
    const secure = { ...more, PUBLIC_URL: 'https://alumni.example.edu' };
    expect(await find('MAIL_FROM', { ...more, MAIL_FROM: 'office@gmail.example' })).toEqual([
      expect.stringMatching(/^warn: Mails come from gmail\.example, and their links lead to /u),
    ]);
    expect(await find('MAIL_FROM', { ...more, MAIL_FROM: 'Office <office@example.edu>' })).toEqual([
      'ok: Office <office@example.edu>.',
    ]);
    expect(await find('NODE_ENV', { ...more, NODE_ENV: '' })).toEqual([expect.stringMatching(/^warn: /u)]);
    expect(await find('PUBLIC_URL', secure)).toEqual(['ok: https://alumni.example.edu.']);
    expect(await find('TRUST_PROXY', secure)).toEqual([expect.stringMatching(/^FAIL: There is a proxy in front/u)]);
    expect(await find('TRUST_PROXY', { ...secure, TRUST_PROXY: '127.0.0.1' })).toEqual(['ok: 127.0.0.1.']);
    expect(await find('TRUST_PROXY', { ...secure, TRUST_PROXY: '0.0.0.0/0' })).toEqual([
      expect.stringMatching(/^FAIL: Everybody counts as a proxy/u),
    ]);
    expect(await find('PUBLIC_URL', { NODE_ENV: 'production' })).toEqual([
      expect.stringMatching(/^warn: .* is this machine alone/u),
    ]);
  });

  test('a database that is not there is said, and everything else is looked at all the same', async () => {
    const all = await findings({ DATABASE_URL: `postgres://x@127.0.0.1:${await freePort()}/none` });
    expect(all.find(({ about }) => about === 'database')).toMatchObject({
      level: 'FAIL',
      says: expect.stringMatching(/^It does not answer \(.+\)\. Check DATABASE_URL/u),
    });
    const looked = all.map(({ about }) => about);
    expect(looked).toEqual(expect.arrayContaining(['disk', 'mail', 'modes']));
    expect(looked).not.toContain('pictures');
  });

  test('texts of the privacy page that the university has not written yet', async () => {
    expect(await find('privacy page')).toEqual([
      expect.stringMatching(/^warn: It shows placeholders\. Write privacy\.controller, .*privacy\.legalBasis in /u),
    ]);
    // As in a file that was written before there were such texts.
    expect(await find('privacy page', { INSTITUTION_FILE: institutionWith(undefined) })).toEqual([
      expect.stringMatching(/^warn: It shows placeholders\./u),
    ]);
    expect(await find('privacy page', { INSTITUTION_FILE: institutionWith(privacyTexts) })).toEqual([
      'ok: has all texts of the university.',
    ]);
  });

  test('an institution file that is wrong is said', async () => {
    const path = join(dataDir(), 'institution.json');
    writeFileSync(path, '{"name":');
    expect(await findings({ INSTITUTION_FILE: path })).toEqual([
      { about: 'settings', level: 'FAIL', says: expect.stringContaining(path) as string },
    ]);
  });

  test('a database before its first start, or of an older or newer version, is told apart', async () => {
    const { connection, drop } = await copyDatabase({ ...inject('databases'), template: 'template0' }, 'doctor_empty');
    try {
      const all = await findings({ DATABASE_URL: urlOf(connection) });
      expect(all.find(({ about }) => about === 'tables')).toMatchObject({
        level: 'warn',
        says: expect.stringMatching(/^001-accounts to \d{3}-.* not applied yet/u),
      });
      expect(all.map(({ about }) => about)).not.toContain('pictures');
    } finally {
      await drop();
    }
    const [last] = (
      await query('delete from kysely_migration where name = (select max(name) from kysely_migration) returning name')
    ).rows as { name: string }[];
    expect(await find('tables')).toEqual([expect.stringContaining(`warn: ${last?.name} not applied yet`)]);
    await query(`insert into kysely_migration (name, timestamp) values ($1, ''), ('999-future', '')`, [last?.name]);
    expect(await find('tables')).toEqual([
      expect.stringMatching(/^FAIL: They were made by a newer version \(999-future\)/u),
    ]);
  });

  test('more processes than connections', async () => {
    expect(await find('connections', { WORKERS: '64' })).toEqual([
      expect.stringMatching(/^warn: 64 processes may take 715 connections, and there are \d+\./u),
    ]);
  });

  test('a database that does not wait for the disk', async () => {
    const { rows } = await query(`select setting from pg_settings where name = 'fsync'`);
    const [isOn] = (rows as { setting: string }[]).map(({ setting }) => setting === 'on');
    expect((await find('durability'))[0]).toMatch(isOn ? /^ok: /u : /^FAIL: fsync.* a power cut loses data/u);
  });

  test('a PostgreSQL that is older than the newest known minor version', async () => {
    const { rows } = await query(`select current_setting('server_version_num')::int as number`);
    const newest = newerMinor((rows as { number: number }[])[0]?.number ?? 0);
    expect(await find('PostgreSQL')).toEqual([
      newest === null
        ? expect.stringMatching(/^ok: /u)
        : expect.stringMatching(new RegExp(`^warn: .* is older than ${newest.replace('.', '\\.')}\\. Update`, 'u')),
    ]);
    expect([180_004, 180_006, 150_018, 150_020, 990_000].map((number) => newerMinor(number))).toEqual([
      '18.6',
      null,
      '15.20',
      null,
      null,
    ]);
  });

  test('people who have not used their account for long, and people who are hidden until they sign in', async () => {
    const [ada, ben] = [await archive.signUp(), await archive.signUp()];
    await query(`update accounts set hidden_until_sign_in = 'imported' where id = $1`, [ada.uid]);
    await query(
      `update accounts set hidden_until_sign_in = 'unused', last_seen_at = now() - interval '3 years' where id = $1`,
      [ben.uid],
    );
    expect(await find('unused')).toEqual([
      expect.stringMatching(
        /^ok: 1 people have not used their account for 24 months\. Hidden until they sign in: 1 imported, 1 unused\. /u,
      ),
    ]);
  });

  test('a clock that has been set back', { tags: ['asvs-16.2.2'] }, async () => {
    await archive.signUp();
    await query(`update accounts set created_at = now() + interval '1 hour'`);
    expect(await find('time')).toEqual([
      expect.stringMatching(/^FAIL: Something was written 3\d{3} seconds from now/u),
    ]);
  });

  test('a clock that has jumped, and may be wrong still', async () => {
    await query(`update clock set seen_at = now(), steady_since = now() - interval '2 days'`);
    expect(await find('time')).toEqual(['ok: goes forward.']);
    await query(`update clock set steady_since = now() - interval '2 hours'`);
    await query(`update kysely_migration set timestamp = now() - interval '2 hours' where name = '015-clock'`);
    expect(await find('time')).toEqual([expect.stringMatching(/^ok: goes forward, since less than a day/u)]);
    // As old as its clock, and away for long: it may be wrong.
    await query(`update clock set seen_at = now() - interval '3 days', steady_since = now() - interval '1 year'`);
    await query(`update kysely_migration set timestamp = now() - interval '1 year' where name = '015-clock'`);
    expect(await find('time')).toEqual([expect.stringMatching(/^warn: It has jumped within the last day/u)]);
    await query(`update clock set seen_at = now(), steady_since = now() - interval '2 hours'`);
    expect(await find('time')).toEqual([expect.stringMatching(/^warn: It has jumped within the last day/u)]);
  });

  test('a restore that was cut short, which other commands refuse to work on', async () => {
    writeFileSync(join(dataDir(), 'restore.unfinished'), '');
    expect(await find('database')).toEqual([expect.stringMatching(/^FAIL: A restore was cut short/u)]);
    for (const words of [
      ['backup', join(dataDir(), 'never.tar.gz')],
      ['export', join(dataDir(), 'never')],
      ['jobs', 'list'],
      ['user', 'show', 'ada@mail.example'],
    ])
      expect(await type(settings, ...words)).toMatchObject({
        code: 1,
        said: '',
        noted: expect.stringMatching(/A restore was cut short/u),
      });
    expect(readdirSync(dataDir())).not.toContain('never');
  });

  test('pictures that are refused, for the disk is nearly full', async () => {
    const { bavail, bsize } = statfsSync(dataDir());
    const more = { DISK_RESERVE: String(Math.ceil((bavail * bsize) / 2 ** 20) + 10_000) };
    expect(await find('disk', more)).toEqual([
      expect.stringMatching(/DISK_RESERVE keeps .*: pictures are refused\./u),
      expect.stringMatching(/media, and DISK_RESERVE keeps/u),
    ]);
  });

  test('a DATA_DIR with a slip in it: nothing is made there', async () => {
    const elsewhere = join(newFolder(), 'dtaa');
    const place = { DATABASE_URL: undefined, DATA_DIR: elsewhere };
    expect(await find('database', place)).toEqual([
      `FAIL: There is no archive in ${elsewhere} yet. Is DATA_DIR right? The first "npm start" makes one.`,
    ]);
    expect(await type({ ...settings, ...place }, 'backup', join(elsewhere, 'b.tar.gz'))).toMatchObject({
      code: 1,
      noted: expect.stringContaining('Is DATA_DIR right?'),
    });
    expect(readdirSync(elsewhere)).not.toContain('postgres');
    writeFileSync(join(elsewhere, 'file'), '');
    expect(await type({ ...settings, DATA_DIR: join(elsewhere, 'file', 'data') }, 'jobs', 'list')).toMatchObject({
      code: 1,
      noted: expect.stringMatching(/^The data folder .* cannot be made \(ENOTDIR\)\. Make it/u),
    });
  });

  test('a secret or a folder that others can read', async () => {
    await openSigningKey(dataDir());
    expect(await find('modes')).toEqual(['ok: secrets and pictures are closed to others.']);
    const key = join(dataDir(), 'token-key.json');
    chmodSync(key, 0o644);
    chmodSync(join(dataDir(), 'media'), 0o755);
    expect(await find('modes')).toEqual([
      `FAIL: ${join(dataDir(), 'media')} is open to others. Run: chmod go= ${join(dataDir(), 'media')}`,
      `FAIL: ${key} is open to others. Run: chmod go= ${key}`,
    ]);
  });

  test('a second-factor.key that is missing, or that of another archive', async () => {
    await joinWithApp(archive);
    const sealed = join(dataDir(), 'second-factor.key');
    expect(await find('second-factor.key')).toEqual(['ok: opens what it has sealed.']);
    writeFileSync(sealed, Buffer.alloc(32).toString('base64'));
    expect(await find('second-factor.key')).toEqual([expect.stringMatching(/^FAIL: It is another one/u)]);
    rmSync(sealed);
    expect(await find('second-factor.key')).toEqual([expect.stringMatching(/^FAIL: It is missing/u)]);
    // Looking makes none: that would seal the loss.
    expect(readdirSync(dataDir())).not.toContain('second-factor.key');
  });

  test('the key of passwords that were brought over: missed while it is needed, and told when it is not', async () => {
    const { uid } = await archive.signUp();
    expect(await find('brought passwords')).toEqual(['ok: all of their keys are there.']);
    const id = await saveFirebaseKey(dataDir(), { signerKey: 'AAAA', saltSeparator: 'Bw==', rounds: 8, memCost: 4 });
    expect(await find('brought passwords')).toEqual([
      expect.stringMatching(/^ok: No account needs secrets\/firebase-/u),
    ]);
    await query('update accounts set password_hash = $1 where id = $2', [`$firebase-scrypt$k=${id}$AA$AA`, uid]);
    expect(await find('brought passwords')).toEqual(['ok: all of their keys are there.']);
    rmSync(join(dataDir(), 'secrets'), { recursive: true });
    expect(await find('brought passwords')).toEqual([
      expect.stringMatching(/^FAIL: DATA_DIR\/secrets does not have firebase-[\da-f]{12}\.json/u),
    ]);
  });

  test('a mail server that does not answer, or refuses us', async () => {
    expect(await find('mail')).toEqual([expect.stringMatching(/^ok: 127\.0\.0\.1 takes us\./u)]);
    const port = await freePort();
    expect(await find('mail', { SMTP_URL: `smtp://127.0.0.1:${port}` })).toEqual([
      expect.stringMatching(/^FAIL: Nothing listens on 127\.0\.0\.1 at port/u),
    ]);
  });

  test('work that was given up, and work that nobody does', async () => {
    await archive.signUp();
    expect(await find('jobs')).toEqual(['ok: 1 wait, none for long.']);
    const { db } = archive.context;
    await ageQueued(db, 20 * 60);
    expect(await find('jobs')).toEqual([
      expect.stringMatching(/^warn: some have waited for more than 15 minutes \(identity:verification-mail\)/u),
    ]);
    await exhaustQueued(db);
    archive.inbox.refuse(true);
    await archive.work();
    expect(await find('jobs')).toEqual([
      expect.stringMatching(/^warn: 1 were given up after their last attempt \(identity:verification-mail\)/u),
    ]);
  });

  test('pictures that are missing', async () => {
    await archive.join();
    await archive.join();
    const { rows } = await query('select picture from profiles limit 1');
    const [gone] = (rows as { picture: string }[]).map(({ picture }) => picture);
    await archive.context.media.moveToTrash(gone ?? '');
    expect(await find('pictures')).toEqual([expect.stringMatching(/^FAIL: 1 of 2 are missing/u)]);
  });

  test('whether the product answers', async () => {
    await archive.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = archive.app.server.address() as AddressInfo;
    expect(await find('product', { PORT: String(port) })).toEqual([`ok: answers at port ${port}.`]);
  });

  test('changes nothing: neither a row nor a file', async () => {
    await archive.join();
    const look = async () => ({
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
    const before = await look();
    expect(before.rows.length).toBeGreaterThan(20);
    await findings();
    expect(await look()).toEqual(before);
  });
});

test('beside the product that runs, with the database that it brings', async () => {
  const [PORT, DATA_DIR] = [String(await freePort()), newFolder()];
  const { ready, output } = await run({ PORT, DATA_DIR });
  expect(ready, output).toBe(true);
  const { said, code } = await type({ PORT, DATA_DIR }, 'doctor');
  expect(said).toMatch(/^ok {4}database +answers in \d+ ms \(embedded\)\.$/mu);
  expect(said).toMatch(/^ok {4}durability/mu);
  expect(said).toMatch(/^ok {4}product +answers at port/mu);
  expect([code, said.match(/^FAIL.*$/gmu)]).toEqual([0, null]);
  expect((await fetch(`http://localhost:${PORT}/readyz`)).status).toBe(200);
  expect(readFileSync(join(DATA_DIR, 'postgres', 'postmaster.pid'), 'utf8')).toBeTruthy();
});
