import * as z from 'zod/mini';
import { acceptableEvidenceKinds, membershipModes } from './membership.ts';

const ShortText = z.string().check(z.minLength(1), z.maxLength(160));

const Word = z.string().check(z.maxLength(24), z.regex(/^\p{L}+(?: \p{L}+)*$/u, 'Use letters and single spaces'));

const Domain = z
  .string()
  .check(z.maxLength(253), z.regex(/^[a-z\d-]+(?:\.[a-z\d-]+)+$/u, 'Use a domain such as "example.edu"'));

const LongText = z.string().check(z.minLength(1), z.maxLength(1_000));

/**
 * Facts that the privacy policy must state about the university (GDPR, Art. 13). Each text is shown unchanged. The
 * policy says which ones are absent.
 */
const PrivacyTexts = z.strictObject({
  /** Legal name of the controller. */
  controller: z.optional(ShortText),
  controllerAddress: z.optional(LongText),
  contact: z.optional(LongText),
  supervisoryAuthority: z.optional(LongText),
  /** The purposes, each with its legal basis. */
  legalBasis: z.optional(z.array(LongText).check(z.minLength(1), z.maxLength(10))),
  /** Days until each backup is overwritten or deleted. The documented nightly backup keeps seven days. */
  backupDays: z._default(z.int().check(z.minimum(1), z.maximum(3_650)), 7),
});

/** Schema of `institution.json`: the settings of one university (D20 in docs/conformance.md). */
export const Institution = z
  .strictObject({
    name: ShortText,
    /** The school label on every card. */
    abbreviation: z.string().check(z.minLength(1), z.maxLength(16)),
    /** The brand color in OKLCH: hue in degrees, chroma from 0 (gray) to about 0.2. The design sets the lightness. */
    brand: z.strictObject({
      hue: z.number().check(z.minimum(0), z.maximum(360)),
      chroma: z.number().check(z.minimum(0), z.maximum(0.25)),
    }),
    /** Whether graduates may let search engines list their profiles. */
    allowsIndexing: z._default(z.boolean(), false),
    /**
     * Months without use after which a profile is hidden until its owner signs in; two mails announce it. When absent,
     * profiles are never hidden.
     */
    hideUnusedAfterMonths: z.optional(z.int().check(z.minimum(6), z.maximum(240))),
    minimumAge: z._default(z.int().check(z.minimum(0), z.maximum(30)), 16),
    /**
     * Age in years from which guests may see a profile. Profiles of younger people are for members only, never for
     * search engines.
     */
    adultAge: z._default(z.int().check(z.minimum(0), z.maximum(30)), 18),
    /** Whether staff may send invitations to the email addresses of roster entries, and download call lists. */
    allowsInvitations: z._default(z.boolean(), false),
    /**
     * Whether the career form asks what people do now, and the console has the tracer report that counts the answers.
     */
    tracerReport: z._default(z.boolean(), false),
    membership: z._default(z.enum(membershipModes), 'open'),
    /**
     * The kinds of evidence that confirm an account. `peer-vouch` is off unless the institution adds it. Ignored in the
     * mode `open`.
     */
    acceptedEvidence: z._default(
      z.array(
        z.enum(acceptableEvidenceKinds, {
          error: ({ input }) =>
            input === 'knowledge-match'
              ? 'Remove "knowledge-match": a matric number and a birth date are known to others and confirm no one. Claims that agree with the roster stand first in the review queue'
              : undefined,
        }),
      ),
      ['printed-code', 'roster-email', 'staff-review'],
    ),
    /** How to read the answers of the university's OpenID provider, whose address is in the environment. */
    campusSignOn: z.optional(
      z
        .strictObject({
          /** The domains of addresses that the provider gives to one person only. Subdomains are separate. */
          domains: z.array(Domain).check(z.minLength(1), z.maxLength(20)),
          /** Those of them that only students have. */
          studentDomains: z._default(z.array(Domain), []),
          /** The claim with affiliations such as `student@example.edu`. */
          affiliationClaim: z.optional(ShortText),
          /** Months after the year of graduation until the university closes an address. When absent, it never does. */
          accountEndMonths: z.optional(z.int().check(z.minimum(0), z.maximum(240))),
        })
        .check(
          z.refine(({ domains, studentDomains }) => studentDomains.every((domain) => domains.includes(domain)), {
            path: ['studentDomains'],
            message: 'Use domains that are in "domains" too',
          }),
        ),
    ),
    privacy: z._default(PrivacyTexts, { backupDays: 7 }),
    titles: z.array(ShortText).check(z.minLength(1)),
    programs: z.array(ShortText).check(z.minLength(1)),
    /** The earliest year of admission. The latest one is always the current year. */
    firstYear: z.int().check(z.minimum(1900), z.maximum(2100)),
    /** What the interface calls a college and a department, in the singular. */
    words: z.optional(
      z.strictObject({ college: z._default(Word, 'College'), department: z._default(Word, 'Department') }),
    ),
    /** `departments` are suggestions. Users can enter a department that is not listed. */
    colleges: z
      .array(
        z.strictObject({
          code: z.string().check(z.minLength(1), z.maxLength(16)),
          name: ShortText,
          departments: z.array(ShortText),
        }),
      )
      .check(z.minLength(1)),
    /** How the registrar's lists abbreviate departments, by the name of the department. */
    departmentAbbreviations: z._default(z.record(ShortText, z.array(ShortText)), {}),
  })
  .check(
    z.refine(
      ({ colleges, departmentAbbreviations }) =>
        Object.keys(departmentAbbreviations).every((name) =>
          colleges.some(({ departments }) => departments.includes(name)),
        ),
      { path: ['departmentAbbreviations'], message: 'Use the names of departments under "colleges" as keys' },
    ),
  );
export type Institution = z.infer<typeof Institution>;

export const PrivacyFacts = z.object({
  ...PrivacyTexts.shape,
  /** Days without use after which a session ends. */
  sessionDays: z.int(),
  /** Longest time window of a rate limit, in hours. */
  rateLimitHours: z.int(),
  hideUnusedAfterMonths: z.nullable(z.int()),
  confirmsMembers: z.boolean(),
  allowsInvitations: z.boolean(),
  tracerReport: z.boolean(),
  /** Host name of the provider with which members can sign in. Absent without campus sign-on. */
  campusProvider: z.optional(z.string()),
});
export type PrivacyFacts = z.infer<typeof PrivacyFacts>;

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
