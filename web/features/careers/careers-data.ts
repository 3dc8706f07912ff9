import { type LoaderFunctionArgs, data, redirect } from 'react-router';
import { helpKinds, workFieldNames } from '#contract/career-values.ts';
import type { CareerFilters, CareersOverview } from '#contract/careers.ts';
import type { Facets } from '#contract/directory.ts';
import type { CallResult } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import { toCareersPath } from '#web/domain/careers.ts';
import { readFilters, readText } from '#web/domain/filters.ts';
import { isMember } from '#web/domain/root-data.ts';
import { problemOf } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';

export interface Careers {
  readonly filters: CareerFilters;
  readonly overview: CareersOverview;
  /** Undefined for those who are not members. They see places only, always of everyone. */
  readonly people?: People;
}

export interface People extends CallResult<Endpoints['GET /api/careers']> {
  /** Choices of the filters: the departments with the most people, and the years from the latest. */
  readonly departments: readonly string[];
  readonly years: readonly number[];
}

export type CareersData =
  | { readonly failed: false; readonly careers: Careers }
  | { readonly failed: true; readonly reason: string | undefined };

export async function careersLoader({ context, request }: LoaderFunctionArgs) {
  const { call, user } = context.get(loaderServices);
  const { searchParams } = new URL(request.url);
  const after = searchParams.get('after') || undefined;
  const filters = readCareerFilters(searchParams);
  try {
    if (!isMember(await user())) {
      const overview = await call('GET /api/careers/overview', { query: {} });
      return { failed: false, careers: { filters: {}, overview } } satisfies CareersData;
    }
    const [overview, page, facets] = await Promise.all([
      call('GET /api/careers/overview', { query: scopeOf(filters) }),
      call('GET /api/careers', { query: { ...filters, after } }),
      call('GET /api/users/facets', { query: {} }),
    ]);
    const people = { ...page, ...toChoices(facets) };
    return { failed: false, careers: { filters, overview, people } } satisfies CareersData;
  } catch (error) {
    const { status, detail: reason } = problemOf(error);
    // The cursor is no longer valid, so start at the first page.
    if (status === 400 && after !== undefined) throw redirect(toCareersPath(filters));
    return data<CareersData>({ failed: true, reason }, { status: status >= 500 ? 503 : status });
  }
}

/** Returns what map, places, fields and employers describe. */
export const scopeOf = ({ department, graduatedFrom, graduatedTo }: CareerFilters): CareerFilters => ({
  department,
  graduatedFrom,
  graduatedTo,
});

function readCareerFilters(params: URLSearchParams): CareerFilters {
  const country = params.get('country') ?? '';
  const area = params.get('area') ?? '';
  return {
    ...scopeOf(readFilters(params)),
    employer: readText(params, 'employer'),
    field: workFieldNames.find((field) => field === params.get('field')),
    area: /^\d{1,9}$/u.test(area) ? Number(area) : undefined,
    country: /^[A-Z]{2}$/u.test(country) ? country : undefined,
    help: helpKinds.find((help) => help === params.get('help')),
    name: readText(params, 'name'),
  };
}

/** Limits the page of an archive whose users have typed many departments. */
const maxDepartments = 60;

const toChoices = ({ departments, years }: Facets): Pick<People, 'departments' | 'years'> => ({
  departments: departments
    .toSorted((a, b) => b.count - a.count)
    .slice(0, maxDepartments)
    .map(({ value }) => value)
    .toSorted((a, b) => a.localeCompare(b, 'en')),
  years: years.map(({ value }) => value).toReversed(),
});
