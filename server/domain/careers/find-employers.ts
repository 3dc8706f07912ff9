import { sql } from 'kysely';
import type { Employer } from '#contract/careers.ts';
import type { Db } from '#server/db/client.ts';
import { afterPrefix, searchWords } from '../search/folding.ts';
import { toEmployerKey } from './employer-key.ts';

/** Returns the employer with a key, or the one that staff merged it into, if a member shows it. */
export async function findEmployer(db: Db, key: string): Promise<Employer | null> {
  const { rows } = await sql<Employer>`
    select key, name, people from employers
    where key = coalesce((select same_as from employer_merges where key = ${key}), ${key})`.execute(db);
  return rows[0] ?? null;
}

const maxWords = 8;

/** Returns the employers that have a word with each typed word as its prefix, or whose key begins with the text. */
export async function suggestEmployers(db: Db, text: string, limit: number): Promise<Employer[]> {
  const words = searchWords(text).slice(0, maxWords);
  if (words.length === 0) return [];
  const key = toEmployerKey(text);
  // Folded words have only letters and digits, so they need no escaping. Without the CTE, the planner can read all
  // employers, the largest first, until enough match.
  const { rows } = await sql<Employer>`
    with found as materialized (
      select key, name, people from employers
      where words @@ ${words.map((word) => `'${word}':*`).join(' & ')}::tsquery
        or (key >= ${key} and key < ${key + afterPrefix})
    )
    select key, name, people from found order by people desc, key limit ${sql.lit(limit)}`.execute(db);
  return rows;
}
