import {
  type Activity,
  type HelpKind,
  type WorkField,
  activityNames,
  helpKinds,
  isAtWork,
} from '#contract/career-values.ts';
import type { Db } from '#server/db/client.ts';
import { type CareerColumns, emptyCareer } from '#server/domain/careers/career.ts';
import { suggestCities } from '#server/domain/careers/places.ts';
import type { Random } from './random.ts';

const stems =
  'Adire Agbada Akoko Alheri Asejire Baobab Bonny Cowrie Delta Eko Gidi Gurara Harmattan Idanre Iroko Jakaranda Kainji Kaduna Kuti Lekki Mambilla Niger Obudu Ogun Okavango Olumo Oguta Osun Palmgrove Plateau Ridge Sahel Savanna Shea Sokoto Tinubu Volta Yankari Zuma'.split(
    ' ',
  );

const kinds: readonly [name: string, field: WorkField, roles: readonly string[]][] = [
  ['Systems Ltd.', 'computing', ['Software developer', 'Product manager', 'Data analyst']],
  ['Schools', 'education', ['Mathematics teacher', 'Head of school', 'Librarian']],
  ['Hospital', 'health', ['Nurse', 'Laboratory scientist', 'Pharmacist']],
];

/** One bank in three spellings, of which staff can merge the last one, and 117 other employers. */
const employers = [
  ...['GTBank', 'GT Bank Ltd.', 'Guaranty Trust Bank'].map((employer) => ({
    employer,
    field: 'finance' as const,
    roles: ['Branch manager', 'Credit analyst', 'Auditor'],
  })),
  ...kinds.flatMap(([name, field, roles]) => stems.map((stem) => ({ employer: `${stem} ${name}`, field, roles }))),
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
let cities: readonly Place[] | undefined;

/** Returns the cities, those with the most people first. Looking one up takes about 2 ms. */
const findCities = (): readonly Place[] =>
  (cities ??= Object.entries(cityNames).flatMap(([country, names]) =>
    names.split(',').map((city) => ({ city, country, city_id: suggestCities(city, country)[0]?.id ?? null })),
  ));

/** Returns an item of the list, more often one from its beginning. */
const pickEarly = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(items.length * random.next() ** 1.5)] as Item;

export function inventCareer(random: Random, yearGraduated: number, lastYear: number, help?: HelpKind): CareerColumns {
  const place = pickEarly(random, findCities());
  const { employer, field, roles } = pickEarly(random, employers);
  const from = random.integer(yearGraduated, lastYear);
  const confirmedOn = `${lastYear}-0${random.integer(1, 9)}-15`;
  const position = { role: random.pick(roles), employer, field, from, to: null, confirmedOn };
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
  const choices: readonly Activity[] = [...Array<Activity>(3).fill('working'), ...activityNames.slice(1)];
  const answers = ids
    .filter(() => random.chance(0.6))
    .map((account_id) => {
      const activity = random.pick(choices);
      return { account_id, activity, in_field: isAtWork(activity) ? random.chance(0.7) : null };
    });
  if (answers.length > 0) await tx.insertInto('tracer_answers').values(answers).execute();
}
