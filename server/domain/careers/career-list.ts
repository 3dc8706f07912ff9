import { CompiledQuery } from 'kysely';
import * as z from 'zod/mini';
import type { CareerCard, CareerFilters } from '#contract/careers.ts';
import { helpKinds, maxCountedPeople } from '#contract/career-values.ts';
import { Id } from '#contract/fields.ts';
import type { Db } from '#server/db/client.ts';
import { cutPage, readCursor } from '#server/platform/http/cursor.ts';
import { buildConditions } from '../people/listing-conditions.ts';
import { type CardRow, cardColumns, toCard } from '../people/visibility.ts';
import { afterPrefix, fold } from '../search/folding.ts';

/*
 * Lists of people by what they do, for members. Each filter has an index that continues by name and includes the other
 * filters (migration 020), so a list reads only the index and the people that it shows.
 */

/** The condition of the index `listings_by_career`. */
export const hasCareer = '(role is not null or employer is not null or country is not null or helps <> 0)';

const NameKey = z.tuple([z.string(), Id]);

export interface ListContext {
  readonly db: Db;
  readonly viewerId: string;
  readonly schoolLabel: string;
}

/** @param filters with the key of an employer after merges, see `findEmployer` */
export async function findCareers(
  { db, viewerId, schoolLabel }: ListContext,
  filters: CareerFilters,
  limit: number,
  after?: string,
): Promise<{ items: CareerCard[]; next: string | null }> {
  const parameters: unknown[] = ['members'];
  const conditions = buildCareerConditions(viewerId, filters, parameters);
  if (after !== undefined) {
    const [name, id] = readCursor(after, NameKey);
    conditions.push(`(sort_name, account_id) > ($${parameters.push(name)}, $${parameters.push(id)})`);
  }
  const found = await selectRows<CardRow & { career: Partial<CareerCard> }>(
    db,
    `with found as materialized (
       select account_id from listings where ${conditions.join(' and ')} order by sort_name, account_id limit ${limit + 1}
     ) select ${cardColumns.join(', ')}, jsonb_strip_nulls(jsonb_build_object(
         'role', role, 'employer', employer, 'city', city, 'country', country)) as career
     from found join listings using (account_id) where audience = $1 order by sort_name, account_id`,
    parameters,
  );
  const { rows, next } = cutPage(found, limit, ({ sort_name, account_id }) => [sort_name, account_id]);
  return { items: rows.map((row) => ({ ...toCard(row, schoolLabel), ...row.career })), next };
}

export async function countPeople(
  { db, viewerId }: ListContext,
  filters: CareerFilters,
): Promise<{ count: number; isAtLeast: boolean }> {
  const parameters: unknown[] = ['members'];
  const conditions = buildCareerConditions(viewerId, filters, parameters);
  const [{ people } = { people: 0 }] = await selectRows<{ people: number }>(
    db,
    `select count(*)::int as people from (
       select from listings where ${conditions.join(' and ')} limit ${maxCountedPeople + 1}
     ) as found`,
    parameters,
  );
  return { count: Math.min(people, maxCountedPeople), isAtLeast: people > maxCountedPeople };
}

function buildCareerConditions(viewerId: string, filters: CareerFilters, parameters: unknown[]): string[] {
  const { employer, field, area, country, help, name } = filters;
  const conditions = buildConditions(filters, parameters);
  if (help !== undefined) {
    // Redundant, but without it the planner does not use the partial index.
    conditions.push('helps <> 0', `helps & ${1 << helpKinds.indexOf(help)} <> 0`);
    const viewer = `$${parameters.push(viewerId)}::uuid`;
    // As when messages are disabled, so that no one can detect a block.
    conditions.push(`account_id <> all(array(select blocked_id from blocks where account_id = ${viewer}
      union all select account_id from blocks where blocked_id = ${viewer}))`);
  }
  // The indexes of the other filters do not include the columns of this condition, and it is true for their people.
  if ([employer, field, area, country, help].every((value) => value === undefined)) conditions.push(hasCareer);
  const start = fold(name ?? '');
  if (start !== '')
    conditions.push(`sort_name >= $${parameters.push(start)}`, `sort_name < $${parameters.push(start + afterPrefix)}`);
  return conditions;
}

/** The comment makes PostgreSQL plan each query for its values (`client.ts`): employers and places differ in size. */
export const selectRows = async <Row>(db: Db, text: string, parameters: unknown[]): Promise<Row[]> =>
  (await db.executeQuery<Row>(CompiledQuery.raw(`/* custom plan */ ${text}`, parameters))).rows;
