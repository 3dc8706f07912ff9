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
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import { createMemberWithApp } from '#server/testing/second-factor.ts';
import { writeBackup } from '../backup-format/write-backup.ts';
import { withSnapshot } from '../support/with-snapshot.ts';
import { guardDiskReserve } from '../support/disk-space.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/* Cases in which no backup is made: it would replace a better one, or use the disk space of the database. */

let archive: TestArchive;
let settings: NodeJS.ProcessEnv;
let dataDir: string;
let pictures: string[];
let folder: string;
let file: string;

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  ({ dataDir } = archive.context.config);
  settings = createSettings(archive);
  for (let people = 0; people < 12; people++) await archive.createMember();
  await createMemberWithApp(archive);
  pictures = readdirSync(join(dataDir, 'media')).filter((name) => !name.startsWith('.'));
});
beforeEach(() => {
  folder = newFolder('archive-backups-');
  file = join(folder, '1.tar.gz');
  writeFileSync(file, 'older backup');
  rmSync(join(dataDir, 'backup.json'), { force: true });
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

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

const openedArchive = () => ({
  context: archive.context,
  connection: { connectionString: urlOf(archive.pool.options) },
});

const expectUnchanged = () => {
  expect(readFileSync(file, 'utf8')).toBe('older backup');
  expect(readdirSync(folder)).toEqual(['1.tar.gz']);
};

const readRecord = () =>
  JSON.parse(readFileSync(join(dataDir, 'backup.json'), 'utf8')) as { madeAt: string; bytes: number };

describe('backup with missing pictures', () => {
  const message = `More than a tenth of the 12 pictures are missing from `;

  test('fails if most are missing, also as a dry run, unless --incomplete is given', async () => {
    await without('media', async () => {
      for (const more of [['--force'], ['--force', '--dry-run']])
        expect(await runCommand(settings, 'backup', file, ...more)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining(
            `${message}${join(dataDir, 'media')}. Check DATA_DIR, and that its disk is mounted. Nothing was overwritten.`,
          ) as string,
        });
      expectUnchanged();
      expect(await runCommand(settings, 'backup', file, '--force', '--incomplete')).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^WARN: 12 pictures are missing and are not in the backup\.$/mu) as string,
      });
      expect(existsSync(join(dataDir, 'backup.json'))).toBe(false);
    });
    expect((await runCommand(settings, 'restore', file, '--dry-run')).code).toBe(0);
  });

  test('succeeds with a warning if only a few are missing', async () => {
    await without(join('media', pictures[0] ?? ''), async () => {
      expect(await runCommand(settings, 'backup', file, '--force')).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^WARN: 1 pictures are missing/mu) as string,
      });
    });
    expect(readRecord().bytes).toBe(statSync(file).size);
  });
});

test('backup fails without the key of authenticator apps, unless --incomplete is given', async () => {
  await without('second-factor.key', async () => {
    // Tests the check of the rows, not the check for a foreign data folder.
    await expect(
      withSnapshot(openedArchive(), 'archive backup', (client) =>
        writeBackup(
          {
            client,
            version: '0.0.0',
            context: archive.context,
            guardReserve: () => Promise.reject(new Error('Something was written before the key was checked.')),
          },
          new Writable({ write: (_, __, done) => done() }),
          () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
        ),
      ),
    ).rejects.toThrow(
      `second-factor.key is missing in ${dataDir}, and the authenticator apps of 1 people need it. Check DATA_DIR`,
    );
    expect(await runCommand(settings, 'backup', file, '--force')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('second-factor.key') as string,
    });
    expectUnchanged();
    expect((await runCommand(settings, 'backup', file, '--force', '--incomplete')).code).toBe(0);
    expect(existsSync(join(dataDir, 'backup.json'))).toBe(false);
  });
});

describe('on a full disk', () => {
  const createFullDiskSettings = () => {
    const { bavail, bsize } = statfsSync(folder);
    return { ...settings, DISK_RESERVE: String(Math.ceil((bavail * bsize) / 2 ** 20) + 10_000) };
  };

  test('backup fails before it uses the reserve, and leaves no file', async () => {
    const message =
      /are kept free for the database \(DISK_RESERVE\)\. No backup was made, and nothing was overwritten\. Delete old backups, or name another disk\./u;
    for (const more of [['--force'], ['--force', '--dry-run']]) {
      const { code, stderr } = await runCommand(createFullDiskSettings(), 'backup', file, ...more);
      expect([more, code, stderr]).toEqual([more, 1, expect.stringMatching(message)]);
      expectUnchanged();
    }
  });

  test('export fails before it uses the reserve', async () => {
    const target = join(folder, 'out');
    for (const more of [[], ['--dry-run']]) {
      const { code, stderr } = await runCommand(createFullDiskSettings(), 'export', target, ...more);
      expect([more, code, stderr]).toEqual([
        more,
        1,
        expect.stringMatching(/are kept free for the database \(DISK_RESERVE\)\. Nothing was exported/u),
      ]);
      expectUnchanged();
    }
  });

  test('a running backup fails when the free space falls below the reserve', async () => {
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
      withSnapshot(openedArchive(), 'archive backup', (client) =>
        writeBackup(
          {
            client,
            version: '0.0.0',
            context: {
              ...archive.context,
              media: { ...archive.context.media, readFiles: async () => [picture] },
            },
            guardReserve: guardDiskReserve(folder, 60e6, 'Nothing is written.', async () => ({ freeBytes: free })),
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

describe('backup and export', () => {
  test('print the contents and the free disk space with --dry-run, and write no backup', async () => {
    const other = join(folder, '2.tar.gz');
    expect(await runCommand(settings, 'backup', other, '--dry-run')).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^\d+\.\d MB would be written\.\nEnough disk space: \d+\.\d MB free in .*\nDry run: nothing was written\.$/u,
      ) as string,
      stderr: expect.stringMatching(/^13 accounts, 12 pictures, \d+ pending jobs\.$/u) as string,
    });
    expectUnchanged();
    expect(await runCommand(settings, 'backup', file, '--dry-run')).toMatchObject({
      code: 1,
      stderr: `${file} already exists. Name another file, or add --force to overwrite it.`,
    });
    expect(await runCommand(settings, 'backup', join(folder, 'nowhere', 'a.tar.gz'), '--dry-run')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such file or folder.') as string,
    });
    expect(await runCommand(settings, 'backup', '-', '--dry-run')).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('Enough disk space') as string,
    });
    expect(existsSync(join(dataDir, 'backup.json'))).toBe(false);
  });

  test('estimate the size of an export with --dry-run, and refuse to export to an existing folder', async () => {
    const target = join(folder, 'not', 'yet');
    const { code, stdout } = await runCommand(settings, 'export', target, '--dry-run');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Would write 13 accounts and 12 pictures \(about .*\nEnough disk space: .*\nDry run: nothing was written\.$/u,
      ),
    ]);
    expectUnchanged();
    expect(await runCommand(settings, 'export', folder, '--dry-run')).toMatchObject({
      code: 1,
      stderr: `${folder} already exists. Name a new folder.`,
    });
  });
});

describe('the record of the last backup', () => {
  const runBackupCheck = async (): Promise<string> => {
    const { stdout } = await runCommand(settings, 'doctor', '--json');
    const { findings } = JSON.parse(stdout) as { findings: { level: string; check: string; message: string }[] };
    return findings
      .flatMap(({ level, check, message }) => (check === 'backup' ? `${level}: ${message}` : []))
      .join('\n');
  };

  test('is written with mode 0600 by each complete backup, and doctor warns when it is old', async () => {
    expect(await runBackupCheck()).toBe('OK: No backup yet. The archive is new.');
    await archive.pool.query(`update accounts set created_at = created_at - interval '3 days'`);
    expect(await runBackupCheck()).toBe(
      'WARN: No backup has been made yet. For nightly backups, see docs/operations.md.',
    );
    expect((await runCommand(settings, 'backup', file, '--force')).code).toBe(0);
    const path = join(dataDir, 'backup.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readRecord()).toEqual({ madeAt: expect.any(String) as string, bytes: statSync(file).size });
    expect(Date.parse(readRecord().madeAt)).toBeGreaterThan(Date.now() - 60_000);
    expect(await runBackupCheck()).toMatch(
      /^OK: The last backup is from \d{4}-\d\d-\d\d \d\d:\d\d UTC \(\d+\.\d MB\)\.$/u,
    );
    writeFileSync(path, JSON.stringify({ madeAt: '2024-02-03T02:30:00.000Z', bytes: 1 }));
    expect(await runBackupCheck()).toMatch(/^WARN: The last backup is from 2024-02-03 02:30 UTC\./u);
    writeFileSync(path, '{');
    expect(await runBackupCheck()).toMatch(/^WARN: No backup has been made yet\./u);
  });

  test('is optional: backup succeeds with a warning if it cannot be written', async () => {
    // A folder instead of the file, because root can write to any file.
    mkdirSync(join(dataDir, 'backup.json'));
    const { code, stderr } = await runCommand(settings, 'backup', file, '--force');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('WARN: The backup was made, but could not be recorded'),
    ]);
    expect(statSync(file).size).toBeGreaterThan(1_000);
    rmSync(join(dataDir, 'backup.json'), { recursive: true });
  });
});
