import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { recordStaffAction, toAuditCode } from '../staff/audit-log.ts';
import type { MembershipCodes } from '../membership/membership-codes.ts';

/** Which entries get a printed code. Without any property, all that no account holds. */
export interface CodeScope {
  readonly department?: string | undefined;
  readonly year?: number | undefined;
  /** Leaves out students and people who left without a degree. */
  readonly onlyGraduates?: boolean | undefined;
  readonly entryId?: number | undefined;
}

export interface Slip {
  /** Last name, then first name and other names. The last name is first, because a long name is cut on the slip. */
  readonly name: string;
  readonly department: string | null;
  readonly yearGraduated: number | null;
  readonly code: string;
}

const inScope = ({ department, year, onlyGraduates = false, entryId }: CodeScope) => sql<boolean>`(
  not exists (select from roster_links where entry_id = e.id)
  and e.suppressed_at is null and e.member_left_at is null and e.died_on is null and not e.is_deceased and e.gone_since is null
  and (${department ?? null}::text is null or lower(e.department) = lower(${department ?? null}))
  and (${year ?? null}::int is null or e.year_graduated = ${year ?? null}::int)
  and (not ${onlyGraduates}::boolean or e.status = 'graduate')
  and ${entryId === undefined ? sql`true` : sql`e.id = ${entryId}`})`;

/** Returns the number of codes that an account printed in the last 24 hours without an approval. */
export async function countRecentCodes(db: Db, accountId: string): Promise<number> {
  const { rows } = await sql<{ codes: number }>`
    select coalesce(sum(codes), 0)::int as codes from code_batches
    where printed_by = ${accountId} and approval_id is null and printed_at > now() - interval '24 hours'`.execute(db);
  return rows[0]?.codes ?? 0;
}

export async function countPrintableEntries(db: Db, scope: CodeScope): Promise<number> {
  const { rows } = await sql<{ entries: number }>`
    select count(*)::int as entries from roster_entries e where ${inScope(scope)}`.execute(db);
  return rows[0]?.entries ?? 0;
}

/**
 * Creates a code for each entry in the scope, for the sheet that is handed out in person. Deletes earlier unused
 * printed codes of these entries.
 * Records the batch in the audit log. Call it in a transaction.
 * @returns the slips by department, year and name, and the time until which the codes are valid
 */
export async function issuePrintedCodes(
  tx: Db,
  membershipCodes: MembershipCodes,
  scope: CodeScope,
  { printedBy, approvalId = null }: { printedBy: string; approvalId?: string | null },
): Promise<{ slips: Slip[]; expiresAt: Date }> {
  const { rows: times } = await sql<{ expiresAt: Date }>`
    select now() + interval '12 months' as "expiresAt"`.execute(tx);
  const expiresAt = times[0]?.expiresAt ?? new Date();
  const { rows: entries } = await sql<Omit<Slip, 'code'> & { id: number }>`
    select e.id, concat_ws(' ', e.last_name || ',', e.first_name, nullif(e.other_names, '')) as name, e.department,
      e.year_graduated as "yearGraduated"
    from roster_entries e where ${inScope(scope)}
    order by lower(e.department), e.year_graduated, lower(e.last_name), lower(e.first_name), e.id
    for key share of e`.execute(tx);
  const coded = await Promise.all(entries.map(async (entry) => ({ ...entry, ...(await membershipCodes.create()) })));
  const ids = coded.map(({ id }) => id);
  const { department = null, year = null } = scope;
  const { id: batchId } = await tx
    .insertInto('code_batches')
    .values({ printed_by: printedBy, department, year_graduated: year, codes: coded.length, approval_id: approvalId })
    .returning('id')
    .executeTakeFirstOrThrow();
  await sql`
    delete from membership_codes
    where kind = 'printed' and used_at is null and entry_id = any(${ids}::bigint[])`.execute(tx);
  await sql`
    insert into membership_codes (code_hash, entry_id, kind, expires_at, batch_id)
    select code_hash, entry_id, 'printed', ${expiresAt}::timestamptz, ${batchId}::int
    from unnest(${coded.map(({ hash }) => hash)}::bytea[], ${ids}::bigint[]) as codes (code_hash, entry_id)`.execute(
    tx,
  );
  await recordStaffAction(tx, {
    actor: printedBy,
    action: 'codes-printed',
    details: {
      codes: coded.length,
      batch: batchId,
      department: department === null ? null : toAuditCode(department),
      years: year,
      ...(scope.entryId !== undefined && { entry: scope.entryId }),
    },
  });
  const slips = coded.map(({ name, department, yearGraduated, code }) => ({ name, department, yearGraduated, code }));
  return { slips, expiresAt };
}
