import { fieldLengths } from '#contract/field-lengths.ts';
import type { Card, Face } from '#contract/directory.ts';
import type { Institution } from '#contract/institution.ts';
import { noneValue } from '#contract/none.ts';
import { type FormField, type ProfileColumns, columnFields, profileRows } from '#contract/profile-fields.ts';
import { type Profile, toDocument } from '#contract/profile.ts';
import {
  type Audience,
  type Privacy,
  type ProfileField,
  audienceFieldOf,
  getEffectiveAudience,
  audiences,
  isAtLeastAsWide,
} from '#contract/visibility.ts';
import type { ListingAudience, Tables } from '#server/db/schema.ts';
import { type Account, isMember } from '../accounts/accounts.ts';
import { type CareerColumns, shapeCareer, toCareerListing } from '../careers/career.ts';
import { picturePath } from './picture-sizes.ts';
import { joinedParts, searchWords } from '../search/folding.ts';

/*
 * Visibility rules in pure functions. All profile data that leaves the server passes through here: single profiles
 * through `toProfile`; lists, counts, facets and search through the rows that `toListings` creates.
 */

export interface Person extends ProfileColumns, CareerColumns, Privacy {
  readonly id: string;
  readonly email: string;
  readonly picture: string | null;
  /**
   * Whether the account is inactive: disabled by the operator, suspended by staff, or with a pending deletion. Other
   * people cannot see the profile.
   */
  readonly isDisabled: boolean;
  readonly isHiddenByStaff: boolean;
  /**
   * Whether the profile is hidden from other people until its owner signs in, after an import or a long time without
   * use.
   */
  readonly awaitsSignIn: boolean;
  /** Whether the institution still has to confirm the account. Other people cannot see the profile. */
  readonly awaitsConfirmation: boolean;
  /** Whether the person is younger than `adultAge` of the institution. Guests and search engines never see a minor. */
  readonly isMinor: boolean;
  /** Whether the person accepts messages. Help offers are shown only then. */
  readonly takesMessages: boolean;
}

export type Viewer = Audience;

type CanSee = (field: ProfileField) => boolean;

type Exposure = Privacy &
  Pick<Person, 'isDisabled' | 'isHiddenByStaff' | 'awaitsSignIn' | 'awaitsConfirmation' | 'isMinor'>;

/** Returns whether no one else sees a person for a reason other than the person's own choices. */
export const isWithheld = ({
  isDisabled,
  isHiddenByStaff,
  awaitsSignIn,
  awaitsConfirmation,
}: Pick<Person, 'isDisabled' | 'isHiddenByStaff' | 'awaitsSignIn' | 'awaitsConfirmation'>): boolean =>
  isDisabled || isHiddenByStaff || awaitsSignIn || awaitsConfirmation;

/** A hidden or inactive person is visible only to themselves. */
function createFieldFilter(exposure: Exposure, viewer: Viewer): CanSee {
  const isOpen = !exposure.isHidden && !isWithheld(exposure) && !(exposure.isMinor && viewer === 'everyone');
  return (field) =>
    viewer === 'me' || (isOpen && isAtLeastAsWide(getEffectiveAudience(field, exposure.visibility), viewer));
}

/** Returns the widest audience that can see a person's picture. This audience must see the name as well. */
export const findPictureAudience = (exposure: Exposure): Audience =>
  audiences.find((viewer) => (['name', 'picture'] as const).every(createFieldFilter(exposure, viewer))) ?? 'me';

/** Returns the picture for a member who is asked to vouch: what members will see when the person is confirmed. */
export const toPictureForVoucher = (person: Person): string | null =>
  person.picture !== null && isAtLeastAsWide(findPictureAudience({ ...person, awaitsConfirmation: false }), 'members')
    ? picturePath(person.picture, 192)
    : null;

export const isPictureNarrowed = (now: Exposure, before: Exposure): boolean =>
  !isAtLeastAsWide(findPictureAudience(now), findPictureAudience(before));

/**
 * Columns in which `noneValue` means that the person has no such text. People also type it into fields without that
 * choice.
 */
const columnsWithNone = columnFields
  .filter((field) => profileRows[field].hidesNone)
  .map((field) => profileRows[field].column as keyof ProfileColumns);

/** Replaces `noneValue` by an empty text, so that no one sees, finds or counts it. */
export function withoutNone(person: Person): Person {
  const none = columnsWithNone.filter((name) => person[name] === noneValue);
  return none.length === 0 ? person : { ...person, ...Object.fromEntries(none.map((name) => [name, ''])) };
}

const toCardName = ({ first_name, middle_name, last_name }: Person) =>
  [first_name, middle_name, last_name].filter(Boolean).join(' ');

/** Maximum length of a sort name, in code points. PostgreSQL limits a B-tree entry to 2,704 bytes. */
export const maxSortNameCodePoints = 250;

const toSortName = (words: readonly string[]) => [...words.join(' ')].slice(0, maxSortNameCodePoints).join('');

/**
 * Returns the profile as a viewer may see it, in the shape of the specification.
 * @returns null if the viewer may not see the name: for them, the person does not exist
 */
export const toProfile = (person: Person, viewer: Viewer, institution: ProfileInstitution): Profile | null =>
  createFieldFilter(person, viewer)('name') ? shapeProfile(withoutNone(person), viewer, institution) : null;

export const toStoredProfile = (person: Person, institution: ProfileInstitution): Profile =>
  shapeProfile(person, 'me', institution);

type ProfileInstitution = Pick<Institution, 'abbreviation' | 'allowsIndexing'>;

function shapeProfile(
  person: Person,
  viewer: Viewer,
  { abbreviation: schoolLabel, allowsIndexing }: ProfileInstitution,
): Profile {
  const sees = createFieldFilter(person, viewer);
  const shown: { [Field in FormField]?: unknown } = {
    imgURL: sees('picture') && person.picture !== null ? picturePath(person.picture, 384) : null,
  };
  for (const field of columnFields) {
    const value = person[profileRows[field].column as keyof ProfileColumns];
    const audience = audienceFieldOf(field);
    if (audience === 'name' || (value !== '' && sees(audience))) shown[field] = value;
  }
  const career = shapeCareer(viewer === 'me' ? { ...person, takesMessages: true } : person, sees);
  // Other people get month and day only, because other sites use a full date of birth to verify identity.
  if (viewer !== 'me' && sees('dob')) shown.dob = person.dob.slice('YYYY-'.length);
  return {
    ...toDocument(shown),
    id: person.id,
    ...(Object.keys(career).length > 0 && { career }),
    ...(sees('email') && { email: person.email }),
    schoolLabel,
    label: 'Alum',
    ...(allowsIndexing && viewer === 'everyone' && person.isIndexed && { isIndexed: true }),
  };
}

export type Listing = Omit<Tables['listings'], 'listed_at' | 'search'> & {
  words: string[];
};

/** Returns the listings of a person: one for each audience that may see at least the name. */
export function toListings(stored: Person): Listing[] {
  const person = withoutNone(stored);
  const first = searchWords(person.first_name);
  const middle = searchWords(person.middle_name);
  const last = searchWords(person.last_name);
  const names = [...first, ...middle, ...last];
  return (['everyone', 'members'] as const).flatMap((audience) => {
    const sees = createFieldFilter(person, audience);
    if (!sees('name')) return [];
    return [
      {
        audience,
        account_id: person.id,
        sort_name: toSortName([...last, ...first, ...middle]),
        given_sort_name: toSortName([...first, ...last, ...middle]),
        name: toCardName(person),
        picture: sees('picture') ? person.picture : null,
        college: sees('college') ? person.college : null,
        department: sees('department') ? person.department : null,
        program: sees('program') ? person.program : null,
        year_graduated: sees('yearGraduated') ? person.year_graduated : null,
        matric_number: sees('matricNumber')
          ? [...person.matric_number].slice(0, fieldLengths.matricNumberShown).join('') || null
          : null,
        other_names: sees('otherNames') ? person.other_names || null : null,
        ...toCareerListing(person, sees),
        words: toUniqueWords(names, [
          ...(sees('otherNames') ? [person.other_names] : []),
          ...(sees('college') ? [person.college] : []),
          ...(sees('department') ? [person.department] : []),
          ...(sees('yearGraduated') ? [String(person.year_graduated)] : []),
          ...(sees('matricNumber') ? [person.matric_number, ...joinedParts(searchWords(person.matric_number))] : []),
        ]),
      },
    ];
  });
}

const toUniqueWords = (words: readonly string[], texts: readonly string[]): string[] => [
  ...new Set([...words, ...texts.flatMap(searchWords)]),
];

/** Returns whose listings a visitor sees, by their account if they have one. */
export const toListingAudience = (account?: Account): ListingAudience =>
  account && isMember(account) ? 'members' : 'everyone';

export const cardColumns = [
  'account_id',
  'sort_name',
  'name',
  'picture',
  'department',
  'year_graduated',
  'matric_number',
] as const;
export type CardRow = Pick<Tables['listings'], (typeof cardColumns)[number]>;

export const toFace = (row: Pick<CardRow, 'account_id' | 'name' | 'picture'>): Face => ({
  id: row.account_id,
  thumb: row.picture === null ? null : picturePath(row.picture, 192),
  name: row.name,
});

export function toCard(row: CardRow, schoolLabel: string): Card {
  return {
    ...toFace(row),
    ...(row.department !== null && { department: row.department }),
    schoolLabel,
    ...(row.year_graduated !== null && { yearGraduated: row.year_graduated }),
    ...(row.matric_number !== null && { matricNumber: row.matric_number }),
    label: 'Alum',
  };
}
