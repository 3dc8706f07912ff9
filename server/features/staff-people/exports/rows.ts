import type { ExportColumn } from '#contract/staff/exports.ts';
import { exportColumns, exportFieldOf, exportLabelOf, isCareerColumn } from '#contract/staff/people-values.ts';
import { helpLabels, workFields } from '#contract/career-values.ts';
import type { Career } from '#contract/careers.ts';
import { type CareerExportColumn, readField } from '#contract/profile-fields.ts';
import type { Profile } from '#contract/profile.ts';
import { countryName } from '#contract/country-name.ts';
import { formatCsvRow } from '#server/platform/storage/csv.ts';

export const headingOf = (column: ExportColumn): string =>
  column === 'birthday' ? 'Birthday (month-day)' : exportLabelOf(column);

const readColumn = (profile: Profile, column: ExportColumn) =>
  column === 'email'
    ? profile.email
    : isCareerColumn(column)
      ? readCareerColumn(profile.career, column)
      : readField(profile, exportFieldOf(column));

function readCareerColumn({ positions, city, country, helps }: Career = {}, column: CareerExportColumn) {
  const current = positions?.find(({ to }) => to === null);
  const columns: Record<CareerExportColumn, string | undefined> = {
    role: current?.role,
    employer: current?.employer,
    'work-field': current?.field ? workFields[current.field] : undefined,
    city,
    country: country === undefined ? undefined : countryName(country),
    helps: helps?.map((help) => helpLabels[help]).join(', '),
  };
  return columns[column];
}

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
