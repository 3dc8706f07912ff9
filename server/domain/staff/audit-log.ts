import { sql } from 'kysely';
import { type AuditAction, type AuditSubjectKind, leaseMinutes } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';

/**
 * An action of staff. It never contains a name, an address or a text that a person typed: the record stays when
 * accounts are deleted.
 */
interface StaffAction {
  /** Account of the member of staff. Null: the operator, by a command, or a job. */
  readonly actor: string | null;
  readonly action: AuditAction;
  readonly subject?: { readonly kind: AuditSubjectKind; readonly id: string };
  readonly details?: Readonly<Record<string, number | boolean | string | null>>;
}

/** Returns the code of a college or department for the details of a record: "Computer Science" as "computer-science". */
export const toAuditCode = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, 60) || 'other';

/** Codes are short and lower-case, so that no name or text gets into the log by mistake. */
const codePattern = /^[a-z0-9-]{1,60}$/u;

/**
 * Appends a record to the audit log, in the transaction of the action itself: the action has one record if it commits,
 * and none if not. Concurrent actions wait for each other from here on, so call it late in the transaction.
 * @throws Error if a detail is not a number or a code
 */
export async function recordStaffAction(tx: Db, { actor, action, subject, details = {} }: StaffAction): Promise<void> {
  for (const [name, value] of Object.entries(details))
    if (typeof value === 'string' && !codePattern.test(value)) throw new Error(`The detail "${name}" is not a code.`);
  await sql`
    select append_audit_record(${actor}::uuid, ${action}, ${subject?.kind ?? null}::text, ${subject?.id ?? null}::text,
      ${JSON.stringify(details)}::jsonb)`.execute(tx);
}

interface StaffRead extends Required<Pick<StaffAction, 'subject'>>, Pick<StaffAction, 'details'> {
  readonly actor: string;
  readonly action: Extract<AuditAction, `${string}-read` | 'export-downloaded'>;
}

/**
 * Appends a record of a read, unless the member of staff has read the same item in the last `leaseMinutes`. Call it
 * before the item is sent:
 * without a record, nothing may be shown.
 */
export async function recordStaffRead(db: Db, read: StaffRead): Promise<void> {
  if (await isReadRecorded(db, read)) return;
  await db.transaction().execute(async (tx) => {
    // Parallel reads are one record: this is the lock of append_audit_record.
    await sql`select pg_advisory_xact_lock(hashtext('audit_records'))`.execute(tx);
    if (!(await isReadRecorded(tx, read))) await recordStaffAction(tx, read);
  });
}

async function isReadRecorded(db: Db, { actor, action, subject: { kind, id } }: StaffRead): Promise<boolean> {
  // A time in the future was written while the clock was wrong.
  const { rows } = await sql`
    select from audit_records
    where subject = ${id} and subject_kind = ${kind} and action = ${action} and actor = ${actor}
      and recorded_at between clock_timestamp() - make_interval(mins => ${leaseMinutes}) and clock_timestamp()
    limit 1`.execute(db);
  return rows.length > 0;
}

/** The last record of the log: its hash changes with every earlier record. */
export interface AuditHead {
  readonly records: number;
  /** The first 32 hexadecimal digits of the hash: logs redact longer ones, because these could be secrets. */
  readonly hash: string;
}

export async function findAuditHead(db: Db): Promise<AuditHead | null> {
  const { rows } = await sql<AuditHead>`
    select id::float8 as records, left(encode(hash, 'hex'), 32) as hash from audit_records
    order by id desc limit 1`.execute(db);
  return rows[0] ?? null;
}

/**
 * Computes all hashes again.
 * @returns the number of the first record that was changed or follows a missing one; null if there is none
 */
export async function findBrokenRecord(db: Db): Promise<number | null> {
  const { rows } = await sql<{ id: number | null }>`
    select min(id)::float8 as id from (
      select r.id, r.hash is distinct from hash_audit_record(coalesce(lag(r.hash) over (order by r.id), ''), r)
        or r.id <> row_number() over (order by r.id) as "isBroken"
      from audit_records r) as records
    where "isBroken"`.execute(db);
  return rows[0]?.id ?? null;
}

/**
 * Returns whether the log still has a record with this hash: false if the end of the log was cut off, or the archive
 * was restored since.
 */
export async function hasAuditRecord(db: Db, { records, hash }: AuditHead): Promise<boolean> {
  const { rows } = await sql`
    select from audit_records where id = ${records} and left(encode(hash, 'hex'), 32) = ${hash}`.execute(db);
  return rows.length > 0;
}
