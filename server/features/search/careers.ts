import { sql } from 'kysely';
import type { Employer } from '#contract/careers.ts';
import type { CareerMatches } from '#contract/search.ts';
import type { Db } from '#server/db/client.ts';
import { findCareers, toCareerCard } from '#server/domain/careers/career-list.ts';
import { areOneEditApart, toEmployerKey } from '#server/domain/careers/employer-key.ts';
import { findArea, suggestCities } from '#server/domain/careers/places.ts';
import { searchWords } from '#server/domain/search/folding.ts';
import { minPrefixLength, toWordQuery } from '#server/domain/search/word-query.ts';

/* Finds employers and places for members. Their words are not in `listings.search`, where they would slow down each search. */

const maxEmployers = 3;
const maxAreas = 2;
const maxPeople = 12;
/** Number of the largest employers whose misspelled names are found. */
const maxCorrectedEmployers = 500;

export async function findCareerMatches(db: Db, text: string, schoolLabel: string): Promise<CareerMatches | null> {
  if (searchWords(text).length === 0) return null;
  const key = toEmployerKey(text);
  const areaIds = text.trim().length < minPrefixLength ? [] : suggestCities(text).map(({ areaId }) => String(areaId));
  // One statement, because each search of a member runs it. The comment lets PostgreSQL keep its plan (`client.ts`).
  const { rows } = await sql<Employer & { isExact: boolean | null }>`/* generic plan */
    with wanted as materialized (
      select coalesce((select same_as from employer_merges where key = ${key}), ${key}) as key
    ), found as materialized (
      select key, name, people from employers
      where key = (select key from wanted) or words @@ (select ${toWordQuery(text)}::tsquery)
    )
    (select key, name, people, key = (select key from wanted) as "isExact" from found
     order by 4 desc, people desc, key limit ${sql.lit(maxEmployers)})
    union all
    (select value, '', people, null from career_counts
     where audience = 'members' and kind = 'area' and value = any(${areaIds}::text[])
     order by people desc, value limit ${sql.lit(maxAreas)})`.execute(db);
  const employers = rows.filter(({ isExact }) => isExact !== null);
  const areas = rows.flatMap(({ key: id, people, isExact }) => {
    const area = isExact === null ? findArea(Number(id)) : undefined;
    return area ? [{ ...area, people }] : [];
  });
  if (employers.length === 0 && areas.length === 0) return null;
  const isExact = employers[0]?.isExact === true;
  return { isExact, employers, areas, people: await findFirstPeople(db, employers, schoolLabel) };
}

/** Returns an employer whose key has one letter more, less, or other than the text, or two letters swapped. */
export async function findSimilarEmployer(db: Db, text: string, schoolLabel: string): Promise<CareerMatches | null> {
  const key = toEmployerKey(text);
  // With one edit, one of the halves stays. Shorter keys are not corrected.
  const half = Math.floor(([...key].length - 1) / 2);
  if (half < 2) return null;
  const { rows } = await sql<Employer>`
    with largest as materialized (
      select key, name, people from employers order by people desc, key limit ${sql.lit(maxCorrectedEmployers)}
    )
    select key, name, people from largest
    where left(key, ${half}::int) = left(${key}, ${half}::int) or right(key, ${half}::int) = right(${key}, ${half}::int)
    order by people desc, key`.execute(db);
  const employers = rows.filter((employer) => areOneEditApart(key, employer.key)).slice(0, 1);
  if (employers.length === 0) return null;
  return { isExact: false, employers, areas: [], people: await findFirstPeople(db, employers, schoolLabel) };
}

async function findFirstPeople(db: Db, [first]: readonly Employer[], schoolLabel: string) {
  if (!first) return [];
  const { rows } = await findCareers(db, { employer: first.key }, maxPeople);
  return rows.map((row) => toCareerCard(row, schoolLabel));
}
