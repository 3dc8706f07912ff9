import { hasReachedAge } from '#contract/age.ts';
import type { CallInput } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import { PictureData } from '#contract/fields.ts';
import { type ProfileDocument, type ProfileForm, toPointer, toForm } from '#contract/profile.ts';
import type { Account } from '../../domain/accounts.ts';
import type { Context } from '../../domain/context.ts';
import { type StoredPerson, findPerson, mergeChoices, savePerson, toColumns } from '../../domain/people.ts';
import { queueDepartmentDigest } from '../../domain/department-digest.ts';
import { notify } from '../../domain/notify.ts';
import { removeUnusedPictures } from '../../domain/pictures.ts';
import { readProfileForm } from '../../domain/profile-form.ts';
import { type Session, lockAccountOfSession } from '../../domain/sessions.ts';
import { deleteIncompleteProfile } from '../../domain/incomplete-profiles.ts';
import { type Person, isPictureNarrowed, findPictureAudience } from '../../domain/visibility.ts';
import { UnreadablePicture, decodeDataUrl, notAnImageProblem, picturePath } from '../../platform/media/media.ts';
import { ProblemError } from '../../platform/http/problem.ts';

/**
 * Creates or overwrites the own profile document (specification, section 7). The onboarding needs a picture (section 5,
 * step 5); somebody who has a profile may take theirs down.
 * @throws ProblemError validation-failed with a pointer to each wrong field, not-an-image, profile-changed
 */
export async function saveProfile(
  context: Context,
  session: Session,
  document: ProfileDocument,
): Promise<StoredPerson> {
  const { visibility, version, ...fields } = document;
  const stored = await findPerson(context.db, session.account.id);
  const form = readForm(context, fields, stored?.dob);
  await context.limiter.requireAttempt(context.db, 'profileByAccount', session.account.id);
  if (isPictureData(form.imgURL))
    await context.limiter.requireAttempt(context.db, 'picturesByAccount', session.account.id);
  const sent = isPictureData(form.imgURL) ? await storePicture(context, form.imgURL) : null;
  return replacePerson(context, session, sent, (before, { id, email }, brought) => {
    requireVersion(version, before);
    return {
      ...toColumns(form),
      id,
      email,
      picture: sent ?? resolveStoredPicture(form.imgURL, before, brought),
      visibility: mergeChoices(before?.visibility ?? {}, visibility),
      isHidden: before?.isHidden ?? false,
      isIndexed: before?.isIndexed ?? false,
      // Nobody who is switched off has a session to save with.
      isDisabled: false,
      awaitsSignIn: before?.awaitsSignIn ?? false,
      isMinor: !hasReachedAge(form.dob, context.institution.adultAge, new Date()),
    };
  });
}

/**
 * Changes who sees what, and nothing else.
 * @throws ProblemError not-found while there is no profile, profile-changed, auth/too-many-requests
 */
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
 * Writes a person anew, and takes care of what that entails.
 * @param sent the name of a picture that has been stored for this; it goes again when this fails
 */
async function replacePerson(
  context: Context,
  session: Session,
  sent: string | null,
  /** @param brought the name of a picture that was brought over from elsewhere */
  change: (before: StoredPerson | null, account: Account, brought: string | null) => Person,
): Promise<StoredPerson> {
  const { db, media } = context;
  const written = sent === null ? [] : [sent];
  try {
    const { person, before, brought } = await db.transaction().execute(async (tx) => {
      // Saves of one person wait for each other here, so that each lays its choices over those of the one before.
      const account = await lockAccountOfSession(tx, session);
      const before = await findPerson(tx, account.id);
      const brought = before ? null : await deleteIncompleteProfile(tx, account.id);
      let person = change(before, account, brought);
      if (person.picture !== null && before?.picture === person.picture && isPictureNarrowed(person, before)) {
        // Whoever has seen it knows its address; from now on nothing is there.
        const picture = await media.copy(person.picture);
        written.push(picture);
        person = { ...person, picture };
      }
      if (sent !== null && findPictureAudience(person) === 'everyone') {
        const picture = await media.publish(sent);
        written.push(picture);
        person = { ...person, picture };
      }
      const saved = await savePerson(tx, person, before);
      if (!before) {
        await notify(tx, person.id, 'welcome');
        await queueDepartmentDigest(tx, 'joined', person.department);
      }
      return { person: saved, before, brought };
    });
    context.listCache.clear();
    if (brought !== null && brought !== person.picture) await removeUnusedPictures(context, [brought]);
    if (before?.picture && before.picture !== person.picture) await removeUnusedPictures(context, [before.picture]);
    return person;
  } catch (error) {
    await removeUnusedPictures(context, written);
    throw error;
  }
}

/**
 * Refuses a write that is based on another version than the stored one: its page does not show the newest values.
 * @param version undefined where no profile is expected
 * @throws ProblemError profile-changed
 */
function requireVersion(version: ProfileDocument['version'], before: StoredPerson | null): void {
  if (version !== 'any' && version !== before?.version) throw new ProblemError('profile-changed');
}

/** Checks every field by its rule. @throws ProblemError */
function readForm(
  { institution }: Context,
  fields: Omit<ProfileDocument, 'visibility'>,
  storedDob: string | undefined,
): ProfileForm {
  const read = readProfileForm(institution, toForm(fields), storedDob);
  if ('form' in read) return read.form;
  const errors = read.wrong.map(({ field, message }) => ({ pointer: toPointer(field), message }));
  const [wrong] = errors;
  if (errors.length === 1 && wrong?.pointer === toPointer('imgURL') && fields.imgURL?.startsWith('data:')) {
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
 * @param brought the picture that was brought over for somebody without a profile
 * @returns the name of the picture that was there, or none when it is taken down
 */
function resolveStoredPicture(imgURL: string | null, before: Person | null, brought: string | null): string | null {
  if (imgURL === null && before) return null;
  const current = before ? before.picture : brought;
  if (imgURL !== null && current !== null && imgURL === picturePath(current, 384)) return current;
  throw new ProblemError('validation-failed', {
    errors: [{ pointer: toPointer('imgURL'), message: 'Choose a picture from this device.' }],
  });
}
