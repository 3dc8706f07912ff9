import { sql } from 'kysely';
import type { Db } from '../../db/client.ts';
import type { ListingAudience } from '../../db/schema.ts';
import { fold } from '../../domain/folding.ts';
import { type CardRow, cardColumns } from '../../domain/visibility.ts';

/** As many are looked at as can be ranked in no time; who types a surname that thousands have will type more. */
const candidates = 300;
const mostWords = 8;

/**
 * People who have, for each word that was typed, one that begins with it, whatever the case and the marks. Reads the rows
 * of one audience and nothing else, so nobody is found by what that audience may not see.
 */
export async function findPeople(db: Db, audience: ListingAudience, text: string): Promise<CardRow[]> {
  const words = fold(text).split(' ').filter(Boolean).slice(0, mostWords);
  if (words.length === 0) return [];
  // Folding leaves nothing but letters and digits, so a word is no operator.
  const query = words.map((word) => `${word}:*`).join(' & ');
  const rows = await db
    .selectFrom('listings')
    .select(cardColumns)
    // Written out, so that the index of this audience is known to fit.
    .where('audience', '=', sql.lit(audience))
    .where(sql<boolean>`search @@ to_tsquery('simple', ${query})`)
    .limit(candidates)
    .execute();
  return rank(rows, words);
}

/** Whole words of the name count most, then beginnings of it; the rest were found by department or matric number. */
function rank(rows: CardRow[], words: readonly string[]): CardRow[] {
  const scored = rows.map((row) => {
    const names = fold(row.name).split(' ');
    const score = words.reduce((sum, word) => {
      if (names.includes(word)) return sum + 4;
      return names.some((name) => name.startsWith(word)) ? sum + 2 : sum;
    }, 0);
    return { row, score };
  });
  const byName = (a: CardRow, b: CardRow) => (a.sort_name < b.sort_name ? -1 : a.sort_name > b.sort_name ? 1 : 0);
  return scored.toSorted((a, b) => b.score - a.score || byName(a.row, b.row)).map(({ row }) => row);
}
