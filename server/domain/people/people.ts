import { isDeepStrictEqual } from 'node:util';
import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { ProfileForm } from '#contract/profile.ts';
import type { VisibilityChoices } from '#contract/visibility.ts';
import type { Db } from '#server/db/client.ts';
import { type ProfileColumns, columnFields, profileRows } from '#contract/profile-fields.ts';
import { awaitsConfirmationSql } from '../membership/membership-status.ts';
import { careerColumns, toCareerColumns } from '../careers/career.ts';
import { type Listing, type Person, isWithheld, toListings } from './visibility.ts';
import { diffWords, prepareWords } from '../search/vocabulary.ts';

export interface StoredPerson extends Person {
  readonly version: number;
}

export const findPerson = async (db: Db, id: string): Promise<StoredPerson | null> =>
  (await findPersons(db, [id]))[0] ?? null;

const columnNames = columnFields.map((field) => profileRows[field].column as keyof ProfileColumns);
const readColumns = [...columnNames, ...careerColumns].map((name) => `p.${name}`).join(', ');

/**
 * Returns the persons with these account ids in any order. Accounts without a profile are left out.
 * @param more SQL of further columns, which can read `accounts` as `a` and `profiles` as `p`
 */
export async function findPersons<More = unknown>(
  db: Db,
  ids: readonly string[],
  more?: string,
): Promise<(StoredPerson & More)[]> {
  // The subquery has the same purpose as in `sessions.ts`: one plan for all executions.
  const { rows } = await db.executeQuery<StoredPerson & More>(
    CompiledQuery.raw(
      `select a.id, a.email, ${readColumns}, p.picture, p.visibility, p.version,
         p.is_hidden as "isHidden", p.is_indexed as "isIndexed", p.is_minor as "isMinor",
         a.takes_messages as "takesMessages", not a.is_active as "isDisabled", a.profile_hidden_at is not null as "isHiddenByStaff",
         a.hidden_until_sign_in is not null as "awaitsSignIn", ${awaitsConfirmationSql} as "awaitsConfirmation"
         ${more === undefined ? '' : `, ${more}`}
       from profiles p join accounts a on a.id = p.account_id where p.account_id = any((select $1::uuid[])::uuid[])`,
      [ids],
    ),
  );
  return rows;
}

export const toColumns = (form: ProfileForm): ProfileColumns =>
  Object.fromEntries(columnFields.map((field) => [profileRows[field].column, form[field] ?? ''])) as ProfileColumns;

/** Converts database columns to fields of the profile form, without the picture. Empty extra fields are absent. */
export const fromColumns = (columns: ProfileColumns): Omit<ProfileForm, 'imgURL'> =>
  Object.fromEntries(
    columnFields.flatMap((field) => {
      const { column, isExtra } = profileRows[field];
      const value = columns[column as keyof ProfileColumns];
      return isExtra && value === '' ? [] : [[field, value]];
    }),
  ) as Omit<ProfileForm, 'imgURL'>;

/** Returns the last name, a space and the first name (specification, section 3). */
export const toDisplayName = ({ last_name, first_name }: Pick<ProfileColumns, 'last_name' | 'first_name'>): string =>
  `${last_name} ${first_name}`;

/**
 * Creates or overwrites a profile, its listings, the search vocabulary and the display name. Call it in a transaction.
 * @param before the stored person, read in the same transaction; null for a new profile
 * @returns the person as stored
 */
export async function savePerson(db: Db, person: Person, before: StoredPerson | null): Promise<StoredPerson> {
  const displayName = toDisplayName(person);
  const values = {
    account_id: person.id,
    ...Object.fromEntries(columnNames.map((name) => [name, person[name]])),
    ...toCareerColumns(person),
    positions: JSON.stringify(person.positions),
    picture: person.picture,
    visibility: JSON.stringify(person.visibility),
    is_hidden: person.isHidden,
    is_indexed: person.isIndexed,
    is_minor: person.isMinor,
    version: (before?.version ?? 0) + 1,
  };
  const named = sql`named as (
    update accounts set display_name = ${displayName}
    where id = ${person.id} and display_name is distinct from ${displayName}
  )`;
  await sql`
    with ${sql.join([named, ...(await prepareListings(db, person, before))])}
    insert into profiles (${sql.raw(Object.keys(values).join(', '))}) values (${sql.join(Object.values(values))})
    on conflict (account_id) do update set ${overwrite(Object.keys(values))}, updated_at = now()`.execute(db);
  return { ...person, version: values.version };
}

/** @param names columns of the table, never user input: they become part of the SQL text */
const overwrite = (names: readonly string[]) => sql.raw(names.map((name) => `${name} = excluded.${name}`).join(', '));

/**
 * Updates a person's listings and the search vocabulary. Call it in a transaction.
 * @param before the person as listed until now; null for a person who was not listed
 */
export async function updateListings(db: Db, person: Person, before: Person | null): Promise<void> {
  const writes = await prepareListings(db, person, before);
  if (writes.length > 0) await sql`with ${sql.join(writes)} select`.execute(db);
}

/**
 * Sets the date on which an imported person joined, so that lists do not show the person as a new member. If the person
 * is not listed yet, the date also applies when the account is enabled or its owner signs in. Call it in the
 * transaction that creates the profile.
 */
export async function backdateListings(db: Db, id: string, joined: Date): Promise<void> {
  await db.updateTable('profiles').set({ created_at: joined }).where('account_id', '=', id).execute();
  await db.updateTable('listings').set({ listed_at: joined }).where('account_id', '=', id).execute();
  await sql`
    insert into paused_listings (account_id, audience, listed_at)
    select a.id, audience, ${joined}::timestamptz from accounts as a cross join unnest(array['everyone', 'members']) as audience
    where a.id = ${id} and (not a.is_active or a.profile_hidden_at is not null or a.hidden_until_sign_in is not null or ${sql.raw(awaitsConfirmationSql)})
    on conflict do nothing`.execute(db);
}

/**
 * Removes listings temporarily, and stores their dates.
 * @param person as they are now
 * @param before as listed until now
 */
export async function pauseListings(db: Db, person: Person, before: Person): Promise<void> {
  await db
    .insertInto('paused_listings')
    .columns(['account_id', 'audience', 'listed_at'])
    .expression((eb) =>
      eb.selectFrom('listings').select(['account_id', 'audience', 'listed_at']).where('account_id', '=', person.id),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await updateListings(db, person, before);
}

/**
 * Restores temporarily removed listings with their original dates. Does nothing while the person must not be listed.
 */
export async function resumeListings(db: Db, id: string): Promise<void> {
  const person = await findPerson(db, id);
  if (!person || isWithheld(person)) return;
  await updateListings(db, person, null);
  // Uses SQL, because a JavaScript date would lose the microseconds.
  await sql`
    update listings as l set listed_at = paused.listed_at from paused_listings as paused
    where paused.account_id = ${id} and l.account_id = paused.account_id and l.audience = paused.audience`.execute(db);
  await db.deleteFrom('paused_listings').where('account_id', '=', id).execute();
}

/**
 * Returns the writes that update a person's listings and the search vocabulary, for a `with` clause: none in most saves.
 * If they need two statements, runs the first one.
 */
async function prepareListings(db: Db, person: Person, before: Person | null): Promise<RawBuilder<unknown>[]> {
  const [now, until] = [toListings(person), before ? toListings(before) : []];
  const changes = (['everyone', 'members'] as const).flatMap((audience) => {
    const [listing, old] = [now, until].map((listings) => listings.find((one) => one.audience === audience));
    const kind = listing ? (old ? 'update' : 'insert') : 'delete';
    return isDeepStrictEqual(listing, old) ? [] : [{ audience, listing, kind }];
  });
  const words = prepareWords(person.id, diffWords(now, until));
  const list = (some: typeof changes) => {
    const listings = some.flatMap(({ listing }) => listing ?? []);
    const write =
      listings.length > 0
        ? upsertListings(listings)
        : sql`delete from listings where account_id = ${person.id} and audience in (${sql.join(some.map(({ audience }) => audience))})`;
    return sql`listed as (${write})`;
  };
  // Parallel saves lock words and then the rows of `listing_counts` in the same order and cannot deadlock: changes of one
  // kind in one statement, because its trigger sorts them, and otherwise one audience at a time.
  if (changes[1] && changes[0]?.kind !== changes[1].kind) {
    await sql`with ${sql.join([...words, list(changes.splice(0, 1))])} select`.execute(db);
    return [list(changes)];
  }
  return changes.length > 0 ? [...words, list(changes)] : [];
}

/** Columns of a listing that a save overwrites, without its search words. */
const listingColumns = [
  'audience',
  'account_id',
  'sort_name',
  'given_sort_name',
  'name',
  'picture',
  'college',
  'department',
  'program',
  'year_graduated',
  'matric_number',
  'other_names',
  'role',
  'employer',
  'field',
  'city',
  'area_id',
  'country',
  'helps',
] as const satisfies readonly (keyof Listing)[];

function upsertListings(listings: readonly Listing[]): RawBuilder<unknown> {
  const rows = listings.map(
    (listing) =>
      sql`(${sql.join(listingColumns.map((name) => listing[name]))}, ${mergedKey(listing.employer_key)},
        array_to_tsvector(${listing.words}::text[]))`,
  );
  const names = [...listingColumns, 'employer_key', 'search'];
  return sql`
    insert into listings (${sql.raw(names.join(', '))}) values ${sql.join(rows)}
    on conflict (audience, account_id) do update set ${overwrite(names)}`;
}

const mergedKey = (key: string | null) =>
  key === null ? null : sql`coalesce((select same_as from employer_merges where key = ${key}), ${key})`;

const rebuildBatchSize = 500;

/**
 * Rebuilds the listings of the next batch of people, in the order of their ids. Does not change the vocabulary. Call it
 * in a transaction, because it locks the accounts, as a save does.
 * @param after the last id of the previous batch; null for the first batch
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
  for (const audience of ['everyone', 'members'] as const) {
    const some = listings.filter((listing) => listing.audience === audience);
    if (some.length > 0) await upsertListings(some).execute(tx);
  }
  return rows.at(-1)?.id ?? null;
}

export const mergeChoices = (old: VisibilityChoices, chosen: VisibilityChoices | undefined): VisibilityChoices => ({
  ...old,
  ...chosen,
});
