import { type WorkField, helpKinds, workFieldNames } from '#contract/career-values.ts';
import { type CareerColumns, emptyCareer } from '#server/domain/careers/career.ts';
import { type City, suggestCities } from '#server/domain/careers/places.ts';
import { type Random, createRandom } from '#server/seed/random.ts';
import { callings, lastNames } from '#server/seed/words.ts';

/*
 * What invented people do: 40 % have an employer, 50 % a city, 10 % offer help. The largest employers and cities have
 * most people (the size is proportional to 1 / rank).
 */

const employers = 60_000;
const syllables = 'ba ko ne ru si ta vo lu mi da pe zo ga fi so'.split(' ');
const kinds = ['Bank', 'Foods', 'Energy', 'Systems', 'Hospital', 'Logistics', 'University', 'Holdings', 'Media'];

/** Returns a name that no other rank has. One in ten begins with a surname, which searches for people find as well. */
export function createEmployerName(rank: number): string {
  const letters = [...rank.toString(syllables.length)].map((digit) => syllables[Number.parseInt(digit, 15)] ?? '');
  const word = `${letters.join('')}x`.replace(/^./u, (letter) => letter.toUpperCase());
  const owner = rank % 10 === 0 ? `${lastNames[(rank / 10) % lastNames.length] ?? ''} ` : '';
  return `${owner}${word} ${kinds[rank % kinds.length] ?? ''}`;
}

const countries = ['NG', 'NG', 'NG', 'NG', 'GB', 'US', 'GH', 'CA', 'ZA'];
const citiesByCountry = new Map<string, City[]>();

function pickCity(random: Random): City | undefined {
  const country = random.pick(countries);
  let cities = citiesByCountry.get(country);
  if (!cities) {
    cities = [...'lakibsmcpjegotdwnh'].flatMap((letter) => suggestCities(letter, country));
    citiesByCountry.set(country, cities);
  }
  return cities[pickRank(random, cities.length) - 1];
}

const pickRank = (random: Random, ranks: number): number => Math.floor(ranks ** random.next());

export function createSyntheticCareer(number: number): CareerColumns {
  const random = createRandom(number + 40_000_000);
  const employer = random.chance(0.4) ? createEmployerName(pickRank(random, employers)) : '';
  const city = random.chance(0.5) ? pickCity(random) : undefined;
  const field = random.pick<WorkField>(workFieldNames);
  return {
    ...emptyCareer,
    ...(employer !== '' && {
      positions: [{ role: random.pick(callings), employer, field, from: 2015, to: null, confirmedOn: '2026-01-01' }],
    }),
    ...(city && { city: city.name, city_id: city.id, country: city.country }),
    ...(random.chance(0.1) && { helps: [random.pick(helpKinds)] }),
  };
}
