import * as z from 'zod/mini';
import { Card, Facets, filters } from './directory.ts';
import { defineEndpoints } from './endpoint.ts';
import { maxLineLength } from './filter-limits.ts';

/** What a person was found by: the text of one field, and the parts of it that answer what was typed. */
const Match = z.object({
  field: z.enum(['name', 'otherNames', 'department', 'college', 'yearGraduated', 'matricNumber']),
  text: z.string(),
  /** From and to, in UTF-16 code units of the text. */
  marks: z.array(z.tuple([z.int(), z.int()])),
});
export type Match = z.infer<typeof Match>;

/** A card, and why it is here. */
const Hit = z.extend(Card, { matches: z.array(Match) });
export type Hit = z.infer<typeof Hit>;

const SearchResults = z.object({
  /** The best ones first, at most 48. */
  items: z.array(Hit),
  /** How many people match, filters included. */
  count: z.int(),
  /** Whether there may be more than were counted: then every count says "at least". */
  isAtLeast: z.boolean(),
  /** Of those who match what was typed; each list ignores the filter on its own field. */
  facets: Facets,
});
export type SearchResults = z.infer<typeof SearchResults>;

export const searchEndpoints = defineEndpoints({
  'GET /api/search': {
    summary:
      'People by words of their names, department, college, year or matric number, as the caller may see them: beginnings are enough, slips are forgiven',
    query: z.strictObject({ q: z.string().check(z.minLength(1), z.maxLength(maxLineLength)), ...filters }),
    response: SearchResults,
    problems: ['too-many-requests'],
  },
});
