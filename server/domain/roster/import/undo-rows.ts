import { sql } from 'kysely';
import type { UndoCounts } from '#contract/roster.ts';
import type { Db } from '#server/db/client.ts';
import { closeDisputesOfImport, contestMovedPeople, deleteCodesOfMoved, findMovedPeople } from '../moved-people.ts';
import { forgetAgreements } from '../entry-questions.ts';
import { entryColumns } from './entry-columns.ts';

const restoredColumns = [...entryColumns.map(({ name }) => name), 'words', 'first_import', 'last_import', 'gone_since'];

const isUsed = `(${['roster_links', 'evidence', 'membership_codes', 'disputes']
  .map((table) => `exists (select from ${table} where entry_id = e.id)`)
  .join(' or ')})`;

const isCorrected = (appliedAt: Date) => sql`exists (
  select from corrections k
  where k.entry_id = e.id and k.outcome = 'accept' and k.reason <> 'other' and k.closed_at > ${appliedAt})`;

/**
 * Reverts an import on which no other one builds: deletes its new entries, restores the values of changed ones, and unmarks missing
 * ones. New entries that are in use, changed entries that were linked since, and entries that were corrected since,
 * stay. Links that the import made contested are as before. Other links become contested if their entries become
 * another person, and the codes of entries that do are deleted.
 */
export async function undoRows(
  tx: Db,
  { id: importId, appliedAt }: { id: number; appliedAt: Date },
): Promise<UndoCounts> {
  const changes = sql`roster_changes c, jsonb_populate_record(null::roster_entries, c.before) as b`;
  const isRestored = sql`c.import_id = ${importId} and e.id = c.entry_id and e.suppressed_at is null
    and not exists (select from roster_links l where l.entry_id = e.id and l.linked_at > ${appliedAt})
    and not ${isCorrected(appliedAt)}`;
  const restoredChanges = sql`
    select c.entry_id, null::int as line, e.last_name, e.first_name, e.birth_date, b.last_name as new_last_name,
      b.first_name as new_first_name, b.birth_date as new_birth_date
    from roster_entries e, ${changes} where ${isRestored}`;
  await deleteCodesOfMoved(tx, restoredChanges);
  // A claim in progress holds a lock on its entry. Waits for it, so that the next statements see its link.
  await sql`select count(*) from (select from roster_entries where first_import = ${importId} for update) as locked`.execute(
    tx,
  );
  await sql`
    select count(*) from (
      select from roster_changes c join roster_entries e on e.id = c.entry_id where c.import_id = ${importId} for no key update of e
    ) as locked`.execute(tx);
  const deleted = await sql`
    delete from roster_entries e where e.first_import = ${importId} and e.suppressed_at is null and not ${sql.raw(isUsed)}
      and not ${isCorrected(appliedAt)}`.execute(tx);
  const { rows: left } = await sql<{ kept: number; failed: number }>`
    select count(*) filter (where suppressed_at is null)::int as kept, count(*) filter (where suppressed_at is not null)::int as failed
    from roster_entries where first_import = ${importId}`.execute(tx);
  const moved = await findMovedPeople(tx, restoredChanges);
  await forgetAgreements(tx, sql`select entry_id from roster_changes where import_id = ${importId}`);
  const restored = await sql`
    update roster_entries e set ${sql.raw(restoredColumns.map((name) => `${name} = b.${name}`).join(', '))}
    from ${changes} where ${isRestored}`.execute(tx);
  await contestMovedPeople(tx, await closeDisputesOfImport(tx, moved, { id: importId, appliedAt }), 'undo');
  const { rows: changed } = await sql<{ kept: number; failed: number }>`
    select count(*) filter (where e.id is not null and e.suppressed_at is null)::int as kept,
      count(*) filter (where e.id is null or e.suppressed_at is not null)::int as failed
    from roster_changes c left join roster_entries e on e.id = c.entry_id
    where c.import_id = ${importId}`.execute(tx);
  const found = await sql`update roster_entries set gone_since = null where gone_since = ${importId}`.execute(tx);
  await sql`delete from roster_changes where import_id = ${importId}`.execute(tx);
  const restoredCount = Number(restored.numAffectedRows ?? 0n);
  const [leftRow, changedRow] = [left[0], changed[0]];
  return {
    takenBack: Number(deleted.numAffectedRows ?? 0n) + restoredCount + Number(found.numAffectedRows ?? 0n),
    kept: (leftRow?.kept ?? 0) + (changedRow?.kept ?? 0) - restoredCount,
    failed: (leftRow?.failed ?? 0) + (changedRow?.failed ?? 0),
  };
}
