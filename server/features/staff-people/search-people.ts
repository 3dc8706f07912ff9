import { type RawBuilder, type SqlBool, sql } from 'kysely';
import * as z from 'zod/mini';
import { Id, canonicalizeEmail } from '#contract/fields.ts';
import { type FoundPerson, type PeopleFilter, foundPeoplePerPage } from '#contract/staff-people.ts';
import type { StaffScope } from '#contract/staff.ts';
import type { Db } from '../../db/client.ts';
import { searchWords } from '../../domain/folding.ts';
import { toMatricKey } from '../../domain/roster/matric-key.ts';
import { isInScope, profileScopeColumns } from '../../domain/staff/guard.ts';
import { Microseconds, readCursor, writeCursor } from '../../platform/http/cursor.ts';
import { type FoundRow, foundColumns, isShown, selectState } from './person-states.ts';

/** Minimum length of a prefix search: shorter texts match too many addresses and matric numbers. */
const minPrefixLength = 3;

/** If more accounts match, the search reads accounts in the order of creation, newest first. */
const maxReadAccounts = 2_500;

/** Maximum number of words in a search. Further words are ignored. */
const maxWords = 8;

const Key = z.tuple([Microseconds, Id]);

/**
 * Returns one page of the people who match, the newest account first. A value that the person hides from members is not compared, so that the
 * search does not reveal it. Complete addresses and matric numbers are always compared, because staff know them from the person.
 * @throws ProblemError malformed-request when the cursor is not valid
 */
export async function searchPeople(
  db: Db,
  scopes: readonly StaffScope[],
  filter: PeopleFilter,
  after: string | undefined,
): Promise<{ people: FoundPerson[]; next: string | null }> {
  const ids = await findFew(db, scopes, filter);
  const conditions = filterConditions(scopes, filter, ids !== null);
  if (after !== undefined) {
    const [micros, id] = readCursor(after, Key);
    conditions.push(
      sql`(a.created_at, a.id) < ('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${id}::uuid)`,
    );
  }
  // Only the found people are read completely.
  const { rows } = await sql<FoundRow & { micros: string }>`
    select ${foundColumns}, (extract(epoch from a.created_at) * 1000000)::bigint::text as micros
    from (
      select a.id from ${ids ? accountsWith(ids) : sql`accounts a`} left join profiles p on p.account_id = a.id
      where ${sql.join(conditions, sql` and `)}
      order by a.created_at desc, a.id desc limit ${sql.lit(foundPeoplePerPage + 1)}
    ) as page
    join accounts a on a.id = page.id left join profiles p on p.account_id = a.id
    order by a.created_at desc, a.id desc`.execute(db);
  const page = rows.slice(0, foundPeoplePerPage);
  const last = page.at(-1);
  return {
    people: page.map(({ createdAt, ...row }) => ({ ...row, createdAt: createdAt.toISOString() })),
    next: rows.length > page.length && last ? writeCursor([last.micros, last.id]) : null,
  };
}

/**
 * Returns the conditions on an account `a` and its profile `p`, with the scope as the first one.
 * @param isTextMatched whether only accounts that match the text are read anyway
 */
export function filterConditions(
  scopes: readonly StaffScope[],
  filter: PeopleFilter,
  isTextMatched = false,
): RawBuilder<SqlBool>[] {
  const { q, state } = filter;
  const conditions: RawBuilder<SqlBool>[] = [isInScope(scopes, profileScopeColumns('p')), ...profileConditions(filter)];
  if (state) conditions.push(selectState(state));
  if (isTyped(q) && !isTextMatched) conditions.push(sql`a.id in (${findText(q)})`);
  return conditions;
}

function profileConditions({ college, department, year }: PeopleFilter): RawBuilder<SqlBool>[] {
  const conditions: RawBuilder<SqlBool>[] = [];
  if (college !== undefined) conditions.push(sql`p.college = ${college} and ${isShown('college')}`);
  if (department !== undefined) conditions.push(sql`p.department = ${department} and ${isShown('department')}`);
  if (year !== undefined) conditions.push(sql`p.year_graduated = ${year} and ${isShown('yearGraduated')}`);
  return conditions;
}

/**
 * Returns the accounts that match the text and the class, if they are few. Null if they are many: then the newest ones are found soonest in
 * their own order, which would take long for few.
 */
async function findFew(db: Db, scopes: readonly StaffScope[], filter: PeopleFilter): Promise<string[] | null> {
  const { q, department, year } = filter;
  const conditions = profileConditions(filter);
  if (isTyped(q)) conditions.push(sql`p.account_id in (${findText(q)})`);
  const candidates =
    department !== undefined || year !== undefined
      ? sql`select p.account_id from profiles p
          where ${sql.join([isInScope(scopes, profileScopeColumns('p')), ...conditions], sql` and `)}`
      : isTyped(q) && findText(q);
  if (!candidates) return null;
  const { rows } = await sql<{ id: string }>`
    select distinct id from (
      select id from (${candidates}) as found (id) limit ${sql.lit(maxReadAccounts + 1)}
    ) as found`.execute(db);
  return rows.length > maxReadAccounts ? null : rows.map(({ id }) => id);
}

/** Reads some accounts by their ids. The planner would read all accounts, because it overestimates the cost of single rows in memory. */
const accountsWith = (ids: readonly string[]): RawBuilder<unknown> => sql`unnest(${ids}::uuid[]) as found (id)
  cross join lateral (select * from accounts where id = found.id offset 0) as a`;

const isTyped = (q: string | undefined): q is string => q !== undefined && q.trim() !== '';

/** Returns the query for the accounts that match a text. A condition with OR would read all accounts. */
const findText = (text: string): RawBuilder<unknown> =>
  sql.join(
    text.includes('@') ? findByEmail(canonicalizeEmail(text)) : [...findByNames(text), ...findByMatricNumber(text)],
    sql` union all `,
  );

const findByEmail = (email: string): RawBuilder<unknown>[] => [
  sql`select id from accounts where email = ${email}`,
  sql`select account_id from held_addresses where email = ${email}`,
  sql`select s.id from accounts s left join profiles p on p.account_id = s.id
    where s.email like ${toPrefix(email)} and ${isShown('email')}`,
];

/** Finds people with a word that begins with each typed word. A typed word of one or two letters must be a whole word. */
function findByNames(text: string): RawBuilder<unknown>[] {
  // Folded words have only letters and digits, so they need no escaping.
  const words = searchWords(text).slice(0, maxWords);
  const query = words.map((word) => (word.length < minPrefixLength ? `'${word}'` : `'${word}':*`)).join(' & ');
  // An empty query finds no one.
  return [sql`select account_id from person_words where words @@ ${query}::tsquery`];
}

function findByMatricNumber(text: string): RawBuilder<unknown>[] {
  const key = toMatricKey(text);
  if (!/\d/u.test(key) || key.length < minPrefixLength) return [];
  return [
    sql`select p.account_id from profiles p where matric_key(p.matric_number) = ${key}`,
    sql`select p.account_id from profiles p
      where matric_key(p.matric_number) like ${toPrefix(key)} and ${isShown('matricNumber')}`,
  ];
}

/** Returns a pattern for texts that begin with a text. */
const toPrefix = (text: string): string => `${text.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;
