import { sql } from 'kysely';
import { type Db, now } from '#server/db/client.ts';
import type { TypedClaim } from '#server/db/schema.ts';
import { findPerson } from '../people/people.ts';
import { findEntryByMatricKey } from '../roster/claimed-entries.ts';
import { findItemScope } from '../roster/item-scope.ts';
import { toMatricKey } from '../roster/matric-key.ts';

export type ClaimDecider = 'automatic' | 'operator' | 'staff';

type ClaimText = Pick<TypedClaim, 'matricNumber' | 'dob' | 'note'>;

/**
 * Opens a claim, or overwrites the open one, with names and class from the profile. An account has at most one open
 * claim.
 * The scope of an open claim stays.
 * @param typed null to keep an open claim as it is, and to use the matric number and birth date of the profile for a
 * new one
 * @returns the id of the claim and what it contains
 */
export async function openClaim(
  tx: Db,
  accountId: string,
  typed: ClaimText | null,
): Promise<{ id: string; typed: TypedClaim }> {
  const content = await toTypedClaim(tx, accountId, typed);
  const matricKey = toMatricKey(content.matricNumber);
  const entryId = matricKey === '' ? null : await findEntryByMatricKey(tx, matricKey);
  return tx
    .insertInto('claims')
    .values({
      account_id: accountId,
      typed: JSON.stringify(content),
      ...(await findItemScope(tx, accountId, entryId)),
    })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        // Not a parameter: a generic plan could not infer the partial index.
        .where('state', '=', sql.lit('waiting'))
        .doUpdateSet((eb) => ({
          ...(typed !== null && { typed: eb.ref('excluded.typed'), agreeing_entry: null, entry_told_at: null }),
          updated_at: now,
        })),
    )
    .returning(['id', 'typed'])
    .executeTakeFirstOrThrow();
}

export async function toTypedClaim(db: Db, accountId: string, typed: ClaimText | null): Promise<TypedClaim> {
  const person = await findPerson(db, accountId);
  return {
    ...(typed === null && { isFromProfile: true }),
    matricNumber: typed?.matricNumber ?? person?.matric_number ?? '',
    dob: typed?.dob ?? person?.dob ?? '',
    note: typed?.note ?? '',
    firstName: person?.first_name ?? '',
    otherNames: [person?.middle_name, person?.other_names].filter(Boolean).join(' '),
    lastName: person?.last_name ?? '',
    gender: person?.gender ?? '',
    department: person?.department ?? '',
    program: person?.program ?? '',
    yearAdmitted: person?.year_admitted ?? 0,
    yearGraduated: person?.year_graduated ?? 0,
  };
}

export async function recordAttempt(
  tx: Db,
  accountId: string,
  kind: 'claim' | 'mailed-code',
  typed: TypedClaim,
): Promise<void> {
  await tx
    .insertInto('claim_attempts')
    .values({ account_id: accountId, kind, typed: JSON.stringify(typed) })
    .execute();
}

/**
 * Makes the open claim of an account one that only staff decide, because its address changes: someone could claim with
 * many accounts, and then move one after another to the mailbox of an entry.
 */
export async function endFirstClaim(tx: Db, accountId: string): Promise<void> {
  await tx
    .updateTable('claims')
    .set({ updated_at: now })
    .where('account_id', '=', accountId)
    .where('state', '=', 'waiting')
    .execute();
}

export async function closeClaim(
  tx: Db,
  accountId: string,
  state: 'confirmed' | 'rejected' | 'withdrawn' | 'expired',
  decidedBy: ClaimDecider | null = null,
  reason = '',
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('claims')
    .set({ state, decided_at: now, decided_by: decidedBy, reason })
    .where('account_id', '=', accountId)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
