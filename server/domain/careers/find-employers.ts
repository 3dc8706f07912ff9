import { sql } from 'kysely';
import type { Employer } from '#contract/careers.ts';
import type { Db } from '#server/db/client.ts';
import { afterPrefix } from '../search/folding.ts';
import { toWordQuery } from '../search/word-query.ts';
import { toEmployerKey } from './employer-key.ts';

/** Returns the employer with a key, or the one that staff merged it into, if a member shows it. */
export async function findEmployer(db: Db, key: string): Promise<Employer | null> {
  const { rows } = await sql<Employer>`
    select key, name, people from employers
    where key = coalesce((select same_as from employer_merges where key = ${key}), ${key})`.execute(db);
  return rows[0] ?? null;
}

/** Returns the employers that match the words of a text, or whose key begins with the text. */
export async function suggestEmployers(db: Db, text: string, limit: number): Promise<Employer[]> {
  const key = toEmployerKey(text);
  if (key === '') return [];
  // Without the CTE, the planner can read all employers, the largest first, until enough match.
  const { rows } = await sql<Employer>`
    with found as materialized (
      select key, name, people from employers
      where words @@ ${toWordQuery(text)}::tsquery or (key >= ${key} and key < ${key + afterPrefix})
    )
    select key, name, people from found order by people desc, key limit ${sql.lit(limit)}`.execute(db);
  return rows;
}
