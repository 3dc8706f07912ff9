import type * as z from 'zod/mini';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import { type EntryFile, type FoundEntry, maxFoundEntries } from '#contract/staff/entries.ts';
import type { PeopleFilter } from '#contract/staff/people.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import { searchWords } from '../search/folding.ts';
import { toPhoneticKey } from '../search/spelling.ts';
import { classScopeColumns, isClassInScope } from '../staff/class-scope.ts';
import { isInScope, isProfileInScope } from '../staff/guard.ts';
import { hasWrongAddress } from './invitations.ts';
import { toMatricKey } from './matric-key.ts';

type Colleges = Pick<Institution, 'colleges'>;

const maxWords = 8;

const isClaimOf = sql<SqlBool>`c.state = 'waiting' and matric_key(c.typed ->> 'matricNumber') = e.matric_key`;

const isPrinted = sql<SqlBool>`m.entry_id = e.id and m.kind = 'printed'`;

const foundColumns = sql`
  e.id::int as id, e.matric_number as "matricNumber", e.first_name as "firstName", e.last_name as "lastName",
  e.other_names as "otherNames", e.department, e.year_graduated as "yearGraduated",
  exists (select from roster_links l where l.entry_id = e.id) as "hasAccount",
  (select max(m.created_at) from membership_codes m where ${isPrinted} and m.used_at is null and m.expires_at > now())
    as "codeCreatedAt",
  (select count(*)::int from claims c where ${isClaimOf}) as "openClaims"`;

/**
 * Returns the entries in the scopes with a matric number, and those that have names that sound like all the words. The
 * number and the same names come first. At most `maxFoundEntries`.
 */
export async function searchEntries(
  db: Db,
  institution: Colleges,
  scopes: readonly StaffScope[],
  { q = '', college, department, year }: PeopleFilter,
): Promise<z.input<typeof FoundEntry>[]> {
  const columns = classScopeColumns(institution, 'e');
  const words = searchWords(q).slice(0, maxWords);
  const key = toMatricKey(q);
  if (scopes.length === 0 || words.length === 0 || q.includes('@')) return [];
  const conditions: RawBuilder<SqlBool>[] = [sql`e.suppressed_at is null`, isInScope(scopes, columns)];
  if (college !== undefined) conditions.push(sql`${columns.college} = ${college}`);
  if (department !== undefined) conditions.push(sql`e.department = ${department}`);
  if (year !== undefined) conditions.push(sql`e.year_graduated = ${year}`);
  const order = sql`e.matric_key = ${key} desc, e.words @> ${words}::text[] desc, lower(e.last_name), lower(e.first_name), e.id`;
  const { rows } = await sql<z.input<typeof FoundEntry>>`
    select ${foundColumns} from (
      select e.id from (
        select id from roster_entries where matric_key = ${key}
        union select id from roster_entries where words @> ${words.map(toPhoneticKey)}::text[]
      ) as found join roster_entries e on e.id = found.id
      where ${sql.join(conditions, sql` and `)} order by ${order} limit ${sql.lit(maxFoundEntries)}
    ) as page join roster_entries e on e.id = page.id
    order by ${order}`.execute(db);
  return rows;
}

type StoredFile = Omit<z.input<typeof EntryFile>, 'candidates' | `can${string}`>;

/** What the file of an entry contains about the entry itself, and for further queries: never shown as such. */
export interface FoundFile {
  readonly file: StoredFile;
  readonly email: string | null;
  readonly claimants: readonly string[];
}

/** Returns null if the entry does not exist or is not in the scopes, or its person has objected. */
export async function findEntryFile(
  db: Db,
  institution: Colleges,
  scopes: readonly StaffScope[],
  id: number,
): Promise<FoundFile | null> {
  const { rows } = await sql<StoredFile & Omit<FoundFile, 'file'>>`
    select ${foundColumns}, e.program, e.status, e.email,
      (select json_build_object('id', a.id, 'name', coalesce(a.display_name, a.email))
        from roster_links l join accounts a on a.id = l.account_id left join profiles p on p.account_id = a.id
        where l.entry_id = e.id and ${isProfileInScope(scopes, 'p')}) as account,
      array_remove(array[case when e.is_confidential then 'confidential' end,
        case when e.is_deceased or e.died_on is not null then 'deceased' end,
        case when e.gone_since is not null then 'missing' end,
        case when e.contested_at is not null then 'contested' end,
        case when ${hasWrongAddress} then 'wrong-address' end], null) as marks,
      array(select c.account_id from claims c where ${isClaimOf}) as claimants
    from roster_entries e
    where e.id = ${id} and e.suppressed_at is null
      and ${isClassInScope(institution, scopes, 'e')}`.execute(db);
  const [row] = rows;
  if (!row) return null;
  const { email, claimants, ...entry } = row;
  const { rows: codes } = await sql<StoredFile['codes'][number]>`
    select m.created_at as "createdAt", m.expires_at as "expiresAt", m.used_at as "usedAt"
    from membership_codes m join roster_entries e on e.id = ${id} and ${isPrinted}
    order by m.created_at desc`.execute(db);
  const { rows: claims } = await sql<StoredFile['claims'][number]>`
    select c.id, coalesce(a.display_name, a.email) as name, c.created_at as "createdAt"
    from roster_entries e join claims c on ${isClaimOf} join accounts a on a.id = c.account_id
    where e.id = ${id} and ${isClassInScope(institution, scopes, 'c')}
    order by c.created_at, c.id`.execute(db);
  return { file: { ...entry, codes, claims }, email, claimants };
}
