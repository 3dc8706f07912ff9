import type { Selectable } from 'kysely';
import type { Career } from '#contract/careers.ts';
import { helpKinds } from '#contract/career-values.ts';
import type { Tables } from '#server/db/schema.ts';
import { toEmployerKey } from './employer-key.ts';
import { findCity } from './places.ts';

/** Columns of `profiles` that the career form writes. */
export const careerColumns = ['positions', 'city', 'city_id', 'country', 'is_place_confirmed', 'helps'] as const;
export type CareerColumns = Readonly<Pick<Selectable<Tables['profiles']>, (typeof careerColumns)[number]>>;

export const emptyCareer: CareerColumns = {
  positions: [],
  city: '',
  city_id: null,
  country: '',
  is_place_confirmed: true,
  helps: [],
};

export const toCareerColumns = (stored: CareerColumns): CareerColumns =>
  Object.fromEntries(careerColumns.map((name) => [name, stored[name]])) as unknown as CareerColumns;

/** @param takesMessages whether the person accepts messages; help offers are shown only then */
type StoredCareer = CareerColumns & { readonly takesMessages: boolean };

type CanSee = (field: keyof Career) => boolean;

/** Returns the parts of a career that a viewer may see, without imported ones that the person has not confirmed. */
export function shapeCareer(stored: StoredCareer, sees: CanSee): Career {
  const positions = sees('positions') ? stored.positions.filter(({ confirmedOn }) => confirmedOn !== null) : [];
  const country = stored.is_place_confirmed && sees('country') ? stored.country : '';
  const city = country !== '' && sees('city') ? stored.city : '';
  const helps = stored.takesMessages && sees('helps') ? [...stored.helps] : [];
  return {
    ...(positions.length > 0 && { positions }),
    ...(city !== '' && { city }),
    ...(country !== '' && { country }),
    ...(helps.length > 0 && { helps }),
  };
}

/** Returns the columns of a listing: the first current position, the place, and the bits of the help offers. */
export function toCareerListing(stored: StoredCareer, sees: CanSee) {
  const { positions = [], city, country, helps = [] } = shapeCareer(stored, sees);
  const current = positions.find(({ to }) => to === null);
  return {
    role: current?.role || null,
    employer: current?.employer || null,
    employer_key: current?.employer ? toEmployerKey(current.employer) : null,
    field: current?.field ?? null,
    city: city ?? null,
    area_id: city === undefined || stored.city_id === null ? null : (findCity(stored.city_id)?.areaId ?? null),
    country: country ?? null,
    helps: helps.reduce((bits, help) => bits | (1 << helpKinds.indexOf(help)), 0),
  };
}
