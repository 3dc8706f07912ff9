import type { Area, CareerFilters } from '#contract/careers.ts';
import { countryName } from '#contract/country-name.ts';

/** A place, or a country whose places would lie on one another. */
export interface Marker {
  readonly filter: Pick<CareerFilters, 'area' | 'country'>;
  readonly name: string;
  readonly people: number;
  readonly places: number;
  /** All numbers are map units, as `x` and `y` of areas. */
  readonly x: number;
  readonly y: number;
}

interface Circle extends Marker {
  readonly radius: number;
  readonly targetRadius: number;
  /** Whether the number of people fits in. */
  readonly isLarge: boolean;
}

export interface MapView {
  readonly viewBox: string;
  /** 11 px on a phone, in map units. */
  readonly fontSize: number;
  /** Most people first, so that small circles are on top of large ones. */
  readonly circles: readonly Circle[];
}

const world = { width: 1080, height: 440 };
const aspectRatio = world.width / world.height;

/** Shows the neighbouring countries of a single place: 24 degrees. */
const minWidth = 72;

/** Parts of the width of the map. On a phone, the target has a diameter of 24 px. */
const [minRadius, maxRadius, minTargetRadius, minDistance] = [0.008, 0.03, 0.035, 0.02];
const minLabelledRadius = 0.02;

/** So that a map of few people has small circles. */
const peopleOfLargeCircle = 20;

/** Fits a map with the aspect ratio of the world map to the areas. The area of a circle is proportional to its people. */
export function fitMap(areas: readonly Area[]): MapView {
  const [left, right] = rangeOf(areas.map(({ x }) => x));
  const [top, bottom] = rangeOf(areas.map(({ y }) => y));
  const width = Math.min(world.width, Math.max(minWidth, (right - left) * 1.2, (bottom - top) * 1.25 * aspectRatio));
  const x = clamp((left + right - width) / 2, 0, world.width - width);
  const height = width / aspectRatio;
  const y = clamp((top + bottom - height) / 2, 0, world.height - height);
  const markers = clusterAreas(areas, width * minDistance);
  const most = Math.max(peopleOfLargeCircle, ...markers.map(({ people }) => people));
  const circles = markers.map((marker) => {
    const radius = width * Math.max(minRadius, maxRadius * Math.sqrt(marker.people / most));
    // Targets do not overlap, so that each of two close places can be chosen.
    const nearest = Math.min(...markers.filter((other) => other !== marker).map((other) => distanceOf(marker, other)));
    const targetRadius = Math.max(radius, Math.min(width * minTargetRadius, nearest / 2));
    const isLarge = radius > width * minLabelledRadius;
    return { ...marker, radius: toHundredths(radius), targetRadius: toHundredths(targetRadius), isLarge };
  });
  return {
    viewBox: [x, y, width, height].map(toHundredths).join(' '),
    fontSize: toHundredths(width * 0.031),
    circles,
  };
}

/** Merges the places of a country if two of them are too close. A map of one country shows all of its places. */
function clusterAreas(areas: readonly Area[], distance: number): Marker[] {
  const countries = [...new Set(areas.map(({ country }) => country))];
  return countries
    .flatMap((country): Marker[] => {
      const places = areas.filter((area) => area.country === country);
      const isCrowded = places.some((one, at) =>
        places.slice(0, at).some((other) => distanceOf(one, other) < distance),
      );
      if (countries.length > 1 && isCrowded) return [toCluster(country, places)];
      return places.map(({ id, ...place }) => ({ ...place, filter: { area: id }, places: 1 }));
    })
    .toSorted((one, other) => other.people - one.people);
}

function toCluster(country: string, places: readonly Area[]): Marker {
  const people = sum(places.map((place) => place.people));
  const average = (side: 'x' | 'y') => toHundredths(sum(places.map((place) => place[side] * place.people)) / people);
  const name = countryName(country);
  return { filter: { country }, name, people, places: places.length, x: average('x'), y: average('y') };
}

const distanceOf = (one: Pick<Marker, 'x' | 'y'>, other: Pick<Marker, 'x' | 'y'>) =>
  Math.hypot(one.x - other.x, one.y - other.y);

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const rangeOf = (values: readonly number[]) => [Math.min(...values), Math.max(...values)] as const;

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));

const toHundredths = (units: number) => Math.round(units * 100) / 100;
