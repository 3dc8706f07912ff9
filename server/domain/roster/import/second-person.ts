import { sql } from 'kysely';
import type { ImportCounts } from '#contract/roster.ts';
import type { Db } from '#server/db/client.ts';
import { isManyChanged, isManyMissing } from './compare-rows.ts';
import { countEntries } from './roster-imports.ts';

/**
 * Returns whether a second person must approve an import, because it changes or misses many entries, or changes people
 * who are confirmed. Adds up the imports that a person has applied in 24 hours without an approval, so that several
 * small imports do not replace a large one. Undone imports do not count.
 */
export async function needsSecondPerson(db: Db, counts: ImportCounts, accountId: string): Promise<boolean> {
  const { changed, unchanged, missing, moved = 0 } = counts;
  if (moved > 0) return true;
  const isMany = (sum: Pick<ImportCounts, 'changed' | 'missing'>, entries: number) =>
    isManyChanged(sum.changed, entries) || isManyMissing(sum.missing, entries);
  if (isMany(counts, changed + unchanged + missing)) return true;
  if (changed + missing === 0) return false;
  const recent = await sumRecentImports(db, accountId);
  if (recent.changed + recent.missing === 0) return false;
  // Not the entries in the file, which may be a partial list.
  const { entries } = await countEntries(db);
  return isMany({ changed: changed + recent.changed, missing: missing + recent.missing }, entries);
}

async function sumRecentImports(db: Db, accountId: string): Promise<Pick<ImportCounts, 'changed' | 'missing'>> {
  const { rows } = await sql<Pick<ImportCounts, 'changed' | 'missing'>>`
    select coalesce(sum((i.counts ->> 'changed')::int), 0)::int as changed,
      coalesce(sum((i.counts ->> 'missing')::int), 0)::int as missing
    from roster_imports i join audit_records r on r.subject = i.id::text and r.action = 'roster-applied'
    where i.state = 'applied' and i.applied_at > now() - interval '24 hours' and r.actor = ${accountId}
      and not exists (
        select from approvals q
        where q.kind = 'roster-apply' and q.state = 'done'
          and q.payload @> jsonb_build_object('importId', i.id))`.execute(db);
  return rows[0] ?? { changed: 0, missing: 0 };
}
