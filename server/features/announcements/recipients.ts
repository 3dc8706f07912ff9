import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { ProfileField } from '#contract/visibility.ts';
import type { Db } from '#server/db/client.ts';
import { awaitsConfirmationSql } from '#server/domain/membership/membership-status.ts';
import { isInScope, isProfileInScope } from '#server/domain/staff/guard.ts';

/*
 * SQL about an announcement `n`, an account `a` and its profile `p`. Every query of this feature names them so.
 */

/**
 * Condition that an account gets announcements: a member whose mail does not fail and who has not unsubscribed. People
 * whose profile was imported and who have never signed in get none, because they have not chosen to be members.
 */
export const takesAnnouncements: RawBuilder<SqlBool> = sql`(
  a.is_active and a.email_verified and a.display_name is not null and a.takes_announcements
  and a.mail_failed_to is distinct from a.email and a.hidden_until_sign_in is distinct from 'imported'
  and not ${sql.raw(awaitsConfirmationSql)})`;

export const isAddressed: RawBuilder<SqlBool> = sql`(
  (n.college is null or p.college = n.college) and (n.department is null or p.department = n.department)
  and (n.year_from is null or p.year_graduated >= n.year_from) and (n.year_to is null or p.year_graduated <= n.year_to))`;

export interface Author {
  readonly accountId: string;
  readonly scopes: readonly StaffScope[];
}

/**
 * Condition that staff may see and send an announcement: all whom it addresses are in one of their scopes. A class
 * representative sees only their own, not those of the office to the class.
 */
export function isOwnAnnouncement({ accountId, scopes }: Author): RawBuilder<SqlBool> {
  const [college, department] = [sql.ref('n.college'), sql.ref('n.department')];
  const isWithin = (some: readonly StaffScope[]) =>
    sql.join(
      ['n.year_from', 'n.year_to'].map((year) =>
        isInScope(some, { college, department, yearGraduated: sql.ref(year) }),
      ),
      sql` and `,
    );
  const ofOffice = scopes.filter((scope) => scope.department === null);
  return sql`(${isWithin(ofOffice)} or n.created_by = ${accountId} and ${isWithin(scopes)})`;
}

const recipientsOf = (id: string, scopes: readonly StaffScope[]) => sql`
  announcements n join profiles p on ${isAddressed} join accounts a on a.id = p.account_id
  where n.id = ${id} and ${isProfileInScope(scopes, 'p')} and ${takesAnnouncements}`;

export async function countRecipients(db: Db, id: string, scopes: readonly StaffScope[]): Promise<number> {
  const { rows } = await sql<{
    people: number;
  }>`select count(*)::int as people from ${recipientsOf(id, scopes)}`.execute(db);
  return rows[0]?.people ?? 0;
}

export async function addRecipients(tx: Db, id: string, scopes: readonly StaffScope[]): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into announcement_recipients (announcement_id, account_id)
    select n.id, a.id from ${recipientsOf(id, scopes)} on conflict do nothing`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

const previewedFields = ['name', 'college', 'department', 'yearGraduated'] as const satisfies readonly ProfileField[];

/** Leaves out people who hide something that the preview would show. */
export async function findPreviewedNames(
  db: Db,
  id: string,
  scopes: readonly StaffScope[],
  limit: number,
): Promise<(RecipientName & { id: string })[]> {
  const shown = previewedFields.map((field) => sql`p.visibility ->> ${sql.lit(field)} is distinct from 'me'`);
  const { rows } = await sql<RecipientName & { id: string }>`
    select a.id, p.first_name as "firstName", p.last_name as "lastName" from ${recipientsOf(id, scopes)}
      and not p.is_hidden and a.profile_hidden_at is null and a.hidden_until_sign_in is null and ${sql.join(shown, sql` and `)}
    order by a.id limit ${limit}`.execute(db);
  return rows;
}

export interface RecipientName {
  readonly firstName: string;
  readonly lastName: string;
}
