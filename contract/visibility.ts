/** Who may see a field, from the most people to the fewest. */
export const audiences = ['everyone', 'members', 'me'] as const;
export type Audience = (typeof audiences)[number];

/**
 * The field's audience until its owner chooses, and the widest that can be chosen at all. Decision 15: a guest sees, by
 * default, the name, picture, department, school label, programme, years, interest and bio; contact number, home
 * address, date of birth, e-mail and the full matric number are for members at most.
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

/** A person's own choices; fields without one keep the default. */
export type VisibilityChoices = Partial<Record<ProfileField, Audience>>;

/** What somebody has decided about who sees them. */
export interface Privacy {
  readonly visibility: VisibilityChoices;
  /** Hidden from the directory: for everybody else they are not here at all, until they say otherwise. */
  readonly isHidden: boolean;
  /** May be listed by search engines; only where the institution allows it, and guests may see the name. */
  readonly isIndexed: boolean;
}

/** Whether audience `a` reaches at least everybody that `b` reaches. */
export const isAtLeastAsWide = (a: Audience, b: Audience): boolean => audiences.indexOf(a) <= audiences.indexOf(b);

/** The audience in force: the choice, never wider than the rule allows. */
export function getEffectiveAudience(field: ProfileField, choices: VisibilityChoices): Audience {
  const rule = visibilityRules[field];
  const chosen = choices[field] ?? rule.default;
  return isAtLeastAsWide(chosen, rule.widest) ? rule.widest : chosen;
}

/** The audiences that a field's owner can choose from. */
export const listAllowedAudiences = (field: ProfileField): Audience[] =>
  audiences.filter((audience) => isAtLeastAsWide(visibilityRules[field].widest, audience));
