import { countryCodes } from '#contract/countries.ts';

const names = new Intl.DisplayNames('en', { type: 'region' });

/** Node and browsers may have different names, so set `suppressHydrationWarning` on the element. */
export const countryName = (code: string): string => names.of(code) ?? code;

export const listCountries = (): { code: string; name: string }[] =>
  countryCodes
    .map((code) => ({ code, name: countryName(code) }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
