import { sql } from 'kysely';
import type { Position } from '#contract/careers.ts';
import type { Db } from '#server/db/client.ts';
import { toEmployerKey } from './employer-key.ts';

/** Deletes the merges of the employers of a deleted person, if no listing has that spelling any more. */
export async function deleteUnusedMerges(tx: Db, positions: readonly Position[]): Promise<void> {
  const keys = positions.flatMap(({ employer }) => (employer === '' ? [] : [toEmployerKey(employer)]));
  if (keys.length === 0) return;
  const { rows } = await sql<{ key: string; shown: string[] }>`
    select key, array(select distinct employer from listings where audience = 'members' and employer_key = same_as) as shown
    from employer_merges where key = any(${keys}::text[])`.execute(tx);
  const unused = rows.filter(({ key, shown }) => !shown.some((employer) => toEmployerKey(employer) === key));
  for (const { key } of unused) {
    // Employers that were merged into it stay with the rest.
    await sql`update employer_merges set merged_into = same_as where merged_into = ${key}`.execute(tx);
    await tx.deleteFrom('employer_merges').where('key', '=', key).execute();
  }
}
