import * as z from 'zod/mini';
import { hasAddress } from './addresses.ts';
import { activityNames, helpKinds, maxPositions, workFieldNames } from './career-values.ts';
import { Card, filters } from './directory.ts';
import { defineEndpoints } from './endpoint.ts';
import { fieldLengths } from './field-lengths.ts';
import { Id, line, orEmpty } from './fields.ts';
import { earliestYear, maxLineLength } from './filter-limits.ts';
import { audiences } from './profile-fields.ts';
import { texts } from './texts.ts';

const noAddress = 'Web and email addresses are not allowed here';
const optionalLine = (isAllowed: (text: string) => boolean) =>
  orEmpty(z.pipe(line(fieldLengths.nameMax), z.string().check(z.refine(isAllowed, noAddress))));
const withoutAddress = (text: string) => !hasAddress(text);

/** Some employers are named like a host: "Booking.com". */
const isEmployerName = (text: string) => withoutAddress(text.replace(/^[\p{L}\p{N}-]+\.\p{L}{2,24}(?=\s|$)/u, ''));

const Year = z.nullable(
  z.int().check(
    z.minimum(earliestYear, 'Use a year with four digits'),
    z.refine((year) => year <= new Date().getUTCFullYear(), 'The year cannot be in the future'),
  ),
);

const WorkFieldName = z.enum(workFieldNames, texts.empty);
const Country = z.string().check(z.regex(/^[A-Z]{2}$/, 'Choose a country from the list'));

const fieldAndYears = { field: z.nullable(WorkFieldName), from: Year, to: Year };

/** Texts are empty and years are null if the person gave none. A position without an end is current. */
const Position = z.object({
  role: z.string(),
  employer: z.string(),
  ...fieldAndYears,
  /** Day of the last confirmation by the owner. Null: imported, so only the owner sees the position. */
  confirmedOn: z.nullable(z.string()),
});
export type Position = z.infer<typeof Position>;

const PositionInput = z
  .strictObject({ role: optionalLine(withoutAddress), employer: optionalLine(isEmployerName), ...fieldAndYears })
  .check(
    z.refine(({ role, employer }) => role !== '' || employer !== '', {
      error: 'Enter a role or an employer',
      path: ['role'],
    }),
    z.refine(({ from, to }) => from === null || to === null || from <= to, {
      error: 'The end cannot be before the start',
      path: ['to'],
    }),
  );
export type PositionInput = z.infer<typeof PositionInput>;

const Helps = z.array(z.enum(helpKinds)).check(z.maxLength(helpKinds.length));

/** Work, place and help offers on a profile. Fields that the caller may not see are absent, like empty ones. */
export const Career = z.object({
  /** Current positions first, in the owner's order, then the others, the latest start first. */
  positions: z.optional(z.array(Position)),
  city: z.optional(z.string()),
  /** ISO 3166-1 alpha-2. */
  country: z.optional(z.string()),
  /** Absent while the person accepts no messages. */
  helps: z.optional(Helps),
});
export type Career = z.infer<typeof Career>;

const TracerAnswer = z.strictObject({
  activity: z.enum(activityNames),
  /** Whether the work is in the field that the person studied. Null if not answered, or without work. */
  inField: z.nullable(z.boolean()),
});
export type TracerAnswer = z.infer<typeof TracerAnswer>;

const CareerAudiences = z.partialRecord(z.enum(['positions', 'city', 'country', 'helps']), z.enum(audiences));

export const CareerDocument = z.strictObject({
  positions: z.array(PositionInput).check(z.maxLength(maxPositions, `Enter at most ${maxPositions} positions`)),
  city: optionalLine(withoutAddress),
  /** Id of the city in the list of cities. Null for a city that is not in it. */
  cityId: z.nullable(z.int()),
  country: orEmpty(Country),
  helps: Helps,
  /** Omitted fields keep their audience. */
  visibility: z.optional(CareerAudiences),
  /** Omitted: the stored answer stays. Null deletes it. */
  tracer: z.optional(z.nullable(TracerAnswer)),
  /** Number of saves of the profile that this write is based on; see `PUT /api/users/{id}`. */
  version: z.union([z.int().check(z.minimum(1)), z.literal('any')]),
});
export type CareerDocument = z.infer<typeof CareerDocument>;

export const OwnCareer = z.object({
  positions: z.array(Position),
  city: z.string(),
  cityId: z.nullable(z.int()),
  country: z.string(),
  /** False for an imported city and country, which only the owner sees until a save. */
  isPlaceConfirmed: z.boolean(),
  helps: Helps,
  visibility: CareerAudiences,
  /** Null if there is no answer, or the institution has no tracer report. */
  tracer: z.nullable(TracerAnswer),
  hasTracer: z.boolean(),
  /**
   * Whether the form is shown on the caller’s profile: until it is saved or while a position is not confirmed, but not
   * in the 90 days after it was dismissed.
   */
  isAsked: z.boolean(),
  takesMessages: z.boolean(),
  version: z.int(),
});
export type OwnCareer = z.infer<typeof OwnCareer>;

const text = z.string().check(z.minLength(1), z.maxLength(maxLineLength));

const Scope = z.strictObject({
  department: filters.department,
  graduatedFrom: filters.graduatedFrom,
  graduatedTo: filters.graduatedTo,
});

export const CareerFilters = z.extend(Scope, {
  employer: z.optional(text),
  field: z.optional(WorkFieldName),
  /** Id of an area: its largest city. */
  area: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(2_147_483_647))),
  country: z.optional(Country),
  help: z.optional(z.enum(helpKinds)),
  /** Beginning of the last name. */
  name: z.optional(text),
});
export type CareerFilters = z.infer<typeof CareerFilters>;

export const CareerCard = z.extend(Card, {
  role: z.optional(z.string()),
  employer: z.optional(z.string()),
  city: z.optional(z.string()),
  country: z.optional(z.string()),
});
export type CareerCard = z.infer<typeof CareerCard>;

/** An employer. Several spellings can have one key; staff merge others. */
export const Employer = z.object({ key: z.string(), name: z.string(), people: z.int() });
export type Employer = z.infer<typeof Employer>;

/** A city and the smaller ones of its country within 30 km. `x` and `y` are map units: three per degree. */
export const Area = z.object({
  id: z.int(),
  name: z.string(),
  country: z.string(),
  x: z.number(),
  y: z.number(),
  people: z.int(),
});
export type Area = z.infer<typeof Area>;

export const CareersOverview = z.object({
  /** Most people first: at most 60. */
  areas: z.array(Area),
  /** `elsewhere`: people in the country who are in none of the listed areas. */
  countries: z.array(z.object({ country: z.string(), people: z.int(), elsewhere: z.int() })),
  /** Only for members, like the employers. Most people first. */
  fields: z.array(z.object({ field: WorkFieldName, people: z.int() })),
  /** At most 24, most people first. */
  employers: z.array(Employer),
});
export type CareersOverview = z.infer<typeof CareersOverview>;

const City = z.object({ id: z.int(), name: z.string(), country: z.string(), area: z.nullable(z.string()) });
export type City = z.infer<typeof City>;

export const careerEndpoints = defineEndpoints({
  'GET /api/users/{id}/career': {
    summary: 'Get the caller’s own work, place, help offers and tracer answer',
    access: 'onboarded',
    params: z.strictObject({ id: Id }),
    response: OwnCareer,
    problems: ['permission-denied', 'not-found'],
  },
  'PUT /api/users/{id}/career': {
    summary: 'Save the caller’s work, place and help offers. Confirms the positions',
    access: 'onboarded',
    params: z.strictObject({ id: Id }),
    body: CareerDocument,
    response: OwnCareer,
    problems: ['permission-denied', 'not-found', 'profile-changed', 'insufficient-storage', 'validation-failed'],
  },
  'POST /api/users/{id}/career/dismissal': {
    summary: 'Hide the question about work and place on the caller’s profile for 90 days',
    access: 'onboarded',
    params: z.strictObject({ id: Id }),
    problems: ['permission-denied', 'not-found'],
  },
  'GET /api/careers': {
    summary: 'List people by last name who show work, a place or help offers, 24 at a time',
    access: 'member',
    query: z.extend(CareerFilters, { after: z.optional(z.string().check(z.maxLength(600))) }),
    response: z.object({
      items: z.array(CareerCard),
      /** Cursor: send it as `after` to get the next page. Null on the last page. */
      next: z.nullable(z.string()),
      /** Number of people, at most 10,000. Null on later pages. */
      count: z.nullable(z.int()),
      /** Whether more than `count` people match. */
      isAtLeast: z.boolean(),
      /** The employer of the filter. Null without that filter, or if no one shows it. */
      employer: z.nullable(Employer),
    }),
    problems: ['too-many-requests'],
  },
  'GET /api/careers/overview': {
    summary:
      'Count people by place and, for members, by field of work and employer. The filters limit the counts to a department or a class. Guests cannot use them, and see no place with fewer than 5 people',
    access: 'everyone',
    query: Scope,
    response: CareersOverview,
    problems: ['permission-denied', 'too-many-requests'],
  },
  'GET /api/employers': {
    summary: 'Suggest employers whose words begin with a text, most people first',
    access: 'member',
    query: z.strictObject({ q: text }),
    response: z.object({ employers: z.array(Employer) }),
    problems: ['too-many-requests'],
  },
  'GET /api/places': {
    summary: 'Suggest cities whose words begin with a text, largest first',
    access: 'onboarded',
    query: z.strictObject({ q: text, country: z.optional(Country) }),
    response: z.object({ cities: z.array(City) }),
    problems: ['too-many-requests'],
  },
});
