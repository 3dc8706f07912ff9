import type { Area } from '#contract/careers.ts';

export interface MapView {
  readonly viewBox: string;
  /** In the order of the areas. All numbers are map units, as `x` and `y` of areas. */
  readonly circles: readonly { readonly area: Area; readonly radius: number; readonly targetRadius: number }[];
}

const world = { width: 1080, height: 440 };
const aspectRatio = world.width / world.height;

/** Shows the neighbouring countries of a single place: 24 degrees. */
const minWidth = 72;

/** Parts of the width of the map. On a phone, the target has a diameter of 24 px. */
const [minRadius, maxRadius, minTargetRadius] = [0.008, 0.04, 0.035];

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
  const most = Math.max(peopleOfLargeCircle, ...areas.map(({ people }) => people));
  const circles = areas.map((area) => {
    const radius = width * Math.max(minRadius, maxRadius * Math.sqrt(area.people / most));
    // Targets do not overlap, so that each of two close places can be chosen.
    const nearest = Math.min(
      ...areas.filter((other) => other !== area).map((other) => Math.hypot(other.x - area.x, other.y - area.y)),
    );
    const targetRadius = Math.max(radius, Math.min(width * minTargetRadius, nearest / 2));
    return { area, radius: toHundredths(radius), targetRadius: toHundredths(targetRadius) };
  });
  return { viewBox: [x, y, width, height].map(toHundredths).join(' '), circles };
}

const rangeOf = (values: readonly number[]) => [Math.min(...values), Math.max(...values)] as const;

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));

const toHundredths = (units: number) => Math.round(units * 100) / 100;
