import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import type { CodeScope } from '#server/domain/roster/printed-codes.ts';
import { type ApprovedAction, requestApproval } from '#server/domain/staff/approvals.ts';

const approvalTtlDays = 7;

/** An approval to print codes. The requester then prints the sheet, which no one else sees. */
export const codesAction: ApprovedAction = {
  kind: 'codes',
  right: 'roster',
  describe: async (_, payload) => {
    const { department, year, entryId } = payload as CodeScope;
    if (entryId !== undefined) return 'a code for one person';
    return `codes for ${department ?? 'everyone'}, ${year ?? 'all years'}`;
  },
  run: async () => undefined,
};

/**
 * Returns an unused approval of an account to print codes for a scope and this number of people. Requests one if there
 * is none and no request is pending.
 * @returns null without an approval
 * @throws ProblemError staff/too-many-requests
 */
export async function findApproval(
  context: Pick<Context, 'limiter'>,
  tx: Db,
  scope: CodeScope,
  people: number,
  requestedBy: string,
): Promise<string | null> {
  const { department = null, year = null, onlyGraduates = false, entryId } = scope;
  const payload = { department, year, onlyGraduates, ...(entryId !== undefined && { entryId }) };
  const { rows } = await sql<{ id: string; isDone: boolean }>`
    select id, state = 'done' as "isDone" from approvals a
    where kind = 'codes' and requested_by = ${requestedBy} and payload = ${JSON.stringify(payload)}::jsonb and people >= ${people}
      and (state in ('waiting', 'approved') or (state = 'done' and decided_at > now() - make_interval(days => ${approvalTtlDays})
        and not exists (select from code_batches where approval_id = a.id)))
    order by state = 'done' desc, id limit 1`.execute(tx);
  const [found] = rows;
  if (!found) await requestApproval(context, tx, { kind: 'codes', payload, people, requestedBy });
  return found?.isDone ? found.id : null;
}
