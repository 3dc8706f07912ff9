import { Link } from 'react-router';
import type { Area } from '#contract/careers.ts';
import { formatPeople } from '#contract/counts.ts';
import { type Marker, fitMap } from './map-view.ts';
import world from './world.svg?url&no-inline';

interface Props {
  areas: readonly Area[];
  chosen: number | undefined;
  /** Undefined if the places are not links. */
  pathTo: ((filter: Marker['filter']) => string) | undefined;
}

export function PlacesMap({ areas, chosen, pathTo }: Props) {
  const { viewBox, fontSize, circles } = fitMap(areas);
  return (
    <svg
      viewBox={viewBox}
      role={pathTo ? 'group' : 'img'}
      aria-label="Map of the places in the list"
      className="aspect-[27/11] w-full rounded-card border border-line bg-raised"
    >
      <use href={`${world}#land`} className="text-line" />
      <use href={`${world}#borders`} className="text-raised" />
      {circles.map(({ filter, name, people, places, x, y, radius, targetRadius }) => {
        const label = `${name}, ${formatPeople(people)}${places > 1 ? ` in ${places} places` : ''}`;
        const circle = (
          <>
            <title suppressHydrationWarning>{label}</title>
            {pathTo && <circle cx={x} cy={y} r={targetRadius} fill="transparent" />}
            <circle cx={x} cy={y} r={radius} vectorEffect="non-scaling-stroke" className="place" />
          </>
        );
        const key = JSON.stringify(filter);
        return pathTo ? (
          <Link
            key={key}
            to={pathTo(filter)}
            suppressHydrationWarning
            aria-label={label}
            aria-current={(filter.area === chosen && chosen !== undefined) || undefined}
          >
            {circle}
          </Link>
        ) : (
          <g key={key}>{circle}</g>
        );
      })}
      {/* Above all circles. */}
      {circles.map(
        ({ filter, people, x, y, radius, isLarge }) =>
          isLarge && (
            <g key={JSON.stringify(filter)} aria-hidden="true">
              <text x={x} y={y} fontSize={radius / 1.8} className="place-count">
                {people.toLocaleString('en')}
              </text>
              <text x={x} y={y + radius} fontSize={fontSize} className="place-count below">
                {people.toLocaleString('en')}
              </text>
            </g>
          ),
      )}
    </svg>
  );
}
