import type * as z from 'zod/mini';
import { sql } from 'kysely';
import { exportApprovalAbove } from '#contract/staff/values.ts';
import type { PeopleExport } from '#contract/staff/exports.ts';
import type { PeopleFilter } from '#contract/staff/people.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import { filterConditions } from '../search-people.ts';

const listedExports = 50;

/** Whether members see the person at all. `toProfile` decides about each field. */
const isListed = sql`exists (select from listings l where l.account_id = a.id and l.audience = 'members')`;

/** Returns the people in an order that differs between exports (decision 71). */
export async function findExportedIds(
  db: Db,
  scopes: readonly StaffScope[],
  filter: PeopleFilter,
  exportId: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select a.id from accounts a left join profiles p on p.account_id = a.id
    where ${sql.join([...filterConditions(scopes, filter), isListed], sql` and `)}
    order by sha256(convert_to(${exportId} || a.id::text, 'utf8'))`.execute(db);
  return rows.map(({ id }) => id);
}

export async function countExported(db: Db, scopes: readonly StaffScope[], filter: PeopleFilter): Promise<number> {
  const { rows } = await sql<{ people: number }>`
    select count(*)::int as people from accounts a left join profiles p on p.account_id = a.id
    where ${sql.join([...filterConditions(scopes, filter), isListed], sql` and `)}`.execute(db);
  return rows[0]?.people ?? 0;
}

/**
 * Returns whether an export needs an approval. Counts the exports of the last 24 hours that needed none, so that many
 * small exports do not replace a large one.
 */
export async function needsApproval(db: Db, accountId: string, people: number): Promise<boolean> {
  const { rows } = await sql<{ people: number }>`
    select coalesce(sum(people), 0)::int as people from people_exports
    where account_id = ${accountId} and approval_id is null and requested_at > now() - interval '24 hours'`.execute(db);
  return people + (rows[0]?.people ?? 0) > exportApprovalAbove;
}

export async function findExports(
  db: Db,
  accountId: string,
  id: string | null = null,
): Promise<z.input<typeof PeopleExport>[]> {
  const { rows } = await sql<z.input<typeof PeopleExport>>`
    select e.id, e.people, e.columns, e.requested_at as "requestedAt",
      case when e.state = 'ready' and e.expires_at > now() then e.expires_at end as "expiresAt",
      case when e.state = 'waiting' and r.state in ('refused', 'cancelled') then 'refused'
        when e.state = 'waiting' and (e.approval_id is null or r.state = 'failed') then 'failed'
        when e.state = 'ready' and e.expires_at <= now() then 'expired'
        else e.state end as state,
      case when e.state = 'waiting' and r.state = 'failed' then r.failure else e.failure end as failure
    from people_exports e left join approvals r on r.id = e.approval_id
    where e.account_id = ${accountId} and (${id}::uuid is null or e.id = ${id}::uuid)
    order by e.requested_at desc, e.id limit ${sql.lit(listedExports)}`.execute(db);
  return rows;
}
