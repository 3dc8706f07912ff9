import type * as z from 'zod/mini';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import {
  type ClassEntry,
  type Correction,
  type CorrectionForm,
  type OwnCorrection,
  maxClassEntries,
} from '#contract/staff/corrections.ts';
import type { ItemState } from '#contract/staff/values.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import { classScopeColumns, isClassInScope } from '../staff/class-scope.ts';
import { isInScope } from '../staff/guard.ts';
import { type Reopening, aboutSql, deciderSql, isClosed } from '../staff/review.ts';
import { forgetAgreements } from './entry-questions.ts';
import { lockEntry } from './links.ts';
import { contestMovedPeople, deleteCodesOfMoved, findMovedPeople } from './moved-people.ts';
import { toEntryWords } from './name-words.ts';

type Colleges = Pick<Institution, 'colleges'>;

/**
 * SQL condition: whether staff within the scopes may see the name of the entry `e`. The registrar may have marked it as
 * confidential.
 */
export const isVisible = (institution: Colleges, scopes: readonly StaffScope[]) => sql<SqlBool>`(
  e.gone_since is null and e.suppressed_at is null and not e.is_confidential and not e.is_deceased and e.died_on is null
  and ${isClassInScope(institution, scopes, 'e')})`;

/** Returns the people of a class by name, one more than `maxClassEntries`. */
export async function findClass(
  db: Db,
  institution: Colleges,
  scopes: readonly StaffScope[],
  { department, year }: { department: string; year: number },
): Promise<ClassEntry[]> {
  const { rows } = await sql<ClassEntry>`
    select e.id::int as id, e.last_name as "lastName", e.first_name as "firstName", e.other_names as "otherNames",
      exists (select from roster_links l where l.entry_id = e.id) as "hasAccount",
      exists (select from corrections c where c.entry_id = e.id and c.closed_at is null) as "hasCorrection"
    from roster_entries e
    where e.department = ${department} and e.year_graduated = ${year} and ${isVisible(institution, scopes)}
    order by lower(e.last_name), lower(e.first_name), e.id limit ${sql.lit(maxClassEntries + 1)}`.execute(db);
  return rows;
}

/**
 * Stores a proposed correction.
 * @returns its id; `missing` if the entry is not in the scopes, `waiting` if the same is already pending
 */
export async function insertCorrection(
  tx: Db,
  institution: Colleges,
  scopes: readonly StaffScope[],
  form: CorrectionForm,
  proposedBy: string,
): Promise<{ id: string } | 'missing' | 'waiting'> {
  const { college } = classScopeColumns(institution, 'e');
  const { rows: found } = await sql<{ college: string | null; department: string | null; year: number | null }>`
    select ${college} as college, e.department, e.year_graduated as year from roster_entries e
    where id = ${form.entryId} and ${isVisible(institution, scopes)} for key share`.execute(tx);
  const [scope] = found;
  if (!scope) return 'missing';
  const name = form.reason === 'wrong-name' ? form : null;
  const place = form.reason === 'wrong-class' ? form : null;
  const { rows } = await sql<{ id: string }>`
    insert into corrections (entry_id, reason, college, scope_department, scope_year, last_name, first_name, other_names, department,
      year_graduated, text, proposed_by)
    values (${form.entryId}, ${form.reason}, ${scope.college}, ${scope.department}, ${scope.year}, ${name?.lastName ?? null}, ${name?.firstName ?? null},
      ${name ? (name.otherNames ?? '') : null}, ${place?.department ?? null}, ${place?.yearGraduated ?? null}, ${form.text ?? ''},
      ${proposedBy})
    on conflict do nothing returning id`.execute(tx);
  return rows[0] ?? 'waiting';
}

const listedCorrections = 50;

const nameSql = sql`concat_ws(' ', e.last_name, e.first_name, nullif(e.other_names, ''))`;

/**
 * Returns the latest corrections that an account has proposed. The names of entries that are not in the scopes now are
 * left out.
 */
export async function findOwnCorrections(
  db: Db,
  institution: Colleges,
  scopes: readonly StaffScope[],
  accountId: string,
): Promise<z.input<typeof OwnCorrection>[]> {
  const { rows } = await sql<z.input<typeof OwnCorrection>>`
    select c.id, case when not e.is_confidential and ${isClassInScope(institution, scopes, 'e')} then ${nameSql} end as name,
      c.reason, c.created_at as "createdAt", c.outcome, c.answer
    from corrections c join roster_entries e on e.id = c.entry_id
    where c.proposed_by = ${accountId}
    order by c.created_at desc, c.id limit ${sql.lit(listedCorrections)}`.execute(db);
  return rows;
}

const versionSql = sql`md5(concat_ws(' ', c.id, e.last_name, e.first_name, e.other_names, e.department, e.year_graduated, e.is_deceased, l.account_id))`;

export const correctionItems = (state: ItemState): RawBuilder<unknown> => sql`
  select c.id, c.created_at as since, l.account_id as "accountId", ${nameSql} as name, c.reason, ${versionSql} as version, c.college,
    c.scope_department as department, c.scope_year as year_graduated,
    ${aboutSql(sql`e.matric_number`, sql`c.scope_department`, sql`c.scope_year`)} as about,
    c.closed_at as "closedAt", c.outcome as "closedAs", c.answer as text,
    ${deciderSql('c.id', ['correction-accepted', 'correction-refused'])} as "closerId"
  from corrections c join roster_entries e on e.id = c.entry_id left join roster_links l on l.entry_id = c.entry_id
  where c.closed_at ${isClosed(state)}`;

/** Opens a refused correction again. An accepted one has changed the roster. */
export async function reopenCorrection(tx: Db, id: string): Promise<Reopening> {
  const { rows } = await sql<{ id: string | null; outcome: string | null }>`
    with opened as (
      insert into corrections (entry_id, reason, college, scope_department, scope_year, last_name, first_name, other_names, department,
        year_graduated, text, proposed_by)
      select entry_id, reason, college, scope_department, scope_year, last_name, first_name, other_names, department, year_graduated, text,
        proposed_by
      from corrections where id = ${id} and outcome = 'refuse'
      on conflict do nothing returning id)
    select (select id from opened) as id, outcome from corrections where id = ${id}`.execute(tx);
  const [row] = rows;
  if (row?.outcome === 'accept')
    return {
      refusal: 'This correction has changed the roster. Propose another one, or import the registrar’s list again.',
    };
  return row?.id ? { id: row.id } : { refusal: 'The same correction waits in the queue already.' };
}

export async function findCorrection(
  db: Db,
  scopes: readonly StaffScope[],
  id: string,
): Promise<z.input<typeof Correction> | null> {
  const { rows } = await sql<z.input<typeof Correction>>`
    select c.id, ${versionSql} as version, c.reason, c.text, c.created_at as "createdAt", coalesce(a.display_name, a.email) as "proposedBy",
      json_build_object('lastName', e.last_name, 'firstName', e.first_name, 'otherNames', e.other_names, 'department', e.department,
        'yearGraduated', e.year_graduated, 'isDeceased', e.is_deceased, 'hasAccount', l.account_id is not null) as entry,
      json_build_object('lastName', c.last_name, 'firstName', c.first_name, 'otherNames', c.other_names, 'department', c.department,
        'yearGraduated', c.year_graduated) as proposed
    from corrections c join roster_entries e on e.id = c.entry_id join accounts a on a.id = c.proposed_by
      left join roster_links l on l.entry_id = c.entry_id
    where c.id = ${id}
      and ${isInScope(scopes, { college: sql.ref('c.college'), department: sql.ref('e.department'), yearGraduated: sql.ref('e.year_graduated') })}`.execute(
    db,
  );
  const [row] = rows;
  return row ?? null;
}

/**
 * Closes a pending correction, and changes the entry if it is accepted. Another name contests the link of the entry, and
 * deletes its codes.
 * The next import overwrites the change if the file still differs.
 * @returns whether it was pending
 */
export async function closeCorrection(
  tx: Db,
  id: string,
  outcome: 'accept' | 'refuse',
  answer: string,
): Promise<boolean> {
  const { rows } = await sql<{
    entryId: number;
    reason: CorrectionForm['reason'];
    lastName: string;
    firstName: string;
    otherNames: string;
    department: string;
    yearGraduated: number;
  }>`
    update corrections set closed_at = now(), outcome = ${outcome}, answer = ${answer} where id = ${id} and closed_at is null
    returning entry_id::int as "entryId", reason, last_name as "lastName", first_name as "firstName", other_names as "otherNames",
      department, year_graduated as "yearGraduated"`.execute(tx);
  const [one] = rows;
  if (!one) return false;
  if (outcome === 'refuse') return true;
  const { entryId, reason, lastName, firstName, otherNames, department, yearGraduated } = one;
  if (reason !== 'other') await forgetAgreements(tx, sql`${entryId}::bigint`);
  if (reason === 'deceased') await sql`update roster_entries set is_deceased = true where id = ${entryId}`.execute(tx);
  if (reason === 'wrong-class')
    // The college follows from the department.
    await sql`
      update roster_entries set college = case when department = ${department} then college end, department = ${department},
        year_graduated = ${yearGraduated} where id = ${entryId}`.execute(tx);
  if (reason === 'wrong-name') {
    const change = sql`
      select id as entry_id, null::int as line, last_name, first_name, birth_date, ${lastName} as new_last_name,
        ${firstName} as new_first_name, birth_date as new_birth_date
      from roster_entries where id = ${entryId}`;
    await deleteCodesOfMoved(tx, change);
    await lockEntry(tx, entryId);
    const moved = await findMovedPeople(tx, change);
    await sql`
      update roster_entries set last_name = ${lastName}, first_name = ${firstName}, other_names = ${otherNames},
        words = ${toEntryWords({ lastName, firstName, otherNames })}::text[] where id = ${entryId}`.execute(tx);
    await contestMovedPeople(tx, moved, 'correction');
  }
  return true;
}

export async function findProposedTexts(
  db: Db,
  accountId: string,
): Promise<{ reason: string; text: string; proposedAt: Date; outcome: string | null; answer: string }[]> {
  const { rows } = await sql<Awaited<ReturnType<typeof findProposedTexts>>[number]>`
    select reason, text, created_at as "proposedAt", outcome, answer from corrections
    where proposed_by = ${accountId} order by created_at, id`.execute(db);
  return rows;
}

export async function deleteCorrections(tx: Db, entryId: number): Promise<void> {
  await sql`delete from corrections where entry_id = ${entryId}`.execute(tx);
}
