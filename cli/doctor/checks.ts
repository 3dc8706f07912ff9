import { accountChecks } from './accounts.ts';
import type { Check } from './check.ts';
import { backupChecks } from './backup.ts';
import { clockChecks } from './clock.ts';
import { configurationChecks } from './configuration.ts';
import { databaseChecks } from './database.ts';
import { diskChecks } from './disk.ts';
import { jobChecks } from './jobs.ts';
import { keyChecks } from './keys.ts';
import { mailChecks } from './mail.ts';
import { mediaChecks } from './media.ts';
import { reportChecks } from './reports.ts';
import { runningChecks } from './running.ts';
import { versionChecks } from './versions.ts';

/** Everything that is looked at, a line for each subject, in the order in which it is told. */
export const allChecks: readonly Check[] = [
  ...versionChecks,
  ...configurationChecks,
  ...databaseChecks,
  ...clockChecks,
  ...diskChecks,
  ...keyChecks,
  ...backupChecks,
  ...mailChecks,
  ...jobChecks,
  ...accountChecks,
  ...reportChecks,
  ...mediaChecks,
  ...runningChecks,
];
