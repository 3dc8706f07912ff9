import * as z from 'zod/mini';
import { hasAddress } from './addresses.ts';
import { hasReachedAge } from './age.ts';
import { Career } from './careers.ts';
import { defineEndpoints } from './endpoint.ts';
import { Id, PictureData, calendarDay, handle, line, prose } from './fields.ts';
import type { InstitutionFacts } from './institution.ts';
import { fieldLengths } from './field-lengths.ts';
import { maxPictureBodyBytes, maxPictureChars } from './upload-limits.ts';
import { texts } from './texts.ts';
import { type ExtraField, type FormField, extraFields, formFields, profileRows, readField } from './profile-fields.ts';
import { audiences, profileFields } from './visibility.ts';

export { type FormField, formFields } from './profile-fields.ts';

export const genders = ['male', 'female'] as const;

const optional = z.optional(z.string());

/**
 * The profile document as the API returns it: the stored shape (specification, section 3) without the fields that the
 * caller may not see. A hidden field is absent, like an empty one.
 */
export const Profile = z.object({
  id: Id,
  imgURL: z.nullable(z.string()),
  name: z.object({
    first: z.string(),
    middle: z.string(),
    last: z.string(),
    /** Former names and nicknames. The specification does not have this field. Absent when empty. */
    other: optional,
  }),
  title: optional,
  /**
   * `YYYY-MM-DD` for the owner. Others receive `MM-DD`: profiles show only day and month, so the server never sends the
   * year to other people.
   */
  dob: optional,
  gender: optional,
  homeAddress: optional,
  contactNumber: optional,
  email: optional,
  academic: z.object({
    matricNumber: optional,
    college: optional,
    department: optional,
    program: optional,
    year: z.object({ admitted: z.optional(z.int()), graduated: z.optional(z.int()) }),
  }),
  interest: optional,
  bio: optional,
  fullBio: optional,
  social: z.object({ x: optional, facebook: optional, linkedin: optional }),
  /** Absent if the caller sees none of its fields. */
  career: z.optional(Career),
  schoolLabel: z.string(),
  label: z.literal('Alum'),
  isIndexed: z.optional(z.literal(true)),
});
export type Profile = z.infer<typeof Profile>;

const VisibilityChoices = z.partialRecord(z.enum(profileFields as [string, ...string[]]), z.enum(audiences));

const privacy = { visibility: VisibilityChoices, isHidden: z.boolean(), isIndexed: z.boolean() };

/** Number of saves of a profile. Saves of its fields and of its privacy settings both count. */
const Version = z.int().check(z.minimum(1));

/**
 * The version that a write is based on. The write fails with `profile-changed` if the stored version differs. `any`
 * skips this check, like `If-Match: *`; pages never send it.
 */
const BaseVersion = z.union([Version, z.literal('any')]);

const Privacy = z.object({
  ...privacy,
  version: Version,
  /** True below the institution's `adultAge`. Then only members see the profile, regardless of `visibility`. */
  isMinor: z.boolean(),
});

/**
 * The document as the owner saves it: the same shape, with all fields. `imgURL` is a data URL for a new picture, the
 * current URL to keep the picture, or null to remove it. `createProfileFormSchema` validates the values.
 */
export const ProfileDocument = z.strictObject({
  imgURL: z.nullable(z.string().check(z.maxLength(maxPictureChars))),
  name: z.strictObject({ first: z.string(), middle: z.string(), last: z.string(), other: optional }),
  title: z.string(),
  dob: z.string(),
  gender: z.string(),
  homeAddress: z.string(),
  contactNumber: z.string(),
  academic: z.strictObject({
    matricNumber: z.string(),
    college: z.string(),
    department: z.string(),
    program: z.string(),
    year: z.strictObject({ admitted: z.number(), graduated: z.number() }),
  }),
  interest: z.string(),
  bio: z.string(),
  fullBio: z.string(),
  social: z.strictObject({ x: z.string(), facebook: z.string(), linkedin: z.string() }),
  /** Audience of each field. Omitted fields keep their audience. */
  visibility: z.optional(VisibilityChoices),
  version: z.optional(BaseVersion),
});
export type ProfileDocument = z.infer<typeof ProfileDocument>;

export const toPointer = (field: FormField): string => `/${profileRows[field].path.join('/')}`;

export function toForm(document: object): Partial<Record<FormField, unknown>> {
  const form: Partial<Record<FormField, unknown>> = {};
  for (const field of formFields) {
    const value = readField(document, field);
    if (value !== undefined) form[field] = value;
  }
  return form;
}

export function toDocument(form: { readonly [Field in FormField]?: unknown }): ProfileDocument {
  const document: Nested = {};
  for (const field of formFields) {
    const { path } = profileRows[field];
    let place = document;
    for (const group of path.slice(0, -1)) place = (place[group] ??= {}) as Nested;
    if (form[field] !== undefined) place[path.at(-1) as string] = form[field];
  }
  return document as ProfileDocument;
}
type Nested = { [key: string]: unknown };

export const PictureValue = z.union(
  [PictureData, z.string().check(z.regex(/^\/media\/[\w-]+\/384\.webp$/u))],
  texts.empty,
);

const oneOf = (values: readonly string[]) => z.string().check(z.refine((value) => values.includes(value), texts.empty));

const lineWithoutAddress = (max: number) =>
  z.pipe(
    line(max),
    z.string().check(z.refine((text) => !hasAddress(text), 'Web and email addresses are not allowed here')),
  );

const year = ({ firstYear, lastYear }: InstitutionFacts) =>
  z.pipe(
    z.pipe(
      z.union([z.string(), z.number()], texts.empty),
      z.transform((value) => (/^\s*\d{4}\s*$/u.test(String(value)) ? Number(value) : Number.NaN)),
    ),
    z.number(texts.empty).check(z.minimum(firstYear, texts.empty), z.maximum(lastYear, texts.empty)),
  );

/**
 * Minimum age in years of a plausible date of birth. A later date is treated as a typing error, for example the current
 * year.
 */
const minPlausibleAgeYears = 10;

export const getMinAgeYears = ({ minimumAge }: Pick<InstitutionFacts, 'minimumAge'>): number =>
  Math.max(minPlausibleAgeYears, minimumAge);

const dateOfBirth = (facts: InstitutionFacts, storedDob: string | undefined) => {
  const isOldEnough = (age: number) => (dob: string) => dob === storedDob || hasReachedAge(dob, age, new Date());
  return calendarDay(texts.empty).check(
    z.refine(isOldEnough(minPlausibleAgeYears), {
      error: `Check the year. The date of birth must be at least ${minPlausibleAgeYears} years ago`,
      abort: true,
    }),
    z.refine(
      isOldEnough(getMinAgeYears(facts)),
      `You must be ${getMinAgeYears(facts)} or older to have a profile here`,
    ),
  );
};

const fieldsOfStep = (step: number): readonly FormField[] =>
  formFields.filter((field) => profileRows[field].step === step && !profileRows[field].isExtra);

export const onboardingSteps = [
  { heading: 'Basic Information', fields: fieldsOfStep(1) },
  { heading: 'Personal Information', fields: fieldsOfStep(2) },
  { heading: 'Academic Information', fields: fieldsOfStep(3) },
  { heading: 'Additional Information', fields: fieldsOfStep(4) },
  { heading: 'Profile Picture', fields: fieldsOfStep(5) },
] as const;

function text(field: FormField) {
  const { kind, max = fieldLengths.lineMax } = profileRows[field];
  if (kind === 'name') return lineWithoutAddress(max);
  if (kind === 'prose') return prose(max, field === 'fullBio' ? texts.empty : undefined);
  return kind === 'handle' ? handle : line(max);
}

const optionalText = (field: ExtraField) => z.optional(z.union([z.literal(''), text(field)]));
const extras = Object.fromEntries(extraFields.map((field) => [field, optionalText(field)])) as Record<
  ExtraField,
  ReturnType<typeof optionalText>
>;

/**
 * Returns the schema of the profile form for an institution. Invalid fields have the message "Field cannot be empty"
 * (specification, section 5). Rules that the specification does not have, such as the minimum age, have their own
 * messages.
 * @param storedDob the stored date of birth, which stays valid even if it breaks the age rule
 */
export function createProfileFormSchema(facts: InstitutionFacts, storedDob?: string) {
  const fields = z.object({
    title: oneOf(facts.titles),
    firstName: text('firstName'),
    middleName: text('middleName'),
    lastName: text('lastName'),
    contactNumber: text('contactNumber'),
    dob: dateOfBirth(facts, storedDob),
    gender: oneOf(genders),
    homeAddress: text('homeAddress'),
    matricNumber: text('matricNumber'),
    college: oneOf(facts.colleges.map(({ code }) => code)),
    department: text('department'),
    program: oneOf(facts.programs),
    yearAdmitted: year(facts),
    yearGraduated: year(facts),
    interest: text('interest'),
    bio: text('bio'),
    fullBio: text('fullBio'),
    xHandle: text('xHandle'),
    facebookName: text('facebookName'),
    linkedinName: text('linkedinName'),
    imgURL: z.nullable(PictureValue),
    ...extras,
  });
  return fields.check(
    z.refine<Pick<z.infer<typeof fields>, 'yearAdmitted' | 'yearGraduated'>>(
      (values) => values.yearGraduated >= values.yearAdmitted,
      {
        error: 'The year of graduation cannot be before the year of admission',
        path: ['yearGraduated'],
        when: ({ issues }) => !issues.some(({ path }) => path?.[0] === 'yearAdmitted' || path?.[0] === 'yearGraduated'),
      },
    ),
  );
}
export type ProfileForm = z.infer<ReturnType<typeof createProfileFormSchema>>;

export const profileEndpoints = defineEndpoints({
  'GET /api/users/{id}': {
    summary: 'Get a profile, with the fields that the caller may see',
    access: 'everyone',
    params: z.strictObject({ id: Id }),
    /** Shows the owner what this audience sees. Ignored for other callers. */
    query: z.strictObject({ as: z.optional(z.enum(audiences)) }),
    response: Profile,
    problems: ['not-found', 'too-many-requests'],
  },
  'GET /api/users/{id}/document': {
    summary: 'Get the caller’s own profile document, with the audience of each field',
    access: 'session',
    params: z.strictObject({ id: Id }),
    response: z.object({
      profile: Profile,
      visibility: VisibilityChoices,
      version: Version,
      /** Values pending review by the alumni office; the profile has the confirmed ones. Null if none are pending. */
      waiting: z.nullable(z.array(z.string())),
    }),
    problems: ['permission-denied', 'not-found'],
  },
  'GET /api/users/{id}/unfinished': {
    summary: 'Get the imported fields of the caller’s incomplete profile; empty if there is none',
    access: 'session',
    params: z.strictObject({ id: Id }),
    response: z.object({ fields: z.record(z.string(), z.string()) }),
    problems: ['permission-denied'],
  },
  'GET /api/users/{id}/privacy': {
    summary: 'Get the caller’s privacy settings',
    access: 'session',
    params: z.strictObject({ id: Id }),
    response: Privacy,
    problems: ['permission-denied', 'not-found'],
  },
  'PUT /api/users/{id}/privacy': {
    summary: 'Change the caller’s privacy settings. Omitted settings stay unchanged',
    access: 'verified',
    params: z.strictObject({ id: Id }),
    body: z.extend(z.partial(z.strictObject(privacy)), { version: BaseVersion }),
    response: Privacy,
    problems: ['permission-denied', 'not-found', 'profile-changed', 'insufficient-storage'],
  },
  'PUT /api/users/{id}': {
    summary: 'Create or overwrite the caller’s profile document. Sets the display name',
    access: 'verified',
    params: z.strictObject({ id: Id }),
    body: ProfileDocument,
    maxBodyBytes: maxPictureBodyBytes,
    response: z.extend(Profile, { version: Version }),
    problems: ['permission-denied', 'profile-changed', 'validation-failed', 'not-an-image', 'insufficient-storage'],
  },
});
