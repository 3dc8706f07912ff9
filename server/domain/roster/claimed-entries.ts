import { sql } from 'kysely';
import type { Assurance } from '#contract/membership.ts';
import type { Db } from '#server/db/client.ts';
import type { Identity } from '#server/db/schema.ts';
import type { ClaimInput, RosterEntry } from './claim-input.ts';
import { isPlaceholderDate } from './placeholder-date.ts';
import { withRoster } from './tables.ts';

export interface ClaimedEntry extends RosterEntry {
  readonly heldBy: Assurance | null;
}

/** SQL condition on a row of `roster_entries`: whether only staff may confirm an account as this entry. */
export const needsStaffSql = `(is_confidential or is_deceased or suppressed_at is not null or died_on is not null or gone_since is not null
  or contested_at is not null)`;

const maxEntries = 10;

/**
 * Returns the entries with this matric number, and those with this email address and birth date. Always runs one
 * statement.
 */
export async function findClaimedEntries(
  db: Db,
  { matricKey, email, birthDate }: { matricKey: string; email: string; birthDate: string },
): Promise<ClaimedEntry[]> {
  const { rows } = await sql<ClaimedEntry>`
    select e.id, matric_key as "matricKey", last_name as "lastName", first_name as "firstName", other_names as "otherNames", gender,
      birth_date as "birthDate", department, year_admitted as "yearAdmitted", year_graduated as "yearGraduated", email, status,
      ${sql.raw(needsStaffSql)} as "needsStaff",
      case when l.entry_id is not null then coalesce((
        select 'strong' from evidence v
        where v.entry_id = e.id and v.account_id = l.account_id and assurance = 'strong' and withdrawn_at is null limit 1
      ), 'moderate') end as "heldBy"
    from roster_entries e left join roster_links l on l.entry_id = e.id
    where matric_key = ${matricKey} or (email = ${email} and birth_date = ${birthDate})
    limit ${sql.lit(maxEntries)}`.execute(db);
  return rows;
}

/** Returns the names of all entries of a class. */
export const findClass = (
  db: Db,
  { department, yearGraduated }: Pick<ClaimInput, 'department' | 'yearGraduated'>,
): Promise<Identity[]> =>
  withRoster(db)
    .selectFrom('roster_entries')
    .select(['first_name as firstName', 'last_name as lastName', 'department', 'year_graduated as yearGraduated'])
    .where('department', '=', department)
    .where('year_graduated', '=', yearGraduated)
    .execute();

/** @param email canonical */
export async function hasEntryWithAddress(db: Db, email: string): Promise<boolean> {
  const row = await withRoster(db)
    .selectFrom('roster_entries')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the accounts with a claim that evidence by email may decide now: the first claim of the account, still as
 * first typed, with an entry that has the account's verified address and the claimed birth date. One statement, for all
 * pending claims.
 */
export async function findClaimsByEmail(db: Db): Promise<string[]> {
  const { rows } = await sql<{ accountId: string }>`
    select c.account_id as "accountId"
    from claims c join accounts a on a.id = c.account_id
    where c.state = 'waiting' and c.updated_at = c.created_at
      and not exists (select from claims o where o.account_id = a.id and o.id <> c.id)
      and a.membership_status = 'unconfirmed' and a.email_verified and a.is_active
      and exists (select from roster_entries
        where email = a.email and birth_date = nullif(c.typed ->> 'dob', '')::date and not ${sql.raw(needsStaffSql)})
    order by c.created_at, c.id`.execute(db);
  return rows.map(({ accountId }) => accountId);
}

/**
 * Returns the accounts with a pending claim that names an entry by its number, or did so before the last import. One
 * statement.
 */
export async function findClaimsByNumber(db: Db): Promise<string[]> {
  const { rows } = await sql<{ accountId: string }>`
    select c.account_id as "accountId" from claims c
    where c.state = 'waiting' and (c.agreeing_entry is not null
      or exists (select from roster_entries where matric_key = matric_key(c.typed ->> 'matricNumber')))
    order by c.created_at, c.id`.execute(db);
  return rows.map(({ accountId }) => accountId);
}

/**
 * Returns the id and the address of the entry to which a code can be mailed, or null. The matric number and the birth
 * date must agree. A date on 1 January never agrees.
 */
export async function findMailableEntry(
  db: Db,
  matricKey: string,
  birthDate: string,
): Promise<{ id: number; email: string } | null> {
  const row = await withRoster(db)
    .selectFrom('roster_entries')
    .select(['id', 'email'])
    .where('matric_key', '=', matricKey)
    .where('birth_date', '=', birthDate)
    .where(sql<boolean>`not ${sql.raw(needsStaffSql)}`)
    .executeTakeFirst();
  return row?.email && !isPlaceholderDate(birthDate) ? { id: row.id, email: row.email } : null;
}

export async function findEntriesByAddress(db: Db, accountId: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select e.id::int as id from roster_entries e join accounts a on a.email = e.email
    where a.id = ${accountId} and a.email_verified order by 1`.execute(db);
  return rows.map(({ id }) => id);
}

export async function findEntryEmail(db: Db, entryId: number): Promise<string | null> {
  const row = await withRoster(db)
    .selectFrom('roster_entries')
    .select('email')
    .where('id', '=', entryId)
    .executeTakeFirst();
  return row?.email ?? null;
}

/**
 * Returns whether a code can confirm an account as this entry. A printed code can also be for a confidential entry:
 * staff handed it over.
 */
export async function isOpenToCode(db: Db, entryId: number, kind: 'printed' | 'mailed'): Promise<boolean> {
  const row = await withRoster(db)
    .selectFrom('roster_entries')
    .select('id')
    .where('id', '=', entryId)
    .where('suppressed_at', 'is', null)
    .where('is_deceased', '=', false)
    .where('died_on', 'is', null)
    .where('gone_since', 'is', null)
    .where((eb) => eb.or([eb.val(kind === 'printed'), eb('is_confidential', '=', false)]))
    .executeTakeFirst();
  return row !== undefined;
}

export async function findEntryByMatricKey(db: Db, matricKey: string): Promise<number | null> {
  const row = await withRoster(db)
    .selectFrom('roster_entries')
    .select('id')
    .where('matric_key', '=', matricKey)
    .executeTakeFirst();
  return row?.id ?? null;
}
