import { approvalsApprove, approvalsList } from './commands/approvals.ts';
import { backup } from './commands/backup.ts';
import type { Command } from './support/command.ts';
import { databasePrepare } from './commands/database-prepare.ts';
import { doctor } from './commands/doctor.ts';
import { exportsIdentify } from './commands/exports-identify.ts';
import { exportAll } from './commands/export.ts';
import { importAll } from './commands/import.ts';
import { importFirestore } from './commands/import-firestore.ts';
import { jobsDrop, jobsList, jobsRecreate, jobsRetry } from './commands/jobs.ts';
import { mailTest } from './commands/mail-test.ts';
import { mailBounced } from './commands/mail-bounced.ts';
import { mediaCopy } from './commands/media-copy.ts';
import { membershipOpen, membershipRequireConfirmation, membershipStatus } from './commands/membership.ts';
import { picturesCleanUp } from './commands/pictures-clean-up.ts';
import { restore } from './commands/restore.ts';
import { rosterImport, rosterUndo } from './commands/roster.ts';
import { staffAdd, staffList, staffRemove } from './commands/staff.ts';
import { rosterSuppress } from './commands/roster-suppress.ts';
import { userDelete, userDisable, userEnable, userResetSecondFactor, userShow, userSignOut } from './commands/user.ts';
import { vouchesRefused } from './commands/vouches.ts';

export const commands: readonly Command[] = [
  doctor,
  databasePrepare,
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
  membershipStatus,
  membershipRequireConfirmation,
  membershipOpen,
  rosterImport,
  rosterUndo,
  rosterSuppress,
  staffAdd,
  staffList,
  staffRemove,
  approvalsList,
  approvalsApprove,
  exportsIdentify,
  picturesCleanUp,
  mediaCopy,
  mailTest,
  mailBounced,
  jobsList,
  jobsRetry,
  jobsDrop,
  jobsRecreate,
  vouchesRefused,
];
