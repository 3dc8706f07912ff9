import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Id } from './fields.ts';
import { earliestYear, maxLineLength } from './filter-limits.ts';
import { cardsPerPage, maxCardsPerPage } from './page-sizes.ts';
import { InstitutionFacts, PrivacyFacts } from './institution.ts';

/** The alumni card of the specification's section 3; what the caller may not see is absent. */
export const Card = z.object({
  id: Id,
  /** Path of the picture at 192 px; null shows the initials. */
  thumb: z.nullable(z.string()),
  name: z.string(),
  department: z.optional(z.string()),
  schoolLabel: z.string(),
  yearGraduated: z.optional(z.int()),
  /** The first 11 characters; members only (decision 16). */
  matricNumber: z.optional(z.string()),
  label: z.literal('Alum'),
});
export type Card = z.infer<typeof Card>;

const filterValue = z.optional(z.string().check(z.minLength(1), z.maxLength(maxLineLength)));
const yearBound = z.optional(z.coerce.number().check(z.int(), z.minimum(earliestYear), z.maximum(9999)));

export const filters = {
  college: filterValue,
  department: filterValue,
  program: filterValue,
  /** First and last year of graduation, both included. */
  graduatedFrom: yearBound,
  graduatedTo: yearBound,
};

export const DirectoryFilters = z.strictObject(filters);
export type DirectoryFilters = z.infer<typeof DirectoryFilters>;

const FacetValue = z.object({ value: z.string(), count: z.int() });

/** How many of the people whom the caller may see graduated in each year. */
const Years = z.array(z.object({ value: z.int(), count: z.int() }));

/** How many of the people whom the caller may see have each value; each list ignores the filter on its own field. */
export const Facets = z.object({
  colleges: z.array(FacetValue),
  departments: z.array(FacetValue),
  programs: z.array(FacetValue),
  years: Years,
});
export type Facets = z.infer<typeof Facets>;

export const CardPage = z.object({
  items: z.array(Card),
  /** Hand it over as `after` to get the next page; null at the end. */
  next: z.nullable(z.string()),
});
export type CardPage = z.infer<typeof CardPage>;

export const directoryEndpoints = defineEndpoints({
  'GET /api/users': {
    summary: 'A page of cards by last name, as the caller may see them',
    query: z.strictObject({
      ...filters,
      after: z.optional(z.string().check(z.maxLength(600))),
      limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(maxCardsPerPage)), cardsPerPage),
    }),
    response: CardPage,
    problems: ['too-many-requests'],
  },
  'GET /api/users/newest': {
    summary: 'The people who joined last',
    response: z.object({ items: z.array(Card) }),
  },
  'GET /api/users/count': {
    summary: 'How many people match the filters, and in how many departments',
    query: DirectoryFilters,
    response: z.object({ count: z.int(), departments: z.int() }),
  },
  'GET /api/users/facets': {
    summary: 'The values that can be filtered by, with counts',
    query: DirectoryFilters,
    response: Facets,
  },
  'GET /api/users/years': {
    summary: 'The years of the facets alone, for the strip of bars above the list',
    query: DirectoryFilters,
    response: z.object({ years: Years }),
  },
  'GET /api/institution': {
    summary: 'Name, colleges, departments, programs, titles and years of this institution',
    response: InstitutionFacts,
  },
  'GET /api/institution/privacy': {
    summary: 'What the privacy page says of this institution, and how long data are kept',
    response: PrivacyFacts,
  },
});
