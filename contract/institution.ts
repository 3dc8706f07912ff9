import * as z from 'zod/mini';

const ShortText = z.string().check(z.minLength(1), z.maxLength(160));

/** Text of the privacy page: a paragraph at most. */
const LongText = z.string().check(z.minLength(1), z.maxLength(1_000));

/** Prefix of every text that the university has not written yet. `doctor` warns about it, and the privacy page shows it. */
export const placeholderPrefix = 'PLACEHOLDER';

/** What the privacy policy has to say of the university (GDPR, Art. 13); each text is shown as it is. */
const PrivacyTexts = z.strictObject({
  /** Who is responsible: the legal name, and the postal address in one line. */
  controller: ShortText,
  controllerAddress: LongText,
  /** The data protection contact: an address or a name. */
  contact: LongText,
  supervisoryAuthority: LongText,
  /** The purposes, each with its legal basis. */
  legalBasis: z.array(LongText).check(z.minLength(1), z.maxLength(10)),
  /** Days after which every backup is overwritten or deleted; the nightly one of the docs keeps a week. */
  backupDays: z._default(z.int().check(z.minimum(1), z.maximum(3_650)), 7),
});

const placeholderTexts: z.output<typeof PrivacyTexts> = {
  controller: `${placeholderPrefix}: legal name of the university`,
  controllerAddress: `${placeholderPrefix}: postal address`,
  contact: `${placeholderPrefix}: email address or postal address of the data protection contact`,
  supervisoryAuthority: `${placeholderPrefix}: name and website of the supervisory authority`,
  legalBasis: [`${placeholderPrefix}: each purpose with its legal basis`],
  backupDays: 7,
};

/** `institution.json`: everything in which one university differs from another (decision 20). */
export const Institution = z.strictObject({
  name: ShortText,
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
   * Months without use after which a profile is hidden until its owner signs in; two mails announce it. When absent, profiles are never hidden.
   */
  hideUnusedAfterMonths: z.optional(z.int().check(z.minimum(6), z.maximum(240))),
  /** Years. People who are younger cannot have a profile. */
  minimumAge: z._default(z.int().check(z.minimum(0), z.maximum(30)), 16),
  /** Years. Profiles of people who are younger are for members only, and for no search engine. */
  adultAge: z._default(z.int().check(z.minimum(0), z.maximum(30)), 18),
  privacy: z._default(PrivacyTexts, placeholderTexts),
  titles: z.array(ShortText).check(z.minLength(1)),
  programs: z.array(ShortText).check(z.minLength(1)),
  /** The first year in which somebody could be admitted. The last one is always the current year. */
  firstYear: z.int().check(z.minimum(1900), z.maximum(2100)),
  /** `departments` feed the suggestions; a department that is not on the list can be typed all the same. */
  colleges: z
    .array(
      z.strictObject({
        code: z.string().check(z.minLength(1), z.maxLength(16)),
        name: ShortText,
        departments: z.array(ShortText),
      }),
    )
    .check(z.minLength(1)),
});
export type Institution = z.infer<typeof Institution>;

/** What the privacy page prints. */
export const PrivacyFacts = z.object({
  ...PrivacyTexts.shape,
  /** Days that a session lives without being used. */
  sessionDays: z.int(),
  /** Longest time window of a rate limit, in hours. */
  rateLimitHours: z.int(),
  /** Months without use after which a profile is hidden; null for never. */
  hideUnusedAfterMonths: z.nullable(z.int()),
});
export type PrivacyFacts = z.infer<typeof PrivacyFacts>;

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
export function getInstitutionFacts(institution: Institution, now: Date): InstitutionFacts {
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
