import { PictureData } from '#contract/fields.ts';
import { factsOf } from '#contract/institution.ts';
import { type FormField, type ProfileDocument, pointerTo, profileForm, toForm } from '#contract/profile.ts';
import type { Context } from '../../domain/context.ts';
import { fold } from '../../domain/folding.ts';
import { findPerson, isPictureUsed, mergeChoices, savePerson, toColumns } from '../../domain/people.ts';
import { notify } from '../../domain/notify.ts';
import type { Session } from '../../domain/sessions.ts';
import type { Person } from '../../domain/visibility.ts';
import { bytesOfDataString, picturePath } from '../../platform/media.ts';
import { ProblemError } from '../../platform/problem.ts';

/**
 * Creates or overwrites the own profile document (specification, section 7). The onboarding needs a picture (section 5,
 * step 5); somebody who has a profile may take theirs down.
 * @throws ProblemError validation-failed with a pointer to each wrong field, not-an-image
 */
export async function saveProfile(context: Context, { account }: Session, document: ProfileDocument): Promise<Person> {
  const { db, media, institution } = context;
  const { visibility, ...fields } = document;
  const parsed = profileForm(factsOf(institution, new Date())).safeParse(toForm(fields));
  if (!parsed.success) {
    throw new ProblemError('validation-failed', {
      errors: parsed.error.issues.map(({ path, message }) => ({ pointer: pointerTo(path[0] as FormField), message })),
    });
  }
  const form = { ...parsed.data, department: usualSpelling(parsed.data.department, context) };

  const before = await findPerson(db, account.id);
  const picture = await keepPicture(context, form.imgURL, before);
  const person: Person = {
    ...toColumns(form),
    id: account.id,
    email: account.email,
    picture,
    visibility: mergeChoices(before?.visibility ?? {}, visibility),
  };
  await db.transaction().execute(async (tx) => {
    await savePerson(tx, person);
    if (!before) await notify(tx, account.id, 'welcome');
  });
  if (before?.picture && before.picture !== picture && !(await isPictureUsed(db, before.picture))) {
    await media.remove(before.picture);
  }
  return person;
}

/** @returns the name of the stored picture: a new one, the one that was there, or none */
async function keepPicture({ media }: Context, imgURL: string | null, before: Person | null): Promise<string | null> {
  if (imgURL !== null && PictureData.safeParse(imgURL).success) return media.store(bytesOfDataString(imgURL));
  const current = before?.picture ?? null;
  const isUnchanged = imgURL !== null && current !== null && imgURL === picturePath(current, 384);
  if (isUnchanged) return current;
  if (imgURL === null && before) return null;
  throw new ProblemError('validation-failed', {
    errors: [{ pointer: pointerTo('imgURL'), message: 'Choose a picture from this device.' }],
  });
}

/** "computer  science" and "Computer Science" are one department: the institution's own spelling wins. */
function usualSpelling(department: string, { institution }: Context): string {
  const known = institution.colleges.flatMap(({ departments }) => departments);
  return known.find((name) => fold(name) === fold(department)) ?? department;
}
