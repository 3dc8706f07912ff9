import { helpLabels, workFields } from '#contract/career-values.ts';
import type { CareerFilters } from '#contract/careers.ts';
import { countryName } from '#contract/country-name.ts';
import type { Careers } from './careers-data.ts';

/** Returns the text for the value of a filter. */
export function nameFilter(name: keyof CareerFilters, { filters, overview, people }: Careers): string {
  const { employer, field, area, country, help, graduatedFrom, graduatedTo } = filters;
  const texts: Partial<Record<typeof name, string | undefined>> = {
    graduatedFrom: `Class of ${graduatedFrom} or later`,
    graduatedTo: `Class of ${graduatedTo} or earlier`,
    employer:
      people?.employer?.name ?? overview.employers.find(({ key }) => key === employer)?.name ?? 'Unknown employer',
    field: field && workFields[field],
    area: overview.areas.find(({ id }) => id === area)?.name ?? 'Other city',
    country: country && countryName(country),
    help: help && helpLabels[help],
    name: `${filters.name}…`,
  };
  return texts[name] ?? String(filters[name]);
}
