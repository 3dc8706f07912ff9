import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type OpenArchive, openArchive } from '#server/startup/open-archive.ts';
import { cancelDeletionAgain, deleteAccountAgain } from '#server/features/identity/account/delete-account.ts';
import { migrateQueue } from '#server/platform/jobs/job-queue.ts';
import { restoreMarkerPath } from '#server/platform/storage/data-folder.ts';
import { readJournal } from '#server/domain/accounts/deletion-journal.ts';
import { findMatricKeys, suppressEntry } from '#server/domain/roster/import/suppress-entry.ts';
import { requiresConfirmation } from '#server/domain/membership/membership.ts';
import { describeModeMismatch } from '#server/startup/membership-mode.ts';
import type { Manifest } from '../backup-format/manifest.ts';
import { checkBackup, readWithProgress, testLoadBackup } from '../backup-format/check-backup.ts';
import { stageFiles } from '../backup-format/restore-files.ts';
import { restoreTables } from '../backup-format/restore-tables.ts';
import { type Command, Failure, type Tools } from '../support/command.ts';
import { describeFileError } from '../support/file-errors.ts';
import { openOperatorLog } from '../support/operator-log.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'Restore the archive from a backup.',
  requiredArguments: ['FILE'],
  options: {
    replace: { type: 'boolean', summary: 'delete all current data of the archive' },
    'dry-run': {
      type: 'boolean',
      summary: 'check FILE and load every row into a temporary schema, without changing anything',
    },
  },
  description: [
    'Stop the server first. The whole FILE is checked before anything is written.',
    'The current data stay in place until all of FILE is in the database. A failed restore changes nothing. Backups of older versions are upgraded.',
    'Accounts that their owners deleted after the backup was made are deleted again. Deletions that were cancelled after the backup was made stay cancelled.',
    'The sessions and the queued emails of the backup are restored, too. Emails that were sent after the backup was made are sent a second time.',
  ],
  examples: ['/backups/archive.tar.gz --dry-run', '/backups/archive.tar.gz', '/backups/archive.tar.gz --replace'],
  run: async ({ args: [target = ''], flags }, tools) => {
    const file = resolve(target);
    const manifest = await checkBackup(file, tools);
    const accounts = manifest.tables.find(({ name }) => name === 'accounts')?.rows ?? 0;
    tools.print(
      `${file}: created at ${manifest.madeAt} by version ${manifest.version}. ` +
        `${accounts} accounts, ${manifest.pictures} pictures, ${manifest.jobs} pending jobs.`,
    );
    if (flags.has('dry-run')) {
      await testLoadBackup(file, manifest, tools);
      tools.print('OK: the backup is complete and can be restored here. Dry run: nothing was changed.');
      return;
    }
    const archive = await openArchive(tools.environment, {
      isExclusive: true,
      allowsForeignFolder: true,
      canCreate: true,
      allowsInterruptedRestore: true,
      shouldMigrate: false,
    });
    try {
      await requireNoOtherConnections(archive);
      await requireEmpty(archive, flags.has('replace'));
      await migrateQueue(archive.pool);
      const { deletedCount, pendingCount, cancelledIds } = await replaceArchive(archive, file, manifest, tools);
      if (deletedCount > 0)
        tools.print(
          `${deletedCount} accounts were deleted again, because their owners deleted them after the backup was made.`,
        );
      if (pendingCount > 0)
        tools.print(
          `${pendingCount} accounts are still pending deletion. They are hidden until they are deleted, at most 30 days after the request.`,
        );
      if (cancelledIds.length > 0) {
        tools.print(
          `The deletion of ${cancelledIds.length} accounts was cancelled, because their owners recovered them after the backup was made. ` +
            'Their addresses and passwords in the backup may be those of an attacker. Their owners get recovery links at their previous addresses. To see an account, run: npm run archive -- user show ID',
        );
        for (const id of cancelledIds) tools.print(`  ${id}`);
      }
      const { institution, db } = archive.context;
      if ((await requiresConfirmation(db)) !== (institution.membership === 'confirmed'))
        tools.print(
          `Before you start the server: ${describeModeMismatch(institution, archive.config.institutionFile)}`,
        );
      tools.print('Restored. Start the server, and sign in once to check the result.');
    } catch (error) {
      throw describeFileError(error, `Cannot restore the backup to ${archive.config.dataDir}`);
    } finally {
      await archive.close();
    }
  },
};

/**
 * Waits up to two seconds until no other process is connected to the database. Such a process could write during the
 * restore, or keep using cached data.
 * @throws Failure when other connections remain
 */
async function requireNoOtherConnections({ pool, config }: OpenArchive): Promise<void> {
  // A running server always has an open connection, on which it listens for jobs.
  let others = 0;
  // This process's closed connections remain in pg_stat_activity for a moment.
  for (let attempt = 0; attempt < 20; attempt++) {
    if (attempt > 0) await delay(100);
    const { rows } = await pool.query<{ others: number }>(
      `select count(*)::int as others from pg_stat_activity
       where datname = current_database() and usename is not null and pid <> pg_backend_pid()`,
    );
    others = rows[0]?.others ?? 0;
    if (others === 0) return;
  }
  throw new Failure(
    config.databaseUrl === null
      ? 'Another process uses the database of this data folder. Stop it first.'
      : `${others} other connections to the database at DATABASE_URL are open. Stop the server on every machine, connection poolers, and other programs that use the database.`,
  );
}

async function requireEmpty({ pool }: OpenArchive, mayReplace: boolean): Promise<void> {
  // The tables may be missing, or belong to any version, because the restore replaces them.
  const accounts = await pool.query<{ count: number }>('select count(*)::int as count from accounts').then(
    ({ rows }) => rows[0]?.count ?? 0,
    (error: { code?: string }) => {
      if (error.code === '42P01') return 0;
      throw error;
    },
  );
  if (accounts === 0 || mayReplace) return;
  throw new Failure(
    `This archive has ${accounts} accounts, and all of them would be deleted. ` +
      'Make a backup first, and then add --replace.',
  );
}

async function replaceArchive(
  archive: OpenArchive,
  file: string,
  manifest: Manifest,
  tools: Tools,
): Promise<ReplayResult> {
  const { context, connection, auditOwner, config, pool } = archive;
  const files = await stageFiles(context);
  const markerPath = restoreMarkerPath(config.dataDir);
  try {
    await restoreTables(
      { connection, auditOwner },
      manifest,
      (tables) => readWithProgress(file, tools, 'Restoring', tables.add, files.add),
      async () => {
        await files.placePictures();
        // Until the keys are restored, rows and keys could belong to different archives. The marker keeps the server
        // from starting.
        await writeFile(markerPath, 'A restore was interrupted. Run it again.\n', { mode: 0o600, flush: true });
      },
    );
    if (!(await files.placeKeys()))
      tools.printStatus(
        'The deletion journal in the backup was made with another key and is ignored. The one in DATA_DIR was not changed.',
      );
    const replayed = await replayJournal(archive, new Date(manifest.madeAt));
    await rm(markerPath);
    await pool.query('analyze');
    return replayed;
  } finally {
    // After a failure this deletes the staged files, and pictures that only the backup refers to.
    await files.cleanUp().catch(() => undefined);
  }
}

interface ReplayResult {
  readonly deletedCount: number;
  readonly pendingCount: number;
  readonly cancelledIds: readonly string[];
}

/** Applies all deletions and objections in the deletion journal, and the cancellations since the backup was made. */
async function replayJournal({ context, config, pool }: OpenArchive, madeAt: Date): Promise<ReplayResult> {
  const journal = await readJournal(context);
  const cancelledIds: string[] = [];
  if (journal.isEmpty) return { deletedCount: 0, pendingCount: 0, cancelledIds };
  const log = openOperatorLog(config.dataDir);
  let [deletedCount, pendingCount] = [0, 0];
  const { rows } = await pool.query<{ id: string }>('select id from accounts');
  for (const { id } of rows) {
    const deletion = journal.find({ accountId: id });
    const returnedAt = journal.findCancellation(id);
    if (deletion) {
      await deleteAccountAgain(context, id, deletion.deletesAt, log);
      if (deletion.deletesAt !== null && deletion.deletesAt > new Date()) pendingCount++;
      else deletedCount++;
    } else if (returnedAt && returnedAt > madeAt && (await cancelDeletionAgain(context, id, log)))
      cancelledIds.push(id);
  }
  await context.db.transaction().execute(async (tx) => {
    for (const { entryId, matricKey } of await findMatricKeys(tx))
      if (journal.find({ matricKey })) await suppressEntry(tx, entryId);
  });
  return { deletedCount, pendingCount, cancelledIds };
}
