import { readFileSync } from 'node:fs';
import { fold } from '#server/domain/search/folding.ts';

export interface City {
  /** GeoNames id. */
  readonly id: number;
  readonly name: string;
  readonly country: string;
  /** Id of the largest city of the area. */
  readonly areaId: number;
  /** Position on `world.svg`. */
  readonly x: number;
  readonly y: number;
  /** The name, and a larger city nearby if the name occurs twice in the country: "Springfield (Eugene)". */
  readonly label: string;
}

interface CityName {
  readonly folded: string;
  readonly country: string;
  readonly line: string;
}

const maxSuggestions = 8;

/** Returns a position on `world.svg`: 3 units per degree. The left edge is in the Bering Strait, where it cuts no land. */
export const projectToMap = (longitude: number, latitude: number): [x: number, y: number] => [
  3 * ((longitude + 528.5) % 360),
  3 * (90 - latitude),
];

// Read on first use, and parsed only as needed: parsing every line would block twice as long. Most people first.
let lines: ReadonlyMap<number, string> | undefined;
let namesByStart: ReadonlyMap<string, readonly CityName[]> | undefined;

function readLines(): ReadonlyMap<number, string> {
  lines ??= new Map(
    readFileSync(new URL('cities.tsv', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [Number.parseInt(line, 10), line]),
  );
  return lines;
}

const startLetters = 3;

/** Returns the names by the first letter, and by the first three letters, of each word. Reading all for each look-up takes 5 ms. */
function readNames(): ReadonlyMap<string, readonly CityName[]> {
  if (namesByStart) return namesByStart;
  const byStart = new Map<string, CityName[]>();
  for (const line of readLines().values()) {
    const [, name = '', country = ''] = line.split('\t', 3);
    const city = { folded: ` ${fold(name)}`, country, line };
    const words = [...city.folded.matchAll(/ /gu)].map(({ index }) => city.folded.slice(index + 1));
    for (const start of new Set(words.flatMap((word) => [word.slice(0, 1), word.slice(0, startLetters)]))) {
      const same = byStart.get(start);
      if (same) same.push(city);
      else byStart.set(start, [city]);
    }
  }
  namesByStart = byStart;
  return byStart;
}

const toTenths = (units: number): number => Math.round(units * 10) / 10;

function parseLine(line: string): City {
  const [id, name = '', country = '', latitude, longitude, , areaId, near] = line.split('\t');
  const [x, y] = projectToMap(Number(longitude), Number(latitude));
  const label = near === undefined ? name : `${name} (${near})`;
  return { id: Number(id), name, country, areaId: Number(areaId), x: toTenths(x), y: toTenths(y), label };
}

export function findCity(id: number): City | undefined {
  const line = readLines().get(id);
  return line === undefined ? undefined : parseLine(line);
}

/** Returns the largest city of an area. */
export function findArea(areaId: number): City | undefined {
  const city = findCity(areaId);
  return city?.areaId === areaId ? city : undefined;
}

/** Returns the cities of which a word starts with the text, most people first. */
export function suggestCities(text: string, country?: string): City[] {
  const start = fold(text);
  if (start === '') return [];
  const found: City[] = [];
  for (const name of readNames().get(start.slice(0, start.length < startLetters ? 1 : startLetters)) ?? []) {
    if ((country !== undefined && name.country !== country) || !name.folded.includes(` ${start}`)) continue;
    found.push(parseLine(name.line));
    if (found.length === maxSuggestions) break;
  }
  return found;
}
