import { sql } from 'kysely';
import type { AuditAction, AuditSubjectKind } from '#contract/staff-audit.ts';
import type { Db } from '../../db/client.ts';

/** An act of staff. It never contains a name, an address or a text that a person typed: the record stays when accounts are deleted. */
export interface StaffAction {
  /** Account of the member of staff. Null: the operator, by a command, or a job. */
  readonly actor: string | null;
  readonly action: AuditAction;
  readonly subject?: { readonly kind: AuditSubjectKind; readonly id: string };
  /** Numbers, and codes such as the reason of a list. */
  readonly details?: Readonly<Record<string, number | boolean | string | null>>;
}

/** Codes are short and lower-case, so that no name or text gets into the log by mistake. */
const codePattern = /^[a-z0-9-]{1,60}$/u;

/**
 * Appends a record to the audit log, in the transaction of the act itself: the act has one record if it commits, and none if not. Concurrent
 * acts wait for each other from here on, so call it late in the transaction.
 * @throws Error if a detail is not a number or a code
 */
export async function recordStaffAction(tx: Db, { actor, action, subject, details = {} }: StaffAction): Promise<void> {
  for (const [name, value] of Object.entries(details))
    if (typeof value === 'string' && !codePattern.test(value)) throw new Error(`The detail "${name}" is not a code.`);
  await sql`
    select append_audit_record(${actor}::uuid, ${action}, ${subject?.kind ?? null}::text, ${subject?.id ?? null}::text,
      ${JSON.stringify(details)}::jsonb)`.execute(tx);
}
