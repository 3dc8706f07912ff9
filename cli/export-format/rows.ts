import { type ProfileColumns, columnFields, profileRows } from '#contract/profile-fields.ts';
import { toDocument } from '#contract/profile.ts';
import type { CareerColumns } from '#server/domain/careers/career.ts';
import { importedCareerColumns } from '#server/domain/careers/incoming-career.ts';
import { fromColumns } from '#server/domain/people/people.ts';
import { isFirebaseHash } from '#server/platform/crypto/firebase-scrypt.ts';

export type Row = Readonly<Record<string, unknown>>;

export const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const toCamelCase = (name: string) => name.replaceAll(/_(?<letter>.)/gu, (_, letter: string) => letter.toUpperCase());

const toIsoTime = (value: unknown) => (typeof value === 'string' ? new Date(value).toISOString() : null);

/** Returns an account with all its columns, except those that have a meaning in this installation only. */
export function toAccountLine({ password_hash: hash, ...row }: Row): object {
  const entries = Object.entries(row)
    .filter(([name]) => name !== 'pending_email' && name !== 'display_name' && !name.startsWith('mail_fa'))
    .map(([name, value]) => [toCamelCase(name), /_(?:at|by)$/u.test(name) ? toIsoTime(value) : value]);
  return { ...Object.fromEntries(entries), passwordHash: isUnusableElsewhere(hash) ? null : hash };
}

/**
 * Returns whether the hash can never be verified outside this archive: no password matches it, or it needs the
 * archive's key.
 */
function isUnusableElsewhere(hash: unknown): boolean {
  return typeof hash !== 'string' || hash === '!' || isFirebaseHash(hash);
}

export const toProfileLine = (email: string, row: Row, picture: string | null): object => ({
  email,
  profile: toDocument({ ...fromColumns(row as unknown as ProfileColumns), imgURL: picture }),
  visibility: row['visibility'],
  isHidden: row['is_hidden'],
  isIndexed: row['is_indexed'],
  career: {
    positions: row['positions'],
    city: row['city'],
    cityId: row['city_id'],
    country: row['country'],
    isPlaceConfirmed: row['is_place_confirmed'],
    helps: row['helps'],
    savedAt: toIsoTime(row['career_saved_at']),
    dismissedAt: toIsoTime(row['career_dismissed_at']),
    tracer: row['tracer'],
  },
  createdAt: toIsoTime(row['created_at']),
  updatedAt: toIsoTime(row['updated_at']),
});

export const toPhotoLine = (email: string, row: Row, picture: string): object => ({
  email,
  picture,
  album: row['album'],
  title: row['title'],
  place: row['place'],
  takenOn: row['taken_on'],
  audience: row['audience'],
  createdAt: toIsoTime(row['created_at']),
});

const csvFields = columnFields.map((field) => profileRows[field].column);

export const csvColumns = ['email', ...csvFields, ...importedCareerColumns, 'helps', 'hidden'];

export const toCsvCells = (email: string, row: Row): string[] => [
  email,
  ...csvFields.map((name) => toText(row[name])),
  ...toCareerCells(row as unknown as CareerColumns),
  row['is_hidden'] === true ? 'yes' : 'no',
];

function toCareerCells({ positions: [position], city, country, helps }: CareerColumns): string[] {
  const work = (['role', 'employer', 'field', 'from', 'to'] as const).map((name) => toText(position?.[name]));
  return [...work, city, country, helps.join(' ')];
}
