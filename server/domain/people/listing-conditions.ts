import type { DirectoryFilters } from '#contract/directory.ts';

/**
 * Returns the SQL conditions for the audience, which is parameter 1, and for the filters, whose values it adds to the
 * parameters. The tables `listings` and `listing_counts` have the same columns for them. It builds strings, because the
 * query builder took longer than the query.
 */
export function buildConditions(filters: DirectoryFilters, parameters: unknown[]): string[] {
  const { college, department, program, graduatedFrom, graduatedTo } = filters;
  const conditions = ['audience = $1'];
  const add = (condition: string, value: string | number | undefined) => {
    if (value !== undefined) conditions.push(`${condition} $${parameters.push(value)}`);
  };
  add('college =', college);
  add('department =', department);
  add('program =', program);
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
