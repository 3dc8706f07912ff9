import { fieldLengths } from '#contract/field-lengths.ts';
import type { Card } from '#contract/directory.ts';
import type { Institution } from '#contract/institution.ts';
import type { Profile } from '#contract/profile.ts';
import {
  type Audience,
  type Privacy,
  type ProfileField,
  getEffectiveAudience,
  audiences,
  isAtLeastAsWide,
} from '#contract/visibility.ts';
import type { ListingAudience, ProfileColumns, Tables } from '../db/schema.ts';
import { picturePath } from '../platform/media/media.ts';
import { joinedParts, searchWords } from './folding.ts';

/*
 * Who sees what, in pure functions. Every way in which a profile leaves the server goes through here: reads through
 * `toProfile`, and lists, counts, facets and search through the rows that `toListings` makes.
 */

/** A person as stored: the profile, the choices, and the address from the account. */
export interface Person extends ProfileColumns, Privacy {
  readonly id: string;
  readonly email: string;
  readonly picture: string | null;
  /** The account is inactive: disabled by the operator, or its deletion is pending. No one else sees the person. */
  readonly isDisabled: boolean;
  /** Hidden from everyone else until they sign in: their account was imported, or has not been used for long. */
  readonly awaitsSignIn: boolean;
  /** Younger than the institution's `adultAge`: guests and search engines do not see the person, whatever they have chosen. */
  readonly isMinor: boolean;
}

/** As whom somebody looks at a profile; `me` is its owner. */
export type Viewer = Audience;

type CanSee = (field: ProfileField) => boolean;

/** What decides whether others see a person at all, and what of them. */
type Exposure = Privacy & Pick<Person, 'isDisabled' | 'awaitsSignIn' | 'isMinor'>;

/** A viewer sees a field when its audience reaches as far as to them; somebody hidden or switched off is seen by nobody else. */
const createFieldFilter =
  ({ visibility, isHidden, isDisabled, awaitsSignIn, isMinor }: Exposure, viewer: Viewer): CanSee =>
  (field) =>
    viewer === 'me' ||
    (!isHidden &&
      !isDisabled &&
      !awaitsSignIn &&
      !(isMinor && viewer === 'everyone') &&
      isAtLeastAsWide(getEffectiveAudience(field, visibility), viewer));

/** Who can come by the address of a person's picture: without the name there is nobody to have one. */
export const findPictureAudience = (exposure: Exposure): Audience =>
  audiences.find((viewer) => (['name', 'picture'] as const).every(createFieldFilter(exposure, viewer))) ?? 'me';

/** Whether people who could see the picture until now cannot see it from now on. */
export const isPictureNarrowed = (now: Exposure, before: Exposure): boolean =>
  !isAtLeastAsWide(findPictureAudience(now), findPictureAudience(before));

const toCardName = ({ first_name, middle_name, last_name }: ProfileColumns) =>
  [first_name, middle_name, last_name].join(' ');

/** Code points of a sort name, at most; B-tree entries have at most 2,704 bytes. */
export const maxSortNameCodePoints = 250;

const toSortName = ({ first_name, middle_name, last_name }: ProfileColumns) =>
  [...[last_name, first_name, middle_name].flatMap(searchWords).join(' ')].slice(0, maxSortNameCodePoints).join('');

/**
 * The profile as this viewer may see it, in the specification's stored shape.
 * @returns null when even the name is hidden from them: then, for them, the person is not here at all
 */
export function toProfile(
  person: Person,
  viewer: Viewer,
  { abbreviation: schoolLabel, allowsIndexing }: Pick<Institution, 'abbreviation' | 'allowsIndexing'>,
): Profile | null {
  const sees = createFieldFilter(person, viewer);
  if (!sees('name')) return null;
  const shown = <Value>(field: ProfileField, value: Value): Value | undefined => (sees(field) ? value : undefined);
  return {
    id: person.id,
    imgURL: sees('picture') && person.picture !== null ? picturePath(person.picture, 384) : null,
    name: {
      first: person.first_name,
      middle: person.middle_name,
      last: person.last_name,
      other: shown('otherNames', person.other_names || undefined),
    },
    title: shown('title', person.title),
    // Whoever does not need the year of birth does not receive it: it opens accounts elsewhere.
    dob: shown('dob', viewer === 'me' ? person.dob : person.dob.slice('YYYY-'.length)),
    gender: shown('gender', person.gender),
    homeAddress: shown('homeAddress', person.home_address),
    contactNumber: shown('contactNumber', person.contact_number),
    email: shown('email', person.email),
    academic: {
      matricNumber: shown('matricNumber', person.matric_number),
      college: shown('college', person.college),
      department: shown('department', person.department),
      program: shown('program', person.program),
      year: {
        admitted: shown('yearAdmitted', person.year_admitted),
        graduated: shown('yearGraduated', person.year_graduated),
      },
    },
    interest: shown('interest', person.interest),
    bio: shown('bio', person.bio),
    fullBio: shown('fullBio', person.full_bio),
    social: {
      x: shown('xHandle', person.x_handle),
      facebook: shown('facebookName', person.facebook_name),
      linkedin: shown('linkedinName', person.linkedin_name),
    },
    schoolLabel,
    label: 'Alum',
    ...(allowsIndexing && viewer === 'everyone' && person.isIndexed && { isIndexed: true }),
  };
}

export type Listing = Omit<Tables['listings'], 'listed_at' | 'search'> & {
  /** Folded words to be found by, each once. */
  words: string[];
};

/** The rows under which a person is listed: one for each audience that may see at least the name. */
export function toListings(person: Person): Listing[] {
  return (['everyone', 'members'] as const).flatMap((audience) => {
    const sees = createFieldFilter(person, audience);
    if (!sees('name')) return [];
    return [
      {
        audience,
        account_id: person.id,
        sort_name: toSortName(person),
        name: toCardName(person),
        picture: sees('picture') ? person.picture : null,
        college: sees('college') ? person.college : null,
        department: sees('department') ? person.department : null,
        program: sees('program') ? person.program : null,
        year_graduated: sees('yearGraduated') ? person.year_graduated : null,
        matric_number: sees('matricNumber')
          ? [...person.matric_number].slice(0, fieldLengths.matricNumberShown).join('')
          : null,
        other_names: sees('otherNames') ? person.other_names || null : null,
        words: toUniqueWords([
          toCardName(person),
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

const toUniqueWords = (texts: readonly string[]): string[] => [...new Set(texts.flatMap(searchWords))];

/** Which list a caller reads. */
export const toListingAudience = (isMember: boolean): ListingAudience => (isMember ? 'members' : 'everyone');

/** What a list reads of each listing: what a card shows, and what it is sorted by. */
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

/** A listing as the card of the specification's section 3. */
export function toCard(row: CardRow, schoolLabel: string): Card {
  return {
    id: row.account_id,
    thumb: row.picture === null ? null : picturePath(row.picture, 192),
    name: row.name,
    ...(row.department !== null && { department: row.department }),
    schoolLabel,
    ...(row.year_graduated !== null && { yearGraduated: row.year_graduated }),
    ...(row.matric_number !== null && { matricNumber: row.matric_number }),
    label: 'Alum',
  };
}
