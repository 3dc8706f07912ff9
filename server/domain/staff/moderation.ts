import { sql } from 'kysely';
import type { PhotoModeration } from '#contract/gallery.ts';
import type { AuditAction } from '#contract/staff/values.ts';
import { type Db, now } from '#server/db/client.ts';
import { endAccess } from '../accounts/end-access.ts';
import { withdrawPicturesJob } from '../membership/membership.ts';
import { queueModerationNotice } from './moderation-notices.ts';
import { findPerson, pauseListings, resumeListings } from '../people/people.ts';
import { findPictures } from '../people/pictures.ts';
import { lockAccount } from '../accounts/sessions.ts';
import { recordStaffAction } from './audit-log.ts';
import { findProtectionFrom } from './people-guard.ts';
import { isWithheld } from '../people/visibility.ts';

/*
 * Actions of staff about photos, profiles and accounts. Each takes the transaction of the caller, changes the lists in
 * it, notifies the owner, and records exactly one action in the audit log. A job then gives withdrawn pictures new
 * URLs. After the commit, call `listCache.clear()`.
 *
 * Each function returns null, or why nothing was changed, as text for staff.
 */

export interface Moderation {
  readonly actor: string | null;
  readonly text?: string;
  readonly reportId?: string;
}

type Outcome = Promise<string | null>;

const dayMs = 24 * 60 * 60 * 1000;

export const suspensionDays = 7;

/** Days after which a photo that was taken down is deleted. Until then it can be restored. */
const takenDownTtlDays = 30;

export const hidePhoto = (tx: Db, photoId: string, moderation: Moderation): Outcome =>
  moderatePhoto(tx, photoId, 'hidden', 'photo-hidden', moderation);

export const takeDownPhoto = (tx: Db, photoId: string, moderation: Moderation): Outcome =>
  moderatePhoto(tx, photoId, 'taken-down', 'photo-taken-down', moderation);

export const restorePhoto = (tx: Db, photoId: string, moderation: Moderation): Outcome =>
  moderatePhoto(tx, photoId, null, 'photo-restored', moderation);

/**
 * Hides a photo at once, because a member says that they are in it, until staff decide. Notifies the owner. Not an
 * action of staff, so it is not in the audit log.
 * @returns whether the photo was visible
 */
export async function hideReportedPhoto(tx: Db, photoId: string): Promise<boolean> {
  const photo = await setModeration(tx, photoId, 'reported', ['visible']);
  if (!photo) return false;
  await queueModerationNotice(tx, photo.account_id, 'photo-reported', { title: photo.title });
  return true;
}

/** Hides a profile from everyone but its owner, until it is restored. Photos in the gallery stay, without the name. */
export const hideProfile = (tx: Db, accountId: string, moderation: Moderation): Outcome =>
  moderateProfile(tx, accountId, true, moderation);

export const restoreProfile = (tx: Db, accountId: string, moderation: Moderation): Outcome =>
  moderateProfile(tx, accountId, false, moderation);

async function moderateProfile(tx: Db, accountId: string, isHidden: boolean, moderation: Moderation): Outcome {
  const isChanged = await changeExposure(tx, accountId, async () => {
    const { numUpdatedRows } = await tx
      .updateTable('accounts')
      .set({ profile_hidden_at: isHidden ? now : null })
      .where('id', '=', accountId)
      .where('profile_hidden_at', isHidden ? 'is' : 'is not', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  });
  if (!isChanged)
    return isHidden
      ? 'The profile is already hidden, or its account was deleted.'
      : 'The profile is not hidden by staff.';
  const action = isHidden ? 'profile-hidden' : 'profile-restored';
  await queueModerationNotice(tx, accountId, action, moderation);
  await record(tx, action, 'account', accountId, moderation);
  return null;
}

/**
 * Suspends an account until a time: sign-in is refused, all sessions end, and no one sees the profile and the photos.
 * An account that is suspended already gets the new end. Owners cannot be suspended, and other staff only by owners.
 */
export async function suspendAccount(tx: Db, accountId: string, until: Date, moderation: Moderation): Outcome {
  const protection = await findProtectionFrom(tx, moderation.actor, accountId);
  if (protection === 'owner') return 'The account of an owner cannot be suspended. Remove the role first.';
  if (protection === 'staff') return 'Only an owner can suspend the account of a member of staff.';
  const isChanged = await changeExposure(tx, accountId, async () => {
    await tx.updateTable('accounts').set({ suspended_until: until }).where('id', '=', accountId).execute();
    return true;
  });
  if (!isChanged) return 'The account was deleted.';
  await endAccess(tx, accountId);
  await queueModerationNotice(tx, accountId, 'account-suspended', { ...moderation, until });
  const days = Math.round((until.getTime() - Date.now()) / dayMs);
  await record(tx, 'account-suspended', 'account', accountId, moderation, { days });
  return null;
}

export async function restoreAccount(tx: Db, accountId: string, moderation: Moderation): Outcome {
  if (!(await endSuspension(tx, accountId))) return 'The account is not suspended.';
  await queueModerationNotice(tx, accountId, 'account-restored', moderation);
  await record(tx, 'account-restored', 'account', accountId, moderation);
  return null;
}

export async function endDueSuspensions(db: Db): Promise<number> {
  const due = await db.selectFrom('accounts').select('id').where('suspended_until', '<=', now).execute();
  let ended = 0;
  for (const { id } of due) if (await db.transaction().execute((tx) => endSuspension(tx, id, now))) ended++;
  return ended;
}

/**
 * Deletes the photos that were taken down more than 30 days ago.
 * @returns their pictures, to remove after the commit
 */
export async function deleteTakenDownPhotos(db: Db): Promise<string[]> {
  const deleted = await db
    .deleteFrom('photos')
    .where('moderation', '=', 'taken-down')
    .where('moderated_at', '<', sql<Date>`now() - make_interval(days => ${takenDownTtlDays})`)
    .returning('picture')
    .execute();
  return deleted.map(({ picture }) => picture);
}

const endSuspension = (tx: Db, accountId: string, before?: ReturnType<typeof sql<Date>>): Promise<boolean> =>
  changeExposure(tx, accountId, async () => {
    let query = tx
      .updateTable('accounts')
      .set({ suspended_until: null })
      .where('id', '=', accountId)
      .where('suspended_until', 'is not', null);
    if (before) query = query.where('suspended_until', '<=', before);
    const { numUpdatedRows } = await query.executeTakeFirst();
    return numUpdatedRows > 0n;
  });

async function moderatePhoto(
  tx: Db,
  photoId: string,
  to: Exclude<PhotoModeration, 'reported'> | null,
  action: 'photo-hidden' | 'photo-taken-down' | 'photo-restored',
  moderation: Moderation,
): Outcome {
  const photo = await setModeration(
    tx,
    photoId,
    to,
    (['visible', 'reported', 'hidden', 'taken-down'] as const).filter((state) => state !== (to ?? 'visible')),
  );
  if (!photo) return to === null ? 'The photo is not hidden.' : 'The photo is already hidden, or was deleted.';
  await queueModerationNotice(tx, photo.account_id, action, { ...moderation, title: photo.title });
  await record(tx, action, 'photo', photoId, moderation);
  return null;
}

async function setModeration(
  tx: Db,
  photoId: string,
  to: PhotoModeration | null,
  from: readonly (PhotoModeration | 'visible')[],
): Promise<{ account_id: string; title: string } | null> {
  const photo = await tx
    .updateTable('photos')
    .set({ moderation: to, moderated_at: to === null ? null : now })
    .where('id', '=', photoId)
    .where(sql<boolean>`coalesce(moderation, 'visible') = any(${from}::text[])`)
    .returning(['account_id', 'title'])
    .executeTakeFirst();
  if (!photo) return null;
  if (to !== null) await withdrawPicturesJob.queue(tx, { accountId: photo.account_id, photoId });
  return photo;
}

async function changeExposure(tx: Db, accountId: string, write: () => Promise<boolean>): Promise<boolean> {
  if (!(await lockAccount(tx, accountId))) return false;
  const before = await findPerson(tx, accountId);
  if (!(await write())) return false;
  const after = await findPerson(tx, accountId);
  if (!before || !after) return true;
  if (isWithheld(after) && (await findPictures(tx, accountId)).length > 0)
    await withdrawPicturesJob.queue(tx, { accountId });
  if (isWithheld(before) === isWithheld(after)) return true;
  await (isWithheld(after) ? pauseListings(tx, after, before) : resumeListings(tx, accountId));
  return true;
}

const record = (
  tx: Db,
  action: AuditAction,
  kind: 'account' | 'photo',
  id: string,
  { actor, reportId }: Moderation,
  details: Readonly<Record<string, number>> = {},
): Promise<void> =>
  recordStaffAction(tx, {
    actor,
    action,
    subject: { kind, id },
    details: { ...details, ...(reportId && { report: reportId }) },
  });
