import { isDeepStrictEqual } from 'node:util';
import { CompiledQuery, type Selectable, sql } from 'kysely';
import type { ProfileForm } from '#contract/profile.ts';
import type { VisibilityChoices } from '#contract/visibility.ts';
import type { Db } from '../db/client.ts';
import type { ProfileColumns, Tables } from '../db/schema.ts';
import { type Listing, type Person, toListings } from './visibility.ts';
import { deleteUnusedWords, addWords } from './vocabulary.ts';

export interface StoredPerson extends Person {
  /** Counts the saves: 1 for a new profile. */
  readonly version: number;
}

/** The person with this id, or null while they have no profile. */
export const findPerson = async (db: Db, id: string): Promise<StoredPerson | null> =>
  (await findPersons(db, [id]))[0] ?? null;

/** Returns the persons with these ids, in no order, without those who have no profile. */
async function findPersons(db: Db, ids: readonly string[]): Promise<StoredPerson[]> {
  const { rows } = await db.executeQuery<PersonRow>(
    CompiledQuery.raw(
      'select p.*, a.email, not a.is_active as is_disabled, a.hidden_until_sign_in is not null as awaits_sign_in from profiles p join accounts a on a.id = p.account_id where p.account_id = any($1)',
      [ids],
    ),
  );
  return rows.map(toPerson);
}

type PersonRow = Omit<Person, 'id' | 'isHidden' | 'isIndexed' | 'isMinor' | 'isDisabled' | 'awaitsSignIn'> &
  Selectable<Tables['profiles']> & { is_disabled: boolean; awaits_sign_in: boolean };

function toPerson(row: PersonRow): StoredPerson {
  const {
    account_id,
    is_hidden: isHidden,
    is_indexed: isIndexed,
    is_minor: isMinor,
    is_disabled: isDisabled,
    awaits_sign_in: awaitsSignIn,
    created_at: _,
    updated_at: __,
    ...columns
  } = row;
  return { ...columns, id: account_id, isHidden, isIndexed, isMinor, isDisabled, awaitsSignIn };
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
const toDisplayName = ({ last_name, first_name }: Pick<ProfileColumns, 'last_name' | 'first_name'>): string =>
  `${last_name} ${first_name}`;

/**
 * Creates or overwrites a person's profile, what each audience may see of it, and the display name. Belongs into a
 * transaction.
 * @param before who they were until now, read in the same transaction; null for somebody new
 */
export async function savePerson(db: Db, person: Person, before: StoredPerson | null): Promise<StoredPerson> {
  const {
    id,
    email: _,
    visibility,
    isHidden,
    isIndexed,
    isMinor,
    isDisabled: __,
    awaitsSignIn: ___,
    ...columns
  } = person;
  const values = {
    account_id: id,
    ...columns,
    visibility: JSON.stringify(visibility),
    is_hidden: isHidden,
    is_indexed: isIndexed,
    is_minor: isMinor,
    version: (before?.version ?? 0) + 1,
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
  if (!before || toDisplayName(before) !== toDisplayName(person)) {
    await db
      .updateTable('accounts')
      .set({ display_name: toDisplayName(person) })
      .where('id', '=', id)
      .execute();
  }
  await updateListings(db, person, before);
  return { ...person, version: values.version };
}

/**
 * Brings the lists and the vocabulary from what they had of a person to what they have from now on. Belongs into a
 * transaction.
 * @param before who they were until now; null where they were in no list
 */
export async function updateListings(db: Db, person: Person, before: Person | null): Promise<void> {
  // Most changes concern nothing that stands in a list.
  const [now, until] = [toListings(person), before ? toListings(before) : []];
  if (!isDeepStrictEqual(now, until)) await writeListings(db, person.id, now, until);
}

/**
 * Somebody who comes from elsewhere has not joined today: they are neither first in the lists nor news, nor on the day when they are
 * switched on or sign in, if they are not listed until then. Belongs into the transaction that has saved their profile for the first time.
 */
export async function backdateListings(db: Db, id: string, joined: Date): Promise<void> {
  await db.updateTable('profiles').set({ created_at: joined }).where('account_id', '=', id).execute();
  await db.updateTable('listings').set({ listed_at: joined }).where('account_id', '=', id).execute();
  await sql`
    insert into paused_listings (account_id, audience, listed_at)
    select a.id, audience, ${joined}::timestamptz from accounts as a cross join unnest(array['everyone', 'members']) as audience
    where a.id = ${id} and (not a.is_active or a.hidden_until_sign_in is not null)
    on conflict do nothing`.execute(db);
}

/** Remembers since when a person has been in each list. Call it before they are taken out of them for a while. */
export async function pauseListings(db: Db, id: string): Promise<void> {
  await db
    .insertInto('paused_listings')
    .columns(['account_id', 'audience', 'listed_at'])
    .expression((eb) =>
      eb.selectFrom('listings').select(['account_id', 'audience', 'listed_at']).where('account_id', '=', id),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Lists a person again who was taken out for a while, with the dates of before. Does nothing while they are not to be listed. */
export async function resumeListings(db: Db, id: string): Promise<void> {
  const person = await findPerson(db, id);
  if (!person || person.isDisabled || person.awaitsSignIn) return;
  await updateListings(db, person, null);
  // In SQL: a JavaScript date would cut the microseconds.
  await sql`
    update listings as l set listed_at = paused.listed_at from paused_listings as paused
    where paused.account_id = ${id} and l.account_id = paused.account_id and l.audience = paused.audience`.execute(db);
  await db.deleteFrom('paused_listings').where('account_id', '=', id).execute();
}

/** Writes the listings again, and takes those away from which the person has withdrawn. */
async function writeListings(db: Db, id: string, now: readonly Listing[], until: readonly Listing[]): Promise<void> {
  const withdrawn = until.filter((old) => !now.some(({ audience }) => audience === old.audience));
  for (const { audience } of withdrawn)
    await db.deleteFrom('listings').where('account_id', '=', id).where('audience', '=', audience).execute();
  // One audience after another, as the table of counts is sorted: two saves at once take its rows in the same order.
  for (const listing of now) await upsertListings(db, [listing]);
  const words = now.flatMap((listing) => listing.words);
  const oldWords = until.flatMap((listing) => listing.words);
  await addWords(
    db,
    words.filter((word) => !oldWords.includes(word)),
  );
  await deleteUnusedWords(
    db,
    oldWords.filter((word) => !words.includes(word)),
  );
}

async function upsertListings(db: Db, listings: readonly Listing[]): Promise<void> {
  if (listings.length === 0) return;
  await db
    .insertInto('listings')
    .values(
      listings.map(({ words, ...listing }) => ({
        ...listing,
        search: sql<string>`array_to_tsvector(${words}::text[])`,
      })),
    )
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

/** People whose listings are rewritten in one statement. */
const rebuildBatchSize = 500;

/**
 * Writes the listings of the next people in the order of their ids again, by today's rules, and leaves the vocabulary alone. Call it in a
 * transaction: it locks their accounts, as a save does.
 * @param after the last id of the batch before; null for the first batch
 * @returns the last id of this batch; null after the last person
 */
export async function rebuildNextListings(tx: Db, after: string | null): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts
    where id > ${after ?? '00000000-0000-0000-0000-000000000000'}
      and exists (select from profiles where account_id = accounts.id)
    order by id limit ${sql.lit(rebuildBatchSize)} for no key update`.execute(tx);
  const persons = await findPersons(
    tx,
    rows.map(({ id }) => id),
  );
  const listings = persons.flatMap(toListings);
  for (const audience of ['everyone', 'members'] as const)
    await upsertListings(
      tx,
      listings.filter((listing) => listing.audience === audience),
    );
  return rows.at(-1)?.id ?? null;
}

/** A person's choices with new ones laid over them. */
export const mergeChoices = (old: VisibilityChoices, chosen: VisibilityChoices | undefined): VisibilityChoices => ({
  ...old,
  ...chosen,
});
