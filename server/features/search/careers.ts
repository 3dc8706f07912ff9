import { sql } from 'kysely';
import type { Area, Employer } from '#contract/careers.ts';
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
  const [{ isExact, employers }, areas] = await Promise.all([findEmployers(db, text), findAreas(db, text)]);
  if (employers.length === 0 && areas.length === 0) return null;
  return { isExact, employers, areas, people: await findFirstPeople(db, employers, schoolLabel) };
}

/** Returns an employer whose key has one letter more, less, or other than the text, or two letters swapped. */
export async function findSimilarEmployer(db: Db, text: string, schoolLabel: string): Promise<CareerMatches | null> {
  const key = toEmployerKey(text);
  const { rows } = await sql<Employer>`
    select key, name, people from employers
    order by people desc, key limit ${sql.lit(maxCorrectedEmployers)}`.execute(db);
  const employers = rows.filter((employer) => areOneEditApart(key, employer.key)).slice(0, 1);
  if (employers.length === 0) return null;
  return { isExact: false, employers, areas: [], people: await findFirstPeople(db, employers, schoolLabel) };
}

async function findEmployers(db: Db, text: string): Promise<{ isExact: boolean; employers: Employer[] }> {
  const key = toEmployerKey(text);
  const { rows } = await sql<Employer & { isExact: boolean }>`
    with wanted as materialized (
      select coalesce((select same_as from employer_merges where key = ${key}), ${key}) as key
    )
    select key, name, people, key = (select key from wanted) as "isExact" from employers
    where key = (select key from wanted) or words @@ ${toWordQuery(text)}::tsquery
    order by 4 desc, people desc, key limit ${sql.lit(maxEmployers)}`.execute(db);
  return { isExact: rows[0]?.isExact === true, employers: rows };
}

async function findAreas(db: Db, text: string): Promise<Area[]> {
  const ids = text.trim().length < minPrefixLength ? [] : suggestCities(text).map(({ areaId }) => String(areaId));
  if (ids.length === 0) return [];
  const { rows } = await sql<{ value: string; people: number }>`
    select value, people from career_counts where audience = 'members' and kind = 'area' and value = any(${ids})
    order by people desc, value limit ${sql.lit(maxAreas)}`.execute(db);
  return rows.flatMap(({ value, people }) => {
    const area = findArea(Number(value));
    return area ? [{ ...area, people }] : [];
  });
}

async function findFirstPeople(db: Db, [first]: readonly Employer[], schoolLabel: string) {
  if (!first) return [];
  const { rows } = await findCareers(db, { employer: first.key }, maxPeople);
  return rows.map((row) => toCareerCard(row, schoolLabel));
}
