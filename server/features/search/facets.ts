import type { DirectoryFilters, Facets } from '#contract/directory.ts';

/** What of a person can be filtered by; null where the audience may not see it. */
export interface FacetRow {
  readonly college: string | null;
  readonly department: string | null;
  readonly program: string | null;
  readonly year_graduated: number | null;
}

/** Whether a person is among those that the filters leave. What is hidden matches no filter. */
export function matchesFilters(row: FacetRow, filters: DirectoryFilters): boolean {
  const { college, department, program, graduatedFrom, graduatedTo } = filters;
  const year = row.year_graduated;
  return (
    (college === undefined || row.college === college) &&
    (department === undefined || row.department === department) &&
    (program === undefined || row.program === program) &&
    (graduatedFrom === undefined || (year !== null && year >= graduatedFrom)) &&
    (graduatedTo === undefined || (year !== null && year <= graduatedTo))
  );
}

type CountedRow = FacetRow & { readonly people: number };

/** The values of each field with their counts; a field's own filter does not narrow its list. */
export function countFacets(rows: readonly CountedRow[], filters: DirectoryFilters): Facets {
  const { college: _c, ...butCollege } = filters;
  const { department: _d, ...butDepartment } = filters;
  const { program: _p, ...butProgram } = filters;
  const { graduatedFrom: _f, graduatedTo: _t, ...butYears } = filters;
  return {
    colleges: countBy(rows, 'college', butCollege),
    departments: countBy(rows, 'department', butDepartment),
    programs: countBy(rows, 'program', butProgram),
    years: countBy(rows, 'year_graduated', butYears).map(({ value, count }) => ({ value: Number(value), count })),
  };
}

function countBy(rows: readonly CountedRow[], field: keyof FacetRow, filters: DirectoryFilters) {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = row[field];
    if (value !== null && matchesFilters(row, filters))
      counts.set(String(value), (counts.get(String(value)) ?? 0) + row.people);
  }
  return [...counts].map(([value, count]) => ({ value, count })).toSorted((a, b) => (a.value < b.value ? -1 : 1));
}
