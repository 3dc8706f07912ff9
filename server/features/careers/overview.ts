import { CompiledQuery, sql } from 'kysely';
import type { CareersOverview, Employer } from '#contract/careers.ts';
import { type WorkField, minShownPeople } from '#contract/career-values.ts';
import type { DirectoryFilters } from '#contract/directory.ts';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience } from '#server/db/schema.ts';
import { hasCareer } from '#server/domain/careers/career-list.ts';
import { findArea } from '#server/domain/careers/places.ts';
import { buildConditions } from '#server/domain/people/listing-conditions.ts';

const maxAreas = 60;
const maxEmployers = 24;

interface Count {
  readonly kind: 'area' | 'country' | 'field';
  readonly value: string;
  readonly people: number;
}

/** Returns the counts of everyone. Guests get only places, and none of fewer than `minShownPeople`. */
export async function countEveryone(db: Db, audience: ListingAudience): Promise<CareersOverview> {
  const [{ rows }, employers] = await Promise.all([
    sql<Count>`
      (select kind, value, people from career_counts where audience = ${audience} and kind <> 'area')
      union all
      (select kind, value, people from career_counts where audience = ${audience} and kind = 'area'
       order by people desc, value limit ${sql.lit(maxAreas)})`.execute(db),
    audience === 'members'
      ? sql<Employer>`
          select key, name, people from employers order by people desc, key limit ${sql.lit(maxEmployers)}`.execute(db)
      : { rows: [] },
  ]);
  return toOverview(rows, employers.rows, audience === 'members' ? 1 : minShownPeople);
}

/** Returns the counts of the members whom filters select. */
export async function countFiltered(db: Db, filters: DirectoryFilters): Promise<CareersOverview> {
  const parameters: unknown[] = ['members'];
  const conditions = [...buildConditions(filters, parameters), hasCareer];
  const { rows } = await db.executeQuery<Count | { kind: 'employer'; value: string; people: number; name: string }>(
    CompiledQuery.raw(
      `/* custom plan */ with counts as materialized (
         select employer_key, field, area_id, country, count(*)::int as people,
           case when employer_key is not null then 'employer' when field is not null then 'field'
             when area_id is not null then 'area' else 'country' end as kind
         from listings where ${conditions.join(' and ')}
         group by grouping sets (employer_key, field, area_id, country)
         having coalesce(employer_key, field, area_id::text, country) is not null
       )
       select kind, coalesce(field, area_id::text, country) as value, people, null as name
       from counts where kind in ('field', 'country')
       union all
       (select kind, area_id::text, people, null from counts where kind = 'area'
        order by people desc, area_id limit ${maxAreas})
       union all
       (select kind, e.key, largest.people, e.name from (
          select * from counts where kind = 'employer' order by people desc, employer_key limit ${maxEmployers}
        ) as largest join employers as e on e.key = employer_key order by largest.people desc, e.key)`,
      parameters,
    ),
  );
  const employers = rows.flatMap((row) =>
    row.kind === 'employer' ? { key: row.value, name: row.name, people: row.people } : [],
  );
  return toOverview(
    rows.filter((row) => row.kind !== 'employer'),
    employers,
    1,
  );
}

/**
 * Shapes the counts. People in an area of fewer than `minPeople` count as elsewhere in the country. If there are fewer
 * than `minPeople` elsewhere, the country omits them. No hidden number can be computed from a total.
 */
function toOverview(counts: readonly Count[], employers: Employer[], minPeople: number): CareersOverview {
  const listKind = (wanted: Count['kind']) =>
    counts.filter(({ kind }) => kind === wanted).toSorted((a, b) => b.people - a.people);
  const areas = listKind('area').flatMap(({ value, people }) => {
    const area = findArea(Number(value));
    return area && people >= minPeople ? [{ ...area, people }] : [];
  });
  const countries = listKind('country').flatMap(({ value: country, people }) => {
    const inAreas = areas.reduce((sum, area) => sum + (area.country === country ? area.people : 0), 0);
    const elsewhere = people - inAreas >= minPeople ? people - inAreas : 0;
    return inAreas + elsewhere > 0 ? [{ country, people: inAreas + elsewhere, elsewhere }] : [];
  });
  return {
    areas,
    // Not in the order of the stored counts, which would show that one country hides more people than another.
    countries: countries.toSorted((a, b) => b.people - a.people || (a.country < b.country ? -1 : 1)),
    fields: listKind('field').map(({ value, people }) => ({ field: value as WorkField, people })),
    employers,
  };
}
