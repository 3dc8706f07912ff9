import { sql } from 'kysely';
import type { Employer } from '#contract/careers.ts';
import type { CareerMatches } from '#contract/search.ts';
import type { Db } from '#server/db/client.ts';
import { type ListContext, findCareers } from '#server/domain/careers/career-list.ts';
import { areOneEditApart, minLettersForOneEdit, toEmployerKey } from '#server/domain/careers/employer-key.ts';
import { findEmployer, suggestEmployers } from '#server/domain/careers/employers.ts';
import { findArea, suggestCities } from '#server/domain/careers/places.ts';
import { minPrefixLength } from '#server/domain/search/word-query.ts';

const maxEmployers = 3;
const maxAreas = 2;
const maxPeople = 12;
/** Number of the largest employers whose misspelled names are found. */
const maxCorrectedEmployers = 500;

export async function findCareerMatches(list: ListContext, text: string): Promise<CareerMatches> {
  const { db } = list;
  const exact = await findEmployer(db, toEmployerKey(text));
  const isPrefix = text.trim().length >= minPrefixLength;
  const suggested = isPrefix ? await suggestEmployers(db, text, maxEmployers) : [];
  const areas = isPrefix ? await findAreas(db, text) : [];
  const known = exact ? [exact, ...suggested.filter(({ key }) => key !== exact.key)].slice(0, maxEmployers) : suggested;
  const employers = known.length + areas.length > 0 ? known : await findSimilarEmployer(db, text);
  const [first] = employers;
  const people = first ? (await findCareers(list, { employer: first.key }, maxPeople)).items : [];
  return { isExact: exact !== null, employers, areas, people };
}

async function findAreas(db: Db, text: string): Promise<CareerMatches['areas']> {
  const ids = suggestCities(text).map(({ areaId }) => String(areaId));
  const { rows } = await sql<{ id: number; people: number }>`
    select value::int as id, people from career_counts
    where audience = 'members' and kind = 'area' and value = any(${ids}::text[])
    order by people desc, value limit ${sql.lit(maxAreas)}`.execute(db);
  return rows.flatMap(({ id, people }) => {
    const area = findArea(id);
    return area ? [{ ...area, people }] : [];
  });
}

/** Returns an employer whose key has one letter more, less, or other than the text, or two letters swapped. */
async function findSimilarEmployer(db: Db, text: string): Promise<Employer[]> {
  const key = toEmployerKey(text);
  if (key.length < minLettersForOneEdit) return [];
  const { rows } = await sql<Employer>`
    select key, name, people from employers
    order by people desc, key limit ${sql.lit(maxCorrectedEmployers)}`.execute(db);
  return rows.filter((employer) => areOneEditApart(key, employer.key)).slice(0, 1);
}
