import { hasReachedAge } from '#contract/age.ts';
import type { CallInput } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import { PictureData } from '#contract/fields.ts';
import { type ProfileDocument, type ProfileForm, toPointer, toForm } from '#contract/profile.ts';
import { texts } from '#contract/texts.ts';
import type { Account } from '#server/domain/accounts/accounts.ts';
import { toCareerColumns } from '#server/domain/careers/career.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { type StoredPerson, findPerson, mergeChoices, savePerson, toColumns } from '#server/domain/people/people.ts';
import { queueDepartmentDigest } from '#server/domain/people/department-digest.ts';
import { findBoundPerson, hasSameIdentityValues, holdBackChange } from '#server/domain/membership/identity-changes.ts';
import { notify } from '#server/domain/notifications/notify.ts';
import { removeUnusedPictures } from '#server/domain/people/pictures.ts';
import { readProfileForm } from '#server/domain/people/profile-form.ts';
import { type Session, lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import {
  type IncompleteProfile,
  deleteIncompleteProfile,
  readKeptCareer,
} from '#server/domain/people/incomplete-profiles.ts';
import { type Person, isPictureNarrowed, findPictureAudience } from '#server/domain/people/visibility.ts';
import { forgetVouches, isOtherClaimant } from '#server/domain/membership/vouch-rules.ts';
import { UnreadablePicture } from '#server/platform/media/encode-picture.ts';
import { decodeDataUrl, notAnImageProblem } from '#server/platform/media/media.ts';
import { picturePath } from '#server/domain/people/picture-sizes.ts';
import { ProblemError, invalidField } from '#server/platform/http/problem.ts';

/**
 * Creates or overwrites the profile of the signed-in user (specification, section 7). A new profile needs a picture
 * (section 5, step 5), which the user can remove later.
 * @throws ProblemError validation-failed with a pointer to each invalid field, not-an-image, profile-changed,
 *   auth/too-many-requests
 */
export async function saveProfile(
  context: Context,
  session: Session,
  document: ProfileDocument,
): Promise<StoredPerson> {
  const { visibility, version, ...fields } = document;
  const form = await readForm(context, fields, session.account.id);
  await context.limiter.requireAttempt(context.db, 'profileByAccount', session.account.id);
  if (isPictureData(form.imgURL))
    await context.limiter.requireAttempt(context.db, 'picturesByAccount', session.account.id);
  const uploaded = isPictureData(form.imgURL) ? await storePicture(context, form.imgURL) : null;
  return replacePerson(context, session, uploaded, (before, { id, email, awaitsConfirmation }, imported) => {
    requireVersion(version, before);
    return {
      ...toColumns(form),
      ...toCareerColumns(before ?? readKeptCareer(imported)),
      id,
      email,
      picture: uploaded ?? resolveStoredPicture(form.imgURL, before, imported?.picture ?? null),
      visibility: mergeChoices(before?.visibility ?? {}, visibility),
      isHidden: before?.isHidden ?? false,
      isIndexed: before?.isIndexed ?? false,
      // A disabled account has no session, so it cannot save.
      isDisabled: false,
      isHiddenByStaff: before?.isHiddenByStaff ?? false,
      awaitsSignIn: before?.awaitsSignIn ?? false,
      awaitsConfirmation,
      takesMessages: before?.takesMessages ?? true,
      isMinor: !hasReachedAge(form.dob, context.institution.adultAge, new Date()),
    };
  });
}

export async function savePrivacy(
  context: Context,
  session: Session,
  { visibility, isHidden, isIndexed, version }: CallInput<Endpoints['PUT /api/users/{id}/privacy']>['body'],
): Promise<StoredPerson> {
  await context.limiter.requireAttempt(context.db, 'profileByAccount', session.account.id);
  return replacePerson(context, session, null, (before) => {
    if (!before) throw new ProblemError('not-found');
    requireVersion(version, before);
    return {
      ...before,
      visibility: mergeChoices(before.visibility, visibility),
      isHidden: isHidden ?? before.isHidden,
      isIndexed: isIndexed ?? before.isIndexed,
    };
  });
}

/**
 * Saves a profile in one transaction, renames its picture where needed, deletes unused pictures, and sends
 * notifications about a new member (decision 83).
 * @param uploaded the name of a new picture, which is deleted if the save fails
 * @param change returns the new profile. Its `imported` is the incomplete profile until now.
 */
export async function replacePerson(
  context: Context,
  session: Session,
  uploaded: string | null,
  change: (
    before: StoredPerson | null,
    account: Pick<Account, 'id' | 'email' | 'awaitsConfirmation'>,
    imported: IncompleteProfile | undefined,
    tx: Db,
  ) => Person | Promise<Person>,
): Promise<StoredPerson> {
  const { db, media } = context;
  const storedPictures = uploaded === null ? [] : [uploaded];
  try {
    const { person, before, imported } = await db.transaction().execute(async (tx) => {
      // Locks the account, so that concurrent saves merge their choices one after another.
      const account = await lockAccountOfSession(tx, session);
      const before = await findBoundPerson(tx, account.id);
      const imported = before ? undefined : await deleteIncompleteProfile(tx, account.id);
      let person = await change(before, account, imported, tx);
      if (before && !hasSameIdentityValues(person, before))
        person = await holdBackChange(tx, context.institution, person, before);
      if (before && isOtherClaimant(person, before)) await forgetVouches(tx, person.id);
      if (person.picture !== null && before?.picture === person.picture && isPictureNarrowed(person, before)) {
        // Viewers of the old picture have its URL, so the picture gets a new one.
        const picture = await media.copy(person.picture);
        storedPictures.push(picture);
        person = { ...person, picture };
      }
      if (uploaded !== null && findPictureAudience(person) === 'everyone') {
        const picture = await media.publish(uploaded);
        storedPictures.push(picture);
        person = { ...person, picture };
      }
      const saved = await savePerson(tx, person, before);
      // An account that has to be confirmed joins with its confirmation.
      if (!before && !person.awaitsConfirmation) {
        await notify(tx, person.id, 'welcome');
        await queueDepartmentDigest(tx, 'joined', person.department);
      }
      return { person: saved, before, imported };
    });
    context.listCache.clear();
    if (imported?.picture && imported.picture !== person.picture)
      await removeUnusedPictures(context, [imported.picture]);
    if (before?.picture && before.picture !== person.picture) await removeUnusedPictures(context, [before.picture]);
    return person;
  } catch (error) {
    await removeUnusedPictures(context, storedPictures);
    throw error;
  }
}

/**
 * Refuses a write that is not based on the stored version, because its page did not show the newest values.
 * @param version undefined if the page expects no profile
 * @throws ProblemError profile-changed
 */
export function requireVersion(version: ProfileDocument['version'], before: StoredPerson | null): void {
  if (version !== 'any' && version !== before?.version) throw new ProblemError('profile-changed');
}

async function readForm(
  { db, institution }: Context,
  fields: Omit<ProfileDocument, 'visibility'>,
  accountId: string,
): Promise<ProfileForm> {
  let read = readProfileForm(institution, toForm(fields));
  // The stored date of birth stays valid if the minimum age was raised later.
  if ('wrong' in read && read.wrong.some(({ field }) => field === 'dob'))
    read = readProfileForm(institution, toForm(fields), (await findPerson(db, accountId))?.dob);
  if ('form' in read) return read.form;
  const errors = read.wrong.map(({ field, message }) => ({ pointer: toPointer(field), message }));
  const [wrong] = errors;
  if (errors.length === 1 && wrong?.pointer === toPointer('imgURL') && fields.imgURL?.startsWith('data:image/')) {
    throw notAnImageProblem(toPointer('imgURL'));
  }
  throw new ProblemError('validation-failed', { errors });
}

const isPictureData = (imgURL: string | null): imgURL is string =>
  imgURL !== null && PictureData.safeParse(imgURL).success;

async function storePicture({ media }: Context, dataString: string): Promise<string> {
  try {
    return await media.storePortrait(decodeDataUrl(dataString));
  } catch (error) {
    throw error instanceof UnreadablePicture ? notAnImageProblem(toPointer('imgURL'), error) : error;
  }
}

/**
 * Returns the name of the stored picture that the form refers to, or null if the user removes the picture.
 * @param imported the name of the picture of an incomplete profile
 * @throws ProblemError validation-failed if the form refers to another picture, or to none for a new profile
 */
function resolveStoredPicture(imgURL: string | null, before: Person | null, imported: string | null): string | null {
  if (imgURL === null && before) return null;
  const current = before ? before.picture : imported;
  if (imgURL !== null && current !== null && imgURL === picturePath(current, 384)) return current;
  throw invalidField(toPointer('imgURL'), texts.empty);
}
