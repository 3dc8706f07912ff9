import type { Card } from '#contract/directory.ts';
import { Link } from '../platform/link.tsx';
import { paths } from './paths.ts';
import { initials, tintOf } from './people.ts';

/** Shows people as a row of small portraits, edge to edge like prints in a yearbook. On phones it scrolls to the side. */
export function Faces({ cards, label }: { cards: readonly Card[]; label: string }) {
  return (
    <ul aria-label={label} className="-mx-4 flex gap-3 overflow-x-auto px-4 py-1 lg:-mx-1 lg:flex-wrap lg:px-1">
      {cards.map(({ id, name, thumb }) => (
        <li key={id} className="w-16 shrink-0">
          <Link to={paths.user(id)} className="group grid gap-1 rounded-t-xl text-center text-xs leading-tight">
            {thumb === null ? (
              <span
                aria-hidden="true"
                className={`tint tint-${tintOf(name)} grid aspect-[4/5] place-items-center text-lg font-bold print-shape`}
              >
                {initials(name)}
              </span>
            ) : (
              <img
                src={thumb.replace('/192.', '/96.')}
                srcSet={`${thumb.replace('/192.', '/96.')} 96w, ${thumb} 192w`}
                sizes="64px"
                alt=""
                loading="lazy"
                decoding="async"
                className="aspect-[4/5] w-full bg-line object-cover print-shape"
              />
            )}
            <span className="wrap-anywhere group-hover:text-brand group-hover:underline">{name}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
