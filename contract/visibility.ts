/** Audiences of a field, from the widest to the narrowest. */
export const audiences = ['everyone', 'members', 'me'] as const;
export type Audience = (typeof audiences)[number];

/**
 * Default and widest audience of each field (D15 in docs/conformance.md). By default, guests see name, picture, department, school label, program,
 * years, interest and bio. Guests never see contact number, home address, date of birth, email or matric number.
 */
export const visibilityRules = {
  name: { default: 'everyone', widest: 'everyone' },
  picture: { default: 'everyone', widest: 'everyone' },
  title: { default: 'members', widest: 'everyone' },
  gender: { default: 'members', widest: 'everyone' },
  dob: { default: 'members', widest: 'members' },
  email: { default: 'members', widest: 'members' },
  contactNumber: { default: 'members', widest: 'members' },
  homeAddress: { default: 'members', widest: 'members' },
  matricNumber: { default: 'members', widest: 'members' },
  college: { default: 'members', widest: 'everyone' },
  department: { default: 'everyone', widest: 'everyone' },
  program: { default: 'everyone', widest: 'everyone' },
  yearAdmitted: { default: 'everyone', widest: 'everyone' },
  yearGraduated: { default: 'everyone', widest: 'everyone' },
  interest: { default: 'everyone', widest: 'everyone' },
  bio: { default: 'everyone', widest: 'everyone' },
  fullBio: { default: 'members', widest: 'everyone' },
  xHandle: { default: 'members', widest: 'everyone' },
  facebookName: { default: 'members', widest: 'everyone' },
  linkedinName: { default: 'members', widest: 'everyone' },
  otherNames: { default: 'members', widest: 'everyone' },
} as const satisfies Record<string, { default: Audience; widest: Audience }>;

export type ProfileField = keyof typeof visibilityRules;
export const profileFields = Object.keys(visibilityRules) as ProfileField[];

/** The audiences that a user has chosen. Other fields have their default audience. */
export type VisibilityChoices = Partial<Record<ProfileField, Audience>>;

/** The privacy settings of a profile. */
export interface Privacy {
  readonly visibility: VisibilityChoices;
  /**
   * True when only the owner sees the profile. Other people get the same response as for a profile that does not exist.
   */
  readonly isHidden: boolean;
  /** Whether search engines may list the profile. Has no effect unless the institution allows it and guests may see the name. */
  readonly isIndexed: boolean;
}

/** Returns whether audience `a` includes audience `b`. */
export const isAtLeastAsWide = (a: Audience, b: Audience): boolean => audiences.indexOf(a) <= audiences.indexOf(b);

/** Returns the effective audience of a field: the chosen or default one, but never wider than the rule allows. */
export function getEffectiveAudience(field: ProfileField, choices: VisibilityChoices): Audience {
  const rule = visibilityRules[field];
  const chosen = choices[field] ?? rule.default;
  return isAtLeastAsWide(chosen, rule.widest) ? rule.widest : chosen;
}

/** Returns the audiences that the owner can choose for a field. */
export const listAllowedAudiences = (field: ProfileField): Audience[] =>
  audiences.filter((audience) => isAtLeastAsWide(visibilityRules[field].widest, audience));
