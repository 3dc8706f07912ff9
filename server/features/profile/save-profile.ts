import { PictureData } from '#contract/fields.ts';
import { type Institution, factsOf } from '#contract/institution.ts';
import {
  type FormField,
  type ProfileDocument,
  type ProfileForm,
  pointerTo,
  profileForm,
  toForm,
} from '#contract/profile.ts';
import { type VisibilityChoices, isAtLeastAsWide } from '#contract/visibility.ts';
import type { Context } from '../../domain/context.ts';
import { fold } from '../../domain/folding.ts';
import { findPerson, mergeChoices, pictureAudience, savePerson, toColumns } from '../../domain/people.ts';
import { noteDepartmentNews } from '../../domain/news.ts';
import { notify } from '../../domain/notify.ts';
import { removeUnused } from '../../domain/pictures.ts';
import { type Session, holdSession } from '../../domain/sessions.ts';
import type { Person } from '../../domain/visibility.ts';
import { UnreadablePicture, bytesOfDataString, notAnImage, picturePath } from '../../platform/media.ts';
import { ProblemError } from '../../platform/problem.ts';

/**
 * Creates or overwrites the own profile document (specification, section 7). The onboarding needs a picture (section 5,
 * step 5); somebody who has a profile may take theirs down.
 * @throws ProblemError validation-failed with a pointer to each wrong field, not-an-image
 */
export async function saveProfile(context: Context, session: Session, document: ProfileDocument): Promise<Person> {
  const { db, media } = context;
  const { visibility, ...fields } = document;
  const form = readForm(context, fields);
  const sent = isPictureData(form.imgURL) ? await storePicture(context, form.imgURL) : null;
  const written = sent === null ? [] : [sent];
  try {
    const { person, before } = await db.transaction().execute(async (tx) => {
      // Saves of one person wait for each other here, so that each lays its choices over those of the one before.
      const { id, email } = await holdSession(tx, session);
      const before = await findPerson(tx, id);
      const choices = mergeChoices(before?.visibility ?? {}, visibility);
      let picture = sent ?? keptPicture(form.imgURL, before);
      if (picture !== null && before?.picture === picture && isNarrower(choices, before.visibility)) {
        // Whoever has seen it knows its address; from now on nothing is there.
        picture = await media.copy(picture);
        written.push(picture);
      }
      const person: Person = { ...toColumns(form), id, email, picture, visibility: choices };
      await savePerson(tx, person, before);
      if (!before) {
        await notify(tx, id, 'welcome');
        await noteDepartmentNews(tx, 'joined', person.department);
      }
      return { person, before };
    });
    if (before?.picture && before.picture !== person.picture) await removeUnused(context, [before.picture]);
    return person;
  } catch (error) {
    await removeUnused(context, written);
    throw error;
  }
}

let rules: { year: number; institution: Institution; form: ReturnType<typeof profileForm> } | undefined;

/** The rules of this year: making them takes longer than checking by them. */
function rulesFor(institution: Institution): ReturnType<typeof profileForm> {
  const facts = factsOf(institution, new Date());
  if (rules?.institution !== institution || rules.year !== facts.lastYear)
    rules = { year: facts.lastYear, institution, form: profileForm(facts) };
  return rules.form;
}

/** Checks every field by its rule. @throws ProblemError */
function readForm(context: Context, fields: Omit<ProfileDocument, 'visibility'>): ProfileForm {
  const form = toForm(fields);
  const parsed = rulesFor(context.institution).safeParse(form);
  if (parsed.success) return { ...parsed.data, department: usualSpelling(parsed.data.department, context) };
  const errors = parsed.error.issues.map(({ path, message }) => ({
    pointer: pointerTo(path[0] as FormField),
    message,
  }));
  const [wrong] = errors;
  if (errors.length === 1 && wrong?.pointer === pointerTo('imgURL') && fields.imgURL?.startsWith('data:')) {
    throw notAnImage(pointerTo('imgURL'));
  }
  throw new ProblemError('validation-failed', { errors });
}

const isPictureData = (imgURL: string | null): imgURL is string =>
  imgURL !== null && PictureData.safeParse(imgURL).success;

async function storePicture({ media }: Context, dataString: string): Promise<string> {
  try {
    return await media.store(bytesOfDataString(dataString));
  } catch (error) {
    throw error instanceof UnreadablePicture ? notAnImage(pointerTo('imgURL'), error) : error;
  }
}

/** @returns the name of the picture that was there, or none when it is taken down */
function keptPicture(imgURL: string | null, before: Person | null): string | null {
  if (imgURL === null && before) return null;
  const current = before?.picture ?? null;
  if (imgURL !== null && current !== null && imgURL === picturePath(current, 384)) return current;
  throw new ProblemError('validation-failed', {
    errors: [{ pointer: pointerTo('imgURL'), message: 'Choose a picture from this device.' }],
  });
}

/** Whether somebody could see the picture until now who may not from now on. */
const isNarrower = (choices: VisibilityChoices, before: VisibilityChoices): boolean =>
  !isAtLeastAsWide(pictureAudience(choices), pictureAudience(before));

/** "computer  science" and "Computer Science" are one department: the institution's own spelling wins. */
function usualSpelling(department: string, { institution }: Context): string {
  const known = institution.colleges.flatMap(({ departments }) => departments);
  return known.find((name) => fold(name) === fold(department)) ?? department;
}
