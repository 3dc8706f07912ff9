import type { CareerFilters } from '#contract/careers.ts';
import type { DirectoryFilters } from '#contract/directory.ts';

const columns = {
  college: 'college',
  department: 'department',
  program: 'program',
  employer: 'employer_key',
  field: 'field',
  area: 'area_id',
  country: 'country',
} as const;

/**
 * Returns the SQL conditions for the audience, which is parameter 1, and for the filters, whose values it adds to the
 * parameters. The tables `listings` and `listing_counts` have the same columns for filters of the directory. It builds strings, because the
 * query builder took longer than the query.
 */
export function buildConditions(filters: DirectoryFilters & CareerFilters, parameters: unknown[]): string[] {
  const { graduatedFrom, graduatedTo } = filters;
  const conditions = ['audience = $1'];
  const add = (condition: string, value: string | number | undefined) => {
    if (value !== undefined) conditions.push(`${condition} $${parameters.push(value)}`);
  };
  for (const [name, column] of Object.entries(columns)) add(`${column} =`, filters[name as keyof typeof columns]);
  // In `listing_counts`, 0 means a hidden year, which no range may match.
  if (graduatedFrom !== undefined || graduatedTo !== undefined) conditions.push('year_graduated > 0');
  // Only with `=` can an index on the year return one class in the order of the names.
  if (graduatedFrom === graduatedTo) add('year_graduated =', graduatedFrom);
  else {
    add('year_graduated >=', graduatedFrom);
    add('year_graduated <=', graduatedTo);
  }
  return conditions;
}
