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
import { cleanUp, newFolder } from '#server/testing/product.ts';
import { type AppOwner, codeOf, joinWithApp, typePassword } from '#server/testing/second-factor.ts';
import { newPlace, rowsOf } from '../backup-format/testing.ts';
import { writeBackup } from '../backup-format/write-backup.ts';
import { withSnapshot } from '../support/with-snapshot.ts';
import { settingsOf, type } from '../testing/run-command.ts';

/*
 * An archive that has been lived in is backed up while somebody goes on saving, and restored elsewhere. What a product of its
 * own makes of it, `faults/backup.test.ts` sees.
 */

let archive: TestArchive;
let folder: string;
let members: Member[];
let owner: AppOwner;
/** Of the quiet archive. */
let whole: string;
let before: Record<string, string[]>;

/** All files below a folder, with what is in them. */
const filesBelow = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(path.length), createHash('sha256').update(readFileSync(file)).digest('hex')]),
  );

const isSame = (one: Buffer, other: Buffer): boolean => {
  try {
    return gunzipSync(one).equals(gunzipSync(other));
  } catch {
    return false;
  }
};

/** The stored pictures, without what waits to be deleted. */
const picturesIn = ({ context }: TestArchive): string[] =>
  readdirSync(context.media.folder)
    .filter((name) => !name.startsWith('.'))
    .toSorted();

const mediaOf = ({ context }: TestArchive) => filesBelow(join(context.config.dataDir, 'media'));

const save = async ({ device, uid, document }: Member, bio: string, colour?: string) => {
  const { profile } = await device.call('GET /api/users/{id}/document', { params: { id: uid } });
  const imgURL = colour ? await smallPicture(colour) : profile.imgURL;
  await device.call('PUT /api/users/{id}', { params: { id: uid }, body: { ...document, bio, imgURL } });
};

const pictureOf = async ({ device, uid }: Member): Promise<string> =>
  (await device.call('GET /api/users/{id}', { params: { id: uid }, query: {} })).imgURL ?? '';

const status = async (device: Device, url: string) => (await device.fetch('GET', url)).statusCode;

beforeAll(async () => {
  folder = newFolder('archive-backups-');
  whole = join(folder, 'whole.tar.gz');
  archive = await openArchive(inject('databases'));
  members = [];
  for (const firstName of ['Ada', 'Bọ́lá', 'Chike', 'Dàda']) members.push(await archive.join({ firstName }));
  const [ada, bola, chike] = members as [Member, Member, Member];
  owner = await joinWithApp(archive);
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
  // A mail that has been tried once, and one that nobody has tried.
  archive.inbox.refuse(true);
  await archive.work();
  archive.inbox.refuse(false);
  await archive.device().call('POST /api/identity/password-reset', { body: { email: bola.email } });
  before = await rowsOf(archive.pool);
  const made = await type(settingsOf(archive), 'backup', whole);
  if (made.code !== 0) throw new Error(made.noted);
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

describe('a backup that is restored elsewhere', () => {
  test('goes over the tables of a newer version: that is the way back after an update', async () => {
    const place = await newPlace(inject('databases'));
    const client = new pg.Client(place.connection);
    await client.connect();
    await client.query(`insert into kysely_migration values ('999-of-a-later-version', now()::text)`);
    await client.query('alter table accounts add column of_a_later_version text');
    await client.end();
    expect(await type(place.settings, 'restore', whole)).toMatchObject({ code: 0 });
    const restored = await place.open();
    expect((await rowsOf(restored.pool))['accounts']).toEqual(before['accounts']);
    await restored.close();
    await place.drop();
  });

  test('has every row, every file and every waiting job, and nothing else', async () => {
    const place = await newPlace(inject('databases'));
    expect(await type(place.settings, 'restore', whole)).toMatchObject({ code: 0 });
    const restored = await place.open();
    const rows = await rowsOf(restored.pool);
    for (const [table, own] of Object.entries(before)) expect([table, rows[table]]).toEqual([table, own]);
    expect(before['jobs']?.length).toBeGreaterThan(0);
    expect(mediaOf(restored)).toEqual(mediaOf(archive));
    const keyOf = ({ context }: TestArchive) => readFileSync(join(context.config.dataDir, 'second-factor.key'), 'utf8');
    expect(keyOf(restored)).toBe(keyOf(archive));
    expect(readdirSync(restored.context.config.dataDir).toSorted()).toEqual([
      'installation.key',
      'media',
      'second-factor.key',
    ]);

    // And it is the same to everybody.
    const [ada, bola, chike] = members as [Member, Member, Member];
    const device = restored.device();
    await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password: ada.password } });
    const held = restored.device();
    for (const [name, value] of bola.device.cookies) held.cookies.set(name, value);
    expect((await held.call('GET /api/users/{id}/privacy', { params: { id: bola.uid } })).isHidden).toBe(false);
    const second = await typePassword(restored, owner);
    await second.call('POST /api/identity/sign-in/second-factor', { body: { code: codeOf(owner.secret) } });
    expect(await status(device, await pictureOf(ada))).toBe(200);
    expect(await status(device, `/api/users/${chike.uid}`)).toBe(404);
    const found = await device.call('GET /api/search', { query: { q: 'bola' } });
    expect(found.items.map(({ id }) => id)).toEqual([bola.uid]);
    expect(await device.call('GET /api/users/count', { query: {} })).toEqual(
      await ada.device.call('GET /api/users/count', { query: {} }),
    );
    await restored.letPass('1 day');
    await restored.work();
    await restored.inbox.next(bola.email, /wrote to you/u);
    await restored.inbox.next(bola.email, 'Choose a new password');
    // Numbers go on where they ended: a word that is new can be learnt.
    await save({ ...ada, device }, 'New words');
    await restored.close();
    await place.drop();
  });

  test('made by an older version is brought up to date', async () => {
    const older = await newPlace(inject('databases'));
    const database = openDatabase(older.connection, () => undefined);
    await database.pool.query('drop schema public cascade; create schema public');
    await migrateTables(database.db, '011-second-factor');
    await database.pool.query(
      `insert into accounts (email, password_hash) values ('old@mail.example', '!') returning id`,
    );
    await database.close();
    await createSecretBox(older.settings.DATA_DIR).ensureKey();
    const file = join(folder, 'older.tar.gz');
    expect(await type(older.settings, 'backup', file)).toMatchObject({ code: 0 });
    const place = await newPlace(inject('databases'));
    expect(await type(place.settings, 'restore', file)).toMatchObject({ code: 0 });
    const restored = await place.open();
    const { device } = await restored.join();
    expect(await status(device, '/api/users')).toBe(200);
    expect((await rowsOf(restored.pool))['accounts']?.some((row) => row.includes('old@mail.example'))).toBe(true);
    await restored.close();
    await place.drop();
    await older.drop();
  });
});

/** The archive, as a command opens it. */
const opened = () => ({ context: archive.context, connection: { connectionString: urlOf(archive.pool.options) } });

describe('a backup while people go on', () => {
  test('has the files of a picture that is removed meanwhile, and its old address is empty at once', async () => {
    const member = await archive.join();
    const old = await pictureOf(member);
    const { media, config } = archive.context;
    let isGone = false;
    const file = join(folder, 'meanwhile.tar.gz');
    const chunks: Buffer[] = [];
    const slow: typeof media = {
      ...media,
      readFiles: async (name) => {
        // The snapshot has been taken, and no file has been read yet.
        if (!isGone) {
          isGone = true;
          await save(member, 'Another one', '#00ff00');
          expect(await status(member.device, old)).toBe(404);
          expect(await status(member.device, old.replace('/media/', '/media/.removed/'))).not.toBe(200);
          expect(await media.listTrash()).toContain(old.split('/')[2]);
        }
        return media.readFiles(name);
      },
    };
    await withSnapshot(opened(), 'archive backup', async (client) => {
      await writeBackup(
        { client, dataDir: config.dataDir, version: '0.0.0', media: slow },
        new Writable({ write: (chunk: Buffer, _, done) => (chunks.push(chunk), done()) }),
        () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
      );
      writeFileSync(file, Buffer.concat(chunks));
      // A backup that was killed deletes nothing itself: the next one who removes a picture deletes what had to wait.
      await client.end();
      await expect
        .poll(async () => {
          await save(member, 'A third one', '#0000ff');
          return media.listTrash();
        })
        .toEqual([]);
    });

    const place = await newPlace(inject('databases'));
    expect(await type(place.settings, 'restore', file)).toMatchObject({ code: 0 });
    const restored = await place.open();
    expect(await status(restored.device(), old)).toBe(200);
    await restored.close();
    await place.drop();
  });

  test('is of one moment, whatever is saved, replaced and removed beside it', async () => {
    const [ada, bola] = members as [Member, Member];
    const over = new AbortController();
    let rounds = 0;
    // Ada is always saved before Bọ́lá: no moment has a Bọ́lá who is ahead of her.
    const writer = (async () => {
      while (!over.signal.aborted) {
        rounds++;
        await save(ada, `Round ${rounds}`, `#${String(rounds % 1_000_000).padStart(6, '0')}`);
        await save(bola, `Round ${rounds}`);
        const { id } = await ada.device.call('POST /api/gallery/photos', {
          body: { title: `Photo ${rounds}`, album: 'Rounds', audience: 'everyone', image: await smallPicture() },
        });
        if (rounds % 2 === 0) await ada.device.call('DELETE /api/gallery/photos/{id}', { params: { id } });
        await archive.pool.query(`delete from throttles`);
      }
    })();
    const files: string[] = [];
    for (const number of [1, 2, 3]) {
      const now = rounds;
      await expect.poll(() => rounds).toBeGreaterThan(now);
      const file = join(folder, `busy-${number}.tar.gz`);
      files.push(file);
      expect(await type(settingsOf(archive), 'backup', file)).toMatchObject({ code: 0 });
    }
    over.abort();
    await writer;
    for (const file of files) {
      const place = await newPlace(inject('databases'));
      expect(await type(place.settings, 'restore', file)).toMatchObject({ code: 0 });
      const restored = await place.open();
      const { rows } = await restored.pool.query<{ account_id: string; bio: string }>(
        'select account_id, bio from profiles where account_id = any($1)',
        [[ada.uid, bola.uid]],
      );
      const roundOf = ({ uid }: Member) =>
        Number(rows.find(({ account_id }) => account_id === uid)?.bio.replace('Round ', ''));
      expect([0, 1]).toContain(roundOf(ada) - roundOf(bola));
      // Every picture that a row names is there, and no other.
      const { rows: named } = await restored.pool.query<{ picture: string }>(
        'select picture from profiles where picture is not null union select picture from photos',
      );
      expect(picturesIn(restored)).toEqual(named.map(({ picture }) => picture).toSorted());
      const { rows: wrong } = await restored.pool.query(
        `select * from (
           select audience, sum(people)::int as people from listing_counts group by 1
         ) as counts full join (select audience, count(*)::int as people from listings group by 1) as rows
         using (audience) where counts.people is distinct from rows.people`,
      );
      expect(wrong).toEqual([]);
      await restored.close();
      await place.drop();
    }
  });
});

describe('what cannot be restored', () => {
  test('is refused before anything is written: damaged anywhere, cut off anywhere, something else', async () => {
    const place = await newPlace(inject('databases'));
    const bytes = readFileSync(whole);
    const file = join(folder, 'damaged.tar.gz');
    const attempt = async (content: Buffer) => {
      writeFileSync(file, content);
      const { code, noted } = await type(place.settings, 'restore', file);
      return [code, noted.split('\n')[0]];
    };
    const damaged = [1, `${file} is damaged or was cut off, and nothing of it is used. Take another backup.`];
    // The first ten bytes are the packer's header, whose time and system say nothing.
    for (let at = 11; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      // Some bits are nobody's: what is unpacked is the same without them.
      if (!isSame(flipped, bytes)) expect([at, ...(await attempt(flipped))]).toEqual([at, ...damaged]);
    }
    for (const length of [0, 5, 1_000, Math.floor(bytes.length / 2), bytes.length - 9, bytes.length - 1])
      expect([length, ...(await attempt(bytes.subarray(0, length)))]).toEqual([length, ...damaged]);
    expect(await attempt(Buffer.from('a letter'))).toEqual(damaged);
    // Damaged where it says what it is.
    const readable = gzipSync(gunzipSync(bytes), { level: 0 });
    for (const [before, after] of [
      ['"format": 2', '"format": 9'],
      ['manifest.json', 'manifest.jsom'],
    ] as const) {
      const changed = Buffer.from(readable);
      expect(changed.write(after, changed.indexOf(before))).toBe(before.length);
      expect([after, ...(await attempt(changed))]).toEqual([after, ...damaged]);
    }
    expect(readdirSync(place.settings.DATA_DIR)).toEqual([]);
    const missing = join(folder, 'missing.tar.gz');
    expect(await type(place.settings, 'restore', missing)).toMatchObject({
      code: 1,
      noted: expect.stringContaining(`${missing} cannot be read: there is no such folder or file.`) as string,
    });
    await place.drop();
  });

  test('is refused in words when a newer version has made it', async () => {
    const newer = await newPlace(inject('databases'));
    const database = openDatabase(newer.connection, () => undefined);
    await database.pool.query(`insert into kysely_migration values ('999-later', now()::text)`);
    await database.close();
    const file = join(folder, 'newer.tar.gz');
    expect(await type(newer.settings, 'backup', file)).toMatchObject({ code: 0 });
    const place = await newPlace(inject('databases'));
    expect(await type(place.settings, 'restore', file)).toMatchObject({
      code: 1,
      noted: expect.stringMatching(
        /whose tables this one does not know\. Install that version or a newer one/u,
      ) as string,
    });
    await place.drop();
    await newer.drop();
  });

  test('stays where it is while the archive is in use, has people, or is only asked about', async () => {
    const place = await newPlace(inject('databases'));
    expect(await type(place.settings, 'restore', whole, '--dry-run')).toMatchObject({
      code: 0,
      said: expect.stringMatching(
        /5 accounts.*\nIt is whole, and can be restored here\. Nothing was changed\./u,
      ) as string,
    });
    expect(readdirSync(place.settings.DATA_DIR)).toEqual([]);
    const beside = new pg.Client(place.connection);
    await beside.connect();
    expect(await type(place.settings, 'restore', whole)).toMatchObject({
      code: 1,
      noted: expect.stringMatching(/^1 other connections use the database at DATABASE_URL\./u) as string,
    });
    await beside.end();
    expect(await type(place.settings, 'restore', whole)).toMatchObject({ code: 0 });
    expect(await type(place.settings, 'restore', whole)).toMatchObject({
      code: 1,
      noted:
        'This archive has 5 accounts, and all of them would be thrown away. Make a backup of it, and then say that you mean it: --replace',
    });
    expect(await type(place.settings, 'restore', whole, '--replace')).toMatchObject({ code: 0 });
    await place.drop();
  });

  test('leaves everything as it was when it fails in the middle', async () => {
    const place = await newPlace(inject('databases'));
    expect(await type(place.settings, 'restore', whole)).toMatchObject({ code: 0 });
    const database = openDatabase(place.connection, () => undefined);
    const was = await rowsOf(database.pool);
    const files = filesBelow(place.settings.DATA_DIR);
    await database.close();
    // The very last step before the commit cannot be made.
    mkdirSync(join(place.settings.DATA_DIR, 'restore.unfinished'));
    expect(await type(place.settings, 'restore', whole, '--replace')).toMatchObject({
      code: 1,
      noted: expect.stringMatching(/could not be restored into .*: it is a folder/u) as string,
    });
    const again = openDatabase(place.connection, () => undefined);
    expect(await rowsOf(again.pool)).toEqual(was);
    expect(filesBelow(place.settings.DATA_DIR)).toEqual(files);
    await again.close();
    await place.drop();
  });
});

describe('the file of a backup', () => {
  test('is its owner’s alone, is not overwritten unasked, and leaves nothing beside', async () => {
    expect(statSync(whole).mode & 0o777).toBe(0o600);
    expect(await type(settingsOf(archive), 'backup', whole)).toMatchObject({
      code: 1,
      noted: `${whole} is there already. Name another file, or overwrite it with --force.`,
    });
    const file = join(folder, 'night.tar.gz');
    // Left by backups that were killed: tonight's, and that of another night.
    writeFileSync(`${file}.unfinished`, 'secrets');
    const other = join(folder, 'monday.tar.gz.unfinished');
    writeFileSync(other, 'secrets');
    utimesSync(other, new Date(0), new Date(0));
    const running = join(folder, 'running.tar.gz.unfinished');
    writeFileSync(running, 'of a backup that is being written');
    expect(await type(settingsOf(archive), 'backup', file)).toMatchObject({ code: 0 });
    expect([file, `${file}.unfinished`, other, running].map((path) => existsSync(path))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(await type(settingsOf(archive), 'backup', file, '--force')).toMatchObject({ code: 0 });
  });

  test('that cannot be written is told in words', async () => {
    // In the middle of a picture: what is written is held back for a moment, and then refused.
    const refusing = new Writable({
      highWaterMark: 1,
      write: (_, __, done) => setImmediate(done, Object.assign(new Error('no space left'), { code: 'ENOSPC' })),
    });
    const { media, config } = archive.context;
    const large = { name: '384.webp', content: randomBytes(8_000_000) };
    await expect(
      withSnapshot(opened(), 'archive backup', (client) =>
        writeBackup(
          { client, dataDir: config.dataDir, version: '0.0.0', media: { ...media, readFiles: async () => [large] } },
          refusing,
          () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
        ),
      ),
    ).rejects.toThrow('no space left');
    expect(await type(settingsOf(archive), 'backup', join(folder, 'nowhere', 'a.tar.gz'))).toMatchObject({
      code: 1,
      noted: expect.stringMatching(
        /^Nothing can be written to .*nowhere: there is no such folder or file\./u,
      ) as string,
    });
    expect(await type(settingsOf(archive), 'backup', folder)).toMatchObject({
      code: 1,
      noted: `${folder} is not a file. Name one that is to be written.`,
    });
  });

  test('is given up at once when it is cut short, whatever the database is waiting for', async () => {
    const { media, config } = archive.context;
    const other = await archive.pool.connect();
    await other.query('begin; lock table accounts');
    const cut = new AbortController();
    const to = addAbortSignal(cut.signal, new Writable({ write: (_chunk, _encoding, done) => done() }));
    const writing = withSnapshot(opened(), 'archive backup', (client) =>
      writeBackup({ client, dataDir: config.dataDir, version: '0.0.0', media }, to, () => ({
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
    cut.abort();
    await expect(writing).rejects.toThrow('aborted');
    await other.query('rollback');
    other.release();
  });
});
