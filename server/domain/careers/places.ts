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

const maxSuggestions = 8;

/** Returns a position on `world.svg`: 3 units per degree. The left edge is in the Bering Strait, where it cuts no land. */
export const projectToMap = (longitude: number, latitude: number): [x: number, y: number] => [
  3 * ((longitude + 528.5) % 360),
  3 * (90 - latitude),
];

// Read on first use, and parsed only as needed: parsing every line would block twice as long. Most people first.
let lines: ReadonlyMap<number, string> | undefined;
/** A line per city, in the same order: id, country and folded name. Scanning it takes at most 2 ms. */
let names: string | undefined;

function readLines(): ReadonlyMap<number, string> {
  lines ??= new Map(
    readFileSync(new URL('cities.tsv', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [Number.parseInt(line, 10), line]),
  );
  return lines;
}

function readNames(): string {
  names ??= Array.from(readLines().values(), (line) => {
    const [id, name = '', country] = line.split('\t', 3);
    return `${id}\t${country}\t ${fold(name)}\n`;
  }).join('');
  return names;
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
  const all = readNames();
  const found: City[] = [];
  let at = 0;
  while (found.length < maxSuggestions && (at = all.indexOf(` ${start}`, at)) >= 0) {
    const [id, inCountry] = all.slice(all.lastIndexOf('\n', at) + 1, at).split('\t', 2);
    const city = country === undefined || inCountry === country ? findCity(Number(id)) : undefined;
    if (city) found.push(city);
    at = all.indexOf('\n', at);
  }
  return found;
}
