import { isDeepStrictEqual } from 'node:util';
import { CompiledQuery } from 'kysely';
import type { Db } from '../db/client.ts';
import type { ProfileColumns } from '../db/schema.ts';
import { type StoredPerson, toDisplayName } from './people.ts';
import { type Session, lockSessionSql } from './sessions.ts';
import { type Listing, type Person, isWithheld, toListings, unlistedColumns } from './visibility.ts';
import { deleteUnusedWords, diffWords, maxCheckedPeople } from './vocabulary.ts';

/* Saves of profile columns in one statement, without a transaction (decision 56). */

const columns = [
  ...unlistedColumns,
  'first_name',
  'middle_name',
  'last_name',
  'matric_number',
  'college',
  'department',
  'program',
  'year_graduated',
  'other_names',
] as const satisfies readonly (keyof ProfileColumns)[];

/**
 * Saves a profile in one statement if only its columns changed, and the change neither adds nor removes a listing or adds a word to the
 * search vocabulary. Call it outside a transaction.
 * @param before the stored person, which may have changed since it was read
 * @returns the person as stored, and whether listings were written; null, with nothing written, if the save needs a transaction: for other
 *   changes, or because `before` or the session is no longer valid
 */
export async function saveColumns(
  db: Db,
  session: Session,
  person: Person,
  before: StoredPerson,
): Promise<{ readonly person: StoredPerson; readonly isListed: boolean } | null> {
  const changed = (Object.keys(person) as (keyof Person)[]).filter(
    (name) => !isDeepStrictEqual(person[name], before[name]),
  );
  const isIn = (names: readonly (keyof Person)[]) => changed.every((name) => names.includes(name));
  if (!isIn(columns)) return null;
  const isListed = !isIn(unlistedColumns);
  const statement = isListed ? listedStatement(person, before) : unlistedStatement(person);
  if (!statement) return null;
  const { rows } = await db.executeQuery<{ rareWords: string[] }>(
    CompiledQuery.raw(statement.sql, [person.id, session.id, before.version, ...statement.parameters]),
  );
  if (!rows[0]) return null;
  // After the commit: if the process ends before, the nightly recount deletes the words.
  await deleteUnusedWords(db, rows[0].rareWords);
  return { person: { ...person, version: before.version + 1 }, isListed };
}

/**
 * A statement that returns one row if it saves, with the old words that may be unused now. Its first parameters are account, session and
 * version.
 */
interface SaveStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Returns SQL that updates the profile and increments its version. Columns start at parameter $4. */
const updateProfileSql = (names: readonly string[]) => `
  update profiles p
  set ${names.map((name, at) => `${name} = $${at + 4}`).join(', ')}, version = version + 1, updated_at = now()
  from owner, held_session where p.account_id = owner.id and p.version = $3`;

const unlistedSql = `with ${lockSessionSql} ${updateProfileSql(unlistedColumns)} returning '{}'::text[] as "rareWords"`;

const unlistedStatement = (person: Person): SaveStatement => ({
  sql: unlistedSql,
  parameters: unlistedColumns.map((name) => person[name]),
});

/** Columns of a listing that depend on columns of the profile. The picture does not. */
const listingColumns = [
  'sort_name',
  'given_sort_name',
  'name',
  'college',
  'department',
  'program',
  'year_graduated',
  'matric_number',
  'other_names',
  'words',
] as const satisfies readonly (keyof Listing)[];
const assignmentOf = (name: (typeof listingColumns)[number]) => {
  if (name === 'words') return 'search = array_to_tsvector(new.words::text[])';
  return name === 'year_graduated' ? 'year_graduated = new.year_graduated::smallint' : `${name} = new.${name}`;
};

/** Parameters after the columns. */
const displayNameAt = columns.length + 4;
const [newWordsAt, oldWordsAt, listingsAt] = [displayNameAt + 1, displayNameAt + 2, displayNameAt + 3];

/** Returns SQL that updates existing listings. A listing that was removed in the meantime, to hide the person, stays removed. */
function updateListingsSql(count: number): string {
  const names = ['audience', ...listingColumns];
  const rows = Array.from({ length: count }, (_, row) => {
    const first = listingsAt + row * names.length;
    return `(${names.map((_name, at) => `$${first + at}`).join(', ')})`;
  });
  return `update listings l set ${listingColumns.map(assignmentOf).join(', ')}
    from saved, (values ${rows.join(', ')}) as new (${names.join(', ')})
    where l.account_id = saved.account_id and l.audience = new.audience`;
}

/** Returns the SQL that saves a person with this number of listings. */
const listedSql = (listings: number) => `with ${lockSessionSql},
  saved as (${updateProfileSql(columns)}
    and $${newWordsAt}::text[] <@ array(select word from search_words where word = any($${newWordsAt}))
    returning p.account_id),
  named as (
    update accounts set display_name = $${displayNameAt} from saved
    where id = saved.account_id and display_name is distinct from $${displayNameAt})
  ${listings === 0 ? '' : `, listed as (${updateListingsSql(listings)})`}
  select array(select word from search_words where word = any($${oldWordsAt}::text[]) and people < ${maxCheckedPeople}) as "rareWords"
  from saved`;
const listedSqls = [0, 1, 2].map(listedSql);

/** Returns the statement that also updates the display name and the listings, or null if this needs a transaction. */
function listedStatement(person: Person, before: StoredPerson): SaveStatement | null {
  const [now, until] = [toListings(person), toListings(before)];
  const sql = listedSqls[now.length];
  const isUpdate = now.length === until.length && now.every(({ audience }, at) => audience === until[at]?.audience);
  if (sql === undefined || !isUpdate || isWithheld(before)) return null;
  const { wanted, gone } = diffWords(now, until);
  return {
    sql,
    parameters: [
      ...columns.map((name) => person[name]),
      toDisplayName(person),
      wanted,
      gone,
      ...now.flatMap((listing) => [listing.audience, ...listingColumns.map((name) => listing[name])]),
    ],
  };
}
