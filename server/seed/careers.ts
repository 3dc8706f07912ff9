import { type Activity, type HelpKind, type WorkField, helpKinds } from '#contract/career-values.ts';
import type { Db } from '#server/db/client.ts';
import { type CareerColumns, emptyCareer } from '#server/domain/careers/career.ts';
import { suggestCities } from '#server/domain/careers/places.ts';
import type { Random } from './random.ts';

const stems =
  'Adire Agbada Akoko Alheri Asejire Baobab Bonny Cowrie Delta Eko Gidi Gurara Harmattan Idanre Iroko Jakaranda Kainji Kaduna Kuti Lekki Mambilla Niger Obudu Ogun Okavango Olumo Oguta Osun Palmgrove Plateau Ridge Sahel Savanna Shea Sokoto Tinubu Volta Yankari Zuma'.split(
    ' ',
  );

interface Kind {
  readonly name: string;
  readonly field: WorkField;
  readonly roles: readonly string[];
}

const kinds: readonly [Kind, Kind, Kind] = [
  { name: 'Systems Ltd.', field: 'computing', roles: ['Software developer', 'Product manager', 'Data analyst'] },
  { name: 'Schools', field: 'education', roles: ['Mathematics teacher', 'Head of school', 'Librarian'] },
  { name: 'Hospital', field: 'health', roles: ['Nurse', 'Laboratory scientist', 'Pharmacist'] },
];
const bank: Kind = { name: '', field: 'finance', roles: ['Branch manager', 'Credit analyst', 'Auditor'] };

/** One bank in three spellings, of which staff can merge the last one, and 117 other employers. */
const employers: readonly (Kind & { readonly employer: string })[] = [
  ...['GTBank', 'GT Bank Ltd.', 'Guaranty Trust Bank'].map((employer) => ({ ...bank, employer })),
  ...kinds.flatMap((kind) => stems.map((stem) => ({ ...kind, employer: `${stem} ${kind.name}` }))),
];

const cityNames: Readonly<Record<string, string>> = {
  NG: 'Lagos,Ibadan,Abuja,Port Harcourt,Abeokuta,Kano,Enugu,Benin City,Kaduna,Jos,Ilorin,Aba,Owerri,Uyo,Calabar,Akure,Warri,Onitsha,Sokoto,Maiduguri,Ikeja,Ebute Ikorodu,Asaba,Makurdi,Minna,Lokoja,Bauchi,Gombe,Yola,Ado-Ekiti',
  GB: 'London,Manchester,Birmingham,Leeds,Glasgow,Cardiff',
  US: 'Houston,Atlanta,Dallas,Chicago,Philadelphia',
  CA: 'Toronto,Calgary,Ottawa',
  GH: 'Accra,Kumasi',
  ZA: 'Johannesburg,Cape Town',
  DE: 'Berlin,Hamburg',
  AE: 'Dubai',
  KE: 'Nairobi',
  RW: 'Kigali',
  IE: 'Dublin',
  NL: 'Amsterdam',
  FR: 'Paris',
  IN: 'Bengaluru',
  MY: 'Kuala Lumpur',
  AU: 'Melbourne',
  CN: 'Guangzhou',
};

type Place = Pick<CareerColumns, 'city' | 'city_id' | 'country'>;
let found: readonly Place[] | undefined;

/** Returns the cities, those with the most people first. Looking one up takes about 2 ms. */
function findCities(): readonly Place[] {
  found ??= Object.entries(cityNames).flatMap(([country, names]) =>
    names.split(',').map((city) => ({ city, country, city_id: suggestCities(city, country)[0]?.id ?? null })),
  );
  return found;
}

/** Returns an item of the list, more often one from its beginning. */
const pickEarly = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(items.length * random.next() ** 1.5)] as Item;

export function inventCareer(random: Random, yearGraduated: number, lastYear: number, help?: HelpKind): CareerColumns {
  const place = pickEarly(random, findCities());
  const { employer, field, roles } = pickEarly(random, employers);
  const from = random.integer(yearGraduated, lastYear);
  const month = String(random.integer(1, 9)).padStart(2, '0');
  const position = {
    role: random.pick(roles),
    employer,
    field,
    from,
    to: null,
    confirmedOn: `${lastYear}-${month}-15`,
  };
  return {
    ...emptyCareer,
    ...(random.chance(0.65) && { positions: [position] }),
    ...(random.chance(0.75) && place),
    helps: help ? [help] : [],
  };
}

/** Number of people with a help offer. */
const helpers = 6;
export const helpOf = (helper: number): HelpKind | undefined =>
  helper < helpers ? helpKinds[helper % helpKinds.length] : undefined;

export async function addTracerAnswers(tx: Db, random: Random, ids: readonly string[]): Promise<void> {
  const choices: readonly Activity[] = [
    'working',
    'working',
    'working',
    'self-employed',
    'studying',
    'seeking',
    'other',
  ];
  const answers = ids
    .filter(() => random.chance(0.6))
    .map((account_id) => {
      const activity = random.pick(choices);
      const isAtWork = activity === 'working' || activity === 'self-employed';
      return { account_id, activity, in_field: isAtWork ? random.chance(0.7) : null };
    });
  if (answers.length > 0) await tx.insertInto('tracer_answers').values(answers).execute();
}
