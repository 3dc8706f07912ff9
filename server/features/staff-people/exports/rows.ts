import type { ExportColumn } from '#contract/staff/exports.ts';
import { exportColumns, exportFieldOf, exportLabelOf } from '#contract/staff/people-values.ts';
import { readField } from '#contract/profile-fields.ts';
import type { Profile } from '#contract/profile.ts';
import { formatCsvRow } from '#server/platform/storage/csv.ts';

export const headingOf = (column: ExportColumn): string =>
  column === 'birthday' ? 'Birthday (month-day)' : exportLabelOf(column);

const readColumn = (profile: Profile, column: ExportColumn) =>
  column === 'email' ? profile.email : readField(profile, exportFieldOf(column));

export const inFileOrder = (chosen: readonly ExportColumn[]): ExportColumn[] =>
  exportColumns.filter((column) => chosen.includes(column));

export const formatHeadings = (chosen: readonly ExportColumn[]): string => formatCsvRow(chosen.map(headingOf));

/** Returns the end of the file, which says which export it is. Other programs expect the headings in the first line. */
export const formatNotice = (exportId: string, institution: string): string =>
  formatCsvRow([]) +
  formatCsvRow([
    `Export ${exportId} of the alumni archive of ${institution}. Personal data: for the work of the alumni office only. Delete it after use.`,
  ]);

/** @param profile as members see it */
export const formatPerson = (profile: Profile, chosen: readonly ExportColumn[]): string =>
  formatCsvRow(chosen.map((column) => String(readColumn(profile, column) ?? '')));
