import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Id } from './fields.ts';
import { earliestYear, maxLineLength } from './filter-limits.ts';
import { cardsPerPage, maxCardsPerPage } from './page-sizes.ts';
import { InstitutionFacts, PrivacyFacts } from './institution.ts';

/** The alumni card (specification, section 3). Fields that the caller may not see are absent. */
export const Card = z.object({
  id: Id,
  /** Path of the picture, 192 pixels wide. If null, the card shows the initials. */
  thumb: z.nullable(z.string()),
  name: z.string(),
  department: z.optional(z.string()),
  schoolLabel: z.string(),
  yearGraduated: z.optional(z.int()),
  /** The first 11 characters. Guests never receive it (D16 in docs/conformance.md). */
  matricNumber: z.optional(z.string()),
  label: z.literal('Alum'),
});
export type Card = z.infer<typeof Card>;

export const Face = z.pick(Card, { id: true, name: true, thumb: true });
export type Face = z.infer<typeof Face>;

const filterValue = z.optional(z.string().check(z.minLength(1), z.maxLength(maxLineLength)));
const yearBound = z.optional(z.coerce.number().check(z.int(), z.minimum(earliestYear), z.maximum(9999)));

export const filters = {
  college: filterValue,
  department: filterValue,
  program: filterValue,
  /** First and last year of graduation, inclusive. */
  graduatedFrom: yearBound,
  graduatedTo: yearBound,
};

export const DirectoryFilters = z.strictObject(filters);
export type DirectoryFilters = z.infer<typeof DirectoryFilters>;

const FacetValue = z.object({ value: z.string(), count: z.int() });

/** Number of people per year of graduation, counting only people whom the caller may see. */
const Years = z.array(z.object({ value: z.int(), count: z.int() }));

/**
 * Number of people per value of each field, counting only people whom the caller may see. Each list ignores the filter
 * on its own field.
 */
export const Facets = z.object({
  colleges: z.array(FacetValue),
  departments: z.array(FacetValue),
  programs: z.array(FacetValue),
  years: Years,
});
export type Facets = z.infer<typeof Facets>;

export const CardPage = z.object({
  items: z.array(Card),
  /** Cursor: send it as `after`, with the same `sort`, to get the next page. Null on the last page. */
  next: z.nullable(z.string()),
});
export type CardPage = z.infer<typeof CardPage>;

/**
 * Orders of the list. `name`: by last name. `newest`: by the time when people joined, the newest first; people who
 * joined within the last 24 hours are at the end. `class`: the newest class first, by last name within a class; people
 * without a visible year are at the end.
 */
export const directorySorts = ['name', 'newest', 'class'] as const;
export type DirectorySort = (typeof directorySorts)[number];

/** What the welcome page shows: only people and counts that everyone may see. */
export const Welcome = z.object({
  /** The newest members, those with a picture first. */
  faces: z.array(z.pick(Card, { id: true, name: true, thumb: true })),
  members: z.int(),
  departments: z.int(),
  years: Years,
});
export type Welcome = z.infer<typeof Welcome>;

export const directoryEndpoints = defineEndpoints({
  'GET /api/users': {
    summary: 'List cards by last name, newest or class, one page at a time',
    access: 'everyone',
    query: z.strictObject({
      ...filters,
      sort: z._default(z.enum(directorySorts), 'name'),
      /** With the order `class`: the class that comes before all others. */
      firstClass: yearBound,
      after: z.optional(z.string().check(z.maxLength(600))),
      limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(maxCardsPerPage)), cardsPerPage),
    }),
    response: CardPage,
    problems: ['too-many-requests'],
  },
  'GET /api/users/welcome': {
    summary: 'Get the newest faces and the counts of the welcome page, which are the same for every caller',
    access: 'everyone',
    response: Welcome,
  },
  'GET /api/users/count': {
    summary: 'Count the people who match the filters, and their departments',
    access: 'everyone',
    query: DirectoryFilters,
    response: z.object({ count: z.int(), departments: z.int() }),
  },
  'GET /api/users/facets': {
    summary: 'List the values to filter by, with the number of people for each',
    access: 'everyone',
    query: DirectoryFilters,
    response: Facets,
  },
  'GET /api/users/years': {
    summary: 'List the years of graduation with counts, for the list of years',
    access: 'everyone',
    query: DirectoryFilters,
    response: z.object({ years: Years }),
  },
  'GET /api/institution': {
    summary: 'Get the name, colleges, departments, programs, titles and years of the institution',
    access: 'everyone',
    response: InstitutionFacts,
  },
  'GET /api/institution/privacy': {
    summary: 'Get the facts for the privacy page: contacts, legal basis and retention periods',
    access: 'everyone',
    response: PrivacyFacts,
  },
});
