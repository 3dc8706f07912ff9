import type { DirectoryFilters, Facets } from '#contract/directory.ts';

/** A field is null if the audience may not see it. */
export interface FacetRow {
  readonly college: string | null;
  readonly department: string | null;
  readonly program: string | null;
  readonly year_graduated: number | null;
}

/** A hidden field matches no filter. */
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

export function countFacets(rows: readonly CountedRow[], filters: DirectoryFilters): Facets {
  const { college: _c, ...withoutCollege } = filters;
  const { department: _d, ...withoutDepartment } = filters;
  const { program: _p, ...withoutProgram } = filters;
  const { graduatedFrom: _f, graduatedTo: _t, ...withoutYears } = filters;
  return {
    colleges: countBy(rows, 'college', withoutCollege),
    departments: countBy(rows, 'department', withoutDepartment),
    programs: countBy(rows, 'program', withoutProgram),
    years: countBy(rows, 'year_graduated', withoutYears).map(({ value, count }) => ({ value: Number(value), count })),
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
