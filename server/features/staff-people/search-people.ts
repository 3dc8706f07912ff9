import { type RawBuilder, type SqlBool, sql } from 'kysely';
import * as z from 'zod/mini';
import { Id, canonicalizeEmail } from '#contract/fields.ts';
import { type FoundPerson, type PeopleFilter, foundPeoplePerPage } from '#contract/staff/people.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import { minPrefixLength, toWordQuery } from '#server/domain/search/word-query.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { isProfileInScope } from '#server/domain/staff/guard.ts';
import { cutPage, Microseconds, readCursor, timeOf, toMicroseconds } from '#server/platform/http/cursor.ts';
import { foundColumns, isInState, isShown, selectState } from './person-states.ts';

/** If more accounts match, the search reads accounts in the order of creation, newest first. */
const maxReadAccounts = 2_500;

const Key = z.tuple([Microseconds, Id]);

/**
 * Returns one page of the people who match, the newest account first. A value that the person hides from members is not
 * compared, so that the search does not reveal it. Complete addresses and matric numbers are always compared, because
 * staff know them from the person.
 * @throws ProblemError malformed-request when the cursor is not valid
 */
export async function searchPeople(
  db: Db,
  scopes: readonly StaffScope[],
  filter: PeopleFilter,
  after: string | undefined,
): Promise<{ people: z.input<typeof FoundPerson>[]; next: string | null }> {
  const ids = await findFew(db, scopes, filter);
  const conditions = scopeConditions(scopes, filter, ids === null ? selectState : isInState);
  if (ids === null) conditions.push(...textConditions(filter.q, sql`a.id`));
  if (after !== undefined) {
    const [micros, id] = readCursor(after, Key);
    conditions.push(sql`(a.created_at, a.id) < (${timeOf(micros)}, ${id}::uuid)`);
  }
  // Only the found people are read completely.
  const { rows } = await sql<z.input<typeof FoundPerson> & { micros: string }>`
    select ${foundColumns}, ${sql.raw(toMicroseconds('a.created_at'))} as micros
    from (
      select a.id from ${ids ? accountsWith(ids) : sql`accounts a`} left join profiles p on p.account_id = a.id
      where ${sql.join(conditions, sql` and `)}
      order by a.created_at desc, a.id desc limit ${sql.lit(foundPeoplePerPage + 1)}
    ) as page
    join accounts a on a.id = page.id left join profiles p on p.account_id = a.id
    order by a.created_at desc, a.id desc`.execute(db);
  const { rows: people, next } = cutPage(rows, foundPeoplePerPage, ({ micros, id }) => [micros, id]);
  return { people, next };
}

/** Returns the conditions on an account `a` and its profile `p`, with the scope as the first one. */
export const filterConditions = (scopes: readonly StaffScope[], filter: PeopleFilter): RawBuilder<SqlBool>[] => [
  ...scopeConditions(scopes, filter, selectState),
  ...(isTyped(filter.q) ? [sql<SqlBool>`a.id in (${findText(filter.q)})`] : []),
];

const scopeConditions = (
  scopes: readonly StaffScope[],
  filter: PeopleFilter,
  toStateCondition: typeof selectState,
): RawBuilder<SqlBool>[] => [
  isProfileInScope(scopes, 'p'),
  ...profileConditions(filter),
  ...(filter.state ? [toStateCondition(filter.state)] : []),
];

function profileConditions({ college, department, year }: PeopleFilter): RawBuilder<SqlBool>[] {
  const conditions: RawBuilder<SqlBool>[] = [];
  if (college !== undefined) conditions.push(sql`p.college = ${college} and ${isShown('college')}`);
  if (department !== undefined) conditions.push(sql`p.department = ${department} and ${isShown('department')}`);
  if (year !== undefined) conditions.push(sql`p.year_graduated = ${year} and ${isShown('yearGraduated')}`);
  return conditions;
}

/**
 * Returns the accounts that match the text or the class, if they are few. Null if they are many: then the newest ones
 * are found soonest in their own order, which would take long for few.
 */
async function findFew(db: Db, scopes: readonly StaffScope[], filter: PeopleFilter): Promise<string[] | null> {
  const { q, department, year } = filter;
  const byText = isTyped(q) ? await findAtMost(db, maxReadAccounts, findText(q)) : null;
  if (byText || (department === undefined && year === undefined)) return byText;
  const conditions = [
    isProfileInScope(scopes, 'p'),
    ...profileConditions(filter),
    ...textConditions(q, sql`p.account_id`),
  ];
  return findAtMost(
    db,
    maxReadAccounts,
    sql`select p.account_id from profiles p where ${sql.join(conditions, sql` and `)}`,
  );
}

async function findAtMost(db: Db, limit: number, query: RawBuilder<unknown>): Promise<string[] | null> {
  const { rows } = await sql<{ id: string }>`
    select distinct id from (select id from (${query}) as found (id) limit ${sql.lit(limit + 1)}) as found`.execute(db);
  return rows.length > limit ? null : rows.map(({ id }) => id);
}

/** The planner overestimates the cost of single rows in memory, and would otherwise read all accounts. */
const accountsWith = (ids: readonly string[]): RawBuilder<unknown> => sql`unnest(${ids}::uuid[]) as found (id)
  cross join lateral (select * from accounts where id = found.id offset 0) as a`;

const isTyped = (q: string | undefined): q is string => q !== undefined && q.trim() !== '';

/** Returns the query for the accounts that match a text. A condition with OR would read all accounts. */
function findText(text: string): RawBuilder<unknown> {
  if (text.includes('@')) return findByEmail(canonicalizeEmail(text));
  const key = toMatricPrefix(text);
  const byName = sql`select account_id from person_words where words @@ ${toWordQuery(text)}::tsquery`;
  return key === null
    ? byName
    : sql`${byName} union all select p.account_id from profiles p where ${hasMatricNumber(key)}`;
}

/**
 * Returns the condition of `findText` for a query that reads accounts in order until a page is full. As a subquery, the
 * planner would first find all accounts that match.
 * @param id of the account. Its profile is `p`
 */
function textConditions(text: string | undefined, id: RawBuilder<unknown>): RawBuilder<SqlBool>[] {
  if (!isTyped(text)) return [];
  if (text.includes('@')) return [sql`${id} in (${findText(text)})`];
  const key = toMatricPrefix(text);
  const hasWords = sql`(select w.words @@ ${toWordQuery(text)}::tsquery from person_words w where w.account_id = ${id})`;
  return [sql`coalesce(${key === null ? hasWords : sql`${hasWords} or ${hasMatricNumber(key)}`}, false)`];
}

const findByEmail = (email: string): RawBuilder<unknown> => sql`
  select id from accounts where email = ${email}
  union all select account_id from held_addresses where email = ${email}
  union all select s.id from accounts s left join profiles p on p.account_id = s.id
    where s.email like ${toPrefix(email)} and ${isShown('email')}`;

function toMatricPrefix(text: string): string | null {
  const key = toMatricKey(text);
  return /\d/u.test(key) && key.length >= minPrefixLength ? key : null;
}

const hasMatricNumber = (key: string): RawBuilder<SqlBool> =>
  sql`(matric_key(p.matric_number) like ${toPrefix(key)}
    and (${isShown('matricNumber')} or matric_key(p.matric_number) = ${key}))`;

const toPrefix = (text: string): string => `${text.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;
