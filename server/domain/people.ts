import { isDeepStrictEqual } from 'node:util';
import { CompiledQuery, type Selectable, sql } from 'kysely';
import type { ProfileForm } from '#contract/profile.ts';
import type { VisibilityChoices } from '#contract/visibility.ts';
import type { Db } from '../db/client.ts';
import type { ProfileColumns, Tables } from '../db/schema.ts';
import { type Listing, type Person, toListings } from './visibility.ts';
import { forgetWords, learnWords } from './vocabulary.ts';

/** The person with this id, or null while they have no profile. */
export async function findPerson(db: Db, id: string): Promise<Person | null> {
  const { rows } = await db.executeQuery<
    Omit<Person, 'id' | 'isHidden' | 'isIndexed' | 'isDisabled'> &
      Selectable<Tables['profiles']> & { is_disabled: boolean }
  >(
    CompiledQuery.raw(
      'select p.*, a.email, a.disabled_at is not null as is_disabled from profiles p join accounts a on a.id = p.account_id where p.account_id = $1',
      [id],
    ),
  );
  const [row] = rows;
  if (!row) return null;
  const {
    account_id,
    is_hidden: isHidden,
    is_indexed: isIndexed,
    is_disabled: isDisabled,
    created_at: _,
    updated_at: __,
    ...columns
  } = row;
  return { ...columns, id: account_id, isHidden, isIndexed, isDisabled };
}

/** The form's fields as columns. */
export const toColumns = (form: ProfileForm): ProfileColumns => ({
  first_name: form.firstName,
  middle_name: form.middleName,
  last_name: form.lastName,
  title: form.title,
  dob: form.dob,
  gender: form.gender,
  home_address: form.homeAddress,
  contact_number: form.contactNumber,
  matric_number: form.matricNumber,
  college: form.college,
  department: form.department,
  program: form.program,
  year_admitted: form.yearAdmitted,
  year_graduated: form.yearGraduated,
  interest: form.interest,
  bio: form.bio,
  full_bio: form.fullBio,
  x_handle: form.xHandle,
  facebook_name: form.facebookName,
  linkedin_name: form.linkedinName,
  other_names: form.otherNames ?? '',
});

/** Last name, a space, first name (specification, section 3). */
const displayNameOf = ({ last_name, first_name }: Pick<ProfileColumns, 'last_name' | 'first_name'>): string =>
  `${last_name} ${first_name}`;

/**
 * Creates or overwrites a person's profile, what each audience may see of it, and the display name. Belongs into a
 * transaction.
 * @param before who they were until now, read in the same transaction; null for somebody new
 */
export async function savePerson(db: Db, person: Person, before: Person | null): Promise<void> {
  const { id, email: _, visibility, isHidden, isIndexed, isDisabled: __, ...columns } = person;
  const values = {
    account_id: id,
    ...columns,
    visibility: JSON.stringify(visibility),
    is_hidden: isHidden,
    is_indexed: isIndexed,
  };
  // Names of columns, as `toColumns` and the table have them; never anything that somebody has typed.
  const names = Object.keys(values);
  await db.executeQuery(
    CompiledQuery.raw(
      `insert into profiles (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})
       on conflict (account_id) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}, updated_at = now()`,
      Object.values(values),
    ),
  );
  if (!before || displayNameOf(before) !== displayNameOf(person)) {
    await db
      .updateTable('accounts')
      .set({ display_name: displayNameOf(person) })
      .where('id', '=', id)
      .execute();
  }
  await listPerson(db, person, before);
}

/**
 * Brings the lists and the vocabulary from what they had of a person to what they have from now on. Belongs into a
 * transaction.
 * @param before who they were until now; null where they were in no list
 */
export async function listPerson(db: Db, person: Person, before: Person | null): Promise<void> {
  // Most changes concern nothing that stands in a list.
  const [now, until] = [toListings(person), before ? toListings(before) : []];
  if (!isDeepStrictEqual(now, until)) await list(db, person.id, now, until);
}

/**
 * Somebody who comes from elsewhere has not joined today: they are neither first in the lists nor news, nor on the day when they are
 * switched on, if they are off. Belongs into the transaction that has saved their profile for the first time.
 */
export async function dateBack(db: Db, id: string, joined: Date): Promise<void> {
  await db.updateTable('profiles').set({ created_at: joined }).where('account_id', '=', id).execute();
  await db.updateTable('listings').set({ listed_at: joined }).where('account_id', '=', id).execute();
  await sql`
    insert into paused_listings (account_id, audience, listed_at)
    select a.id, audience, ${joined}::timestamptz from accounts as a cross join unnest(array['everyone', 'members']) as audience
    where a.id = ${id} and a.disabled_at is not null
    on conflict do nothing`.execute(db);
}

/** Writes the listings again, and takes those away from which the person has withdrawn. */
async function list(db: Db, id: string, now: readonly Listing[], until: readonly Listing[]): Promise<void> {
  const withdrawn = until.filter((old) => !now.some(({ audience }) => audience === old.audience));
  for (const { audience } of withdrawn)
    await db.deleteFrom('listings').where('account_id', '=', id).where('audience', '=', audience).execute();
  // One audience after another, as the table of counts is sorted: two saves at once take its rows in the same order.
  for (const listing of now) await write(db, listing);
  const words = now.flatMap((listing) => listing.words);
  const oldWords = until.flatMap((listing) => listing.words);
  await learnWords(
    db,
    words.filter((word) => !oldWords.includes(word)),
  );
  await forgetWords(
    db,
    oldWords.filter((word) => !words.includes(word)),
  );
}

async function write(db: Db, { words, ...listing }: Listing): Promise<void> {
  await db
    .insertInto('listings')
    .values({ ...listing, search: sql<string>`array_to_tsvector(${words}::text[])` })
    .onConflict((conflict) =>
      conflict.columns(['audience', 'account_id']).doUpdateSet((eb) => {
        const take = <Column extends keyof Tables['listings']>(column: Column) => eb.ref(`excluded.${column}`);
        return {
          sort_name: take('sort_name'),
          name: take('name'),
          picture: take('picture'),
          college: take('college'),
          department: take('department'),
          program: take('program'),
          year_graduated: take('year_graduated'),
          matric_number: take('matric_number'),
          other_names: take('other_names'),
          search: sql<string>`excluded.search`,
        };
      }),
    )
    .execute();
}

/** A person's choices with new ones laid over them. */
export const mergeChoices = (old: VisibilityChoices, chosen: VisibilityChoices | undefined): VisibilityChoices => ({
  ...old,
  ...chosen,
});
