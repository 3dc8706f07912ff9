import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { doctor } from './doctor.ts';
import { exportAll } from './export.ts';
import { importAll } from './import.ts';
import { importFirestore } from './import-firestore.ts';
import { jobsDrop, jobsList, jobsRetry } from './jobs.ts';
import { mailTest } from './mail-test.ts';
import { mailBounced } from './mail-bounced.ts';
import { picturesCleanUp } from './pictures-clean-up.ts';
import { reportsClose, reportsList, reportsShow } from './reports.ts';
import { restore } from './restore.ts';
import { userDelete, userDisable, userEnable, userResetSecondFactor, userShow, userSignOut } from './user.ts';

/** All commands, in the order of `--help`. */
export const commands: readonly Command[] = [
  doctor,
  backup,
  restore,
  exportAll,
  importAll,
  importFirestore,
  userShow,
  userDisable,
  userEnable,
  userSignOut,
  userResetSecondFactor,
  userDelete,
  picturesCleanUp,
  mailTest,
  mailBounced,
  jobsList,
  jobsRetry,
  jobsDrop,
  reportsList,
  reportsShow,
  reportsClose,
];
