/* A separate module, so that pages do not load the schemas of the endpoints. */

/** `uploaded`: the file is stored. `checked`: compared with the roster. Both are open; at most one import is. */
export const importStates = ['uploaded', 'checked', 'applied', 'undone', 'cancelled'] as const;
export type ImportState = (typeof importStates)[number];

/** Steps of an import that take up to a minute. A job does them. */
export const importSteps = ['detect', 'check', 'apply', 'undo'] as const;
export type ImportStep = (typeof importSteps)[number];

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

/** Maximum size of an uploaded file in bytes. A list of 500,000 people has about 80 MB. */
export const maxRosterBytes = 100_000_000;
