import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable, addAbortSignal } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import pg from 'pg';
import { urlOf } from '#server/db/url.ts';
import type { Device } from '#server/testing/device.ts';
import { openDatabase } from '#server/db/client.ts';
import { migrateTables } from '#server/db/migrate.ts';
import { createSecretBox } from '#server/platform/crypto/secret-box.ts';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { addEntry, printCode } from '#server/testing/membership.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import {
  type MemberWithApp,
  computeAppCode,
  createMemberWithApp,
  typePassword,
} from '#server/testing/second-factor.ts';
import { createInstallation, readAllRows } from '../backup-format/testing.ts';
import { writeBackup } from '../backup-format/write-backup.ts';
import { withSnapshot } from '../support/with-snapshot.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/*
 * Backs up an archive with data while members save, and restores the backup into another archive.
 * `faults/backup.test.ts` does the same with a running server.
 */

let archive: TestArchive;
let folder: string;
let members: Member[];
let owner: MemberWithApp;
let backupFile: string;
let before: Record<string, string[]>;
let mediaBefore: Record<string, string>;
let pictureBefore: string;
let countBefore: unknown;

const hashFilesBelow = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(path.length), createHash('sha256').update(readFileSync(file)).digest('hex')]),
  );

const hasSameContent = (one: Buffer, other: Buffer): boolean => {
  try {
    return gunzipSync(one).equals(gunzipSync(other));
  } catch {
    return false;
  }
};

const listPictures = ({ context }: TestArchive): string[] =>
  readdirSync(context.media.store.location)
    .filter((name) => !name.startsWith('.'))
    .toSorted();

const hashMedia = ({ context }: TestArchive) => hashFilesBelow(join(context.config.dataDir, 'media'));

const save = async ({ device, uid, document }: Member, bio: string, colour?: string) => {
  const { profile } = await device.call('GET /api/users/{id}/document', { params: { id: uid } });
  const imgURL = colour ? await smallPicture(colour) : profile.imgURL;
  await device.call('PUT /api/users/{id}', { params: { id: uid }, body: { ...document, bio, imgURL } });
};

const readPictureUrl = async ({ device, uid }: Member): Promise<string> =>
  (await device.call('GET /api/users/{id}', { params: { id: uid }, query: {} })).imgURL ?? '';

const fetchStatus = async (device: Device, url: string) => (await device.fetch('GET', url)).statusCode;

beforeAll(async () => {
  folder = newFolder('archive-backups-');
  backupFile = join(folder, 'whole.tar.gz');
  archive = await openArchive(inject('databases'));
  members = [];
  for (const firstName of ['Ada', 'Bọ́lá', 'Chike', 'Dàda']) members.push(await archive.createMember({ firstName }));
  const [ada, bola, chike] = members as [Member, Member, Member];
  owner = await createMemberWithApp(archive);
  await bola.device.call('PUT /api/blocks/{id}', { params: { id: chike.uid } });
  await chike.device.call('PUT /api/users/{id}/privacy', {
    params: { id: chike.uid },
    body: { isHidden: true, version: 'any' },
  });
  await ada.device.call('POST /api/gallery/photos', {
    body: { title: 'Tab\there', album: 'Línes\\', audience: 'members', image: await smallPicture() },
  });
  await ada.device.call('POST /api/users/{id}/messages', {
    params: { id: bola.uid },
    body: { text: 'Two\nlines\tand a \\N', shareEmail: true },
  });
  // One email job with a failed attempt, and one without an attempt.
  archive.inbox.refuse(true);
  await archive.runJobs();
  archive.inbox.refuse(false);
  await archive.openDevice().call('POST /api/identity/password-reset', { body: { email: bola.email } });
  before = await readAllRows(archive.pool);
  mediaBefore = hashMedia(archive);
  pictureBefore = await readPictureUrl(ada);
  countBefore = await ada.device.call('GET /api/users/count', { query: {} });
  const made = await runCommand(createSettings(archive), 'backup', backupFile);
  if (made.code !== 0) throw new Error(made.stderr);
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

describe('restore', () => {
  test('replaces the tables of a newer version, to undo an upgrade', { tags: ['release'] }, async () => {
    const installation = await createInstallation(inject('databases'));
    const client = new pg.Client(installation.connection);
    await client.connect();
    await client.query(`insert into kysely_migration values ('999-of-a-later-version', now()::text)`);
    await client.query('alter table accounts add column of_a_later_version text');
    await client.end();
    expect(await runCommand(installation.settings, 'restore', backupFile)).toMatchObject({ code: 0 });
    const restored = await installation.open();
    expect((await readAllRows(restored.pool))['accounts']).toEqual(before['accounts']);
    await restored.close();
    await installation.drop();
  });

  test('restores all rows, files and pending jobs, and nothing else', async () => {
    const installation = await createInstallation(inject('databases'));
    expect(await runCommand(installation.settings, 'restore', backupFile)).toMatchObject({ code: 0 });
    const restored = await installation.open();
    const rows = await readAllRows(restored.pool);
    for (const [table, own] of Object.entries(before)) expect([table, rows[table]]).toEqual([table, own]);
    expect(before['jobs']?.length).toBeGreaterThan(0);
    expect(hashMedia(restored)).toEqual(mediaBefore);
    const keyOf = ({ context }: TestArchive) => readFileSync(join(context.config.dataDir, 'second-factor.key'), 'utf8');
    expect(keyOf(restored)).toBe(keyOf(archive));
    expect(readdirSync(restored.context.config.dataDir).toSorted()).toEqual([
      'installation.key',
      'media',
      'second-factor.key',
    ]);

    // Members see the same data as before.
    const [ada, bola, chike] = members as [Member, Member, Member];
    const device = restored.openDevice();
    await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password: ada.password } });
    const held = restored.openDevice();
    for (const [name, value] of bola.device.cookies) held.cookies.set(name, value);
    expect((await held.call('GET /api/users/{id}/privacy', { params: { id: bola.uid } })).isHidden).toBe(false);
    const second = await typePassword(restored, owner);
    await second.call('POST /api/identity/sign-in/second-factor', { body: { code: computeAppCode(owner.secret) } });
    expect(await fetchStatus(device, pictureBefore)).toBe(200);
    expect(await fetchStatus(device, `/api/users/${chike.uid}`)).toBe(404);
    const found = await device.call('GET /api/search', { query: { q: 'bola' } });
    expect(found.items.map(({ id }) => id)).toEqual([bola.uid]);
    expect(await device.call('GET /api/users/count', { query: {} })).toEqual(countBefore);
    await restored.advanceTime('1 day');
    await restored.runJobs();
    await restored.inbox.next(bola.email, /wrote to you/u);
    await restored.inbox.next(bola.email, 'Choose a new password');
    // Sequences continue after the restored ids, so new search words can be stored.
    await save({ ...ada, device }, 'New words');
    await restored.close();
    await installation.drop();
  });

  test('upgrades a backup of an older version', { tags: ['release'] }, async () => {
    const older = await createInstallation(inject('databases'));
    const database = openDatabase(older.connection, () => undefined);
    await database.pool.query('drop schema public cascade; create schema public');
    await migrateTables(database.db, '004-gallery');
    await database.pool.query(
      `insert into accounts (email, password_hash) values ('old@mail.example', '!') returning id`,
    );
    await database.close();
    await createSecretBox(older.settings.DATA_DIR).ensureKey();
    const file = join(folder, 'older.tar.gz');
    expect(await runCommand(older.settings, 'backup', file)).toMatchObject({ code: 0 });
    const installation = await createInstallation(inject('databases'));
    expect(await runCommand(installation.settings, 'restore', file)).toMatchObject({ code: 0 });
    const restored = await installation.open();
    const { device } = await restored.createMember();
    expect(await fetchStatus(device, '/api/users')).toBe(200);
    expect((await readAllRows(restored.pool))['accounts']?.some((row) => row.includes('old@mail.example'))).toBe(true);
    await restored.close();
    await installation.drop();
    await older.drop();
  });
});

const openedArchive = () => ({
  context: archive.context,
  connection: { connectionString: urlOf(archive.pool.options) },
});

describe('backup during changes', () => {
  test('contains a picture that is replaced during the backup, although its old URL returns 404 immediately', async () => {
    const member = await archive.createMember();
    const old = await readPictureUrl(member);
    const { media } = archive.context;
    let isGone = false;
    const file = join(folder, 'meanwhile.tar.gz');
    const chunks: Buffer[] = [];
    const slow: typeof media = {
      ...media,
      readFiles: async (name) => {
        // The snapshot exists, and no file has been read yet.
        if (!isGone) {
          isGone = true;
          await save(member, 'Another one', '#00ff00');
          expect(await fetchStatus(member.device, old)).toBe(404);
          expect(await fetchStatus(member.device, old.replace('/media/', '/media/.removed/'))).not.toBe(200);
          expect(await media.listTrash()).toContain(old.split('/')[2]);
        }
        return media.readFiles(name);
      },
    };
    await withSnapshot(openedArchive(), 'archive backup', async (client) => {
      await writeBackup(
        { client, version: '0.0.0', context: { ...archive.context, media: slow } },
        new Writable({ write: (chunk: Buffer, _, done) => (chunks.push(chunk), done()) }),
        () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
      );
      writeFileSync(file, Buffer.concat(chunks));
      // A killed backup cannot delete the pictures that it kept. The next removal of a picture deletes them.
      await client.end();
      await expect
        .poll(async () => {
          await save(member, 'A third one', '#0000ff');
          return media.listTrash();
        })
        .toEqual([]);
    });

    const installation = await createInstallation(inject('databases'));
    expect(await runCommand(installation.settings, 'restore', file)).toMatchObject({ code: 0 });
    const restored = await installation.open();
    expect(await fetchStatus(restored.openDevice(), old)).toBe(200);
    await restored.close();
    await installation.drop();
  });

  test('keeps the key of printed codes and the counters of rate limits, so that a restore resets no limit', async () => {
    const count = ({ context: { db, limiter } }: TestArchive) =>
      limiter.countAttempt(db, 'secondFactorByAccount', 'an account');
    for (let hit = 0; hit < 10; hit++) expect(await count(archive)).toBe(0);
    const code = await printCode(archive, await addEntry(archive));
    const file = join(folder, 'limits.tar.gz');
    expect(await runCommand(createSettings(archive), 'backup', file)).toMatchObject({ code: 0 });
    const installation = await createInstallation(inject('databases'));
    expect(await runCommand(installation.settings, 'restore', file)).toMatchObject({ code: 0 });
    const restored = await installation.open();
    expect(await count(restored)).toBeGreaterThan(0);
    const hash = await restored.context.membershipCodes.hash(code);
    const { rows: codes } = await restored.pool.query('select from membership_codes where code_hash = $1', [hash]);
    expect(codes).toHaveLength(1);
    const { rows } = await restored.pool.query(
      `select relpersistence from pg_class where relname = 'long_throttles' and relpersistence = 'p'`,
    );
    expect(rows).toHaveLength(1);
    await restored.close();
    await installation.drop();
  });

  test('is a consistent snapshot while members save, replace and remove data', { tags: ['release'] }, async () => {
    const [ada, bola] = members as [Member, Member];
    const stop = new AbortController();
    let rounds = 0;
    const writer = (async () => {
      while (!stop.signal.aborted) {
        rounds++;
        await save(ada, `Round ${rounds}`, `#${String(rounds % 1_000_000).padStart(6, '0')}`);
        await save(bola, `Round ${rounds}`);
        const { id } = await ada.device.call('POST /api/gallery/photos', {
          body: { title: `Photo ${rounds}`, album: 'Rounds', audience: 'everyone', image: await smallPicture() },
        });
        if (rounds % 2 === 0) await ada.device.call('DELETE /api/gallery/photos/{id}', { params: { id } });
        await archive.pool.query(`delete from throttles; delete from long_throttles`);
      }
    })();
    const files: string[] = [];
    for (const number of [1, 2, 3]) {
      const now = rounds;
      await expect.poll(() => rounds).toBeGreaterThan(now);
      const file = join(folder, `busy-${number}.tar.gz`);
      files.push(file);
      expect(await runCommand(createSettings(archive), 'backup', file)).toMatchObject({ code: 0 });
    }
    stop.abort();
    await writer;
    for (const file of files) {
      const installation = await createInstallation(inject('databases'));
      expect(await runCommand(installation.settings, 'restore', file)).toMatchObject({ code: 0 });
      const restored = await installation.open();
      const { rows } = await restored.pool.query<{ account_id: string; bio: string }>(
        'select account_id, bio from profiles where account_id = any($1)',
        [[ada.uid, bola.uid]],
      );
      const roundOf = ({ uid }: Member) =>
        Number(rows.find(({ account_id }) => account_id === uid)?.bio.replace('Round ', ''));
      expect([0, 1]).toContain(roundOf(ada) - roundOf(bola));
      // Exactly the pictures that rows refer to are restored.
      const { rows: referenced } = await restored.pool.query<{ picture: string }>(
        'select picture from profiles where picture is not null union select picture from photos',
      );
      expect(listPictures(restored)).toEqual(referenced.map(({ picture }) => picture).toSorted());
      const { rows: wrong } = await restored.pool.query(
        `select * from (
           select audience, sum(people)::int as people from listing_counts group by 1
         ) as counts full join (select audience, count(*)::int as people from listings group by 1) as rows
         using (audience) where counts.people is distinct from rows.people`,
      );
      expect(wrong).toEqual([]);
      await restored.close();
      await installation.drop();
    }
  });
});

describe('restore', () => {
  test('rejects damaged and truncated backups and files of other formats before anything is written', async () => {
    const installation = await createInstallation(inject('databases'));
    const bytes = readFileSync(backupFile);
    const file = join(folder, 'damaged.tar.gz');
    const attempt = async (content: Buffer) => {
      writeFileSync(file, content);
      const { code, stderr } = await runCommand(installation.settings, 'restore', file);
      return [code, stderr.split('\n')[0]];
    };
    const damaged = [1, `${file} is damaged or truncated, and was not used. Use another backup.`];
    // Skip the ten bytes of the gzip header, whose time and operating system are not verified.
    for (let at = 11; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      // Some bits of the gzip format do not affect the decompressed content.
      if (!hasSameContent(flipped, bytes)) expect([at, ...(await attempt(flipped))]).toEqual([at, ...damaged]);
    }
    for (const length of [0, 5, 1_000, Math.floor(bytes.length / 2), bytes.length - 9, bytes.length - 1])
      expect([length, ...(await attempt(bytes.subarray(0, length)))]).toEqual([length, ...damaged]);
    expect(await attempt(Buffer.from('a letter'))).toEqual(damaged);
    // Damage in the format number and in the name of the first entry.
    const readable = gzipSync(gunzipSync(bytes), { level: 0 });
    for (const [before, after] of [
      ['"format": 2', '"format": 9'],
      ['manifest.json', 'manifest.jsom'],
    ] as const) {
      const changed = Buffer.from(readable);
      expect(changed.write(after, changed.indexOf(before))).toBe(before.length);
      expect([after, ...(await attempt(changed))]).toEqual([after, ...damaged]);
    }
    expect(readdirSync(installation.settings.DATA_DIR)).toEqual([]);
    const missing = join(folder, 'missing.tar.gz');
    expect(await runCommand(installation.settings, 'restore', missing)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${missing} cannot be read: no such file or folder.`) as string,
    });
    await installation.drop();
  });

  test('rejects a backup of a newer version and names that version', async () => {
    const newer = await createInstallation(inject('databases'));
    const database = openDatabase(newer.connection, () => undefined);
    await database.pool.query(`insert into kysely_migration values ('999-later', now()::text)`);
    await database.close();
    const file = join(folder, 'newer.tar.gz');
    expect(await runCommand(newer.settings, 'backup', file)).toMatchObject({ code: 0 });
    const installation = await createInstallation(inject('databases'));
    expect(await runCommand(installation.settings, 'restore', file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /was created by version \S+\. This version does not know the migrations 999-later\. Install the version/u,
      ) as string,
    });
    await installation.drop();
    await newer.drop();
  });

  test('refuses to run while the archive is in use, or if it has accounts and --replace is not given', async () => {
    const installation = await createInstallation(inject('databases'));
    expect(await runCommand(installation.settings, 'restore', backupFile, '--dry-run')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /5 accounts.*\nOK: the backup is complete and can be restored here\. Dry run: nothing was changed\./u,
      ) as string,
    });
    expect(readdirSync(installation.settings.DATA_DIR)).toEqual([]);
    const beside = new pg.Client(installation.connection);
    await beside.connect();
    expect(await runCommand(installation.settings, 'restore', backupFile)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^1 other connections to the database at DATABASE_URL are open\./u) as string,
    });
    await beside.end();
    expect(await runCommand(installation.settings, 'restore', backupFile)).toMatchObject({ code: 0 });
    expect(await runCommand(installation.settings, 'restore', backupFile)).toMatchObject({
      code: 1,
      stderr:
        'This archive has 5 accounts, and all of them would be deleted. Make a backup first, and then add --replace.',
    });
    expect(await runCommand(installation.settings, 'restore', backupFile, '--replace')).toMatchObject({ code: 0 });
    await installation.drop();
  });

  test('leaves all rows and files unchanged when the last step fails', async () => {
    const installation = await createInstallation(inject('databases'));
    expect(await runCommand(installation.settings, 'restore', backupFile)).toMatchObject({ code: 0 });
    const database = openDatabase(installation.connection, () => undefined);
    const rowsBefore = await readAllRows(database.pool);
    const files = hashFilesBelow(installation.settings.DATA_DIR);
    await database.close();
    // Makes the last step before the commit fail.
    mkdirSync(join(installation.settings.DATA_DIR, 'restore.unfinished'));
    expect(await runCommand(installation.settings, 'restore', backupFile, '--replace')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Cannot restore the backup to .*: it is a folder/u) as string,
    });
    const again = openDatabase(installation.connection, () => undefined);
    expect(await readAllRows(again.pool)).toEqual(rowsBefore);
    expect(hashFilesBelow(installation.settings.DATA_DIR)).toEqual(files);
    await again.close();
    await installation.drop();
  });
});

describe('backup', () => {
  test('writes a file with mode 0600, overwrites it only with --force, and deletes abandoned files', async () => {
    expect(statSync(backupFile).mode & 0o777).toBe(0o600);
    expect(await runCommand(createSettings(archive), 'backup', backupFile)).toMatchObject({
      code: 1,
      stderr: `${backupFile} already exists. Name another file, or add --force to overwrite it.`,
    });
    const file = join(folder, 'night.tar.gz');
    // Left over from killed backups of tonight and of another night.
    writeFileSync(`${file}.unfinished`, 'secrets');
    const other = join(folder, 'monday.tar.gz.unfinished');
    writeFileSync(other, 'secrets');
    utimesSync(other, new Date(0), new Date(0));
    const running = join(folder, 'running.tar.gz.unfinished');
    writeFileSync(running, 'a backup in progress');
    expect(await runCommand(createSettings(archive), 'backup', file)).toMatchObject({ code: 0 });
    expect([file, `${file}.unfinished`, other, running].map((path) => existsSync(path))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(await runCommand(createSettings(archive), 'backup', file, '--force')).toMatchObject({ code: 0 });
  });

  test('reports write errors with their cause', async () => {
    const refusing = new Writable({
      highWaterMark: 1,
      write: (_, __, done) => setImmediate(done, Object.assign(new Error('no space left'), { code: 'ENOSPC' })),
    });
    const { context } = archive;
    const large = { name: '384.webp', content: randomBytes(8_000_000) };
    await expect(
      withSnapshot(openedArchive(), 'archive backup', (client) =>
        writeBackup(
          {
            client,
            version: '0.0.0',
            context: { ...context, media: { ...context.media, readFiles: async () => [large] } },
          },
          refusing,
          () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
        ),
      ),
    ).rejects.toThrow('no space left');
    expect(await runCommand(createSettings(archive), 'backup', join(folder, 'nowhere', 'a.tar.gz'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Cannot write to .*nowhere: no such file or folder\./u) as string,
    });
    expect(await runCommand(createSettings(archive), 'backup', folder)).toMatchObject({
      code: 1,
      stderr: `${folder} exists and is not a file. Name another path.`,
    });
  });

  test('is aborted immediately by a signal, even if a database query waits for a lock', async () => {
    const other = await archive.pool.connect();
    await other.query('begin; lock table accounts');
    const interrupt = new AbortController();
    const to = addAbortSignal(interrupt.signal, new Writable({ write: (_chunk, _encoding, done) => done() }));
    const writing = withSnapshot(openedArchive(), 'archive backup', (client) =>
      writeBackup({ client, version: '0.0.0', context: archive.context }, to, () => ({
        add: () => undefined,
        [Symbol.dispose]: () => undefined,
      })),
    );
    const waiting = async () =>
      (
        await archive.pool.query(
          `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`,
        )
      ).rowCount;
    await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
    interrupt.abort();
    await expect(writing).rejects.toThrow('aborted');
    await other.query('rollback');
    other.release();
  });
});
