import type { ExportColumn } from '#contract/staff-exports.ts';
import { exportColumns } from '#contract/staff-people-values.ts';
import type { Profile } from '#contract/profile.ts';
import { formatCsvRow } from '../../../platform/storage/csv.ts';

/** Heading of each column, and its value in a profile as members see it. */
const columns: Readonly<
  Record<ExportColumn, readonly [heading: string, read: (profile: Profile) => string | number | undefined]>
> = {
  'first-name': ['First name', ({ name }) => name.first],
  'middle-name': ['Middle name', ({ name }) => name.middle],
  'last-name': ['Last name', ({ name }) => name.last],
  'other-names': ['Other names', ({ name }) => name.other],
  title: ['Title', ({ title }) => title],
  college: ['College', ({ academic }) => academic.college],
  department: ['Department', ({ academic }) => academic.department],
  program: ['Program', ({ academic }) => academic.program],
  'year-admitted': ['Year admitted', ({ academic }) => academic.year.admitted],
  'year-graduated': ['Year graduated', ({ academic }) => academic.year.graduated],
  'matric-number': ['Matric number', ({ academic }) => academic.matricNumber],
  email: ['Email', ({ email }) => email],
  'contact-number': ['Contact number', ({ contactNumber }) => contactNumber],
  'home-address': ['Home address', ({ homeAddress }) => homeAddress],
  gender: ['Gender', ({ gender }) => gender],
  birthday: ['Birthday (month-day)', ({ dob }) => dob],
  interest: ['Interest', ({ interest }) => interest],
  bio: ['Short bio', ({ bio }) => bio],
  x: ['X', ({ social }) => social.x],
  facebook: ['Facebook', ({ social }) => social.facebook],
  linkedin: ['LinkedIn', ({ social }) => social.linkedin],
};

/** Returns the heading of a column. */
export const headingOf = (column: ExportColumn): string => columns[column][0];

/** Returns the chosen columns in the order of the file, each once. */
export const inFileOrder = (chosen: readonly ExportColumn[]): ExportColumn[] =>
  exportColumns.filter((column) => chosen.includes(column));

/** Returns the first two lines: which export this is, and the headings. */
export const formatHead = (exportId: string, institution: string, chosen: readonly ExportColumn[]): string =>
  formatCsvRow([
    `Export ${exportId} of the alumni archive of ${institution}. Personal data: for the work of the alumni office only. Delete it after use.`,
  ]) + formatCsvRow(chosen.map(headingOf));

/** Returns the line of a person. @param profile as members see it */
export const formatPerson = (profile: Profile, chosen: readonly ExportColumn[]): string =>
  formatCsvRow(chosen.map((column) => columns[column][1](profile) ?? ''));
