import { useEffect, useState } from 'react';
import { Form } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import type { DirectoryFilters, Facets } from '#contract/directory.ts';
import { paths } from '#web/domain/paths.ts';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { callApi } from '#web/platform/api.ts';
import { reword } from '#web/platform/words.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { SelectField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import { allDepartments, type DirectoryView, defaultSortOf, sortLabels, toViewPath } from './filters.ts';

interface Props {
  onClose: () => void;
  view: DirectoryView;
  count: number;
  /**
   * Filter choices for a form without JavaScript. With JavaScript, the choices are fetched and follow the selection.
   */
  known?: Facets;
}

const emptyFacets: Facets = { colleges: [], departments: [], programs: [], years: [] };

/** A GET form: its values become URL parameters, so the result can be shared and restored with the Back button. */
export function FilterForm({ onClose, view, count, known }: Props) {
  const [chosen, setChosen] = useState(view.filters);
  const { facets, matchCount, hasFailed, retry } = useFacets(chosen, known ?? emptyFacets, count);
  const choose = (name: keyof DirectoryFilters) => (event: { target: { value: string } }) => {
    const { value } = event.target;
    const isNone = value === '' || value === allDepartments;
    setChosen({ ...chosen, [name]: isNone ? undefined : name.startsWith('graduated') ? Number(value) : value });
  };
  const { graduatedFrom } = chosen;
  const years = facets.years.toReversed();
  const user = useUser();
  const select = (label: string, name: keyof DirectoryFilters, all: string, values: readonly Value[], none = '') => (
    <SelectField label={label} name={name} value={chosen[name] ?? none} onChange={choose(name)}>
      <option value={none}>{all}</option>
      <FacetOptions values={values} chosen={chosen[name]} />
    </SelectField>
  );

  return (
    <Form className="flex flex-col gap-4" action={paths.dashboard} preventScrollReset onSubmit={onClose}>
      {hasFailed && <FetchFailure onRetry={retry} />}
      {view.layout === 'list' && <input type="hidden" name="view" value="list" />}
      {/* For guests, colleges come only from profiles that show them to everyone, so the list may be empty. Members always
          have the field, so that nothing moves when the choices have loaded. */}
      {(isMember(user) || facets.colleges.length > 0 || chosen.college !== undefined) &&
        select(reword('College'), 'college', reword('All colleges'), facets.colleges)}
      {select(reword('Department'), 'department', reword('All departments'), facets.departments, allDepartments)}
      {select('Program', 'program', 'All programs', facets.programs)}
      <div className="grid grid-cols-2 gap-3">
        {select('Graduated since', 'graduatedFrom', 'Any year', years)}
        {select(
          'Graduated until',
          'graduatedTo',
          'Any year',
          years.filter(({ value }) => graduatedFrom === undefined || value >= graduatedFrom),
        )}
      </div>
      {/* Wider screens have links for it. */}
      <div className="lg:hidden">
        <SelectField label="Sort by" name="sort" defaultValue={view.sort ?? ''}>
          <Options
            none={null}
            options={Object.entries(sortLabels).map(([sort, label]) => [
              sort === defaultSortOf(user) ? '' : sort,
              label,
            ])}
          />
        </SelectField>
      </div>
      <div className="sticky bottom-0 -mx-6 mt-auto -mb-6 flex justify-between gap-3 border-t border-line bg-raised px-6 py-4">
        <ButtonLink variant="quiet" to={toViewPath({ filters: {}, layout: view.layout })} onClick={onClose}>
          Clear all
        </ButtonLink>
        <Button type="submit">
          {/* Without JavaScript, the number cannot follow the selection, so it is omitted. */}
          {known === undefined ? `Show ${formatPeople(matchCount)}` : 'Show people'}
        </Button>
      </div>
    </Form>
  );
}

function useFacets(chosen: DirectoryFilters, initialFacets: Facets, count: number) {
  const [latest, setLatest] = useState({ facets: initialFacets, matchCount: count });
  const [hasFailed, setHasFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    setHasFailed(false);
    Promise.all([
      callApi('GET /api/users/facets', { query: chosen }),
      callApi('GET /api/users/count', { query: chosen }),
    ]).then(
      ([facets, { count: matchCount }]) => {
        if (isCurrent) setLatest({ facets, matchCount });
      },
      // If the request fails, the current choices stay.
      () => {
        if (isCurrent) setHasFailed(true);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [chosen, attempt]);
  return { ...latest, hasFailed, retry: () => setAttempt(attempt + 1) };
}

interface Value {
  value: string | number;
  count: number;
}

function FacetOptions({ values, chosen }: { values: readonly Value[]; chosen: string | number | undefined }) {
  // A selected value that matches no one must still be shown as selected.
  const isMissing = chosen !== undefined && !values.some(({ value }) => value === chosen);
  return (
    <>
      {isMissing && <option value={chosen}>{chosen}</option>}
      {values.map(({ value, count }) => (
        <option key={value} value={value}>
          {value} ({count.toLocaleString('en')})
        </option>
      ))}
    </>
  );
}
