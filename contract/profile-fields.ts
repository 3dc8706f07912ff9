import { fieldLengths } from './field-lengths.ts';

/*
 * All fields of the profile, in the order of the form. A separate module without schemas, so that pages which only show
 * a profile do not load them. To add an optional text, add a row with `isExtra`, a column (migration) and its key in
 * `Profile` and `ProfileDocument` (profile.ts).
 */

/** Audiences of a field, from the widest to the narrowest. */
export const audiences = ['everyone', 'members', 'me'] as const;
export type Audience = (typeof audiences)[number];

export interface AudienceRule {
  readonly default: Audience;
  readonly widest: Audience;
}

export const forAll: AudienceRule = { default: 'everyone', widest: 'everyone' };
const forMembers: AudienceRule = { default: 'members', widest: 'everyone' };
export const neverForGuests: AudienceRule = { default: 'members', widest: 'members' };

export type ProfileTopic = 'personal' | 'academic' | 'contact' | 'about' | 'social';

/** What a field contains. `name` is a line without web and email addresses; `prose` has several lines. */
type FieldKind = 'name' | 'line' | 'prose' | 'handle' | 'choice' | 'year' | 'date' | 'picture';

interface FieldRow {
  readonly kind: FieldKind;
  /** Column of the table `profiles`. */
  readonly column: string;
  /** Keys in the profile document (specification, section 3). */
  readonly path: readonly [string, ...string[]];
  readonly label: string;
  readonly shortLabel?: string;
  readonly step: 1 | 2 | 3 | 4 | 5;
  readonly topic: ProfileTopic;
  /** Maximum length of texts in code points. */
  readonly max?: number;
  /** Who sees the field: its rule, or the field of the privacy settings that it belongs to. */
  readonly audience: AudienceRule | 'name' | 'picture';
  /** Whether `noneValue` in this field means that the person has no such text. */
  readonly hidesNone?: true;
  /** Name of the column in the CSV export of staff. Without it, the field is not in that export. */
  readonly staffExport?: string;
  /** An optional text that the specification does not have: the settings show it, the onboarding does not. */
  readonly isExtra?: true;
  readonly hint?: string;
}

const { nameMax, lineMax, addressMax, interestMax, bioMax, fullBioMax } = fieldLengths;

const table = {
  title: {
    kind: 'choice',
    column: 'title',
    path: ['title'],
    label: 'Title',
    step: 1,
    topic: 'personal',
    audience: forMembers,
    staffExport: 'title',
  },
  firstName: {
    kind: 'name',
    column: 'first_name',
    path: ['name', 'first'],
    label: 'First name',
    step: 1,
    topic: 'personal',
    max: nameMax,
    audience: 'name',
    staffExport: 'first-name',
  },
  middleName: {
    kind: 'name',
    column: 'middle_name',
    path: ['name', 'middle'],
    label: 'Middle name',
    step: 1,
    topic: 'personal',
    max: nameMax,
    audience: 'name',
    hidesNone: true,
    staffExport: 'middle-name',
  },
  lastName: {
    kind: 'name',
    column: 'last_name',
    path: ['name', 'last'],
    label: 'Last name',
    step: 1,
    topic: 'personal',
    max: nameMax,
    audience: 'name',
    staffExport: 'last-name',
  },
  otherNames: {
    kind: 'name',
    column: 'other_names',
    path: ['name', 'other'],
    label: 'Other names',
    step: 1,
    topic: 'personal',
    max: lineMax,
    audience: forMembers,
    hidesNone: true,
    staffExport: 'other-names',
    isExtra: true,
    hint: 'Optional. Former names and nicknames that people can find you by.',
  },
  contactNumber: {
    kind: 'line',
    column: 'contact_number',
    path: ['contactNumber'],
    label: 'Contact number',
    step: 2,
    topic: 'contact',
    max: lineMax,
    audience: neverForGuests,
    hidesNone: true,
    staffExport: 'contact-number',
  },
  dob: {
    kind: 'date',
    column: 'dob',
    path: ['dob'],
    label: 'Date of birth',
    shortLabel: 'Birthday',
    step: 2,
    topic: 'personal',
    audience: neverForGuests,
    staffExport: 'birthday',
  },
  gender: {
    kind: 'choice',
    column: 'gender',
    path: ['gender'],
    label: 'Gender',
    step: 2,
    topic: 'personal',
    audience: forMembers,
    staffExport: 'gender',
  },
  homeAddress: {
    kind: 'prose',
    column: 'home_address',
    path: ['homeAddress'],
    label: 'Home address',
    step: 2,
    topic: 'contact',
    max: addressMax,
    audience: neverForGuests,
    hidesNone: true,
    staffExport: 'home-address',
  },
  matricNumber: {
    kind: 'line',
    column: 'matric_number',
    path: ['academic', 'matricNumber'],
    label: 'Matric number',
    step: 3,
    topic: 'academic',
    max: nameMax,
    audience: neverForGuests,
    hidesNone: true,
    staffExport: 'matric-number',
  },
  college: {
    kind: 'choice',
    column: 'college',
    path: ['academic', 'college'],
    label: 'College',
    step: 3,
    topic: 'academic',
    audience: forMembers,
    staffExport: 'college',
  },
  department: {
    kind: 'name',
    column: 'department',
    path: ['academic', 'department'],
    label: 'Department',
    step: 3,
    topic: 'academic',
    max: lineMax,
    audience: forAll,
    staffExport: 'department',
  },
  program: {
    kind: 'choice',
    column: 'program',
    path: ['academic', 'program'],
    label: 'Program',
    step: 3,
    topic: 'academic',
    audience: forAll,
    staffExport: 'program',
  },
  yearAdmitted: {
    kind: 'year',
    column: 'year_admitted',
    path: ['academic', 'year', 'admitted'],
    label: 'Year admitted',
    step: 3,
    topic: 'academic',
    audience: forAll,
    staffExport: 'year-admitted',
  },
  yearGraduated: {
    kind: 'year',
    column: 'year_graduated',
    path: ['academic', 'year', 'graduated'],
    label: 'Year graduated',
    step: 3,
    topic: 'academic',
    audience: forAll,
    staffExport: 'year-graduated',
  },
  interest: {
    kind: 'name',
    column: 'interest',
    path: ['interest'],
    label: 'Interest',
    step: 4,
    topic: 'about',
    max: interestMax,
    audience: forAll,
    hidesNone: true,
    staffExport: 'interest',
  },
  bio: {
    kind: 'line',
    column: 'bio',
    path: ['bio'],
    label: 'Short bio',
    step: 4,
    topic: 'about',
    max: bioMax,
    audience: forAll,
    hidesNone: true,
    staffExport: 'bio',
  },
  fullBio: {
    kind: 'prose',
    column: 'full_bio',
    path: ['fullBio'],
    label: 'Full bio',
    step: 4,
    topic: 'about',
    max: fullBioMax,
    audience: forMembers,
    hidesNone: true,
  },
  xHandle: {
    kind: 'handle',
    column: 'x_handle',
    path: ['social', 'x'],
    label: 'X handle',
    shortLabel: 'X',
    step: 4,
    topic: 'social',
    audience: forMembers,
    hidesNone: true,
    staffExport: 'x',
  },
  facebookName: {
    kind: 'handle',
    column: 'facebook_name',
    path: ['social', 'facebook'],
    label: 'Facebook name',
    shortLabel: 'Facebook',
    step: 4,
    topic: 'social',
    audience: forMembers,
    hidesNone: true,
    staffExport: 'facebook',
  },
  linkedinName: {
    kind: 'handle',
    column: 'linkedin_name',
    path: ['social', 'linkedin'],
    label: 'LinkedIn name',
    shortLabel: 'LinkedIn',
    step: 4,
    topic: 'social',
    audience: forMembers,
    hidesNone: true,
    staffExport: 'linkedin',
  },
  imgURL: {
    kind: 'picture',
    column: 'picture',
    path: ['imgURL'],
    label: 'Profile picture',
    step: 5,
    topic: 'personal',
    audience: 'picture',
  },
} as const satisfies Record<string, FieldRow>;

/** Fields of the career form (careers.ts). The onboarding does not have them. */
const careerTable = {
  positions: { label: 'Work', audience: neverForGuests },
  city: { label: 'City', audience: forMembers },
  country: { label: 'Country', audience: forMembers },
  helps: { label: 'Willing to help with', audience: neverForGuests },
} as const satisfies Record<string, CareerRow>;

interface CareerRow {
  readonly label: string;
  readonly audience: AudienceRule;
}

export type CareerField = keyof typeof careerTable;
export const careerRows: Readonly<Record<CareerField, CareerRow>> = careerTable;
export const careerFields = Object.keys(careerTable) as CareerField[];

export type FormField = keyof typeof table;
export const profileRows: Readonly<Record<FormField, FieldRow>> = table;
export const formFields = Object.keys(table) as FormField[];

type FieldWhere<Condition> = {
  [Field in FormField]: (typeof table)[Field] extends Condition ? Field : never;
}[FormField];

export type ExtraField = FieldWhere<{ isExtra: true }>;
export const extraFields = formFields.filter((field): field is ExtraField => profileRows[field].isExtra === true);

/** Fields with a column of text or a number. The picture is a file. */
type ColumnField = Exclude<FormField, 'imgURL'>;
export const columnFields = formFields.filter((field): field is ColumnField => field !== 'imgURL');

export type ProfileColumns = {
  [Field in ColumnField as (typeof table)[Field]['column']]: (typeof table)[Field]['kind'] extends 'year'
    ? number
    : string;
};

/** Columns of the career form in an export of staff. */
export const careerExportLabels = {
  role: 'Role',
  employer: 'Employer',
  'work-field': 'Field of work',
  city: 'City',
  country: 'Country',
  helps: 'Willing to help with',
} as const;
export type CareerExportColumn = keyof typeof careerExportLabels;

export type ExportColumn =
  | 'email'
  | CareerExportColumn
  | Extract<(typeof table)[FormField], { staffExport: string }>['staffExport'];

export const staffExportOf = (field: FormField): ExportColumn | undefined => {
  const row = table[field];
  return 'staffExport' in row ? row.staffExport : undefined;
};

export const fieldLabelOf = (field: FormField | CareerField): string =>
  (field in careerTable ? careerRows[field as CareerField] : profileRows[field as FormField]).label;

export const shortLabelOf = (field: FormField): string => profileRows[field].shortLabel ?? profileRows[field].label;

type Nested = { [key: string]: unknown };

/** Returns the value of a field in a profile document. Undefined: absent. */
export const readField = (document: object, field: FormField): string | number | null | undefined =>
  profileRows[field].path.reduce<unknown>((at, key) => (at as Nested | undefined)?.[key], document) as
    | string
    | number
    | null
    | undefined;

export const readExtra = (document: object, field: ExtraField): string | undefined =>
  readField(document, field) as string | undefined;
