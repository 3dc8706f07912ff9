import { Link } from 'react-router';
import type { Area } from '#contract/careers.ts';
import { formatPeople } from '#contract/counts.ts';
import { fitMap } from './map-view.ts';
import world from './world.svg?url&no-inline';

interface Props {
  /** Most people first, so that small circles are on top of large ones. */
  areas: readonly Area[];
  chosen: number | undefined;
  /** Undefined if the places are not links. */
  pathTo: ((area: Area) => string) | undefined;
}

export function PlacesMap({ areas, chosen, pathTo }: Props) {
  const { viewBox, circles } = fitMap(areas);
  return (
    <svg
      viewBox={viewBox}
      role={pathTo ? 'group' : 'img'}
      aria-label="Map of the places in the list"
      className="aspect-[27/11] w-full rounded-card border border-line bg-raised"
    >
      <use href={`${world}#land`} className="text-line" />
      <use href={`${world}#borders`} className="text-raised" />
      {circles.map(({ area, radius, targetRadius }) => {
        const label = `${area.name}, ${formatPeople(area.people)}`;
        const circle = (
          <>
            <title>{label}</title>
            {pathTo && <circle cx={area.x} cy={area.y} r={targetRadius} fill="transparent" />}
            <circle cx={area.x} cy={area.y} r={radius} vectorEffect="non-scaling-stroke" className="place" />
          </>
        );
        return pathTo ? (
          <Link key={area.id} to={pathTo(area)} aria-label={label} aria-current={area.id === chosen || undefined}>
            {circle}
          </Link>
        ) : (
          <g key={area.id}>{circle}</g>
        );
      })}
    </svg>
  );
}
