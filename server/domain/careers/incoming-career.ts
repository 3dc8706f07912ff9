import { isDeepStrictEqual } from 'node:util';
import { workFieldNames, workFields } from '#contract/career-values.ts';
import { CareerDocument, type Position } from '#contract/careers.ts';
import { countryCodes, isCountry } from '#contract/countries.ts';
import { countryName } from '#contract/country-name.ts';
import { fold } from '../search/folding.ts';
import { type CareerColumns, emptyCareer } from './career.ts';
import { findCity, suggestCities } from './places.ts';

type Place = Pick<CareerDocument, 'city' | 'cityId' | 'country'>;

interface Problem {
  readonly pointer: string;
  readonly message: string;
}

export function findPlaceProblem({ city, cityId, country }: Place): Problem | null {
  if (country !== '' && !isCountry(country)) return { pointer: '/country', message: 'Choose a country from the list' };
  if (city !== '' && country === '') return { pointer: '/country', message: 'Choose the country of the city' };
  if (cityId !== null && findCity(cityId)?.country !== country)
    return { pointer: '/cityId', message: 'Choose a city from the list' };
  return null;
}

/** Returns current positions first, in their order, then the others, the latest start first. */
export const inOrder = (positions: readonly Position[]): Position[] =>
  positions.toSorted(
    (a, b) => Number(a.to !== null) - Number(b.to !== null) || (a.to === null ? 0 : (b.from ?? 0) - (a.from ?? 0)),
  );

/** Returns the career with its texts as a save of the form stores them, or what breaks the rules of the form. */
export function checkCareer(career: CareerColumns): CareerColumns | Problem[] {
  const { positions, city, city_id: cityId, country, helps } = career;
  const work = positions.map(({ role, employer, field, from, to }) => ({ role, employer, field, from, to }));
  const { data, error } = CareerDocument.safeParse({ positions: work, city, cityId, country, helps, version: 'any' });
  if (error) return error.issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, message }));
  const problem = findPlaceProblem({ city, cityId, country });
  if (problem) return [problem];
  const cleaned = data.positions.map((one, at) => ({ ...one, confirmedOn: positions[at]?.confirmedOn ?? null }));
  return { ...career, positions: cleaned, city: data.city };
}

/** Columns of a spreadsheet with the work and place of a person. The incomplete profile of a new person keeps them. */
export const importedCareerColumns = ['role', 'employer', 'field', 'from', 'to', 'city', 'country'] as const;
type ImportedCareer = Readonly<Partial<Record<(typeof importedCareerColumns)[number], string>>>;

/**
 * Reads imported work and place. No one but the owner sees them until a save of the career form.
 * @returns the career, or the problems by column
 */
export function readImportedCareer(texts: ImportedCareer): CareerColumns | Problem[] {
  const { role = '', employer = '', city = '' } = texts;
  const field = findChoice(texts.field, workFieldNames, (name) => workFields[name]);
  const country = findChoice(texts.country, countryCodes, countryName);
  const work = { role, employer, field, from: readYear(texts.from), to: readYear(texts.to), confirmedOn: null };
  const wrong = (column: string, message: string) => [{ pointer: `/${column}`, message }];
  if (field === null && texts.field) return wrong('field', `Use one of: ${workFieldNames.join(', ')}`);
  if (country === null && texts.country)
    return wrong('country', 'Use the English name or the two letters of a country');
  const career = checkCareer({
    ...emptyCareer,
    positions: role === '' && employer === '' ? [] : [work],
    city,
    city_id: findCityId(city, country),
    country: country ?? '',
    is_place_confirmed: country === null,
  });
  return Array.isArray(career)
    ? career.map((one) => ({ ...one, pointer: one.pointer.replace('/positions/0', '') }))
    : career;
}

/** Adds an imported position and place where there is none. @returns null if there is nothing to add */
export function addImported(stored: CareerColumns, imported: CareerColumns): CareerColumns | null {
  const { positions, city, city_id, country, is_place_confirmed } = imported;
  const added = {
    ...stored,
    ...(stored.positions.length === 0 && { positions }),
    ...(stored.city === '' &&
      stored.country === '' &&
      country !== '' && { city, city_id, country, is_place_confirmed }),
  };
  return isDeepStrictEqual(added, stored) ? null : added;
}

const findChoice = <Choice extends string>(
  text: string | undefined,
  choices: readonly Choice[],
  labelOf: (choice: Choice) => string,
): Choice | null =>
  choices.find((choice) => [choice, labelOf(choice)].some((one) => fold(one) === fold(text ?? ''))) ?? null;

const readYear = (text = ''): number | null => (text === '' ? null : /^\d{4}$/u.test(text) ? Number(text) : 0);

/** Returns the city only if its name occurs once in the country. */
export function findCityId(name: string, country: string | null): number | null {
  if (country === null) return null;
  const [city, ...others] = suggestCities(name, country).filter((one) => fold(one.name) === fold(name));
  return city && others.length === 0 ? city.id : null;
}
