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

/** Shorter texts are the beginning of too many addresses and matric numbers. */
const minPrefixLength = 3;

/** Words beyond these are ignored. */
const maxWords = 8;

const Key = z.tuple([Microseconds, Id]);

/**
 * Returns one page of the people who match, the newest account first. A value that the person hides from members is not compared, so that the
 * search does not reveal it. Whole addresses and matric numbers are compared always, because staff know them from the person.
 * @throws ProblemError malformed-request when the cursor is not valid
 */
export async function searchPeople(
  db: Db,
  scopes: readonly StaffScope[],
  filter: PeopleFilter,
  after: string | undefined,
): Promise<{ people: FoundPerson[]; next: string | null }> {
  const conditions = filterConditions(scopes, filter);
  if (after !== undefined) {
    const [micros, id] = readCursor(after, Key);
    conditions.push(
      sql`(a.created_at, a.id) < ('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${id}::uuid)`,
    );
  }
  const { rows } = await sql<FoundRow & { micros: string }>`
    select ${foundColumns}, (extract(epoch from a.created_at) * 1000000)::bigint::text as micros
    from accounts a left join profiles p on p.account_id = a.id
    where ${sql.join(conditions, sql` and `)}
    order by a.created_at desc, a.id desc limit ${sql.lit(foundPeoplePerPage + 1)}`.execute(db);
  const page = rows.slice(0, foundPeoplePerPage);
  const last = page.at(-1);
  return {
    people: page.map(({ createdAt, ...row }) => ({ ...row, createdAt: createdAt.toISOString() })),
    next: rows.length > page.length && last ? writeCursor([last.micros, last.id]) : null,
  };
}

/** Returns the conditions on an account `a` and its profile `p`, with the scope as the first one. */
export function filterConditions(
  scopes: readonly StaffScope[],
  { q = '', state, college, department, year }: PeopleFilter,
): RawBuilder<SqlBool>[] {
  const conditions: RawBuilder<SqlBool>[] = [isInScope(scopes, profileScopeColumns('p'))];
  if (state) conditions.push(selectState(state));
  if (college !== undefined) conditions.push(sql`p.college = ${college} and ${isShown('college')}`);
  if (department !== undefined) conditions.push(sql`p.department = ${department} and ${isShown('department')}`);
  if (year !== undefined) conditions.push(sql`p.year_graduated = ${year} and ${isShown('yearGraduated')}`);
  if (q.trim() !== '') conditions.push(matchText(q));
  return conditions;
}

/** One subquery, because the planner would read all accounts for a condition with OR. */
const matchText = (text: string): RawBuilder<SqlBool> =>
  sql`a.id in (${sql.join(
    text.includes('@') ? findByEmail(canonicalizeEmail(text)) : [...findByNames(text), ...findByMatricNumber(text)],
    sql` union all `,
  )})`;

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
