import { Form } from 'react-router';
import { helpKinds, helpLabels, workFieldNames, workFields } from '#contract/career-values.ts';
import type { CareerFilters } from '#contract/careers.ts';
import { maxLineLength } from '#contract/filter-limits.ts';
import { countryName } from '#contract/country-name.ts';
import { paths } from '#web/domain/paths.ts';
import { reword } from '#web/platform/words.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField, TextField } from '#web/ui/field.tsx';
import { type Option, Options } from '#web/ui/options.tsx';
import type { Careers, People } from './careers-data.ts';
import { nameFilter } from './texts.ts';

/** A GET form: it works without JavaScript, and its values become URL parameters. */
export function FilterForm({ onSubmit, ...careers }: Careers & { people: People; onSubmit: () => void }) {
  const { filters, overview, people } = careers;
  const departments = people.departments.map((name): Option => [name, name]);
  const years = people.years.map((year): Option => [year, String(year)]);
  const employers = overview.employers.map(({ key, name }): Option => [key, name]);
  const fields = workFieldNames.map((field): Option => [field, workFields[field]]);
  const areas = overview.areas.map(({ id, name }): Option => [id, name]);
  const countries = overview.countries.map(({ country }): Option => [country, countryName(country)]);
  const helps = helpKinds.map((help): Option => [help, helpLabels[help]]);
  const select = (label: string, name: keyof CareerFilters, none: string, options: readonly Option[]) => {
    const chosen = filters[name];
    const isListed = chosen === undefined || options.some(([value]) => value === chosen);
    return (
      <SelectField label={label} name={name} defaultValue={chosen ?? ''}>
        <Options none={none} options={isListed ? options : [[chosen, nameFilter(name, careers)], ...options]} />
      </SelectField>
    );
  };
  return (
    <Form
      action={`${paths.careers}#people`}
      onSubmit={onSubmit}
      className="mt-2 grid grid-cols-[repeat(auto-fill,minmax(min(13rem,100%),1fr))] items-end gap-4 rounded-card bg-wash p-4"
    >
      {select(reword('Department'), 'department', reword('All departments'), departments)}
      <div className="grid grid-cols-2 gap-3">
        {select('Class from', 'graduatedFrom', 'Any', years)}
        {select('Class to', 'graduatedTo', 'Any', years)}
      </div>
      {select('Employer', 'employer', 'Any employer', employers)}
      {select('Field', 'field', 'Any field', fields)}
      {select('City', 'area', 'Any city', areas)}
      {select('Country', 'country', 'Any country', countries)}
      {select('Willing to help with', 'help', 'All people', helps)}
      <TextField
        label="Name begins with"
        name="name"
        maxLength={maxLineLength}
        defaultValue={filters.name}
        autoComplete="off"
      />
      <Button type="submit">Show people</Button>
    </Form>
  );
}
