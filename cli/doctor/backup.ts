import { readLastBackup } from '#server/platform/last-backup.ts';
import { megabytes } from '../room.ts';
import { type Check, ask, ok, warn } from './check.ts';

/** Milliseconds without a backup that are worth a look: one night may be left out. */
const patience = 2 * 24 * 60 * 60 * 1000;

const advice = 'docs/operations.md says how to make one every night.';

/** Whether backups are being made. */
export const backupChecks: readonly Check[] = [
  {
    about: 'backup',
    needs: 'tables',
    run: async (subject) => {
      const last = await readLastBackup(subject.config.dataDir);
      if (last) {
        const when = last.madeAt.toISOString().slice(0, 16).replace('T', ' ');
        return last.madeAt.getTime() < Date.now() - patience
          ? warn(`No backup has been made since ${when} (UTC). Does the nightly one still run? ${advice}`)
          : ok(`the last one is of ${when} (UTC), ${megabytes(last.bytes)}.`);
      }
      const [row] = await ask<{ isOld: boolean | null }>(
        subject,
        'select min(created_at) < now() - make_interval(secs => $1) as "isOld" from accounts',
        [patience / 1000],
      );
      return row?.isOld ? warn(`No backup has been made yet. ${advice}`) : ok('none yet; the archive is new.');
    },
  },
];
