import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { urlOf } from '#server/db/url.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { cleanUp, newFolder } from '#server/testing/product.ts';
import { joinWithApp } from '#server/testing/second-factor.ts';
import { writeBackup } from '../backup-format/write-backup.ts';
import { withSnapshot } from '../support/with-snapshot.ts';
import { keepRoom } from '../support/disk-space.ts';
import { settingsOf, type } from '../testing/run-command.ts';

/* Backups that are not made, because they would take the place of better ones or the room of the database. */

let archive: TestArchive;
let settings: NodeJS.ProcessEnv;
let dataDir: string;
/** Pictures of everybody. */
let pictures: string[];
let folder: string;
/** Tonight's, over that of a week ago. */
let file: string;

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  ({ dataDir } = archive.context.config);
  settings = settingsOf(archive);
  for (let people = 0; people < 12; people++) await archive.join();
  await joinWithApp(archive);
  pictures = readdirSync(join(dataDir, 'media')).filter((name) => !name.startsWith('.'));
});
beforeEach(() => {
  folder = newFolder('archive-backups-');
  file = join(folder, '1.tar.gz');
  writeFileSync(file, 'of last week');
  rmSync(join(dataDir, 'backup.json'), { force: true });
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

/** Does something while a file or folder of the data folder is not there. */
async function without(name: string, work: () => Promise<void>): Promise<void> {
  const [path, away] = [join(dataDir, name), join(newFolder(), 'away')];
  renameSync(path, away);
  try {
    await work();
  } finally {
    rmSync(path, { recursive: true, force: true });
    renameSync(away, path);
  }
}

/** The archive, as a command opens it. */
const opened = () => ({ context: archive.context, connection: { connectionString: urlOf(archive.pool.options) } });

const isUntouched = () => {
  expect(readFileSync(file, 'utf8')).toBe('of last week');
  expect(readdirSync(folder)).toEqual(['1.tar.gz']);
};

const note = () => JSON.parse(readFileSync(join(dataDir, 'backup.json'), 'utf8')) as { madeAt: string; bytes: number };

describe('a backup without most pictures', () => {
  const sentence = `More than a tenth of the 12 pictures are missing in `;

  test('is refused, in the rehearsal too, and what was there stays; --incomplete makes it', async () => {
    await without('media', async () => {
      for (const more of [['--force'], ['--force', '--dry-run']])
        expect(await type(settings, 'backup', file, ...more)).toMatchObject({
          code: 1,
          noted: expect.stringContaining(
            `${sentence}${join(dataDir, 'media')}. Is DATA_DIR right, and its disk there? Nothing was overwritten.`,
          ) as string,
        });
      isUntouched();
      expect(await type(settings, 'backup', file, '--force', '--incomplete')).toMatchObject({
        code: 0,
        noted: expect.stringMatching(/^12 pictures were missing on disk before, and are not in it\.$/mu) as string,
      });
      expect(existsSync(join(dataDir, 'backup.json'))).toBe(false);
    });
    expect((await type(settings, 'restore', file, '--dry-run')).code).toBe(0);
  });

  test('is made where only a few are missing, and says how many', async () => {
    await without(join('media', pictures[0] ?? ''), async () => {
      expect(await type(settings, 'backup', file, '--force')).toMatchObject({
        code: 0,
        noted: expect.stringMatching(/^1 pictures were missing on disk before/mu) as string,
      });
    });
    expect(note().bytes).toBe(statSync(file).size);
  });
});

test('a backup without the key that people’s apps need is refused; --incomplete makes it', async () => {
  await without('second-factor.key', async () => {
    // Not by DATABASE_URL's own guard: the rows are asked, whatever the folder looks like.
    await expect(
      withSnapshot(opened(), 'archive backup', (client) =>
        writeBackup(
          {
            client,
            dataDir,
            version: '0.0.0',
            media: archive.context.media,
            makeRoom: () => Promise.reject(new Error('Something was written before the key was checked.')),
          },
          new Writable({ write: (_, __, done) => done() }),
          () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
        ),
      ),
    ).rejects.toThrow(
      `second-factor.key is missing in ${dataDir}, and 1 people have an authenticator app that works with it alone. Is DATA_DIR right`,
    );
    expect(await type(settings, 'backup', file, '--force')).toMatchObject({
      code: 1,
      noted: expect.stringContaining('Is DATA_DIR right, and its disk there?') as string,
    });
    isUntouched();
    expect((await type(settings, 'backup', file, '--force', '--incomplete')).code).toBe(0);
    expect(existsSync(join(dataDir, 'backup.json'))).toBe(false);
  });
});

describe('a disk that gets full', () => {
  /** A reserve that is larger than what is free, in megabytes. */
  const reserve = () => {
    const { bavail, bsize } = statfsSync(folder);
    return { ...settings, DISK_RESERVE: String(Math.ceil((bavail * bsize) / 2 ** 20) + 10_000) };
  };

  test('ends a backup while there is room for the database, and nothing stays of it', async () => {
    const sentence =
      /are kept free for the database \(DISK_RESERVE\)\. No backup is made, and nothing was overwritten; delete old backups or name another disk\./u;
    for (const more of [['--force'], ['--force', '--dry-run']]) {
      const { code, noted } = await type(reserve(), 'backup', file, ...more);
      expect([more, code, noted]).toEqual([more, 1, expect.stringMatching(sentence)]);
      isUntouched();
    }
  });

  test('ends an export as well', async () => {
    const target = join(folder, 'out');
    for (const more of [[], ['--dry-run']]) {
      const { code, noted } = await type(reserve(), 'export', target, ...more);
      expect([more, code, noted]).toEqual([more, 1, expect.stringMatching(/\(DISK_RESERVE\)\. Nothing is exported/u)]);
      isUntouched();
    }
  });

  test('is looked at again and again, and ends what is being written', async () => {
    let free = 100e6;
    let written = 0;
    const disk = new Writable({
      write: (chunk: Buffer, _, done) => {
        [written, free] = [written + chunk.length, free - chunk.length];
        done();
      },
    });
    const picture = { name: '384.webp', content: randomBytes(8_000_000) };
    await expect(
      withSnapshot(opened(), 'archive backup', (client) =>
        writeBackup(
          {
            client,
            dataDir,
            version: '0.0.0',
            media: { ...archive.context.media, readFiles: async () => [picture] },
            makeRoom: keepRoom(folder, 60e6, 'Nothing is written.', async () => ({ freeBytes: free })),
          },
          disk,
          () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
        ),
      ),
    ).rejects.toThrow(/^\d+\.\d MB are free in .*, and 60\.0 MB are kept free for the database \(DISK_RESERVE\)\./u);
    expect(written).toBeGreaterThan(8e6);
    expect(free).toBeGreaterThan(60e6 - 20e6);
  });
});

describe('--dry-run', () => {
  test('of a backup says what would be in it, and writes nothing', async () => {
    const other = join(folder, '2.tar.gz');
    expect(await type(settings, 'backup', other, '--dry-run')).toEqual({
      code: 0,
      said: expect.stringMatching(
        /^\d+\.\d MB would be written\.\nThere is room: \d+\.\d MB are free in .*\nNothing was written\.$/u,
      ) as string,
      noted: expect.stringMatching(/^13 accounts, 12 pictures, \d+ waiting jobs\.$/u) as string,
    });
    isUntouched();
    expect(await type(settings, 'backup', file, '--dry-run')).toMatchObject({
      code: 1,
      noted: `${file} is there already. Name another file, or overwrite it with --force.`,
    });
    expect(await type(settings, 'backup', join(folder, 'nowhere', 'a.tar.gz'), '--dry-run')).toMatchObject({
      code: 1,
      noted: expect.stringContaining('there is no such folder or file.') as string,
    });
    expect(await type(settings, 'backup', '-', '--dry-run')).toMatchObject({
      code: 0,
      said: expect.not.stringContaining('There is room') as string,
    });
    expect(existsSync(join(dataDir, 'backup.json'))).toBe(false);
  });

  test('of an export counts the largest file of each picture, and says when DIR is there already', async () => {
    const target = join(folder, 'not', 'yet');
    const { code, said } = await type(settings, 'export', target, '--dry-run');
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/^13 accounts and 12 pictures of about .*\nThere is room: .*\nNothing was written\.$/u),
    ]);
    isUntouched();
    expect(await type(settings, 'export', folder, '--dry-run')).toMatchObject({
      code: 1,
      noted: `${folder} is there already. Name a new folder.`,
    });
  });
});

describe('what is known of the last backup', () => {
  const found = async (): Promise<string> => {
    const { said } = await type(settings, 'doctor', '--json');
    const { findings } = JSON.parse(said) as { findings: { level: string; about: string; says: string }[] };
    return findings.flatMap(({ level, about, says }) => (about === 'backup' ? `${level}: ${says}` : [])).join('\n');
  };

  test('is noted by each that is whole, for its owner alone, and doctor misses those that do not come', async () => {
    expect(await found()).toBe('ok: none yet; the archive is new.');
    await archive.pool.query(`update accounts set created_at = created_at - interval '3 days'`);
    expect(await found()).toBe(
      'warn: No backup has been made yet. docs/operations.md says how to make one every night.',
    );
    expect((await type(settings, 'backup', file, '--force')).code).toBe(0);
    const path = join(dataDir, 'backup.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(note()).toEqual({ madeAt: expect.any(String) as string, bytes: statSync(file).size });
    expect(Date.parse(note().madeAt)).toBeGreaterThan(Date.now() - 60_000);
    expect(await found()).toMatch(/^ok: the last one is of \d{4}-\d\d-\d\d \d\d:\d\d \(UTC\), \d+\.\d MB\.$/u);
    writeFileSync(path, JSON.stringify({ madeAt: '2024-02-03T02:30:00.000Z', bytes: 1 }));
    expect(await found()).toMatch(/^warn: No backup has been made since 2024-02-03 02:30 \(UTC\)\./u);
    writeFileSync(path, '{');
    expect(await found()).toMatch(/^warn: No backup has been made yet\./u);
  });

  test('is no reason to fail where it cannot be noted', async () => {
    // A folder in its place, for root may write to any file.
    mkdirSync(join(dataDir, 'backup.json'));
    const { code, noted } = await type(settings, 'backup', file, '--force');
    expect([code, noted]).toEqual([
      0,
      expect.stringContaining('The backup is made, but that it is could not be noted'),
    ]);
    expect(statSync(file).size).toBeGreaterThan(1_000);
    rmSync(join(dataDir, 'backup.json'), { recursive: true });
  });
});
