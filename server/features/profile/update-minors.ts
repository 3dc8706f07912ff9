import { sql } from 'kysely';
import { hasReachedAge, getLatestDob } from '#contract/age.ts';
import type { Context } from '#server/domain/context.ts';
import { findPerson, savePerson } from '#server/domain/people/people.ts';
import { removeUnusedPictures } from '#server/domain/people/pictures.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import { isPictureNarrowed } from '#server/domain/people/visibility.ts';
import { isClockSteady } from '#server/platform/lifecycle/clock.ts';

/**
 * Updates the stored `isMinor` flag of all profiles: after birthdays, after an update of the server, and after a change
 * of `adultAge` in `institution.json`. Changes no minor to an adult while the clock may be wrong.
 */
export async function updateMinors(context: Context): Promise<void> {
  const { db, institution } = context;
  const latest = getLatestDob(institution.adultAge, new Date());
  const isWidening = await isClockSteady(db);
  const { rows } = await sql<{ account_id: string }>`
    select account_id from profiles
    where is_minor <> (to_char(dob, 'YYYY-MM-DD') > ${latest}) and (${isWidening} or not is_minor)`.execute(db);
  for (const { account_id: id } of rows) await updateMinor(context, id);
}

async function updateMinor(context: Context, accountId: string): Promise<void> {
  const { db, media, institution } = context;
  const written: string[] = [];
  try {
    const replaced = await db.transaction().execute(async (tx) => {
      await lockAccount(tx, accountId);
      const before = await findPerson(tx, accountId);
      if (!before) return null;
      let person = { ...before, isMinor: !hasReachedAge(before.dob, institution.adultAge, new Date()) };
      if (person.picture !== null && isPictureNarrowed(person, before)) {
        // Guests who have seen the picture have its URL, so the picture gets a new one.
        const picture = await media.copy(person.picture);
        written.push(picture);
        person = { ...person, picture };
      }
      await savePerson(tx, person, before);
      // Keeps the date of joining, because an entry in the list of newest members would reveal the birthday.
      await sql`
        update listings as l set listed_at = p.created_at from profiles as p
        where p.account_id = l.account_id and l.account_id = ${accountId} and l.audience = 'everyone'`.execute(tx);
      return before.picture === person.picture ? null : before.picture;
    });
    if (replaced !== null) await removeUnusedPictures(context, [replaced]);
  } catch (error) {
    await removeUnusedPictures(context, written);
    throw error;
  }
}
