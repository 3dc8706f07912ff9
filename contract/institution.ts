import * as z from 'zod/mini';

const Name = z.string().check(z.minLength(1), z.maxLength(160));

/** `institution.json`: everything in which one university differs from another (decision 20). */
export const Institution = z.strictObject({
  name: Name,
  /** Stands on every card as the school label. */
  abbreviation: z.string().check(z.minLength(1), z.maxLength(16)),
  /** The one brand colour, in OKLCH: hue in degrees, chroma from 0 (grey) to about 0.2. Lightness is the design's. */
  brand: z.strictObject({
    hue: z.number().check(z.minimum(0), z.maximum(360)),
    chroma: z.number().check(z.minimum(0), z.maximum(0.25)),
  }),
  /** Whether graduates may choose to be found by search engines. */
  allowsIndexing: z._default(z.boolean(), false),
  /**
   * Months without use after which a profile is hidden until its owner signs in; two mails announce it. Without it, never.
   */
  hideUnusedAfterMonths: z.optional(z.int().check(z.minimum(6), z.maximum(240))),
  /** Years. People who are younger cannot have a profile. */
  minimumAge: z._default(z.int().check(z.minimum(0), z.maximum(30)), 16),
  /** Years. Profiles of people who are younger are for members only, and for no search engine. */
  adultAge: z._default(z.int().check(z.minimum(0), z.maximum(30)), 18),
  titles: z.array(Name).check(z.minLength(1)),
  programs: z.array(Name).check(z.minLength(1)),
  /** The first year in which somebody could be admitted. The last one is always the current year. */
  firstYear: z.int().check(z.minimum(1900), z.maximum(2100)),
  /** `departments` feed the suggestions; a department that is not on the list can be typed all the same. */
  colleges: z
    .array(
      z.strictObject({
        code: z.string().check(z.minLength(1), z.maxLength(16)),
        name: Name,
        departments: z.array(Name),
      }),
    )
    .check(z.minLength(1)),
});
export type Institution = z.infer<typeof Institution>;

/** What a page needs of it: the same, without the colours, and the last year that can be chosen. */
export const InstitutionFacts = z.object({
  name: z.string(),
  abbreviation: z.string(),
  titles: z.array(z.string()),
  programs: z.array(z.string()),
  allowsIndexing: z.boolean(),
  minimumAge: z.int(),
  adultAge: z.int(),
  firstYear: z.int(),
  lastYear: z.int(),
  colleges: z.array(z.object({ code: z.string(), name: z.string(), departments: z.array(z.string()) })),
});
export type InstitutionFacts = z.infer<typeof InstitutionFacts>;

/** The facts of an institution as they stand at `now`: years end with the current one (specification, section 5). */
export function factsOf(institution: Institution, now: Date): InstitutionFacts {
  const { name, abbreviation, allowsIndexing, minimumAge, adultAge, titles, programs, firstYear, colleges } =
    institution;
  return {
    name,
    abbreviation,
    allowsIndexing,
    minimumAge,
    adultAge,
    titles,
    programs,
    firstYear,
    lastYear: now.getUTCFullYear(),
    colleges,
  };
}
