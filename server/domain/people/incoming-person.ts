import * as z from 'zod/mini';
import type { TracerAnswer } from '#contract/careers.ts';
import { Email } from '#contract/fields.ts';
import { NewPhoto as PhotoForm } from '#contract/gallery.ts';
import type { Institution } from '#contract/institution.ts';
import type { OptionalNotificationKind } from '#contract/notifications.ts';
import { toPointer } from '#contract/profile.ts';
import type { Privacy } from '#contract/visibility.ts';
import type { ProfileColumns } from '#contract/profile-fields.ts';
import type { HiddenReason } from '#server/db/schema.ts';
import { UnreadablePicture } from '#server/platform/media/encode-picture.ts';
import type { CareerColumns } from '../careers/career.ts';
import { checkCareer } from '../careers/incoming-career.ts';
import { toColumns } from './people.ts';
import { readProfileForm } from './profile-form.ts';

export interface IncomingPerson {
  readonly account: IncomingAccount;
  readonly profile: IncomingProfile | null;
  readonly photos?: readonly IncomingPhoto[];
  readonly blocks?: Blocks;
  /** Work and place that a person with a profile has to confirm. Added only where there is none. */
  readonly suggestedCareer?: CareerColumns;
  readonly warnings?: readonly string[];
}

/**
 * Blocks between members. Addresses without an account are ignored: their blocks are added when the people are
 * imported.
 */
export interface Blocks {
  /** Canonical addresses of the people whom this person has blocked. */
  readonly blocked: readonly string[];
  readonly blockedBy: readonly string[];
}

export interface IncomingAccount {
  /** The UUID to keep. If the UUID is absent or belongs to another account, the account gets a new one. */
  readonly id?: string | undefined;
  readonly email: string;
  readonly emailVerified: boolean;
  /**
   * Hash that `passwordHasher.verify` accepts; null for an account that needs a password reset before the first
   * sign-in.
   */
  readonly passwordHash: string | null;
  readonly createdAt?: Date | undefined;
  readonly terms?: { readonly version: string; readonly acceptedAt: Date | null } | null | undefined;
  readonly takesMessages?: boolean | undefined;
  readonly takesAnnouncements?: boolean | undefined;
  readonly mutedKinds?: OptionalNotificationKind[] | undefined;
  readonly disabledAt?: Date | null | undefined;
  readonly lastSeenAt?: Date | undefined;
  readonly hiddenUntilSignIn?: HiddenReason | null | undefined;
}

export interface IncomingProfile {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether the owner has to complete the profile. Incomplete profiles are not validated. */
  readonly isIncomplete?: boolean | undefined;
  readonly picture: Buffer | null;
  readonly createdAt?: Date | undefined;
  readonly visibility?: Privacy['visibility'] | undefined;
  readonly isHidden?: boolean | undefined;
  readonly isIndexed?: boolean | undefined;
  readonly career?: IncomingCareer | undefined;
}

/** A career as an export has it, with the owner's answer for the tracer report. */
export interface IncomingCareer extends CareerColumns {
  readonly savedAt: Date | null;
  readonly dismissedAt: Date | null;
  readonly tracer: (TracerAnswer & { readonly answeredOn: string }) | null;
}

export interface IncomingPhoto {
  readonly image: Buffer;
  readonly album: string;
  readonly title: string;
  readonly place: string | null;
  /** `YYYY-MM-DD`. */
  readonly takenOn: string | null;
  readonly audience: 'everyone' | 'members';
  readonly createdAt: Date;
}

export class NotImportable extends Error {
  override readonly name = 'NotImportable';
}

export function readEmail(text: string): string {
  const { data, error } = Email.safeParse(text);
  if (error) throw new NotImportable(`"${text}" is not an email address.`);
  return data;
}

export interface ReadProfile extends IncomingProfile {
  readonly columns: ProfileColumns | null;
  readonly warnings: readonly string[];
}

/**
 * Validates a profile by the rules of a save.
 * @param isLenient returns an invalid profile as incomplete, with a warning
 * @throws NotImportable with all broken rules
 */
export function readProfile(institution: Institution, profile: IncomingProfile, isLenient: boolean): ReadProfile {
  if (profile.isIncomplete) return { ...profile, columns: null, warnings: [] };
  const career = profile.career && checkCareer(profile.career);
  if (Array.isArray(career))
    throw new NotImportable(
      `The career is invalid: ${career.map(({ pointer, message }) => `${pointer} (${message})`).join(', ')}.`,
    );
  const read = readProfileForm(institution, { ...profile.fields, imgURL: null });
  if ('form' in read)
    return {
      ...profile,
      ...(profile.career && { career: { ...profile.career, ...career } }),
      columns: toColumns(read.form),
      warnings: [],
    };
  const wrong = read.wrong.map(({ field, message }) => `${toPointer(field)} (${message})`).join(', ');
  if (!isLenient) throw new NotImportable(`These fields are invalid: ${wrong}.`);
  const fields = new Set(read.wrong.map(({ field }) => toPointer(field).slice(1).replaceAll('/', '.')));
  return { ...profile, columns: null, warnings: [`The owner has to complete ${[...fields].join(', ')}.`] };
}

const PhotoRules = z.omit(PhotoForm, { image: true });

export function readPhoto({ image, album, title, place, takenOn, audience, createdAt }: IncomingPhoto): IncomingPhoto {
  const texts = { album, title, audience, ...(place !== null && { place }), ...(takenOn !== null && { takenOn }) };
  const { data, error } = PhotoRules.safeParse(texts);
  if (data) return { ...data, place: data.place ?? null, takenOn: data.takenOn ?? null, image, createdAt };
  const wrong = error.issues.map(({ path, message }) => `/${path.join('/')} (${message})`);
  throw new NotImportable(`A photo breaks the rules of the archive: ${wrong.join(', ')}.`);
}

/**
 * Reads a picture.
 * @param warnings receives a warning if the picture cannot be read; null to throw instead
 * @returns null for a picture that cannot be read
 * @throws NotImportable
 */
export async function readPicture<Result>(
  image: Buffer,
  read: (image: Buffer) => Promise<Result>,
  warnings: string[] | null = null,
): Promise<Result | null> {
  try {
    return await read(image);
  } catch (error) {
    if (!(error instanceof UnreadablePicture)) throw error;
    const reason = 'A picture cannot be read. It has to be a JPEG, PNG or WebP.';
    if (warnings === null) throw new NotImportable(reason, { cause: error });
    warnings.push(reason);
    return null;
  }
}
