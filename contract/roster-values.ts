/* A separate module, so that pages do not load the schemas of the endpoints. */

/** `uploaded`: the file is stored. `checked`: compared with the roster. Both are open; at most one import is. */
export const importStates = ['uploaded', 'checked', 'applied', 'undone', 'cancelled'] as const;
export type ImportState = (typeof importStates)[number];

export const importSteps = ['detect', 'check', 'apply', 'undo'] as const;
export type ImportStep = (typeof importSteps)[number];

export const changeKinds = ['changed', 'new', 'missing'] as const;
export type ChangeKind = (typeof changeKinds)[number];

export const changeKindNames: Record<ChangeKind, string> = { changed: 'Changed', new: 'New', missing: 'Missing' };

/** A sheet of a workbook. `headings`: empty if none were found. */
export interface Sheet {
  readonly name: string;
  readonly headings: readonly string[];
}

export const foldHeading = (heading: string): string => heading.toLowerCase();

/** Returns why the rows of two sheets cannot be imported together. Null if their headings agree, in any order. */
export function describeDifference(first: Sheet, other: Sheet): string | null {
  const listMissing = (from: Sheet, to: Sheet) => {
    const there = new Set(to.headings.map(foldHeading));
    return from.headings.filter((heading) => !there.has(foldHeading(heading))).map((heading) => `“${heading}”`);
  };
  const [without, added] = [listMissing(first, other), listMissing(other, first)];
  if (without.length + added.length === 0) return null;
  const differences = [
    ...(without.length > 0 ? [`without ${without.join(', ')}`] : []),
    ...(added.length > 0 ? [`with ${added.join(', ')}`] : []),
  ];
  return `The sheet “${other.name}” has other headings than “${first.name}”: ${differences.join(', ')}. The columns of an import are chosen once, so only one of these sheets can be taken. Import the other one afterwards.`;
}

/** Days after which open imports, and the lists of rows that were not imported, are deleted. */
export const importRetentionDays = 7;

/** Both years belong to it. */
export interface YearRange {
  readonly from: number;
  readonly to: number;
}

/** Fields whose blank cells can erase the stored value. Every entry needs a matric number and a name. */
export const erasableFields = [
  'otherNames',
  'gender',
  'birthDate',
  'college',
  'department',
  'program',
  'yearAdmitted',
  'yearGraduated',
  'email',
  'phone',
  'status',
  'isConfidential',
  'isDeceased',
  'diedOn',
] as const;

/** The fields that a column of a file can hold. `fullName` is split into the three names. */
export const importFields = ['matricNumber', 'lastName', 'firstName', 'fullName', ...erasableFields] as const;
export type ImportField = (typeof importFields)[number];

/** The order is that of the choices. */
export const fieldNames: Record<ImportField, string> = {
  matricNumber: 'Matric number',
  fullName: 'Full name',
  lastName: 'Last name',
  firstName: 'First name',
  otherNames: 'Other names',
  gender: 'Gender',
  birthDate: 'Date of birth',
  college: 'College',
  department: 'Department',
  program: 'Program',
  yearAdmitted: 'Year admitted',
  yearGraduated: 'Year graduated',
  email: 'Email address',
  phone: 'Phone number',
  status: 'Status',
  isConfidential: 'Confidential',
  isDeceased: 'Deceased',
  diedOn: 'Date of death',
};

/** Maximum size of an uploaded file in bytes. A list of 500,000 people has about 80 MB. */
export const maxRosterBytes = 100_000_000;
