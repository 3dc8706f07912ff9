import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type OpenArchive, openArchive } from '#server/startup/open-archive.ts';
import { cancelDeletionAgain, deleteAccountAgain } from '#server/features/identity/account/delete-account.ts';
import { migrateQueue } from '#server/platform/jobs/job-queue.ts';
import { restoreMarkerPath } from '#server/platform/storage/data-folder.ts';
import { readJournal } from '#server/domain/deletion-journal.ts';
import type { Manifest } from '../backup-format/manifest.ts';
import { checkBackup, passOn, tryBackup } from '../backup-format/check-backup.ts';
import { layFilesBeside } from '../backup-format/restore-files.ts';
import { restoreTables } from '../backup-format/restore-tables.ts';
import { type Command, Failure, type Tools } from '../support/command.ts';
import { inWords } from '../support/file-errors.ts';
import { openOperatorLog } from '../support/operator-log.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'Makes the archive what it was when a backup was made.',
  takes: ['FILE'],
  options: {
    replace: { type: 'boolean', summary: 'throws away what is in the archive now' },
    'dry-run': {
      type: 'boolean',
      summary: 'checks FILE, test-loads every row of it into a temporary schema, and changes nothing',
    },
  },
  help: [
    'End the product first. FILE is checked from beginning to end before anything is written.',
    'What is in the archive now stays until all of FILE is in the database; a restore that fails leaves it as it was. A backup of an older version is brought up to date.',
    'Accounts that their owners deleted after the backup was made are deleted again. A deletion that was cancelled after the backup was made stays cancelled.',
    'Whoever was signed in then is signed in again, and mails that waited then go out, once more where they had gone out since.',
  ],
  run: async ({ args: [target = ''], flags }, tools) => {
    const file = resolve(target);
    const manifest = await checkBackup(file, tools);
    const accounts = manifest.tables.find(({ name }) => name === 'accounts')?.rows ?? 0;
    tools.say(
      `${file}: made at ${manifest.madeAt} by version ${manifest.version}. ` +
        `${accounts} accounts, ${manifest.pictures} pictures, ${manifest.jobs} waiting jobs.`,
    );
    if (flags.has('dry-run')) {
      await tryBackup(file, manifest, tools);
      tools.say('It is whole, and can be restored here. Nothing was changed.');
      return;
    }
    const archive = await openArchive(tools.environment, {
      alone: true,
      anyFolder: true,
      begins: true,
      halfRestored: true,
      migrates: false,
    });
    try {
      await requireAlone(archive);
      await requireEmpty(archive, flags.has('replace'));
      await migrateQueue(archive.pool);
      const { deletedAgain, returned } = await replaceAll(archive, file, manifest, tools);
      if (deletedAgain > 0)
        tools.say(
          `Deleted again, because their owners deleted them after the backup was made: ${deletedAgain} accounts.`,
        );
      if (returned.length > 0) {
        tools.say(
          `Deletion cancelled, because their owners took them back after the backup was made: ${returned.length} accounts. ` +
            'Their addresses and passwords are as of the backup, and may be those of a thief until the owners use the recovery links that are mailed to the previous addresses. To see one: user show ID',
        );
        for (const id of returned) tools.say(`  ${id}`);
      }
      tools.say('Restored. Start the product, and sign in once to see that all is well.');
    } catch (error) {
      throw inWords(error, `The backup could not be restored into ${archive.config.dataDir}`);
    } finally {
      await archive.close();
    }
  },
};

/** Whoever uses the database beside us would write among the rows, or go on with what it remembers. */
async function requireAlone({ pool, config }: OpenArchive): Promise<void> {
  // The product has a connection that waits for jobs for as long as it runs, whatever else it does.
  let others = 0;
  // Connections of our own that have just been closed are there for a moment longer.
  for (let attempt = 0; attempt < 20; attempt++) {
    if (attempt > 0) await pause(100);
    const { rows } = await pool.query<{ others: number }>(
      `select count(*)::int as others from pg_stat_activity
       where datname = current_database() and usename is not null and pid <> pg_backend_pid()`,
    );
    others = rows[0]?.others ?? 0;
    if (others === 0) return;
  }
  throw new Failure(
    config.databaseUrl === null
      ? 'Somebody else is using the database of this data folder. End that first.'
      : `${others} other connections use the database at DATABASE_URL. End the product on every machine, and poolers and other programs that look into it.`,
  );
}

async function requireEmpty({ pool }: OpenArchive, mayReplace: boolean): Promise<void> {
  // Tables of any version, or none: they are replaced.
  const accounts = await pool.query<{ count: number }>('select count(*)::int as count from accounts').then(
    ({ rows }) => rows[0]?.count ?? 0,
    (error: { code?: string }) => {
      if (error.code === '42P01') return 0;
      throw error;
    },
  );
  if (accounts === 0 || mayReplace) return;
  throw new Failure(
    `This archive has ${accounts} accounts, and all of them would be thrown away. ` +
      'Make a backup of it, and then say that you mean it: --replace',
  );
}

async function replaceAll(archive: OpenArchive, file: string, manifest: Manifest, tools: Tools): Promise<Replayed> {
  const { context, connection, config, pool } = archive;
  const files = await layFilesBeside(context);
  const mark = restoreMarkerPath(config.dataDir);
  try {
    await restoreTables(
      connection,
      manifest,
      (tables) => passOn(file, tools, 'Restoring', tables.add, files.add),
      async () => {
        await files.placePictures();
        // Until the keys are there too, the rows of one archive could meet those of the other one: nothing starts on them.
        await writeFile(mark, 'A restore was cut short. Run it once more.\n', { mode: 0o600, flush: true });
      },
    );
    if (!(await files.placeKeys()))
      tools.note(
        'The deletion journal in the backup was made with another key and is ignored. The one in DATA_DIR was not changed.',
      );
    const replayed = await replayJournal(archive, new Date(manifest.madeAt));
    await rm(mark);
    await pool.query('analyze');
    return replayed;
  } finally {
    // After a failure this takes away what had been laid beside, and pictures that only the backup names.
    await files.tidy().catch(() => undefined);
  }
}

/** What the journal of deletions has changed after a restore. */
interface Replayed {
  readonly deletedAgain: number;
  /** The ids of the accounts whose pending deletion was cancelled. */
  readonly returned: readonly string[];
}

/** Applies the deletions, and the cancellations since the backup was made, that are in the journal of deletions. */
async function replayJournal({ context, config, pool }: OpenArchive, madeAt: Date): Promise<Replayed> {
  const journal = await readJournal(config.dataDir);
  const returned: string[] = [];
  if (journal.isEmpty) return { deletedAgain: 0, returned };
  const log = openOperatorLog(config.dataDir);
  let deletedAgain = 0;
  const { rows } = await pool.query<{ id: string }>('select id from accounts');
  for (const { id } of rows) {
    const deletion = journal.find({ accountId: id });
    const returnedAt = journal.findCancellation(id);
    if (deletion) {
      await deleteAccountAgain(context, id, deletion.deletesAt, log);
      deletedAgain++;
    } else if (returnedAt && returnedAt > madeAt && (await cancelDeletionAgain(context, id, log))) returned.push(id);
  }
  return { deletedAgain, returned };
}
