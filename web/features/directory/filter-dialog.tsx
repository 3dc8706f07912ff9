import { useState } from 'react';
import type { Facets } from '#contract/directory.ts';
import { paths } from '../../domain/paths.ts';
import { useGetForm } from '../../platform/use-get-form.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { allDepartments, type DirectoryView, viewPath } from './filters.ts';

interface Props {
  onClose: () => void;
  view: DirectoryView;
  facets: Facets;
}

/** The filters as a plain form whose fields are the address: what it sends can be shared and comes back with Back. */
export default function FilterDialog({ onClose, view, facets }: Props) {
  return (
    <Dialog onClose={onClose} title="Filters" shape="sheet">
      <Filters onClose={onClose} view={view} facets={facets} />
    </Dialog>
  );
}

function Filters({ onClose, view, facets }: Props) {
  const submit = useGetForm();
  const { filters, layout } = view;
  const [from, setFrom] = useState(String(filters.graduatedFrom ?? ''));

  const yearsFrom = facets.years.filter(({ value }) => from === '' || value >= Number(from));
  return (
    <form
      className="grid gap-4"
      action={paths.dashboard}
      onSubmit={(event) => {
        submit(event);
        onClose();
      }}
    >
      {layout === 'list' && <input type="hidden" name="view" value="list" />}
      {/* A guest sees colleges only of those who show theirs to everyone; without any, there is nothing to choose. */}
      {facets.colleges.length > 0 && (
        <SelectField label="College" name="college" defaultValue={filters.college ?? ''}>
          <option value="">All colleges</option>
          <FacetOptions values={facets.colleges} />
        </SelectField>
      )}
      <SelectField label="Department" name="department" defaultValue={filters.department ?? allDepartments}>
        <option value={allDepartments}>All departments</option>
        <FacetOptions values={facets.departments} chosen={filters.department} />
      </SelectField>
      <SelectField label="Program" name="program" defaultValue={filters.program ?? ''}>
        <option value="">All programs</option>
        <FacetOptions values={facets.programs} />
      </SelectField>
      <fieldset className="grid grid-cols-2 gap-3">
        <legend className="sr-only">Years of graduation</legend>
        <SelectField
          label="Graduated from"
          name="graduatedFrom"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        >
          <option value="">Any year</option>
          <YearOptions years={facets.years} />
        </SelectField>
        <SelectField label="Graduated to" name="graduatedTo" defaultValue={filters.graduatedTo ?? ''}>
          <option value="">Any year</option>
          <YearOptions years={yearsFrom} />
        </SelectField>
      </fieldset>
      <div className="sticky bottom-0 -mx-6 -mb-6 flex justify-between gap-3 border-t border-line bg-raised px-6 py-4">
        <ButtonLink look="quiet" to={viewPath({ filters: {}, layout })} onClick={onClose}>
          Clear all
        </ButtonLink>
        <Button type="submit">Show people</Button>
      </div>
    </form>
  );
}

function FacetOptions({ values, chosen }: { values: Facets['departments']; chosen?: string | undefined }) {
  // A choice that nobody matches any more still has to be shown as what it is.
  const isMissing = chosen !== undefined && !values.some(({ value }) => value === chosen);
  return (
    <>
      {isMissing && <option value={chosen}>{chosen} (0)</option>}
      {values.map(({ value, count }) => (
        <option key={value} value={value}>
          {value} ({count.toLocaleString('en')})
        </option>
      ))}
    </>
  );
}

function YearOptions({ years }: { years: Facets['years'] }) {
  return years.toReversed().map(({ value, count }) => (
    <option key={value} value={value}>
      {value} ({count.toLocaleString('en')})
    </option>
  ));
}
