import * as z from 'zod/mini';
import { Area, CareerCard, Employer } from './careers.ts';
import { Card, Facets, filters } from './directory.ts';
import { defineEndpoints } from './endpoint.ts';
import { maxLineLength } from './filter-limits.ts';

const Match = z.object({
  field: z.enum(['name', 'otherNames', 'department', 'college', 'yearGraduated', 'matricNumber']),
  text: z.string(),
  /** Start and end of each part, in UTF-16 code units. */
  marks: z.array(z.tuple([z.int(), z.int()])),
});
export type Match = z.infer<typeof Match>;

const Hit = z.extend(Card, { matches: z.array(Match) });
export type Hit = z.infer<typeof Hit>;

const SearchCounts = z.object({
  count: z.int(),
  /** Whether more than `count` people match. */
  isAtLeast: z.boolean(),
  /**
   * Counts over all people who match the search. Each list ignores the filter on its own field. Null if too many match.
   */
  facets: z.nullable(Facets),
});
export type SearchCounts = z.infer<typeof SearchCounts>;

const CareerMatches = z.object({
  /** Whether the search text is the name of the first employer. */
  isExact: z.boolean(),
  /** At most 3. */
  employers: z.array(Employer),
  /** At most 2. */
  areas: z.array(Area),
  /** The first 12 people of the first employer, by last name. */
  people: z.array(CareerCard),
});
export type CareerMatches = z.infer<typeof CareerMatches>;

/** At most 48 people, best match first, and the counts of all. */
const SearchResults = z.extend(SearchCounts, { items: z.array(Hit) });
export type SearchResults = z.infer<typeof SearchResults>;

const q = z.string().check(z.minLength(1), z.maxLength(maxLineLength));
const query = z.strictObject({ q, ...filters });

export const searchEndpoints = defineEndpoints({
  'GET /api/search': {
    summary:
      'Search people by name, department, college, year or matric number, using only fields that the caller may see. Matches word prefixes and tolerates misspellings',
    access: 'everyone',
    query,
    response: SearchResults,
    problems: ['too-many-requests'],
  },
  'GET /api/search/facets': {
    summary: 'Count the people who match a search, when they are too many for the search itself: up to 20,000',
    access: 'everyone',
    query,
    response: SearchCounts,
    problems: ['too-many-requests'],
  },
  'GET /api/search/careers': {
    summary: 'Find employers and places by the beginnings of their words, and tolerate a misspelled employer',
    access: 'member',
    query: z.strictObject({ q }),
    response: CareerMatches,
    problems: ['too-many-requests'],
  },
});
