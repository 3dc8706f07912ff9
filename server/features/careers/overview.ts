import type { CareersOverview } from '#contract/careers.ts';
import { type WorkField, minShownPeople } from '#contract/career-values.ts';
import type { DirectoryFilters } from '#contract/directory.ts';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience } from '#server/db/schema.ts';
import { hasCareer, selectRows } from '#server/domain/careers/career-list.ts';
import { findArea } from '#server/domain/careers/places.ts';
import { buildConditions } from '#server/domain/people/listing-conditions.ts';

const maxAreas = 60;
const maxEmployers = 24;

interface Count {
  readonly kind: 'area' | 'country' | 'field' | 'employer';
  readonly value: string;
  readonly people: number;
  /** Of an employer. */
  readonly name: string;
}

const largestEmployers = `order by people desc, value limit ${maxEmployers}`;

/** Counts everyone, whose counts are stored, or the people whom filters select. */
export async function countCareers(
  db: Db,
  audience: ListingAudience,
  filters: DirectoryFilters,
): Promise<CareersOverview> {
  const parameters: unknown[] = [audience];
  const conditions = [...buildConditions(filters, parameters), hasCareer];
  const counts =
    parameters.length === 1
      ? `select kind, value, people from career_counts where audience = $1
         union all (select 'employer', key as value, people from employers where $1 = 'members' ${largestEmployers})`
      : `select case when employer_key is not null then 'employer' when field is not null then 'field'
           when area_id is not null then 'area' else 'country' end as kind,
           coalesce(employer_key, field, area_id::text, country) as value, count(*) as people
         from listings where ${conditions.join(' and ')}
         group by grouping sets (employer_key, field, area_id, country)`;
  const rows = await selectRows<Count>(
    db,
    `with counts as materialized (${counts})
     select kind, value, people, null as name from counts where kind in ('country', 'field') and value is not null
     union all (select kind, value, people, null from counts where kind = 'area' order by people desc, value limit ${maxAreas})
     union all (select kind, value, largest.people, name
       from (select * from counts where kind = 'employer' ${largestEmployers}) as largest
         join employers on key = value)
     order by people desc, value`,
    parameters,
  );
  return toOverview(rows, audience === 'members' ? 1 : minShownPeople);
}

/**
 * Shapes the counts. People in an area of fewer than `minPeople` count as elsewhere in the country. If there are fewer
 * than `minPeople` elsewhere, the country omits them. No hidden number can be computed from a total.
 */
function toOverview(counts: readonly Count[], minPeople: number): CareersOverview {
  const listKind = (wanted: Count['kind']) => counts.filter(({ kind }) => kind === wanted);
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
    employers: listKind('employer').map(({ value: key, name, people }) => ({ key, name, people })),
  };
}
