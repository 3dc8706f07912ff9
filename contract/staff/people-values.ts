import {
  type CareerExportColumn,
  type ExportColumn,
  type FormField,
  type ProfileTopic,
  careerExportLabels,
  formFields,
  profileRows,
  shortLabelOf,
  staffExportOf,
} from '../profile-fields.ts';

export type { ExportColumn } from '../profile-fields.ts';

/* A separate module, so that the staff console does not load the schemas of these endpoints. */

/** States of an account. An account can have several of them at once. */
export const personStates = [
  'unverified',
  'no-profile',
  'unconfirmed',
  'confirmed',
  'disputed',
  'rejected',
  'suspended',
  'hidden',
  'deletion-requested',
] as const;

export const disclosureReasons = ['asked-for-help', 'claim-or-dispute', 'report', 'legal-request', 'other'] as const;

/** Minutes for which a disclosure shows the details to the member of staff who gave the reason. */
export const disclosureMinutes = 15;

const exportsOf = (topic: ProfileTopic): ExportColumn[] =>
  formFields.flatMap((field) => (profileRows[field].topic === topic ? (staffExportOf(field) ?? []) : []));

/** Columns that an export can have, in their order in the file. A cell is empty if members do not see the value. */
export const exportColumns: readonly ExportColumn[] = [
  ...exportsOf('personal'),
  ...exportsOf('academic'),
  'email',
  ...exportsOf('contact'),
  ...exportsOf('about'),
  ...exportsOf('social'),
  ...(Object.keys(careerExportLabels) as CareerExportColumn[]),
];

export const isCareerColumn = (column: ExportColumn): column is CareerExportColumn => column in careerExportLabels;

export const exportFieldOf = (column: Exclude<ExportColumn, 'email' | CareerExportColumn>): FormField =>
  formFields.find((field) => staffExportOf(field) === column) as FormField;

export const exportLabelOf = (column: ExportColumn): string =>
  column === 'email'
    ? 'Email'
    : isCareerColumn(column)
      ? careerExportLabels[column]
      : shortLabelOf(exportFieldOf(column));

export const exportFileHours = 24;

/** In days. */
export const suspensionLengths = [7, 30, 365] as const;

/** Days until an account is deleted that staff delete on request. Until then, its mailbox can cancel the deletion. */
export const deletionGraceDays = 30;

export const clearanceReasons = ['saw-person', 'saw-document', 'recorded-by-mistake'] as const;
export type ClearanceReason = (typeof clearanceReasons)[number];
