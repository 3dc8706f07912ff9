import {
  type Audience,
  type AudienceRule,
  type CareerField,
  type FormField,
  audiences,
  careerRows,
  formFields,
  forAll,
  neverForGuests,
  profileRows,
} from './profile-fields.ts';

export { type Audience, audiences } from './profile-fields.ts';

/** A field with an audience. The name is one field, and the email address belongs to the account. */
export type ProfileField =
  | 'name'
  | 'picture'
  | 'email'
  | CareerField
  | Exclude<FormField, 'firstName' | 'middleName' | 'lastName' | 'imgURL'>;

export function audienceFieldOf(field: FormField): ProfileField {
  const { audience } = profileRows[field];
  return typeof audience === 'string' ? audience : (field as ProfileField);
}

/**
 * Default and widest audience of each field (D15 in docs/conformance.md). By default, guests see name, picture,
 * department, school label, program, years, interest and bio. Guests never see contact number, home address, date of
 * birth, email or matric number.
 */
export const visibilityRules = {
  name: forAll,
  picture: forAll,
  email: neverForGuests,
  ...Object.fromEntries(
    formFields.flatMap((field) => {
      const { audience } = profileRows[field];
      return typeof audience === 'string' ? [] : [[field, audience]];
    }),
  ),
  ...Object.fromEntries(Object.entries(careerRows).map(([field, { audience }]) => [field, audience])),
} as Record<ProfileField, AudienceRule>;
export const profileFields = Object.keys(visibilityRules) as ProfileField[];

export type VisibilityChoices = Partial<Record<ProfileField, Audience>>;

export interface Privacy {
  readonly visibility: VisibilityChoices;
  /**
   * True when only the owner sees the profile. Other people get the same response as for a profile that does not exist.
   */
  readonly isHidden: boolean;
  /**
   * Whether search engines may list the profile. Has no effect unless the institution allows it and guests may see the
   * name.
   */
  readonly isIndexed: boolean;
}

export const isAtLeastAsWide = (a: Audience, b: Audience): boolean => audiences.indexOf(a) <= audiences.indexOf(b);

/** Returns the effective audience of a field: the chosen or default one, but never wider than the rule allows. */
export function getEffectiveAudience(field: ProfileField, choices: VisibilityChoices): Audience {
  const rule = visibilityRules[field];
  const chosen = choices[field] ?? rule.default;
  return isAtLeastAsWide(chosen, rule.widest) ? rule.widest : chosen;
}

export const listAllowedAudiences = (field: ProfileField): Audience[] =>
  audiences.filter((audience) => isAtLeastAsWide(visibilityRules[field].widest, audience));
