import { isFirebaseHash } from '#server/platform/crypto/firebase-scrypt.ts';

/** A row of a table, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** Returns a text or a number as text, and anything else as an empty text. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const camel = (name: string) => name.replaceAll(/_(?<letter>.)/gu, (_, letter: string) => letter.toUpperCase());

/** A time as every program reads it. */
const time = (value: unknown) => (typeof value === 'string' ? new Date(value).toISOString() : null);

/** All that is known of an account, whatever columns it has by now, but a wish that only this site can fulfil. */
export function accountLine({ password_hash: hash, ...row }: Row): object {
  const entries = Object.entries(row)
    .filter(([name]) => name !== 'pending_email' && name !== 'display_name' && !name.startsWith('mail_fa'))
    .map(([name, value]) => [camel(name), name.endsWith('_at') ? time(value) : value]);
  return { ...Object.fromEntries(entries), passwordHash: isUseless(hash) ? null : hash };
}

/** Nobody's, or one that only this archive's key can check. */
function isUseless(hash: unknown): boolean {
  return typeof hash !== 'string' || hash === '!' || isFirebaseHash(hash);
}

export const profileLine = (email: string, row: Row, picture: string | null): object => ({
  email,
  profile: {
    imgURL: picture,
    name: {
      first: row['first_name'],
      middle: row['middle_name'],
      last: row['last_name'],
      ...(row['other_names'] !== '' && { other: row['other_names'] }),
    },
    title: row['title'],
    dob: row['dob'],
    gender: row['gender'],
    homeAddress: row['home_address'],
    contactNumber: row['contact_number'],
    academic: {
      matricNumber: row['matric_number'],
      college: row['college'],
      department: row['department'],
      program: row['program'],
      year: { admitted: row['year_admitted'], graduated: row['year_graduated'] },
    },
    interest: row['interest'],
    bio: row['bio'],
    fullBio: row['full_bio'],
    social: { x: row['x_handle'], facebook: row['facebook_name'], linkedin: row['linkedin_name'] },
  },
  visibility: row['visibility'],
  isHidden: row['is_hidden'],
  isIndexed: row['is_indexed'],
  createdAt: time(row['created_at']),
  updatedAt: time(row['updated_at']),
});

export const photoLine = (email: string, row: Row, picture: string): object => ({
  email,
  picture,
  album: row['album'],
  title: row['title'],
  place: row['place'],
  takenOn: row['taken_on'],
  audience: row['audience'],
  createdAt: time(row['created_at']),
});

const csvFields = [
  'title',
  'first_name',
  'middle_name',
  'last_name',
  'other_names',
  'gender',
  'dob',
  'contact_number',
  'home_address',
  'matric_number',
  'college',
  'department',
  'program',
  'year_admitted',
  'year_graduated',
  'interest',
  'bio',
  'full_bio',
  'x_handle',
  'facebook_name',
  'linkedin_name',
] as const;

export const csvColumns = ['email', ...csvFields, 'hidden'];

export const csvCells = (email: string, row: Row): string[] => [
  email,
  ...csvFields.map((name) => textOf(row[name])),
  row['is_hidden'] === true ? 'yes' : 'no',
];
