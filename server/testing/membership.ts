import type { Selectable } from 'kysely';
import { type EvidenceKind, assuranceOf } from '#contract/membership.ts';
import { recordIdentity } from '#server/domain/membership/confirmed-identity.ts';
import { endGracePeriods, requireConfirmation } from '#server/domain/membership/membership-mode.ts';
import { setMembershipStatus } from '#server/domain/membership/membership.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
// oxlint-disable-next-line eslint/no-restricted-imports -- Tests insert entries directly.
import type { RosterTables } from '#server/domain/roster/tables.ts';
import type { Member, TestArchive, Visitor } from './archive.ts';

/** Switches the archive to the mode `confirmed`. Accounts become unconfirmed, without a grace period. */
export async function enterConfirmedMode({ context: { db, listCache } }: TestArchive): Promise<void> {
  await requireConfirmation(db, 0);
  await endGracePeriods(db);
  listCache.clear();
}

/**
 * Confirms an account with one piece of evidence that refers to no roster entry.
 * @param more the kind of evidence, and how long ago the account was confirmed (a PostgreSQL interval, by default 0)
 */
export async function confirmMember(
  { context: { db, listCache }, pool }: TestArchive,
  { uid }: Pick<Visitor, 'uid'>,
  { kind = 'staff-review', age = '0 days' }: { readonly kind?: EvidenceKind; readonly age?: string } = {},
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { id: evidenceId } = await tx
      .insertInto('evidence')
      .values({ account_id: uid, kind, assurance: assuranceOf[kind] })
      .returning('id')
      .executeTakeFirstOrThrow();
    await recordIdentity(tx, uid, { evidenceId, entryId: null, seen: [] });
    await setMembershipStatus(tx, uid, 'confirmed');
  });
  listCache.clear();
  await pool.query('update accounts set confirmed_at = confirmed_at - $2::interval where id = $1', [uid, age]);
  await pool.query('update evidence set created_at = created_at - $2::interval where account_id = $1', [uid, age]);
}

export const namesake = {
  firstName: 'Ada',
  lastName: 'Okafor',
  department: 'Physics',
  yearAdmitted: 2006,
  yearGraduated: 2010,
};

type EntryValues = Partial<Selectable<RosterTables['roster_entries']>>;

export async function addEntry({ pool }: TestArchive, values: EntryValues = {}): Promise<number> {
  const matricNumber = values.matric_number ?? `TEST/${++entryCount}`;
  const row = {
    matric_number: matricNumber,
    matric_key: toMatricKey(matricNumber),
    last_name: namesake.lastName,
    first_name: namesake.firstName,
    department: namesake.department,
    year_admitted: namesake.yearAdmitted,
    year_graduated: namesake.yearGraduated,
    words: [],
    first_import: 1,
    last_import: 1,
    ...values,
  };
  const { rows } = await pool.query<{ id: number }>(
    `insert into roster_entries (${Object.keys(row).join(', ')})
     values (${Object.keys(row)
       .map((_, at) => `$${at + 1}`)
       .join(', ')}) returning id`,
    Object.values(row),
  );
  return rows[0]?.id ?? 0;
}

let entryCount = 0;

export const addEntryOf = (archive: TestArchive, { document }: Member, values: EntryValues = {}): Promise<number> =>
  addEntry(archive, {
    matric_number: document.academic.matricNumber,
    last_name: document.name.last,
    first_name: document.name.first,
    other_names: document.name.middle,
    birth_date: document.dob,
    department: document.academic.department,
    year_admitted: document.academic.year.admitted,
    year_graduated: document.academic.year.graduated,
    ...values,
  });

export async function printCode({ pool, context }: TestArchive, entryId: number): Promise<string> {
  const { code, hash } = await context.membershipCodes.create();
  await pool.query(
    `insert into membership_codes (code_hash, entry_id, kind, expires_at) values ($1, $2, 'printed', now() + interval '1 year')`,
    [hash, entryId],
  );
  return code;
}
