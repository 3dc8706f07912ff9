import type { Check } from './check.ts';
import { clockChecks } from './clock.ts';
import { configurationChecks } from './configuration.ts';
import { dataFolderChecks } from './data-folder.ts';
import { databaseChecks } from './database.ts';
import { jobChecks } from './jobs.ts';
import { runningChecks } from './running.ts';

/** All checks of `doctor`, in the order of its output. */
export const allChecks: readonly Check[] = [
  ...configurationChecks,
  ...databaseChecks,
  ...clockChecks,
  ...dataFolderChecks,
  ...jobChecks,
  ...runningChecks,
];
