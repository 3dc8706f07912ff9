import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { Db } from '#server/db/client.ts';
import { defineJob } from '#server/platform/jobs/define-job.ts';

/** Its handler is in `features/staff/invitations.ts`. */
export const acceptInvitationsJob = defineJob('staff:accept-invitations', z.unknown());

/** Call it in the transaction that verifies an address. */
export async function queueInvitations(tx: Db, accountId: string): Promise<void> {
  const { rows } = await sql`
    select from staff_invitations i join accounts a on a.email = i.email where a.id = ${accountId} limit 1`.execute(tx);
  if (rows.length > 0) await acceptInvitationsJob.queue(tx, {});
}
